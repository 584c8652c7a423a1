//! `duet run`: a program on a full GPU.
//!
//! ```text
//! $ duet run --system cpelide-4-small --workload reuse
//! cpelide-4-small  scale 60  workload reuse ...
//! ...
//! PASS reuse: ...
//! ```

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use cosim::Mismatch;
use cosim::flip::Flip;
use machine::sequential::Keep;
use machine::{Bodies, Cycle, Estimate, Machine, Options, PHASES, RunError};

use crate::audit_log::Paragraph;
use crate::log_file::LogFile;
use crate::tlp_dump::Line;

use super::job::{Job, run_failure};
use super::keep::Again;
use super::live::Live;
use super::output::{JsonFile, Shared, alone};
use super::outputs::{Files, RESOLVED_MARK};
use super::pages::Pages;
use super::waves::Waves;
use super::{
    Failure, bodies, bundled, choice, difference, flip, job, keep, output, progress, record, waves,
};

/// Run a program on a full GPU
#[derive(Default, clap::Args)]
#[command(groups = bundled::groups())]
pub struct Args {
    #[command(flatten)]
    pub choice: choice::Args,
    /// Write every TLP that a link carries: cycle of the links, source, destination, header,
    /// payload
    #[arg(long, value_name = "FILE")]
    dump_tlp: Option<PathBuf>,
    /// Write what became of each kernel's packet: what the command processor released and acquired,
    /// when, and by which rule
    #[arg(long, value_name = "FILE")]
    audit: Option<PathBuf>,
    #[command(flatten)]
    waves: waves::Args,
    /// Invert one bit of an RTL output of the first block in lockstep that a pattern matches, at a
    /// cycle, for a payload at its next transfer
    #[arg(long, value_name = "PLACES.FIELD[BIT]@CYCLE", value_parser = flip::parse,
        group = bundled::VALUE)]
    pub flip: Option<Flip>,
    /// Write the result as JSON, and the resolved system beside it (FILE with the ending
    /// .system.toml)
    ///
    /// What these files held before is removed first.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write a page that shows where the cycles went: HTML that needs nothing else
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
    /// Write what happened when, for Perfetto or Chrome's tracing: kernels and launches,
    /// work-groups of CUs, links, and the paths of sampled requests
    ///
    /// At most 16384 work-groups, 1024 requests and 4096 packets. Which of them does not depend on
    /// the simulator. A line says how many of all are shown.
    #[arg(long, value_name = "FILE.json")]
    timeline: Option<PathBuf>,
    /// Serve a page that shows the run while it goes on; standard error has its address
    ///
    /// Only this computer can open it. Without PORT the operating system chooses one. If the port
    /// is in use the run goes on without the page.
    #[arg(long, value_name = "PORT", num_args = 0..=1, require_equals = true,
        default_missing_value = "0")]
    live: Option<u16>,
    /// Simulate launches that repeat in part, and estimate the cycles of all
    ///
    /// Launches of the same kernel with the same grid and buffers are skipped once three in a row
    /// took the same time within 5 %. Their stores are done in memory and in the L2s that hold the
    /// lines, so all values that are loaded later are checked. Behind each gap the time is measured
    /// again. The result has the interval in which the cycles of the full run are expected; its
    /// counters are extrapolated. The order of accesses is not checked, and a failure leaves no
    /// bundle.
    #[arg(long, conflicts_with_all = ["wave", "timeline", "audit", "dump_tlp", "flip"])]
    pub sample: bool,
    /// Let each kernel begin with caches that hold nothing, as profilers measure a kernel
    #[arg(long)]
    pub cold: bool,
    #[command(flatten)]
    pub rtl: bodies::Sources,
    /// If it is out of a bundle: a failure leaves no other.
    #[arg(skip)]
    pub again: Option<Again>,
}

impl Args {
    /// A run without files.
    pub fn of(choice: choice::Args, rtl: bodies::Sources) -> Self {
        Self { choice, rtl, ..Self::default() }
    }
}

/// What the name of the resolved system ends in.
const RESOLVED: &str = "system.toml";

/// What is read and written.
fn files(args: &Args) -> Files {
    let (job, json) = (&args.choice.job, args.json.as_deref());
    let files = Files::default()
        .reads("--system", Some(&job.system))
        .reads("--workload", Some(&job.workload))
        .reads("--firmware", args.choice.firmware.as_deref())
        .reads("--rtl", args.rtl.folder())
        .writes("--json", json)
        .writes("--report", args.report.as_deref())
        .writes("--timeline", args.timeline.as_deref())
        .writes("--dump-tlp", args.dump_tlp.as_deref())
        .writes("--audit", args.audit.as_deref())
        .beside("--json", json, RESOLVED, RESOLVED_MARK);
    args.waves.files(files)
}

/// How the machine runs.
pub fn options(job: &job::Args) -> Options {
    let max_cycles = job.max_cycles.unwrap_or(0);
    let (sequential, perturb) = (Some(Keep::default()), job.perturb);
    let threads = job.threads.unwrap_or(1).min(job::cores());
    let by_kernel = true;
    let known = Options { max_cycles, by_kernel, sequential, perturb, ..Options::default() };
    Options { threads, trial: true, ..known }
}

/// Prints a note if fewer threads than requested simulate the machine.
fn note_threads(machine: &Machine, wanted: Option<u8>) {
    let Some(wanted) = wanted.filter(|&wanted| wanted > 1) else { return };
    let (most, cores) = (machine.most_threads(), job::cores());
    if let Some(why) = machine.why_one_thread() {
        eprintln!("duet: note: --threads {wanted}: one thread simulates the machine: {why}");
    } else if u16::from(wanted) > most {
        eprintln!("duet: note: --threads {wanted}: at most {most}, one for each chiplet");
    } else if wanted > cores {
        eprintln!("duet: note: --threads {wanted}: at most {cores}, one for each core");
    }
}

pub fn run(args: &Args) -> Result<u8, Failure> {
    files(args).claim()?;
    args.rtl.apply()?;
    let job = Job::load(&args.choice.job)?;
    print_job(args, &job);
    let threads = args.choice.job.threads.unwrap_or(job::THREADS).min(job::cores());
    let options =
        Options { threads, sample: args.sample, cold: args.cold, ..options(&args.choice.job) };
    let (mut machine, bodies) = build(args, &job, options)?;
    let outputs = Outputs::create(args, &job, &mut machine)?;
    let flip = flip::set(args.flip.as_ref(), &mut machine)?;
    let seed = args.choice.job.seed();
    let live = args.live.and_then(|port| Live::start(port, &mut machine, &job, seed));
    note_threads(&machine, args.choice.job.threads);
    let result = progress::show(&mut machine, job.totals(), None, Machine::run);
    let estimate = machine.estimate();
    print_result(args, &job, &machine, &estimate, result.is_ok());
    let is_pending = machine.sockets().has_pending_flip();
    let pending_flip = flip.as_ref().filter(|_| is_pending);
    let passed = result.is_ok() && pending_flip.is_none();
    if let Some(live) = &live {
        live.end(passed, &verdict(&job, &estimate, &result, pending_flip));
    }
    let kernel = machine.kernels();
    let unwritten = outputs.write(args, &job, machine, passed, &result).err();
    let mut wave = None;
    let is_limit = matches!(result, Err(RunError::CycleLimit(_)));
    let failure = match result {
        Ok(_) => pending_flip.map(|flip| Failure::usage(flip.never_shown(estimate.cycles))),
        Err(error) => {
            let (failure, waves) = explain(args, flip.as_ref(), &job, &bodies, options, error)?;
            wave = waves;
            Some(failure)
        }
    };
    let leaves = args.again.is_none() && !is_limit && !args.sample;
    if let Some(failure) = failure.as_ref().filter(|_| leaves) {
        let bundle = keep::of_run(&args.choice, flip.as_ref(), &job, kernel);
        let bundle = match flip {
            None => bundle.and_then(|bundle| {
                keep::shorten(bundle, &job, (&bodies, options), kernel, failure)
            }),
            // It has its cycle.
            Some(_) => bundle,
        };
        keep::leave(bundle, failure, job.name(), wave.as_deref());
    }
    match (failure, unwritten) {
        (None, None) => {}
        (None, Some(failure)) | (Some(failure), None) => return Err(failure),
        // The run's failure comes before the failure to write its files.
        (Some(failure), Some(unwritten)) => {
            eprintln!("duet: {}", unwritten.message);
            return Err(failure);
        }
    }
    println!("{}", pass(&job, &estimate));
    Ok(0)
}

/// Prints what runs, and warns about the system.
fn print_job(args: &Args, job: &Job) {
    println!(
        "{}  scale {}  workload {}  seed {}{}",
        job.system.name,
        job.system.scale,
        job.workload,
        args.choice.job.seed(),
        if args.sample { "  sampled" } else { "" }
    );
    for warning in job.system.warnings() {
        eprintln!("duet: warning: {warning}");
    }
}

/// Builds the Verilated libraries, then the machine.
fn build(args: &Args, job: &Job, options: Options) -> Result<(Machine, Bodies), Failure> {
    let mut bodies = args.choice.bodies(&job.system)?;
    args.waves.look_inside(job, &mut bodies)?;
    bodies::build_all(&job.requests(&bodies)?, None)?;
    let machine =
        Machine::new(&job.system, &bodies, job.program()?, options).map_err(run_failure)?;
    if args.sample
        && let Some(why) = machine.why_not_sampled().map_err(run_failure)?
    {
        return Err(Failure::usage(format!("--sample: {why}")));
    }
    if args.cold
        && let Some(why) = machine.why_not_cold().map_err(run_failure)?
    {
        return Err(Failure::usage(format!("--cold: {why}")));
    }
    Ok((machine, bodies))
}

/// Files that the run writes.
struct Outputs {
    json: Option<JsonFile>,
    dump: Shared<LogFile>,
    audit: Shared<LogFile>,
    pages: Option<Pages>,
    wave: Shared<Waves>,
}

impl Outputs {
    /// Creates the files, and has the machine fill them.
    fn create(args: &Args, job: &Job, machine: &mut Machine) -> Result<Self, Failure> {
        let json = args.json.as_deref().map(JsonFile::create).transpose()?;
        if args.dump_tlp.is_some() && job.system.machine.gpus == 1 {
            let problem = format!("--dump-tlp: {} has one GPU and no link", job.system.name);
            return Err(Failure::usage(problem));
        }
        let dump = log(args.dump_tlp.as_deref())?;
        if let Some(dump) = dump.clone() {
            machine.on_tlp(move |sent| dump.borrow_mut().add(Line { sent, first_cycle: 0 }));
        }
        let audit = log(args.audit.as_deref())?;
        let pages = Pages::new(args.report.as_deref(), args.timeline.as_deref(), machine)?;
        let (seen, packets) = (audit.clone(), pages.as_ref().map(Pages::packets));
        if seen.is_some() || packets.is_some() {
            machine.on_packet(move |packet| {
                if let Some(audit) = &seen {
                    audit.borrow_mut().add(Paragraph(packet));
                }
                if let Some(packets) = &packets {
                    packets.add(packet);
                }
            });
        }
        let wave = args.waves.create(args.choice.job.max_cycles, machine)?;
        Ok(Self { json, dump, audit, pages, wave })
    }

    /// Writes all of them, and returns the first failure.
    fn write(
        self,
        args: &Args,
        job: &Job,
        machine: Machine,
        passed: bool,
        result: &Result<Cycle, RunError>,
    ) -> Result<(), Failure> {
        let written = match (self.json, &args.json) {
            (Some(json), Some(path)) => {
                let record = record::Run::of(&args.choice.job, job, &machine, passed, result);
                json.write(&record).and_then(|()| {
                    let resolved = toml::to_string(&job.system).map_err(Failure::environment)?;
                    output::write_resolved(path, RESOLVED, &resolved)
                })
            }
            _ => Ok(()),
        };
        let seed = args.choice.job.seed();
        let shown = self.pages.map_or(Ok(()), |pages| pages.write(&machine, job, seed, result));
        // It holds the writers of the other files.
        drop(machine);
        let log = |file| alone(file).map_or(Ok(()), LogFile::finish).map_err(Failure::environment);
        let (dump, audit) = (log(self.dump), log(self.audit));
        let wave = alone(self.wave).map_or(Ok(()), |wave| wave.finish(mismatch(result).as_ref()));
        written.and(shown).and(dump).and(audit).and(wave)
    }
}

/// Prints what was checked and where the time went.
fn print_result(args: &Args, job: &Job, machine: &Machine, estimate: &Estimate, is_ok: bool) {
    let checked = machine.checked();
    let share = 100.0 * checked.determined as f64 / checked.loads.max(1) as f64;
    println!(
        "{} kernels, {} loads checked ({share:.1}% determined), {} atomics, {} bytes after \
         releases{}",
        machine.kernels(),
        checked.loads,
        checked.atomics,
        checked.released_bytes,
        if is_ok && machine.is_sequential() { ", sequentially consistent" } else { "" }
    );
    if args.sample {
        let Estimate { simulated, launches, .. } = estimate;
        println!("{simulated} of {launches} launches simulated; what follows is estimated");
    }
    print_launches(estimate);
    print_kernels(estimate, job.system.machine.gpus);
}

/// Reports the failure of a run; returns it, and the path of the waveform around a difference.
fn explain(
    args: &Args,
    flip: Option<&Flip>,
    job: &Job,
    bodies: &Bodies,
    options: Options,
    error: RunError,
) -> Result<(Failure, Option<PathBuf>), Failure> {
    match error {
        RunError::Differ(difference) => {
            difference::report(args, flip, job, bodies.clone(), options, difference)
        }
        error => {
            if let RunError::Wrong(_, wrong) = &error {
                print_life(job, bodies, options, wrong.addr)?;
            }
            Ok((run_failure(error), None))
        }
    }
}

/// How a run has ended.
fn verdict<T>(
    job: &Job,
    estimate: &Estimate,
    result: &Result<T, RunError>,
    pending_flip: Option<&Flip>,
) -> String {
    let problem = match (result, pending_flip) {
        (Ok(_), None) => return pass(job, estimate),
        (Ok(_), Some(flip)) => flip.never_shown(estimate.cycles).to_string(),
        (Err(error), _) => error.to_string(),
    };
    format!("FAIL {}", problem.lines().next().unwrap_or_default())
}

/// The last line of a run that has passed.
fn pass(job: &Job, estimate: &Estimate) -> String {
    let Estimate { cycles, low, high, launches, simulated, .. } = estimate;
    let interval = match simulated == launches {
        true => String::new(),
        false => format!(" (sampled, {low} to {high})"),
    };
    format!("PASS {}: {cycles} cycles{interval}, 0 wrong values", job.name())
}

/// Where implementations differ, if the run ended so. The place is that in the machine.
fn mismatch<T>(result: &Result<T, RunError>) -> Option<Mismatch> {
    let Err(RunError::Differ(difference)) = result else { return None };
    let (mismatch, _) = difference.mismatch.as_ref()?;
    Some(Mismatch { place: difference.place.clone(), ..mismatch.clone() })
}

/// Where the time of packets went, summed over GPUs.
fn print_launches(estimate: &Estimate) {
    let counters: BTreeMap<_, _> = estimate.statistics.iter().cloned().collect();
    let count = |name: &str| counters.get(&format!("launch.{name}")).copied().unwrap_or(0);
    let phases = PHASES.map(|(name, text)| (text, count(&format!("cycles.{name}"))));
    let shown = phases.iter().filter(|(_, cycles)| *cycles > 0);
    let shown: Vec<_> = shown.map(|(text, cycles)| format!("{text} {cycles}")).collect();
    println!("{} packets; cycles: {}", count("packets"), shown.join(", "));
}

/// Kernels in the table that is printed.
const KERNELS: usize = 8;

/// A row of that table, of all cycles of the run.
fn print_row(of_all: u64, cycles: u64, launches: Option<u32>, name: &str) {
    let share = 100.0 * cycles as f64 / of_all.max(1) as f64;
    let launches = launches.map_or(String::new(), |launches| launches.to_string());
    println!("  {share:5.1} % {cycles:>12} {launches:>9}  {name}");
}

/// Where the cycles went, on the mean of the GPUs: the kernels that cost most, and the other
/// phases.
fn print_kernels(estimate: &Estimate, gpus: u16) {
    let Estimate { cycles: all, kernels, .. } = estimate;
    let all = *all;
    let phases: Vec<_> = kernels.iter().map(|kernel| kernel.phases(gpus)).collect();
    let mut uses: Vec<_> = phases.iter().map(|[own, ..]| *own).zip(kernels).collect();
    if uses.is_empty() {
        return;
    }
    // Stable: kernels that cost the same stay in the order of the program.
    uses.sort_by_key(|(cycles, _)| std::cmp::Reverse(*cycles));
    println!("  {:>7} {:>12} {:>9}  kernel", "share", "cycles", "launches");
    for (cycles, kernel) in uses.iter().take(KERNELS) {
        print_row(all, *cycles, Some(kernel.launches), &kernel.name);
    }
    if let Some(rest @ [_, ..]) = uses.get(KERNELS..) {
        let cycles = rest.iter().map(|(cycles, _)| cycles).sum();
        let launches = rest.iter().map(|(_, kernel)| kernel.launches).sum();
        print_row(all, cycles, Some(launches), &format!("({} more kernels)", rest.len()));
    }
    let mut others: Vec<(u64, &str)> = Vec::new();
    for (at, (_, text)) in PHASES.iter().enumerate().skip(1) {
        others.push((phases.iter().map(|cycles| cycles[at]).sum(), text));
    }
    // Of a run that has failed.
    let ended = phases.iter().flatten().sum::<u64>();
    others.push((all - ended, "after the last kernel that ended"));
    for (cycles, text) in others.into_iter().filter(|(cycles, _)| *cycles > 0) {
        print_row(all, cycles, None, &format!("({text})"));
    }
}

/// The file of an option.
fn log(path: Option<&Path>) -> Result<Shared<LogFile>, Failure> {
    let file = path.map(LogFile::create).transpose().map_err(Failure::environment)?;
    Ok(file.map(|file| Rc::new(RefCell::new(file))))
}

/// Runs again with the wrong byte watched, and shows what happened to it.
fn print_life(job: &Job, bodies: &Bodies, options: Options, addr: u64) -> Result<(), Failure> {
    let options = Options { watch: Some(addr), ..options };
    let program = job.program()?;
    let mut machine = Machine::new(&job.system, bodies, program, options).map_err(run_failure)?;
    // It ends as the first run did.
    let _ = machine.run();
    eprint!("life of byte {addr:#x}:\n{}", machine.life());
    Ok(())
}
