//! `duet cosim finepack`: the chain write queue, packetizer, link, de-packetizer of several GPUs as
//! one system, every block in lockstep, under constrained-random requests, checked end to end.
//!
//! The oracle is a plain in-order store machine: it applies each request to the destination's
//! memory when the request is accepted. After a release that its GPU waits for, and at the end, the
//! real memories must equal it, whatever was coalesced; every load and atomic must return its
//! values.

mod episode;
mod gpus;
mod memory;
mod oracle;
mod reached;
mod requests;
mod rogue;
mod system;

use std::path::PathBuf;

use cosim::episodes::Episodes;
use cosim::report::RunName;
use cosim::runner::{self, Outcome, RunError};
use cosim::stimulus::Random;
use cosim::wave::Wave;
use ports::common::finepack_types::FinePack;

use episode::Episode;
use reached::Reached;

use crate::log_file::{LogError, LogFile};

/// Name of the chain on the command line.
pub const NAME: &str = "finepack";

/// Its blocks; a waveform shows those of GPU 0.
pub const BLOCKS: [&str; 3] = ["remote_write_queue", "packetizer", "depacketizer"];

/// What to run.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// As for a block; a flip names `FIELD` of the first block that has it, or `BLOCK.FIELD`, in
    /// GPU 0.
    pub run: runner::Options,
    /// Write every TLP to this file.
    pub dump_tlp: Option<PathBuf>,
}

/// Why a run ends early, other than with a difference between model and RTL.
#[derive(Debug, thiserror::Error)]
pub enum ChainError {
    /// It cannot start, or a waveform cannot be written.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A value that the in-order machine does not have.
    #[error("wrong value at cycle {cycle}: {what}")]
    WrongValue {
        /// Cycle.
        cycle: u64,
        /// Place, value and what the in-order machine has.
        what: String,
    },
    /// Nothing moves.
    #[error("stuck at cycle {cycle}: {what}")]
    Stuck {
        /// Cycle.
        cycle: u64,
        /// Who waits.
        what: String,
    },
    /// The TLP file cannot be written.
    #[error(transparent)]
    Dump(#[from] LogError),
}

/// Runs the chain. `name` is the named configuration that `p` is.
pub fn run(name: &str, p: &FinePack, options: &Options) -> Result<Outcome, ChainError> {
    let missing = |error: ChainError| match error {
        ChainError::Run(error) => error.missing().map_err(ChainError::Run),
        error => Err(error),
    };
    let mut dump_tlp = options.dump_tlp.clone();
    let run = |run: &runner::Options| {
        // What a second run sends is known.
        run_once(name, p, &Options { run: run.clone(), dump_tlp: dump_tlp.take() })
    };
    runner::inspected(&options.run, run, missing)
}

fn run_once(name: &str, p: &FinePack, options: &Options) -> Result<Outcome, ChainError> {
    let seed = options.run.seed;
    let mut dump = options.dump_tlp.as_deref().map(LogFile::create).transpose()?;
    let mut wave = None;
    let inside = options.run.inside;
    let mut flip = options.run.flip.clone();
    if let Some(flip) = &flip {
        system::check_flip(flip, p, options.run.cycles)?;
    }
    let run_name = RunName { config: name.to_string(), seed };
    let mut random = Random::new(seed);
    let mut episodes = Episodes::default();
    let mut reached = Reached::default();
    let mut cycle = 0;
    let mut mismatch = None;
    while cycle < options.run.cycles {
        let timeout = random.pick(&[0, 0, 3, 40, 300]);
        let timeout = options.run.statics.get("timeout").map_or(timeout, |fixed| fixed as u16);
        let acct = random.below(2) as u8;
        let acct = options.run.statics.get("acct").map_or(acct, |fixed| fixed as u8);
        let registers = random.word() as u32;
        let rtl = options.run.rtl(registers);
        let mut system = system::build(&run_name, p, &rtl, timeout, acct, cycle)?;
        if let Some(from) = options.run.inspect_from {
            system::inspect_from(&mut system, from);
        }
        let end = options.run.cycles.min(cycle + episodes.next(&mut random));
        if let Some(path) = &options.run.wave {
            let shown = system::start_tracing(&mut system, inside);
            if wave.is_none() {
                wave = Some(Wave::plain(path, shown).map_err(RunError::from)?);
            }
        }
        let mut episode = Episode::new(system, p, random.word(), cycle);
        let found = episode.run(end, &mut reached, &mut flip, wave.as_mut(), dump.as_mut());
        if found.is_err() {
            // What led there is worth having, and worth less than what was found.
            let _ = (wave.take().map(Wave::finish), dump.take().map(LogFile::finish));
        }
        let found = found?;
        cycle = episode.cycle();
        if found {
            mismatch = system::mismatch(&episode.system, &options.run);
            break;
        }
    }
    let (waves, no_wave) = runner::told(wave.map(Wave::finish));
    let no_dump = dump.and_then(|dump| dump.finish().err()).map(|error| error.to_string());
    let (mismatch, no_window) = mismatch.unzip();
    let unwritten = no_wave.or(no_dump).or(no_window.flatten());
    let mismatch = mismatch.map(|mut found| {
        found.waves = waves.or(found.waves);
        found
    });
    if let (None, Some(flip)) = (&mismatch, flip) {
        return Err(RunError::from(flip.never_shown(cycle)).into());
    }
    Ok(Outcome { unwritten, ..reached.outcome(cycle, mismatch) })
}
