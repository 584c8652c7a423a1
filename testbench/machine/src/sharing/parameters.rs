//! The parameters of a machine's sharing-aware blocks, and which machines can have them.

use cosim::catalog::Family;
use ports::Limit::Names;
use ports::sharing::types::Sharing;
use ports::{ConfigError as Illegal, Fields, fields};

use super::rule::{self, Rule};
use crate::config::policy::Policy;
use crate::config::resolved::policy;
use crate::config::section::{Section, defaults};
use crate::config::{ConfigError, System};

fields! {
    /// What the machine has beside the blocks.
    struct Besides of Self {
        /// A disabled rule (ablation); empty: none.
        without: String = Names(rule::names), "", "specification 8";
    }
}

/// Section `[sharing_aware]`.
pub const SECTION: Section = Section {
    name: "sharing_aware",
    about: "Sharing-aware scheduling and caching: work-group schedulers, policies of L1s and of L2 \
            banks. Sizes of caches and numbers of CUs follow from the machine.",
    fields: &[Sharing::FIELDS, Besides::FIELDS],
    fixed: &["n_sm", "slots", "cta_w", "l1_sets", "l1_ways", "l2_sets", "l2_ways", "l2_mshr"],
    default: |system| {
        let mut table = defaults(&blocks(system));
        table.extend(defaults(&Besides { without: String::new() }));
        Ok(table)
    },
};

/// Most work-groups on a CU that a block of a machine counts.
const MOST_SLOTS: u32 = 16;

/// The paper's, for the machine. A block has the next power of 2 of a cache's sets; of those that
/// the cache does not have are not sent. SMs are those that a bank can be asked by; a scheduler
/// has those of its chiplet.
fn blocks(system: &System) -> Sharing {
    let paper = Sharing::named().remove("paper").expect("it has a name");
    let System { machine: m, l1, l2, cu, .. } = system;
    let sets = |bytes: u64, ways: u32| {
        let sets = bytes / u64::from(ways.max(1)) / u64::from(m.line);
        u32::try_from(sets.next_power_of_two()).unwrap_or(u32::MAX)
    };
    let groups = if cu.groups == 0 { cu.waves } else { cu.groups.min(cu.waves) };
    // Chiplets whose CUs ask a bank; those of other GPUs are one SM more.
    let policy = policy(system).ok();
    let chiplets = if policy == Some(Policy::Private) { 1 } else { u32::from(m.chiplets) };
    let others = u32::from(m.gpus > 1);
    // A directory's bank has as many again for lines of other chiplets.
    let peers = policy == Some(Policy::Coherent) && u32::from(m.chiplets) * u32::from(m.gpus) > 1;
    Sharing {
        n_sm: chiplets * u32::from(m.cus) + others,
        slots: groups.min(MOST_SLOTS),
        l1_sets: sets(l1.bytes.into(), l1.ways),
        l1_ways: l1.ways,
        l2_sets: sets(l2.bytes / u64::from(l2.banks.max(1)), l2.ways),
        l2_ways: l2.ways,
        l2_mshr: l2.misses * (1 + u32::from(peers)),
        ..paper
    }
}

/// Those of the blocks.
#[derive(Clone, Debug)]
pub struct Parameters {
    pub blocks: Sharing,
    /// The rule that is not kept.
    pub without: Option<Rule>,
}

impl Parameters {
    /// Those of section `[sharing_aware]`, for the machine. Errors: as of the section.
    pub fn of(system: &System) -> Result<Self, ConfigError> {
        let blocks = system.parameters(&SECTION)?;
        let Besides { without } = system.parameters(&SECTION)?;
        Ok(Self { blocks, without: rule::named(&without)? })
    }

    /// Those of the scheduler of a chiplet.
    pub fn of_scheduler(system: &System) -> Result<Self, ConfigError> {
        let mut parameters = Self::of(system)?;
        parameters.blocks.n_sm = system.machine.cus.into();
        Ok(parameters)
    }
}

/// Why a system cannot have what it names in `field`.
pub fn refused(field: &str, name: &str, illegal: &Illegal) -> ConfigError {
    let Illegal { name: parameter, value, limit } = illegal;
    let what = match *parameter {
        "n_sm" if field == "cu.scheduler" => "CUs of a chiplet (machine.cus)",
        "n_sm" => "CUs that access an L2 bank (machine.cus, machine.chiplets, machine.gpus)",
        "slots" => "work-groups of a CU (cu.groups)",
        "l1_sets" => "sets of an L1 (l1.bytes, l1.ways)",
        "l1_ways" => "ways of an L1 (l1.ways)",
        "l2_sets" => "sets of an L2 bank (l2.bytes, l2.ways, l2.banks)",
        "l2_ways" => "ways of an L2 bank (l2.ways)",
        "l2_mshr" => "MSHRs of an L2 bank (l2.misses)",
        other => other,
    };
    let problem = format!("{name:?} needs the {what}, {value}, to be {limit}");
    ConfigError { field: field.to_string(), problem }
}
