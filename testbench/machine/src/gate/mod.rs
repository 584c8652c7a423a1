//! Between GPUs: each GPU's egress path, the links and their switch, each GPU's de-packetizer.
//! Loads and atomics come back on the reverse links, and with them, in one FIFO, what L2s that keep
//! each other coherent say. All of it runs in the links' clock.
//!
//! `outgoing` is a GPU as the source of requests, `incoming` as the home that serves them.

mod agenda;
mod incoming;
mod outgoing;
mod parameters;
mod staging;

pub use incoming::Ports as IncomingPorts;
pub use outgoing::Ports as OutgoingPorts;
pub use parameters::{
    SECTION, accounting, accountings, check, load_bytes, local_latency, parameters, tags, warnings,
};

use cosim::socket::Socket;
use hwmodel::finepack::depacketizer::Depacketizer;
use hwmodel::finepack::tlp_link::{self, Fabric, Sent};
use ports::finepack::types::{FinePack, MAX_GPUS, Tlp};

use crate::config::policy::Policy;
use crate::context::Context;
use crate::context::message::CLASSES;
use crate::engine::{Cycle, InletId};
use crate::finepack::egress_path::EgressPath;

use agenda::{Agenda, numbers};
use incoming::Incoming;
use outgoing::Outgoing;

/// What the gates of a machine are.
pub struct Spec {
    /// The blocks' and links' parameters.
    pub finepack: FinePack,
    /// The links.
    pub link: tlp_link::Config,
    /// Clock of the machine.
    pub clock_mhz: u32,
    /// Clock of the links.
    pub link_mhz: u32,
    /// Bytes of a machine's line.
    pub line: u32,
    /// Which L2s take part.
    pub policy: Policy,
    /// The L1 design says something to other GPUs.
    pub crosses: bool,
    /// Transfers take time on the links, not only the latency.
    pub has_link: bool,
    /// Loads and atomics of a GPU that may be under way, at most 2^16.
    pub tags: u32,
    /// Cycles of the links that a load of bytes takes that are still staged in the own memory.
    pub local_latency: Cycle,
}

/// Counters of one GPU.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counters {
    pub stores: u64,
    pub loads: u64,
    /// Loads that found all their bytes staged, and have not left.
    pub staged_loads: u64,
    pub atomics: u64,
    pub releases: u64,
    /// Flushes of the write queue's partitions, by cause.
    pub flushes: [u64; 8],
    /// Cycles in which it waited for a bank, and for a place in an order queue.
    pub stalls: [u64; 2],
    /// Cycles in which the path took no request that was offered, and the link no beat.
    pub held: [u64; 2],
    pub completion_bytes: u64,
    /// Invalidations and markers of directories that this GPU has sent, and their bytes.
    pub coherence_messages: u64,
    pub coherence_bytes: u64,
    /// Bytes of what designs have said to other GPUs, by class.
    pub design_bytes: [u64; CLASSES],
    /// All bytes on the reverse link, by destination GPU.
    pub reverse_to: [u64; MAX_GPUS],
    pub arrived_stores: u64,
    pub arrived_loads: u64,
    pub arrived_atomics: u64,
    /// Cycles in which the de-packetizer took no beat that had come, and gave an access that
    /// was not taken.
    pub arriving_held: [u64; 2],
}

/// Bytes of a sideband.
const SIDEBAND_BYTES: u32 = 8;
/// Where the bits of GPUs as homes begin.
const HOMES: u32 = 32;
/// Accesses that a path without a link hands over in a cycle of the links: its port is not to be
/// what limits it.
const DIRECT: usize = 8;

/// All gates of a machine.
pub struct Gate {
    clock_mhz: u64,
    link_mhz: u64,
    has_link: bool,
    fabric: Fabric,
    out: Vec<Outgoing>,
    arriving: Vec<Incoming>,
    beats: Vec<Option<Tlp>>,
    ready: Vec<bool>,
    /// Inlets of all GPUs, and a bit for the GPU: as source of those below `HOMES`, as home above.
    inlets: Box<[(InletId, u64)]>,
    /// The next tick of each GPU as source and as home, unless a message or a beat comes before.
    sources: Agenda,
    homes: Agenda,
    /// Cycles of the links so far, those that were skipped included.
    link_cycle: Cycle,
    /// Every GPU is ticked in every cycle of the links.
    tick_all: bool,
}

impl std::fmt::Debug for Gate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gate").field("link_cycle", &self.link_cycle).finish_non_exhaustive()
    }
}

impl Gate {
    /// Joins GPUs. `paths` and `ingress`: the blocks of each; `ports`: its channels.
    pub fn new(
        spec: &Spec,
        paths: Vec<EgressPath>,
        ingress: Vec<Socket<Depacketizer>>,
        ports: Vec<(outgoing::Ports, incoming::Ports)>,
    ) -> Result<Self, ports::ConfigError> {
        let gpus = paths.len();
        let (mut out, mut arriving) = (Vec::new(), Vec::new());
        let mut inlets = Vec::new();
        for (gpu, ((path, block), (o, i))) in paths.into_iter().zip(ingress).zip(ports).enumerate()
        {
            inlets.extend(o.exits.iter().chain([&o.release.0]).map(|&inlet| (inlet, 1 << gpu)));
            inlets.extend(i.answers.iter().map(|&inlet| (inlet, 1 << gpu << HOMES)));
            out.push(Outgoing::new(gpu as u16, gpus, spec, path, o));
            arriving.push(Incoming::new(gpu as u16, block, i, spec));
        }
        Ok(Self {
            clock_mhz: spec.clock_mhz.into(),
            link_mhz: spec.link_mhz.into(),
            has_link: spec.has_link,
            fabric: Fabric::new(gpus, &spec.link)?,
            out,
            arriving,
            beats: vec![None; gpus],
            ready: vec![false; gpus],
            inlets: inlets.into(),
            sources: Agenda::new(gpus),
            homes: Agenda::new(gpus),
            link_cycle: 0,
            tick_all: false,
        })
    }

    /// Link cycles that have ended when cycle `now` of the machine begins.
    fn links_at(&self, now: Cycle) -> Cycle {
        match now.checked_mul(self.link_mhz) {
            Some(product) => product / self.clock_mhz,
            None => {
                (u128::from(now) * u128::from(self.link_mhz) / u128::from(self.clock_mhz)) as Cycle
            }
        }
    }

    /// The machine's cycle in which the link cycle after so many ended ones begins.
    fn start(&self, ended: Cycle) -> Cycle {
        match (ended + 1).checked_mul(self.clock_mhz) {
            Some(product) => product.div_ceil(self.link_mhz) - 1,
            None => {
                let product = u128::from(ended + 1) * u128::from(self.clock_mhz);
                product.div_ceil(self.link_mhz.into()) as Cycle - 1
            }
        }
    }

    /// One cycle of the machine: the cycles of the links that begin in it.
    pub fn tick(&mut self, ctx: &mut Context) {
        let (ended, due) = (self.links_at(ctx.now), self.links_at(ctx.now + 1));
        if due == ended {
            // No link cycle begins in this cycle of the machine.
            ctx.wake_at(self.start(ended));
            return;
        }
        self.fabric.skip(ended - self.link_cycle);
        self.link_cycle = ended;
        // Messages come with the machine's cycles alone.
        let seen = |bits, &(inlet, bit): &_| bits | if ctx.has(inlet) { bit } else { 0 };
        let bits = self.inlets.iter().fold(0, seen);
        self.sources.set_all_of(bits as u32);
        self.homes.set_all_of((bits >> HOMES) as u32);
        let mut next = ended + 1;
        while next <= due {
            self.fabric.skip(next - 1 - self.link_cycle);
            self.link_cycle = next;
            self.tick_links(ctx);
            next = self.next();
        }
        self.fabric.skip(due - self.link_cycle);
        self.link_cycle = due;
        if next != Cycle::MAX {
            ctx.wake_at(self.start(next - 1));
        }
    }

    /// One cycle of the links: of the GPUs that have something to do in it.
    fn tick_links(&mut self, ctx: &mut Context) {
        let now = self.link_cycle;
        if self.tick_all {
            self.look_again();
        }
        // The blocks' outputs are registered: in which order they are ticked changes nothing.
        let homes = self.homes.take(now) | self.fabric.shown();
        let mut answered = 0;
        for gpu in numbers(homes) {
            let tlp = self.fabric.tlp(gpu).copied();
            let arriving = &mut self.arriving[gpu];
            arriving.catch_up(now - 1);
            self.ready[gpu] = arriving.tick(ctx, now, tlp, &mut self.out);
            answered |= arriving.take_answered();
            self.homes.set(gpu, arriving.next(now), now);
        }
        for gpu in numbers(answered) {
            self.sources.expect(gpu, self.out[gpu].expected());
        }
        let mut with_beat = 0;
        for gpu in numbers(self.sources.take(now)) {
            self.out[gpu].catch_up(now - 1);
            if self.has_link {
                let link_ready = self.fabric.tlp_ready(gpu);
                self.out[gpu].tick(ctx, now, (link_ready, true), &mut self.beats[gpu]);
            } else {
                self.forward(ctx, gpu);
            }
            with_beat |= u32::from(self.beats[gpu].is_some()) << gpu;
            self.sources.set(gpu, self.out[gpu].next(ctx, now), now);
            if self.arriving[gpu].has_work_of(&self.out[gpu]) {
                self.homes.set_soon(gpu);
            }
        }
        if with_beat != 0 || self.fabric.quiet_cycles() == 0 {
            self.fabric.tick(&self.beats, with_beat, &self.ready, 0);
            numbers(with_beat).for_each(|gpu| self.beats[gpu] = None);
        } else {
            self.fabric.skip(1);
        }
    }

    /// A path without a link hands over as much as it can; its destinations must have room.
    fn forward(&mut self, ctx: &mut Context, gpu: usize) {
        for _ in 0..DIRECT {
            let room = self.arriving.iter().all(Incoming::has_room);
            let now = self.link_cycle;
            let direct = self.out[gpu].tick(ctx, now, (true, room), &mut self.beats[gpu]);
            match direct {
                Some((dest, access)) => {
                    let dest = usize::from(dest);
                    let due = self.arriving[dest].deliver(now, access);
                    self.homes.expect(dest, due);
                }
                None if !room || !self.out[gpu].is_offering() => break,
                None => {}
            }
        }
    }

    /// The next link cycle in which something is to do unless a message comes; `Cycle::MAX` for
    /// none.
    fn next(&self) -> Cycle {
        let now = self.link_cycle;
        let links = self.fabric.quiet_cycles().saturating_add(now + 1);
        let next = links.min(self.sources.next(now)).min(self.homes.next(now));
        if self.tick_all { now + 1 } else { next }
    }

    /// Ticks every GPU in every cycle of the links from now on.
    pub fn tick_all(&mut self) {
        self.tick_all = true;
    }

    /// A block is observed from some cycle on: each GPU is ticked when the gate is, which asks its
    /// blocks again.
    pub fn look_again(&mut self) {
        self.sources.set_all_soon();
        self.homes.set_all_soon();
    }

    /// Each TLP is to be seen by [`Self::drain_sent`].
    pub fn observe(&mut self) {
        self.fabric.observe();
    }

    /// TLPs whose last byte has left since the last call, by source.
    pub fn drain_sent(&mut self, see: impl FnMut(&Sent)) {
        self.fabric.drain_sent(see);
    }

    /// Counters of each GPU up to cycle `now` of the machine: the gate's own and its link's.
    pub fn counters(&self, now: Cycle) -> impl Iterator<Item = (Counters, tlp_link::Counters)> {
        let links = self.fabric.counters_at(self.links_at(now + 1));
        self.out.iter().zip(&self.arriving).zip(links).map(|((o, i), link)| {
            let mut counters = o.counters;
            counters.completion_bytes = i.counters.completion_bytes;
            counters.coherence_messages = i.counters.coherence_messages;
            counters.coherence_bytes = i.counters.coherence_bytes;
            counters.design_bytes = i.counters.design_bytes;
            for (sum, reverse) in counters.reverse_to.iter_mut().zip(i.counters.reverse_to) {
                *sum += reverse;
            }
            counters.arrived_stores = i.counters.arrived_stores;
            counters.arrived_loads = i.counters.arrived_loads;
            counters.arrived_atomics = i.counters.arrived_atomics;
            counters.arriving_held = i.counters.arriving_held;
            (counters, link)
        })
    }
}
