//! A command processor with a program, and the host and the crossbar around it.

use duet_tests::{Bench, Body};
use hwmodel::cpelide::command_processor::CommandProcessor;
use ports::cpelide::command_processor::{Config, In, Out};
use ports::cpelide::types::Retired;

use super::assembler::*;

/// Where the core starts.
pub const START: u32 = 0x80;
/// Mailbox and slots.
pub const MAILBOX: u32 = 0x4000_0000;
pub const SLOTS: u32 = 0x2000_0000;

/// A command processor whose core has just left reset.
pub struct Machine {
    pub bench: Bench<Body<CommandProcessor>>,
    /// Inputs of the next cycle; they stay until they are changed.
    pub inputs: In,
    config: Config,
    /// The first cycle of `clk_i` in which the core is out of reset.
    first: usize,
}

impl Machine {
    /// Loads code at [`START`] and the trap handler at 0, and lets the core go.
    pub fn new(body: Body<CommandProcessor>, config: &Config, code: &Code, trap: &Code) -> Self {
        let mut machine = Self::held(body, config);
        machine.load(START, code);
        machine.load(0, trap);
        machine.go();
        machine
    }

    /// A command processor whose core is held in reset.
    pub fn held(body: Body<CommandProcessor>, config: &Config) -> Self {
        let inputs = In { core_hold: true, tx_ready: true, conf: 0x0123_4567, ..In::default() };
        Self { bench: Bench::new(body), inputs, config: config.clone(), first: 0 }
    }

    /// Loads code, a word in each cycle.
    pub fn load(&mut self, addr: u32, code: &Code) {
        for (k, word) in code.image().into_iter().enumerate() {
            let imem_addr = (addr / 4) as u16 + k as u16;
            let load = In { imem_we: true, imem_addr, imem_data: word, ..self.inputs };
            self.bench.cycle(&load);
        }
    }

    /// Lets the core go.
    pub fn go(&mut self) {
        self.inputs.core_hold = false;
        self.cycle();
        self.first = self.bench.out.len();
    }

    /// One cycle of `clk_i`; returns its number and outputs.
    pub fn cycle(&mut self) -> (usize, Out) {
        let inputs = self.inputs;
        let cycle = self.bench.cycle(&inputs);
        (cycle, self.bench.out[cycle])
    }

    /// So many cycles of `clk_i`.
    pub fn run(&mut self, cycles: usize) -> &mut Self {
        for _ in 0..cycles {
            self.cycle();
        }
        self
    }

    /// Runs until the core halts; returns the status. Panics when it does not.
    pub fn run_to_exit(&mut self) -> u32 {
        for _ in 0..1_000_000 {
            if let Some(status) = self.cycle().1.exit {
                return status;
            }
        }
        panic!("the core does not halt");
    }

    /// The processor's cycles before a cycle of `clk_i`, from the reset of the core on.
    pub fn time_of(&self, cycle: usize) -> usize {
        let (on, of) = (self.config.clock_on as usize, self.config.clock_of as usize);
        let enabled_before = |cycle: usize| cycle / of * on + (cycle % of).min(on);
        enabled_before(cycle) - enabled_before(self.first)
    }

    /// The processor's cycle that comes next.
    pub fn now(&self) -> usize {
        self.time_of(self.bench.out.len())
    }

    /// Runs up to, and without, a cycle of the processor.
    pub fn run_to(&mut self, time: usize) -> &mut Self {
        assert!(self.now() <= time, "cycle {time} is over");
        while self.now() < time {
            self.cycle();
        }
        self
    }

    /// What has retired or trapped so far, each with the processor's cycle in which it showed.
    pub fn trace(&self) -> Vec<(usize, Retired)> {
        let shown = self.bench.out.iter().enumerate().skip(self.first);
        shown.filter_map(|(cycle, out)| Some((self.time_of(cycle), out.trace?))).collect()
    }

    /// Cycle in which it showed, and value, of each load so far.
    pub fn loads(&self) -> Vec<(usize, u32)> {
        let trace = self.trace().into_iter();
        let loads = trace.filter(|(_, r)| r.mem_rmask != 0);
        loads.map(|(shown, r)| (shown, r.mem_rdata)).collect()
    }

    /// The same, values alone.
    pub fn values(&self) -> Vec<u32> {
        self.loads().into_iter().map(|(_, value)| value).collect()
    }

    /// Processor's cycle and value of everything that `of` picks from the outputs.
    pub fn shown<T>(&self, of: impl Fn(&Out) -> Option<T>) -> Vec<(usize, T)> {
        let out = self.bench.out.iter().enumerate().skip(self.first);
        out.filter_map(|(cycle, out)| Some((self.time_of(cycle), of(out)?))).collect()
    }
}

/// Programs that talk to the mailbox. x31 is its address, x30 that of the slots, x29 what was read
/// last.
impl Code {
    pub fn with_bases() -> Self {
        Self::default().set(31, MAILBOX).set(30, SLOTS)
    }

    /// Reads a mailbox register.
    pub fn read(self, offset: i32) -> Self {
        self.words(&[lw(29, offset, 31)])
    }

    /// Reads registers.
    pub fn reads(self, offsets: &[i32]) -> Self {
        offsets.iter().fold(self, |code, offset| code.read(*offset))
    }

    /// Writes a mailbox register; three instructions.
    pub fn write(self, offset: i32, value: u32) -> Self {
        self.set(28, value).words(&[sw(28, offset, 31)])
    }

    /// Reads a word of the slots.
    pub fn read_slot(self, offset: u32) -> Self {
        self.set(28, SLOTS + offset).words(&[lw(29, 0, 28)])
    }

    /// So many cycles of nothing.
    pub fn wait(self, cycles: usize) -> Self {
        self.words(&vec![nop(); cycles])
    }

    /// Ends the program with a status.
    pub fn exit(self, status: u32) -> Self {
        self.set(31, MAILBOX).write(0x60, status)
    }
}
