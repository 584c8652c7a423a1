//! The command processor's neighbours: an image, packets with and without extension, messages, and
//! back-pressure. The image is a random program.

mod program;

use firmware::aql;
use hwmodel::cpelide::command_processor::CommandProcessor;
use ports::Bytes;
use ports::cpelide::command_processor::{In, Out};
use ports::cpelide::types::{Aql, Ext, Message, error_code, kind, mailbox, map};

use crate::stimulus::{Driver, Random, Stimulus, count, message};
use crate::{blocks, phase, seen};
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

phase! {
    /// What one phase draws. Chances are parts of 256.
    pub struct Phase(r: &mut Random) {
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
pub struct Inputs {
    conf: u32,
    program: Box<[u32; WORDS]>,
    /// Words of the program that are loaded.
    loaded: usize,
    /// Cycles for which the core is held after that.
    held: u32,
    rx: Option<Message>,
    /// Beats that the packet accepted last waits for.
    beats: u32,
    /// Of them, the number of the next.
    beat: u32,
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

    fn draw_message(d: &mut Driver<Self>) -> Message {
        let Driver { phase: p, random: r, .. } = d;
        let any = r.below(16) as u8;
        let other = r.pick(&[kind::DONE, kind::NACK, any]);
        let kind = if r.chance(p.ack) { kind::ACK } else { other };
        message(r, kind)
    }

    /// The next word of the image; beside the program, also while the core runs, which must not
    /// matter.
    fn draw_image(&mut self, d: &mut Driver<Self>, input: &mut In) {
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
        if !input.core_hold && d.random.chance(1) {
            input.imem_we = true;
            input.imem_addr = d.random.below(WORDS as u32) as u16;
            input.imem_data = d.random.word() as u32;
            d.seen.image_write_while_running += 1;
        }
    }

    fn draw_inputs(&mut self, d: &mut Driver<Self>) -> In {
        let aql = d.offer(d.last.aql, d.before.aql_ready, d.phase.aql, |d| {
            let extended = d.random.chance(d.phase.extended);
            Self::draw_aql(&mut d.random, extended)
        });
        let chance = if self.beats > 0 { d.phase.ext } else { 0 };
        let ext = d.offer(d.last.ext, d.before.ext_ready, chance, |d| {
            let r = &mut d.random;
            let data = u128::from(r.word()) << 64 | u128::from(r.word());
            Ext { last: self.beat + 1 == self.beats, data }
        });
        self.rx = d.offer(self.rx, false, d.phase.rx, Self::draw_message);
        let mut input = In {
            aql,
            ext,
            tx_ready: d.random.chance(d.phase.tx_ready),
            rx: self.rx.filter(|_| !d.random.chance(d.phase.withdrawn)),
            conf: self.conf,
            ..In::default()
        };
        self.draw_image(d, &mut input);
        input
    }

    /// What the block takes.
    fn taken(&mut self, d: &mut Driver<Self>, input: &In, out: &Out) {
        let seen = &mut d.seen;
        if let Some(aql) = count(input.aql, out.aql_ready, &mut seen.aql, &mut seen.aql_held) {
            let extended = aql::has_extension(&aql.packet.0);
            *(if extended { &mut seen.packet_with_extension } else { &mut seen.packet }) += 1;
            if extended {
                let most = d.phase.beats;
                let long = most > MOST_BEATS && d.random.chance(128);
                let any = 1 + d.random.below(most);
                let beats = if long { d.random.pick(&[MOST_BEATS, most]) } else { any };
                (self.beats, self.beat) = (beats, 0);
            }
        }
        if input.ext.is_some() && out.ext_ready {
            seen.ext += 1;
            self.beat += 1;
            if self.beat == self.beats {
                seen.truncated_extension += u64::from(self.beats > MOST_BEATS);
                self.beats = 0;
            }
        }
        if let Some(message) = count(input.rx, out.rx_ready, &mut seen.rx, &mut seen.rx_held) {
            self.rx = None;
            seen.ack += u64::from(message.kind == kind::ACK);
        }
    }

    fn observe(&mut self, d: &mut Driver<Self>, input: &In, out: &Out) {
        self.taken(d, input, out);
        let seen = &mut d.seen;
        if let Some(tx) = count(out.tx, input.tx_ready, &mut seen.tx, &mut seen.tx_held) {
            seen.broadcast += u64::from(tx.bcast);
            seen.sync_req += u64::from(tx.msg.kind == kind::SYNC_REQ);
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

    type Phase = Phase;
    type Seen = Seen;

    fn start(d: &mut Driver<Self>) -> Self {
        let mut mix = Mix::draw(&mut d.random);
        // In turn: few programs are run, and each end is to be reached. Most episodes are too short
        // for that. Another first one for each seed.
        let number = (d.seed + d.episode) as usize;
        let (number, ends) = match d.length {
            LONG.. => (2, 3),
            ENDS.. => (number, 2),
            _ => (number, 3),
        };
        if d.length >= LONG {
            mix.rounds = u32::MAX;
        }
        let end = [End::Exit, End::Halt(number / ends), End::Never][number % ends];
        let mut program = Box::new([0; WORDS]);
        program::write(&mut d.random, &mix, end, &mut program);
        let (mut loaded, mut held) = (0, d.random.below(20));
        if d.length < LONG && d.random.chance(48) {
            // The memory keeps what was loaded before the reset, and the core starts at once.
            (loaded, held) = (WORDS, 0);
            d.seen.image_kept += 1;
        }
        let conf = d.random.word() as u32;
        Self { conf, program, loaded, held, rx: None, beats: 0, beat: 0 }
    }

    fn phase(&mut self, d: &mut Driver<Self>) -> Phase {
        Phase::draw(&mut d.random)
    }

    fn inputs(&mut self, d: &mut Driver<Self>, out: &Out) -> In {
        let input = self.draw_inputs(d);
        self.observe(d, &input, out);
        input
    }
}
