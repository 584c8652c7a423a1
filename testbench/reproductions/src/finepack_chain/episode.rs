//! A stretch of the run between two resets.

use cosim::flip::Flip;
use cosim::lockstep::AFTER;
use cosim::stimulus::Random;
use cosim::wave::Wave;
use hwmodel::Block;
use ports::common::finepack_types::{FinePack, Req};

use super::ChainError;
use super::memory::OutOfRange;
use super::oracle::Oracle;
use super::reached::Reached;
use super::requests::Requests;
use super::rogue;
use super::system::{self, System};
use crate::log_file::LogFile;
use crate::tlp_dump::Line;

/// Cycles without any transfer after which the chain counts as stuck.
const STUCK_AFTER: u64 = 100_000;

/// A stretch of the run between two resets: random requests, then everything drains and is
/// compared.
pub struct Episode<'a> {
    pub system: System,
    parameters: &'a FinePack,
    requests: Vec<Requests>,
    oracle: Oracle,
    random: Random,
    first_cycle: u64,
    offered: Vec<Option<Req>>,
    memory_ready: Vec<bool>,
    moved_at: u64,
}

impl<'a> Episode<'a> {
    /// An episode that starts at `first_cycle` of the run.
    pub fn new(mut system: System, p: &'a FinePack, seed: u64, first_cycle: u64) -> Self {
        let mut random = Random::new(seed);
        let gpus = p.num_gpus as usize;
        let oracle = Oracle::new(p);
        system.memories.clone_from_slice(oracle.memories());
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

    /// Cycles of the run so far.
    pub fn cycle(&self) -> u64 {
        self.first_cycle + self.system.cycle()
    }

    /// Runs to `end` and drains. True when a comparison failed.
    pub fn run(
        &mut self,
        end: u64,
        reached: &mut Reached,
        flip: &mut Option<Flip>,
        mut wave: Option<&mut Wave>,
        mut dump: Option<&mut LogFile>,
    ) -> Result<bool, ChainError> {
        let mut after = None;
        loop {
            if self.cycle() >= end {
                self.requests.iter_mut().for_each(Requests::stop);
            }
            if let Some(pending) = flip.take_if(|f| self.cycle() >= f.cycle)
                && !system::apply_flip(&mut self.system, &pending, self.parameters)
            {
                *flip = Some(pending);
            }
            self.step(reached)?;
            if let Some(dump) = dump.as_deref_mut() {
                for link in self.system.fabric.links_mut() {
                    link.drain_sent(|sent| dump.add(Line { sent, first_cycle: self.first_cycle }));
                }
            }
            if let Some(wave) = wave.as_deref_mut() {
                system::trace(&self.system, wave);
            }
            let failed =
                self.system.paths.iter().any(|p| p.queue().failed() || p.packetizer().failed())
                    || self.system.ingress.iter().any(Block::failed);
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
        let wrong = self.oracle.compare(&self.system.memories, source);
        wrong.map_err(|what| ChainError::WrongValue { cycle: self.cycle(), what })
    }

    fn who_waits(&self) -> String {
        let mut text = String::new();
        for (gpu, path) in self.system.paths.iter().enumerate() {
            let offers =
                if self.offered[gpu].is_some() { "offers a request" } else { "offers nothing" };
            text += &format!("GPU {gpu} {offers}: ");
            let _ = path.write_state(&mut text);
            text += "; de-packetizer ";
            let _ = self.system.ingress[gpu].write_state(&mut text);
            text += ". ";
        }
        text
    }
}
