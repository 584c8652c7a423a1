//! `duet cosim finepack`: random programs on random machines of several GPUs, whose FinePack blocks
//! run in lockstep.
//!
//! The machine's own checks compare every load and atomic with what the program saw, and memory
//! with what it left after each kernel's release. Cycles are those of the links; those of one
//! machine follow on those of the one before.

mod draw;
mod reached;

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;

use cosim::blocks;
use cosim::body::{BodyKind, Sight};
use cosim::flip::{Flip, FlipError};
use cosim::report::{Mismatch, RunName};
use cosim::runner::{self, Options, Outcome};
use cosim::settings::Chosen;
use cosim::socket::{Difference, Pattern, Window};
use cosim::stimulus::Random;
use cosim::wave::{Shown, Wave, plain_clock, write_window};
use machine::{Bodies, Machine, RunError};
use ports::Description;
use ports::finepack::types::FinePack;

use crate::cli::job::run_failure;
use crate::cli::output::{Shared, alone};
use crate::cli::{ENVIRONMENT, Failure, bodies, job};
use crate::log_file::LogFile;
use crate::tlp_dump::Line;
use draw::Case;
use reached::Reached;

/// Its name on the command line.
pub const NAME: &str = "finepack";

/// The blocks that run in lockstep; a waveform shows those of GPU 0.
pub const BLOCKS: [&str; 3] = ["remote_write_queue", "packetizer", "depacketizer"];

/// Most cycles of one machine: none comes near them.
const MOST_CYCLES: u64 = 50_000_000;

/// Runs machines until their links have made this number of cycles.
pub fn run(
    chosen: &Chosen,
    options: &Options,
    mut dump_tlp: Option<&Path>,
) -> Result<Outcome, Failure> {
    // What a second run sends is known.
    let run = |options: &Options| Run::new(chosen, options)?.go(dump_tlp.take());
    runner::inspected(options, run, |failure: Failure| match failure.status {
        ENVIRONMENT => Ok(failure.message),
        _ => Err(failure),
    })
}

/// The ports of the blocks.
fn descriptions(chosen: &Chosen) -> Vec<Description> {
    let blocks = BLOCKS.iter().filter_map(|name| blocks::find(name));
    blocks.map(|block| (block.describe)(chosen)).collect()
}

/// A run over machines.
struct Run<'a> {
    chosen: &'a Chosen,
    parameters: FinePack,
    options: &'a Options,
    /// What is still to be inverted, in a block of GPU 0.
    flip: Option<(&'static str, Flip)>,
    wave: Shared<Wave>,
    reached: Reached,
    /// Cycles of all machines before this one.
    cycle: u64,
}

impl<'a> Run<'a> {
    fn new(chosen: &'a Chosen, options: &'a Options) -> Result<Self, Failure> {
        let flip = options.flip.as_ref().map(|flip| split(flip, chosen, options.cycles));
        Ok(Self {
            chosen,
            parameters: chosen.parameters(),
            options,
            flip: flip.transpose().map_err(Failure::usage)?,
            wave: None,
            reached: Reached::default(),
            cycle: 0,
        })
    }

    fn go(mut self, dump_tlp: Option<&Path>) -> Result<Outcome, Failure> {
        let dump = dump_tlp.map(LogFile::create).transpose().map_err(Failure::environment)?;
        let dump = dump.map(|file| Rc::new(RefCell::new(file)));
        let mut random = Random::new(self.options.seed);
        let mut found = None;
        while found.is_none() && self.cycle < self.options.cycles {
            let case = draw::case(&mut random, &self.parameters, &self.options.statics)?;
            match self.machine(&case, &dump) {
                Ok(difference) => found = difference,
                Err(failure) => {
                    // What led there is worth having, and worth less than what was found.
                    let _ = (alone(self.wave).map(Wave::finish), alone(dump).map(LogFile::finish));
                    return Err(failure);
                }
            }
        }
        let no_dump = alone(dump).and_then(|dump| dump.finish().err()).map(|e| e.to_string());
        let (mismatch, no_window) = found.map(|found| self.mismatch(*found)).unzip();
        let mut wave = alone(self.wave.take());
        if let (Some(wave), Some(mismatch)) = (&mut wave, &mismatch) {
            wave.mark(mismatch);
        }
        let (waves, no_wave) = runner::told(wave.map(Wave::finish));
        let mismatch =
            mismatch.map(|found| Mismatch { waves: waves.or(found.waves.clone()), ..found });
        let (cycles, unwritten) = (self.cycle, no_wave.or(no_dump).or(no_window.flatten()));
        if let (None, Some((_, flip))) = (&mismatch, self.flip) {
            let asked = self.options.flip.as_ref().unwrap_or(&flip);
            return Err(Failure::usage(asked.never_shown(cycles)));
        }
        Ok(Outcome { unwritten, ..self.reached.outcome(cycles, mismatch) })
    }

    /// Runs one machine to its end. Gives the difference that it found.
    fn machine(
        &mut self,
        case: &Case,
        dump: &Shared<LogFile>,
    ) -> Result<Option<Box<Difference>>, Failure> {
        let chosen = self.bodies();
        bodies::build_all(job::plan(&case.system, &chosen)?.requests(), None)?;
        let program = case.program.record_over(case.area);
        let options = machine::Options { max_cycles: MOST_CYCLES, ..Default::default() };
        let machine = Machine::new(&case.system, &chosen, program, options);
        let mut machine = machine.map_err(run_failure)?;
        let first_cycle = self.cycle;
        let (tlps, to) = (self.reached.tlps(), dump.clone());
        machine.on_tlp(move |sent| {
            tlps.borrow_mut().see(sent);
            if let Some(dump) = &to {
                dump.borrow_mut().add(Line { sent, first_cycle });
            }
        });
        self.watch(&mut machine)?;
        self.set_flip(case, &mut machine);
        let ended = machine.run();
        if !machine.sockets().has_pending_flip() {
            self.flip = None;
        }
        self.reached.add(case, &machine);
        let link_cycles = machine.blocks().iter().find(|b| b.name == BLOCKS[0]).map(|b| b.cycles);
        match ended {
            Ok(_) => self.cycle += link_cycles.unwrap_or_default(),
            Err(RunError::Differ(found)) => {
                self.cycle += found.cycle + 1;
                return Ok(Some(found));
            }
            Err(error) => {
                let Failure { status, message } = run_failure(error);
                let number = self.reached.programs();
                let text = format!("program {number}, from cycle {first_cycle} on: {message}");
                return Err(Failure::new(status, text));
            }
        }
        Ok(None)
    }

    /// The implementations of the next machine, and what is recorded of them.
    fn bodies(&self) -> Bodies {
        let Options { inside, inspect_from, .. } = *self.options;
        let inspect_from = inspect_from.map(|from| from.saturating_sub(self.cycle));
        BLOCKS.iter().fold(Bodies::default(), |mut bodies, block| {
            if inside || inspect_from.is_some() {
                bodies.choice.look_at(Pattern::new(block), Sight { inside, inspect_from });
            }
            bodies.with(block, BodyKind::Lockstep)
        })
    }

    /// Has the machine's cycles shown in the waveform, if there is to be one.
    fn watch(&mut self, machine: &mut Machine) -> Result<(), Failure> {
        let Some(path) = &self.options.wave else { return Ok(()) };
        let numbers: Vec<_> = BLOCKS.iter().map(|block| socket(machine, block)).collect();
        let (_, shown) = machine.sockets().shown(&numbers, self.options.inside);
        if self.wave.is_none() {
            // One GPU is shown: its number tells nothing.
            let plain = |shown: Shown| Shown { place: shown.block.name.to_string(), ..shown };
            let wave =
                Wave::create(path, vec![plain_clock()], shown.into_iter().map(plain).collect());
            self.wave = Some(Rc::new(RefCell::new(wave.map_err(Failure::environment)?)));
        }
        if let Some(wave) = self.wave.clone() {
            wave.borrow_mut().count_from(self.cycle);
            let all = Window { from: Some(0), to: Some(2 * MOST_CYCLES) };
            machine.on_cycle(&numbers, all, move |cycles| wave.borrow_mut().cycle(cycles));
        }
        Ok(())
    }

    fn set_flip(&self, case: &Case, machine: &mut Machine) {
        let Some((block, flip)) = &self.flip else { return };
        // The machine's cycle in which that of the links begins.
        let [clock, links] = [case.system.machine.clock_mhz, case.system.gpu_link.clock_mhz];
        let link_cycle = flip.cycle.saturating_sub(self.cycle);
        let cycle = (link_cycle * u64::from(clock)).div_ceil(links.into());
        machine.flip(socket(machine, block), Flip { cycle, ..flip.clone() });
    }

    /// The report of a difference, in cycles of the run, and why the waveform around it could not
    /// be written.
    fn mismatch(&self, found: Difference) -> (Mismatch, Option<String>) {
        let (mut mismatch, mut window) = found.mismatch.expect("lockstep has a report");
        let first = self.cycle - found.cycle - 1;
        mismatch.cycle += first;
        mismatch.past.iter_mut().for_each(|transfer| transfer.cycle += first);
        mismatch.run = RunName { config: self.chosen.name.clone(), seed: self.options.seed };
        mismatch.place = found.place;
        window.cycles.iter_mut().for_each(|cycle| cycle.cycle += first);
        let path = self.options.mismatch_wave.as_ref().filter(|_| self.options.wave.is_none());
        let written =
            path.map(|path| write_window(path, found.block, &window, &mismatch, plain_clock()));
        let unwritten;
        (mismatch.waves, unwritten) = runner::told(written);
        (mismatch, unwritten)
    }
}

/// The slot of a block in GPU 0.
fn socket(machine: &Machine, block: &str) -> usize {
    machine.sockets().matching(&Pattern::new(&format!("gpu0/{block}")))[0]
}

/// The block that a flip means, and the flip there by the name of its field. Errors: none of them
/// has such a field.
fn split(flip: &Flip, chosen: &Chosen, cycles: u64) -> Result<(&'static str, Flip), FlipError> {
    let all = descriptions(chosen);
    let meant = all.iter().find_map(|block| {
        let own = flip.field.strip_prefix(block.name).and_then(|field| field.strip_prefix('.'));
        let field = own.unwrap_or(&flip.field).to_string();
        let inner = Flip { field, ..flip.clone() };
        inner.is_of(block).then_some((block, inner))
    });
    let (block, inner) = meant.ok_or_else(|| FlipError {
        what: "field",
        value: flip.field.clone(),
        limit: format!("an output of {}, as FIELD or BLOCK.FIELD", BLOCKS.join(", ")),
    })?;
    Ok((block.name, inner.checked(block, cycles)?))
}

/// The same flip by block and field.
pub fn named(flip: &Flip, chosen: &Chosen, cycles: u64) -> Result<Flip, FlipError> {
    let (block, inner) = split(flip, chosen, cycles)?;
    Ok(Flip { field: format!("{block}.{}", inner.field), ..inner })
}
