//! Error code 4: a corrupt array, in which ways 0 and 1 of every set are valid and have base 0
//! (README rules 8, 10 and 14). Model and RTL continue; in the RTL an assertion
//! fails too.

use bodies::Variant;
use cosim::stimulus::Random;
use cosim::{Rtl, RtlOptions};
use duet_tests::{has_rtl, parameters};
use hwmodel::Block;
use ports::directory::coherence_directory::cause::{EVICT, WRITE};
use ports::directory::coherence_directory::{Config, Replacement, err};

use super::*;

/// Bytes from one base to the next of the same set: 8 sets of 256 bytes.
const NEXT: u64 = 0x800;

/// FIFO: with LRU, the access that makes the two ways differ would overwrite the order that the
/// sweep has left.
fn config() -> Config {
    Config { replacement: Replacement::Fifo, ..parameters("small") }
}

fn corrupt_model() -> CoherenceDirectory {
    CoherenceDirectory::corrupt(&config()).expect("legal parameters")
}

fn corrupt_rtl() -> Rtl<CoherenceDirectory> {
    let options = RtlOptions { variant: Variant::defining("DUET_DUPLICATE"), registers: 0 };
    Rtl::with(&config(), &options).unwrap_or_else(|error| panic!("{error}"))
}

/// Hides expected assertion failures from [`Bench`], which would end the test.
struct Forgiven<B>(B);

impl<B: Block> Block for Forgiven<B> {
    type In = B::In;
    type Out = B::Out;

    fn outputs(&self) -> B::Out {
        self.0.outputs()
    }

    fn tick(&mut self, inputs: &B::In) -> B::Out {
        self.0.tick(inputs)
    }
}

/// Runs `check` on corrupt model and RTL as the directory of GPU 0.
fn on_both_corrupt(check: impl Fn(Directory)) {
    println!("on the model");
    check(Directory::new(Box::new(corrupt_model()), 0));
    if has_rtl() {
        println!("on the RTL");
        check(Directory::new(Box::new(Forgiven(corrupt_rtl())), 0));
    }
}

#[test]
fn two_ways_with_one_base_are_code_4_and_the_request_is_executed() {
    on_both_corrupt(|mut dir| {
        let hit = (true, false, false, 0b10);
        let requests = [
            // Line 0 has the first slot, GPU 1, as its sharer; line 1 is not tracked.
            (lrd(0), hit, vec![]),
            (lrd(0x40), (false, false, false, 0), vec![]),
            (rrd(1, 0), hit, vec![]),
            (rwr(1, 0), hit, vec![]),
            (rwr(1, 0x40), (false, false, false, 0), vec![]),
            (lwr(0x40), hit, vec![(WRITE, 0x40, 0b10, true)]),
        ];
        for (request, told, sent) in requests {
            let done = dir.run(request);
            assert_eq!((done.err, done.rsp.err), (Some(err::DUPLICATE), false), "{request:?}");
            assert_eq!((done.told(), done.sent()), (told, sent), "{request:?}");
        }
        let counters = dir.bench.body.outputs().counters;
        let requests = [counters.req_lrd, counters.req_rrd, counters.req_lwr, counters.req_rwr];
        assert_eq!(requests, [2, 1, 1, 2], "they count");
    });
}

#[test]
fn write_and_evict_remove_one_way_and_leave_the_other() {
    for (request, cause) in [(lwr(0), WRITE), (evict(0), EVICT)] {
        on_both_corrupt(|mut dir| {
            for code in [Some(err::DUPLICATE), None] {
                let done = dir.run(request);
                assert_eq!((done.err, done.told()), (code, (true, false, cause == EVICT, 0b10)));
                assert_eq!(done.sent(), [(cause, 0, 0b10, true)]);
            }
            let done = dir.run(request);
            assert_eq!((done.err, done.told()), (None, (false, false, false, 0)));
        });
    }
}

#[test]
fn lowest_way_is_used_and_is_the_oldest_after_the_sweep() {
    on_both_corrupt(|mut dir| {
        // Way 0 gets line 1. In FIFO this is no use: the order is still that of the sweep.
        assert_eq!(dir.run(rrd(1, 0x40)).err, Some(err::DUPLICATE));
        // The first victim has both lines: it is way 0. The second has line 0 alone.
        let done = dir.run(rrd(1, NEXT));
        assert_eq!((done.err, done.told()), (None, (false, true, true, 0)));
        assert_eq!(done.sent(), [(EVICT, 0, 0b10, false), (EVICT, 0x40, 0b10, true)]);
        let done = dir.run(rrd(1, 2 * NEXT));
        assert_eq!((done.err, done.told()), (None, (false, true, true, 0)));
        assert_eq!(done.sent(), [(EVICT, 0, 0b10, true)]);
        // The third victim is the first new entry.
        assert_eq!(dir.run(rrd(1, 3 * NEXT)).sent(), [(EVICT, NEXT, 0b10, true)]);
    });
}

#[test]
fn every_set_is_corrupt_but_base_0_belongs_to_set_0() {
    on_both_corrupt(|mut dir| {
        for set in 1..8 {
            let base = 0x100 * set;
            let done = dir.run(lrd(base));
            assert_eq!((done.err, done.told()), (None, (false, false, false, 0)));
            for n in 0..2 {
                let done = dir.run(rrd(1, base + n * NEXT));
                assert_eq!((done.err, done.told()), (None, (false, true, true, 0)));
                assert_eq!(done.sent(), [(EVICT, 0, 0b10, true)]);
            }
        }
    });
}

#[test]
fn codes_1_and_2_win_over_4_and_a_fence_does_not_look() {
    on_both_corrupt(|mut dir| {
        let requests = [
            (rrd(0, 0), Some(err::SRC)),
            (req(op::LRD, 1, 0), Some(err::SRC)),
            (req(6, 0, 0), Some(err::OP)),
            (req(7, 15, 0), Some(err::OP)),
            (req(op::FENCE, 1, 0), None),
        ];
        requests.iter().for_each(|&(req, code)| assert_eq!(dir.run(req).err, code, "{req:?}"));
    });
}

/// A request that may be refused, most often to base 0 or another of its set.
fn any_request(random: &mut Random) -> Req {
    let tag = if random.chance(128) { 0 } else { u64::from(random.below(4)) * NEXT };
    let set = if random.chance(192) { 0 } else { u64::from(random.below(8)) * 0x100 };
    let line = u64::from(random.below(4)) * 0x40;
    let op = random.below(8) as u8;
    let src = if random.chance(16) { random.below(16) as u8 } else { op & 1 };
    Req { addr: tag + set + line + u64::from(random.below(64)), id: random.word() as u8, src, op }
}

#[test]
fn bodies_agree_on_a_corrupt_array_until_the_end() {
    if !has_rtl() {
        return;
    }
    let mut codes = [0; 5];
    // The two ways are soon evicted: many short runs.
    for seed in 0..200 {
        let (mut model, mut rtl) = (corrupt_model(), corrupt_rtl());
        let mut random = Random::new(seed);
        for cycle in 0..100 {
            let req = random.chance(192).then(|| any_request(&mut random));
            let (rsp_ready, inv_ready) = (random.chance(192), random.chance(192));
            let self_id = (seed % 2) as u8;
            let inputs = In { req, rsp_ready, inv_ready, ..quiet(self_id) };
            let out = model.tick(&inputs);
            assert_eq!(out, rtl.tick(&inputs), "seed {seed}, cycle {cycle}");
            codes[usize::from(out.err.unwrap_or(0))] += 1;
        }
        assert!(!model.failed());
    }
    let [_, src, op, addr, duplicate] = codes;
    assert!(src > 100 && op > 100 && addr == 0 && duplicate > 100, "{codes:?}");
}

/// Model and RTL after the sweep.
fn swept() -> (CoherenceDirectory, Rtl<CoherenceDirectory>) {
    let (mut model, mut rtl) = (corrupt_model(), corrupt_rtl());
    for _ in 0..8 {
        assert_eq!(model.tick(&quiet(0)), rtl.tick(&quiet(0)));
    }
    assert!(model.outputs().req_ready && rtl.outputs().req_ready);
    (model, rtl)
}

#[test]
fn rtl_fails_with_the_assertion_of_one_match_in_the_cycle_after_acceptance() {
    if !has_rtl() {
        return;
    }
    let (mut model, mut rtl) = swept();
    let mut codes = Vec::new();
    let mut failed = Vec::new();
    for cycle in 0..6 {
        // The request in cycle 0 has another base, which is no fault.
        let req = [lrd(NEXT), lrd(0)].get(cycle).copied();
        let inputs = In { req, ..quiet(0) };
        let out = model.tick(&inputs);
        assert_eq!(out, rtl.tick(&inputs), "both bodies go on");
        codes.push(out.err);
        failed.push(rtl.failed());
        assert!(!model.failed());
    }
    assert_eq!(codes, [None, None, None, Some(err::DUPLICATE), None, None]);
    // Accepted in cycle 1, in S1 in cycle 2.
    assert_eq!(failed, [false, false, true, true, true, true]);
    let messages = rtl.messages();
    assert!(messages.contains("OneMatch"), "{messages}");
    assert!(messages.contains("two ways of a set have the same base"), "{messages}");
    assert_eq!(messages.matches("two ways of a set").count(), 1, "{messages}");
}

#[test]
fn no_assertion_fails_while_base_0_is_not_asked_for() {
    if !has_rtl() {
        return;
    }
    let (_, mut rtl) = swept();
    for n in 1..20 {
        rtl.tick(&In { req: Some(rrd(1, n * NEXT)), ..quiet(0) });
    }
    assert!(!rtl.failed() && rtl.messages().is_empty(), "{}", rtl.messages());
}
