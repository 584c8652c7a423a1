//! The well-known verdicts.

use super::{Promise, allowed, interleaving};
use crate::shapes;
use crate::test::Test;

fn shape(name: &str) -> Test {
    shapes::all().into_iter().find(|test| test.name == name).expect("a shape")
}

/// Whether the outcome that a shape is known for is allowed.
fn allows(name: &str, promise: Promise) -> bool {
    let test = shape(name);
    allowed(&test, promise).iter().any(|outcome| test.holds(outcome))
}

#[test]
fn axioms_of_sequential_consistency_are_its_interleavings() {
    for test in shapes::all() {
        assert_eq!(allowed(&test, Promise::Sc), interleaving::outcomes(&test), "{}", test.name);
    }
}

#[test]
fn a_weaker_promise_allows_no_less() {
    for test in shapes::all() {
        let sets = Promise::ALL.map(|promise| allowed(&test, promise));
        for pair in [[0, 1], [1, 2], [1, 3]] {
            let [strong, weak] = pair.map(|at| &sets[at]);
            assert!(strong.is_subset(weak), "{}: {pair:?}", test.name);
        }
    }
}

#[test]
fn sequential_consistency_forbids_what_shapes_are_known_for() {
    for test in shapes::all() {
        assert!(!allows(&test.name, Promise::Sc), "{}", test.name);
    }
}

/// Shapes of two threads or of a chain, and those for which threads must see a store at once.
const OF_ORDER: [&str; 7] = ["MP", "SB", "LB", "S", "R", "2+2W", "ISA2"];
const OF_ATOMICITY: [&str; 3] = ["WRC", "RWC", "IRIW"];

#[test]
fn fences_forbid_what_they_are_for() {
    for name in OF_ORDER.iter().chain(&OF_ATOMICITY) {
        let with = |suffix: &str, promise| allows(&format!("{name}{suffix}"), promise);
        assert!(with("", Promise::Rc), "{name}");
        assert!(!with("+fences", Promise::Rc), "{name}");
        assert!(with("+fences", Promise::Hrf), "{name}");
        assert!(!with("+cta+fences", Promise::Hrf), "{name}");
        let is_atomicity = OF_ATOMICITY.contains(name);
        assert_eq!(with("+fences", Promise::RcOwn), is_atomicity, "{name}");
    }
}

#[test]
fn a_location_has_one_order() {
    for name in ["CoRR", "CoWW", "CoWR", "CoRW", "CoRR2", "Add", "Exch", "Add+st"] {
        for promise in [Promise::Rc, Promise::RcOwn] {
            assert!(!allows(name, promise), "{name} under {}", promise.name());
        }
    }
    // Of a race whose scope the hardware does not have nothing is said but for atomics.
    for name in ["CoWW", "CoRW", "Add", "Exch", "CoRR+cta", "CoWR+cta"] {
        assert!(!allows(name, Promise::Hrf), "{name}");
    }
    for name in ["CoRR", "CoRR2"] {
        assert!(allows(name, Promise::Hrf), "{name}");
    }
}

#[test]
fn scopes_count() {
    assert!(!allows("MP+rel+acq", Promise::Rc));
    // Fences of a scope that has one thread alone order nothing for others.
    assert!(allows("MP+narrow", Promise::Rc));
    // Both sides must have one.
    assert!(allows("MP+fence+po", Promise::Rc));
    assert!(allows("MP+po+fence", Promise::Rc));
    assert!(!allows("MP+cta+bar", Promise::Hrf));
    assert!(!allows("MP+exch", Promise::RcOwn));
    assert!(allows("MP+exch", Promise::Hrf));
}
