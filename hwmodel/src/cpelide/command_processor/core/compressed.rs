//! Compressed instructions, as the 32-bit ones that they stand for (RISC-V unprivileged manual,
//! chapter "C", RV32; Ibex's choice where the manual leaves one: reserved encodings are illegal,
//! hints are not).

use crate::cpelide::command_processor::encode::opcode::{JALR, LOAD, LUI, OP_IMM};
use crate::cpelide::command_processor::encode::{b_type, i_type, j_type, r_type, s_type};

const EBREAK: u32 = 0x0010_0073;

/// The stack pointer.
const SP: u32 = 2;

/// The 32-bit instruction; `None` when it is illegal. Bits \[1:0\] of `c` are not 3.
pub fn expand(c: u16) -> Option<u32> {
    let c = u32::from(c);
    match c & 3 {
        0 => quadrant_0(c),
        1 => quadrant_1(c),
        _ => quadrant_2(c),
    }
}

/// Bits `high` to `low` of `c`, moved so that the lowest stands at `to`.
fn field(c: u32, high: u32, low: u32, to: u32) -> u32 {
    (c >> low & ((1 << (high - low + 1)) - 1)) << to
}

/// Bits \[12\] and \[6:2\], sign-extended.
fn imm6(c: u32) -> u32 {
    let imm = field(c, 12, 12, 5) | field(c, 6, 2, 0);
    (imm << 26) as i32 as u32 >> 26 | if imm & 32 != 0 { !63 } else { 0 }
}

fn quadrant_0(c: u32) -> Option<u32> {
    let (low, high) = (8 + field(c, 4, 2, 0), 8 + field(c, 9, 7, 0));
    let word = field(c, 5, 5, 6) | field(c, 12, 10, 3) | field(c, 6, 6, 2);
    match c >> 13 {
        0 => {
            // c.addi4spn
            let imm = field(c, 10, 7, 6) | field(c, 12, 11, 4) | field(c, 5, 5, 3);
            let imm = imm | field(c, 6, 6, 2);
            (imm != 0).then(|| i_type(OP_IMM, 0, low, SP, imm))
        }
        2 => Some(i_type(LOAD, 2, low, high, word)), // c.lw
        6 => Some(s_type(2, low, high, word)),       // c.sw
        _ => None,
    }
}

fn quadrant_1(c: u32) -> Option<u32> {
    let rd = field(c, 11, 7, 0);
    match c >> 13 {
        0 => Some(i_type(OP_IMM, 0, rd, rd, imm6(c))), // c.addi, c.nop
        1 => Some(jump(c, 1)),                         // c.jal
        2 => Some(i_type(OP_IMM, 0, rd, 0, imm6(c))),  // c.li
        3 if imm6(c) == 0 => None,
        3 if rd == SP => {
            // c.addi16sp
            let imm = field(c, 12, 12, 9) | field(c, 4, 3, 7) | field(c, 5, 5, 6);
            let imm = imm | field(c, 2, 2, 5) | field(c, 6, 6, 4);
            let sign = if c >> 12 & 1 != 0 { !0x3ff } else { 0 };
            Some(i_type(OP_IMM, 0, SP, SP, imm | sign))
        }
        3 => Some(imm6(c) << 12 | rd << 7 | LUI), // c.lui
        4 => arithmetic(c),
        5 => Some(jump(c, 0)), // c.j
        _ => {
            // c.beqz, c.bnez
            let rs1 = 8 + field(c, 9, 7, 0);
            let imm = field(c, 12, 12, 8) | field(c, 6, 5, 6) | field(c, 2, 2, 5);
            let imm = imm | field(c, 11, 10, 3) | field(c, 4, 3, 1);
            let imm = if c >> 12 & 1 != 0 { imm | !0x1ff } else { imm };
            Some(b_type(c >> 13 & 1, rs1, 0, imm))
        }
    }
}

/// c.j and c.jal.
fn jump(c: u32, rd: u32) -> u32 {
    let imm = field(c, 8, 8, 10) | field(c, 10, 9, 8) | field(c, 6, 6, 7) | field(c, 7, 7, 6);
    let imm = imm | field(c, 2, 2, 5) | field(c, 11, 11, 4) | field(c, 5, 3, 1);
    j_type(rd, if c >> 12 & 1 != 0 { imm | !0x7ff } else { imm })
}

/// c.srli, c.srai, c.andi, c.sub, c.xor, c.or, c.and.
fn arithmetic(c: u32) -> Option<u32> {
    let (rd, rs2) = (8 + field(c, 9, 7, 0), 8 + field(c, 4, 2, 0));
    let (wide, shift) = (c >> 12 & 1 != 0, field(c, 6, 2, 0));
    match c >> 10 & 3 {
        0 | 1 if wide => None,
        0 => Some(i_type(OP_IMM, 5, rd, rd, shift)),
        1 => Some(i_type(OP_IMM, 5, rd, rd, shift | 0x400)),
        2 => Some(i_type(OP_IMM, 7, rd, rd, imm6(c))),
        _ if wide => None,
        _ => Some(match c >> 5 & 3 {
            0 => r_type(0x20, 0, rd, rd, rs2),
            1 => r_type(0, 4, rd, rd, rs2),
            2 => r_type(0, 6, rd, rd, rs2),
            _ => r_type(0, 7, rd, rd, rs2),
        }),
    }
}

fn quadrant_2(c: u32) -> Option<u32> {
    let (rd, rs2, bit12) = (field(c, 11, 7, 0), field(c, 6, 2, 0), c >> 12 & 1 != 0);
    match c >> 13 {
        0 if bit12 => None,
        0 => Some(i_type(OP_IMM, 1, rd, rd, rs2)), // c.slli
        2 if rd == 0 => None,
        2 => {
            // c.lwsp
            let imm = field(c, 3, 2, 6) | field(c, 12, 12, 5) | field(c, 6, 4, 2);
            Some(i_type(LOAD, 2, rd, SP, imm))
        }
        4 => match (bit12, rd, rs2) {
            (false, 0, 0) => None,
            (false, _, 0) => Some(i_type(JALR, 0, 0, rd, 0)), // c.jr
            (false, ..) => Some(r_type(0, 0, rd, 0, rs2)),    // c.mv
            (true, 0, 0) => Some(EBREAK),
            (true, _, 0) => Some(i_type(JALR, 0, 1, rd, 0)), // c.jalr
            (true, ..) => Some(r_type(0, 0, rd, rd, rs2)),   // c.add
        },
        6 => Some(s_type(2, rs2, SP, field(c, 8, 7, 6) | field(c, 12, 9, 2))), // c.swsp
        _ => None,
    }
}
