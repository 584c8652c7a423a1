//! What `--json` writes: the records of `run`, `cosim` and `compare`, from which their schemas are
//! made, too.

use std::collections::BTreeMap;

use cosim::body::BodyKind;
use cosim::runner::Outcome;
use cosim::socket::BlockUse;
use machine::{Cycle, KernelUse, Machine, RunError};
use schemars::JsonSchema;
use serde::Serialize;

use super::job::{self, Job};

/// The result of `duet run`.
#[derive(Serialize, JsonSchema)]
pub struct Run {
    /// PASS or FAIL.
    verdict: &'static str,
    /// Name of the system.
    system: String,
    /// What its sizes and bandwidths were divided by.
    scale: u32,
    /// Name and checksum of the program.
    pub workload: String,
    /// Seed of its input.
    seed: u64,
    /// Seed of `--perturb`; only where it is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    perturb: Option<u64>,
    /// What ran the firmware: native, iss, rtl or lockstep.
    cp: &'static str,
    /// Cycles of the GPU's clock.
    pub cycles: u64,
    /// The same in nanoseconds.
    pub time_ns: u64,
    /// Of `--sample`; only where it is given. Cycles, kernels and counters are then estimates.
    #[serde(skip_serializing_if = "Option::is_none")]
    sampled: Option<Sampled>,
    /// What was compared with the program's values.
    pub values: Values,
    /// The blocks with model and RTL, by name.
    blocks: BTreeMap<&'static str, Block>,
    /// The kernels of one name together, in the order of their first launch.
    pub kernels: Vec<Kernel>,
    /// Statistics; `duet list --json` has units and meanings.
    pub counters: BTreeMap<String, u64>,
}

/// What is known of estimated cycles.
#[derive(Serialize, JsonSchema)]
struct Sampled {
    /// Lower end of the interval in which the cycles of the full run are expected.
    cycles_low: u64,
    /// Its upper end.
    cycles_high: u64,
    /// Launches.
    launches: u32,
    /// Those of them that were simulated.
    simulated_launches: u32,
    /// Cycles that were simulated.
    simulated_cycles: u64,
}

/// Values that were compared.
#[derive(Serialize, JsonSchema)]
pub struct Values {
    /// Loads.
    pub loads_checked: u64,
    /// Of these, those with one right value.
    pub loads_determined: u64,
    /// Of these, those with several.
    pub loads_racy: u64,
    /// Atomics.
    pub atomics_checked: u64,
    /// Bytes of memory after releases.
    pub released_bytes_checked: u64,
    /// Wrong values: a run ends with the first.
    pub mismatches: u64,
}

/// All instances of a block.
#[derive(Serialize, JsonSchema)]
struct Block {
    /// model, rtl, lockstep, or several.
    #[serde(rename = "impl")]
    body: &'static str,
    /// Instances.
    instances: u32,
    /// Cycles of its clock.
    cycles: u64,
    /// Of these, those in which an instance did something.
    busy_cycles: u64,
    /// Cycle of the last transfer.
    last_transfer: Option<u64>,
    /// Transfers of all instances, by port.
    transfers: BTreeMap<&'static str, u64>,
}

/// All launches of the kernels of one name.
#[derive(Serialize, JsonSchema)]
pub struct Kernel {
    /// Name.
    pub name: String,
    /// How often it was launched.
    pub launches: u32,
    /// Cycles from the host's submitting to the last GPU's completion signal.
    pub cycles: u64,
    /// The increase of every statistic that grew.
    counters: BTreeMap<String, u64>,
}

impl Run {
    /// Of a run that has ended.
    pub fn of(
        args: &job::Args,
        job: &Job,
        machine: &Machine,
        passed: bool,
        result: &Result<Cycle, RunError>,
    ) -> Self {
        let (checked, estimate) = (machine.checked(), machine.estimate());
        let block = |used: BlockUse| {
            let block = Block {
                body: used.body.map_or("several", BodyKind::name),
                instances: used.instances,
                cycles: used.cycles,
                busy_cycles: used.busy,
                last_transfer: used.last_transfer,
                transfers: used.transfers.into_iter().collect(),
            };
            (used.name, block)
        };
        let kernel = |used: &KernelUse| {
            let KernelUse { name, launches, cycles, counters } = used.clone();
            Kernel { name, launches, cycles, counters }
        };
        Self {
            verdict: if passed { "PASS" } else { "FAIL" },
            system: job.system.name.clone(),
            scale: job.system.scale,
            workload: job.workload.clone(),
            seed: args.seed(),
            perturb: args.perturb,
            cp: machine.cp().name(),
            cycles: estimate.cycles,
            time_ns: job.time_ns(estimate.cycles),
            sampled: machine.is_sampled().then(|| Sampled {
                cycles_low: estimate.low,
                cycles_high: estimate.high,
                launches: estimate.launches,
                simulated_launches: estimate.simulated,
                simulated_cycles: machine.cycle(),
            }),
            values: Values {
                loads_checked: checked.loads,
                loads_determined: checked.determined,
                loads_racy: checked.racy,
                atomics_checked: checked.atomics,
                released_bytes_checked: checked.released_bytes,
                mismatches: u64::from(matches!(result, Err(RunError::Wrong(..)))),
            },
            blocks: machine.blocks().into_iter().map(block).collect(),
            kernels: estimate.kernels.iter().map(kernel).collect(),
            counters: estimate.statistics.into_iter().collect(),
        }
    }
}

/// The result of `duet cosim`.
#[derive(Serialize, JsonSchema)]
pub struct Cosim {
    /// Block, or `finepack`.
    block: String,
    /// Configuration; `FILE.config.toml` beside the result has all parameters.
    config: String,
    /// Seed of the stimulus.
    seed: u64,
    /// Cycles that were compared.
    cycles: u64,
    /// Transfers, by port.
    transfers: BTreeMap<&'static str, u64>,
    /// Per cent of the busiest cycles, by port.
    busiest_percent: BTreeMap<&'static str, u64>,
    /// How often each situation was reached.
    coverage: BTreeMap<&'static str, u64>,
    /// 1 if model and RTL differ.
    mismatches: u64,
    /// The report of the first difference.
    mismatch: Option<String>,
}

impl Cosim {
    /// Of a run that has ended.
    pub fn of(block: &str, config: &str, seed: u64, outcome: &Outcome) -> Self {
        Self {
            block: block.to_string(),
            config: config.to_string(),
            seed,
            cycles: outcome.cycles,
            transfers: outcome.transfers.iter().copied().collect(),
            busiest_percent: outcome.busiest.iter().copied().collect(),
            coverage: outcome.coverage.iter().copied().collect(),
            mismatches: u64::from(outcome.mismatch.is_some()),
            mismatch: outcome.mismatch.as_ref().map(ToString::to_string),
        }
    }
}

/// A number of each side of a comparison.
#[derive(Clone, Copy, Serialize, JsonSchema)]
pub struct Sides {
    /// On models.
    pub model: u64,
    /// On RTL.
    pub rtl: u64,
}

/// The result of `duet compare --vary`.
#[derive(Serialize, JsonSchema)]
pub struct Varied {
    /// PASS or FAIL.
    pub verdict: &'static str,
    /// Name of the system.
    pub system: String,
    /// What its sizes and bandwidths were divided by.
    pub scale: u32,
    /// The combinations; the first is what speedups are over.
    pub variants: Vec<VariedVariant>,
    /// Each program with each seed on each combination.
    pub runs: Vec<VariedRun>,
}

/// A combination of what varies.
#[derive(Serialize, JsonSchema)]
pub struct VariedVariant {
    /// Its values, by field.
    pub values: BTreeMap<String, String>,
    /// All fields of the system that it sets.
    pub set: BTreeMap<String, String>,
    /// Geometric mean of the speedups of all programs and seeds: without perturbation, then for
    /// each perturbed run; null where a run has failed.
    pub speedup: Option<Vec<f64>>,
}

/// A program with a seed on a combination.
#[derive(Serialize, JsonSchema)]
pub struct VariedRun {
    /// Number of the combination, from 0.
    pub variant: usize,
    /// Name and checksum of the program.
    pub workload: String,
    /// Seed of its input.
    pub seed: u64,
    /// Cycles of the GPU's clock; null where the run has failed.
    pub cycles: Option<u64>,
    /// Cycles of the perturbed runs.
    pub perturbed_cycles: Vec<Option<u64>>,
    /// Speedups over the first combination: without perturbation, then for each perturbed run.
    pub speedup: Vec<f64>,
    /// Statistics of the run without perturbation; `duet list --json` has units and meanings.
    pub counters: BTreeMap<String, u64>,
}

/// The result of `duet compare` of model and RTL.
#[derive(Serialize, JsonSchema)]
pub struct Compare {
    /// PASS or FAIL.
    pub verdict: &'static str,
    /// Name of the system.
    pub system: String,
    /// What its sizes and bandwidths were divided by.
    pub scale: u32,
    /// Name and checksum of the program.
    pub workload: String,
    /// Seed of its input.
    pub seed: u64,
    /// Seed of `--perturb`; only where it is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub perturb: Option<u64>,
    /// Cycles of the GPU's clock.
    pub cycles: Sides,
    /// The same in nanoseconds.
    pub time_ns: Sides,
    /// The blocks with model and RTL, by name.
    pub blocks: BTreeMap<&'static str, ComparedBlock>,
    /// Counters that differ.
    pub counters: BTreeMap<String, Sides>,
    /// The first transfer whose cycle differs, of each place that has one.
    pub first_differences: Vec<String>,
}

/// All instances of a block, on each side.
#[derive(Serialize, JsonSchema)]
pub struct ComparedBlock {
    /// Instances.
    pub instances: u32,
    /// Cycles of its clock.
    pub cycles: Sides,
    /// Of these, those in which an instance did something.
    pub busy_cycles: Sides,
    /// Cycle of the last transfer.
    pub last_transfer: Sides,
    /// Transfers of all instances, by port.
    pub transfers: BTreeMap<&'static str, Sides>,
}
