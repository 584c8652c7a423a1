//! Enough of an RV32IMC assembler to write test programs by hand (RISC-V unprivileged
//! specification, chapters "RV32I", "M", "C" and "Zicsr"). Registers are numbers; offsets are in
//! bytes, from the instruction.

/// A register that is always 0.
pub const ZERO: u32 = 0;

fn r(opcode: u32, funct3: u32, funct7: u32, rd: u32, rs1: u32, rs2: u32) -> u32 {
    funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode
}

fn i(opcode: u32, funct3: u32, rd: u32, rs1: u32, imm: i32) -> u32 {
    assert!((-2048..2048).contains(&imm), "immediate {imm} has more than 12 bits");
    (imm as u32) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode
}

fn s(funct3: u32, rs2: u32, imm: i32, rs1: u32) -> u32 {
    assert!((-2048..2048).contains(&imm), "immediate {imm} has more than 12 bits");
    let imm = imm as u32;
    (imm >> 5 & 0x7F) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | (imm & 0x1F) << 7 | 0x23
}

fn b(funct3: u32, rs1: u32, rs2: u32, offset: i32) -> u32 {
    assert!(offset % 2 == 0 && (-4096..4096).contains(&offset), "branch to {offset}");
    let o = offset as u32;
    let high = (o >> 12 & 1) << 31 | (o >> 5 & 0x3F) << 25;
    high | rs2 << 20 | rs1 << 15 | funct3 << 12 | (o >> 1 & 0xF) << 8 | (o >> 11 & 1) << 7 | 0x63
}

pub fn lui(rd: u32, high: u32) -> u32 {
    high & 0xFFFF_F000 | rd << 7 | 0x37
}

pub fn addi(rd: u32, rs1: u32, imm: i32) -> u32 {
    i(0x13, 0, rd, rs1, imm)
}

pub fn add(rd: u32, rs1: u32, rs2: u32) -> u32 {
    r(0x33, 0, 0, rd, rs1, rs2)
}

pub fn nop() -> u32 {
    addi(ZERO, ZERO, 0)
}

/// Instruction of the M extension: 0 to 7 are mul, mulh, mulhsu, mulhu, div, divu, rem, remu.
pub fn muldiv(funct3: u32, rd: u32, rs1: u32, rs2: u32) -> u32 {
    r(0x33, funct3, 1, rd, rs1, rs2)
}

/// Load: 0 to 2 are signed bytes, halves, words; 4 and 5 unsigned bytes, halves.
pub fn load(funct3: u32, rd: u32, offset: i32, rs1: u32) -> u32 {
    i(0x03, funct3, rd, rs1, offset)
}

pub fn lw(rd: u32, offset: i32, rs1: u32) -> u32 {
    load(2, rd, offset, rs1)
}

/// Store: 0 to 2 are bytes, halves, words.
pub fn store(funct3: u32, rs2: u32, offset: i32, rs1: u32) -> u32 {
    s(funct3, rs2, offset, rs1)
}

pub fn sw(rs2: u32, offset: i32, rs1: u32) -> u32 {
    store(2, rs2, offset, rs1)
}

pub fn beq(rs1: u32, rs2: u32, offset: i32) -> u32 {
    b(0, rs1, rs2, offset)
}

pub fn bne(rs1: u32, rs2: u32, offset: i32) -> u32 {
    b(1, rs1, rs2, offset)
}

pub fn jal(rd: u32, offset: i32) -> u32 {
    assert!(offset % 2 == 0 && (-(1 << 20)..1 << 20).contains(&offset), "jump to {offset}");
    let o = offset as u32;
    let high = (o >> 20 & 1) << 31 | (o >> 1 & 0x3FF) << 21 | (o >> 11 & 1) << 20;
    high | (o >> 12 & 0xFF) << 12 | rd << 7 | 0x6F
}

pub fn jalr(rd: u32, rs1: u32, imm: i32) -> u32 {
    i(0x67, 0, rd, rs1, imm)
}

/// CSR instruction: 1 to 3 are csrrw, csrrs, csrrc; 5 to 7 the same with `rs1` as an immediate.
pub fn csr(funct3: u32, rd: u32, number: u32, rs1: u32) -> u32 {
    number << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | 0x73
}

pub const FENCE: u32 = 0x0FF0_000F;
pub const FENCE_I: u32 = 0x0000_100F;
pub const ECALL: u32 = 0x0000_0073;
pub const EBREAK: u32 = 0x0010_0073;
pub const MRET: u32 = 0x3020_0073;
pub const WFI: u32 = 0x1050_0073;

pub const C_NOP: u16 = 0x0001;
pub const C_EBREAK: u16 = 0x9002;

/// `c.j` by 0 to 14 bytes.
pub fn c_j(offset: u16) -> u16 {
    assert!(offset.is_multiple_of(2) && offset < 16, "jump to {offset}");
    0xA001 | (offset >> 1 & 7) << 3
}

/// `c.lw` of x8 from x9 without offset, and `c.sw` likewise.
pub const C_LW: u16 = 0x4080;
pub const C_SW: u16 = 0xC080;

/// Code from an address on.
#[derive(Clone, Debug, Default)]
pub struct Code {
    halves: Vec<u16>,
}

impl Code {
    /// Appends instructions of 32 bits.
    pub fn words(mut self, words: &[u32]) -> Self {
        self.halves.extend(words.iter().flat_map(|w| [*w as u16, (w >> 16) as u16]));
        self
    }

    /// Appends compressed instructions.
    pub fn halves(mut self, halves: &[u16]) -> Self {
        self.halves.extend(halves);
        self
    }

    /// Puts a value into a register: always two instructions.
    pub fn set(self, rd: u32, value: u32) -> Self {
        let low = (value << 20) as i32 >> 20;
        self.words(&[lui(rd, value.wrapping_sub(low as u32)), addi(rd, rd, low)])
    }

    /// Its length.
    pub fn bytes(&self) -> u32 {
        2 * self.halves.len() as u32
    }

    /// The words, from the first address on.
    pub fn image(&self) -> Vec<u32> {
        let pair = |p: &[u16]| u32::from(p[0]) | p.get(1).map_or(0, |high| u32::from(*high) << 16);
        self.halves.chunks(2).map(pair).collect()
    }
}
