//! Timestamp coherence, G-TSC and TC: each block by itself, and the reset of several that are
//! joined, by the rules and the worked examples of the specification.

use std::cell::Cell;
use std::fmt::Debug;
use std::panic::catch_unwind;
use std::thread::LocalKey;

use ports::timestamp::types::Timestamp;

/// Declares `with_implementations` of a block, which checks the model and the RTL, or, where
/// `DISABLED` names a rule, the model without this rule.
macro_rules! implementations {
    ($block:ty, $rule:ty) => {
        thread_local! {
            static DISABLED: std::cell::Cell<Option<$rule>> = const { std::cell::Cell::new(None) };
        }

        fn with_implementations(check: impl Fn(duet_tests::Make<$block>)) {
            if DISABLED.get().is_none() {
                return duet_tests::with_both_bodies::<$block>(check);
            }
            check(|config| {
                let rule = DISABLED.get().expect("a rule is disabled");
                Box::new(<$block>::without(config, rule).expect("legal parameters"))
            });
        }
    };
}

mod gtsc_rst;
mod timestamp_l1;
mod timestamp_l2;

/// Disables each rule: its tests must fail.
fn are_detected<R: Copy + PartialEq + Debug>(
    disabled: &'static LocalKey<Cell<Option<R>>>,
    rules: &[R],
    tests: &[(R, fn())],
) {
    for rule in rules {
        assert!(tests.iter().any(|(of, _)| of == rule), "{rule:?} has no test");
    }
    for &(rule, test) in tests {
        disabled.set(Some(rule));
        let fails = catch_unwind(test).is_err();
        disabled.set(None);
        assert!(fails, "a test passes without {rule:?}");
    }
}

/// A named configuration.
fn named(config: &str) -> Timestamp {
    duet_tests::parameters(config)
}
