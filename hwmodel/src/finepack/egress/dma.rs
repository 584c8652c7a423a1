//! Bulk copies at the end of a kernel.

use std::collections::VecDeque;

use ports::finepack::types::op;

use super::output::Output;
use super::{Config, In, Out};
use crate::block::Block;

/// Cycles of software for each descriptor (specification 7, chosen).
pub const DMA_START: u32 = 5000;
/// Bytes of a page: no write crosses one (PCIe base specification, section 2.2.7).
const PAGE: u64 = 4096;

/// One copy from this GPU's memory to the same addresses in another GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Descriptor {
    /// Destination GPU.
    pub dest: u8,
    /// First byte address.
    pub base: u64,
    /// Bytes, at least 1.
    pub bytes: u64,
}

/// A copy, and what is left of it.
#[derive(Clone, Copy, Debug)]
struct Job {
    left: Descriptor,
    start: u32, // cycles of software before it starts
}

/// Stores go to local memory only, so they end here. At the end of the kernel the owner gives the
/// list of copies ([`Self::copy`]) before it offers RELEASE_SYS, which waits for them like a LOAD
/// or ATOMIC to a destination that is being copied to (specification 7, `dma`; FinePack section
/// II).
///
/// The software starts one copy after the other, `dma_start` cycles each, while earlier ones run;
/// the engine copies one after the other in writes of up to 4096 B that end at a page's end.
#[derive(Clone, Debug)]
pub struct Dma {
    q: Output,
    dma_start: u32,
    waited: u32, // cycles since the descriptor before the oldest not started was started
    started: usize, // descriptors at the front that have been started
    list: VecDeque<Job>,
    data: VecDeque<u8>,
}

impl Dma {
    /// The state after reset. `dma_start` in cycles per descriptor, [`DMA_START`] by default.
    pub fn new(cfg: &Config, dma_start: u32) -> Self {
        Self {
            q: Output::new(cfg),
            dma_start,
            waited: 0,
            started: 0,
            list: VecDeque::new(),
            data: VecDeque::new(),
        }
    }

    /// Appends a copy of `data`, to the addresses from `base` in GPU `dest`. Called between ticks;
    /// the bytes are copied here, so local memory may change afterwards.
    pub fn copy(&mut self, dest: u8, base: u64, data: &[u8]) {
        self.append(dest, base, data, self.dma_start);
    }

    /// The same without a descriptor and its time: a further row of the copy before, or what the
    /// GPU writes of its own accord ahead of an atomic. They go behind all copies before.
    pub fn write(&mut self, dest: u8, base: u64, data: &[u8]) {
        self.append(dest, base, data, 0);
    }

    fn append(&mut self, dest: u8, base: u64, data: &[u8], start: u32) {
        if !data.is_empty() {
            let left = Descriptor { dest, base, bytes: data.len() as u64 };
            self.list.push_back(Job { left, start });
            self.data.extend(data);
        }
    }

    /// Copies that are not complete.
    pub fn pending(&self) -> usize {
        self.list.len()
    }

    /// Sends the next write of the oldest copy.
    fn send(&mut self, i: &In) {
        let Some(Job { left: d, .. }) = self.list.front_mut() else { return };
        let bytes = d.bytes.min(PAGE - d.base % PAGE);
        let hdr = self.q.headers(i).write(0, d.base, bytes as u32);
        let lead = (d.base % 4) as usize;
        let payload = self.q.sender.load(d.dest, hdr, 4 * hdr.length_dw() as usize);
        for (to, from) in payload[lead..].iter_mut().zip(self.data.drain(..bytes as usize)) {
            *to = from;
        }
        self.q.releases.touch(d.dest);
        (d.base, d.bytes) = (d.base.wrapping_add(bytes), d.bytes - bytes);
        if d.bytes == 0 {
            self.list.pop_front();
            self.started -= 1;
        }
    }

    fn count_down(&mut self) {
        if let Some(next) = self.list.get(self.started) {
            self.waited += 1;
            if self.waited >= next.start {
                self.started += 1;
                self.waited = 0;
            }
        }
    }
}

impl Block for Dma {
    type In = In;
    type Out = Out;

    fn outputs(&self) -> Out {
        self.q.outputs()
    }

    fn tick(&mut self, i: &In) -> Out {
        let out = self.outputs();
        let head = self.q.begin(i);
        if let Some(req) = head {
            let waits = match req.op {
                op::RELEASE_SYS => !self.list.is_empty(),
                op::RELEASE_GPU => false,
                _ => self.list.iter().any(|job| job.left.dest == req.dest),
            };
            match req.op {
                op::STORE => self.q.front.pop(),
                _ if waits => {}
                _ => self.q.other(i, &req),
            }
        }
        if self.started > 0 && self.q.sender.is_free() {
            self.send(i);
        }
        self.count_down();
        self.q.end(i, &out);
        out
    }

    fn is_idle(&self) -> bool {
        self.q.is_idle() && self.list.is_empty()
    }
}
