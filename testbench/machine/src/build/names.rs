//! What may stand in the fields of a system file that name a design or a policy.

use super::super::config::{ConfigError, System};
use super::super::l1;
use super::super::l2::{self, Policy};
use super::super::memory_model::MemoryModel;
use super::super::places::Placement;
use crate::egress_path::PathKind;

pub const POLICIES: [(&str, Policy); 2] =
    [("private", Policy::Private), ("home-forward", Policy::HomeForward)];

pub const PLACEMENTS: [(&str, Placement); 3] = [
    ("first-touch", Placement::FirstTouch),
    ("interleave", Placement::Interleave),
    ("owner", Placement::Owner),
];

/// Every design and policy that a system names exists.
pub fn check_names(system: &System) -> Result<(), ConfigError> {
    choose("l1.design", &system.l1.design, l1::DESIGNS)?;
    choose("l2.design", &system.l2.design, l2::DESIGNS)?;
    choose("l2.policy", &system.l2.policy, &POLICIES)?;
    choose("placement.policy", &system.placement.policy, &PLACEMENTS)?;
    choose("egress.design", &system.egress.design, &PathKind::ALL.map(|k| (k.name(), k)))?;
    Ok(())
}

/// What may stand in a field that names a design or policy; nothing where the field does not.
pub fn names(field: &str) -> Vec<&'static str> {
    fn of<T>(list: &[(&'static str, T)]) -> Vec<&'static str> {
        list.iter().map(|(name, _)| *name).collect()
    }
    match field {
        "l1.design" => of(l1::DESIGNS),
        "l2.design" => of(l2::DESIGNS),
        "l2.policy" => of(&POLICIES),
        "placement.policy" => of(&PLACEMENTS),
        "egress.design" => PathKind::ALL.map(PathKind::name).to_vec(),
        _ => Vec::new(),
    }
}

/// Fields that name a design or a policy, with each legal name. Those of `egress.design` are
/// [`PathKind::ALL`].
pub fn design_names() -> Vec<(&'static str, &'static str)> {
    ["l1.design", "l2.design", "l2.policy", "placement.policy"]
        .into_iter()
        .flat_map(|field| names(field).into_iter().map(move |name| (field, name)))
        .collect()
}

/// What an L1 or L2 design is, in a line, and what it promises.
pub fn about(field: &str, name: &str) -> Option<(&'static str, MemoryModel)> {
    let l1 = |d: &l1::Design| (d.about, d.promises);
    let l2 = |d: &l2::Design| (d.about, d.promises);
    match field {
        "l1.design" => l1::DESIGNS.iter().find(|(n, _)| *n == name).map(|(_, d)| l1(d)),
        "l2.design" => l2::DESIGNS.iter().find(|(n, _)| *n == name).map(|(_, d)| l2(d)),
        _ => None,
    }
}

/// What a machine promises: the least of what its designs do.
pub fn promises(system: &System) -> Result<MemoryModel, ConfigError> {
    let l1 = choose("l1.design", &system.l1.design, l1::DESIGNS)?;
    let l2 = choose("l2.design", &system.l2.design, l2::DESIGNS)?;
    Ok(l1.promises.min(l2.promises))
}

/// Whether an L1 design goes with an L2 design: hooks in L2 banks need banks that call them.
pub fn go_together(l1: &str, l2: &str) -> bool {
    let l1 = l1::DESIGNS.iter().find(|(name, _)| *name == l1);
    let l2 = l2::DESIGNS.iter().find(|(name, _)| *name == l2);
    l1.zip(l2).is_some_and(|((_, l1), (_, l2))| l1.bank.is_none() || l2.directory.is_none())
}

/// Whether `l2.policy` means anything to an L2 design: one with a directory has its own.
pub fn has_policy(l2: &str) -> bool {
    l2::DESIGNS.iter().any(|(name, design)| *name == l2 && design.directory.is_none())
}

/// What a name stands for.
pub fn choose<T: Copy>(field: &str, name: &str, among: &[(&str, T)]) -> Result<T, ConfigError> {
    among.iter().find(|(n, _)| *n == name).map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<_> = among.iter().map(|(n, _)| *n).collect();
        let problem = format!("{name:?} is none of {}", names.join(", "));
        ConfigError { field: field.to_string(), problem }
    })
}
