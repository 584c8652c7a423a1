//! `duet run --wave`: a waveform of the blocks with two bodies.

use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;

use cosim::body::{BodyKind, Sight};
use cosim::runner;
use cosim::wave::Wave;
use testbench::machine::{Bodies, Machine, Window, beside};

use super::run::Shared;
use super::{ENVIRONMENT, Failure, USAGE};

/// The flags of waveforms
#[derive(clap::Args)]
pub struct Args {
    /// Write a waveform: VCD, or FST where FILE ends in .fst; and a GTKWave save file beside it
    ///
    /// It shows GPU 0's blocks that exist as model and RTL: those between GPUs, the directory of
    /// the first L2 bank, the command processors; for 2000 cycles of the machine from the first
    /// transfer between GPUs on, in a machine of one GPU from the first packet on. Times are true:
    /// cycle C of a machine of M MHz begins at C / M us; blocks between GPUs run at 1 GHz.
    #[arg(long, value_name = "FILE")]
    wave: Option<PathBuf>,
    /// Show in the waveform only this block and those beside it
    #[arg(long, value_name = "BLOCK", requires = "wave")]
    wave_of: Option<String>,
    /// First cycle of the machine in the waveform
    #[arg(long, value_name = "C", requires = "wave")]
    wave_from: Option<u64>,
    /// Cycle of the machine before which the waveform ends; else 2000 cycles after its first
    #[arg(long, value_name = "C", requires = "wave")]
    wave_to: Option<u64>,
    /// Show all signals of RTL bodies in the waveform, and the registers of models: needs some four
    /// times the space
    #[arg(long, requires = "wave")]
    wave_internals: bool,
}

/// A waveform being written, and whether anything went wrong.
pub struct Waves {
    wave: Wave,
    error: Option<runner::RunError>,
    cycles: u64,
}

impl Waves {
    /// Ends the file.
    pub fn finish(self) -> Result<(), Failure> {
        let environment = |e| Failure::new(ENVIRONMENT, e);
        self.error.map_or(Ok(()), |e| Err(environment(e)))?;
        self.wave.finish().map_err(environment)?;
        if self.cycles == 0 {
            eprintln!(
                "duet: --wave: the window holds no cycle: nothing came that opens it, or the run ended before; \
                 --wave-from opens it at a cycle, --wave-of BLOCK at the first transfer of a block"
            );
        }
        Ok(())
    }
}

impl Args {
    /// Has the bodies that are shown built so that they can be traced.
    pub fn look_inside(&self, bodies: &mut Bodies) {
        if self.wave_internals {
            let sight = Sight { inside: true, ..Sight::default() };
            let shown = beside(self.wave_of.as_deref());
            shown.into_iter().for_each(|block| bodies.look_at(block, sight));
        }
    }

    /// Creates the file, and has the machine fill it.
    pub fn create(&self, machine: &mut Machine) -> Result<Shared<Waves>, Failure> {
        let Some(path) = &self.wave else { return Ok(None) };
        let usage = |problem: String| Err(Failure::new(USAGE, problem));
        let of = self.wave_of.as_deref();
        let window = Window { from: self.wave_from, to: self.wave_to };
        if let (Some(from), Some(to)) = (window.from, window.to)
            && from >= to
        {
            return usage(format!("--wave-to {to}: must be above {from}, --wave-from"));
        }
        let (clocks, shown) = machine.shown_blocks(of, self.wave_internals);
        if shown.is_empty() {
            let all = machine.all_blocks();
            let names: Vec<_> = all.iter().map(|(block, _)| block.name).collect();
            let of = of.unwrap_or_default();
            return usage(format!("--wave-of {of}: this machine has {}", names.join(", ")));
        }
        if self.wave_internals && shown.iter().all(|shown| shown.body == BodyKind::Model) {
            let names: Vec<_> = shown.iter().map(|shown| shown.block.name).collect();
            return usage(format!(
                "--wave-internals: no RTL is shown: {} are models; add --impl BLOCK=rtl or BLOCK=lockstep, \
                 for command_processor --cp rtl or lockstep",
                names.join(", ")
            ));
        }
        let wave = Wave::create(path, clocks, shown).map_err(|e| Failure::new(ENVIRONMENT, e))?;
        let waves = Rc::new(RefCell::new(Waves { wave, error: None, cycles: 0 }));
        let to = waves.clone();
        machine.on_cycle(of, window, move |cycles| {
            let waves = &mut *to.borrow_mut();
            waves.cycles += 1;
            if waves.error.is_none() {
                waves.error = waves.wave.cycle(cycles).err();
            }
        });
        Ok(Some(waves))
    }
}
