//! What good packets become, when, and what stalls them.

use super::*;

#[test]
fn store_is_valid_two_cycles_after_its_beat() {
    let bytes = sub(&PAPER, 0x81, 3, 1);
    let seen = run(&PAPER, &tlp(&PAPER, finepack(8, 0x4000_0000), &bytes));
    assert_eq!((seen.accepted[0], seen.stores[0].0), (0, 2));
    let mut data = LineData::default();
    data.0[1..4].copy_from_slice(&[1, 2, 3]);
    assert_eq!(
        seen.stores[0].1,
        Ingress {
            kind: ingress_kind::WRITE,
            aop: 0,
            src: 0x0020,
            tag: 0x77,
            addr: 0x4000_0080,
            mask: 0b1110,
            data
        }
    );
    assert!(seen.errors.is_empty());
}

#[test]
fn one_sub_packet_leaves_per_cycle_and_packets_follow_without_a_bubble() {
    let bytes = [sub(&SMALL, 0, 1, 1), sub(&SMALL, 16, 1, 2)].concat();
    let packet = tlp(&SMALL, finepack(8, 0), &bytes);
    let seen = run(&SMALL, &[&packet[..], &packet[..]].concat());
    let cycles: Vec<_> = seen.stores.iter().map(|s| s.0).collect();
    assert_eq!(cycles, [2, 3, 4, 5]);
}

#[test]
fn ready_falls_while_two_packets_hold_slots() {
    // Four sub-packets keep the first packet's slot for four cycles.
    let bytes: Vec<_> = (0..4).flat_map(|i| sub(&PAPER, 16 * i, 1, 0)).collect();
    let packet = tlp(&PAPER, finepack(bytes.len(), 0), &bytes);
    let seen = run(&PAPER, &[&packet[..]; 4].concat());
    assert_eq!(seen.accepted, [0, 1, 5, 9]);
}

#[test]
fn low_bits_of_a_received_base_are_added() {
    let bytes = sub(&SMALL, 4, 4, 9);
    let seen = run(&SMALL, &tlp(&SMALL, finepack(7, 0x1008), &bytes));
    assert_eq!((seen.stores[0].1.addr, seen.stores[0].1.mask), (0x1000, 0xf000));
}

#[test]
fn plain_write_of_4096_bytes_is_cut_at_line_ends() {
    let bytes: Vec<u8> = (0..4096u32).map(|k| ((k * 7) >> 3) as u8).collect();
    for cfg in [SMALL, PAPER] {
        let line = u64::from(cfg.line);
        let start = 3 * line + 4;
        let header = header(WRITE, 1024, 0b0111, 0b1100, start);
        let seen = run(&cfg, &tlp(&cfg, header, &bytes));
        assert!(seen.errors.is_empty());
        let mut memory = std::collections::BTreeMap::new();
        for (i, st) in seen.accesses().iter().enumerate() {
            assert_eq!((st.kind, st.addr), (ingress_kind::WRITE, (3 + i as u64) * line));
            for k in 0..128 {
                if st.mask >> k & 1 != 0 {
                    memory.insert(st.addr + k as u64, st.data.0[k]);
                } else {
                    assert_eq!(st.data.0[k], 0);
                }
            }
        }
        let expected = (2..4095).map(|k| (start + k as u64, bytes[k])).collect();
        assert_eq!(memory, expected);
        assert_eq!(seen.stores.len(), 4096 / cfg.line as usize + 1);
    }
}

#[test]
fn plain_write_of_one_dw_has_the_first_be_alone() {
    let write =
        |be| run(&SMALL, &tlp(&SMALL, header(WRITE, 1, 0, be, 8), &[1, 2, 3, 4])).accesses();
    assert_eq!(write(0b0110)[0].mask, 0b0110 << 8);
    assert_eq!(write(0b0110)[0].data.0[8..12], [0, 2, 3, 0]);
    assert_eq!(write(0)[0].mask, 0, "a write of no bytes is pushed too");
}

#[test]
fn plain_write_wraps_at_the_end_of_the_address_space() {
    let seen = run(&SMALL, &tlp(&SMALL, header(WRITE, 2, 15, 15, u64::MAX - 3), &[9; 8]));
    let got: Vec<_> = seen.accesses().iter().map(|st| (st.addr, st.mask)).collect();
    assert_eq!(got, [(u64::MAX - 15, 0xf000), (0, 0xf)]);
}

#[test]
fn read_has_its_mask_from_the_byte_enables() {
    let read = |dw, last, first, addr| {
        run(&PAPER, &tlp(&PAPER, header(READ, dw, last, first, addr), &[])).accesses()[0]
    };
    let st = read(3, 0b0111, 0b0100, 0x1284);
    assert_eq!((st.kind, st.addr, st.mask), (ingress_kind::READ, 0x1280, 0x7f40));
    assert_eq!((st.src, st.tag, st.aop), (0x20, 0x77, 0));
    assert_eq!(read(1, 0, 0b1010, 0x1280).mask, 0b1010);
    assert_eq!(read(32, 15, 15, 0).mask, u128::MAX);
    let st = read(1, 0, 0, 0x1284);
    assert_eq!((st.kind, st.addr, st.mask), (ingress_kind::MARK, 0x1280, 0));
}

#[test]
fn atomic_has_operands_at_byte_0_and_its_operation() {
    let ops: Vec<u8> = (1..=16).collect();
    let form = |h: TlpHeader, n| run(&SMALL, &tlp(&SMALL, h, &ops[..n])).accesses()[0];
    let plain = header((tlp_fmt::WITH_DATA, tlp_type::FETCH_ADD), 2, 0, 0, 0x38);
    let st = form(plain.with_tc(3).with_attr2(true), 8);
    assert_eq!((st.kind, st.aop, st.addr, st.mask), (2, aop::XOR, 0x30, ones(8, 8)));
    assert_eq!(st.data.0[..9], [1, 2, 3, 4, 5, 6, 7, 8, 0]);
    // Operation 2 as received: the type, not the operation, gives the operands' size.
    assert_eq!(form(plain.with_tc(1), 8).mask, ones(8, 8));
    let cas = header((tlp_fmt::WITH_DATA, tlp_type::CAS), 4, 0, 0, 0x38);
    let st = form(cas, 16);
    assert_eq!((st.aop, st.mask), (aop::CAS, ones(8, 8)));
    assert_eq!(st.data.0[..16], ops[..]);
    let swap = header((tlp_fmt::WITH_DATA, tlp_type::SWAP), 1, 0, 0, 0x34);
    assert_eq!((form(swap, 4).aop, form(swap, 4).mask), (aop::SWAP, 0xf0));
}

#[test]
fn full_dq_stalls_the_parser_and_then_the_link_and_loses_nothing() {
    let bytes: Vec<_> = (0..40).flat_map(|i| sub(&SMALL, 16 * i, 5, i as u8)).collect();
    let beats = tlp(&SMALL, finepack(bytes.len(), 0), &bytes);
    let seen = run_with(&SMALL, &beats, |cycle| cycle >= 100);
    assert!(seen.errors.is_empty());
    assert_eq!(seen.stores.len(), 40);
    // Four in the buffer, and the window accepts while it holds at most WindowBytes - Beat = 32
    // bytes.
    let before = seen.accepted.iter().filter(|&&c| c < 100).count();
    assert_eq!(before, 4 + 5);
    // A push needs room before the pop: the first pop is at 100, so the next push is at 101.
    assert_eq!(seen.accepted[before], 102);
    assert!(seen.accesses().iter().enumerate().all(|(i, st)| st.addr == 16 * i as u64));
}

#[test]
fn illegal_parameters_are_refused_by_name() {
    let name = |cfg: Config| Depacketizer::new(&cfg).unwrap_err().name;
    assert_eq!(name(Config { sub_header_bytes: 1, ..PAPER }), "sub_header_bytes");
    assert_eq!(name(Config { offset_width: 31, ..PAPER }), "offset_width");
    assert_eq!(name(Config { line: 256, ..PAPER }), "line");
    assert_eq!(name(Config { sub_header_bytes: 2, offset_width: 6, ..PAPER }), "line");
    assert_eq!(name(Config { beat: 256, ..PAPER }), "beat");
    assert_eq!(name(Config { output_depth: 1, ..PAPER }), "output_depth");
    assert_eq!(name(Config { output_depth: 65, ..PAPER }), "output_depth");
}
