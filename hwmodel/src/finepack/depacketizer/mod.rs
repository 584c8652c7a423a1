//! De-packetizer: takes TLPs apart into accesses for the destination GPU's memory system, one
//! sub-packet per cycle, and checks them (FinePack, HPCA'23, section IV-B;
//! `rtl/finepack/depacketizer/README.md` has the cycle rules).

mod align;
mod choices;
mod fifo;
mod header;
mod parser;
mod rule;
mod slots;
#[cfg(test)]
mod tests;
mod window;

use ports::ConfigError;
use ports::finepack::depacketizer::{Config, In, Out};
use ports::finepack::types::{error_code, window_bytes};

use crate::block::{Block, Model};
use crate::state::{State, width_of};
use choices::{Choices, SPECIFICATION};
use fifo::Fifo;
use parser::{Action, Parser};
use ports::Parameters;
use slots::Slots;
use window::Window;

pub use rule::Rule;

/// The block's registers, and what they decide. A cycle in which nothing moves changes none of
/// them.
#[derive(Clone, Debug)]
pub struct Depacketizer {
    config: Config,
    /// `tlp_ready_o`.
    tlp_ready: bool,
    /// The error pulse of this cycle.
    err: Option<u8>,
    /// The parser has done nothing, and will not before a beat comes or an access leaves. No error
    /// is shown then.
    waits: bool,
    parser: Parser,
    /// Bytes that the window may hold when a beat is accepted: its capacity less one beat.
    room_for_beat: usize,
    slots: Slots,
    /// Payload bytes of both packets, in order.
    window: Window,
    /// Accesses on their way to the memory system.
    fifo: Fifo,
    /// Other choices than those of the specification, in a test.
    test_choices: Option<Box<Choices>>,
}

impl Depacketizer {
    /// For tests: a de-packetizer that does not keep a rule. Errors: as of `new`.
    pub fn without(config: &Config, rule: Rule) -> Result<Self, ConfigError> {
        let choices = Choices::without(rule);
        let depacketizer = Self::with(config, &choices)?;
        Ok(Self { test_choices: Some(Box::new(choices)), ..depacketizer })
    }

    fn with(config: &Config, choices: &Choices) -> Result<Self, ConfigError> {
        config.validate()?;
        let Config { line, sub_header_bytes, beat, output_depth, .. } = *config;
        let room = window_bytes(beat, sub_header_bytes, line);
        Ok(Self {
            config: config.clone(),
            tlp_ready: true,
            err: None,
            waits: true,
            parser: Parser::new(line, sub_header_bytes),
            room_for_beat: (choices.windows * room - beat) as usize,
            slots: Slots::default(),
            window: Window::default(),
            fifo: Fifo::new((output_depth + choices.more_outputs) as usize),
            test_choices: None,
        })
    }

    /// The edge of a cycle in which something moves.
    #[inline(never)] // so that a cycle without it saves no registers
    fn step(&mut self, inputs: &In, taken: bool) {
        match self.test_choices.take() {
            None => self.step_by(inputs, taken, &SPECIFICATION),
            Some(choices) => {
                self.step_by(inputs, taken, &choices);
                self.test_choices = Some(choices);
            }
        }
    }

    #[inline(always)]
    fn step_by(&mut self, inputs: &In, taken: bool, choices: &Choices) {
        // The parser comes first: it must not see what this cycle brings. The pop comes after it,
        // because a push looks at the count before the pop.
        self.err = self.parse(choices);
        if let (Some(tlp), true) = (&inputs.tlp, self.tlp_ready) {
            self.waits = false;
            if !choices.one_pulse && self.slots.oldest().failed {
                self.err = Some(error_code::TRUNCATED);
            }
            let Config { line, beat, .. } = self.config;
            let is_stray = !self.slots.accept(tlp, line, beat, &mut self.window, choices);
            if let (true, Some(code)) = (is_stray, choices.stray) {
                // The parser's error of this cycle, if any, may have the lower code.
                self.err = Some(self.err.map_or(code, |other| other.min(code)));
            }
        }
        // A failed packet keeps its slot until its end is known, which this cycle may have brought.
        if self.slots.oldest().is_over() {
            self.slots.free_oldest();
        }
        self.waits &= !taken;
        self.fifo.pop(taken);
        let has_slot = self.slots.used() < choices.slots;
        self.tlp_ready = has_slot & (self.window.len() <= self.room_for_beat);
    }

    /// One action for the oldest packet. The error that it finds, if any.
    #[inline(always)]
    fn parse(&mut self, choices: &Choices) -> Option<u8> {
        let used = self.slots.used();
        let slot = self.slots.oldest();
        self.waits = true;
        if used == 0 || slot.is_starved() {
            return None;
        }
        let Self { parser, window, fifo, .. } = self;
        let action = parser.decide(slot, window, fifo.has_room(), choices);
        self.waits = matches!(action, Action::Wait(_) | Action::Stall);
        if let Action::Fail(code) = action {
            if choices.drops_rest || !parser.drop_sub_header(slot, window) {
                window.remove(slot.have as usize);
                slot.fail();
                self.slots.after_error = true;
            } else if slot.is_finished() {
                self.slots.free_oldest();
            }
            return Some(code);
        }
        if parser.apply(action, slot, window, fifo, choices) {
            self.slots.free_oldest();
        }
        None
    }
}

impl Block for Depacketizer {
    type In = In;
    type Out = Out;

    #[inline(always)]
    fn outputs(&self) -> Out {
        Out { tlp_ready: self.tlp_ready, st: *self.fifo.front(), err: self.err }
    }

    fn tick(&mut self, inputs: &In) -> Out {
        let out = self.outputs();
        let accepted = inputs.tlp.is_some() & self.tlp_ready;
        let taken = !self.fifo.is_empty() & inputs.st_ready;
        // A sum is one branch; of an `or` the compiler makes three, each hard to predict.
        if u8::from(!self.waits) + u8::from(accepted) + u8::from(taken) != 0 {
            self.step(inputs, taken);
        }
        out
    }

    fn is_idle(&self) -> bool {
        self.slots.used() == 0 && self.fifo.is_empty() && self.err.is_none()
    }

    fn show_state(&self, state: &mut State) {
        let Config { line, sub_header_bytes, beat, output_depth, .. } = self.config;
        let window = width_of(window_bytes(beat, sub_header_bytes, line).into());
        state.part("slots", |state| self.slots.show_state(state, window));
        state.part("window", |state| state.bits("held", window, self.window.len() as u32));
        state.part("fifo.fifo", |state| {
            state.bits("count", width_of(output_depth.into()), self.fifo.len() as u32);
        });
        state.part("error", |state| {
            state.flag("valid", self.err.is_some());
            state.bits("code", 4, self.err.unwrap_or(0));
        });
    }
}

impl Model for Depacketizer {
    const NAME: &'static str = "depacketizer";
    type Config = Config;

    fn new(config: &Config) -> Result<Self, ConfigError> {
        Self::with(config, &SPECIFICATION)
    }
}
