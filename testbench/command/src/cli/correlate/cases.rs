//! The cases on the machine: each one's trace, its launches beside the measured ones.

use std::path::PathBuf;
use std::sync::OnceLock;

use machine::{Bodies, KernelUse, Machine, Options, System};
use traces::trace::{Event, KernelHead, Reader};

use super::super::job::run_failure;
use super::super::{Failure, trace};
use super::capture::{Host, is_known};
use super::counters::COUNTERS;
use super::measurements;
use super::result::{Case, Launch, Sides};

/// The machine's cycles of a launch, its cold launch cost (`command_processor.start_cycles`)
/// included.
pub const CYCLES: &str = "launch.cycles.kernel";

/// Where cases run.
pub struct Runner {
    system: System,
    /// Its cold launch cost, if it has one.
    cold_cycles: Option<f64>,
    /// Folder of the traces.
    traces: PathBuf,
    /// Captures programs; built where a trace is missing.
    host: OnceLock<Result<Host, Failure>>,
}

impl Runner {
    /// With the traces of a folder. Errors: a system of several GPUs.
    pub fn new(system: System, traces: PathBuf) -> Result<Self, Failure> {
        let gpus = system.machine.gpus;
        if gpus != 1 {
            let problem = "must be 1: measurements are of one GPU";
            return Err(Failure::usage(format!("machine.gpus = {gpus}: {problem}")));
        }
        let cold_cycles = system.command_processor.start_cycles;
        let cold_cycles = (cold_cycles > 0).then(|| f64::from(cold_cycles));
        Ok(Self { system, cold_cycles, traces, host: OnceLock::new() })
    }

    fn path(&self, case: &measurements::Case) -> PathBuf {
        self.traces.join(format!("{}.trace", case.name()))
    }

    /// What is wrong with a case before it runs: it has a trace with other launches, or none, and
    /// is no program of the suite.
    pub fn check(&self, case: &measurements::Case) -> Result<(), Failure> {
        let path = self.path(case);
        if path.exists() {
            return launches(case, &mut trace::open(&path)?).map(|_| ());
        }
        if is_known(&case.program) {
            return self.host().map(|_| ());
        }
        let problem = format!(
            "program = {}: is none of suite.h, and {} is missing",
            case.program,
            path.display()
        );
        Err(case.refused(0, &problem))
    }

    fn host(&self) -> Result<&Host, Failure> {
        let host = self.host.get_or_init(|| {
            Host::build().map_err(|Failure { status, message }| {
                let message =
                    format!("a trace is missing in {}, and {message}", self.traces.display());
                Failure { status, message }
            })
        });
        host.as_ref().map_err(Failure::clone)
    }

    /// Runs a case, whose program is captured where it has no trace.
    pub fn run(&self, case: &measurements::Case) -> Result<Case, Failure> {
        let path = self.path(case);
        if !path.exists() {
            self.host()?.capture(&case.name(), &case.program, case.sizes, &path)?;
        }
        let mut reader = trace::open(&path)?;
        let heads = launches(case, &mut reader)?;
        let options = Options { cold: true, by_launch: true, ..Options::default() };
        let machine = Machine::new(&self.system, &Bodies::default(), reader.reopen()?, options);
        let mut machine = machine.map_err(run_failure)?;
        if let Some(why) = machine.why_not_cold().map_err(run_failure)? {
            return Err(Failure::usage(format!("{}: no cold launch: {why}", case.name())));
        }
        machine.run().map_err(run_failure)?;
        let statistics = machine.statistics();
        let has = |name: &str| statistics.iter().any(|(known, _)| known == name);
        let launch =
            |((head, used), measured): ((&KernelHead, &KernelUse), &measurements::Launch)| {
                // Of a launch, only what grew is there.
                let count = |name: &str| used.counters.get(name).copied().unwrap_or(0) as f64;
                let ours = Some(count(CYCLES));
                let cycles = Sides { ours, measured: measured.cycles };
                let counters = COUNTERS.each_ref().map(|of| has(of.name).then(|| count(of.name)));
                let kernel = (head.name.clone(), !head.racy.is_empty());
                Launch::new(kernel, cycles, self.cold_cycles, (&counters, &measured.counters))
            };
        let uses = machine.kernel_uses();
        let launches = heads.iter().zip(&uses).zip(&case.launches).map(launch).collect();
        Ok(Case::new(&case.program, case.sizes, launches))
    }
}

/// The launches of a trace. Errors: the measured ones differ.
fn launches(case: &measurements::Case, reader: &mut Reader) -> Result<Vec<KernelHead>, Failure> {
    let mut heads = Vec::new();
    while let Some(event) = reader.next_event()? {
        if let Event::Kernel(head) = event {
            heads.push(head);
        }
    }
    let file = reader.file();
    let refused = |launch, field: &str, measured: &str, captured: &str| {
        case.refused(launch, &format!("{field} = {measured}: {file} has {captured}"))
    };
    for (at, (head, measured)) in heads.iter().zip(&case.launches).enumerate() {
        if head.name != measured.kernel {
            return Err(refused(at, "kernel", &measured.kernel, &head.name));
        }
        let items: u64 = head.local.iter().map(|items| u64::from(*items)).product();
        for (field, measured, captured) in
            [("grid", measured.grid, head.groups.into()), ("block", measured.block, items)]
        {
            if measured != captured {
                return Err(refused(at, field, &measured.to_string(), &captured.to_string()));
            }
        }
    }
    let (measured, captured) = (case.launches.len(), heads.len());
    if measured != captured {
        let last = measured.min(captured);
        return Err(refused(last, "launches", &measured.to_string(), &captured.to_string()));
    }
    Ok(heads)
}
