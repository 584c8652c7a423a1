//! The parameters of a machine's race detection blocks, and which machines can have them.

use cosim::catalog::Family;
use ports::common::race_types::RaceDetection;

use super::rule::{self, Rule};
use crate::config::{ConfigError, System};
use crate::l2;
use crate::registry;

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
/// Most places of a CU in a bank.
const MOST_PLACES: i64 = 255;
/// Places where nothing is said (chosen): twice the 32 miss registers of an L1 of `fermi-16sm`.
const PLACES: u32 = 64;

impl Parameters {
    /// Those of section `[race_detection]`, for the machine. Errors: the machine cannot have race
    /// detection, or not with these.
    pub fn of(system: &System) -> Result<Self, ConfigError> {
        let error = |field: &str, problem: String| ConfigError { field: field.into(), problem };
        check_machine(system)?;
        let m = &system.machine;
        let paper = RaceDetection::named().remove("paper").expect("it has a name");
        let n_sm = u32::from(m.chiplets) * u32::from(m.cus);
        let default = RaceDetection { n_sm, lines: system.l1.bytes / LINE, ..paper };
        let mut fields = toml::Table::try_from(&default).expect("they are numbers");
        fields.insert("places".into(), PLACES.into());
        fields.insert("without".into(), "".into());
        let mut fields = system.section("race_detection", fields, &["n_sm", "lines"])?;
        let given = system.sections.get("race_detection").and_then(|given| given.as_table());
        if given.is_none_or(|given| !given.contains_key("n_sat")) {
            // Section 4.3.3 has the limit for each size.
            let m = fields["m"].as_integer().expect("a number");
            fields.insert("n_sat".into(), (m / 8).into());
        }
        let places = fields.remove("places").and_then(|v| v.as_integer()).expect("a number");
        let without = fields.remove("without");
        let without = rule::named(without.as_ref().and_then(|v| v.as_str()).expect("a name"))?;
        let blocks: RaceDetection = fields
            .try_into()
            .map_err(|e: toml::de::Error| error("race_detection", e.message().to_string()))?;
        if !(1..=MOST_PLACES).contains(&places) {
            let problem = format!("{places}: must be 1 to {MOST_PLACES}");
            return Err(error("race_detection.places", problem));
        }
        blocks.validate().map_err(|e| {
            let problem = format!("{}: must be {}", e.value, e.limit);
            let with = format!("with l1.design = {}", system.l1.design);
            match e.name {
                "n_sm" => error("machine.cus", format!("CUs of a GPU, {problem} {with}")),
                "lines" => error("l1.bytes", format!("lines of an L1, {problem} {with}")),
                name => error(&format!("race_detection.{name}"), problem),
            }
        })?;
        let name = format!("{}, {n_sm} SMs, M {}", &system.l1.design, blocks.m);
        Ok(Self { blocks, places: places as u32, without, name })
    }
}

/// All CUs share the L2 of a line, which performs atomics; nobody else writes it while a kernel
/// runs (specification 5.6, 5.7 U13).
fn check_machine(system: &System) -> Result<(), ConfigError> {
    let m = &system.machine;
    let with = format!("with l1.design = {}", system.l1.design);
    let error = |field: &str, problem: String| Err(ConfigError { field: field.into(), problem });
    if m.gpus > 1 {
        let problem = format!("{}: must be 1 {with}: the order of writes is one GPU's", m.gpus);
        return error("machine.gpus", problem);
    }
    if m.line != LINE {
        return error("machine.line", format!("{}: must be {LINE} {with}", m.line));
    }
    let coherent =
        registry::find::<l2::Design>(&system.l2.design).is_some_and(|d| d.directory.is_some());
    if m.chiplets > 1 && coherent {
        let problem = format!(
            "{:?} caches lines in several L2s: {with} one L2 orders what is done to a line",
            system.l2.design
        );
        return error("l2.design", problem);
    }
    if !coherent && system.l2.policy == "private" {
        let problem = format!(
            "\"private\" performs atomics in the L3: {with} the L2, which is ordered, does"
        );
        return error("l2.policy", problem);
    }
    Ok(())
}
