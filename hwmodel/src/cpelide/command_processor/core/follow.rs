//! What an instruction does next, from the registers before it: for reports of a core that shows
//! only what has retired.

use super::decode::{Kind, Op};

/// A load or a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reached {
    /// Byte address.
    pub addr: u32,
    /// Bytes: 1, 2 or 4.
    pub bytes: u32,
    /// It is a store.
    pub is_store: bool,
}

/// What an instruction does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effect {
    /// Where the core goes on; `None` behind `mret`, where a register decides that no report shows.
    pub next: Option<u32>,
    /// The memory that it reaches.
    pub reached: Option<Reached>,
}

/// The effect of `insn` at `pc`; a compressed one stands in its lower half.
pub fn effect(insn: u32, pc: u32, registers: &[u32; 32]) -> Effect {
    let op = Op::decode(insn as u16, Some((insn >> 16) as u16));
    let [a, b] = [op.rs1, op.rs2].map(|register| registers[usize::from(register)]);
    use Kind::*;
    let is_taken = match op.kind {
        Beq => a == b,
        Bne => a != b,
        Blt => (a as i32) < b as i32,
        Bge => a as i32 >= b as i32,
        Bltu => a < b,
        Bgeu => a >= b,
        Jal => true,
        _ => false,
    };
    let next = match op.kind {
        Mret => None,
        Jalr => Some(a.wrapping_add(op.imm) & !1),
        _ => Some(pc.wrapping_add(if is_taken { op.imm } else { op.bytes })),
    };
    let access = match op.kind {
        Lb | Lbu => Some((1, false)),
        Lh | Lhu => Some((2, false)),
        Lw => Some((4, false)),
        Sb => Some((1, true)),
        Sh => Some((2, true)),
        Sw => Some((4, true)),
        _ => None,
    };
    let addr = a.wrapping_add(op.imm);
    let reached = access.map(|(bytes, is_store)| Reached { addr, bytes, is_store });
    Effect { next, reached }
}
