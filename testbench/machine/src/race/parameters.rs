//! The parameters of a machine's race detection blocks, and which machines can have them.

use cosim::catalog::Family;
use ports::Limit::{Names, Range};
use ports::race::types::RaceDetection;
use ports::{Fields, fields};

use super::rule::{self, Rule};
use crate::config::policy::Policy;
use crate::config::resolved::Resolved;
use crate::config::section::{Section, defaults};
use crate::config::{ConfigError, System};

/// Those of the blocks, and of the L2 banks.
#[derive(Clone, Debug)]
pub struct Parameters {
    pub blocks: RaceDetection,
    /// Places of a CU in each L2 bank (specification 5.6, T3).
    pub places: u32,
    /// The rule that is not kept.
    pub without: Option<Rule>,
    /// How reports call them.
    pub name: String,
}

/// Bytes of a line (specification 2).
const LINE: u32 = 128;

fields! {
    /// What the machine has beside the blocks.
    struct Besides of Self {
        /// Places of a CU in each L2 bank.
        places: u32 = Range(1, 255), "requests", "specification 5.6, T3";
        /// A disabled rule (ablation); empty: none.
        without: String = Names(rule::names), "", "specification 6";
    }
}

/// Section `[race_detection]`.
pub const SECTION: Section = Section {
    name: "race_detection",
    about: "Race detection: race detection unit, access validation units, speculative load queues, \
            and the request order in L2 banks.",
    fields: &[RaceDetection::FIELDS, Besides::FIELDS],
    fixed: &["n_sm", "lines"],
    default: |system| {
        let mut table = defaults(&blocks(system));
        // Places: chosen, twice the 32 miss registers of an L1 of `fermi-16sm`.
        table.extend(defaults(&Besides { places: 64, without: String::new() }));
        Ok(table)
    },
};

/// The paper's, for the machine.
fn blocks(system: &System) -> RaceDetection {
    let paper = RaceDetection::named().remove("paper").expect("it has a name");
    let n_sm = u32::from(system.machine.chiplets) * u32::from(system.machine.cus);
    let given = system.given(&SECTION).and_then(|given| given.get("m")?.as_integer());
    let m = given.and_then(|m| u32::try_from(m).ok()).unwrap_or(paper.m);
    // Section 4.3.3 has the limit for each size.
    RaceDetection { n_sm, lines: system.l1.bytes / LINE, n_sat: m / 8, ..paper }
}

impl Parameters {
    /// Those of section `[race_detection]`, for the machine. Errors: the blocks cannot have
    /// these.
    pub fn of(system: &System) -> Result<Self, ConfigError> {
        let error = |field: &str, problem: String| ConfigError { field: field.into(), problem };
        let blocks: RaceDetection = system.parameters(&SECTION)?;
        let Besides { places, without } = system.parameters(&SECTION)?;
        let without = rule::named(&without)?;
        blocks.validate().map_err(|e| {
            let problem = format!("{}: must be {}", e.value, e.limit);
            let with = format!("with l1.design = {}", system.l1.design);
            match e.name {
                "n_sm" => error("machine.cus", format!("CUs of a GPU, {problem} {with}")),
                "lines" => error("l1.bytes", format!("lines of an L1, {problem} {with}")),
                name => error(&format!("race_detection.{name}"), problem),
            }
        })?;
        let name = format!("{}, {} SMs, M {}", &system.l1.design, blocks.n_sm, blocks.m);
        Ok(Self { blocks, places, without, name })
    }
}

/// All CUs share the L2 of a line, which performs atomics; no other agent writes it while a kernel
/// runs (specification 5.6, 5.7 U13).
pub fn check(machine: &Resolved) -> Result<(), ConfigError> {
    let Resolved { system, l1, l2, policy, .. } = *machine;
    let m = &system.machine;
    let with = format!("with l1.design = {}", l1.name);
    let error = |field: &str, problem: String| Err(ConfigError { field: field.into(), problem });
    if m.gpus > 1 {
        let problem = format!("{}: must be 1 {with}: writes are ordered within one GPU", m.gpus);
        return error("machine.gpus", problem);
    }
    if m.line != LINE {
        return error("machine.line", format!("{}: must be {LINE} {with}", m.line));
    }
    match policy {
        Policy::Coherent if m.chiplets > 1 => {
            let several = "caches lines in several L2s";
            let problem =
                format!("{:?} {several}: {with} one L2 orders all accesses to a line", l2.name);
            error("l2.design", problem)
        }
        Policy::Private => {
            let problem = format!(
                "\"private\" performs atomics in the L3: {with} the L2 must perform them, in order"
            );
            error("l2.policy", problem)
        }
        _ => Parameters::of(system).map(|_| ()),
    }
}
