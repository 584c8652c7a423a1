//! Random programs: straight code with forward branches and jumps, loads and stores of all sizes,
//! and traps that are skipped.

use cosim::stimulus::Random;

use super::assembler::*;
use super::machine::START;

/// A random program.
pub struct Program {
    pub code: Code,
    pub trap: Code,
    /// Addresses of divisions by 0.
    pub zeros: Vec<u32>,
}

/// Registers of the program: x1 to x8 hold values, x9 to x12 the regions, x13 to x15 are the trap
/// handler's.
pub fn random_program(seed: u64) -> Program {
    let mut random = Random::new(seed);
    let mut pick = |n: u32| random.below(n);
    let bases = [0x0800_0100, 0x1000_0100, 0x2000_0100, 0x0000_0100];
    let mut code = Code::default();
    for (k, base) in bases.into_iter().enumerate() {
        code = code.set(9 + k as u32, base);
    }
    for rd in 1..8 {
        code = code.set(rd, pick(u32::MAX));
    }
    let mut zeros = Vec::new();
    for _ in 0..300 {
        let (rd, rs1, rs2) = (1 + pick(8), 1 + pick(8), 1 + pick(8));
        let here = START + code.bytes();
        code = match pick(16) {
            0..=2 => code.words(&[add(rd, rs1, rs2)]),
            3 | 4 => code.halves(&[C_NOP]),
            5 => code.words(&[muldiv(pick(4), rd, rs1, rs2)]),
            6 => match pick(3) {
                0 => {
                    zeros.push(here);
                    code.words(&[muldiv(4 + pick(4), rd, rs1, ZERO)])
                }
                // A base is not 0.
                _ => code.words(&[muldiv(4 + pick(4), rd, rs1, 9)]),
            },
            7 | 8 => code.words(&[load(
                [0, 1, 2, 4, 5][pick(5) as usize],
                rd,
                pick(64) as i32,
                9 + pick(4),
            )]),
            9 | 10 => code.words(&[store(pick(3), rs2, pick(64) as i32, 9 + pick(2))]),
            // Over one or two instructions of unknown length: compressed ones.
            11 => code.words(&[beq(rs1, rs2, 8)]).halves(&[C_NOP, C_NOP]),
            12 => code.words(&[bne(rs1, rs2, 6)]).halves(&[C_NOP]),
            13 => match pick(2) {
                0 => code.words(&[jal(rd, 6)]).halves(&[C_NOP]),
                _ => code.halves(&[c_j(4), C_NOP]),
            },
            14 => match pick(4) {
                0 => code.words(&[csr(1 + pick(3), rd, 0x340, rs1)]),
                1 => code.words(&[csr(1 + pick(3), rd, 0x304, rs1)]),
                2 => code.words(&[csr(2, rd, 0x300, 0)]),
                _ => code.words(&[FENCE_I]),
            },
            _ => code.words(&[[ECALL, EBREAK, 0xFFFF_FFFF, FENCE][pick(4) as usize]]),
        };
    }
    let trap =
        Code::default().words(&[csr(2, 13, 0x341, 0), addi(13, 13, 4), csr(1, 0, 0x341, 13), MRET]);
    Program { code, trap, zeros }
}
