//! `duet bodies list|build|clean`: Verilated libraries in the cache. Any other command builds what
//! it needs.
//!
//! ```text
//! $ duet bodies build packetizer --config small --set beat=16
//! ...
//! PASS libraries: 1 of 1 in the cache
//! ```

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::thread;

use bodies::{Cache, Origin, Request, Step, Variant, replace_sources};
use cosim::blocks::{self, BlockEntry};
use cosim::body::BodyKind;
use cosim::renamed;
use cosim::socket::summary;
use machine::{Bodies, Cp};
use ports::did_you_mean;

use super::job::{self, run_failure, settings};
use super::{Failure, bundled, rtl_status};

/// Verilated libraries in the cache
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(clap::Subcommand)]
enum Verb {
    /// What the cache holds: block, bytes, variant, parameters
    List,
    /// Build the libraries that the cache does not have
    Build(BuildArgs),
    /// Remove all libraries from the cache
    Clean,
}

#[derive(clap::Args)]
struct BuildArgs {
    /// Blocks; all of them where none is named
    #[arg(value_name = "BLOCK")]
    blocks: Vec<String>,
    /// Named configurations; `small` and `paper` where none is named
    #[arg(long, value_name = "NAME")]
    config: Vec<String>,
    /// Set a parameter, or with --system a field of it
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// The libraries of a machine whose blocks are all RTL, in place of blocks
    #[arg(long, value_name = "NAME|FILE", conflicts_with_all = ["blocks", "config", "trace"])]
    system: Option<String>,
    /// With all signals, as `--wave-internals` needs them
    #[arg(long)]
    trace: bool,
    /// Libraries that are built at a time
    ///
    /// Default: the number of cores.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64))]
    jobs: Option<u16>,
    #[command(flatten)]
    rtl: Sources,
}

/// Where the RTL comes from.
#[derive(Default, clap::Args)]
#[group(skip)]
pub struct Sources {
    /// Build the RTL from this folder, which has the blocks' folders
    #[arg(long = "rtl", value_name = "DIR", group = bundled::FILE)]
    folder: Option<PathBuf>,
    /// If it comes from a bundle.
    #[arg(skip)]
    pub bundled: Option<Bundled>,
}

/// RTL of a bundle.
#[derive(Clone, Debug)]
pub struct Bundled {
    /// It is not trusted.
    pub is_foreign: bool,
    /// The folder that the run named which left the bundle.
    pub named: Option<PathBuf>,
}

impl Sources {
    /// The folder that was given.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// The words that ask for it.
    pub fn words(&self) -> String {
        self.folder.as_ref().map_or(String::new(), |folder| format!(" --rtl {}", folder.display()))
    }

    /// Before any library is requested.
    pub fn apply(&self) -> Result<(), Failure> {
        let Some(folder) = &self.folder else {
            warn_of_edits();
            return Ok(());
        };
        let (named, is_foreign) = match &self.bundled {
            Some(Bundled { named, is_foreign }) => (named.as_deref(), *is_foreign),
            None => (Some(folder.as_path()), false),
        };
        let origin = if is_foreign { Origin::Foreign } else { Origin::Own };
        replace_sources(folder, named, origin).map_err(|e| Failure::usage(format!("--rtl {e}")))?;
        warn_of_edits();
        Ok(())
    }
}

/// The program runs the RTL of its build, whatever has become of the files since.
fn warn_of_edits() {
    let edited = bodies::edited();
    if !edited.is_empty() {
        eprintln!(
            "duet: warning: this program runs the RTL of its build; since then {}. Run `cargo \
             build --release`, or use --rtl DIR",
            edited.join(", ")
        );
    }
}

impl Args {
    /// It ends with a verdict.
    pub fn is_run(&self) -> bool {
        matches!(self.verb, Verb::Build(_))
    }
}

/// Builds those of these libraries that the cache does not have, `jobs` at a time (default: the
/// number of cores), before a machine requests them one after the other.
pub fn build_all(requests: &[Request], jobs: Option<u16>) -> Result<(), Failure> {
    let cores = || thread::available_parallelism().map_or(1, usize::from);
    let jobs = jobs.map_or_else(cores, usize::from);
    bodies::build(requests, jobs).map_err(|e| Failure::new(rtl_status(&e), e))
}

/// What a machine has, where a pattern has meant none of it.
pub fn these(pattern: &str, places: &[String]) -> String {
    // A pattern means a place by its end, too.
    let whole = places.iter().map(String::as_str);
    let words = places.iter().flat_map(|place| place.split('/'));
    let near = did_you_mean(pattern, whole.chain(words));
    format!("this machine has {}{near}", summary(places).join(", "))
}

/// Reports progress on a terminal.
pub fn show_step(step: Step) {
    if io::stderr().is_terminal() {
        print_step(step);
    }
}

fn print_step(step: Step) {
    match step {
        Step::Building(request) => eprintln!("duet: building {request}"),
        Step::Waiting(request) => {
            eprintln!("duet: waiting for another process that builds {request}");
        }
        Step::Built(request, seconds) => {
            eprintln!("duet: built {} in {seconds:.1} s", request.block.name);
        }
    }
}

pub fn run(args: &Args) -> Result<u8, Failure> {
    match &args.verb {
        Verb::List => {
            let cache = Cache::find().map_err(Failure::environment)?;
            for (name, kept) in cache.list().map_err(Failure::environment)? {
                let what = if kept.block.is_empty() { "(all)" } else { &kept.block };
                println!("{what:<24}{:>10} B  {:<8}{}", kept.bytes, kept.variant, kept.parameters);
                println!("{:<24}{name}, {}", "", kept.tools);
            }
            Ok(0)
        }
        Verb::Clean => {
            let left =
                Cache::find().and_then(|cache| cache.clean()).map_err(Failure::environment)?;
            for path in left {
                eprintln!("duet: {}: is no entry of the cache, and stays", path.display());
            }
            Ok(0)
        }
        Verb::Build(args) => build(args),
    }
}

fn build(args: &BuildArgs) -> Result<u8, Failure> {
    args.rtl.apply()?;
    // It is what this command is for.
    bodies::on_step(print_step);
    let requests = match &args.system {
        Some(system) => {
            let system = job::system(system, &settings(&args.set)?)?;
            let rtl = Bodies::all(BodyKind::Rtl).with_cp(Cp::Core(BodyKind::Rtl));
            machine::plan(&system, &rtl).map_err(|e| run_failure(e.into()))?.requests().to_vec()
        }
        None => of_blocks(args)?,
    };
    build_all(&requests, args.jobs)?;
    println!("PASS libraries: {0} of {0} in the cache", requests.len());
    Ok(0)
}

/// Those of named blocks.
fn of_blocks(args: &BuildArgs) -> Result<Vec<Request>, Failure> {
    let chosen: Vec<(&str, &BlockEntry)> = match &args.blocks[..] {
        [] => blocks::all().into_iter().map(|block| (block.name, block)).collect(),
        names => {
            let known: Vec<_> = blocks::all().into_iter().map(|block| block.name).collect();
            let unknown = |name| Failure::unknown("block", name, &known, "duet list blocks");
            let find = |name| blocks::find(name).ok_or_else(|| unknown(name));
            let named = names.iter().map(|name| find(name).map(|block| (&name[..], block)));
            named.collect::<Result<_, _>>()?
        }
    };
    let configs = match &args.config[..] {
        [] => &["small".to_string(), "paper".to_string()],
        named => named,
    };
    let variant = if args.trace { Variant::traced() } else { Variant::default() };
    let mut requests: Vec<Request> = Vec::new();
    for (name, block) in chosen {
        for config in configs {
            let (config, set) = renamed::settings(name, config, &args.set);
            let applied = block.family.apply(&config, &set, &[]);
            let (chosen, _) = applied.map_err(Failure::usage)?;
            let request = Request { block: (block.describe)(&chosen), variant: variant.clone() };
            // Configurations may differ in what a block does not have.
            if requests.iter().all(|other| other.to_string() != request.to_string()) {
                requests.push(request);
            }
        }
    }
    Ok(requests)
}
