//! `--report` and `--timeline` of `run`, and `duet report`: several pages as one.

use std::fs;
use std::path::{Path, PathBuf};

use machine::{Machine, RunError};
use report::{Packets, Run, collect, page, runs_of, sampled, timeline};

use super::Failure;
use super::job::Job;
use super::output::write_file;
use super::outputs::Files;

/// The runs of several pages side by side on one; the first is what the others are compared with
#[derive(clap::Args)]
pub struct Args {
    /// Pages that `duet run --report` has written
    #[arg(required = true, value_name = "PAGE.html")]
    pages: Vec<PathBuf>,
    /// The page to write
    #[arg(long, short, value_name = "FILE.html")]
    output: PathBuf,
}

/// Joins pages.
pub fn run(args: &Args) -> Result<u8, Failure> {
    let mut runs = Vec::new();
    for path in &args.pages {
        let refused = |problem: String| Failure::usage(format!("{}: {problem}", path.display()));
        let text = fs::read_to_string(path).map_err(|e| refused(e.to_string()))?;
        runs.extend(runs_of(&text).map_err(refused)?);
    }
    let files = Files::default().writes("--output", Some(&args.output));
    args.pages.iter().fold(files, |files, path| files.reads("PAGE.html", Some(path))).claim()?;
    write_file(&args.output, &page(&runs))?;
    println!("{} runs in {}", runs.len(), args.output.display());
    Ok(0)
}

/// Records a machine's run for a page from now on.
pub fn watch(machine: &mut Machine) -> Packets {
    machine.record();
    let packets = Packets::default();
    let of_run = packets.clone();
    machine.on_packet(move |packet| of_run.add(packet));
    packets
}

/// What a page shows of a run that has ended so.
pub fn shown(
    machine: &Machine,
    job: &Job,
    seed: u64,
    result: &Result<u64, RunError>,
    packets: &Packets,
) -> Run {
    let first = |e: &RunError| e.to_string().lines().next().unwrap_or_default().to_string();
    Run {
        verdict: result.as_ref().map_or_else(first, |_| "PASS".to_string()),
        workload: job.workload.clone(),
        seed,
        ..collect(machine, &job.system, packets)
    }
}

/// What a run writes for people.
pub struct Pages {
    report: Option<PathBuf>,
    timeline: Option<PathBuf>,
    packets: Packets,
}

impl Pages {
    /// None where nothing is wanted; else the machine records from now on. Errors: nothing can be
    /// written there.
    pub fn new(
        report: Option<&Path>,
        timeline: Option<&Path>,
        machine: &mut Machine,
    ) -> Result<Option<Self>, Failure> {
        if report.is_none() && timeline.is_none() {
            return Ok(None);
        }
        for path in [report, timeline].into_iter().flatten() {
            // Before a long run.
            files::PartFile::create(path)
                .map_err(|e| Failure::environment(format!("{}: {e}", path.display())))?;
        }
        match timeline {
            None => machine.record(),
            Some(_) => machine.record_timeline(),
        }
        let [report, timeline] = [report, timeline].map(|path| path.map(Path::to_path_buf));
        Ok(Some(Self { report, timeline, packets: Packets::default() }))
    }

    /// Where packets go.
    pub fn packets(&self) -> Packets {
        self.packets.clone()
    }

    /// Writes the files.
    pub fn write(
        self,
        machine: &Machine,
        job: &Job,
        seed: u64,
        result: &Result<u64, RunError>,
    ) -> Result<(), Failure> {
        let shown = shown(machine, job, seed, result, &self.packets);
        if let Some(sampled) = sampled(&shown) {
            println!("timeline: {sampled}");
        }
        let events =
            self.timeline.map_or(Ok(()), |path| write_file(&path, &timeline(&shown).to_string()));
        let page = self.report.map_or(Ok(()), |path| write_file(&path, &page(&[shown])));
        events.and(page)
    }
}
