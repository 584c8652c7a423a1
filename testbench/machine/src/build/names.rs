//! What may stand in the fields of a system file that name a design or a policy.

use crate::config::memory_model::{Fences, MemoryModel};
use crate::config::policy::Policy;
use crate::config::registry::{self, find};
use crate::config::resolved::{designs, policy};
use crate::config::section::Section;
use crate::config::{ALL_FIELDS, ConfigError, System};
use crate::context::copies::Extent;
use crate::context::places::Placement;
use crate::finepack::egress_path::PathKind;
use crate::gate;
use crate::l1::{self, NewL1Policy};
use crate::l2::{self, NewL2Policy};
use crate::l3;
use crate::launch::NewScheduler;
use ports::{did_you_mean, nearest_names};

pub const POLICIES: [(&str, Policy); 2] =
    [("private", Policy::Private), ("home-forward", Policy::HomeForward)];

pub const PLACEMENTS: [(&str, Placement); 6] = [
    ("first-touch", Placement::FirstTouch),
    ("interleave", Placement::Interleave),
    ("owner", Placement::Owner),
    ("replicated", Placement::Replicated(Extent::All)),
    ("replicated-by-page", Placement::Replicated(Extent::Pages)),
    ("replicated-by-line", Placement::Replicated(Extent::Lines)),
];

/// The L2 that the L1 design brings.
pub const OWN: &str = "own";

/// The sections that designs of this program have of their own, by name.
pub fn all_sections() -> Vec<&'static Section> {
    let designs = registry::all::<l1::Design>().into_iter().flat_map(|design| design.sections);
    let policies = registry::all::<NewL1Policy>().into_iter().flat_map(|policy| policy.sections);
    let of_l2 = registry::all::<NewL2Policy>().into_iter().flat_map(|policy| policy.sections);
    let of_groups = registry::all::<NewScheduler>().into_iter().flat_map(|new| new.sections);
    let mut all: Vec<_> = designs.chain(policies).chain(of_l2).chain(of_groups).collect();
    all.sort_by_key(|section| section.name);
    all.dedup_by_key(|section| section.name);
    all.extend([&gate::SECTION, &l3::SECTION]);
    all
}

/// The sections that a system may have beside those that all have.
pub fn own_sections(system: &System) -> Vec<&'static Section> {
    let design = find::<l1::Design>(&system.l1.design).map_or(&[][..], |l1| l1.sections);
    let l1 = find::<NewL1Policy>(&system.sharing.l1).map_or(&[][..], |policy| policy.sections);
    let l2 = find::<NewL2Policy>(&system.sharing.l2).map_or(&[][..], |policy| policy.sections);
    let groups = find::<NewScheduler>(&system.cu.scheduler).map_or(&[][..], |new| new.sections);
    let memory = (system.memory.model == l3::DRAM).then_some(&l3::SECTION);
    let others = [&gate::SECTION].into_iter().chain(memory);
    let mut all: Vec<_> = [design, l1, l2, groups].into_iter().flatten().chain(others).collect();
    all.sort_by_key(|section| section.name);
    all.dedup_by_key(|section| section.name);
    all
}

/// A section of a design stands only where that is chosen: else its figures would mean nothing.
pub fn check_sections(system: &System) -> Result<(), ConfigError> {
    let own = own_sections(system);
    let stray = |name: &&String| own.iter().all(|section| section.name != name.as_str());
    let Some(name) = system.sections.keys().find(stray) else { return Ok(()) };
    let has = |design: &&&l1::Design| design.sections.iter().any(|section| section.name == name);
    let all = registry::all::<l1::Design>();
    let names: Vec<_> = all.iter().filter(has).map(|design| design.name).collect();
    let requires = |field: &str, names: &str, value: &str| {
        format!("this section requires {field} = {names}; the file has {value:?}")
    };
    let problem = match names.is_empty() {
        true if name == l3::SECTION.name => {
            requires("memory.model", l3::DRAM, &system.memory.model)
        }
        true => {
            let known: Vec<_> = all_sections().iter().map(|section| section.name).collect();
            let every = System::OWN.iter().map(|section| section.name);
            let near = did_you_mean(name, every.chain(known.iter().copied()));
            let known = nearest_names(name, known, Some(ALL_FIELDS));
            format!("there is no such section; sections of designs: {known}{near}")
        }
        false => requires("l1.design", &names.join(", "), &system.l1.design),
    };
    Err(ConfigError { field: name.clone(), problem })
}

/// What may stand in a field that names a design or policy; nothing where the field does not.
pub fn names(field: &str) -> Vec<&'static str> {
    fn of<T>(list: &[(&'static str, T)]) -> Vec<&'static str> {
        list.iter().map(|(name, _)| *name).collect()
    }
    match field {
        "l1.design" => registry::names::<l1::Design>(),
        "l2.design" => registry::names::<l2::Design>().into_iter().chain([OWN]).collect(),
        "cu.scheduler" => registry::names::<NewScheduler>(),
        "sharing.l1" => registry::names::<NewL1Policy>(),
        "sharing.l2" => registry::names::<NewL2Policy>(),
        "l2.policy" => of(&POLICIES),
        "placement.policy" => of(&PLACEMENTS),
        "egress.design" => PathKind::ALL.map(PathKind::name).to_vec(),
        _ => Vec::new(),
    }
}

/// Fields that name a design or a policy, with each legal name. Those of `egress.design` are
/// [`PathKind::ALL`].
pub fn design_names() -> Vec<(&'static str, &'static str)> {
    ["l1.design", "l2.design", "l2.policy", "placement.policy", "cu.scheduler"]
        .into_iter()
        .chain(["sharing.l1", "sharing.l2"])
        .flat_map(|field| names(field).into_iter().map(move |name| (field, name)))
        .collect()
}

/// What an L1 or L2 design is, in a line, and what it promises.
pub fn about(field: &str, name: &str) -> Option<(&'static str, MemoryModel)> {
    match field {
        "l1.design" => find::<l1::Design>(name).map(|d| (d.about, d.promises)),
        "l2.design" if name == OWN => {
            Some(("the L2 that comes with the L1 design", MemoryModel::Sc))
        }
        "l2.design" => find::<l2::Design>(name).map(|d| (d.about, d.promises)),
        _ => None,
    }
}

/// What a scheduler of work-groups, or a policy of what caches keep, does, in a line.
pub fn about_policy(field: &str, name: &str) -> Option<&'static str> {
    match field {
        "cu.scheduler" => find::<NewScheduler>(name).map(|scheduler| scheduler.about),
        "sharing.l1" => find::<NewL1Policy>(name).map(|policy| policy.about),
        "sharing.l2" => find::<NewL2Policy>(name).map(|policy| policy.about),
        _ => None,
    }
}

/// What a machine promises: the least of what its designs do; but an L1 design that orders what is
/// done to a line needs of the L2 design no more than release consistency, and one that orders by
/// time has no time for what other GPUs do.
pub fn promises(system: &System) -> Result<MemoryModel, ConfigError> {
    let (l1, l2) = designs(system)?;
    let is_enough = l1.orders_l2 && l2.promises == MemoryModel::Rc;
    let both = if is_enough { l1.promises } else { l1.promises.min(l2.promises) };
    let is_one = l1.clock.is_none() || l1::clock(system).is_some();
    Ok(if is_one { both } else { both.min(MemoryModel::Rc) })
}

/// What fences of a machine order while a kernel runs. Several L2s that hold a line see each
/// other's stores when the kernel ends, or when an invalidation has come for which no fence waits;
/// and a store to another GPU is acknowledged before it is there.
pub fn fences(system: &System) -> Result<Fences, ConfigError> {
    let (l1, _) = designs(system)?;
    let m = &system.machine;
    let is_home = policy(system)? == Policy::HomeForward;
    let has_copies = m.gpus > 1 || (m.chiplets > 1 && !is_home);
    Ok(if has_copies { Fences::Group } else { l1.fences })
}

/// Whether an L1 design goes with an L2 design: with the one that it brings, or any if it brings
/// none.
pub fn go_together(l1: &str, l2: &str) -> bool {
    find::<l1::Design>(l1).is_some_and(|design| design.l2.is_some() == (l2 == OWN))
}

/// Whether `l2.policy` means anything to an L2 design: one with a directory has its own.
pub fn has_policy(l2: &str) -> bool {
    l2 == OWN || find::<l2::Design>(l2).is_some_and(|design| design.directory.is_none())
}
