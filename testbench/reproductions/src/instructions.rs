//! What a program's instructions are.

use machine::RunError;
use traces::trace::{Instr, InstrKind, Reader};

use crate::experiment::{self, Input};

/// Instructions of all warps of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Instructions {
    pub loads: u64,
    pub stores: u64,
    pub atomics: u64,
    /// Those that access no memory.
    pub others: u64,
}

impl Instructions {
    /// Of an input.
    pub fn of(input: &Input) -> Result<Self, RunError> {
        let bytes = experiment::record(input, 0)?;
        let mut reader: Reader = Reader::from_bytes(bytes, input.program)?;
        let mut all = Self::default();
        for kernel in 0..reader.kernels() {
            for number in 0..reader.groups(kernel) {
                let group = reader.group(kernel, number)?;
                for warp in 0..group.warps() {
                    let (mut cursor, mut instr) = (group.cursor(warp), Instr::default());
                    while cursor.next(&group, &mut instr)? {
                        all.others += u64::from(instr.work.instructions);
                        *match instr.kind {
                            InstrKind::Load => &mut all.loads,
                            InstrKind::Store => &mut all.stores,
                            InstrKind::Atomic(_) => &mut all.atomics,
                            InstrKind::Barrier | InstrKind::Fence => &mut all.others,
                        } += 1;
                    }
                }
            }
        }
        Ok(all)
    }

    /// Of all instructions, those that access memory.
    pub fn memory_share(&self) -> f64 {
        let accesses = self.loads + self.stores + self.atomics;
        accesses as f64 / (accesses + self.others).max(1) as f64
    }
}
