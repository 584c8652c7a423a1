//! Instructions, taken apart (RISC-V unprivileged manual; those that Ibex `small` has: RV32IMC,
//! Zicsr, Zifencei and the machine mode's).

use super::compressed;

/// What an instruction does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// Not decoded yet.
    #[default]
    Unknown,
    /// It cannot be fetched.
    FetchError,
    /// `FetchError` of its second half only.
    FetchErrorPlus2,
    Illegal,
    Lui,
    Auipc,
    Jal,
    Jalr,
    Beq,
    Bne,
    Blt,
    Bge,
    Bltu,
    Bgeu,
    Lb,
    Lh,
    Lw,
    Lbu,
    Lhu,
    Sb,
    Sh,
    Sw,
    Addi,
    Slti,
    Sltiu,
    Xori,
    Ori,
    Andi,
    Slli,
    Srli,
    Srai,
    Add,
    Sub,
    Sll,
    Slt,
    Sltu,
    Xor,
    Srl,
    Sra,
    Or,
    And,
    Mul,
    Mulh,
    Mulhsu,
    Mulhu,
    Div,
    Divu,
    Rem,
    Remu,
    Fence,
    FenceI,
    Ecall,
    Ebreak,
    Mret,
    Dret,
    Wfi,
    /// `csrrw`, and with an immediate.
    Csrw,
    Csrwi,
    /// `csrrs`.
    Csrs,
    Csrsi,
    /// `csrrc`.
    Csrc,
    Csrci,
}

/// A decoded instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Op {
    pub kind: Kind,
    /// Registers; those that the instruction does not have are 0. CSR immediates stand in `rs1`.
    pub rd: u8,
    pub rs1: u8,
    pub rs2: u8,
    /// Immediate; the number of a CSR.
    pub imm: u32,
    /// As fetched; a compressed one with 0 above.
    pub raw: u32,
    /// Bytes: 2 or 4.
    pub bytes: u32,
}

impl Op {
    /// The instruction whose first half is `low`, and whose second is `high` if it has one. `high`
    /// is `None` where it cannot be fetched.
    pub fn decode(low: u16, high: Option<u16>) -> Self {
        if low & 3 != 3 {
            let op = compressed::expand(low).map_or_else(Self::illegal, Self::of_word);
            return Self { raw: low.into(), bytes: 2, ..op };
        }
        let Some(high) = high else {
            let kind = Kind::FetchErrorPlus2;
            return Self { kind, raw: low.into(), bytes: 4, ..Self::default() };
        };
        Self::of_word(u32::from(high) << 16 | u32::from(low))
    }

    /// One that cannot be fetched.
    pub fn fetch_error() -> Self {
        Self { kind: Kind::FetchError, bytes: 4, ..Self::default() }
    }

    fn illegal() -> Self {
        Self { kind: Kind::Illegal, ..Self::default() }
    }

    fn of_word(raw: u32) -> Self {
        let (kind, format) = kind_of(raw);
        let [rd, rs1, rs2] = [7, 15, 20].map(|at| (raw >> at & 31) as u8);
        let sign = (raw as i32 >> 31) as u32;
        let op = Self { kind, rd: 0, rs1: 0, rs2: 0, imm: 0, raw, bytes: 4 };
        match format {
            Format::None => op,
            Format::R => Self { rd, rs1, rs2, ..op },
            Format::I => Self { rd, rs1, imm: (raw as i32 >> 20) as u32, ..op },
            Format::Csr => Self { rd, rs1, imm: raw >> 20, ..op },
            Format::S => {
                Self { rs1, rs2, imm: sign << 11 | (raw >> 25 & 63) << 5 | (raw >> 7 & 31), ..op }
            }
            Format::B => {
                let imm = sign << 12 | (raw >> 7 & 1) << 11;
                Self { rs1, rs2, imm: imm | (raw >> 25 & 63) << 5 | (raw >> 8 & 15) << 1, ..op }
            }
            Format::U => Self { rd, imm: raw & !0xfff, ..op },
            Format::J => {
                let imm = sign << 20 | (raw >> 12 & 255) << 12 | (raw >> 20 & 1) << 11;
                Self { rd, imm: imm | (raw >> 21 & 1023) << 1, ..op }
            }
        }
    }
}

/// Where the immediate stands, and which registers there are.
#[derive(Clone, Copy, Debug)]
enum Format {
    None,
    R,
    I,
    Csr,
    S,
    B,
    U,
    J,
}

fn kind_of(raw: u32) -> (Kind, Format) {
    let funct3 = (raw >> 12 & 7) as usize;
    let funct7 = raw >> 25;
    let illegal = (Kind::Illegal, Format::None);
    // Reserved encodings of a table are `Unknown`.
    let of = |table: [Kind; 8], format| match table[funct3] {
        Kind::Unknown => illegal,
        kind => (kind, format),
    };
    use Kind::{Unknown as No, *};
    match raw & 0x7f {
        0x37 => (Lui, Format::U),
        0x17 => (Auipc, Format::U),
        0x6f => (Jal, Format::J),
        0x67 => of([Jalr, No, No, No, No, No, No, No], Format::I),
        0x63 => of([Beq, Bne, No, No, Blt, Bge, Bltu, Bgeu], Format::B),
        0x03 => of([Lb, Lh, Lw, No, Lbu, Lhu, No, No], Format::I),
        0x23 => of([Sb, Sh, Sw, No, No, No, No, No], Format::S),
        0x13 => match (funct3, funct7) {
            (1, 0) => (Slli, Format::I),
            (5, 0) => (Srli, Format::I),
            (5, 0x20) => (Srai, Format::I),
            (1 | 5, _) => illegal,
            _ => of([Addi, No, Slti, Sltiu, Xori, No, Ori, Andi], Format::I),
        },
        0x33 => match funct7 {
            0 => of([Add, Sll, Slt, Sltu, Xor, Srl, Or, And], Format::R),
            1 => of([Mul, Mulh, Mulhsu, Mulhu, Div, Divu, Rem, Remu], Format::R),
            0x20 => of([Sub, No, No, No, No, Sra, No, No], Format::R),
            _ => illegal,
        },
        0x0f => of([Fence, FenceI, No, No, No, No, No, No], Format::None),
        0x73 => match raw {
            0x0000_0073 => (Ecall, Format::None),
            0x0010_0073 => (Ebreak, Format::None),
            0x3020_0073 => (Mret, Format::None),
            0x7b20_0073 => (Dret, Format::None),
            0x1050_0073 => (Wfi, Format::None),
            _ => of([No, Csrw, Csrs, Csrc, No, Csrwi, Csrsi, Csrci], Format::Csr),
        },
        _ => illegal,
    }
}
