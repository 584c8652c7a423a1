//! Write combining alone: the remote write queue's buffer without its packets.

use ports::finepack::types::{LineData, MAX_PARTS, Req, gpu_of, op, partition_of};

use super::front::{line_addr, lowest_run, run_mask};
use super::output::Output;
use super::{Config, In, Out};
use crate::block::Block;

/// Most entries of a partition.
const MAX_ENTRIES: usize = 64;

/// A line and its bytes.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    line: u64, // byte address of the line: full tag
    mask: u128,
    data: LineData,
}

/// The lines held for one destination.
#[derive(Clone, Debug)]
struct Partition {
    entries: [Entry; MAX_ENTRIES],
    tags: [u64; MAX_ENTRIES], // `entries[k].line`, side by side for the lookup
    order: [u8; MAX_ENTRIES], // slots in use, oldest first, then the free ones
    count: usize,
}

impl Partition {
    fn new() -> Self {
        Self {
            entries: [Entry::default(); MAX_ENTRIES],
            tags: [0; MAX_ENTRIES],
            order: std::array::from_fn(|k| k as u8),
            count: 0,
        }
    }

    /// Position in `order` of the entry that holds `line`.
    fn find(&self, line: u64) -> Option<usize> {
        self.order[..self.count].iter().position(|&slot| self.tags[usize::from(slot)] == line)
    }

    fn remove(&mut self, position: usize) -> Entry {
        let slot = self.order[position];
        self.order[position..self.count].rotate_left(1);
        self.count -= 1;
        self.entries[usize::from(slot)]
    }

    fn merge(&mut self, line: u64, req: &Req) {
        let position = self.find(line).unwrap_or_else(|| {
            let slot = usize::from(self.order[self.count]);
            self.entries[slot] = Entry { line, ..Entry::default() };
            self.tags[slot] = line;
            self.count += 1;
            self.count - 1
        });
        let entry = &mut self.entries[usize::from(self.order[position])];
        entry.mask |= req.mask;
        for (k, (to, from)) in entry.data.0.iter_mut().zip(&req.data.0).enumerate() {
            if req.mask >> k & 1 == 1 {
                *to = *from;
            }
        }
    }
}

/// Stores are merged by line in a buffer of `entries` lines for each destination, without window
/// and payload limit. A store that misses when the buffer is full evicts the oldest line; a LOAD or
/// ATOMIC evicts the line that it overlaps; RELEASE_SYS evicts all, destination by destination,
/// oldest first. An evicted line becomes one plain write for each run, one header per cycle,
/// because PCIe has byte enables in the first and the last DW only (specification 7,
/// `write-combine`; FinePack section VI-A).
#[derive(Clone, Debug)]
pub struct WriteCombine {
    q: Output,
    parts: Box<[Partition]>,
    evicted: Option<(u8, Entry)>, // destination and what is left to send
}

impl WriteCombine {
    /// The state after reset.
    pub fn new(cfg: &Config) -> Self {
        assert!(cfg.entries as usize <= MAX_ENTRIES, "entries = {}: at most 64", cfg.entries);
        debug_assert!(cfg.parts() as usize <= MAX_PARTS);
        let parts = (0..cfg.parts()).map(|_| Partition::new()).collect();
        Self { q: Output::new(cfg), parts, evicted: None }
    }

    /// Sends one run of the evicted line.
    fn send_evicted(&mut self, i: &In) {
        let Some((dest, mut entry)) = self.evicted.filter(|_| self.q.sender.is_free()) else {
            return;
        };
        let (first, len) = lowest_run(entry.mask);
        self.q.send_write(i, dest, entry.line, (first, len), &entry.data);
        entry.mask &= !run_mask(first, len);
        self.evicted = (entry.mask != 0).then_some((dest, entry));
    }

    /// Evicts where the request needs it. True when it may proceed now.
    fn make_way(&mut self, i: &In, req: &Req) -> bool {
        let line = line_addr(req, &self.q.cfg);
        // `dest` of a release means nothing.
        let part = || partition_of(req.dest, i.self_id);
        let (part, victim) = match req.op {
            op::RELEASE_GPU => return true,
            op::RELEASE_SYS => {
                let Some(part) = self.parts.iter().position(|p| p.count > 0) else {
                    return self.evicted.is_none();
                };
                (part, 0)
            }
            op::STORE => {
                let part = part();
                let p = &self.parts[part];
                if p.count < self.q.cfg.entries as usize || p.find(line).is_some() {
                    return true;
                }
                (part, 0)
            }
            _ => {
                let part = part();
                let p = &self.parts[part];
                let overlaps = |k: &usize| p.entries[usize::from(p.order[*k])].mask & req.mask != 0;
                match p.find(line).filter(overlaps) {
                    Some(position) => (part, position),
                    // A line evicted earlier must be ahead.
                    None => return self.evicted.is_none(),
                }
            }
        };
        if self.evicted.is_some() {
            return false;
        }
        let entry = self.parts[part].remove(victim);
        self.evicted = Some((gpu_of(part, i.self_id), entry));
        // The place is free at once; what must be behind the line's writes waits for them.
        req.op == op::STORE
    }
}

impl Block for WriteCombine {
    type In = In;
    type Out = Out;

    fn outputs(&self) -> Out {
        self.q.outputs()
    }

    fn tick(&mut self, i: &In) -> Out {
        let out = self.outputs();
        let head = self.q.begin(i);
        self.send_evicted(i);
        if let Some(req) = head.filter(|req| self.make_way(i, req)) {
            if req.op == op::STORE {
                let line = line_addr(&req, &self.q.cfg);
                self.parts[partition_of(req.dest, i.self_id)].merge(line, &req);
                self.q.releases.touch(req.dest);
                self.q.front.pop();
            } else {
                self.q.other(i, &req);
            }
        }
        self.q.end(i, &out);
        out
    }

    fn is_idle(&self) -> bool {
        self.q.is_idle() && self.evicted.is_none()
    }
}
