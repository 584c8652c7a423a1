//! What the queue must send, from the requests in their order (specification 5.2 to 5.4, 12). It
//! knows no cycles: without timeouts they decide nothing.

use std::collections::VecDeque;

use ports::finepack::remote_write_queue::Config;
use ports::finepack::types::{Drain, LineData, Req, acct, drain_kind, error_code, flush_cause, op};

use crate::finepack::runs;

/// One line of an open packet.
struct Entry {
    line: u64,
    mask: u128,
    data: LineData,
}

/// What is known of one other GPU.
#[derive(Default)]
pub struct Part {
    open: Vec<Entry>,
    base: u64,
    /// Payload that the open packet was charged.
    charged: u32,
    tag: u8,
    dirty: bool,
    /// Beats still to come.
    pub beats: VecDeque<Drain>,
    /// Causes of flushes still to come.
    pub causes: VecDeque<u8>,
}

/// A release that is not done, and its MARKs that are not completed.
#[derive(Clone, Copy, Debug)]
pub struct Release {
    pub id: u8,
    pub marks: u32,
}

pub struct Reference {
    config: Config,
    self_id: u8,
    acct: u8,
    pub parts: Vec<Part>,
    pub releases: Vec<Release>,
    /// Error codes still to come, and whether others are lost.
    pub faults: VecDeque<(u8, bool)>,
    pub overwritten: u32,
}

impl Reference {
    pub fn new(config: &Config, self_id: u8, acct: u8) -> Self {
        Self {
            config: config.clone(),
            self_id,
            acct,
            parts: (1..config.num_gpus).map(|_| Part::default()).collect(),
            releases: Vec::new(),
            faults: VecDeque::new(),
            overwritten: 0,
        }
    }

    /// The partition of another GPU.
    pub fn part_of(&self, gpu: u8) -> usize {
        usize::from(if gpu < self.self_id { gpu } else { gpu - 1 })
    }

    fn gpu_of(&self, part: usize) -> u8 {
        let part = part as u8;
        if part < self.self_id { part } else { part + 1 }
    }

    /// Entries and credit that the open packet of a partition shows.
    pub fn account(&self, part: usize) -> (u8, u16) {
        let Part { open, charged, .. } = &self.parts[part];
        (open.len() as u8, (self.config.max_payload - charged) as u16)
    }

    fn cost(&self, mask: u128) -> u32 {
        let runs = runs(mask);
        runs.iter().map(|(_, len)| *len as u32 + self.config.sub_header_bytes).sum()
    }

    /// A request is accepted.
    pub fn take(&mut self, req: &Req) {
        let faults = self.faults_of(req);
        if let [lowest, ..] = faults[..] {
            self.faults.push_back((lowest, faults.len() > 1));
            return;
        }
        match req.op {
            op::STORE => self.store(req),
            op::LOAD | op::ATOMIC => self.raw(req),
            op::RELEASE_SYS => self.release(req.id),
            _ => self.releases.push(Release { id: req.id, marks: 0 }),
        }
    }

    fn faults_of(&self, req: &Req) -> Vec<u8> {
        if req.op > op::RELEASE_GPU {
            return vec![error_code::BAD_OP];
        }
        if req.op >= op::RELEASE_SYS {
            return vec![];
        }
        let is_atomic = req.op == op::ATOMIC;
        let legal = match runs(req.mask)[..] {
            [(first, 4)] if is_atomic => first % 4 == 0,
            [(first, 8)] if is_atomic => first % 8 == 0,
            _ => !is_atomic && req.mask != 0,
        };
        let mut faults = Vec::new();
        if !legal {
            faults.push(error_code::ZERO_MASK);
        }
        if req.dest == self.self_id || u32::from(req.dest) >= self.config.num_gpus {
            faults.push(error_code::BAD_DEST);
        }
        if is_atomic && req.aop > 7 {
            faults.push(error_code::BAD_OP);
        }
        faults
    }

    fn store(&mut self, req: &Req) {
        let p = self.part_of(req.dest);
        let line = req.addr / u64::from(self.config.line);
        let window = req.addr >> self.config.offset_width;
        let cost = self.cost(req.mask);
        let part = &self.parts[p];
        let held = part.open.iter().position(|entry| entry.line == line);
        if !part.open.is_empty() {
            if window != part.base {
                self.flush(p, flush_cause::WINDOW);
            } else if cost > self.config.max_payload - part.charged {
                self.flush(p, flush_cause::FULL_PAYLOAD);
            } else if held.is_none() && part.open.len() == self.config.entries as usize {
                self.flush(p, flush_cause::FULL_ENTRIES);
            }
        }
        let held = held.filter(|_| !self.parts[p].open.is_empty());
        let before = held.map_or(0, |at| self.cost(self.parts[p].open[at].mask));
        let part = &mut self.parts[p];
        part.dirty = true;
        part.base = window;
        let at = held.unwrap_or(part.open.len());
        if held.is_none() {
            part.open.push(Entry { line, mask: 0, data: LineData::default() });
        }
        let entry = &mut part.open[at];
        self.overwritten += (entry.mask & req.mask).count_ones();
        entry.mask |= req.mask;
        for k in (0..128).filter(|k| req.mask >> k & 1 == 1) {
            entry.data.0[k] = req.data.0[k];
        }
        let mask = entry.mask;
        let grown = self.cost(mask);
        let charged = &mut self.parts[p].charged;
        *charged =
            if self.acct == acct::EXACT { *charged + grown - before } else { *charged + cost };
    }

    fn raw(&mut self, req: &Req) {
        let p = self.part_of(req.dest);
        let line = req.addr / u64::from(self.config.line);
        let is_atomic = req.op == op::ATOMIC;
        let mut open = self.parts[p].open.iter();
        if open.any(|entry| entry.line == line && entry.mask & req.mask != 0) {
            self.flush(p, if is_atomic { flush_cause::ATOMIC_HIT } else { flush_cause::LOAD_HIT });
        }
        let mut beat = Drain { line, mask: req.mask, id: req.id, ..Drain::default() };
        beat.kind = if is_atomic { drain_kind::ATOMIC } else { drain_kind::READ };
        if is_atomic {
            beat.aop = req.aop;
            beat.data.0[..16].copy_from_slice(&req.data.0[..16]);
            self.parts[p].dirty = true;
        }
        self.send(p, beat);
    }

    fn release(&mut self, id: u8) {
        let mut marks = 0;
        for p in 0..self.parts.len() {
            self.flush(p, flush_cause::RELEASE);
            if std::mem::take(&mut self.parts[p].dirty) {
                self.send(p, Drain { kind: drain_kind::MARK, id, ..Drain::default() });
                marks += 1;
            }
        }
        self.releases.push(Release { id, marks });
    }

    /// A beat that is a packet of its own.
    fn send(&mut self, p: usize, beat: Drain) {
        let dest = self.gpu_of(p);
        self.parts[p].beats.push_back(Drain { sop: true, eop: true, dest, ..beat });
    }

    fn flush(&mut self, p: usize, cause: u8) {
        let open = std::mem::take(&mut self.parts[p].open);
        if open.is_empty() {
            return;
        }
        let plen = open.iter().map(|entry| self.cost(entry.mask)).sum::<u32>() as u16;
        let (dest, last) = (self.gpu_of(p), open.len() - 1);
        let part = &mut self.parts[p];
        let base = part.base << self.config.offset_width;
        for (at, Entry { line, mask, data }) in open.into_iter().enumerate() {
            let (sop, eop, id) = (at == 0, at == last, part.tag);
            let kind = drain_kind::PACK;
            let beat = Drain { sop, eop, kind, dest, id, aop: 0, base, plen, line, mask, data };
            part.beats.push_back(beat);
        }
        part.charged = 0;
        part.tag = part.tag.wrapping_add(1);
        part.causes.push_back(cause);
    }
}
