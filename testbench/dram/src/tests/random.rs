//! Random parameters, policies and requests.

use proptest::prelude::*;

use super::*;

fn parameters() -> impl Strategy<Value = Parameters> {
    (prop::array::uniform32(0..12u32), 1..60u32, 0..400u32, any::<bool>()).prop_map(
        |(x, rfc_pb, refi, dual_bus)| {
            let organization = Organization {
                dual_bus,
                pseudo_channels: 1 + x[0] % 2,
                ranks: 1 + x[1] % 2,
                groups: 1 + x[2] % 3,
                banks: 1 + x[3] % 3,
                rows: 8,
                columns: 4,
                access_bytes: 32,
            };
            let (rcd_rd, rp, bl, cl, cwl) = (1 + x[4], 1 + x[5], 1 + x[6] % 3, 1 + x[7], 1 + x[8]);
            let (rrd_s, ccd_s, wtr_s, rrefd) = (1 + x[9] % 8, bl + x[10] % 3, 1 + x[11], 1 + x[12]);
            let (ras, rfc) = (rcd_rd + 2 * x[13], rfc_pb + 5 * x[14]);
            let rc = ras + rp + x[15] % 8;
            let timing = Timing {
                clock_khz: 1,
                cl,
                cwl,
                bl,
                rcd_rd,
                rcd_wr: 1 + x[16],
                rp,
                ras,
                rc,
                rrd_s,
                rrd_l: rrd_s + x[17] % 4,
                faw: rrd_s + 3 * x[18],
                ccd_s,
                ccd_l: ccd_s + x[19] % 3,
                ccd_r: bl + x[20] % 3,
                rtw: (cl + bl).saturating_sub(cwl).max(1) + x[21] % 4,
                wtr_s,
                wtr_l: wtr_s + x[22] % 4,
                rtp: 1 + x[23],
                wr: 1 + x[24],
                refi: rfc + 2 * rc + organization.rank_banks() * 2 * rrefd + refi,
                rfc,
                rfc_pb,
                rrefd,
                act_cycles: 1 + x[25] % 2,
            };
            Parameters { organization, timing }
        },
    )
}

fn policy() -> impl Strategy<Value = Policy> {
    let page = prop_oneof![Just(Page::Open), Just(Page::Closed)];
    let refresh = prop_oneof![Just(Refresh::AllBank), Just(Refresh::PerBank), Just(Refresh::Off)];
    (1..12u32, 1..12u32, 0..12u32, 0..12u32, 1..300u32, page, refresh).prop_map(
        |(read_queue, write_queue, high, low, age_cap, page, refresh)| {
            let write_high = 1 + high % write_queue;
            let write_low = low % write_high;
            Policy { read_queue, write_queue, write_high, write_low, age_cap, page, refresh }
        },
    )
}

fn gap() -> impl Strategy<Value = u64> {
    prop_oneof![6 => 0..3u64, 2 => 0..60u64, 1 => 0..3000u64]
}

/// Runs requests, each so many cycles after the one before it was queued. If `each_cycle`, the
/// controller examines every cycle.
fn run(mut bench: Bench, requests: &[(u64, u64, bool)], each_cycle: bool) -> Bench {
    let mut waiting = requests.iter().zip(0..).peekable();
    let mut from = 0;
    while waiting.peek().is_some() || bench.controller.next_event().is_some() {
        while let Some(((gap, address, is_write), id)) = waiting.peek()
            && bench.now >= from + gap
        {
            let request = Request { id: *id, address: *address, is_write: *is_write };
            if bench.controller.enqueue(bench.now, request).is_err() {
                break;
            }
            from = bench.now;
            waiting.next();
        }
        if each_cycle {
            bench.controller.examine();
        }
        if let Err(violation) = bench.advance() {
            panic!("{violation}");
        }
        let arrival = waiting.peek().map(|((gap, ..), _)| (from + gap).max(bench.now + 1));
        let next = bench.controller.next_event().into_iter().chain(arrival).min();
        bench.now = match next {
            Some(at) if !each_cycle => at.max(bench.now + 1),
            _ => bench.now + 1,
        };
    }
    bench
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn each_request_completes_once_and_skipped_cycles_change_nothing(
        p in parameters(),
        policy in policy(),
        requests in prop::collection::vec((gap(), 0..1u64 << 15, any::<bool>()), 1..200),
        mapping in prop_oneof![Just(STREAM), Just(ROTATE)],
    ) {
        let bench = || Bench::new(p, policy, mapping);
        let ticked = run(bench(), &requests, true);
        let skipped = run(bench(), &requests, false);
        prop_assert_eq!(&ticked.trace, &skipped.trace);
        prop_assert_eq!(&ticked.done, &skipped.done);
        let mut ids: Vec<u64> = ticked.done.iter().map(|done| done.0).collect();
        ids.sort_unstable();
        prop_assert!(ids.into_iter().eq(0..requests.len() as u64));
        let c = ticked.controller.counters();
        prop_assert_eq!(c, skipped.controller.counters());
        prop_assert_eq!(c.reads + c.writes, requests.len() as u64);
        prop_assert_eq!(c.row_hits + c.row_misses + c.row_conflicts, c.reads + c.writes);
    }
}
