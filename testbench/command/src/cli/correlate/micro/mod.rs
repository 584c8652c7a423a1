//! `duet correlate --micro`: latencies and rates that micro.cu measured on a GPU, beside those of
//! the machine. Each line has a built-in program (`points.rs`) with the same accesses.

mod lines;
mod points;
mod result;

use cosim::fold::{Style, fold};
use machine::{Bodies, Machine, Options, System};
use traces::kernels;
use traces::trace::Recorder;

use super::super::job::{self, run_failure};
use super::super::{Failure, output};
use super::Args;
use points::{Point, Value};
pub use result::Report;
use result::{Measured, Summary};

/// Runs the points of all lines, or of those that begin with what `--case` says.
pub fn run(args: &Args) -> Result<u8, Failure> {
    let lines = lines::read(args.file.as_deref())?;
    let points = chosen(points::points(&lines)?, &args.cases)?;
    let set = job::settings(&args.set)?;
    let system = job::system(args.system.as_deref().unwrap_or("h100"), &set)?;
    let cus = u32::from(system.machine.chiplets) * u32::from(system.machine.cus);
    let sms = kernels::MICRO_SMS;
    if (system.machine.gpus, cus as usize) != (1, sms) {
        let problem =
            format!("{}: must have one GPU and {sms} CUs, as micro.cu's GPU", system.name);
        return Err(Failure::usage(problem));
    }
    println!("{}  scale {}  {} lines", system.name, system.scale, points.len());
    println!("{}", result::head());
    let show = |at: usize, value: &Result<Measured, Failure>| match value {
        Ok(value) => println!("{}", value.row()),
        Err(Failure { message, .. }) => println!("FAIL {}: {message}", points[at].name),
    };
    let all = (points.len(), "lines");
    let (mut measured, failure) =
        super::in_order(args, all, |at| measure(&system, &points[at]), show)?;
    let verdict = if failure.is_none() { "PASS" } else { "FAIL" };
    let (system, scale, summary) = (system.name.clone(), system.scale, Summary::of(&mut measured));
    let report = Report { verdict, system, scale, summary, lines: measured };
    for line in result::summary(&report) {
        println!("{}", fold(&line, 2, Style::Text));
    }
    if let Some(path) = &args.json {
        output::write_json(path, &report)?;
    }
    match failure {
        Some(failure) => Err(failure),
        None => {
            println!("{}", result::pass(&report));
            Ok(0)
        }
    }
}

/// The points whose lines begin with the words of one of these, all if there is none. `-` separates
/// words as well as a space does.
fn chosen(points: Vec<Point>, starts: &[String]) -> Result<Vec<Point>, Failure> {
    let is = |point: &Point, start: &String| {
        let rest = point.name.strip_prefix(&start.replace('-', " "));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    for start in starts {
        if !points.iter().any(|point| is(point, start)) {
            let known: Vec<_> = points.iter().map(|point| point.name.as_str()).collect();
            return Err(Failure::unknown("--case", start, &known, "the file"));
        }
    }
    let wanted = |point: &Point| starts.is_empty() || starts.iter().any(|start| is(point, start));
    Ok(points.into_iter().filter(wanted).collect())
}

/// Runs a point's program.
fn measure(system: &System, point: &Point) -> Result<Measured, Failure> {
    let mut system = system.clone();
    system.l1.bypass |= point.bypass;
    let folder =
        files::Folder::new().map_err(|e| Failure::environment(format!("temporary trace: {e}")))?;
    let path = folder.path().join(point.program);
    let mut recorder = Recorder::create(&path, point.program).and_then(Recorder::fast)?;
    kernels::run(point.program, &point.params, &mut recorder)?;
    recorder.save()?;
    let program = super::super::trace::open(&path)?;
    let options = Options { by_launch: true, ..Options::default() };
    let machine = Machine::new(&system, &Bodies::default(), program, options);
    let mut machine = machine.map_err(run_failure)?;
    machine.run().map_err(run_failure)?;
    let uses = machine.kernel_uses();
    let cycles = |used: &machine::KernelUse, name: &str| {
        used.counters.get(name).copied().unwrap_or(0) as f64
    };
    let launches: Vec<f64> = match point.value {
        Value::Launch => vec![machine.cycle() as f64 / uses.len() as f64; 2],
        _ => uses.iter().map(|used| cycles(used, super::cases::CYCLES)).collect(),
    };
    Ok(Measured::new(point, point.value.of(&launches)))
}
