//! Random histories: those of a random order of execution, some of them changed.

use proptest::prelude::*;
use proptest::sample::Index;

use super::case::{Case, Op};
use super::search;

#[derive(Clone, Debug)]
struct Step {
    what: u8,
    line: u64,
    span: (u32, u32),
    /// Added to the version that is right.
    off: i32,
    own: Vec<Index>,
    extra: u8,
}

fn step() -> impl Strategy<Value = Step> {
    let off = prop_oneof![12 => Just(0), 1 => Just(-1), 1 => Just(1), 1 => Just(-2)];
    let own = prop_oneof![6 => Just(0..1), 1 => Just(1..3)];
    let own = own.prop_flat_map(|count| prop::collection::vec(any::<Index>(), count));
    (0..20u8, 0..2u64, (0..3u32, 1..3u32), off, own, 0..12u8)
        .prop_map(|(what, line, span, off, own, extra)| Step { what, line, span, off, own, extra })
}

#[derive(Clone, Debug)]
struct Plan {
    waves: Vec<(Vec<Step>, bool)>,
    turns: Vec<Index>,
    swaps: Vec<(Index, bool)>,
}

fn plan() -> impl Strategy<Value = Plan> {
    let wave = (prop::collection::vec(step(), 1..5), prop::bool::weighted(0.4));
    let swaps = prop_oneof![
        4 => Just(Vec::new()),
        1 => prop::collection::vec((any::<Index>(), any::<bool>()), 1..3),
    ];
    (prop::collection::vec(wave, 1..5), prop::collection::vec(any::<Index>(), 24), swaps)
        .prop_map(|(waves, turns, swaps)| Plan { waves, turns, swaps })
}

fn shape(step: &Step) -> Vec<Op> {
    let line = step.line * 0x80;
    let mask = ((1 << step.span.1) - 1) << step.span.0;
    let load = || Op::Load { line, mask, version: 0, own: Vec::new() };
    let mut ops = match step.extra {
        0 => vec![Op::Cancelled],
        1 => vec![Op::Replayed(vec![load(), load()])],
        _ => Vec::new(),
    };
    ops.push(match step.what {
        0..10 => load(),
        10..16 => Op::Store { line, mask },
        16..18 => Op::Atomic { line, mask, version: 0 },
        _ => Op::Barrier,
    });
    ops
}

/// Executes the plan in some order, so that its versions are right, and then changes some.
fn case(plan: &Plan) -> Case {
    let mut waves = Vec::new();
    let mut steps = Vec::new();
    let mut groups = Vec::new();
    for (list, joins) in &plan.waves {
        let group = groups.last().map_or(0, |last| last + usize::from(!*joins));
        groups.push(group);
        let mut ops = Vec::new();
        let mut of = Vec::new();
        for step in list {
            let new = shape(step);
            of.extend(new.iter().map(|_| step.clone()));
            ops.extend(new);
        }
        waves.push(ops);
        steps.push(of);
    }
    let mut case = Case { waves, groups, order: Vec::new(), performed: Vec::new() };
    let mut done = vec![0; case.waves.len()];
    let mut turn = 0;
    loop {
        let able: Vec<_> = (0..done.len()).filter(|&wave| is_able(&case, wave, &done)).collect();
        if able.is_empty() {
            break;
        }
        let wave = able[plan.turns[turn % plan.turns.len()].index(able.len())];
        turn += 1;
        let at = (wave, done[wave]);
        let writes = |case: &Case, line: u64| {
            let same = |at: &&(usize, usize)| case.op(**at).changes().is_some_and(|c| c.0 == line);
            case.order.iter().filter(same).count() as u32
        };
        match &case.waves[wave][done[wave]] {
            Op::Barrier => {
                case.pass(case.groups[wave], &mut done);
                continue;
            }
            &Op::Load { line, .. } | &Op::Atomic { line, .. } => {
                let right = writes(&case, line);
                if let Op::Load { version, .. } | Op::Atomic { version, .. } =
                    &mut case.waves[wave][at.1]
                {
                    *version = right;
                }
            }
            _ => {}
        }
        if case.op(at).changes().is_some() {
            case.order.push(at);
        }
        done[wave] += 1;
    }
    for (swap, of_order) in &plan.swaps {
        if case.order.len() > 1 {
            let at = swap.index(case.order.len() - 1);
            // Both: the order changes, and what is performed with it.
            case.order.swap(at, at + 1);
            if *of_order {
                case.performed.push((at, at + 1));
            }
        }
    }
    let swaps = std::mem::take(&mut case.performed);
    case.performed.clone_from(&case.order);
    swaps.iter().for_each(|&(a, b)| case.performed.swap(a, b));
    disturb(&mut case, &steps);
    case
}

fn is_able(case: &Case, wave: usize, done: &[usize]) -> bool {
    match case.waves[wave].get(done[wave]) {
        None => false,
        Some(Op::Barrier) => case.may_pass(case.groups[wave], done),
        Some(_) => true,
    }
}

fn disturb(case: &mut Case, steps: &[Vec<Step>]) {
    let all = case.performed.clone();
    let lines: Vec<_> = all.iter().map(|&at| case.op(at).changes().unwrap().0).collect();
    for (wave, list) in case.waves.iter_mut().enumerate() {
        for (at, op) in list.iter_mut().enumerate() {
            let step = &steps[wave][at];
            if let Op::Load { line, version, .. } | Op::Atomic { line, version, .. } = op {
                let most = lines.iter().filter(|l| *l == line).count() as i32;
                *version = (*version as i32 + step.off).clamp(0, most) as u32;
            }
            if let Op::Load { line, own, .. } = op {
                let same: Vec<_> = (0..all.len()).filter(|&k| lines[k] == *line).collect();
                if !same.is_empty() {
                    own.extend(step.own.iter().map(|pick| all[same[pick.index(same.len())]]));
                }
            }
        }
    }
}

/// The oracle and the search agree, and the order that it gives is one.
fn agree(plan: &Plan) -> Result<bool, TestCaseError> {
    let case = case(plan);
    let right = search::explains(&case);
    match case.run() {
        Ok(placed) => {
            prop_assert!(right, "no order explains {case:#?}");
            search::verify(&case, &placed);
        }
        Err(text) => prop_assert!(!right, "{text}, but some order explains {case:#?}"),
    }
    Ok(right)
}

#[test]
fn the_oracle_agrees_with_a_search() {
    use proptest::test_runner::{Config, RngSeed, TestRunner};
    let config = Config { cases: 8000, rng_seed: RngSeed::Fixed(1), ..Config::default() };
    let config = Config { failure_persistence: None, ..config };
    let outcomes = std::cell::Cell::new((0, 0));
    let result = TestRunner::new(config).run(&plan(), |plan| {
        let (yes, no) = outcomes.get();
        let right = agree(&plan)?;
        outcomes.set((yes + u32::from(right), no + u32::from(!right)));
        Ok(())
    });
    result.unwrap_or_else(|e| panic!("{e}"));
    let (yes, no) = outcomes.get();
    assert!(yes > 1500 && no > 1500, "{yes} explained and {no} not");
}
