//! `duet cosim finepack`: the chain write queue, packetizer, link, de-packetizer of several GPUs as
//! one system, every block in lockstep, under constrained-random requests, checked end to end.
//!
//! The oracle is a plain in-order store machine: it applies each request to the destination's memory
//! when the request is accepted. After a release that its GPU waits for, and at the end, the real
//! memories must equal it, whatever was coalesced; every load and atomic must return its values.

mod dump;
mod oracle;
mod reached;
mod requests;
mod rogue;

use std::path::PathBuf;

use cosim::lockstep::{AFTER, Lockstep};
use cosim::report::{Mismatch, RunName};
use cosim::runner::{self, EPISODE, Flip, Outcome, RunError, Wave};
use cosim::stimulus::Random;
use cosim::{Rtl, RtlError};
use hwmodel::common::finepack_types::FinePack;
use hwmodel::depacketizer::Depacketizer;
use hwmodel::egress::FinePackPath;
use hwmodel::packetizer::Packetizer;
use hwmodel::remote_write_queue::RemoteWriteQueue;
use hwmodel::tlp_link::{self, Fabric, LINK_LAT_SMALL};
use hwmodel::{Block, Description, Model};

use crate::egress_system::EgressSystem;
use crate::memory::OutOfRange;
use dump::TlpDump;
use oracle::Oracle;
use reached::Reached;
use requests::Requests;

/// Name of the chain on the command line.
pub const NAME: &str = "finepack";
/// Cycles without any transfer after which the chain counts as stuck.
const STUCK_AFTER: u64 = 100_000;

/// What to run.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// As for a block; a flip names `FIELD` of the first block that has it, or `BLOCK.FIELD`, in GPU 0.
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
    #[error("{path}: {source}", path = path.display())]
    Dump {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

type Pair<M> = Lockstep<M, Rtl<M>>;
type Path = FinePackPath<Pair<RemoteWriteQueue>, Pair<Packetizer>>;
type System = EgressSystem<Path, Pair<Depacketizer>>;

fn pair<M: Model>(run: &RunName, config: M::Config, cycle: u64) -> Result<Pair<M>, RunError> {
    let rtl = Rtl::new(&run.config, &config)?;
    Ok(Lockstep::new(run.clone(), &config, M::new(&config)?, rtl, cycle))
}

/// One episode's system, fresh out of reset.
fn build(
    run: &RunName,
    p: &FinePack,
    timeout: u16,
    acct: u8,
    cycle: u64,
) -> Result<System, RunError> {
    let gpus = 0..p.num_gpus;
    let path = |_| {
        Ok(FinePackPath::new(
            pair(run, p.into(), cycle)?,
            pair(run, p.into(), cycle)?,
            timeout,
            acct,
        ))
    };
    let paths = gpus.clone().map(path).collect::<Result<Vec<Path>, RunError>>()?;
    let ingress = gpus.map(|_| pair(run, p.into(), cycle)).collect::<Result<_, RunError>>()?;
    let link = tlp_link::Config::new(p, LINK_LAT_SMALL)?.with_max_payload(p.maxpay);
    let fabric = Fabric::new(p.num_gpus as usize, &link)?;
    Ok(EgressSystem::new(paths, ingress, fabric, LINK_LAT_SMALL.into(), p.ecrc_en == 1))
}

/// The first failed comparison of any block: the report and its waveform window.
fn mismatch(system: &System, options: &runner::Options) -> Result<Option<Mismatch>, RunError> {
    fn of<M: Model>(
        pair: &Pair<M>,
        config: M::Config,
        path: Option<&PathBuf>,
    ) -> Result<Option<Mismatch>, RunError> {
        let Some(mut found) = pair.mismatch().cloned() else { return Ok(None) };
        if let Some(path) = path {
            let block = Description::of::<M>(&config);
            found.waves = Some(runner::write_window(path, &block, pair.window())?);
        }
        Ok(Some(found))
    }
    let path = options.mismatch_wave.as_ref().filter(|_| options.wave.is_none());
    for gpu in system.paths() {
        if let Some(found) = of(gpu.queue(), gpu.queue().config().clone(), path)? {
            return Ok(Some(found));
        }
        if let Some(found) = of(gpu.packetizer(), gpu.packetizer().config().clone(), path)? {
            return Ok(Some(found));
        }
    }
    for pair in system.ingress() {
        if let Some(found) = of(pair, pair.config().clone(), path)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Runs the chain. `name` is the named configuration that `p` is.
pub fn run(name: &str, p: &FinePack, options: &Options) -> Result<Outcome, ChainError> {
    let seed = options.run.seed;
    let mut dump = options.dump_tlp.as_deref().map(TlpDump::create).transpose()?;
    let mut wave = match &options.run.wave {
        Some(path) => Some(Wave::create(path, descriptions(p))?),
        None => None,
    };
    let mut flip = options.run.flip.clone();
    if let Some(flip) = &flip {
        check_flip(flip, p, options.run.cycles)?;
    }
    let run_name = RunName { config: name.to_string(), seed };
    let mut random = Random::new(seed);
    let mut reached = Reached::default();
    let mut cycle = 0;
    while cycle < options.run.cycles {
        let timeout = random.pick(&[0, 0, 3, 40, 300]);
        let timeout = options.run.statics.timeout.unwrap_or(timeout);
        let acct = options.run.statics.acct.unwrap_or(random.below(2) as u8);
        let system = build(&run_name, p, timeout, acct, cycle)?;
        let end = options.run.cycles.min(cycle + EPISODE);
        let mut episode = Episode::new(system, p, random.word(), cycle, wave.is_some());
        let found = episode.run(end, &mut reached, &mut flip, wave.as_mut(), dump.as_mut())?;
        cycle = episode.cycle();
        if found {
            let mut found = mismatch(&episode.system, &options.run)?;
            if let (Some(wave), Some(found)) = (wave.take(), &mut found) {
                found.waves = Some(wave.finish()?);
            }
            return Ok(reached.outcome(cycle, found));
        }
    }
    if let Some(wave) = wave {
        wave.finish()?;
    }
    if let Some(dump) = dump {
        dump.finish()?;
    }
    flip.map_or(Ok(()), |flip| Err(flip.never_shown(cycle)))?;
    Ok(reached.outcome(cycle, None))
}

fn descriptions(p: &FinePack) -> Vec<Description> {
    vec![
        Description::of::<RemoteWriteQueue>(&p.into()),
        Description::of::<Packetizer>(&p.into()),
        Description::of::<Depacketizer>(&p.into()),
    ]
}

/// The block and the flip that a chain's flip means.
fn split_flip(flip: &Flip, p: &FinePack) -> Option<(usize, Flip)> {
    descriptions(p).iter().enumerate().find_map(|(i, block)| {
        let field = match flip.field.split_once('.') {
            Some((name, field)) if name == block.name => field,
            Some(_) => return None,
            None => &flip.field,
        };
        let flip = Flip { field: field.to_string(), ..flip.clone() };
        flip.port(block).is_some().then_some((i, flip))
    })
}

fn check_flip(flip: &Flip, p: &FinePack, cycles: u64) -> Result<(), RunError> {
    let (block, inner) = split_flip(flip, p).ok_or_else(|| RunError::Flip {
        what: "field",
        value: flip.field.clone(),
        limit:
            "an output of remote_write_queue, packetizer or depacketizer, as FIELD or BLOCK.FIELD"
                .into(),
    })?;
    inner.check(&descriptions(p)[block], cycles)
}

/// A stretch of the run between two resets: random requests, then everything drains and is compared.
struct Episode<'a> {
    system: System,
    parameters: &'a FinePack,
    requests: Vec<Requests>,
    oracle: Oracle,
    random: Random,
    first_cycle: u64,
    offered: Vec<Option<hwmodel::common::finepack_types::Req>>,
    memory_ready: Vec<bool>,
    moved_at: u64,
}

impl<'a> Episode<'a> {
    fn new(mut system: System, p: &'a FinePack, seed: u64, first_cycle: u64, trace: bool) -> Self {
        let mut random = Random::new(seed);
        let gpus = p.num_gpus as usize;
        let oracle = Oracle::new(p);
        system.memories_mut().clone_from_slice(oracle.memories());
        if trace {
            let path = &mut system.paths_mut()[0];
            path.queue_mut().start_tracing();
            path.packetizer_mut().start_tracing();
            system.ingress_mut()[0].start_tracing();
        }
        let requests = (0..gpus).map(|g| Requests::new(p, g, random.word())).collect();
        Self {
            system,
            parameters: p,
            requests,
            oracle,
            random,
            first_cycle,
            offered: vec![None; gpus],
            memory_ready: vec![true; gpus],
            moved_at: 0,
        }
    }

    fn cycle(&self) -> u64 {
        self.first_cycle + self.system.cycle()
    }

    /// Runs to `end` and drains. True when a comparison failed.
    fn run(
        &mut self,
        end: u64,
        reached: &mut Reached,
        flip: &mut Option<Flip>,
        mut wave: Option<&mut Wave>,
        mut dump: Option<&mut TlpDump>,
    ) -> Result<bool, ChainError> {
        let mut after = None;
        loop {
            if self.cycle() >= end {
                self.requests.iter_mut().for_each(Requests::stop);
            }
            if let Some(pending) = flip.take_if(|f| self.cycle() >= f.cycle) {
                if !self.apply(&pending) {
                    *flip = Some(pending);
                }
            }
            self.step(reached)?;
            if let Some(dump) = dump.as_deref_mut() {
                dump.cycle(&mut self.system, self.first_cycle)?;
            }
            if let Some(wave) = wave.as_deref_mut() {
                self.trace(wave)?;
            }
            let failed =
                self.system.paths().iter().any(|p| p.queue().failed() || p.packetizer().failed())
                    || self.system.ingress().iter().any(Block::failed);
            if failed {
                let left = after.get_or_insert(AFTER);
                if *left == 0 {
                    return Ok(true);
                }
                *left -= 1;
            } else if self.cycle() >= end
                && self.requests.iter().all(Requests::is_done)
                && self.system.is_quiet()
            {
                break;
            }
            if self.cycle() - self.moved_at.max(self.first_cycle) > STUCK_AFTER {
                return Err(ChainError::Stuck { cycle: self.cycle(), what: self.who_waits() });
            }
        }
        self.compare(None)?;
        reached.final_compares += 1;
        Ok(false)
    }

    fn apply(&mut self, flip: &Flip) -> bool {
        let Some((block, flip)) = split_flip(flip, self.parameters) else { return true };
        match block {
            0 => flip.apply(self.system.paths_mut()[0].queue_mut()),
            1 => flip.apply(self.system.paths_mut()[0].packetizer_mut()),
            _ => flip.apply(&mut self.system.ingress_mut()[0]),
        }
    }

    fn trace(&self, wave: &mut Wave) -> Result<(), RunError> {
        let path = &self.system.paths()[0];
        let cycles = (
            path.queue().last_cycle(),
            path.packetizer().last_cycle(),
            self.system.ingress()[0].last_cycle(),
        );
        match cycles {
            (Some(queue), Some(packetizer), Some(depacketizer)) => {
                wave.cycle(&[queue, packetizer, depacketizer])
            }
            _ => Ok(()),
        }
    }

    fn step(&mut self, reached: &mut Reached) -> Result<(), ChainError> {
        let cycle = self.cycle();
        for (gpu, requests) in self.requests.iter_mut().enumerate() {
            self.offered[gpu] = requests.offer();
            self.memory_ready[gpu] = requests.memory_ready();
            if requests.wants_rogue() {
                let dest = requests.rogue_dest();
                self.system
                    .inject(gpu, rogue::tlp(&mut self.random, self.parameters, gpu as u8, dest));
                reached.rogues += 1;
            }
            if requests.wants_rogue() {
                self.system.inject_spurious_completion(gpu);
            }
        }
        let crc_error = if self.random.chance(1) { self.random.word() as u32 } else { 0 };
        let outside = |OutOfRange(addr)| ChainError::WrongValue {
            cycle,
            what: format!("an access to {addr:#x}, which no request named"),
        };
        let seen =
            self.system.tick(&self.offered, &self.memory_ready, crc_error).map_err(outside)?;
        let mut moved = false;
        let mut compare = None;
        for (gpu, seen) in seen.iter().enumerate() {
            reached.observe(seen, self.parameters);
            moved |= seen.accepted || seen.arrived.is_some() || seen.released.is_some();
            reached.req_held += u64::from(self.offered[gpu].is_some() && !seen.accepted);
            reached.memory_held += u64::from(!self.memory_ready[gpu]);
            if let Some(req) = self.offered[gpu].filter(|_| seen.accepted) {
                self.oracle.accept(gpu, &req).map_err(outside)?;
                self.requests[gpu].accepted(&req);
            }
            if seen.released.is_some() && self.requests[gpu].released() {
                compare = Some(gpu);
            }
        }
        if moved {
            self.moved_at = cycle;
        }
        for gpu in 0..self.requests.len() {
            while let Some(returned) = self.system.take_returned(gpu) {
                reached.returned += 1;
                let wrong = self.oracle.check_returned(gpu, &returned);
                wrong.map_err(|what| ChainError::WrongValue { cycle, what })?;
            }
        }
        if let Some(gpu) = compare {
            self.compare(Some(gpu))?;
            reached.release_compares += 1;
        }
        Ok(())
    }

    /// Compares the memories with the in-order machine: what GPU `source` wrote, or all of it.
    fn compare(&self, source: Option<usize>) -> Result<(), ChainError> {
        let wrong = self.oracle.compare(self.system.memories(), source);
        wrong.map_err(|what| ChainError::WrongValue { cycle: self.cycle(), what })
    }

    fn who_waits(&self) -> String {
        let mut text = String::new();
        for (gpu, path) in self.system.paths().iter().enumerate() {
            let offers =
                if self.offered[gpu].is_some() { "offers a request" } else { "offers nothing" };
            text += &format!("GPU {gpu} {offers}: ");
            let _ = path.write_state(&mut text);
            text += "; de-packetizer ";
            let _ = self.system.ingress()[gpu].write_state(&mut text);
            text += ". ";
        }
        text
    }
}

impl From<RtlError> for ChainError {
    fn from(error: RtlError) -> Self {
        Self::Run(error.into())
    }
}
