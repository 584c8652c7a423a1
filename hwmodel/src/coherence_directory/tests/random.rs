//! Random requests to all kinds of directories against the oracle.

use std::collections::{BTreeSet, VecDeque};

use super::oracle::{Answer, Line, Oracle};
use super::*;

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 11
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

/// A request that is mostly legal, to one of a few lines around the ends of entries and sets.
fn request(random: &mut Random, config: &Config, self_id: u8) -> Req {
    let gpus = u64::from(config.gpus);
    let range = u64::from(config.range);
    let bases = 2 * u64::from(config.entries.min(64));
    let addr = match config.variant {
        Variant::Ideal => random.below(u64::from(config.ideal_lines * config.line) + 200),
        _ => random.below(bases) * range + random.below(range),
    };
    let op = match random.below(100) {
        0..10 => op::LRD,
        10..50 => op::RRD,
        50..65 => op::LWR,
        65..90 => op::RWR,
        90..94 => op::EVICT,
        94..97 => op::FENCE,
        _ => random.below(8) as u8,
    };
    let other = ((u64::from(self_id) + 1 + random.below(gpus - 1)) % gpus) as u8;
    let src = match op {
        _ if random.chance(2) => random.below(16) as u8,
        op::LRD | op::LWR => self_id,
        op::RRD | op::RWR => other,
        _ => random.below(gpus) as u8,
    };
    Req { addr, id: random.next() as u8, src, op }
}

/// The counters that follow from the answers alone, `ready_low_cycles` and `jobq_max` left out.
fn count(counters: &mut Counters, evictions: &mut [u32; MAX_POS], req: &Req, answer: &Answer) {
    let rsp = &answer.rsp;
    if rsp.err {
        return;
    }
    let c = counters;
    let pair = match req.op {
        op::LRD => Some((&mut c.req_lrd, &mut c.hit_lrd)),
        op::RRD => Some((&mut c.req_rrd, &mut c.hit_rrd)),
        op::LWR => Some((&mut c.req_lwr, &mut c.hit_lwr)),
        op::RWR => Some((&mut c.req_rwr, &mut c.hit_rwr)),
        _ => None,
    };
    if let Some((requests, hits)) = pair {
        *requests += 1;
        *hits += u32::from(rsp.hit);
    }
    c.alloc += u32::from(rsp.alloc);
    let lines = answer.job.len();
    let messages = answer.job.iter().map(|line| line.dest.count_ones()).sum::<u32>();
    match answer.job.first().map(|line| line.cause) {
        Some(cause::WRITE) => {
            c.inv_lines_write += lines as u32;
            c.inv_msgs_write += messages;
        }
        Some(cause::EVICT) => {
            c.evict += 1;
            evictions[lines - 1] += 1;
            c.inv_lines_evict += lines as u32;
            c.inv_msgs_evict += messages;
        }
        _ => (),
    }
}

/// How far apart requests and readies lie, in percent of the cycles.
struct Pace {
    req: u64,
    rsp: u64,
    inv: u64,
}

/// Runs `cycles` cycles of random requests.
fn run(config: &Config, self_id: u8, seed: u64, pace: &Pace, cycles: usize) {
    let what = format!("{config:?} self_id {self_id} seed {seed:#x}");
    let mut random = Random(seed);
    let mut dir = CoherenceDirectory::new(config).unwrap();
    let mut oracle = Oracle::new(config, self_id);
    let mut inputs = In { self_id, ..In::default() };
    while !dir.outputs().req_ready {
        dir.tick(&inputs);
    }
    // What has yet to be seen: answers with the cycle of their request, and lines of jobs.
    let mut answers: VecDeque<(usize, Answer)> = VecDeque::new();
    let mut invalidations: VecDeque<(u8, Line, bool)> = VecDeque::new();
    let mut codes: VecDeque<(usize, u8)> = VecDeque::new();
    let (mut job_credit, mut rsp_credit) = (config.jobs, config.responses);
    // Credits that come back at the end of S1.
    let mut returning = VecDeque::new();
    let (mut counted, mut evictions) = (Counters::default(), [0; MAX_POS]);
    let mut touched = BTreeSet::new();
    let mut held_inv = None;
    for cycle in 0..cycles + 10_000 {
        let offers = cycle < cycles && random.chance(pace.req);
        inputs.req = offers.then(|| request(&mut random, config, self_id));
        inputs.rsp_ready = cycle >= cycles || random.chance(pace.rsp);
        inputs.inv_ready = cycle >= cycles || random.chance(pace.inv);
        let quiet = dir.is_idle() && inputs.req.is_none();
        let mut before = String::new();
        if quiet {
            dir.write_state(&mut before).unwrap();
        }
        let out = dir.tick(&inputs);
        if quiet {
            let mut after = String::new();
            dir.write_state(&mut after).unwrap();
            assert!(before == after && dir.outputs() == out, "idle means no change: {what}");
        }
        // Readiness, but for the age of jobs, which `age` tests.
        if out.req_ready {
            assert!(job_credit > 0 && rsp_credit > 0, "cycle {cycle}: {what}");
        } else if job_credit > 0 && rsp_credit > 0 {
            assert!(out.inv.is_some(), "cycle {cycle}: {what}");
        }
        if returning.front() == Some(&cycle) {
            returning.pop_front();
            job_credit += 1;
        }
        if let Some(rsp) = out.rsp {
            let (asked, answer) = answers.front().expect("a response without a request");
            assert!(*asked + 2 <= cycle);
            assert_eq!(rsp, answer.rsp, "cycle {cycle}: {what}");
            if inputs.rsp_ready {
                answers.pop_front();
                rsp_credit += 1;
            }
        } else {
            assert!(answers.front().is_none_or(|(asked, _)| asked + 2 > cycle), "{cycle}: {what}");
        }
        if let Some(inv) = out.inv {
            let (seq, line, last) = invalidations.front().expect("a line without a job");
            let shown = Line { addr: inv.addr, dest: inv.dest, cause: inv.cause };
            assert_eq!((inv.seq, &shown, inv.last), (*seq, line, *last), "cycle {cycle}: {what}");
            assert!(inv.dest != 0 && inv.dest >> self_id & 1 == 0);
            assert!(held_inv.is_none_or(|held| held == inv), "held until it is taken");
            held_inv = Some(inv).filter(|_| !inputs.inv_ready);
            if inputs.inv_ready {
                job_credit += u32::from(*last);
                invalidations.pop_front();
            }
        } else {
            assert_eq!(held_inv, None);
        }
        let code = codes.front().filter(|(due, _)| *due == cycle).map(|(_, code)| *code);
        codes.drain(..usize::from(code.is_some()));
        assert_eq!(out.err, code, "cycle {cycle}: {what}");
        if let Some(req) = inputs.req.filter(|_| out.req_ready) {
            let answer = oracle.request(&req);
            count(&mut counted, &mut evictions, &req, &answer);
            touched.insert(req.addr / u64::from(config.line) * u64::from(config.line));
            job_credit -= 1;
            rsp_credit -= 1;
            if answer.job.is_empty() {
                returning.push_back(cycle + 1);
            }
            codes.extend(answer.code.map(|code| (cycle + 2, code)));
            let lines = answer.job.len();
            let numbered = answer.job.iter().enumerate();
            invalidations
                .extend(numbered.map(|(k, line)| (answer.rsp.seq, line.clone(), k + 1 == lines)));
            answers.push_back((cycle, answer));
        }
        if cycle > cycles && dir.is_idle() {
            break;
        }
    }
    assert!(answers.is_empty() && invalidations.is_empty() && codes.is_empty(), "{what}");
    for addr in touched {
        assert_eq!(dir.sharers(addr).unwrap_or(0), oracle.sharers(addr), "{addr:#x}: {what}");
    }
    let shown = dir.outputs().cnt;
    let Counters { ready_low_cycles, jobq_max, .. } = shown;
    assert_eq!(shown, Counters { ready_low_cycles, jobq_max, ..counted }, "{what}");
    assert!(jobq_max <= config.jobs);
    let shown = std::array::from_fn(|place| dir.events.evictions(place as u8));
    assert_eq!(evictions, shown, "{what}");
}

/// All legal pairs of line and range of a variant.
fn shapes(variant: Variant) -> Vec<(u32, u32)> {
    let lines: &[u32] = match variant {
        Variant::Baseline | Variant::Ideal => &[1],
        Variant::Hmg => &[4],
        Variant::Rec => &[2, 4, 16, 64],
    };
    let of = |line: u32| lines.iter().map(move |n| (line, n * line));
    [64, 128].into_iter().flat_map(of).collect()
}

#[test]
fn random_requests_are_answered_as_the_specification_says() {
    let paces = [
        Pace { req: 100, rsp: 100, inv: 100 },
        Pace { req: 60, rsp: 70, inv: 50 },
        Pace { req: 90, rsp: 40, inv: 95 },
        Pace { req: 100, rsp: 95, inv: 20 },
    ];
    let mut seed = 0x5EED;
    for config in variants() {
        for (line, range) in shapes(config.variant) {
            for gpus in [2, 4, 16] {
                for (ways, sets) in [(1, 4), (2, 1), (8, 2), (12, 4)] {
                    for replacement in [Replacement::Fifo, Replacement::Lru] {
                        let mut random = Random(0x9E37_79B9_7F4A_7C15 + seed);
                        let (jobs, responses) =
                            (2 + random.below(8) as u32, 3 + random.below(5) as u32);
                        let entries = ways * sets;
                        let config = Config {
                            line,
                            range,
                            gpus,
                            ways,
                            entries,
                            replacement,
                            jobs,
                            responses,
                            address_width: 20,
                            ..config.clone()
                        };
                        let self_id = random.below(u64::from(gpus)) as u8;
                        for pace in &paces {
                            seed += 1;
                            run(&config, self_id, 0x1234_5678_9ABC_DEF0 ^ seed << 20, pace, 1500);
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn full_size_directory_is_answered_as_the_specification_says() {
    let pace = Pace { req: 100, rsp: 100, inv: 90 };
    for config in with_entries() {
        run(&Config { entries: 8192, ..config }, 1, 0xABCD_EF01_2345_6789, &pace, 20_000);
    }
}
