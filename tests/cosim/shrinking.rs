//! Property tests over lockstep: a bug that is put into the RTL is found and shrunk to the few
//! requests that it takes.

use bodies::Variant;
use cosim::report::RunName;
use cosim::{Lockstep, Rtl, RtlOptions};
use duet_tests::{counting, has_rtl, model, parameters};
use hwmodel::Block;
use hwmodel::finepack::remote_write_queue::RemoteWriteQueue;
use ports::finepack::remote_write_queue::{Config, In};
use ports::finepack::types::FinePack;
use ports::finepack::types::{Req, drain_kind, op};
use proptest::prelude::*;
use proptest::test_runner::{
    Config as TestConfig, RngAlgorithm, TestCaseResult, TestError, TestRng, TestRunner,
};

/// `Line` of configuration `small`.
const LINE: u64 = 16;

/// What the property draws. Simpler ones stand first: shrinking goes towards them.
#[derive(Clone, Debug)]
enum Step {
    Idle(u8),
    Store { line: u64, mask: u16 },
    Release,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        1 => (1u8..8).prop_map(Step::Idle),
        8 => (0u64..4, 1u16..).prop_map(|(line, mask)| Step::Store { line, mask }),
        1 => Just(Step::Release),
    ];
    prop::collection::vec(step, 1..60)
}

type Pair = Lockstep<RemoteWriteQueue>;

/// Both bodies, a packetizer that is always ready, and MARKs that complete at once.
struct Bench {
    pair: Pair,
    cpl: Option<u8>,
}

impl Bench {
    /// True when the request of this cycle is accepted.
    fn cycle(&mut self, req: Option<Req>) -> bool {
        let cpl = self.cpl;
        let out = self.pair.tick(&In { req, drain_ready: true, cpl, ..In::default() });
        self.cpl = out.drain.filter(|drain| drain.kind == drain_kind::MARK).map(|drain| drain.dest);
        out.req_ready
    }

    fn send(&mut self, req: Req) {
        while !self.cycle(Some(req)) {}
    }
}

/// Runs these steps in lockstep with a variant of the RTL body.
fn agrees(variant: &Variant, steps: &[Step]) -> TestCaseResult {
    let small = Config::from(&parameters::<FinePack>("small"));
    let options = RtlOptions { variant: variant.clone(), registers: 0 };
    let rtl = Rtl::with(&small, &options).map_err(|e| TestCaseError::fail(e.to_string()))?;
    let run = RunName { config: "small".into(), seed: 0 };
    let pair = Lockstep::new(run, &small, model::<RemoteWriteQueue>("small"), rtl, 0);
    let mut bench = Bench { pair, cpl: None };
    for (i, step) in steps.iter().enumerate() {
        match *step {
            Step::Idle(cycles) => (0..cycles).for_each(|_| _ = bench.cycle(None)),
            Step::Store { line, mask } => {
                let mask = mask.into();
                let data = counting(mask, i as u8);
                let addr = line * LINE;
                bench.send(Req { op: op::STORE, dest: 1, addr, mask, data, ..Req::default() });
            }
            Step::Release => bench.send(Req { op: op::RELEASE_SYS, ..Req::default() }),
        }
    }
    for _ in 0..40 {
        bench.cycle(None);
    }
    match bench.pair.mismatch() {
        Some(found) => Err(TestCaseError::fail(found.to_string())),
        None => Ok(()),
    }
}

/// The same cases in every run.
fn runner() -> TestRunner {
    let config = TestConfig { cases: 256, failure_persistence: None, ..TestConfig::default() };
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}

#[test]
fn body_without_a_bug_agrees_in_256_cases() {
    if has_rtl() {
        let result = runner().run(&steps(), |steps| agrees(&Variant::default(), &steps));
        result.unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn seeded_bug_is_shrunk_to_the_requests_that_it_takes() {
    if !has_rtl() {
        return;
    }
    let seeded_bug = Variant::defining("DUET_SEEDED_BUG");
    let result = runner().run(&steps(), |steps| agrees(&seeded_bug, &steps));
    let Err(TestError::Fail(reason, steps)) = result else {
        panic!("the bug is not found: {result:?}");
    };
    println!("{steps:?}\n{reason}");
    // Three lines, a second store to the third, an odd one, and whatever shows its lost mask.
    assert!(steps.len() <= 5, "{steps:?}");
    let line = |i: usize| match steps[i] {
        Step::Store { line, .. } => line,
        _ => panic!("{steps:?}"),
    };
    assert_eq!((line(2), line(3) % 2), (line(3), 1), "{steps:?}");
    assert!(reason.message().starts_with("MISMATCH remote_write_queue."), "{reason}");
    assert!(agrees(&Variant::default(), &steps).is_ok());
}
