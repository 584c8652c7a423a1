//! Error codes 1 to 3: response, pulse and what stays (specification 5.5 and 12).

use ports::directory::coherence_directory::err;

use super::*;

/// In a directory in which one GPU shares line 0x40, each of these requests is refused with `code`:
/// the response in t + 2 has `id`, `seq` and `err` alone, the pulse lasts that one cycle, and
/// nothing else happens.
fn refuses(config: &str, self_id: u8, code: u8, requests: &[Req]) {
    on_both_bodies::<CoherenceDirectory>(config, |body| {
        let mut dir = Directory::new(body, self_id);
        let sharer = u8::from(self_id == 0);
        dir.quietly(rrd(sharer, 0x40));
        let before = dir.bench.body.outputs().counters;
        for &request in requests {
            // `run` checks the cycles, `id` and `seq`.
            let done = dir.run(request);
            let refused = Rsp { id: done.rsp.id, seq: done.rsp.seq, err: true, ..Rsp::default() };
            assert_eq!((done.rsp, done.err), (refused, Some(code)), "{request:?}");
            assert_eq!(done.inv, [], "{request:?}");
        }
        assert_eq!(dir.bench.body.outputs().counters, before, "no refused request is counted");
        let done = dir.run(req(op::LRD, self_id, 0x40));
        assert_eq!((done.told(), done.err), ((true, false, false, 1 << sharer), None));
    });
}

#[test]
fn source_that_is_no_gpu_is_code_1_on_every_op() {
    for (config, gpus) in [("paper", 4), ("paper-hmg", 4), ("paper-ideal", 4), ("small", 2)] {
        let sources = |op| (gpus..16).map(move |src| req(op, src, 0x40));
        let requests: Vec<_> = (op::LRD..=op::FENCE).flat_map(sources).collect();
        refuses(config, 0, err::SRC, &requests);
    }
}

#[test]
fn home_as_a_remote_source_is_code_1() {
    for config in ["paper", "paper-baseline", "paper-ideal", "one-way"] {
        for self_id in [0, 3] {
            refuses(config, self_id, err::SRC, &[rrd(self_id, 0x40), rwr(self_id, 0x40)]);
        }
    }
}

#[test]
fn other_gpu_as_a_local_source_is_code_1() {
    for config in ["paper", "paper-baseline", "paper-ideal", "one-way"] {
        let local = |src| [req(op::LRD, src, 0x40), req(op::LWR, src, 0x40)];
        refuses(config, 3, err::SRC, &[0, 1, 2].map(local).concat());
    }
}

#[test]
fn evict_and_fence_may_come_from_any_gpu() {
    on_both("paper", |mut dir| {
        for src in 0..4 {
            assert_eq!(dir.run(req(op::EVICT, src, 0x40)).err, None);
            assert_eq!(dir.run(req(op::FENCE, src, 0x40)).err, None);
        }
    });
}

#[test]
fn ops_6_and_7_are_code_2_whatever_else_is_wrong() {
    for config in ["paper", "paper-baseline", "paper-hmg", "paper-ideal"] {
        // Sources 0 and 1 exist, 15 does not; the last address lies beyond the lines of ideal.
        let wrong = |op| {
            [0, 1, 15].map(|src| [req(op, src, 0x40), req(op, src, 0xFFFF_FFFF_FFC0)]).concat()
        };
        refuses(config, 0, err::OP, &[6, 7].map(wrong).concat());
    }
}

#[test]
fn address_beyond_the_lines_of_ideal_is_code_3() {
    // 65536 and 1024 lines of 64 bytes.
    for (config, end, top) in
        [("paper-ideal", 0x40_0000, 0xFFFF_FFFF_FFFF), ("small-ideal", 0x1_0000, 0xF_FFFF)]
    {
        let ops = |addr| [lrd(addr), rrd(1, addr), lwr(addr), rwr(1, addr), evict(addr)];
        refuses(config, 0, err::ADDR, &[end, end + 1, top].map(ops).concat());
        // Code 1 wins over code 3.
        refuses(config, 0, err::SRC, &[rrd(0, end), rwr(0, top), req(op::LRD, 1, end)]);
        on_both(config, |mut dir| {
            let done = dir.run(rrd(1, end - 1));
            assert_eq!((done.told(), done.err), ((false, true, false, 0), None));
            let done = dir.run(req(op::FENCE, 1, top));
            assert_eq!((done.err, done.inv.len()), (None, 1), "its address is not looked at");
        });
    }
}

#[test]
fn pulses_of_requests_in_a_row_follow_each_other_and_wait_for_no_response() {
    on_both("paper", |mut dir| {
        // Four responses fit; none is taken.
        let requests = [rrd(0, 0), req(6, 0, 0), rrd(1, 0), req(op::LRD, 1, 0)];
        for cycle in 0..8 {
            let req = requests.get(cycle).copied();
            let inputs = In { req, rsp_ready: false, ..quiet(0) };
            dir.bench.cycle(&inputs);
        }
        let codes: Vec<_> = dir.bench.out.iter().map(|out| out.err).collect();
        assert_eq!(codes, [None, None, Some(1), Some(2), None, Some(1), None, None]);
        let told: Vec<_> =
            (0..4).map(|_| dir.cycle(None).rsp.map(|rsp| (rsp.seq, rsp.err))).collect();
        assert_eq!(told, [(0, true), (1, true), (2, false), (3, true)].map(Some));
    });
}
