//! Instructions written down for tests (RISC-V unprivileged manual, chapter "Instruction Set
//! Listings").

use super::super::encode::{self, opcode};
pub use encode::r_type;

pub const ZERO: u32 = 0;
pub const RA: u32 = 1;
pub const T0: u32 = 5;
pub const T1: u32 = 6;
pub const S0: u32 = 8;
pub const A0: u32 = 10;
pub const A1: u32 = 11;
pub const A2: u32 = 12;

pub const NOP: u32 = 0x0000_0013;
pub const ECALL: u32 = 0x0000_0073;
pub const EBREAK: u32 = 0x0010_0073;
pub const MRET: u32 = 0x3020_0073;
pub const WFI: u32 = 0x1050_0073;
pub const FENCE: u32 = 0x0ff0_000f;
pub const FENCE_I: u32 = 0x0000_100f;
/// Two `c.nop`.
pub const TWO_C_NOPS: u32 = 0x0001_0001;

fn i_type(opcode: u32, funct3: u32, rd: u32, rs1: u32, imm: i32) -> u32 {
    assert!((-2048..4096).contains(&imm));
    encode::i_type(opcode, funct3, rd, rs1, imm as u32)
}

/// `addi` and its like, by funct3.
pub fn op_imm(funct3: u32, rd: u32, rs1: u32, imm: i32) -> u32 {
    i_type(opcode::OP_IMM, funct3, rd, rs1, imm)
}

pub fn addi(rd: u32, rs1: u32, imm: i32) -> u32 {
    op_imm(0, rd, rs1, imm)
}

/// `lui` of bits \[31:12\].
pub fn lui(rd: u32, high: u32) -> u32 {
    high << 12 | rd << 7 | 0x37
}

pub fn auipc(rd: u32, high: u32) -> u32 {
    high << 12 | rd << 7 | 0x17
}

/// `lui` and `addi` of a whole word.
pub fn li(rd: u32, value: u32) -> [u32; 2] {
    let low = (value << 20) as i32 >> 20;
    [lui(rd, value.wrapping_sub(low as u32) >> 12), addi(rd, rd, low)]
}

/// A load: funct3 0 lb, 1 lh, 2 lw, 4 lbu, 5 lhu.
pub fn load(funct3: u32, rd: u32, rs1: u32, imm: i32) -> u32 {
    i_type(opcode::LOAD, funct3, rd, rs1, imm)
}

pub fn lw(rd: u32, rs1: u32, imm: i32) -> u32 {
    load(2, rd, rs1, imm)
}

/// A store: funct3 0 sb, 1 sh, 2 sw.
pub fn store(funct3: u32, rs2: u32, rs1: u32, imm: i32) -> u32 {
    encode::s_type(funct3, rs2, rs1, imm as u32)
}

pub fn sw(rs2: u32, rs1: u32, imm: i32) -> u32 {
    store(2, rs2, rs1, imm)
}

/// A branch: funct3 0 beq, 1 bne, 4 blt, 5 bge, 6 bltu, 7 bgeu.
pub fn branch(funct3: u32, rs1: u32, rs2: u32, offset: i32) -> u32 {
    encode::b_type(funct3, rs1, rs2, offset as u32)
}

pub fn jal(rd: u32, offset: i32) -> u32 {
    encode::j_type(rd, offset as u32)
}

pub fn jalr(rd: u32, rs1: u32, imm: i32) -> u32 {
    i_type(opcode::JALR, 0, rd, rs1, imm)
}

/// A CSR instruction: funct3 1 csrrw, 2 csrrs, 3 csrrc; 5 to 7 with an immediate in place of `rs1`.
pub fn csr(funct3: u32, rd: u32, number: u32, rs1: u32) -> u32 {
    number << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | 0x73
}

pub fn csrr(rd: u32, number: u32) -> u32 {
    csr(2, rd, number, ZERO)
}

pub fn csrw(number: u32, rs1: u32) -> u32 {
    csr(1, ZERO, number, rs1)
}
