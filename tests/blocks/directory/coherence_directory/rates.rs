//! How long the sweep takes and how many requests are taken (specification 5.1, worked example 11).

use cosim::stimulus::Random;
use duet_tests::{configs, parameters};
use hwmodel::Block;
use ports::directory::coherence_directory::{Config, Variant, cause};

use super::*;

/// The first cycle, from 1 on, with `req_ready`. All outputs must be 0 before it.
fn first_ready(mut body: Body<CoherenceDirectory>) -> usize {
    for cycle in 1.. {
        // Requests during the sweep are ignored.
        let inputs = In { req: Some(rrd(1, 0)), ..quiet(0) };
        let out = body.tick(&inputs);
        if out.req_ready {
            assert_eq!(out, Out { req_ready: true, idle: true, ..Out::default() });
            return cycle;
        }
        assert_eq!(out, Out::default());
    }
    unreachable!()
}

#[test]
fn requests_are_taken_from_the_cycle_after_the_sweep_on() {
    let expected = [
        ("paper", 1025),
        ("paper-baseline", 1025),
        ("paper-hmg", 1025),
        ("paper-12way", 1025),
        ("paper-ideal", 1025),
        ("small", 9),
        ("small-ideal", 17),
        ("single-set", 2),
        ("one-way", 9),
    ];
    for (config, cycle) in expected {
        on_both_bodies::<CoherenceDirectory>(config, |body| {
            assert_eq!(first_ready(body), cycle, "{config}")
        });
    }
}

#[test]
fn sweep_takes_a_cycle_for_each_set_or_64_lines_in_every_configuration() {
    for config in configs::<Config>() {
        let c: Config = parameters(&config);
        let rows = match c.variant {
            Variant::Ideal => c.ideal_lines / 64,
            _ => c.entries / c.ways,
        };
        on_both_bodies::<CoherenceDirectory>(&config, |body| {
            assert_eq!(first_ready(body), rows as usize + 1, "{config}");
        });
    }
}

#[test]
fn request_of_the_sweep_leaves_no_trace() {
    on_both_bodies::<CoherenceDirectory>("paper", |mut body| {
        for _ in 0..1024 {
            assert!(!body.tick(&In { req: Some(rrd(1, 0)), ..quiet(0) }).req_ready);
        }
        let mut dir = Directory::new(body, 0);
        assert_eq!(dir.run(lrd(0)).told(), (false, false, false, 0));
    });
}

const LINES: usize = 8192 * 16;
const REQUESTS: usize = 1_000_000;
/// Home of the million requests.
const HOME: u8 = 2;

/// Expected outputs of requests to as many ranges as there are entries, so that none is evicted.
struct Ledger {
    /// By line: bit g = GPU g has it.
    sharers: Vec<u16>,
    /// By range: lines with sharers.
    tracked: Vec<u8>,
    accepted: usize,
}

impl Ledger {
    fn new() -> Self {
        Self { sharers: vec![0; LINES], tracked: vec![0; LINES / 16], accepted: 0 }
    }

    /// The transition table (specification 5.2), for one request.
    fn take(&mut self, req: &Req) -> (Rsp, Option<Inv>) {
        let line = req.addr as usize / 64;
        let seq = (self.accepted % 256) as u8;
        self.accepted += 1;
        let rsp = Rsp { id: req.id, seq, ..Rsp::default() };
        let inv = Inv { addr: req.addr & !63, dest: 0, seq, last: true, cause: cause::WRITE };
        if req.op == op::FENCE {
            let dest = 0b1111 & !(1 << HOME);
            return (rsp, Some(Inv { addr: 0, dest, cause: cause::FENCE, ..inv }));
        }
        let before = self.sharers[line];
        let (after, dest) = match req.op {
            op::LRD => (before, 0),
            op::RRD => (before | 1 << req.src, 0),
            op::LWR => (0, before),
            _ => (1 << req.src, before & !(1 << req.src)),
        };
        let tracked = &mut self.tracked[line / 16];
        let alloc = after != 0 && *tracked == 0;
        *tracked = *tracked + u8::from(after != 0) - u8::from(before != 0);
        self.sharers[line] = after;
        let rsp = Rsp { hit: before != 0, sharers: before, alloc, ..rsp };
        (rsp, (dest != 0).then_some(Inv { dest, ..inv }))
    }
}

/// A request to the line before, to its range, or to anywhere.
fn any_request(random: &mut Random, last: usize) -> Req {
    let line = match random.below(4) {
        0 => last,
        1 => last / 16 * 16 + random.below(16) as usize,
        _ => random.below(LINES as u32) as usize,
    };
    let other = random.pick(&[0, 1, 3]);
    let (op, src) = match random.below(64) {
        0 => (op::FENCE, random.below(4) as u8),
        n if n < 12 => (op::LRD, HOME),
        n if n < 40 => (op::RRD, other),
        n if n < 48 => (op::LWR, HOME),
        _ => (op::RWR, other),
    };
    let addr = 64 * line as u64 + u64::from(random.below(64));
    Req { addr, id: random.below(256) as u8, src, op }
}

#[test]
fn million_requests_without_evictions_are_taken_and_answered_one_per_cycle() {
    on_both_bodies::<CoherenceDirectory>("paper", |mut body| {
        while !body.outputs().req_ready {
            body.tick(&quiet(HOME));
        }
        let (mut random, mut ledger, mut last) = (Random::new(1), Ledger::new(), 0);
        // Expected outputs of the requests of the last two cycles, the older first.
        let mut due = [None, None];
        for cycle in 0..REQUESTS + 2 {
            let req = (cycle < REQUESTS).then(|| any_request(&mut random, last));
            let out = body.tick(&In { req, ..quiet(HOME) });
            assert!(out.req_ready, "cycle {cycle}: stalled");
            let (rsp, inv) = match due[0] {
                Some((rsp, inv)) => (Some(rsp), inv),
                None => (None, None),
            };
            assert_eq!((out.rsp, out.inv, out.err), (rsp, inv, None), "cycle {cycle}");
            due = [due[1], req.map(|req| ledger.take(&req))];
            last = req.map_or(0, |req| req.addr as usize / 64);
        }
        let counters = body.tick(&quiet(HOME)).counters;
        assert_eq!((counters.ready_low_cycles, counters.evict, counters.jobq_max), (0, 0, 1));
        let fences = REQUESTS as u32
            - (counters.req_lrd + counters.req_rrd + counters.req_lwr + counters.req_rwr);
        assert!((10_000..20_000).contains(&fences), "{fences}");
        for (requests, hits) in [
            (counters.req_lrd, counters.hit_lrd),
            (counters.req_rrd, counters.hit_rrd),
            (counters.req_lwr, counters.hit_lwr),
            (counters.req_rwr, counters.hit_rwr),
        ] {
            assert!(requests > 100_000 && hits > 10_000 && hits < requests, "{hits} of {requests}");
        }
        assert!(!body.failed());
    });
}

#[test]
fn example_11_evictions_at_full_rate_are_accepted_every_16_cycles() {
    const ENTRIES: usize = 8192;
    on_both("paper", |mut dir| {
        (0..LINES as u64).for_each(|line| _ = dir.send(rrd(1, 64 * line)));
        while !dir.cycle(None).idle {}
        let start = dir.bench.out.len();
        let mut accepted = Vec::new();
        while accepted.len() < ENTRIES {
            let addr = (ENTRIES + accepted.len()) as u64 * 1024;
            let cycle = dir.bench.out.len();
            if dir.cycle(Some(rrd(1, addr))).req_ready {
                accepted.push(cycle - start);
            }
        }
        let expected = (0..8).chain((18..).step_by(16)).take(ENTRIES);
        assert!(accepted.into_iter().eq(expected), "not in cycles 0 to 7, 18, 34, ..");
        while !dir.cycle(None).idle {}
        // All lines leave from cycle 2 on in the order in which they came, one per cycle.
        let shown = &dir.bench.out[start..];
        for (cycle, out) in shown.iter().enumerate() {
            let line = cycle.wrapping_sub(2);
            let inv = (line < LINES).then(|| Inv {
                addr: 64 * line as u64,
                dest: 0b10,
                // ENTRIES * 16 requests came before, a multiple of 256.
                seq: (line / 16 % 256) as u8,
                last: line % 16 == 15,
                cause: cause::EVICT,
            });
            assert_eq!(out.inv, inv, "cycle {cycle}");
        }
        assert!(shown.len() > LINES + 2);
        let counters = dir.bench.body.outputs().counters;
        assert_eq!((counters.evict as usize, dir.evictions_of(16) as usize), (ENTRIES, ENTRIES));
        assert_eq!((counters.inv_lines_evict as usize, counters.jobq_max), (LINES, 8));
    });
}

/// Offers `first`, then `others`, in cycles 0 to 119; responses and invalidations are taken from
/// cycles `rsp` and `inv` on. The cycles in which a request is not taken.
fn stalls(dir: &mut Directory, [first, others]: [Req; 2], rsp: usize, inv: usize) -> Vec<usize> {
    let mut stalls = Vec::new();
    for cycle in 0..120 {
        let req = Some(if cycle == 0 { first } else { others });
        let (rsp_ready, inv_ready) = (cycle >= rsp, cycle >= inv);
        let at = dir.bench.cycle(&In { req, rsp_ready, inv_ready, ..quiet(0) });
        if !dir.bench.out[at].req_ready {
            stalls.push(cycle);
        }
    }
    let counters = dir.bench.body.outputs().counters;
    assert_eq!(counters.ready_low_cycles as usize, stalls.len());
    stalls
}

#[test]
fn as_many_requests_are_taken_as_there_is_room_for_their_jobs() {
    for (config, jobs) in [("paper", 8), ("paper-ideal", 8), ("small", 3), ("single-set", 2)] {
        on_both(config, |mut dir| {
            // The first line is taken in cycle 30, and one per cycle from then on.
            let fence = req(op::FENCE, 1, 0);
            let stalls: Vec<_> = stalls(&mut dir, [fence, fence], 0, 30);
            let before: Vec<_> = (jobs..=30).collect();
            assert_eq!(stalls[..before.len()], before, "{config}");
            if jobs >= 3 {
                assert_eq!(stalls.len(), before.len(), "{config}: one-line jobs at full rate");
            }
        });
    }
}

#[test]
fn as_many_requests_are_taken_as_there_is_room_for_their_responses() {
    for (config, responses) in [("paper", 4), ("paper-hmg", 4), ("single-set", 3), ("one-way", 3)] {
        on_both(config, |mut dir| {
            let expected: Vec<_> = (responses..=30).collect();
            assert_eq!(stalls(&mut dir, [lrd(0), lrd(0)], 30, 0), expected, "{config}");
        });
    }
}

#[test]
fn no_request_is_taken_while_the_oldest_job_is_96_requests_old() {
    for config in ["paper", "paper-ideal", "small"] {
        on_both(config, |mut dir| {
            // The job of request 0 is taken in cycle 110; requests 1 to 95 make none.
            let expected: Vec<_> = (96..=110).collect();
            assert_eq!(
                stalls(&mut dir, [req(op::FENCE, 1, 0), lrd(0)], 0, 110),
                expected,
                "{config}"
            );
        });
    }
}
