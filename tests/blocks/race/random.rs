//! A race detection unit and the access validation units of its SMs under random requests, beside
//! exact sets of what each SM has not seen (specification 8).

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use cosim::stimulus::Random;
use duet_tests::{Body, Make};
use hwmodel::Block;
use hwmodel::race::access_validation_unit::AccessValidationUnit;
use hwmodel::race::race_detection_unit::{RaceDetectionUnit, Rule};
use ports::race::types::{Query, RaceDetection, Req, req_kind, rsp_kind};
use ports::race::{access_validation_unit as avu, race_detection_unit as rdu};

use super::{Bodies, MODELS, full_at_once, named, on_both};

/// Granules in use.
const KEYS: u32 = 8;

/// What an SM has sent, and what it should know.
#[derive(Default)]
struct Sm {
    next: Req,
    offers: bool,
    /// Requests without answer: id and key.
    sent: VecDeque<(u8, u8, u32)>,
    /// Granules that others have written since the last snapshot; those of the snapshots whose
    /// signature has yet to arrive.
    unseen: BTreeSet<u32>,
    arriving: VecDeque<BTreeSet<u32>>,
    /// The last signature that arrived, and for how many cycles it is asked about.
    seen: BTreeSet<u32>,
    asking: u8,
    /// Queries of the last cycle.
    asked: u8,
}

/// What is wrong, if anything.
fn run(
    mut unit: Body<RaceDetectionUnit>,
    avu: Make<AccessValidationUnit>,
    config: &RaceDetection,
    seed: u64,
    seen: &mut BTreeMap<u8, u32>,
) -> Result<(), String> {
    let mut r = Random::new(seed);
    let n_sm = config.n_sm as usize;
    let mut avus: Vec<_> = (0..n_sm).map(|_| avu(&config.into())).collect();
    let mut sms: Vec<Sm> = (0..n_sm).map(|_| Sm::default()).collect();
    let (busy, slow) = (1 + r.below(8), 1 + r.below(4));
    let mut id = 0u8;
    // Headers that were shown in the last cycle and stay.
    let mut stay = 0u16;
    for cycle in 0..1500 {
        let out = unit.outputs();
        let is_new = |sm: &usize| out.rsp_valid & !stay & 1 << sm != 0 && out.rsp[*sm].hdr;
        let new: Vec<_> = (0..n_sm).filter(is_new).collect();
        let is_forced = |sm: usize| out.rsp[sm].kind == rsp_kind::FORCED;
        // The one that was in C goes first.
        for &sm in new.iter().filter(|&&sm| !is_forced(sm)) {
            let rsp = out.rsp[sm];
            let (of, kind, key) = sms[sm].sent.pop_front().ok_or("an answer to nothing")?;
            if of != rsp.id {
                return Err(format!("cycle {cycle}: order of SM {sm}"));
            }
            if kind == req_kind::WRITE || kind == req_kind::ATOM {
                for other in (0..n_sm).filter(|&other| other != sm) {
                    sms[other].unseen.insert(key);
                }
            } else if rsp.kind == rsp_kind::NORACE && sms[sm].unseen.contains(&key) {
                return Err(format!("cycle {cycle}: a race of SM {sm} is not seen"));
            }
        }
        for &sm in &new {
            *seen.entry(out.rsp[sm].kind).or_default() += 1;
            if out.rsp[sm].sync {
                let unseen = std::mem::take(&mut sms[sm].unseen);
                sms[sm].arriving.push_back(unseen);
            }
        }
        let mut inputs = rdu::In { tok_ready: r.below(slow) == 0, ..Default::default() };
        for (sm, avu) in avus.iter_mut().enumerate() {
            let state = &mut sms[sm];
            let shown = avu.outputs();
            if shown.done.is_some_and(|done| done.sync) {
                state.seen = state.arriving.pop_front().ok_or("a sync without a snapshot")?;
                state.asking = 2;
            }
            if shown.q_member != state.asked {
                return Err(format!("cycle {cycle}: a write is not in the signature"));
            }
            if shown.err.is_some() {
                return Err(format!("cycle {cycle}: error {:?} of SM {sm}", shown.err));
            }
            state.asked = 0;
            let mut q = <[Query; 8]>::default();
            if state.asking > 0 && !state.seen.is_empty() {
                for (lane, q) in q[..config.v_lanes as usize].iter_mut().enumerate() {
                    let key = state.seen.iter().nth(r.below(state.seen.len() as u32) as usize);
                    *q = Query { size: 0, addr: key.expect("one of them") * config.gran };
                    state.asked |= 1 << lane;
                }
            }
            state.asking = state.asking.saturating_sub(1);
            let valid = out.rsp_valid >> sm & 1 != 0 && r.below(4) != 0;
            inputs.rsp_ready |= u16::from(valid && shown.rsp_ready) << sm;
            avu.tick(&avu::In {
                rsp: valid.then_some(out.rsp[sm]),
                q_valid: state.asked,
                q,
                slq_busy: r.below(8) == 0,
                ..Default::default()
            });
            if !state.offers && cycle < 1200 && r.below(8) < busy {
                let (kind, key) = (r.below(4) as u8, r.below(KEYS));
                id = id.wrapping_add(1);
                let addr = key * config.gran + r.below(config.gran);
                state.next = Req { kind, id, mask: 1 << (addr % 128), addr };
                state.offers = true;
            }
            inputs.req_valid |= u16::from(state.offers) << sm;
            inputs.req[sm] = state.next;
            if state.offers && out.req_ready >> sm & 1 != 0 {
                state.offers = false;
                let Req { id, kind, addr, .. } = state.next;
                state.sent.push_back((id, kind, addr / config.gran));
            }
        }
        stay = out.rsp_valid & !inputs.rsp_ready;
        unit.tick(&inputs);
        if unit.failed() || avus.iter().any(|avu| avu.failed()) {
            return Err(format!("cycle {cycle}: an assertion of the RTL"));
        }
    }
    if !unit.outputs().idle || sms.iter().any(|sm| !sm.sent.is_empty()) {
        return Err("it does not end".to_string());
    }
    // Nothing is in flight: all that was snapped has arrived.
    let all = sms.iter().all(|sm| sm.arriving.is_empty());
    all.then_some(()).ok_or("a signature did not arrive".to_string())
}

/// Parameters by a seed.
fn random(seed: u64) -> RaceDetection {
    let mut r = Random::new(seed);
    let small = named("small");
    RaceDetection {
        n_sm: 2 + r.below(4),
        m: r.pick(&[256, 1024, 2048]),
        n_sat: 1 + r.below(8),
        epoch_w: 2 + r.below(4),
        rq_n: 1 + r.below(4),
        v_lanes: 1 + r.below(8),
        ..small
    }
}

#[test]
fn no_write_of_another_sm_is_missed() {
    let mut seen = BTreeMap::new();
    for seed in 1..=200 {
        let config = random(seed);
        let unit = (MODELS.unit)(&(&config).into());
        run(unit, MODELS.avu, &config, seed, &mut seen)
            .unwrap_or_else(|wrong| panic!("{seed}: {wrong}"));
    }
    assert!((0..4).all(|kind| seen[&kind] > 1000), "{seen:?}");
}

#[test]
fn no_write_is_missed_on_either_body() {
    on_both(|Bodies { unit, avu, .. }| {
        let mut seen = BTreeMap::new();
        // The last: signatures of four chunks, two queries in a cycle.
        for config in [named("small"), full_at_once(), named("small-half-page")] {
            for seed in 1..=30 {
                run(unit(&(&config).into()), avu, &config, seed, &mut seen)
                    .unwrap_or_else(|wrong| panic!("{config:?}, {seed}: {wrong}"));
            }
        }
        assert!((0..4).all(|kind| seen[&kind] > 1000), "{seen:?}");
    });
}

#[test]
fn disabled_rules_are_found() {
    for rule in [Rule::InsertFirst, Rule::CopyApart, Rule::QueueOrder] {
        let found = (1..=200).find(|&seed| {
            let config = random(seed);
            let unit = RaceDetectionUnit::without(&(&config).into(), rule);
            let unit = Box::new(unit.expect("legal parameters"));
            run(unit, MODELS.avu, &config, seed, &mut BTreeMap::new()).is_err()
        });
        assert!(found.is_some(), "{rule:?}");
    }
}
