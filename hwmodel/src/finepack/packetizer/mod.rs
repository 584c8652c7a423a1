//! Packetizer: turns drained entries into one TLP, one run and one beat per cycle (FinePack,
//! HPCA'23, sections IV-A and IV-B; `rtl/finepack/packetizer/README.md` has the cycle rules).

mod accumulator;
mod choices;
mod entry;
mod header;
mod rule;
mod run;
#[cfg(test)]
mod tests;

use ports::Bytes;
use ports::ConfigError;
use ports::finepack::packetizer::{Config, In, Out};
use ports::finepack::types::Tlp;

use crate::block::{Block, Model};
use crate::state::{State, width_of};
use accumulator::Accumulator;
use choices::{Choices, SPECIFICATION};
use entry::Entry;
use ports::Parameters;

pub use rule::Rule;

/// The block's registers, and what their owner sees of them. A cycle in which nothing moves changes
/// none of them, and most cycles are such: so the outputs are kept as they are shown.
#[derive(Clone, Debug)]
pub struct Packetizer {
    config: Config,
    /// The output ports of this cycle.
    out: Out,
    /// A run of the held entry moves to the accumulator in this cycle.
    append: bool,
    /// `entry` is held. Apart from it, so that a drain beat is written in place.
    held: bool,
    /// The drain beat that is held, with the runs not yet appended.
    entry: Entry,
    /// Bytes of the current packet that are not yet sent.
    acc: Accumulator,
    /// The packet's last run is appended and its eop beat is not yet taken.
    last: bool,
    /// The next beat is the first of its packet.
    first: bool,
    /// Outer header of the packet whose bytes the accumulator holds.
    hdr: u128,
    /// Destination of that packet.
    dest: u8,
    /// Other choices than those of the specification, in a test.
    test_choices: Option<Box<Choices>>,
}

/// What moves in a cycle.
#[derive(Clone, Copy, Debug)]
struct Action {
    /// A run of the held entry is appended to the accumulator.
    append: bool,
    /// The drain beat is accepted.
    accept: bool,
    /// The TLP beat is taken.
    take: bool,
}

impl Packetizer {
    /// For tests: a packetizer that does not keep a rule. Errors: as of `new`.
    pub fn without(config: &Config, rule: Rule) -> Result<Self, ConfigError> {
        let mut packetizer = Self::new(config)?;
        packetizer.test_choices = Some(Box::new(Choices::without(rule)));
        Ok(packetizer)
    }

    /// What moves in this cycle (README rules 1 and 2).
    #[inline(always)]
    fn decide(&self, inputs: &In) -> Action {
        Action {
            append: self.append,
            accept: inputs.drain.is_some() & self.out.drain_ready,
            take: self.out.tlp.is_some() & inputs.tlp_ready,
        }
    }

    /// The edge of a cycle in which something moves.
    #[inline(never)] // so that a cycle without it saves no registers
    fn apply(&mut self, action: Action, inputs: &In) {
        match self.test_choices.take() {
            None => self.apply_by(action, inputs, &SPECIFICATION),
            Some(choices) => {
                self.apply_by(action, inputs, &choices);
                self.test_choices = Some(choices);
            }
        }
    }

    #[inline(always)]
    fn apply_by(&mut self, action: Action, inputs: &In, choices: &Choices) {
        if action.append {
            self.append_run(choices);
        }
        if let (Some(drain), true) = (&inputs.drain, action.accept) {
            self.held = true;
            self.entry.hold(drain, &self.config, inputs.self_id, choices);
        }
        if let (Some(beat), true) = (&self.out.tlp, action.take) {
            self.acc.remove(usize::from(beat.nbytes));
            self.first = beat.eop;
            // No run is appended while `last` is set, so an eop beat and a new `last` never meet.
            self.last &= !beat.eop;
            self.out.tlp = None;
        }
        let (acc, beat) = (self.acc.len(), self.config.beat as usize);
        // A beat stays as it is until it is taken. It is a whole one, or what is left of the
        // packet.
        if self.out.tlp.is_none() && (acc >= beat || self.last) {
            self.show_beat(acc.min(beat), choices);
        }
        // Packets never share the accumulator: `last` is set until the eop beat has emptied it. So
        // kinds 1 to 3, each a packet of its own, find it empty without a test.
        let waits = self.last & choices.packets_apart;
        self.append = self.held & !waits & (acc < choices.beats_held * beat);
        self.out.drain_ready = !self.held | (self.append & self.entry.one_run_left());
    }

    #[inline(always)]
    fn append_run(&mut self, choices: &Choices) {
        let entry = &mut self.entry;
        if entry.sop {
            self.hdr = entry.hdr;
            self.dest = entry.dest;
        }
        if entry.move_run(&mut self.acc, self.config.sub_header_bytes as usize, choices) {
            self.last = entry.eop;
            self.held = false;
        }
    }

    /// Puts the beat of the oldest `nbytes` bytes on the port.
    #[inline(always)]
    fn show_beat(&mut self, nbytes: usize, choices: &Choices) {
        let Self { first: sop, dest, .. } = *self;
        let eop = self.last && (self.acc.len() == nbytes || !choices.last_beat_ends);
        let hdr = if sop { self.hdr } else { 0 };
        // The two cases stay apart: a short beat is made in place, without a copy.
        if nbytes <= 8 {
            let data = Bytes(self.acc.short_beat(nbytes));
            self.out.tlp = Some(Tlp { sop, eop, dest, hdr, nbytes: nbytes as u8, data });
        } else {
            let data = Bytes(self.acc.beat(nbytes));
            self.out.tlp = Some(Tlp { sop, eop, dest, hdr, nbytes: nbytes as u8, data });
        }
    }
}

impl Block for Packetizer {
    type In = In;
    type Out = Out;

    fn outputs(&self) -> Out {
        self.out
    }

    fn tick(&mut self, inputs: &In) -> Out {
        let out = self.out;
        let action = self.decide(inputs);
        // A sum is one branch; of an `or` the compiler makes three, each hard to predict.
        if u8::from(action.append) + u8::from(action.take) + u8::from(action.accept) != 0 {
            self.apply(action, inputs);
        }
        out
    }

    fn is_idle(&self) -> bool {
        !self.held && self.out.tlp.is_none()
    }

    fn show_state(&self, state: &mut State) {
        let Self { config, held, entry, acc, last, first, hdr, dest, .. } = self;
        state.part("entry", |state| {
            state.flag("held", *held);
            entry.show_state(state, *held, config);
        });
        state.part("accumulator", |state| {
            let Config { line, sub_header_bytes, beat, .. } = *config;
            let room = 8 * (2 * beat + sub_header_bytes + line).div_ceil(8);
            let bytes = acc.len() as u32;
            let holds = bytes > 0 || *last;
            state.bits("acc", width_of(room.into()), bytes);
            state.flag("last", *last);
            state.flag("first", *first);
            state.bits_while(holds, "hdr", 128, *hdr);
            state.bits_while(holds, "dest", 4, *dest);
        });
    }
}

impl Model for Packetizer {
    const NAME: &'static str = "packetizer";
    type Config = Config;

    fn new(config: &Config) -> Result<Self, ConfigError> {
        config.validate()?;
        Ok(Self {
            config: config.clone(),
            out: Out { drain_ready: true, tlp: None },
            append: false,
            held: false,
            entry: Entry::new(),
            acc: Accumulator::default(),
            last: false,
            first: true,
            hdr: 0,
            dest: 0,
            test_choices: None,
        })
    }
}
