//! The command processor's neighbours: an image, packets with and without extension, messages, and
//! back-pressure. The image is a random program.

mod program;

use firmware::aql;
use hwmodel::Block;
use hwmodel::cpelide::command_processor::CommandProcessor;
use ports::Bytes;
use ports::cpelide::command_processor::{Config, In, Out};
use ports::cpelide::types::{Aql, Ext, Message, error_code, kind, mailbox, map};

use crate::blocks;
use crate::seen;
use crate::stimulus::draws::draws;
use crate::stimulus::{NewStimulus, Random, Reached, Statics, Stimulus, message};
use program::{End, Mix, WORDS};

crate::family!(ports::cpelide::types::Command, "cpelide");
crate::pair!(CommandProcessor: ports::cpelide::types::Command);

inventory::submit! {
    blocks::entry::<Inputs>(
        "an Ibex core with memories and mailbox, which runs the launch firmware"
    )
}

/// Cycles in which the processor's clock counts more than 16 bits.
const LONG: u64 = 90_000;
/// Cycles in which most programs end that do so.
const ENDS: u64 = 9_000;
/// Beats of an extension block that a slot has room for.
const MOST_BEATS: u32 = 252;

draws! {
    /// What one phase draws. Chances are parts of 256.
    struct Phase(r: &mut Random) {
        left: u32 = 64 + r.below(2048),
        aql: u32 = r.pick(&[64, 8, 1]),
        ext: u32 = r.pick(&[256, 128, 16]),
        rx: u32 = r.pick(&[128, 16, 2]),
        tx_ready: u32 = r.pick(&[256, 128, 8, 1]),
        /// Chance that a packet has an extension.
        extended: u32 = r.pick(&[0, 64, 200]),
        /// Most beats of one.
        beats: u32 = r.pick(&[1, 4, 40, MOST_BEATS + 8]),
        /// Chance that a message is an ACK.
        ack: u32 = r.pick(&[16, 128, 240]),
        /// Chance that the message is withdrawn for a cycle.
        withdrawn: u32 = r.pick(&[0, 0, 16]),
    }
}

/// The stimulus.
#[derive(Clone, Debug)]
pub struct Inputs {
    random: Random,
    phase: Phase,
    conf: u32,
    program: Box<[u32; WORDS]>,
    /// Programs so far.
    programs: usize,
    /// Those of them that an access ends.
    halts: usize,
    /// Words of the program that are loaded.
    loaded: usize,
    /// Cycles for which the core is held after that.
    held: u32,
    aql: Option<Aql>,
    ext: Option<Ext>,
    rx: Option<Message>,
    /// Beats that the packet accepted last waits for.
    beats: u32,
    /// Of them, the number of the next.
    beat: u32,
    seen: Seen,
}

seen! {
    transfers: aql, ext, tx, rx, sig, trace, err;
    rows:
        packet, packet_with_extension, truncated_extension, aql_held, rx_held, tx_held,
        broadcast, sync_req, ack, err_protocol, err_halt, err_of_firmware,
        trap, load, clock_beyond_16_bits, store, compressed, divide,
        cycles_after_exit, cycles_after_halt, image_write_while_running, image_kept,
}

impl Inputs {
    fn draw_aql(r: &mut Random, extended: bool) -> Aql {
        let mut bytes = [0; 64];
        for chunk in bytes.chunks_exact_mut(8) {
            chunk.copy_from_slice(&r.word().to_le_bytes());
        }
        // The extension's address; one byte of it is enough.
        let at = aql::at::EXTENSION as usize;
        bytes[at..at + 8].fill(0);
        if extended {
            bytes[at + r.below(8) as usize] = 1 + r.below(255) as u8;
        }
        Aql { mask: r.word() as u16, stream: r.word() as u8, packet: Bytes(bytes) }
    }

    fn draw_message(&mut self) -> Message {
        let r = &mut self.random;
        let any = r.below(16) as u8;
        let other = r.pick(&[kind::DONE, kind::NACK, any]);
        let kind = if r.chance(self.phase.ack) { kind::ACK } else { other };
        message(r, kind)
    }

    /// The next word of the image; beside the program, also while the core runs, which must not
    /// matter.
    fn draw_image(&mut self, input: &mut In) {
        if self.loaded < WORDS {
            input.core_hold = true;
            input.imem_we = true;
            input.imem_addr = self.loaded as u16;
            input.imem_data = self.program[self.loaded];
            self.loaded += 1;
            return;
        }
        input.core_hold = self.held > 0;
        self.held = self.held.saturating_sub(1);
        if !input.core_hold && self.random.chance(1) {
            input.imem_we = true;
            input.imem_addr = self.random.below(WORDS as u32) as u16;
            input.imem_data = self.random.word() as u32;
            self.seen.image_write_while_running += 1;
        }
    }

    fn draw_inputs(&mut self) -> In {
        let (p, r) = (&self.phase, &mut self.random);
        if self.aql.is_none() && r.chance(p.aql) {
            let extended = r.chance(p.extended);
            self.aql = Some(Self::draw_aql(r, extended));
        }
        if self.ext.is_none() && self.beats > 0 && r.chance(p.ext) {
            let data = u128::from(r.word()) << 64 | u128::from(r.word());
            self.ext = Some(Ext { last: self.beat + 1 == self.beats, data });
        }
        if self.rx.is_none() && r.chance(p.rx) {
            self.rx = Some(self.draw_message());
        }
        let mut input = In {
            aql: self.aql,
            ext: self.ext,
            tx_ready: self.random.chance(self.phase.tx_ready),
            rx: self.rx.filter(|_| !self.random.chance(self.phase.withdrawn)),
            conf: self.conf,
            ..In::default()
        };
        self.draw_image(&mut input);
        input
    }

    /// What is taken is not offered again.
    fn taken(&mut self, input: &In, out: &Out) {
        let seen = &mut self.seen;
        if let Some(aql) = &input.aql {
            if out.aql_ready {
                self.aql = None;
                seen.aql += 1;
                let extended = aql::has_extension(&aql.packet.0);
                *(if extended { &mut seen.packet_with_extension } else { &mut seen.packet }) += 1;
                if extended {
                    let most = self.phase.beats;
                    let long = most > MOST_BEATS && self.random.chance(128);
                    let any = 1 + self.random.below(most);
                    let beats = if long { self.random.pick(&[MOST_BEATS, most]) } else { any };
                    (self.beats, self.beat) = (beats, 0);
                }
            } else {
                seen.aql_held += 1;
            }
        }
        if input.ext.is_some() && out.ext_ready {
            self.ext = None;
            seen.ext += 1;
            self.beat += 1;
            if self.beat == self.beats {
                seen.truncated_extension += u64::from(self.beats > MOST_BEATS);
                self.beats = 0;
            }
        }
        if let Some(message) = &input.rx {
            if out.rx_ready {
                self.rx = None;
                seen.rx += 1;
                seen.ack += u64::from(message.kind == kind::ACK);
            } else {
                seen.rx_held += 1;
            }
        }
    }

    fn observe(&mut self, input: &In, out: &Out) {
        self.taken(input, out);
        let seen = &mut self.seen;
        if let Some(tx) = &out.tx {
            if input.tx_ready {
                seen.tx += 1;
                seen.broadcast += u64::from(tx.bcast);
                seen.sync_req += u64::from(tx.msg.kind == kind::SYNC_REQ);
            } else {
                seen.tx_held += 1;
            }
        }
        seen.sig += u64::from(out.sig.is_some());
        if let Some(code) = out.err {
            seen.err += 1;
            *(match code {
                error_code::PROTOCOL => &mut seen.err_protocol,
                error_code::HALT => &mut seen.err_halt,
                _ => &mut seen.err_of_firmware,
            }) += 1;
        }
        if let Some(t) = &out.trace {
            seen.trace += 1;
            seen.trap += u64::from(t.trap);
            seen.load += u64::from(t.mem_rmask != 0);
            let clock = t.mem_rmask != 0 && t.mem_addr == map::MAILBOX.0 + mailbox::CYCLE;
            seen.clock_beyond_16_bits += u64::from(clock && t.mem_rdata > u32::from(u16::MAX));
            seen.store += u64::from(t.mem_wmask != 0);
            seen.compressed += u64::from(t.insn & 3 != 3 && !t.trap);
            seen.divide += u64::from(t.insn & 0xfe00_407f == 0x0200_4033);
        }
        match out.exit {
            Some(8) => seen.cycles_after_halt += 1,
            Some(_) => seen.cycles_after_exit += 1,
            None => {}
        }
    }
}

impl Stimulus for Inputs {
    type Model = CommandProcessor;

    fn restart(&mut self, cycles: u64) {
        let mut mix = Mix::draw(&mut self.random);
        // In turn: few programs are run, and each end is to be reached. Most episodes are too short
        // for that.
        let end = match cycles {
            LONG.. => {
                mix.rounds = u32::MAX;
                End::Never
            }
            ENDS.. => [End::Exit, End::Halt(self.halts)][self.programs % 2],
            _ => [End::Exit, End::Halt(self.halts), End::Never][self.programs % 3],
        };
        self.halts += usize::from(matches!(end, End::Halt(_)));
        self.programs += 1;
        program::write(&mut self.random, &mix, end, &mut self.program);
        (self.aql, self.ext, self.rx) = (None, None, None);
        (self.beats, self.beat, self.loaded) = (0, 0, 0);
        self.held = self.random.below(20);
        if cycles < LONG && self.random.chance(48) {
            // The memory keeps what was loaded before the reset, and the core starts at once.
            (self.loaded, self.held) = (WORDS, 0);
            self.seen.image_kept += 1;
        }
        self.conf = self.random.word() as u32;
        self.phase = Phase::draw(&mut self.random);
    }

    fn inputs(&mut self, out: &<CommandProcessor as Block>::Out) -> In {
        if self.phase.left == 0 {
            self.phase = Phase::draw(&mut self.random);
        }
        self.phase.left -= 1;
        let input = self.draw_inputs();
        self.observe(&input, out);
        input
    }

    fn seen(&self) -> &dyn Reached {
        &self.seen
    }
}

impl NewStimulus for Inputs {
    fn unstarted(_: &Config, _statics: &Statics, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let phase = Phase::draw(&mut random);
        Self {
            random,
            phase,
            conf: 0,
            program: Box::new([0; WORDS]),
            // Another first one for each seed.
            programs: seed as usize,
            halts: seed as usize,
            loaded: 0,
            held: 0,
            aql: None,
            ext: None,
            rx: None,
            beats: 0,
            beat: 0,
            seen: Seen::default(),
        }
    }
}
