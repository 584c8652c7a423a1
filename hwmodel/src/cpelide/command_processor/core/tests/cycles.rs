//! Cycles of section 3.4 of the specification, and those that
//! `rtl/cpelide/command_processor/README.md`, rule 8, gives as measured.

use super::*;

/// When the first instruction of this program retires, and its cycles. A0 holds `a`, A1 `b`.
fn cost(program: &[u32], a: u32, b: u32) -> (u32, u32) {
    let mut bench = Bench::new(program);
    (bench.core.regs[10], bench.core.regs[11]) = (a, b);
    bench.step()
}

#[test]
fn arithmetic_takes_one_cycle() {
    for instruction in [NOP, lui(A0, 1), auipc(A0, 1), FENCE, csrr(A2, 0x340), csrw(0x340, A0)] {
        assert_eq!(cost(&[instruction], 5, 6), (0, 1), "{instruction:#x}");
    }
    for funct3 in 0..8 {
        assert_eq!(cost(&[r_type(0, funct3, A2, A0, A1)], 5, 6), (0, 1));
    }
}

#[test]
fn multiplications_take_3_and_4_divisions_37_or_2() {
    let cycles = [3, 4, 4, 4, 37, 37, 37, 37];
    for (funct3, cycles) in (0..).zip(cycles) {
        for (a, b) in [(5, 6), (0, 1), (0x8000_0000, u32::MAX), (u32::MAX, 0x7fff_ffff)] {
            assert_eq!(cost(&[r_type(1, funct3, A2, A0, A1)], a, b), (cycles - 1, cycles));
        }
        if funct3 >= 4 {
            assert_eq!(cost(&[r_type(1, funct3, A2, A0, A1)], 5, 0), (1, 2));
        }
    }
}

#[test]
fn loads_and_stores_take_the_regions_cycles_and_one_more() {
    let regions = [(0x80, 2), (0x0800_0000, 1), (0x1000_0000, PMEM_LAT)];
    for (base, latency) in regions {
        for funct3 in [0, 1, 2, 4, 5] {
            let aligned = cost(&[load(funct3, A2, A0, 4)], base, 0);
            assert_eq!(aligned, (latency, latency + 1), "{base:#x} {funct3}");
        }
        // Only what leaves its word is two accesses.
        assert_eq!(cost(&[load(1, A2, A0, 1)], base, 0).1, latency + 1);
        assert_eq!(cost(&[load(1, A2, A0, 3)], base, 0).1, 2 * latency + 1);
        for offset in 1..4 {
            let crossing = cost(&[lw(A2, A0, offset)], base, 0);
            assert_eq!(crossing, (2 * latency, 2 * latency + 1), "{base:#x} {offset}");
        }
        if base != 0x80 {
            assert_eq!(cost(&[sw(A1, A0, 8)], base, 0), (latency, latency + 1));
            assert_eq!(cost(&[sw(A1, A0, 6)], base, 0).1, 2 * latency + 1);
        }
    }
}

#[test]
fn branches_and_jumps_take_one_more_to_a_long_instruction_at_an_odd_half_word() {
    let taken = branch(0, ZERO, ZERO, 8);
    let long_at_2 = NOP << 16 | 1;
    // Target at 0x88: aligned, whatever stands there.
    for target in [NOP, TWO_C_NOPS] {
        assert_eq!(cost(&[taken, NOP, target], 0, 0), (1, 3));
        assert_eq!(cost(&[jal(RA, 8), NOP, target], 0, 0), (1, 2));
        assert_eq!(cost(&[jalr(RA, A0, 0), NOP, target], 0x88, 0), (1, 2));
    }
    // Target at 0x8a.
    let (taken, jump) = (branch(0, ZERO, ZERO, 10), jal(RA, 10));
    assert_eq!(cost(&[taken, NOP, TWO_C_NOPS], 0, 0), (1, 3));
    assert_eq!(cost(&[jump, NOP, TWO_C_NOPS], 0, 0), (1, 2));
    assert_eq!(cost(&[taken, NOP, long_at_2], 0, 0), (1, 4));
    assert_eq!(cost(&[jump, NOP, long_at_2], 0, 0), (1, 3));
    assert_eq!(cost(&[jalr(RA, A0, 0), NOP, long_at_2], 0x8a, 0), (1, 3));
    // Not taken: where it would go does not matter.
    assert_eq!(cost(&[branch(1, ZERO, ZERO, 10), NOP, long_at_2], 0, 0), (0, 1));
    // A target that cannot be fetched counts as a long one.
    assert_eq!(cost(&[jalr(RA, A0, 0)], 0x1_0000, 0), (1, 2));
    assert_eq!(cost(&[jalr(RA, A0, 0)], 0x1_0002, 0), (1, 3));
    // fence.i is a jump to the next instruction.
    assert_eq!(cost(&[FENCE_I], 0, 0), (1, 2));
    let mut bench = Bench::new(&[FENCE_I << 16 | 1, FENCE_I >> 16 | NOP << 16, NOP >> 16]);
    bench.step();
    assert_eq!(bench.step(), (1, 3));
}

#[test]
fn traps_and_their_end_take_three_cycles_and_retire_in_the_first() {
    for instruction in [ECALL, EBREAK, 0xffff_ffff, 0, csrr(A0, 0x7b0), csrw(0xf14, A0)] {
        assert_eq!(cost(&[instruction], 0, 0), (0, 3), "{instruction:#x}");
    }
    let mut bench = Bench::new(&[csrw(0x341, A0), MRET]);
    bench.core.regs[10] = 0x88;
    bench.step();
    assert_eq!(bench.step(), (0, 3));
    let mut bench = Bench::new(&[csrw(0x341, A0), MRET, NOP << 16 | 1]);
    bench.core.regs[10] = 0x8a;
    bench.step();
    assert_eq!(bench.step(), (0, 4));
    // Fetch errors.
    let mut bench = Bench::new(&[jalr(RA, A0, 0)]);
    bench.core.regs[10] = 0x1_0000;
    bench.step();
    assert_eq!(bench.step(), (0, 3));
}

#[test]
fn writes_of_mstatus_and_mie_flush_the_pipeline() {
    for number in [0x300, 0x304] {
        for funct3 in [1, 2] {
            assert_eq!(cost(&[csr(funct3, A2, number, A0)], 0, 0), (0, 3));
        }
        assert_eq!(cost(&[csr(5, A2, number, 0)], 0, 0), (0, 3));
        assert_eq!(cost(&[csr(6, A2, number, 8)], 0, 0), (0, 3));
        // Clearing does not, nor does what writes nothing.
        assert_eq!(cost(&[csr(3, A2, number, A0)], 0, 0), (0, 1));
        assert_eq!(cost(&[csr(7, A2, number, 8)], 0, 0), (0, 1));
        assert_eq!(cost(&[csr(2, A2, number, ZERO)], 0, 0), (0, 1));
        assert_eq!(cost(&[csr(6, A2, number, 0)], 0, 0), (0, 1));
    }
    assert_eq!(cost(&[csrw(0x305, A0)], 0, 0), (0, 1));
}
