//! GPUs that store into each other's memory over links: egress paths, the link fabric, the
//! de-packetizers and the memories behind them. No caches: what a workload's remote stores do after
//! they have left the L1 (FinePack, HPCA'23, figure 7).

use std::collections::VecDeque;

use hwmodel::Block;
use hwmodel::egress::Egress;
use hwmodel::tlp_link::Fabric;
use ports::common::finepack_types::{Ingress, LineData, Req, Tlp, ingress_kind};
use ports::depacketizer;
use ports::egress;

use super::memory::{Memory, OutOfRange};

/// The data that a load or an atomic brings back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Returned {
    /// GPU that it was asked from.
    pub from: usize,
    /// Tag, the request's id.
    pub tag: u8,
    /// Bytes of the line.
    pub data: LineData,
}

/// What one GPU saw in a cycle.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen {
    /// The request that was offered is taken.
    pub accepted: bool,
    /// The release of this id is complete.
    pub released: Option<u8>,
    /// Error of the egress path.
    pub egress_error: Option<u8>,
    /// Error of the de-packetizer.
    pub ingress_error: Option<u8>,
    /// The queue's events, of a FinePack path.
    pub evt: ports::common::finepack_types::Evt,
    /// The egress path showed a beat that the link did not take.
    pub link_held: bool,
    /// The de-packetizer did not take the beat shown to it.
    pub ingress_held: bool,
    /// An access that reached this GPU's memory through its de-packetizer.
    pub arrived: Option<Ingress>,
}

/// The system. `P` is the egress path of every GPU, `D` its de-packetizer.
pub struct EgressSystem<P, D> {
    /// The egress paths, by GPU.
    pub paths: Vec<P>,
    /// The de-packetizers, by GPU.
    pub ingress: Vec<D>,
    /// Links and switch.
    pub fabric: Fabric,
    /// The memories, by GPU; whoever makes the system lays them out.
    pub memories: Vec<Memory>,
    /// Per source: cycle and GPU of completions on their way back.
    completions: Vec<VecDeque<(u64, u8)>>,
    returned: Vec<VecDeque<Returned>>,
    /// Per source: beats that enter the link beside the path, at a packet boundary.
    injected: Vec<VecDeque<Tlp>>,
    /// Per source: who is in the middle of a TLP.
    sender: Vec<Sender>,
    latency: u64,
    cycle: u64,
    beats: Vec<Option<Tlp>>,
    ready: Vec<bool>,
    seen: Vec<Seen>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sender {
    Nobody,
    Path,
    Injected,
}

impl<P, D> EgressSystem<P, D>
where
    P: Egress,
    D: Block<In = depacketizer::In, Out = depacketizer::Out>,
{
    /// Joins as many GPUs as there are paths. `latency`, in cycles, is that of the reverse link.
    pub fn new(paths: Vec<P>, ingress: Vec<D>, fabric: Fabric, latency: u64) -> Self {
        let gpus = paths.len();
        Self {
            paths,
            ingress,
            fabric,
            memories: vec![Memory::default(); gpus],
            completions: vec![VecDeque::new(); gpus],
            returned: vec![VecDeque::new(); gpus],
            injected: vec![VecDeque::new(); gpus],
            sender: vec![Sender::Nobody; gpus],
            latency,
            cycle: 0,
            beats: vec![None; gpus],
            ready: vec![false; gpus],
            seen: vec![Seen::default(); gpus],
        }
    }

    /// Rising edges since reset.
    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// Lets these beats, one TLP, enter the link of GPU `source` at the next packet boundary.
    pub fn inject(&mut self, source: usize, tlp: impl IntoIterator<Item = Tlp>) {
        self.injected[source].extend(tlp);
    }

    /// Lets GPU `gpu` see the completion of a MARK that it cannot have sent: one to itself.
    pub fn inject_spurious_completion(&mut self, gpu: usize) {
        self.completions[gpu].push_front((0, gpu as u8));
    }

    /// Data that has come back to GPU `source`, oldest first.
    pub fn take_returned(&mut self, source: usize) -> Option<Returned> {
        self.returned[source].pop_front()
    }

    /// True when no store, load or completion is under way. A path that holds stores back is idle.
    pub fn is_quiet(&self) -> bool {
        self.fabric.is_empty()
            && self.completions.iter().all(VecDeque::is_empty)
            && self.injected.iter().all(VecDeque::is_empty)
            && self.paths.iter().all(|p| p.is_idle())
            && self.ingress.iter().all(|d| d.is_idle())
    }

    /// One clock edge. `requests[g]` is offered by GPU g, and must stay until it is accepted;
    /// `memory_ready[g]` lets GPU g's memory take an access; bit g of `crc_error` damages the first
    /// TLP that GPU g's link starts. Errors: an access outside the memory.
    pub fn tick(
        &mut self,
        requests: &[Option<Req>],
        memory_ready: &[bool],
        crc_error: u32,
    ) -> Result<&[Seen], OutOfRange> {
        for (gpu, &ready) in memory_ready.iter().enumerate() {
            self.seen[gpu] = Seen::default();
            self.tick_ingress(gpu, ready)?;
        }
        for (gpu, request) in requests.iter().enumerate() {
            self.tick_path(gpu, *request);
        }
        self.fabric.tick(&self.beats, &self.ready, crc_error);
        self.cycle += 1;
        Ok(&self.seen)
    }

    fn tick_path(&mut self, gpu: usize, req: Option<Req>) {
        let link_ready = self.fabric.tlp_ready(gpu);
        if self.sender[gpu] == Sender::Nobody && !self.injected[gpu].is_empty() {
            self.sender[gpu] = Sender::Injected;
        }
        let path_sends = self.sender[gpu] != Sender::Injected;
        let due = self.completions[gpu].front().is_some_and(|(at, _)| *at <= self.cycle);
        let cpl = if due { self.completions[gpu].pop_front().map(|(_, from)| from) } else { None };
        let tlp_ready = link_ready && path_sends;
        let out = self.paths[gpu].tick(&egress::In { req, tlp_ready, cpl, self_id: gpu as u8 });
        let beat = match path_sends {
            true => out.tlp,
            false => self.injected[gpu].front().copied(),
        };
        if let Some(beat) = beat.filter(|_| link_ready) {
            if !path_sends {
                self.injected[gpu].pop_front();
            }
            let going_on = if path_sends { Sender::Path } else { Sender::Injected };
            self.sender[gpu] = if beat.eop { Sender::Nobody } else { going_on };
        }
        // The link takes nothing while it is not ready.
        self.beats[gpu] = beat;
        let seen = &mut self.seen[gpu];
        seen.accepted = req.is_some() && out.req_ready;
        seen.released = out.rel;
        seen.egress_error = out.err;
        seen.evt = out.evt;
        seen.link_held = out.tlp.is_some() && !link_ready;
    }

    fn tick_ingress(&mut self, gpu: usize, st_ready: bool) -> Result<(), OutOfRange> {
        let tlp = self.fabric.tlp(gpu).copied();
        let out = self.ingress[gpu].tick(&depacketizer::In { tlp, st_ready });
        self.ready[gpu] = out.tlp_ready;
        self.seen[gpu].ingress_error = out.err;
        self.seen[gpu].ingress_held = tlp.is_some() && !out.tlp_ready;
        let arrived = out.st.filter(|_| st_ready);
        self.seen[gpu].arrived = arrived;
        arrived.map_or(Ok(()), |st| self.arrive(gpu, &st))
    }

    /// An access reaches the memory of `gpu`.
    fn arrive(&mut self, gpu: usize, st: &Ingress) -> Result<(), OutOfRange> {
        let source = usize::from(st.src >> 4);
        let memory = &mut self.memories[gpu];
        match st.kind {
            ingress_kind::WRITE => memory.write(st.addr, st.mask, &st.data)?,
            ingress_kind::MARK => {
                self.completions[source].push_back((self.cycle + self.latency, gpu as u8));
            }
            kind => {
                let data = match kind {
                    ingress_kind::READ => memory.read(st.addr, st.mask)?,
                    _ => memory.atomic(st.addr, st.mask, st.aop, &st.data)?,
                };
                self.returned[source].push_back(Returned { from: gpu, tag: st.tag, data });
            }
        }
        Ok(())
    }
}
