//! What an observer sees of the blocks with two bodies: their use, their cycles, their first
//! difference.

use std::fmt;

use cosim::Mismatch;
use cosim::body::{Body, BodyKind, Log};
use cosim::inspect::Window;
use cosim::lockstep::AFTER;
use hwmodel::{Block, Description};

use super::Gate;
use crate::egress_path::EgressPath;
use crate::machine::engine::Cycle;

/// How much a block did, all its instances together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockUse {
    /// Name.
    pub name: &'static str,
    /// Which body.
    pub body: BodyKind,
    /// Instances: one for each GPU, or for each L2 bank.
    pub instances: u32,
    /// Cycles of its clock, that of the links or of the GPU, from reset to the end.
    pub cycles: u64,
    /// Of these, cycles with a transfer, summed over instances.
    pub busy: u64,
    /// The last cycle with a transfer.
    pub last_transfer: Option<u64>,
    /// Transfers on each channel, summed over instances.
    pub transfers: Vec<(&'static str, u64)>,
}

impl BlockUse {
    /// Adds a body, whose clock has had so many cycles, to those of its block.
    pub fn add(uses: &mut Vec<Self>, body: &dyn Body, cycles: u64) {
        let name = body.description().name;
        let transfers = body.transfers();
        let Some(one) = uses.iter_mut().find(|u| u.name == name) else {
            return uses.push(Self {
                name,
                body: body.kind(),
                instances: 1,
                cycles,
                busy: body.busy(),
                last_transfer: body.last_transfer(),
                transfers,
            });
        };
        one.instances += 1;
        one.busy += body.busy();
        one.last_transfer = one.last_transfer.max(body.last_transfer());
        for (sum, (_, count)) in one.transfers.iter_mut().zip(transfers) {
            sum.1 += count;
        }
    }
}

/// A body that differs from the other, or whose assertion failed.
#[derive(Clone, Debug)]
pub struct Difference {
    /// Where it stands.
    pub gpu: u16,
    /// The block.
    pub block: Description,
    /// The machine's cycle.
    pub cycle: Cycle,
    /// The links' cycle, where the block runs in their clock.
    pub link_cycle: Option<Cycle>,
    /// What is wrong.
    pub text: String,
    /// Of two bodies: the report, and the cycles around the difference.
    pub mismatch: Option<(Mismatch, Window)>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.mismatch {
            Some(_) => "model and RTL differ",
            None => "an assertion failed",
        };
        let Self { gpu, block, cycle, link_cycle, .. } = self;
        write!(f, "{} of GPU {gpu}: {what} at cycle {cycle}", block.name)?;
        link_cycle.map_or(Ok(()), |cycle| write!(f, ", {cycle} of the links"))
    }
}

impl Gate {
    /// The bodies of a GPU, in the order of the data's way.
    fn bodies(&self, gpu: usize) -> Vec<&dyn Body> {
        let mut bodies = self.out[gpu].path().bodies();
        if !matches!(self.out[gpu].path(), EgressPath::Infinite(_)) {
            bodies.push(self.arriving[gpu].block());
        }
        bodies
    }

    fn each_body(&mut self, gpu: usize, mut change: impl FnMut(&mut dyn Body)) {
        self.out[gpu].path_mut().each_body(&mut change);
        change(self.arriving[gpu].block_mut());
    }

    /// Lets cycles pass in which nothing is under way.
    pub(super) fn skip(&mut self, cycles: u64) {
        self.fabric.skip(cycles);
        for gpu in 0..self.out.len() {
            self.each_body(gpu, |body| body.skip(cycles));
        }
    }

    /// What each block did until cycle `now` of the machine ended.
    pub fn uses(&self, now: Cycle) -> Vec<BlockUse> {
        let mut uses = Vec::new();
        for body in (0..self.out.len()).flat_map(|gpu| self.bodies(gpu)) {
            BlockUse::add(&mut uses, body, self.links_at(now + 1));
        }
        uses
    }

    /// Keeps each transfer from now on.
    pub fn start_logs(&mut self) {
        for gpu in 0..self.out.len() {
            self.each_body(gpu, |body| body.start_log());
        }
    }

    /// The transfers of each block of each GPU.
    pub fn logs(&self) -> impl Iterator<Item = (usize, &'static str, &Log)> {
        let gpus = 0..self.out.len();
        let of = |gpu: usize| self.bodies(gpu).into_iter().map(move |body| (gpu, body));
        gpus.flat_map(of)
            .filter_map(|(gpu, body)| Some((gpu, body.description().name, body.log()?)))
    }

    /// The bodies that a window shows.
    pub fn shown(&self) -> Vec<&dyn Body> {
        self.bodies(0)
    }

    /// The same, to be watched.
    pub fn each_shown(&mut self, change: impl FnMut(&mut dyn Body)) {
        if !self.shown().is_empty() {
            self.each_body(0, change);
        }
    }

    /// Before a cycle of the links, in cycle `now` of the machine.
    #[cold]
    pub(super) fn prepare(&mut self, now: Cycle) {
        let mut watched = std::mem::take(&mut self.watched);
        let has_tlp = self.fabric.tlp(0).is_some() || self.out[0].path().outputs().tlp.is_some();
        watched.prepare(now, has_tlp, |change| self.each_body(0, change));
        self.watched = watched;
    }

    /// Notes the first failure; the blocks then run on so that waves show what followed.
    pub(super) fn find_failure(&mut self, now: Cycle) {
        let failed = self.out.iter().any(|out| out.path().failed())
            || self.arriving.iter().any(|arriving| arriving.block().failed());
        if failed && self.failed_at.is_none() {
            self.failed_at = Some((self.link_cycle, now));
        }
    }

    /// True once what followed the first failure has been seen.
    pub fn has_failed(&self) -> bool {
        self.failed_at.is_some_and(|(at, _)| self.link_cycle >= at + AFTER)
    }

    /// The first failure.
    pub fn difference(&self) -> Option<Box<Difference>> {
        let (link_cycle, cycle) = self.failed_at?;
        let bodies =
            (0..self.out.len()).flat_map(|gpu| self.bodies(gpu).into_iter().map(move |b| (gpu, b)));
        // Of several, the first in time.
        let first = |body: &dyn Body| body.mismatch().map_or(0, |(mismatch, _)| mismatch.cycle);
        let (gpu, body) =
            bodies.filter(|(_, body)| body.has_failed()).min_by_key(|(_, body)| first(*body))?;
        Some(Box::new(Difference {
            gpu: gpu as u16,
            block: body.description(),
            cycle,
            link_cycle: Some(link_cycle - 1),
            text: body.failure(),
            mismatch: body.mismatch().map(|(found, window)| (found.clone(), window.clone())),
        }))
    }
}
