//! The same run on models and on RTL, side by side.

use std::collections::BTreeMap;

use cosim::body::BodyKind;
use cosim::socket::{BlockUse, Log};
use machine::sequential::Keep;
use machine::{Bodies, Machine, Options, PHASES, RunError};

use super::super::job::{Job, run_failure};
use super::super::output::JsonFile;
use super::super::record::{self, ComparedBlock, Sides};
use super::super::{DIFFER, Failure, bodies, keep, progress};
use super::{Args, Cp};

impl Sides {
    fn differ(self) -> bool {
        self.model != self.rtl
    }

    /// A line of the table.
    fn print(self, label: &str) {
        let Self { model, rtl } = self;
        let difference = i128::from(rtl) - i128::from(model);
        let per_cent = match (model, difference) {
            (_, 0) => "0 %".to_string(),
            (0, _) => "-".to_string(),
            _ => format!("{:+.3} %", 100.0 * difference as f64 / model as f64),
        };
        println!("  {label:<24}{model:>14}{rtl:>14}{difference:>12}{per_cent:>12}");
    }
}

/// What one side came to.
struct Side {
    machine: Machine,
    cycles: u64,
    blocks: Vec<BlockUse>,
    counters: BTreeMap<String, u64>,
}

/// What runs the firmware: what was chosen, else what the system says.
fn host(args: &Args, job: &Job) -> Cp {
    args.cp.unwrap_or_else(|| match Bodies::default().cp(&job.system) {
        machine::Cp::Native => Cp::Native,
        machine::Cp::Core(_) => Cp::Core,
    })
}

/// The implementations of one side.
fn chosen(args: &Args, job: &Job, kind: BodyKind) -> Bodies {
    Bodies::all(kind).with_cp(match host(args, job) {
        Cp::Native => machine::Cp::Native,
        Cp::Core => machine::Cp::Core(kind),
    })
}

/// Compares one program.
pub fn run(args: &Args) -> Result<u8, Failure> {
    let job_args = args.job(0, 0);
    let job = Job::load(&job_args)?;
    // Before a long run on models.
    bodies::build_all(job.plan(&chosen(args, &job, BodyKind::Rtl))?.requests(), None)?;
    println!(
        "{}  scale {}  workload {}  seed {}",
        job.system.name,
        job.system.scale,
        job.workload,
        job_args.seed()
    );
    let json = args.json.as_deref().map(JsonFile::create).transpose()?;
    let model = side(args, &job, BodyKind::Model)?;
    let rtl = side(args, &job, BodyKind::Rtl)?;
    let sides = |of: &dyn Fn(&Side) -> u64| Sides { model: of(&model), rtl: of(&rtl) };
    let blocks: BTreeMap<_, _> = model.blocks.iter().zip(&rtl.blocks).map(block).collect();
    let counters: BTreeMap<_, _> = model
        .counters
        .iter()
        .map(|(name, &value)| {
            let rtl = rtl.counters.get(name).copied().unwrap_or(0);
            (name.clone(), Sides { model: value, rtl })
        })
        .filter(|(_, sides)| sides.differ())
        .collect();
    let [of_model, of_rtl] = [&model, &rtl].map(|side| side.machine.sockets().logs());
    let first_differences: Vec<_> = of_model
        .zip(of_rtl)
        .filter_map(|((place, model), (_, rtl))| first_difference(place, &model, &rtl))
        .collect();
    let cycles = sides(&|side| side.cycles);

    println!("  {:<24}{:>14}{:>14}{:>12}{:>12}", "", "models", "RTL", "difference", "");
    cycles.print("cycles");
    // Shown even where they are equal, beside the cycles that they are part of.
    let phases = PHASES.map(|(name, _)| format!("launch.cycles.{name}"));
    for name in phases.iter().filter(|name| !counters.contains_key(*name)) {
        let of = |side: &Side| side.counters.get(name).copied().unwrap_or(0);
        sides(&of).print(name);
    }
    for used in &model.blocks {
        let record = &blocks[used.name];
        println!("{}, {} instances", used.name, used.instances);
        record.cycles.print("cycles of its clock");
        record.busy_cycles.print("cycles with transfers");
        record.last_transfer.print("last transfer");
        // In the order of the ports.
        used.transfers.iter().for_each(|(port, _)| record.transfers[port].print(port));
    }
    for (name, sides) in &counters {
        sides.print(name);
    }
    for first in &first_differences {
        println!("{first}");
    }
    let differ = cycles.differ() || !counters.is_empty() || !first_differences.is_empty();
    if let Some(json) = json {
        json.write(&record::Compare {
            verdict: if differ { "FAIL" } else { "PASS" },
            system: job.system.name.clone(),
            scale: job.system.scale,
            workload: job.workload.clone(),
            seed: job_args.seed(),
            perturb: job_args.perturb,
            cycles,
            time_ns: Sides { model: job.time_ns(cycles.model), rtl: job.time_ns(cycles.rtl) },
            blocks,
            counters,
            first_differences,
        })?;
    }
    let moved: u64 = model.blocks.iter().flat_map(|b| &b.transfers).map(|(_, n)| n).sum();
    if differ {
        let differ = format!("{}: models and RTL differ", job_args.workload);
        return Err(left(args, &job, Failure::new(DIFFER, differ)));
    }
    println!(
        "PASS {}: {} cycles on both, {moved} transfers in the same cycles",
        job_args.workload, cycles.model
    );
    Ok(0)
}

/// Leaves a bundle.
fn left(args: &Args, job: &Job, failure: Failure) -> Failure {
    if args.again.is_none() {
        let cp = match host(args, job) {
            Cp::Native => "native",
            Cp::Core => "core",
        };
        let bundle = keep::of_compare(&args.job(0, 0), cp, job);
        keep::leave(bundle, &failure, job.name(), None);
    }
    failure
}

/// Runs on one kind of implementation.
fn side(args: &Args, job: &Job, kind: BodyKind) -> Result<Side, Failure> {
    let max_cycles = args.max_cycles.unwrap_or(0);
    let sequential = Some(Keep::default());
    let perturb = args.perturb;
    let options = Options { max_cycles, sequential, perturb, ..Options::default() };
    let program = job.program()?;
    let bodies = chosen(args, job, kind);
    let mut machine = Machine::new(&job.system, &bodies, program, options).map_err(run_failure)?;
    machine.start_logs();
    let result = progress::show(&mut machine, job.totals(), Some(kind.name()), Machine::run);
    let cycles = result.map_err(|error| {
        if let RunError::Differ(difference) = &error {
            println!("{}", difference.text);
        }
        let is_limit = matches!(error, RunError::CycleLimit(_));
        let Failure { status, message } = run_failure(error);
        let failure = Failure { status, message: format!("on {}: {message}", kind.name()) };
        if is_limit { failure } else { left(args, job, failure) }
    })?;
    let (blocks, counters) = (machine.blocks(), machine.statistics().into_iter().collect());
    Ok(Side { machine, cycles, blocks, counters })
}

fn block((model, rtl): (&BlockUse, &BlockUse)) -> (&'static str, ComparedBlock) {
    let sides = |of: fn(&BlockUse) -> u64| Sides { model: of(model), rtl: of(rtl) };
    let transfers = model.transfers.iter().zip(&rtl.transfers);
    let record = ComparedBlock {
        instances: model.instances,
        cycles: sides(|b| b.cycles),
        busy_cycles: sides(|b| b.busy),
        last_transfer: sides(|b| b.last_transfer.unwrap_or(0)),
        transfers: transfers
            .map(|((port, model), (_, rtl))| (*port, Sides { model: *model, rtl: *rtl }))
            .collect(),
    };
    (model.name, record)
}

/// Says where the transfers of a block part; none where they are the same.
fn first_difference(place: &str, model: &Log, rtl: &Log) -> Option<String> {
    if model == rtl {
        return None;
    }
    let at = model.first.iter().zip(&rtl.first).take_while(|(m, r)| m == r).count();
    let shown = |log: &Log| match log.first.get(at) {
        Some((cycle, port)) => format!("{port} at {cycle}"),
        None if at == Log::MOST => "beyond what is kept".to_string(),
        None => "none".to_string(),
    };
    Some(format!(
        "{place}: transfer {at} is the first that differs: model {}, rtl {}",
        shown(model),
        shown(rtl)
    ))
}
