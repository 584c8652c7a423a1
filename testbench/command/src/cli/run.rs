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
use std::sync::Arc;

use cosim::body::BodyKind;
use cosim::flip::Flip;
use cosim::socket::{BlockUse, Pattern, summary};
use firmware_embed::{ELVES, Image};
use machine::{Bodies, Cp, KernelUse, Machine, Options, RunError};
use reproductions::tlp_dump::TlpDump;
use serde::Serialize;

use super::job::{self, Job, run_failure};
use super::output::JsonFile;
use super::{
    ENVIRONMENT, Failure, USAGE, bodies, cosim::parse_flip, difference, output, progress, waves,
};
use crate::audit_log::AuditLog;

/// Run a program on a full GPU
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    pub job: job::Args,
    /// Body of a block, or of those whose places a pattern means
    ///
    /// A block stands in a place such as gpu1/chiplet2/l2.bank0/coherence_directory. A pattern is
    /// compared with places and with their ends behind a `/`; `*` stands for any text. Of several
    /// that mean a place the last one counts.
    #[arg(long = "impl", value_name = "PLACES=model|rtl|lockstep")]
    pub bodies: Vec<String>,
    /// What runs the command processors' firmware: called directly, or its image in the
    /// instruction-set simulator, on the RTL core, on both
    #[arg(long, value_name = "native|iss|rtl|lockstep", default_value = "native")]
    pub cp: String,
    /// The image of the firmware, by what it holds in fast memory, or an ELF file: for other hosts
    /// than native
    #[arg(long, value_name = "cached|indexed|paper|FILE")]
    pub firmware: Option<String>,
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
    /// Invert one bit of an RTL output of the first block in lockstep that a pattern means, at (or,
    /// for a payload, first after) a cycle
    #[arg(long, value_name = "PLACES.FIELD[BIT]@CYCLE", value_parser = parse_flip)]
    pub flip: Option<Flip>,
    /// Write the result as JSON, and the resolved system beside it
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    #[command(flatten)]
    rtl: bodies::Sources,
}

/// The JSON record of a run.
#[derive(Serialize)]
struct Record {
    verdict: &'static str,
    system: String,
    scale: u32,
    workload: String,
    seed: u64,
    cp: &'static str,
    cycles: u64,
    time_ns: u64,
    values: Values,
    blocks: BTreeMap<&'static str, BlockRecord>,
    kernels: Vec<KernelRecord>,
    counters: BTreeMap<String, u64>,
}

#[derive(Serialize)]
struct Values {
    loads_checked: u64,
    loads_determined: u64,
    loads_racy: u64,
    atomics_checked: u64,
    released_bytes_checked: u64,
    mismatches: u64,
}

/// All launches of the kernels of one name.
#[derive(Serialize)]
struct KernelRecord {
    name: String,
    launches: u32,
    cycles: u64,
    counters: BTreeMap<String, u64>,
}

/// A block with two bodies, all its instances together; cycles are those of the links.
#[derive(Serialize)]
struct BlockRecord {
    #[serde(rename = "impl")]
    body: &'static str,
    instances: u32,
    cycles: u64,
    busy_cycles: u64,
    last_transfer: Option<u64>,
    transfers: BTreeMap<&'static str, u64>,
}

/// The bodies that `--cp` and `--impl` choose.
fn chosen_bodies(args: &Args, job: &Job) -> Result<Bodies, Failure> {
    let usage = |message: String| Failure::new(USAGE, message);
    let cp = Cp::ALL.iter().find(|(name, _)| *name == args.cp);
    let (_, cp) =
        cp.ok_or_else(|| usage(format!("--cp {}: must be native, iss, rtl or lockstep", args.cp)))?;
    let mut bodies = Bodies::default().with_cp(*cp);
    for choice in &args.bodies {
        let (places, kind) = choice
            .rsplit_once('=')
            .ok_or_else(|| usage(format!("--impl {choice}: must be PLACES=model|rtl|lockstep")))?;
        let kind = BodyKind::find(kind).ok_or_else(|| {
            usage(format!("--impl {choice}: {kind} is not model, rtl or lockstep"))
        })?;
        bodies = bodies.with(places, kind);
    }
    if let Some(firmware) = &args.firmware {
        let failure = |problem: String| usage(format!("--firmware {firmware}: {problem}"));
        if bodies.cp() == Cp::Native {
            let needs =
                "--cp native calls the firmware directly; an image needs iss, rtl or lockstep";
            return Err(failure(needs.into()));
        }
        let image = match ELVES.iter().find(|elf| elf.name == firmware) {
            Some(elf) => Image::read(elf.bytes),
            None => Image::read(&std::fs::read(firmware).map_err(|e| failure(e.to_string()))?),
        };
        bodies.image = Some(Arc::new(image.map_err(|e| failure(e.to_string()))?));
    }
    let places = job.plan(&bodies)?.places();
    for choice in &args.bodies {
        let pattern = choice.rsplit_once('=').map_or("", |(pattern, _)| pattern);
        if !places.iter().any(|place| Pattern::new(pattern).matches(place)) {
            return Err(usage(format!("--impl {choice}: {}", these(&places))));
        }
    }
    Ok(bodies)
}

/// What a machine has, where a pattern has meant none of it.
pub fn these(places: &[String]) -> String {
    format!("this machine has {}", summary(places).join(", "))
}

pub fn run(args: &Args) -> Result<u8, Failure> {
    args.rtl.apply()?;
    let job = Job::load(&args.job)?;
    println!(
        "{}  scale {}  workload {}  seed {}",
        job.system.name, job.system.scale, job.workload, args.job.seed
    );
    let max_cycles = args.job.max_cycles.unwrap_or(0);
    let options = Options { max_cycles, by_kernel: true, ..Options::default() };
    let mut chosen = chosen_bodies(args, &job)?;
    args.waves.look_inside(&job, &mut chosen)?;
    bodies::build_all(job.plan(&chosen)?.requests(), None)?;
    let mut machine =
        Machine::new(&job.system, &chosen, job.program()?, options).map_err(run_failure)?;
    let json = args.json.as_deref().map(JsonFile::create).transpose()?;
    let dump = dump(args, &job, &mut machine)?;
    let audit = audit(args, &mut machine)?;
    let wave = args.waves.create(&mut machine)?;
    set_flip(args, &mut machine)?;

    let result = progress::show(&mut machine, job.totals(), Machine::run);
    let cycles = machine.cycle();
    let checked = machine.checked();
    let share = 100.0 * checked.determined as f64 / checked.loads.max(1) as f64;
    println!(
        "{} kernels, {} loads checked ({share:.1}% determined), {} atomics, {} bytes after \
         releases",
        machine.kernels(),
        checked.loads,
        checked.atomics,
        checked.released_bytes
    );
    print_kernels(machine.kernel_uses());
    if let Some(json) = json {
        json.write(&record(args, &job, &machine, &result))?;
        let path = args.json.as_deref().unwrap_or(Path::new("")).with_extension("system.toml");
        let resolved = toml::to_string(&job.system).map_err(|e| Failure::new(ENVIRONMENT, e))?;
        output::write_file(&path, &resolved)?;
    }
    let is_pending = machine.sockets().has_pending_flip();
    let pending_flip = args.flip.as_ref().filter(|_| is_pending);
    // It holds what writes the files.
    drop(machine);
    if let Some(dump) = dump.and_then(Rc::into_inner) {
        dump.into_inner().finish().map_err(|e| Failure::new(ENVIRONMENT, e))?;
    }
    if let Some(audit) = audit.and_then(Rc::into_inner) {
        audit.into_inner().finish().map_err(|e| Failure::new(ENVIRONMENT, e))?;
    }
    if let Some(wave) = wave.and_then(Rc::into_inner) {
        wave.into_inner().finish()?;
    }
    match result {
        Ok(_) => {}
        Err(RunError::Differ(difference)) => {
            return Err(difference::tell(args, &job, chosen, options, difference)?);
        }
        Err(error) => {
            if let RunError::Wrong(_, wrong) = &error {
                tell_life(&job, &chosen, options, wrong.addr)?;
            }
            return Err(run_failure(error));
        }
    }
    if let Some(flip) = pending_flip {
        return Err(Failure::new(USAGE, flip.never_shown(cycles)));
    }
    println!("PASS {}: {cycles} cycles, 0 wrong values", args.job.workload);
    Ok(0)
}

/// Kernels in the table that is printed.
const KERNELS: usize = 8;

/// The kernels that cost most.
fn print_kernels(uses: &[KernelUse]) {
    let all: u64 = uses.iter().map(|kernel| kernel.cycles).sum();
    let mut uses: Vec<_> = uses.iter().collect();
    // Stable: kernels that cost the same stay in the order of the program.
    uses.sort_by_key(|kernel| std::cmp::Reverse(kernel.cycles));
    for kernel in uses.iter().take(KERNELS) {
        let KernelUse { name, launches, cycles, .. } = kernel;
        let share = 100.0 * *cycles as f64 / all.max(1) as f64;
        println!("  {share:5.1} % {cycles:>12} cycles {launches:>6} launches  {name}");
    }
    if uses.len() > KERNELS {
        println!("  and {} more kernels", uses.len() - KERNELS);
    }
}

fn record(args: &Args, job: &Job, machine: &Machine, result: &Result<u64, RunError>) -> Record {
    let checked = machine.checked();
    let block = |used: BlockUse| {
        let record = BlockRecord {
            body: used.body.map_or("several", BodyKind::name),
            instances: used.instances,
            cycles: used.cycles,
            busy_cycles: used.busy,
            last_transfer: used.last_transfer,
            transfers: used.transfers.into_iter().collect(),
        };
        (used.name, record)
    };
    let kernel = |used: KernelUse| {
        let KernelUse { name, launches, cycles, counters } = used;
        KernelRecord { name, launches, cycles, counters }
    };
    Record {
        verdict: if result.is_ok() { "PASS" } else { "FAIL" },
        system: job.system.name.clone(),
        scale: job.system.scale,
        workload: job.workload.clone(),
        seed: args.job.seed,
        cp: machine.cp().name(),
        cycles: machine.cycle(),
        time_ns: job.time_ns(machine.cycle()),
        values: Values {
            loads_checked: checked.loads,
            loads_determined: checked.determined,
            loads_racy: checked.racy,
            atomics_checked: checked.atomics,
            released_bytes_checked: checked.released_bytes,
            mismatches: matches!(result, Err(RunError::Wrong(..))).into(),
        },
        blocks: machine.blocks().into_iter().map(block).collect(),
        kernels: machine.kernel_uses().iter().cloned().map(kernel).collect(),
        counters: machine.statistics().into_iter().collect(),
    }
}

/// A file and the machine's way to it.
pub type Shared<T> = Option<Rc<RefCell<T>>>;

/// `--dump-tlp`
fn dump(args: &Args, job: &Job, machine: &mut Machine) -> Result<Shared<TlpDump>, Failure> {
    let Some(path) = &args.dump_tlp else { return Ok(None) };
    if job.system.machine.gpus == 1 {
        let problem = format!("--dump-tlp: {} has one GPU and no link", job.system.name);
        return Err(Failure::new(USAGE, problem));
    }
    let dump = TlpDump::create(path).map_err(|e| Failure::new(ENVIRONMENT, e))?;
    let dump = Rc::new(RefCell::new(dump));
    let to = dump.clone();
    machine.on_tlp(move |sent| to.borrow_mut().add(sent, 0));
    Ok(Some(dump))
}

/// `--audit`
fn audit(args: &Args, machine: &mut Machine) -> Result<Shared<AuditLog>, Failure> {
    let Some(path) = &args.audit else { return Ok(None) };
    let log = AuditLog::create(path).map_err(|e| Failure::new(ENVIRONMENT, e))?;
    let log = Rc::new(RefCell::new(log));
    let to = log.clone();
    machine.on_packet(move |packet| to.borrow_mut().add(packet));
    Ok(Some(log))
}

/// `--flip`
pub fn set_flip(args: &Args, machine: &mut Machine) -> Result<(), Failure> {
    let Some(flip) = &args.flip else { return Ok(()) };
    let usage = |problem: String| Failure::new(USAGE, problem);
    let sockets = machine.sockets();
    // The field has no dot, the place may have one.
    let (places, field) = flip.field.rsplit_once('.').unwrap_or((&flip.field, ""));
    let meant = sockets.matching(&Pattern::new(places));
    if meant.is_empty() || field.is_empty() {
        return Err(usage(format!(
            "--flip {}: must be PLACES.FIELD; {}",
            flip.field,
            these(&sockets.places())
        )));
    }
    let in_lockstep = meant.iter().find(|&&number| sockets.kind(number) == BodyKind::Lockstep);
    let &number = in_lockstep.ok_or_else(|| {
        usage(format!("--flip: {places} is not in lockstep; --impl {places}=lockstep"))
    })?;
    let flip = Flip { field: field.to_string(), ..flip.clone() };
    flip.check(&sockets.block(number), u64::MAX).map_err(|e| usage(e.to_string()))?;
    machine.flip(number, flip);
    Ok(())
}

/// Runs again with the wrong byte watched, and shows what happened to it.
fn tell_life(job: &Job, bodies: &Bodies, options: Options, addr: u64) -> Result<(), Failure> {
    let options = Options { watch: Some(addr), ..options };
    let program = job.program()?;
    let mut machine = Machine::new(&job.system, bodies, program, options).map_err(run_failure)?;
    // It ends as the first run did.
    let _ = machine.run();
    eprint!("life of byte {addr:#x}:\n{}", machine.life());
    Ok(())
}
