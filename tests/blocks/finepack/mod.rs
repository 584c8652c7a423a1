//! FinePack's blocks against the specification, by oracles that know nothing of the models: on both
//! bodies, and on models that lack a rule, which an oracle must see.

mod depacketizer;
mod latency;
mod packetizer;
mod path;
mod remote_write_queue;

use duet_tests::{Body, parameters, with_both_bodies};
use hwmodel::Model;
use ports::ConfigError;
use ports::finepack::types::FinePack;

use crate::checks::{Random, ensure};

/// The bodies that a check looks at.
struct Bodies<'a, M: Model> {
    make: &'a dyn Fn(&M::Config) -> Body<M>,
    /// How many random runs.
    runs: u64,
}

/// A check, and its name. What is wrong is its error.
type Check<M> = (&'static str, fn(&Bodies<M>) -> Result<(), String>);

/// A block's parameters in a named configuration.
fn named<C: for<'a> From<&'a FinePack>>(name: &str) -> C {
    C::from(&parameters::<FinePack>(name))
}

/// Both bodies of a block pass its checks.
fn hold<M: cosim::catalog::Pair + 'static>(checks: &[Check<M>]) {
    with_both_bodies::<M>(|make| {
        let bodies = Bodies { make: &make, runs: 12 };
        for (name, check) in checks {
            check(&bodies).unwrap_or_else(|wrong| panic!("{name}: {wrong}"));
        }
    });
}

/// Each rule is missed: without it the model fails a check.
fn are_missed<M: Model + 'static, R: Copy + std::fmt::Debug + 'static>(
    checks: &[Check<M>],
    rules: &[R],
    without: fn(&M::Config, R) -> Result<M, ConfigError>,
) {
    let mut unseen = Vec::new();
    for &rule in rules {
        let make = |config: &M::Config| -> Body<M> {
            Box::new(without(config, rule).expect("legal parameters"))
        };
        let bodies = Bodies { make: &make, runs: 60 };
        let seen = checks.iter().find_map(|(name, check)| Some((name, check(&bodies).err()?)));
        match seen {
            Some((name, wrong)) => println!("{rule:?}: {name}: {wrong}"),
            None => unseen.push(rule),
        }
    }
    assert!(unseen.is_empty(), "nothing misses {unseen:?}");
}

/// The runs of a mask, lowest first: first byte and length.
fn runs(mask: u128) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for k in (0..128).filter(|k| mask >> k & 1 == 1) {
        match runs.last_mut() {
            Some((first, len)) if *first + *len == k => *len += 1,
            _ => runs.push((k, 1)),
        }
    }
    runs
}
