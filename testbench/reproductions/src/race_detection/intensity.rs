//! How many of a program's instructions access memory: the thesis calls programs with a fifth or
//! more memory-intensive (section 4.3.2).

use machine::RunError;
use traces::trace::{Instr, InstrKind, Reader};

use crate::experiment::{self, Input};

/// Memory instructions of all instructions of warps.
pub fn memory_share(input: &Input) -> Result<f64, RunError> {
    let bytes = experiment::record(input, 0)?;
    let mut reader: Reader = Reader::from_bytes(bytes, input.program)?;
    let (mut accesses, mut others) = (0u64, 0u64);
    for kernel in 0..reader.kernels() {
        for number in 0..reader.groups(kernel) {
            let group = reader.group(kernel, number)?;
            for warp in 0..group.warps() {
                let (mut cursor, mut instr) = (group.cursor(warp), Instr::default());
                while cursor.next(&group, &mut instr)? {
                    let is_other = matches!(instr.kind, InstrKind::Barrier | InstrKind::Fence);
                    accesses += u64::from(!is_other);
                    others += u64::from(instr.gap) + u64::from(is_other);
                }
            }
        }
    }
    Ok(accesses as f64 / (accesses + others).max(1) as f64)
}
