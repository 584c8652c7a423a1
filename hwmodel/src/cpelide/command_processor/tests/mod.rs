//! Directed tests of the rules in `rtl/cpelide/command_processor/README.md`; programs are assembled
//! by hand.

pub(super) mod assembler;
mod clock;
mod halt;
mod messages;
mod packets;
mod quiet;
mod registers;
mod wait;

use ports::Bytes;
use ports::cpelide::types::{Aql, Ext, Message, mailbox::*, map};

use super::*;
use assembler::*;

/// The clock is always enabled: cycles of `clk_i` are the processor's.
const PLAIN: Config = Config { private_latency: 3, clock_on: 1, clock_of: 1 };
/// CONF of these tests.
const CONF_VALUE: u32 = 0x0100_4204;
/// The core's cycle in which the first instruction begins.
const FIRST: usize = 4;

/// A processor with a program, and its outputs from the core's cycle 0 on.
struct Bench {
    cp: CommandProcessor,
    /// Inputs of the next cycle; valids are cleared after it.
    next: In,
    out: Vec<Out>,
}

impl Bench {
    fn new(program: &[u32]) -> Self {
        Self::with_config(&PLAIN, program)
    }

    /// Loads the program and releases the core. The first cycle that is run is the core's cycle 0,
    /// with a clock pattern that begins anew.
    fn with_config(config: &Config, program: &[u32]) -> Self {
        let cp = CommandProcessor::new(config).expect("legal parameters");
        let next = In { tx_ready: true, conf: CONF_VALUE, core_hold: true, ..In::default() };
        let mut bench = Self { cp, next, out: Vec::new() };
        for (word, value) in (0x20..).zip(program) {
            bench.next.imem_we = true;
            (bench.next.imem_addr, bench.next.imem_data) = (word, *value);
            bench.tick();
        }
        while !(bench.out.len() + 1).is_multiple_of(config.clock_of as usize) {
            bench.tick();
        }
        bench.next.core_hold = false;
        bench.tick();
        bench.out.clear();
        bench
    }

    fn tick(&mut self) -> Out {
        let shown = self.cp.outputs();
        let out = self.cp.tick(&self.next);
        assert_eq!(shown, out);
        self.out.push(out);
        let In { tx_ready, conf, core_hold, .. } = self.next;
        self.next = In { tx_ready, conf, core_hold, ..In::default() };
        out
    }

    fn run(&mut self, cycles: usize) {
        for _ in 0..cycles {
            self.tick();
        }
    }

    /// Runs until cycle `cycle` is the next.
    fn run_to(&mut self, cycle: usize) {
        self.run(cycle.checked_sub(self.out.len()).expect("not yet"));
    }

    /// The values that loads have brought, in order.
    fn loaded(&self) -> Vec<u32> {
        let traced = self.out.iter().filter_map(|out| out.trace);
        traced.filter(|t| t.mem_rmask != 0).map(|t| t.mem_rdata).collect()
    }

    /// Cycles in which loads and stores show as retired.
    fn retired(&self) -> Vec<usize> {
        let traced = self.out.iter().enumerate();
        traced
            .filter(|(_, out)| out.trace.is_some_and(|t| t.mem_rmask | t.mem_wmask != 0))
            .map(|(cycle, _)| cycle)
            .collect()
    }

    fn errors(&self) -> Vec<(usize, u8)> {
        let shown = self.out.iter().enumerate();
        shown.filter_map(|(cycle, out)| Some((cycle, out.err?))).collect()
    }

    /// Cycle and status of the halt.
    fn exit(&self) -> Option<(usize, u32)> {
        let shown = self.out.iter().enumerate();
        shown.filter_map(|(cycle, out)| Some((cycle, out.exit?))).next()
    }
}

/// S0 is the mailbox, A1 the value `a1`; then the instructions, and EXIT with the value of A1.
fn program(a1: u32, body: &[u32]) -> Vec<u32> {
    let prologue = [&[lui(S0, map::MAILBOX.0 >> 12)], &li(A1, a1)[..]].concat();
    [&prologue, body, &[sw(A1, S0, EXIT as i32)][..]].concat()
}

/// Cycle in which the first instruction of the body begins.
const BODY: usize = FIRST + 3;

fn read(offset: u32) -> u32 {
    lw(A0, S0, offset as i32)
}

/// Writes A1.
fn write(offset: u32) -> u32 {
    sw(A1, S0, offset as i32)
}

fn message(kind: u8, chiplet: u8, b: u32) -> Message {
    Message { kind, chiplet, tag: 0x55, a: 0x1234, b }
}

fn packet(stream: u8, fill: u8, extension: bool) -> Aql {
    let mut bytes = [fill; 64];
    bytes[48..56].fill(extension.into());
    Aql { mask: 0xa5c3, stream, packet: Bytes(bytes) }
}

fn beat(fill: u8, last: bool) -> Ext {
    Ext { last, data: u128::from_le_bytes([fill; 16]) }
}
