//! What a machine is made of: names of the system file looked up, and what a design brings in the
//! place of what the file says. Checks look at this, and the machine is built from it: what a check
//! accepts is what is built.

use crate::build::{OWN, PLACEMENTS, POLICIES, check_sections};
use crate::config::bodies::Cp;
use crate::config::memory_model::MemoryModel;
use crate::config::policy::Policy;
use crate::config::registry::{self, Named};
use crate::config::{ConfigError, HASHES, ISSUES, System, choose};
use crate::context::places::Placement;
use crate::finepack::egress_path::PathKind;
use crate::gate;
use crate::l1::{self, NewL1Policy};
use crate::l2::{self, NewL2Policy};
use crate::l3;
use crate::launch::NewScheduler;

/// A system whose designs and policies are known, and within every limit that the machine relies
/// on.
#[derive(Clone, Copy)]
pub struct Resolved<'a> {
    /// What the file says.
    pub system: &'a System,
    /// Design of L1s.
    pub l1: &'static l1::Design,
    /// Design of L2s; that of the L1 design, if it brings one.
    pub l2: &'static l2::Design,
    /// Whose lines an L2 holds: with a directory not what `l2.policy` says.
    pub policy: Policy,
    /// Whether banks of coherent L2s send stores of their own GPU on at once.
    pub through: bool,
    /// Homes of pages.
    pub placement: Placement,
    /// Which lines L1s keep.
    pub sharing_l1: &'static NewL1Policy,
    /// Which lines L2 banks keep.
    pub sharing_l2: &'static NewL2Policy,
    /// Scheduler of work-groups.
    pub scheduler: &'static NewScheduler,
    /// From a GPU to its link.
    pub path: PathKind,
    /// How write queues account for what stores take of a payload.
    pub accounting: u8,
    /// CUs issue with a scoreboard.
    pub scoreboard: bool,
    /// What runs the firmware.
    pub host: Cp,
}

impl<'a> Resolved<'a> {
    /// Of a system. Errors: a name stands for nothing, designs do not go together, or a value is
    /// beyond a limit of what the machine has of it.
    pub fn of(system: &'a System) -> Result<Self, ConfigError> {
        system.check_numbers()?;
        let (l1, l2) = designs(system)?;
        choose("machine.hash", &system.machine.hash, &HASHES)?;
        let paths = PathKind::ALL.map(|kind| (kind.name(), kind));
        let resolved = Self {
            system,
            l1,
            l2,
            sharing_l1: registry::named(&system.sharing.l1)?,
            sharing_l2: registry::named(&system.sharing.l2)?,
            scheduler: registry::named(&system.cu.scheduler)?,
            policy: policy(system)?,
            through: l2::are_through(system)?,
            placement: choose("placement.policy", &system.placement.policy, &PLACEMENTS)?,
            path: choose("egress.design", &system.egress.design, &paths)?,
            accounting: gate::accounting(system)?,
            scoreboard: choose("cu.issue", &system.cu.issue, &ISSUES)?,
            host: choose("command_processor.host", &system.command_processor.host, &Cp::HOSTS)?,
        };
        resolved.check()?;
        Ok(resolved)
    }

    /// What goes together, then what each part needs of the machine.
    fn check(&self) -> Result<(), ConfigError> {
        let Self { system, l1, l2, .. } = *self;
        if self.sharing_l1.new.is_some() && !l1.asks_policy {
            return Err(places_lines(self.sharing_l1, "l1.design", l1.name));
        }
        if self.sharing_l2.new.is_some() && !l2.asks_policy {
            return Err(places_lines(self.sharing_l2, "l2.design", l2.name));
        }
        if let Placement::Replicated(_) = self.placement {
            self.check_copies()?;
        }
        check_sections(system)?;
        l3::check(self)?;
        gate::check(system)?;
        (l1.check)(self)?;
        (self.sharing_l1.check)(self)?;
        (self.sharing_l2.check)(self)?;
        (self.scheduler.check)(self)?;
        l2::check_directory(system)
    }

    /// A copy has its GPU's newest values, and those of others when their kernels have ended: no
    /// more. Designs that know of one copy of a line, or promise more, do not go with it.
    fn check_copies(&self) -> Result<(), ConfigError> {
        let Self { system, l1, l2, .. } = *self;
        let refused = |field: &str, design: &str, why: &str| {
            let problem =
                format!("{:?}: not with {field} = {design}, which {why}", system.placement.policy);
            Err(ConfigError { field: "placement.policy".into(), problem })
        };
        if l2.directory.is_some() {
            return refused(
                "l2.design",
                l2.name,
                "tracks the sharers of the one home copy of a line",
            );
        }
        if l1.promises > MemoryModel::Rc || l1.bank.is_some() || l1.unit.is_some() {
            return refused("l1.design", l1.name, "orders all accesses to the one copy of a line");
        }
        if l1.l2.is_some() {
            return refused(
                "l1.design",
                l1.name,
                "has an L2 that does not push stores to other copies",
            );
        }
        Ok(())
    }
}

/// A policy of what caches keep does not go with a design that does not ask one.
fn places_lines<T: Named>(policy: &T, field: &str, design: &str) -> ConfigError {
    let problem = format!(
        "{:?}: caches with {field} = {design} have their own replacement policy",
        policy.name()
    );
    ConfigError { field: T::FIELD.into(), problem }
}

/// The designs of a system. Errors: there is none of the name, or they do not go together.
pub fn designs(system: &System) -> Result<(&'static l1::Design, &'static l2::Design), ConfigError> {
    let l1 = registry::named::<l1::Design>(&system.l1.design)?;
    let name = &system.l2.design;
    let error = |problem: String| ConfigError { field: "l2.design".into(), problem };
    match &l1.l2 {
        Some(l2) if name == OWN => Ok((l1, l2)),
        Some(_) => {
            Err(error(format!("{name:?}: l1.design = {} brings its own L2, {OWN:?}", l1.name)))
        }
        None if name == OWN => {
            Err(error(format!("{name:?}: l1.design = {} brings no L2", l1.name)))
        }
        None => Ok((l1, registry::named(name)?)),
    }
}

/// Whose lines the L2s of a system hold. Errors: as of [`designs`], or there is no such policy.
pub fn policy(system: &System) -> Result<Policy, ConfigError> {
    let named = choose("l2.policy", &system.l2.policy, &POLICIES)?;
    let (_, l2) = designs(system)?;
    Ok(if l2.directory.is_some() { Policy::Coherent } else { named })
}
