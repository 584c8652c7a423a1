//! `duet run --wave`: a waveform of the blocks in lockstep.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use cosim::Mismatch;
use cosim::body::{BodyKind, Sight};
use cosim::socket::{Pattern, Sockets, Window, summary};
use cosim::wave::{Activity, BESIDE, Shown, Wave, expected_bytes};
use machine::{Bodies, Machine};

use super::Failure;
use super::bodies::these;
use super::job::Job;
use super::output::Shared;
use super::outputs::Files;

/// The flags of waveforms
#[derive(Default, clap::Args)]
#[group(skip)]
pub struct Args {
    /// Write a waveform: VCD, or FST where FILE ends in .fst; and beside it what GTKWave (.gtkw)
    /// and Surfer (.sucl) open, unless files of your own are there
    ///
    /// It shows the first of each block that exists as model and RTL, by place; for 2000 cycles of
    /// the machine from the first transfer on of those that have the clock of the first of them: in
    /// a machine of several GPUs those between GPUs, else from the first packet on. Times are true:
    /// cycle C of a machine of M MHz begins at C / M us; blocks between GPUs run at 1 GHz.
    #[arg(long, value_name = "FILE")]
    wave: Option<PathBuf>,
    /// Show in the waveform the blocks whose places a pattern means, as in --impl; may be given
    /// again
    #[arg(long, value_name = "PLACES", requires = "wave")]
    wave_of: Vec<String>,
    /// First cycle of the machine in the waveform
    #[arg(long, value_name = "C", requires = "wave")]
    wave_from: Option<u64>,
    /// Cycle of the machine before which the waveform ends; else 2000 cycles after its first
    #[arg(long, value_name = "C", requires = "wave")]
    wave_to: Option<u64>,
    /// Show all signals of the RTL in the waveform, and the registers of models: about four times
    /// the space
    #[arg(long, requires = "wave")]
    wave_internals: bool,
}

/// A waveform being written.
pub struct Waves {
    wave: Wave,
    cycles: u64,
}

impl Waves {
    /// Ends the file; viewers show first where implementations differ, if they do.
    pub fn finish(mut self, mismatch: Option<&Mismatch>) -> Result<(), Failure> {
        mismatch.into_iter().for_each(|mismatch| self.wave.mark(mismatch));
        self.wave.finish().map_err(Failure::environment)?;
        if self.cycles == 0 {
            eprintln!(
                "duet: --wave: the window holds no cycle: nothing came that opens it, or \
                 the run ended before; \
                 --wave-from opens it at a cycle, --wave-of PLACES at the first transfer of a block"
            );
        }
        Ok(())
    }
}

/// Adds a waveform that is written, and the files of viewers beside it.
pub fn beside(files: Files, wave: Option<&Path>) -> Files {
    let files = files.writes("--wave", wave);
    BESIDE
        .into_iter()
        .fold(files, |files, (ending, mark)| files.beside("--wave", wave, ending, mark))
}

/// Bytes of a file of which a person is warned.
const MANY: u64 = 1_000_000_000;

/// Warns of a waveform of gigabytes before it is written.
pub fn warn_of_size(path: &Path, shown: &[Shown], inside: bool, activity: Activity, cycles: u64) {
    let bytes = expected_bytes(path, shown, inside, activity, cycles);
    if bytes < MANY {
        return;
    }
    let (name, gigabytes) = (path.display(), bytes as f64 / 1e9);
    let smaller = expected_bytes(&path.with_extension("fst"), shown, inside, activity, cycles);
    let instead = match smaller < bytes {
        true => format!("; an FST, --wave FILE.fst, some {:.1} GB", smaller as f64 / 1e9),
        false => String::new(),
    };
    eprintln!(
        "duet: warning: --wave {name}: {cycles} cycles are likely to take some {gigabytes:.1} GB, \
         a fourth to four times as much{instead}"
    );
}

impl Args {
    /// Adds what is written.
    pub fn files(&self, files: Files) -> Files {
        beside(files, self.wave.as_deref())
    }

    /// The block slots that are shown.
    fn shown(&self, sockets: &Sockets) -> Result<Vec<usize>, Failure> {
        if self.wave_of.is_empty() {
            return Ok(sockets.first_of_each());
        }
        let mut shown = BTreeSet::new();
        for places in &self.wave_of {
            let numbers = sockets.matching(&Pattern::new(places));
            if numbers.is_empty() {
                let problem = format!("--wave-of {places}: {}", these(places, &sockets.places()));
                return Err(Failure::usage(problem));
            }
            shown.extend(numbers);
        }
        Ok(shown.into_iter().collect())
    }

    /// Requests traceable libraries for the blocks that are shown.
    pub fn look_inside(&self, job: &Job, bodies: &mut Bodies) -> Result<(), Failure> {
        if !self.wave_internals {
            return Ok(());
        }
        let sockets = job.plan(bodies)?;
        for number in self.shown(&sockets)? {
            let sight = Sight { inside: true, ..Sight::default() };
            bodies.choice.look_at(Pattern::new(sockets.place(number)), sight);
        }
        Ok(())
    }

    /// Creates the file, and has the machine fill it.
    pub fn create(
        &self,
        max_cycles: Option<u64>,
        machine: &mut Machine,
    ) -> Result<Shared<Waves>, Failure> {
        let Some(path) = &self.wave else { return Ok(None) };
        let window = Window { from: self.wave_from, to: self.wave_to };
        if let (Some(from), Some(to)) = (window.from, window.to)
            && from >= to
        {
            return Err(Failure::usage(format!(
                "--wave-to {to}: must be above {from}, --wave-from"
            )));
        }
        let sockets = machine.sockets();
        let numbers = self.shown(sockets)?;
        let (clocks, shown) = sockets.shown(&numbers, self.wave_internals);
        if self.wave_internals && shown.iter().all(|shown| shown.body == BodyKind::Model) {
            let places = shown.iter().map(|shown| &shown.place);
            return Err(Failure::usage(format!(
                "--wave-internals: no RTL is shown: {} are models; add --impl PLACES=rtl \
                 or PLACES=lockstep, \
                 for command_processor --cp rtl or lockstep",
                summary(places).join(", ")
            )));
        }
        let inside = self.wave_internals;
        let until = window.to.unwrap_or(0).min(max_cycles.unwrap_or(u64::MAX));
        let cycles = until.saturating_sub(window.from.unwrap_or(0));
        warn_of_size(path, &shown, inside, Activity::Program, cycles);
        let wave = Wave::create(path, clocks, shown).map_err(Failure::environment)?;
        let waves = Rc::new(RefCell::new(Waves { wave, cycles: 0 }));
        let to = waves.clone();
        machine.on_cycle(&numbers, window, move |cycles| {
            let waves = &mut *to.borrow_mut();
            waves.cycles += 1;
            waves.wave.cycle(cycles);
        });
        Ok(Some(waves))
    }
}
