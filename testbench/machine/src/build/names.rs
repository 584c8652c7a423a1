//! What may stand in the fields of a system file that name a design or a policy.

use super::super::config::{ConfigError, System, choose};
use super::super::l1;
use super::super::l2;
use super::super::launch::SCHEDULERS;
use super::super::memory_model::MemoryModel;
use super::super::places::Placement;
use super::super::policy::Policy;
use crate::egress_path::PathKind;

pub const POLICIES: [(&str, Policy); 2] =
    [("private", Policy::Private), ("home-forward", Policy::HomeForward)];

pub const PLACEMENTS: [(&str, Placement); 3] = [
    ("first-touch", Placement::FirstTouch),
    ("interleave", Placement::Interleave),
    ("owner", Placement::Owner),
];

/// The L2 that the L1 design brings.
const OWN: &str = "own";

/// The designs of a system. Errors: there is none of the name, or they do not go together.
pub fn designs(system: &System) -> Result<(l1::Design, l2::Design), ConfigError> {
    let l1 = choose("l1.design", &system.l1.design, l1::DESIGNS)?;
    let name = &system.l2.design;
    let error = |problem: String| ConfigError { field: "l2.design".into(), problem };
    let (l1_name, own) = (&system.l1.design, name == OWN);
    match l1.l2 {
        Some(l2) if own => Ok((l1, l2)),
        Some(_) => {
            Err(error(format!("{name:?}: l1.design = {l1_name} brings its own L2, {OWN:?}")))
        }
        None if own => Err(error(format!("{name:?}: l1.design = {l1_name} brings no L2"))),
        None => Ok((l1, choose("l2.design", name, l2::DESIGNS)?)),
    }
}

/// Every design and policy that a system names exists, and they go together.
pub fn check_names(system: &System) -> Result<(), ConfigError> {
    let (l1, _) = designs(system)?;
    choose("cu.scheduler", &system.cu.scheduler, SCHEDULERS)?;
    choose("l2.policy", &system.l2.policy, &POLICIES)?;
    choose("placement.policy", &system.placement.policy, &PLACEMENTS)?;
    choose("egress.design", &system.egress.design, &PathKind::ALL.map(|k| (k.name(), k)))?;
    check_sections(system, &l1)?;
    (l1.check)(system)
}

/// A section of a design stands only where that is chosen: else its figures would mean nothing.
fn check_sections(system: &System, l1: &l1::Design) -> Result<(), ConfigError> {
    let mut sections = system.design_sections().into_iter();
    let stray = sections.find(|(section, given)| *given && !l1.sections.contains(section));
    let Some((section, _)) = stray else { return Ok(()) };
    let has = |(_, design): &&(_, l1::Design)| design.sections.contains(&section);
    let names: Vec<_> = l1::DESIGNS.iter().filter(has).map(|(name, _)| *name).collect();
    let whose = match names.is_empty() {
        true => "no design".to_string(),
        false => format!("l1.design = {}", names.join(", ")),
    };
    let problem = format!("this section belongs to {whose}, and here is {:?}", system.l1.design);
    Err(ConfigError { field: section.into(), problem })
}

/// What may stand in a field that names a design or policy; nothing where the field does not.
pub fn names(field: &str) -> Vec<&'static str> {
    fn of<T>(list: &[(&'static str, T)]) -> Vec<&'static str> {
        list.iter().map(|(name, _)| *name).collect()
    }
    match field {
        "l1.design" => of(l1::DESIGNS),
        "l2.design" => of(l2::DESIGNS).into_iter().chain([OWN]).collect(),
        "cu.scheduler" => of(SCHEDULERS),
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
        "l2.design" if name == OWN => Some(("the L2 that the L1 design brings", MemoryModel::Sc)),
        "l2.design" => l2::DESIGNS.iter().find(|(n, _)| *n == name).map(|(_, d)| l2(d)),
        _ => None,
    }
}

/// What a machine promises: the least of what its designs do.
pub fn promises(system: &System) -> Result<MemoryModel, ConfigError> {
    let (l1, l2) = designs(system)?;
    Ok(l1.promises.min(l2.promises))
}

/// Whether an L1 design goes with an L2 design: with the one that it brings, or any if it brings
/// none.
pub fn go_together(l1: &str, l2: &str) -> bool {
    let l1 = l1::DESIGNS.iter().find(|(name, _)| *name == l1);
    l1.is_some_and(|(_, design)| design.l2.is_some() == (l2 == OWN))
}

/// Whether `l2.policy` means anything to an L2 design: one with a directory has its own.
pub fn has_policy(l2: &str) -> bool {
    l2 == OWN || l2::DESIGNS.iter().any(|(name, d)| *name == l2 && d.directory.is_none())
}
