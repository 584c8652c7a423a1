//! Atomics (specification 3, 5.4).

use ports::timestamp::types::{BusReq, LineData, aop, bus_op, rsp_op};

use super::*;

fn line_of(bytes: &[u8]) -> LineData {
    let mut data = LineData::default();
    data.0[..bytes.len()].copy_from_slice(bytes);
    data
}

fn of_words(words: [u32; 4]) -> LineData {
    line_of(&words.map(u32::to_le_bytes).concat())
}

fn of_halves(halves: [u64; 2]) -> LineData {
    line_of(&halves.map(u64::to_le_bytes).concat())
}

/// A bank with this line, and what an atomic of all its elements makes of it: old, new.
fn change(body: Make, line: LineData, aop: u8, sz: bool, data: LineData) -> (LineData, LineData) {
    let mut bench = bench(body, &config());
    bench.ask(BusReq { mask: 0xffff, data: line, ..write(X, 0, 0, 0, 1) });
    let req = BusReq { op: bus_op::ATOM, aop, sz, mask: 0xffff, data, ..read(X, 0, 1) };
    let answer = bench.ask(req);
    assert_eq!((answer.op, answer.ok), (rsp_op::ATOM_ACK, false));
    assert_eq!((answer.wts, answer.rts), (13, 18), "one store later");
    (answer.data, bench.ask(read(X, 0, 1)).data)
}

#[test]
fn words() {
    on_both(|body| {
        let old = [7, 0xffff_fffe, 0x8000_0000, 5];
        let operands = [3, 4, 0x7fff_ffff, 5];
        for (op, new) in [
            (aop::ADD, [10, 2, 0xffff_ffff, 10]),
            (aop::MIN, [3, 0xffff_fffe, 0x8000_0000, 5]),
            (aop::MAX, [7, 4, 0x7fff_ffff, 5]),
            (aop::UMIN, [3, 4, 0x7fff_ffff, 5]),
            (aop::UMAX, [7, 0xffff_fffe, 0x8000_0000, 5]),
            (aop::AND, [3, 4, 0, 5]),
            (aop::OR, [7, 0xffff_fffe, 0xffff_ffff, 5]),
            (aop::XOR, [4, 0xffff_fffa, 0xffff_ffff, 0]),
            (aop::XCHG, operands),
        ] {
            let seen = change(body, of_words(old), op, false, of_words(operands));
            assert_eq!(seen, (of_words(old), of_words(new)), "aop {op}");
        }
    });
}

#[test]
fn elements_of_eight_bytes() {
    on_both(|body| {
        let old = [u64::MAX, 1 << 63];
        let operands = [1, (1 << 63) - 1];
        for (op, new) in [
            (aop::ADD, [0, u64::MAX]),
            (aop::MIN, [u64::MAX, 1 << 63]),
            (aop::MAX, operands),
            (aop::UMIN, operands),
            (aop::UMAX, old),
            (aop::AND, [1, 0]),
            (aop::OR, [u64::MAX, u64::MAX]),
            (aop::XOR, [u64::MAX - 1, u64::MAX]),
            (aop::XCHG, operands),
        ] {
            let seen = change(body, of_halves(old), op, true, of_halves(operands));
            assert_eq!(seen, (of_halves(old), of_halves(new)), "aop {op}");
        }
    });
}

#[test]
fn only_elements_that_the_mask_has_whole() {
    on_both(|body| {
        let mut bench = bench(body, &config());
        let line = of_words([1, 2, 3, 4]);
        bench.ask(BusReq { mask: 0xffff, data: line, ..write(X, 0, 0, 0, 1) });
        let data = of_words([10, 10, 10, 10]);
        let req = BusReq { op: bus_op::ATOM, mask: 0xf7f0, data, ..read(X, 0, 1) };
        assert_eq!(bench.ask(req).data, of_words([0, 2, 0, 4]));
        assert_eq!(bench.ask(read(X, 0, 1)).data, of_words([1, 12, 3, 14]));
    });
}
