//! Results of every instruction on random and extreme operands, against a closure for each.

use super::*;
use crate::common::random::Random;

/// Operands at which results change their kind.
const EXTREMES: [u32; 12] = [
    0,
    1,
    2,
    31,
    32,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0001,
    0xffff_ffff,
    0xffff_fffe,
    0xffff,
    0x5555_aaaa,
];

/// A result, from its operands.
type Oracle = fn(u32, u32) -> u32;

/// A signed operand.
fn wide(x: u32) -> i128 {
    i128::from(x as i32)
}

fn operands() -> Vec<(u32, u32)> {
    let mut random = Random::new(1);
    let mut pairs: Vec<_> = (0..400).map(|_| (random.word(), random.word())).collect();
    for a in EXTREMES {
        pairs.extend(EXTREMES.map(|b| (a, b)));
    }
    pairs
}

/// Runs one instruction with `a` in A0 and `b` in A1; what is then in A2, and where it goes on.
fn run(instruction: u32, a: u32, b: u32) -> (u32, u32) {
    let mut bench = Bench::new(&[instruction]);
    (bench.core.regs[10], bench.core.regs[11], bench.core.regs[12]) = (a, b, 0x1234_5678);
    bench.step();
    let Retired { rd, wdata, .. } = bench.core.record;
    if rd != 0 {
        assert_eq!((rd, wdata), (12, bench.core.regs[12]));
    }
    (bench.core.regs[12], bench.core.pc)
}

#[test]
fn register_instructions_compute_what_the_manual_says() {
    let table: [(u32, u32, Oracle); 18] = [
        (0x00, 0, |a, b| (u64::from(a) + u64::from(b)) as u32),
        (0x20, 0, |a, b| (u64::from(a) + (1 << 32) - u64::from(b)) as u32),
        (0x00, 1, |a, b| (u128::from(a) << (b % 32)) as u32),
        (0x00, 2, |a, b| (wide(a) < wide(b)).into()),
        (0x00, 3, |a, b| (a < b).into()),
        (0x00, 4, |a, b| (a | b) & !(a & b)),
        (0x00, 5, |a, b| a / 2u32.pow(b % 32)),
        (0x20, 5, |a, b| wide(a).div_euclid(1 << (b % 32)) as u32),
        (0x00, 6, |a, b| !(!a & !b)),
        (0x00, 7, |a, b| !(!a | !b)),
        (1, 0, |a, b| (wide(a) * wide(b)) as u32),
        (1, 1, |a, b| ((wide(a) * wide(b)) >> 32) as u32),
        (1, 2, |a, b| ((wide(a) * i128::from(b)) >> 32) as u32),
        (1, 3, |a, b| ((i128::from(a) * i128::from(b)) >> 32) as u32),
        (1, 4, |a, b| if b == 0 { !0 } else { (wide(a) / wide(b)) as u32 }),
        (1, 5, |a, b| if b == 0 { !0 } else { (i128::from(a) / i128::from(b)) as u32 }),
        (1, 6, |a, b| if b == 0 { a } else { (wide(a) % wide(b)) as u32 }),
        (1, 7, |a, b| if b == 0 { a } else { (i128::from(a) % i128::from(b)) as u32 }),
    ];
    for (funct7, funct3, oracle) in table {
        for (a, b) in operands() {
            let got = run(r_type(funct7, funct3, A2, A0, A1), a, b);
            assert_eq!(got, (oracle(a, b), BOOT + 4), "{funct7:#x} {funct3} {a:#x} {b:#x}");
        }
    }
}

#[test]
fn immediate_instructions_compute_what_the_manual_says() {
    for (a, b) in operands() {
        let imm = (b as i32) >> 20;
        let extended = imm as u32;
        let expected = [
            a.wrapping_add(extended),
            0,
            (wide(a) < i128::from(imm)).into(),
            (a < extended).into(),
            a ^ extended,
            0,
            a | extended,
            a & extended,
        ];
        for funct3 in [0, 2, 3, 4, 6, 7] {
            let got = run(op_imm(funct3, A2, A0, imm), a, b);
            assert_eq!(got.0, expected[funct3 as usize], "{funct3} {a:#x} {imm:#x}");
        }
        let shift = (b % 32) as i32;
        assert_eq!(run(op_imm(1, A2, A0, shift), a, b).0, (u64::from(a) << shift) as u32);
        assert_eq!(run(op_imm(5, A2, A0, shift), a, b).0, (u64::from(a) >> shift) as u32);
        assert_eq!(run(op_imm(5, A2, A0, shift | 0x400), a, b).0, (wide(a) >> shift) as u32);
        assert_eq!(run(lui(A2, b >> 12), a, b).0, b & 0xffff_f000);
        assert_eq!(run(auipc(A2, b >> 12), a, b).0, (b & 0xffff_f000).wrapping_add(BOOT));
    }
}

#[test]
fn branches_compare_and_go_where_the_offset_says() {
    let mut random = Random::new(2);
    for (a, b) in operands().into_iter().chain(EXTREMES.map(|a| (a, a))) {
        let (signed_a, signed_b) = (a as i32, b as i32);
        let table = [
            (0, a == b),
            (1, a != b),
            (4, signed_a < signed_b),
            (5, signed_a >= signed_b),
            (6, a < b),
            (7, a >= b),
        ];
        for (funct3, taken) in table {
            let offset = 2 * random.below(4096) as i32 - 4096;
            let (_, pc) = run(branch(funct3, A0, A1, offset), a, b);
            let expected = if taken { BOOT.wrapping_add(offset as u32) } else { BOOT + 4 };
            assert_eq!(pc, expected, "{funct3} {a:#x} {b:#x} {offset}");
        }
    }
}

#[test]
fn jumps_link_and_clear_bit_0() {
    let mut random = Random::new(3);
    for (a, b) in operands() {
        let offset = 2 * random.below(1 << 20) as i32 - (1 << 20);
        let target = BOOT.wrapping_add(offset as u32);
        assert_eq!(run(jal(A2, offset), a, b), (BOOT + 4, target));
        let imm = random.below(4096) as i32 - 2048;
        let target = a.wrapping_add(imm as u32) & 0xffff_fffe;
        assert_eq!(run(jalr(A2, A0, imm), a, b), (BOOT + 4, target));
    }
    // The link of a register that is also the base is written after it was read.
    let mut bench = Bench::new(&[jalr(A0, A0, 4)]);
    bench.core.regs[10] = 0x100;
    bench.step();
    assert_eq!((bench.core.regs[10], bench.core.pc), (BOOT + 4, 0x104));
}

/// Loads and stores of all sizes at all offsets, in a memory of bytes beside the core's.
#[test]
fn loads_and_stores_move_the_bytes_that_they_name() {
    let mut random = Random::new(4);
    let mut bytes = [[0u8; 64]; 2];
    let mut bench = Bench::new(&[]);
    for _ in 0..20_000 {
        let which = random.below(2) as usize;
        let base = [0x0800_0100, 0x1000_0200][which];
        let size = random.below(3);
        let width = 1 << size;
        let at = random.below(64 - width + 1) as usize;
        let imm = random.below(64) as i32 - 32;
        bench.core.regs[10] = (base + at as u32).wrapping_sub(imm as u32);
        bench.core.pc = BOOT;
        let range = at..at + width as usize;
        let record = if random.below(2) == 0 {
            let value = random.word();
            bench.core.regs[11] = value;
            bench.place(BOOT, &[store(size, A1, A0, imm)]);
            bench.step();
            bytes[which][range].copy_from_slice(&value.to_le_bytes()[..width as usize]);
            let kept = if size == 2 { value } else { value % (1 << (8 * width)) };
            let mem_wmask = [1, 3, 15][size as usize];
            Retired { mem_wmask, mem_wdata: kept, ..Retired::default() }
        } else {
            let unsigned = random.below(2) == 1 && size < 2;
            bench.place(BOOT, &[load(size + if unsigned { 4 } else { 0 }, A2, A0, imm)]);
            bench.step();
            let sign = bytes[which][range.end - 1] & 0x80 != 0 && !unsigned;
            let mut extended = [if sign { 0xff } else { 0 }; 4];
            extended[..width as usize].copy_from_slice(&bytes[which][range]);
            let value = u32::from_le_bytes(extended);
            assert_eq!(bench.core.regs[12], value);
            let mem_rmask = [1, 3, 15][size as usize];
            Retired { mem_rmask, mem_rdata: value, rd: 12, wdata: value, ..Retired::default() }
        };
        let Retired { order, pc, insn, .. } = bench.core.record;
        let mem_addr = base + at as u32;
        assert_eq!(bench.core.record, Retired { order, pc, insn, mem_addr, ..record });
    }
}

#[test]
fn register_0_stays_0() {
    for instruction in [
        addi(ZERO, ZERO, 5),
        lui(ZERO, 5),
        jal(ZERO, 8),
        r_type(1, 5, ZERO, A0, ZERO),
        lw(ZERO, ZERO, 0x80),
        csrr(ZERO, 0x301),
    ] {
        let mut bench = Bench::new(&[instruction]);
        bench.step();
        assert_eq!(bench.core.regs[0], 0, "{instruction:#x}");
        let Retired { rd, wdata, .. } = bench.core.record;
        assert_eq!((rd, wdata), (0, 0), "{instruction:#x}");
    }
}

#[test]
fn what_was_decoded_is_forgotten_when_its_words_are_written() {
    // A 32-bit instruction across the words at 0x80 and 0x84.
    let mut bench = Bench::new(&[addi(A0, ZERO, 1) << 16 | 1, addi(A0, ZERO, 1) >> 16 | 1 << 16]);
    bench.run(2);
    assert_eq!(bench.core.regs[10], 1);
    bench.place(0x84, &[addi(A0, ZERO, 2) >> 16 | 1 << 16]);
    bench.core.pc = BOOT + 2;
    bench.step();
    assert_eq!(bench.core.regs[10], 2);
    bench.place(0x80, &[addi(A1, ZERO, 3) << 16 | 1]);
    bench.core.pc = BOOT + 2;
    bench.step();
    assert_eq!(bench.core.regs[11], 2, "the immediate is in the second word");
}
