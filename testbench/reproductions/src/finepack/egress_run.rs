//! One workload through one egress path, and what was counted.

use hwmodel::Model;
use hwmodel::depacketizer::Depacketizer;
use hwmodel::tlp_link::{self, Counters, Fabric};
use machine::egress_path::{EgressPath, PathKind};
use ports::ConfigError;
use ports::common::finepack_types::{FinePack, Req, flush_cause, ingress_kind, op};
use schemars::JsonSchema;
use serde::Serialize;
use traces::workloads::{BASE, Kernel, Replica, Workload, apply_copies};

use super::traffic::Traffic;
use crate::egress_system::{EgressSystem, Seen};
use crate::memory::{Memory, OutOfRange};

/// Cycles without any transfer after which a run counts as stuck.
const STUCK_AFTER: u64 = 100_000;

/// Why a run ends without numbers.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// An illegal parameter.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A byte of a memory is wrong, or a block reports an error.
    #[error("wrong value: {workload} through {path}, iteration {iteration}: {what}")]
    WrongValue {
        /// Workload.
        workload: &'static str,
        /// Egress path.
        path: &'static str,
        /// Iteration, from 0.
        iteration: u32,
        /// Place and values.
        what: String,
    },
    /// Nothing moves.
    #[error("stuck: {workload} through {path}, iteration {iteration}, cycle {cycle}: {what}")]
    Stuck {
        /// Workload.
        workload: &'static str,
        /// Egress path.
        path: &'static str,
        /// Iteration, from 0.
        iteration: u32,
        /// Cycle.
        cycle: u64,
        /// Who waits.
        what: String,
    },
}

/// Bytes on the wire, all links together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WireBytes {
    /// All of them.
    pub total: u64,
    /// Stored bytes.
    pub data: u64,
    /// Sub-headers.
    pub sub_headers: u64,
    /// Outer headers, framing, sequence numbers, CRCs, flit overhead; MARKs as a whole.
    pub headers_framing: u64,
    /// Padding to a DW, and bytes that byte enables disable.
    pub padding: u64,
    /// Of the total, what stores cost: without MARKs.
    pub stores: u64,
}

/// What was counted in a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Record {
    /// Egress path.
    #[schemars(with = "String")]
    pub path: PathKind,
    /// Workload.
    pub workload: &'static str,
    /// Iterations, each ended by a release of every GPU.
    pub iterations: u32,
    /// Comparisons of a whole memory with the expected one.
    pub memories_compared: u64,
    /// Stores that the GPUs issued.
    pub stores: u64,
    /// Their bytes.
    pub store_bytes: u64,
    /// TLPs: with stores, MARKs and configuration packets.
    pub tlps: u64,
    /// Of these, with stores: packets or plain writes.
    pub packets: u64,
    /// Bytes on the wire.
    pub wire: WireBytes,
    /// Writes that arrived at a memory. A plain write within a line is one.
    pub writes: u64,
    /// Of these, with fewer than 32 B.
    pub writes_below_32: u64,
    /// Writes at the GPU to which most arrive, summed over the iterations. A memory takes one from
    /// its links in a cycle, so no path with links needs fewer cycles.
    pub busiest_destination: u64,
    /// Bytes that were sent again to the same address before the release.
    pub sent_again: u64,
    /// Bytes of stores that were overwritten in a queue and not sent.
    pub coalesced: u64,
    /// Delivered bytes that the destination reads in the next iteration, each counted once.
    pub useful: u64,
    /// Delivered bytes that are not useful: sent again, or not read.
    pub wasted: u64,
    /// Packets that ended because a store lay outside their window (`finepack`).
    pub window_flushes: u64,
    /// Cycles in which the busiest link carried bytes.
    pub busy_cycles: u64,
    /// Cycles until all releases were done, summed over the iterations.
    pub cycles: u64,
}

impl Record {
    /// Stores for each TLP that carries stores; `None` where stores are not sent as TLPs.
    pub fn stores_per_packet(&self) -> Option<f64> {
        let sent = self.packets > 0 && self.path != PathKind::Dma;
        sent.then(|| self.stores as f64 / self.packets as f64)
    }
}

/// What a run is made on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// Parameters of all blocks.
    pub parameters: FinePack,
    /// Latency of each link in cycles.
    pub link_latency: u32,
}

impl Setup {
    /// Runs the rest of `workload` through `path`: all GPUs' kernels of an iteration at once, one
    /// request per GPU and cycle, and a barrier after the releases. Links are idle at a barrier.
    pub fn run(&self, path: PathKind, workload: &mut dyn Workload) -> Result<Record, RunError> {
        let mut run = Run::new(self, path, workload)?;
        while workload.step() {
            run.iteration(workload)?;
            run.record.iterations += 1;
        }
        Ok(run.record())
    }

    fn system(
        &self,
        path: PathKind,
        memory: &[Replica],
    ) -> Result<EgressSystem<EgressPath, Depacketizer>, ConfigError> {
        let p = &self.parameters;
        let gpus = p.num_gpus as usize;
        let mut link = tlp_link::Config::new(p, self.link_latency)?;
        link.framing.cfg_extra = path.cfg_extra();
        let paths = (0..gpus).map(|_| path.build(p)).collect::<Result<_, _>>()?;
        let ingress = (0..gpus).map(|_| Depacketizer::new(&p.into())).collect::<Result<_, _>>()?;
        let fabric = Fabric::new(gpus, &link)?;
        let mut system = EgressSystem::new(paths, ingress, fabric, self.link_latency.into());
        for (ours, replica) in system.memories.iter_mut().zip(memory) {
            ours.add_range(BASE, replica.bytes().len());
            write(ours, BASE, replica.bytes());
        }
        Ok(system)
    }
}

/// A write of a GPU to its own memory.
fn write(memory: &mut Memory, addr: u64, bytes: &[u8]) {
    let range = memory.range_mut(BASE).expect("laid out with the system");
    let at = (addr - BASE) as usize;
    range[at..at + bytes.len()].copy_from_slice(bytes);
}

/// A run under way.
struct Run {
    system: EgressSystem<EgressPath, Depacketizer>,
    /// What the copies of the DMA paradigm make of the memories; the workload itself stores.
    copied: Option<Vec<Replica>>,
    traffic: Traffic,
    /// What was counted so far.
    record: Record,
}

impl Run {
    fn new(setup: &Setup, path: PathKind, workload: &dyn Workload) -> Result<Self, RunError> {
        let memory = workload.memory();
        Ok(Self {
            system: setup.system(path, memory)?,
            copied: (path == PathKind::Dma).then(|| memory.to_vec()),
            traffic: Traffic::new(memory, setup.parameters.line),
            record: Record { path, workload: workload.name(), ..Record::default() },
        })
    }

    fn wrong(&self, what: String) -> RunError {
        let Record { workload, path, iterations: iteration, .. } = self.record;
        RunError::WrongValue { workload, path: path.name(), iteration, what }
    }

    /// The kernels of one iteration, from the first request to the last release.
    fn iteration(&mut self, workload: &dyn Workload) -> Result<(), RunError> {
        let (kernels, expected) = (workload.kernels(), workload.memory());
        self.write_own(kernels, expected);
        let began = self.system.cycle();
        self.drive(kernels)?;
        self.record.cycles += self.system.cycle() - began;
        self.traffic.release(kernels.iter().map(|k| &k.reads[..]));
        if let Some(copied) = &mut self.copied {
            apply_copies(kernels, expected, copied);
        }
        let expected = self.copied.as_deref().unwrap_or(expected);
        for (gpu, (memory, expected)) in self.system.memories.iter().zip(expected).enumerate() {
            let ours = memory.range(BASE).expect("laid out with the system");
            if ours != expected.bytes() {
                let pairs = ours.iter().zip(expected.bytes());
                let at = pairs.clone().position(|(a, b)| a != b).unwrap_or(ours.len());
                let differ = pairs.filter(|(a, b)| a != b).count();
                return Err(self.wrong(format!(
                    "GPU {gpu} has {:#04x} at {:#x}, must be {:#04x}; {differ} bytes differ",
                    ours[at],
                    BASE + at as u64,
                    expected.bytes()[at]
                )));
            }
            self.record.memories_compared += 1;
        }
        Ok(())
    }

    /// What the kernels write locally. No other GPU stores there, so the time does not matter.
    fn write_own(&mut self, kernels: &[Kernel], expected: &[Replica]) {
        for (gpu, kernel) in kernels.iter().enumerate() {
            if kernel.own.is_empty() {
                continue;
            }
            let bytes = expected[gpu].slice(kernel.own.clone());
            write(&mut self.system.memories[gpu], kernel.own.start, bytes);
            if let Some(copied) = &mut self.copied {
                copied[gpu].write(kernel.own.start, bytes);
            }
        }
    }

    /// Offers the requests until every release is done.
    fn drive(&mut self, kernels: &[Kernel]) -> Result<(), RunError> {
        let gpus = kernels.len();
        let mut next = vec![0; gpus];
        let mut waiting = gpus;
        let mut offered: Vec<Option<Req>> = vec![None; gpus];
        let ready = vec![true; gpus];
        let mut seen: Vec<Seen> = Vec::with_capacity(gpus);
        let mut moved_at = self.system.cycle();
        while waiting > 0 {
            for (gpu, kernel) in kernels.iter().enumerate() {
                let req = kernel.requests.get(next[gpu]);
                if req.is_some_and(|r| r.op == op::RELEASE_SYS) && offered[gpu].is_none() {
                    self.copy(gpu, kernel);
                }
                offered[gpu] = req.copied();
            }
            seen.clear();
            match self.system.tick(&offered, &ready, 0) {
                Ok(all) => seen.extend_from_slice(all),
                Err(error @ OutOfRange(_)) => return Err(self.wrong(error.to_string())),
            }
            let mut moved = false;
            for (gpu, seen) in seen.iter().enumerate() {
                if seen.accepted {
                    let req = offered[gpu].take().expect("it was offered");
                    self.record.stores += u64::from(req.op == op::STORE);
                    self.record.store_bytes += u64::from(req.mask.count_ones());
                    next[gpu] += 1;
                }
                if let Some(id) = seen.released {
                    self.check_release(gpu, id, next[gpu] == kernels[gpu].requests.len())?;
                    waiting -= 1;
                }
                self.observe(gpu, seen)?;
                moved |= seen.accepted || seen.released.is_some() || seen.arrived.is_some();
            }
            if moved {
                moved_at = self.system.cycle();
            } else if self.system.cycle() - moved_at > STUCK_AFTER {
                return Err(self.stuck(kernels, &next, waiting));
            }
        }
        Ok(())
    }

    /// The end of a kernel: its copies, where the path makes them.
    fn copy(&mut self, gpu: usize, kernel: &Kernel) {
        for copy in &kernel.copies {
            let range = self.system.memories[gpu].range(BASE).expect("laid out with the system");
            let (from, to) = (copy.range.start - BASE, copy.range.end - BASE);
            let bytes = range[from as usize..to as usize].to_vec();
            if let Some(dma) = self.system.paths[gpu].dma_mut() {
                dma.copy(copy.dest, copy.range.start, &bytes);
            }
        }
    }

    fn check_release(&self, gpu: usize, id: u8, issued: bool) -> Result<(), RunError> {
        if id == self.record.iterations as u8 && issued {
            return Ok(());
        }
        Err(self.wrong(format!("GPU {gpu}: release {id} is done and must not be")))
    }

    fn observe(&mut self, gpu: usize, seen: &Seen) -> Result<(), RunError> {
        for (side, code) in [("egress", seen.egress_error), ("ingress", seen.ingress_error)] {
            if let Some(code) = code {
                return Err(self.wrong(format!("GPU {gpu}: {side} error {code}")));
            }
        }
        let arrived = seen.arrived.as_ref().map(|st| (gpu, st));
        let direct = seen.direct.as_ref().map(|(dest, st)| (usize::from(*dest), st));
        for (dest, st) in arrived.into_iter().chain(direct) {
            if st.kind == ingress_kind::WRITE {
                self.traffic.deliver(dest, st.addr, st.mask);
            }
        }
        self.record.coalesced += u64::from(seen.evt.overwritten);
        let causes = seen.evt.flush_cause.iter();
        self.record.window_flushes += causes.filter(|&&c| c == flush_cause::WINDOW).count() as u64;
        Ok(())
    }

    fn stuck(&self, kernels: &[Kernel], next: &[usize], waiting: usize) -> RunError {
        let left: Vec<String> = kernels
            .iter()
            .zip(next)
            .enumerate()
            .map(|(gpu, (k, n))| format!("GPU {gpu} {}", k.requests.len() - n))
            .collect();
        let what = format!("{waiting} releases wait; requests left: {}", left.join(", "));
        let Record { workload, path, iterations: iteration, .. } = self.record;
        RunError::Stuck { workload, path: path.name(), iteration, cycle: self.system.cycle(), what }
    }

    fn record(self) -> Record {
        let links = self.system.fabric.links();
        let sum = |f: fn(&Counters) -> u64| links.iter().map(|l| f(l.counters())).sum::<u64>();
        let wire = WireBytes {
            total: sum(Counters::wire_bytes),
            data: sum(|c| c.data_bytes),
            sub_headers: sum(|c| c.subheader_bytes),
            headers_framing: sum(|c| c.header_bytes + c.framing_bytes()),
            padding: sum(|c| c.padding_bytes),
            stores: sum(Counters::store_wire_bytes),
        };
        let Traffic { writes, writes_below_32, busiest, bytes, again, useful, .. } = self.traffic;
        let coalesced = match self.record.path {
            PathKind::FinePack => self.record.coalesced,
            // Stores end in local memory.
            PathKind::Dma => 0,
            _ => self.record.store_bytes - bytes,
        };
        Record {
            tlps: sum(|c| c.tlps),
            packets: sum(|c| c.store_tlps),
            wire,
            writes,
            writes_below_32,
            busiest_destination: busiest,
            sent_again: again,
            coalesced,
            useful,
            wasted: bytes - useful,
            busy_cycles: links.iter().map(|l| l.counters().busy_cycles).max().unwrap_or(0),
            ..self.record
        }
    }
}
