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

/// Whether a test's condition is allowed; SC by axioms is compared with its interleavings.
fn may(text: &str, promise: Promise) -> bool {
    let test = crate::parse("f", text).unwrap();
    assert_eq!(allowed(&test, Promise::Sc), interleaving::outcomes(&test), "{text}");
    allowed(&test, promise).iter().any(|outcome| test.holds(outcome))
}

#[test]
fn a_compare_and_swap_is_won_once_and_writes_only_then() {
    let text = |a: &str, b: &str, condition: &str| {
        format!(
            "PTX T\n{{ x=0; }}\nP0@cta 0,gpu 0 | P1@cta 1,gpu 0;\n\
             atom.relaxed.gpu.cas r0, x, {a} | atom.relaxed.gpu.cas r0, x, {b};\n\
             exists ({condition})"
        )
    };
    for promise in Promise::ALL {
        let both = "0:r0 == 0 /\\ 1:r0 == 0".replace("\\\\", "\\");
        let may = |a, b, condition: &str| may(&text(a, b, condition), promise);
        assert!(!may("0, 1", "0, 2", &both), "{}: both win", promise.name());
        assert!(may("0, 1", "0, 2", "1:r0 == 1 && x == 1"), "the second fails and writes nothing");
        assert!(!may("0, 1", "0, 2", "1:r0 == 1 && x == 2"));
        assert!(may("0, 1", "1, 2", "x == 2"), "one after the other");
        assert!(!may("5, 1", "6, 2", "x != 0"), "neither finds what it expects");
    }
}

/// A failed one is no write: it comes between no other atomic's load and store, and no load reads
/// from it.
#[test]
fn a_failed_compare_and_swap_is_no_write() {
    let text = "PTX T\n{ x=0; }\nP0@cta 0,gpu 0 | P1@cta 0,gpu 0;\n\
                atom.cas r0, x, 7, 9 | st x, 1; | atom.add r0, x, 0; exists (0:r0 == 0 && x == 9)";
    for promise in Promise::ALL {
        assert!(!may(text, promise), "{}", promise.name());
    }
}

#[test]
fn a_subtraction_adds_the_negative() {
    let text = "PTX T\n{ x=2; }\nP0@cta 0,gpu 0 | P1@cta 1,gpu 0;\n\
                atom.relaxed.sys.sub r0, x, 1 | red.relaxed.sys.minus x, 3; exists (x != -2)";
    for promise in Promise::ALL {
        assert!(!may(text, promise), "{}", promise.name());
    }
}

/// A message from P0 to P2, which meet at barriers of some threads alone.
#[test]
fn barriers_order_those_who_meet() {
    let text = |p0: &str, p1: &str, p2: &str| {
        format!(
            "PTX T\n{{ x=0; }}\nP0@cta 0,gpu 0 | P1@cta 0,gpu 0 | P2@cta 0,gpu 0;\n\
             st x, 1 | {p1} | {p2};\n{p0} | | ld r0, x; exists (2:r0 == 0)"
        )
    };
    let met = "bar.cta.sync 1, 2";
    for promise in Promise::ALL {
        assert!(!may(&text(met, "", met), promise), "{}", promise.name());
        assert!(may(&text(met, met, ""), promise), "P2 is not there: {}", promise.name());
    }
    // By way of P1, which passes one barrier after the other.
    let chain = |first: u32, second: u32| {
        format!(
            "PTX T\n{{ x=0; }}\nP0@cta 0,gpu 0 | P1@cta 0,gpu 0 | P2@cta 0,gpu 0;\n\
             st x, 1 | bar.cta.sync {first}, 2 | bar.cta.sync 2, 2;\n\
             bar.cta.sync 1, 2 | bar.cta.sync {second}, 2 | ld r0, x;\nexists (2:r0 == 0)"
        )
    };
    for promise in Promise::ALL {
        assert!(!may(&chain(1, 2), promise), "{}", promise.name());
        assert!(may(&chain(2, 1), promise), "P1 meets P2 first: {}", promise.name());
    }
}

/// Threads of two GPUs: only a fence of scope sys reaches the other one.
#[test]
fn scopes_reach_over_gpus() {
    let text = |scope: &str| {
        format!(
            "PTX T\n{{ x=0; y=0; }}\nP0@cta 0,gpu 0 | P1@cta 0,gpu 1;\n\
             st x, 1 | ld r0, y;\nfence.sc.{scope} | fence.sc.{scope};\nst y, 1 | ld r1, x;\n\
             exists (1:r0 == 1 && 1:r1 == 0)"
        )
    };
    for promise in [Promise::Rc, Promise::RcOwn] {
        assert!(!may(&text("sys"), promise), "{}", promise.name());
        assert!(may(&text("gpu"), promise), "{}", promise.name());
        assert!(may(&text("cta"), promise), "one number of a work-group on two GPUs");
    }
    // What machines of several GPUs promise.
    assert!(may(&text("sys"), Promise::Hrf));
    let add = "PTX T\n{ x=0; }\nP0@cta 0,gpu 0 | P1@cta 0,gpu 1;\n\
               atom.add.sys r0, x, 1 | red.relaxed.sys.add x, 1; exists (x != 2)"
        .replace("atom.add.sys", "atom.sys.add");
    assert!(!may(&add, Promise::Hrf), "no atomic is lost");
}

/// OpenCL's sequentially consistent accesses forbid SB, of release and acquire they do not.
#[test]
fn orders_of_opencl_are_those_of_their_fences() {
    let text = |store: &str, load: &str, scope: &str| {
        let thread = |own: &str, other: &str, number: u32| {
            format!(
                "P{number}@wg {number}, dev 0 (global atomic_int* x, global atomic_int* y) {{\n\
                 atomic_store_explicit({own}, 1, memory_order_{store}, memory_scope_{scope});\n\
                 int r = atomic_load_explicit({other}, memory_order_{load}, \
                 memory_scope_{scope});\n}}\n"
            )
        };
        let (p0, p1) = (thread("x", "y", 0), thread("y", "x", 1));
        format!("OPENCL SB\n{{ [x]=0; [y]=0; }}\n{p0}{p1}exists (0:r=0 && 1:r=0)")
    };
    assert!(!may(&text("seq_cst", "seq_cst", "device"), Promise::Rc));
    assert!(may(&text("release", "acquire", "device"), Promise::Rc));
    assert!(may(&text("seq_cst", "seq_cst", "work_group"), Promise::Rc));
    assert!(may(&text("seq_cst", "seq_cst", "work_item"), Promise::Rc));
    assert!(!may(&text("relaxed", "relaxed", "work_item"), Promise::Sc));
}
