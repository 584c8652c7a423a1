//! Instructions, put together (RISC-V unprivileged manual, chapter "Instruction Set Listings").

/// Bits \[6:0\].
pub mod opcode {
    /// Loads.
    pub const LOAD: u32 = 0x03;
    /// Arithmetic with an immediate.
    pub const OP_IMM: u32 = 0x13;
    /// `auipc`.
    pub const AUIPC: u32 = 0x17;
    /// Stores.
    pub const STORE: u32 = 0x23;
    /// Arithmetic of two registers.
    pub const OP: u32 = 0x33;
    /// `lui`.
    pub const LUI: u32 = 0x37;
    /// Branches.
    pub const BRANCH: u32 = 0x63;
    /// `jalr`.
    pub const JALR: u32 = 0x67;
    /// `jal`.
    pub const JAL: u32 = 0x6f;
    /// `ecall`, `mret` and their like, and the control and status registers.
    pub const SYSTEM: u32 = 0x73;
}

/// Arithmetic of two registers.
pub fn r_type(funct7: u32, funct3: u32, rd: u32, rs1: u32, rs2: u32) -> u32 {
    funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode::OP
}

/// With an immediate of 12 bits.
pub fn i_type(opcode: u32, funct3: u32, rd: u32, rs1: u32, imm: u32) -> u32 {
    imm << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode
}

/// A store.
pub fn s_type(funct3: u32, rs2: u32, rs1: u32, imm: u32) -> u32 {
    let high = (imm >> 5 & 127) << 25 | rs2 << 20 | rs1 << 15;
    high | funct3 << 12 | (imm & 31) << 7 | opcode::STORE
}

/// A branch.
pub fn b_type(funct3: u32, rs1: u32, rs2: u32, offset: u32) -> u32 {
    let high = (offset >> 12 & 1) << 31 | (offset >> 5 & 63) << 25 | rs2 << 20 | rs1 << 15;
    high | funct3 << 12 | (offset >> 1 & 15) << 8 | (offset >> 11 & 1) << 7 | opcode::BRANCH
}

/// `jal`.
pub fn j_type(rd: u32, offset: u32) -> u32 {
    let high = (offset >> 20 & 1) << 31 | (offset >> 1 & 1023) << 21;
    high | (offset >> 11 & 1) << 20 | (offset >> 12 & 255) << 12 | rd << 7 | opcode::JAL
}
