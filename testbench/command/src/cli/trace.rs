//! `duet trace`: makes traces of programs, shows them, checks them.
//!
//! ```text
//! $ duet trace import accel-sim data/vector_sum/kernelslist.g -o vector_sum.trace
//! PASS vector_sum: 1 kernels, 2 work-groups, 264 loads (1.000 determined), 128...
//! $ duet trace info vector_sum.trace
//! vector_sum, checksum ...
//!   1 kernels, 2 work-groups, 2 warps, 12 instructions, 2 barriers
//!   264 loads (264 determined, 0 racy), 128 stores, 4 atomics
//!   8192 bytes in buffers, kernels touch 8192; the host writes 1028 and reads 0
//! buffers
//!   0x000000100000         4096 at 0x7f3a00000000
//!   0x000000101000         4096 at 0x7f3a00100000
//! kernels
//!      0 vector_sum: 2 work-groups of 64 x 1 x 1 (8 bytes), 0 racy bytes, 1 locations of atomics
//! $ duet trace verify vector_sum.trace
//! loads     264 determined, 0 racy
//! atomics   0 determined, 4 racy
//! stores    128
//! memory    8192 bytes compared after kernels, 0 of them racy
//! PASS vector_sum: the trace agrees with its own stores
//! ```

mod make;
mod record;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use clap::{Subcommand, ValueEnum};
use serde::Serialize;
use traces::trace::accel_sim::{self, Imported};
use traces::trace::{Error, Event, Reader, Recorder, Totals, verify};

use super::{ENVIRONMENT, Failure, USAGE, WRONG_VALUE};
use make::{checked, claim, convert, made, save};
pub use record::capture;

/// Make, show and check traces of programs
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Run an OpenCL program under Oclgrind and make its trace (docs/capture.md)
    Capture {
        /// Trace to write
        #[arg(short, long)]
        output: PathBuf,
        /// Compile kernels with -O3, and count instructions as a GPU's compiler makes them
        #[arg(long)]
        gpu: bool,
        /// Program and its arguments
        #[arg(last = true, required = true)]
        program: Vec<OsString>,
    },
    /// Convert a raw capture of an OpenCL program
    Convert {
        /// Path of the capture without its endings .bin, .meta, .blob
        prefix: PathBuf,
        /// Trace to write
        #[arg(short, long)]
        output: PathBuf,
    },
    /// Show what is in a trace
    Info {
        /// Trace
        file: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Replay a trace in a shadow memory
    Verify {
        /// Trace
        file: PathBuf,
    },
    /// Import a trace of another tool
    Import {
        /// The tool
        tool: Tool,
        /// Its list of kernels (kernelslist.g)
        list: PathBuf,
        /// Trace to write
        #[arg(short, long)]
        output: PathBuf,
    },
}

#[derive(Clone, Copy, ValueEnum)]
enum Tool {
    AccelSim,
}

impl Args {
    /// True for what ends with a verdict.
    pub fn is_run(&self) -> bool {
        !matches!(self.action, Action::Info { .. })
    }
}

/// The status of a command that cannot read or make a trace.
pub fn status(error: &Error) -> u8 {
    match error {
        Error::Io { source, .. } => match source.kind() {
            ErrorKind::NotFound | ErrorKind::IsADirectory => USAGE,
            _ => ENVIRONMENT,
        },
        _ => USAGE,
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::new(status(&error), error)
    }
}

/// Opens a trace in which something runs.
pub fn open(path: &Path) -> Result<Reader, Failure> {
    let reader = Reader::open(path)?;
    match reader.totals().groups {
        0 => Err(nothing_ran(&path.display().to_string(), reader.kernels())),
        _ => Ok(reader),
    }
}

fn nothing_ran(program: &str, kernels: u32) -> Failure {
    Failure::usage(format!("{program}: no work-group in {kernels} kernels: nothing ran"))
}

pub fn run(args: &Args) -> Result<u8, Failure> {
    match &args.action {
        Action::Capture { output, gpu, program } => {
            claim(output)?;
            record::run(output, program, *gpu)
        }
        Action::Convert { prefix, output } => {
            claim(output)?;
            let name = name_of(prefix);
            checked(output, &name, |_, trace| convert(prefix, trace, &name))?;
            made(output, &BTreeMap::new())
        }
        Action::Import { tool: Tool::AccelSim, list, output } => {
            claim(output)?;
            // Every list has the same name; the folder tells the program.
            let whole = std::path::absolute(list).unwrap_or_default();
            let folder = whole.parent().filter(|folder| folder.file_name().is_some());
            let name = name_of(folder.unwrap_or(list));
            let mut recorder = Recorder::create(output, &name)?;
            let imported = accel_sim::import(list, &mut recorder)?;
            save(recorder, &name)?;
            warn(&imported);
            made(output, &imported.left_out)
        }
        Action::Info { file, json } => info(file, *json),
        Action::Verify { file } => check(file),
    }
}

/// What an import changes or does not know.
fn warn(imported: &Imported) {
    let Imported { streams, unknown, .. } = imported;
    if streams.len() > 1 {
        let n = streams.len();
        eprintln!("duet: warning: kernels of {n} CUDA streams run one after another in one stream");
    }
    for field in unknown {
        eprintln!("duet: warning: the header field `-{field}` is not known and has no effect");
    }
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// `duet trace info --json`.
#[derive(Serialize)]
struct Info<'a> {
    name: &'a str,
    checksum: String,
    #[serde(flatten)]
    totals: Totals,
    loads_racy: u64,
    share_determined: f64,
    share_determined_within_kernels: f64,
    streams: usize,
    buffers: Vec<Buffer>,
    launches: Vec<Launch>,
}

#[derive(Serialize)]
struct Buffer {
    name: String,
    addr: u64,
    bytes: u64,
    private: bool,
}

#[derive(Serialize)]
struct Launch {
    name: String,
    stream: u8,
    grid: [u32; 3],
    local: [u32; 3],
    groups: u32,
    group_memory: u32,
    args: usize,
    racy_bytes: usize,
    atomic_locations: usize,
}

fn info(path: &Path, json: bool) -> Result<u8, Failure> {
    let mut reader = Reader::open(path)?;
    let (mut buffers, mut launches, mut streams) = (Vec::new(), Vec::new(), 1);
    while let Some(event) = reader.next_event()? {
        match event {
            Event::Alloc { addr, bytes, name, private } => {
                buffers.push(Buffer { name, addr, bytes, private });
            }
            Event::Streams(bound) => streams = bound.len(),
            Event::Kernel(head) => launches.push(Launch {
                name: head.name,
                stream: head.stream,
                grid: head.grid,
                local: head.local,
                groups: head.groups,
                group_memory: head.group_memory,
                args: head.args.len(),
                racy_bytes: head.racy.len(),
                atomic_locations: head.atomics.len(),
            }),
            _ => {}
        }
    }
    let totals = *reader.totals();
    let info = Info {
        name: reader.name(),
        checksum: format!("{:016x}", reader.checksum()),
        totals,
        loads_racy: totals.loads_racy(),
        share_determined: totals.share_determined(),
        share_determined_within_kernels: totals.share_determined_within_kernels(),
        streams,
        buffers,
        launches,
    };
    if json {
        println!("{}", serde_json::to_string(&info).map_err(Failure::environment)?);
        return Ok(0);
    }
    show(&info);
    Ok(0)
}

/// As text.
fn show(info: &Info) {
    let totals = &info.totals;
    println!("{}, checksum {}", info.name, info.checksum);
    println!(
        "  {} kernels, {} work-groups, {} warps, {} instructions, {} barriers",
        totals.kernels, totals.groups, totals.warps, totals.instructions, totals.barriers
    );
    println!(
        "  {} loads ({} determined, {} racy), {} stores, {} atomics",
        totals.loads, totals.loads_determined, info.loads_racy, totals.stores, totals.atomics
    );
    println!(
        "  {} bytes in buffers, kernels touch {}; the host writes {} and reads {}",
        totals.allocated_bytes,
        totals.footprint_bytes,
        totals.host_written_bytes,
        totals.host_read_bytes
    );
    println!("buffers");
    for buffer in &info.buffers {
        let Buffer { name, addr, bytes, private } = buffer;
        let class = if *private { " (private memory)" } else { "" };
        println!("  {addr:#014x} {bytes:>12} {name}{class}");
    }
    println!("kernels");
    for (number, launch) in info.launches.iter().enumerate() {
        let Launch { name, stream, groups, local: [x, y, z], .. } = launch;
        let Launch { racy_bytes, atomic_locations, group_memory, .. } = launch;
        let stream = if info.streams > 1 { format!(" (stream {stream})") } else { String::new() };
        println!(
            "  {number:>4} {name}{stream}: {groups} work-groups of {x} x {y} x {z} \
             ({group_memory} bytes), {racy_bytes} racy bytes, {atomic_locations} \
             locations of atomics"
        );
    }
}

fn check(path: &Path) -> Result<u8, Failure> {
    let mut reader = open(path)?;
    let outcome = verify(&mut reader)?;
    println!(
        "loads     {} determined, {} racy\natomics   {} determined, {} racy\nstores    {}\n\
         memory    {} bytes compared after kernels, {} of them racy",
        outcome.loads_determined,
        outcome.loads_racy,
        outcome.atomics_determined,
        outcome.atomics_racy,
        outcome.stores,
        outcome.bytes_after,
        outcome.bytes_after_racy
    );
    if outcome.wrong == 0 {
        println!("PASS {}: the trace agrees with its own stores", reader.name());
        return Ok(0);
    }
    for line in &outcome.described {
        println!("{line}");
    }
    println!("FAIL {}: {} wrong values", reader.name(), outcome.wrong);
    Ok(WRONG_VALUE)
}
