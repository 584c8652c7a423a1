//! How often a signature of M / 8 keys says of another key that it is a member (specification 5.1).
//!
//! The table:
//!
//! ```sh
//! cargo test --release -p duet-tests --test blocks false_positives -- --nocapture
//! ```

use std::collections::BTreeSet;

use cosim::stimulus::Random;
use ports::race::access_validation_unit as avu;
use ports::race::race_detection_unit as rdu;
use ports::race::types::{Query, RaceDetection, Req, req_kind};

use super::{Bodies, MODELS, named, on_both};

const SIZES: [u32; 6] = [256, 1024, 2048, 4096, 8192, 16384];
/// Bytes of a granule.
const GRANULES: [u32; 4] = [1, 4, 128, 512];
/// The formula's rate in per cent: 6 hashes, M / 8 keys.
const FORMULA: f64 = 2.16;
/// Runs of which the mean counts, and keys that each of them asks about.
const RUNS: u64 = 32;
const ASKED: u32 = 10_000;

/// Which keys are written, and asked about.
#[derive(Clone, Copy, Debug)]
enum Keys {
    Random,
    /// From a random one on, so far apart.
    Apart(u32),
}

impl Keys {
    /// So many different ones that addresses of 32 bits have.
    fn take(self, r: &mut Random, gran: u32, count: usize) -> Vec<u32> {
        let last = u32::MAX / gran;
        if let Keys::Apart(stride) = self {
            let first = r.word() as u32;
            return (0..count as u32).map(|k| first.wrapping_add(stride * k) & last).collect();
        }
        let (mut seen, mut keys) = (BTreeSet::new(), Vec::new());
        while keys.len() < count {
            let key = r.word() as u32 & last;
            if seen.insert(key) {
                keys.push(key);
            }
        }
        keys
    }
}

/// SM 0 writes M / 8 keys, SM 1 gets its signature, and its validation unit is asked about others.
/// Returns how many are said to be members.
fn members(bodies: Bodies, config: &RaceDetection, keys: Keys, seed: u64) -> u32 {
    let RaceDetection { m, gran, .. } = *config;
    let n = m as usize / 8;
    let all = keys.take(&mut Random::new(seed), gran, n + ASKED as usize);
    let (written, asked) = all.split_at(n);
    let mut unit = (bodies.unit)(&config.into());
    let mut avu = (bodies.avu)(&config.into());
    let request = |key: u32| {
        let addr = key * gran;
        Req { kind: req_kind::WRITE, id: 0, mask: 1 << (addr % 128), addr }
    };
    let mut requests: Vec<_> = written.iter().rev().map(|&key| request(key)).collect();
    let mut reads = false;
    while avu.outputs().epoch == 0 {
        let out = unit.outputs();
        let mut inputs = rdu::In { tok_ready: true, rsp_ready: !0b10, ..rdu::In::default() };
        if let Some(&req) = requests.last() {
            (inputs.req_valid, inputs.req[0]) = (1, req);
            if out.req_ready & 1 != 0 {
                requests.pop();
            }
        } else if out.idle && !reads {
            // Not all of them have set a new bit, so that it was not forced: a race brings it.
            reads = true;
            let kind = req_kind::RDCHK;
            (inputs.req_valid, inputs.req[1]) = (0b10, Req { kind, ..request(written[0]) });
        }
        inputs.rsp_ready |= u16::from(avu.outputs().rsp_ready) << 1;
        let rsp = (out.rsp_valid & 0b10 != 0).then_some(out.rsp[1]);
        unit.tick(&inputs);
        avu.tick(&avu::In { rsp, ..avu::In::default() });
    }
    let mut ask = |keys: &[u32]| {
        let mut count = 0;
        for keys in keys.chunks(config.v_lanes as usize) {
            let mut inputs = avu::In { slq_busy: true, ..avu::In::default() };
            for (v, &key) in keys.iter().enumerate() {
                inputs.q_valid |= 1 << v;
                inputs.q[v] = Query { size: 0, addr: key * gran };
            }
            avu.tick(&inputs);
            count += avu.outputs().q_member.count_ones();
        }
        assert!(!avu.failed());
        count
    };
    assert_eq!(ask(written) as usize, n, "no false negative");
    ask(asked)
}

/// Of a hundred: the mean, the least and the most of the runs.
fn rate(config: &RaceDetection, keys: Keys) -> [f64; 3] {
    let of = |seed| f64::from(members(MODELS, config, keys, seed)) / f64::from(ASKED) * 100.0;
    let runs: Vec<f64> = (1..=RUNS).map(of).collect();
    let mean = runs.iter().sum::<f64>() / RUNS as f64;
    [mean, runs.iter().copied().fold(f64::MAX, f64::min), runs.iter().copied().fold(0.0, f64::max)]
}

#[test]
fn false_positives_are_as_many_as_specified() {
    println!("mean of {RUNS} signatures (least, most), per cent; the formula says {FORMULA}");
    println!("{:>6} {:>5} {:>21} {:>21} {:>21}", "M", "GRAN", "random", "sequential", "stride 32");
    for m in SIZES {
        for gran in GRANULES {
            let config = RaceDetection {
                n_sm: 2,
                m,
                n_sat: m / 8,
                gran,
                lanes: 8,
                v_lanes: 8,
                ..named("small")
            };
            let kinds = [Keys::Random, Keys::Apart(1), Keys::Apart(32)];
            let rates = kinds.map(|keys| rate(&config, keys));
            let show = |[mean, least, most]: [f64; 3]| format!("{mean:.2} ({least:.2}, {most:.2})");
            let [random, sequential, stride] = rates.map(show);
            println!("{m:>6} {gran:>5} {random:>21} {sequential:>21} {stride:>21}");
            let [random, sequential, stride] = rates.map(|[mean, ..]| mean);
            assert!((1.9..2.5).contains(&random), "{m} bits, {gran} bytes: random");
            let most = if m == 256 { 4.2 } else { 3.4 };
            assert!((1.5..most).contains(&sequential), "{m} bits, {gran} bytes: sequential");
            // Fewer than specified: see docs/errata.md.
            let least = if m == 1024 { 1.0 } else { 1.5 };
            assert!((least..most).contains(&stride), "{m} bits, {gran} bytes: stride");
        }
    }
}

#[test]
fn false_positives_of_both_bodies_are_the_same() {
    on_both(|bodies| {
        for name in ["small", "small-word", "paper", "wide"] {
            let config = named(name);
            assert_eq!(config.n_sat, config.m / 8);
            for keys in [Keys::Random, Keys::Apart(1), Keys::Apart(32)] {
                let [model, body] = [MODELS, bodies].map(|b| members(b, &config, keys, 7));
                assert_eq!(body, model, "{name}, {keys:?}");
            }
        }
    });
}
