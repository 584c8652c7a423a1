//! What `run` and `compare` share: a program, the system that it runs on, and how a run can end.

use std::fmt::{self, Display, Formatter};
use std::path::{Path, PathBuf};

use bodies::Request;
use cosim::body::BodyError;
use cosim::socket::Sockets;
use firmware::image::ImageError;
use machine::{Bodies, BuildError, Cycle, RunError, System};
use machine::{idle, systems};
use traces::kernels::{self, KernelError, Params};
use traces::trace::{self, Reader, Recorder, Totals};

use crate::catalog::WORKLOAD_KEYS;

use super::{DIFFER, ENVIRONMENT, Failure, STUCK, USAGE, WRONG_VALUE, bundled, rtl_status};

/// The arguments of both. They are flattened into those of the verb, whose group has the name
/// `Args`.
#[derive(Clone, Default, clap::Args)]
#[group(skip)]
pub struct Args {
    /// Preset, or system file
    #[arg(long, value_name = "NAME|FILE", group = bundled::FILE)]
    pub system: String,
    /// Built-in program, or trace
    #[arg(long, value_name = "NAME|FILE", group = bundled::FILE)]
    pub workload: String,
    /// Set a field of the system, or `workload.size`, `workload.iterations` and `workload.shift`
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Seed of a built-in program's input; 1 unless given
    #[arg(long, value_name = "SEED")]
    pub seed: Option<u64>,
    /// Add up to 3 cycles to latency paths inside GPUs, drawn anew in each kernel: a difference
    /// that changes its sign among such seeds is run-to-run variation
    #[arg(long, value_name = "SEED", group = bundled::VALUE)]
    pub perturb: Option<u64>,
    /// Stop with status 3 after N cycles
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..),
        group = bundled::VALUE)]
    pub max_cycles: Option<u64>,
    /// Threads that simulate the machine at most, each some of its chiplets; the result is the same
    ///
    /// The run begins on one thread, and begins again on several where a trial of a tenth of a
    /// second shows that they are faster. Each thread needs a core and the memory of a machine.
    /// Default of `duet run`, and without a number: 4, at most one for each core.
    #[arg(
        long,
        value_name = "N",
        num_args = 0..=1,
        default_missing_value = "4",
        value_parser = clap::value_parser!(u8).range(1..=64)
    )]
    pub threads: Option<u8>,
}

impl Args {
    /// Seed of the input.
    pub fn seed(&self) -> u64 {
        self.seed.unwrap_or(1)
    }
}

/// A program and its system.
pub struct Job {
    pub system: System,
    program: Reader,
    /// A second thread reads it.
    read_ahead: bool,
    /// Name and checksum of the program.
    pub workload: String,
    /// A recorded trace's folder, removed with the job.
    _folder: Option<files::Folder>,
}

/// `KEY=VALUE` pairs.
pub type Settings = Vec<(String, String)>;

/// Threads that simulate a machine where no number is given: more rarely help.
pub const THREADS: u8 = 4;

/// Cores of the host.
pub fn cores() -> u8 {
    let cores = std::thread::available_parallelism();
    cores.map_or(1, |cores| u8::try_from(cores.get()).unwrap_or(u8::MAX))
}

/// Takes `KEY=VALUE`s apart.
pub fn settings(set: &[String]) -> Result<Settings, Failure> {
    let pair = |setting: &String| {
        let (key, value) = setting
            .split_once('=')
            .ok_or_else(|| Failure::usage(format!("--set {setting}: must be KEY=VALUE")))?;
        Ok((key.to_string(), value.to_string()))
    };
    set.iter().map(pair).collect()
}

/// A preset or system file with other values, each of which means something.
pub fn system(name: &str, set: &Settings) -> Result<System, Failure> {
    let system = systems::load(name, set).map_err(Failure::usage)?;
    each_is_read(name, set, &system)?;
    Ok(system)
}

/// Errors: a value that the system does not read.
pub fn each_is_read(name: &str, set: &Settings, system: &System) -> Result<(), Failure> {
    if set.is_empty() {
        return Ok(());
    }
    idle::check(set, &plain(name, set)?, system).map_err(Failure::usage)
}

/// The system without settings, but for the scale: what shows whether a setting has an effect.
pub fn plain(name: &str, set: &Settings) -> Result<System, Failure> {
    let scale: Vec<_> = set.iter().filter(|(key, _)| key == systems::SCALE).cloned().collect();
    // A system file has its scale for information.
    let scale = if systems::family(name).is_some() { scale } else { Vec::new() };
    systems::load(name, &scale).map_err(Failure::usage)
}

/// The settings of the system, and those of the program.
pub fn of_system_and_workload(args: &Args) -> Result<(Settings, Settings), Failure> {
    let pairs = settings(&args.set)?;
    let (of_system, mut of_workload): (Settings, Settings) =
        pairs.into_iter().partition(|(key, _)| !key.starts_with("workload."));
    if of_system.iter().any(|(key, _)| key == systems::DESIGN) {
        of_workload = [published_size(args, &of_system), of_workload].concat();
    }
    Ok((of_system, of_workload))
}

/// The size that a program has in the experiments of the system's paper: a design as its paper ran
/// it has it unless another one is set.
fn published_size(args: &Args, of_system: &Settings) -> Settings {
    let [size, iterations, _] = WORKLOAD_KEYS.map(String::from);
    let system = plain(&args.system, of_system).ok();
    let found = system.and_then(|system| {
        reproductions::scale::published(&args.system, system.scale, &args.workload)
    });
    found.map_or(Vec::new(), |input| {
        vec![(size, input.size.to_string()), (iterations, input.iterations.to_string())]
    })
}

/// The block slots of a machine with these implementations, before any is built.
pub fn plan(system: &System, bodies: &Bodies) -> Result<Sockets, Failure> {
    machine::plan(system, bodies).map_err(|e| run_failure(e.into()))
}

impl Job {
    /// What the command line names.
    pub fn load(args: &Args) -> Result<Self, Failure> {
        let (of_system, of_workload) = of_system_and_workload(args)?;
        let system = system(&args.system, &of_system)?;
        Self::open(args, system, &Program::of(args, &of_workload)?)
    }

    /// A program on a system.
    pub fn open(args: &Args, system: System, program: &Program) -> Result<Self, Failure> {
        let (program, folder) = program.open()?;
        let workload = format!("{} {:016x}", program.name(), program.checksum());
        let read_ahead = args.threads.is_none() && cores() > 1;
        Ok(Self { system, program, read_ahead, workload, _folder: folder })
    }

    /// The program from its start, for one machine.
    pub fn program(&self) -> Result<Reader, Failure> {
        let mut program = self.program.reopen()?;
        if self.read_ahead {
            program.read_ahead()?;
        }
        Ok(program)
    }

    /// Name of the program.
    pub fn name(&self) -> &str {
        self.program.name()
    }

    /// Totals of the program.
    pub fn totals(&self) -> &Totals {
        self.program.totals()
    }

    /// The Verilated libraries that its machine needs with these implementations.
    pub fn requests(&self, bodies: &Bodies) -> Result<Vec<Request>, Failure> {
        match bodies.are_models(&self.system) {
            true => Ok(Vec::new()),
            false => Ok(self.plan(bodies)?.requests().to_vec()),
        }
    }

    /// The block slots of its machine with these implementations, before any is built.
    pub fn plan(&self, bodies: &Bodies) -> Result<Sockets, Failure> {
        plan(&self.system, bodies)
    }

    /// Time of a number of cycles.
    pub fn time_ns(&self, cycles: Cycle) -> u64 {
        (u128::from(cycles) * 1000 / u128::from(self.system.machine.clock_mhz)) as u64
    }
}

impl From<KernelError<trace::Error>> for Failure {
    fn from(error: KernelError<trace::Error>) -> Self {
        match error {
            KernelError::Record(error) => error.into(),
            error => Self::usage(error),
        }
    }
}

/// What `--workload` names, with its settings, before it is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Program {
    /// A recorded trace.
    Trace(PathBuf),
    /// A built-in program; its buffers begin `shift` bytes further on.
    BuiltIn { name: &'static str, params: Params, shift: u32 },
}

impl Display for Program {
    /// The trace, or the built-in program with its size and iterations.
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        match self {
            Self::Trace(file) => write!(f, "{}", file.display()),
            Self::BuiltIn { name, params: Params { size, iterations, .. }, .. } => {
                write!(f, "{name} {size} x {iterations}")
            }
        }
    }
}

impl Program {
    /// The one that the arguments name. Errors: there is no such program, or it has no such
    /// settings.
    pub fn of(args: &Args, settings: &Settings) -> Result<Self, Failure> {
        let file = Path::new(&args.workload);
        if file.extension().is_some() || file.components().count() > 1 {
            let mut given = settings.iter().map(|(key, value)| format!("--set {key}={value}"));
            let given = given.next().or_else(|| Some(format!("--seed {}", args.seed?)));
            return match given {
                Some(given) => {
                    let problem = format!("{given}: {} is a recorded trace", args.workload);
                    Err(Failure::usage(problem))
                }
                None => Ok(Self::Trace(file.into())),
            };
        }
        let program = kernels::program::<trace::Error>(&args.workload)?;
        let (mut params, mut shift) = (program.params(), 0);
        params.seed = args.seed();
        for (key, value) in settings {
            let number = value.parse().map_err(|_| {
                Failure::usage(format!("--set {key}={value}: must be a number below 2^32"))
            });
            let [size, iterations, shift_by] = WORKLOAD_KEYS;
            match key.as_str() {
                key if key == size => params.size = number?,
                key if key == iterations => params.iterations = number?,
                key if key == shift_by => shift = number?,
                _ => {
                    return Err(Failure::unknown(
                        "--set",
                        key,
                        &WORKLOAD_KEYS,
                        "duet list workloads",
                    ));
                }
            }
        }
        program.check::<trace::Error>(&params)?;
        Ok(Self::BuiltIn { name: program.name, params, shift })
    }

    /// Its trace; that of a built-in program is recorded now, into a folder.
    fn open(&self) -> Result<(Reader, Option<files::Folder>), Failure> {
        let (name, params, shift) = match self {
            Self::Trace(file) => return Ok((super::trace::open(file)?, None)),
            Self::BuiltIn { name, params, shift } => (*name, params, *shift),
        };
        let folder = files::Folder::new()
            .map_err(|e| Failure::environment(format!("temporary trace: {e}")))?;
        let path: PathBuf = folder.path().join(name);
        let recorder = Recorder::create(&path, name).and_then(Recorder::fast);
        let shifted = recorder.and_then(|recorder| recorder.shifted(shift.into()));
        let mut recorder = shifted.map_err(|e| match e {
            trace::Error::Program { what, .. } => {
                Failure::usage(format!("--set workload.shift={shift}: {what}"))
            }
            e => e.into(),
        })?;
        kernels::run(name, params, &mut recorder)?;
        recorder.save()?;
        Ok((super::trace::open(&path)?, Some(folder)))
    }
}

/// The status of a run that did not pass.
pub fn run_failure(error: RunError) -> Failure {
    let status = match &error {
        RunError::Build(BuildError::Body(BodyError::Rtl(error))) => rtl_status(error),
        RunError::Build(BuildError::Image(ImageError::Missing)) => ENVIRONMENT,
        RunError::Trace(error) => super::trace::status(error),
        RunError::Build(_) | RunError::Program { .. } | RunError::Limit(_) | RunError::Trap(_) => {
            USAGE
        }
        RunError::Differ(_) => DIFFER,
        RunError::Lost { .. }
        | RunError::Firmware(_)
        | RunError::Block(_)
        | RunError::Threads
        | RunError::Decision(_) => WRONG_VALUE,
        RunError::Deadlock { .. } | RunError::CycleLimit(_) => STUCK,
        RunError::Wrong(..) | RunError::Inconsistent(_) => WRONG_VALUE,
    };
    Failure::new(status, error)
}
