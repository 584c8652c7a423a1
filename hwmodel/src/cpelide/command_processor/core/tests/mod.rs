//! The core against its manuals: values against closures written from them, encodings and cycles
//! against numbers written down by hand.

mod cycles;
mod encodings;
mod traps;
mod values;

use super::*;
use crate::cpelide::command_processor::tests::assembler::*;

/// Cycles of an access to the private memory here.
const PMEM_LAT: u32 = 7;

/// A core and its memory.
struct Bench {
    core: Core,
    memory: Memory,
    now: u64,
}

impl Bench {
    /// The program stands where the core boots.
    fn new(program: &[u32]) -> Self {
        let mut bench = Self { core: Core::new(), memory: Memory::new(PMEM_LAT), now: 0 };
        bench.place(BOOT, program);
        bench
    }

    fn place(&mut self, addr: u32, words: &[u32]) {
        for (word, value) in (addr / 4..).zip(words) {
            self.memory.load_image(word as u16, *value);
            self.core.forget(word as usize);
        }
    }

    /// One instruction; when it retires, and its cycles.
    fn step(&mut self) -> (u32, u32) {
        match self.core.step(&mut self.memory, self.now) {
            Step::Done { retires, cycles } => {
                self.now += u64::from(cycles);
                (retires, cycles)
            }
            other => panic!("{other:?}"),
        }
    }

    fn run(&mut self, instructions: usize) {
        for _ in 0..instructions {
            self.step();
        }
    }
}
