//! What a program's work-groups share, whatever runs it.

use std::collections::HashMap;

use machine::RunError;
use schemars::JsonSchema;
use serde::Serialize;
use traces::trace::{Instr, InstrKind, Reader};

use crate::experiment::{self, Input, share};

/// Bytes of a line (table 2.1).
const LINE: u64 = 128;
/// Work-groups are near each other below this distance (section 2.2.1).
const NEAR: u32 = 5;

/// Lines of a program, and of its kernels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Locality {
    /// Lines that the program uses.
    pub lines: u64,
    /// Of these, lines that it loads.
    pub loaded: u64,
    /// Lines that a kernel uses, of all its launches.
    pub of_kernels: u64,
    /// Of these, lines that several work-groups of the kernel use.
    pub shared: u64,
    /// Times that a line has another work-group, in the order of their numbers.
    pub sharings: u64,
    /// Of these, those less than five work-groups on.
    pub near: u64,
}

/// Of a line in a kernel: the last work-group, and whether there was another.
#[derive(Clone, Copy)]
struct Last {
    group: u32,
    is_shared: bool,
}

impl Locality {
    /// Of an input.
    pub fn of(input: &Input) -> Result<Self, RunError> {
        let bytes = experiment::record(input, 0)?;
        Self::of_trace(Reader::from_bytes(bytes, input.program)?)
    }

    /// Of a trace.
    pub fn of_trace(mut reader: Reader) -> Result<Self, RunError> {
        let mut all = Self::default();
        // Of each line of the program: it is loaded.
        let mut lines: HashMap<u64, bool> = HashMap::new();
        for kernel in 0..reader.kernels() {
            let mut last: HashMap<u64, Last> = HashMap::new();
            for number in 0..reader.groups(kernel) {
                let group = reader.group(kernel, number)?;
                for warp in 0..group.warps() {
                    let (mut cursor, mut instr) = (group.cursor(warp), Instr::default());
                    while cursor.next(&group, &mut instr)? {
                        if matches!(instr.kind, InstrKind::Barrier | InstrKind::Fence) {
                            continue;
                        }
                        let is_load = instr.kind == InstrKind::Load;
                        for line in lines_of(&instr) {
                            *lines.entry(line).or_default() |= is_load;
                            all.uses(&mut last, line, number);
                        }
                    }
                }
            }
            all.of_kernels += last.len() as u64;
            all.shared += last.values().filter(|line| line.is_shared).count() as u64;
        }
        all.lines = lines.len() as u64;
        all.loaded = lines.values().filter(|is_loaded| **is_loaded).count() as u64;
        Ok(all)
    }

    fn uses(&mut self, last: &mut HashMap<u64, Last>, line: u64, group: u32) {
        let before = last.entry(line).or_insert(Last { group, is_shared: false });
        if before.group != group {
            self.sharings += 1;
            self.near += u64::from(group - before.group < NEAR);
            *before = Last { group, is_shared: true };
        }
    }

    /// Of the lines of kernels, those that work-groups share.
    pub fn shared_share(&self) -> f64 {
        share(self.shared as f64, self.of_kernels as f64)
    }

    /// Of the sharing, that of near work-groups.
    pub fn near_share(&self) -> f64 {
        share(self.near as f64, self.sharings as f64)
    }
}

/// The lines of an instruction's active lanes; one may come several times.
fn lines_of(instr: &Instr) -> impl Iterator<Item = u64> {
    let active = instr.addrs.iter().enumerate().filter(|(lane, _)| instr.lanes >> lane & 1 == 1);
    active.flat_map(|(_, &addr)| {
        let last = addr + u64::from(instr.size) - 1;
        addr / LINE..=last / LINE
    })
}
