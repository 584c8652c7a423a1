//! Stage S1: what a request does (specification 5.2, 5.5).

use super::counters::Events;
use super::flat::Flat;
use super::jobs::Jobs;
use super::row::{INVALID, Row};
use super::table::{Place, Table};
use super::{Config, Replacement, Req, Rsp, Variant, err, op};

/// What LRD, RRD, LWR and RWR do to the sharers of a line, in every variant. What was a sharer and is
/// none any more is invalidated; a line without sharers is not tracked.
///
/// | op | sharers after | invalidated |
/// | --- | --- | --- |
/// | LRD | as before | none |
/// | RRD | and `src` | none |
/// | LWR | none | all |
/// | RWR | `src` | all but `src` |
#[derive(Clone, Copy, Debug)]
struct Access {
    /// Sharers that stay.
    keep: u16,
    /// `src` of a request of another GPU: the op tracks the line.
    add: u16,
}

impl Access {
    #[inline(always)]
    fn new(op: u8, src: u8) -> Self {
        let remote = u16::from(op & op::RRD);
        let write = u16::from(op >> 1 & 1);
        Self { keep: write.wrapping_sub(1), add: remote << (src & 0xF) }
    }

    #[inline(always)]
    fn after(self, before: u16) -> u16 {
        before & self.keep | self.add
    }

    #[inline(always)]
    fn invalidated(self, before: u16) -> u16 {
        before & !self.after(before)
    }
}

/// The array of the variant.
#[derive(Debug)]
pub(super) enum Array {
    Sets(Table),
    Ideal(Flat),
}

/// What S1 hands on, besides the job and the counts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Decision {
    pub rsp: Rsp,
    /// For `err_code_o`.
    pub err: Option<u8>,
    /// A job was made.
    pub job: bool,
}

/// The array, and what decides about it.
#[derive(Debug)]
pub(super) struct Decide {
    pub array: Array,
    gpus: u8,
    /// A use makes an entry the newest, not its allocation alone.
    lru: bool,
}

impl Decide {
    pub fn new(config: &Config) -> Self {
        let array = match config.variant {
            Variant::Ideal => Array::Ideal(Flat::new(config)),
            _ => Array::Sets(Table::new(config)),
        };
        Self { array, gpus: config.gpus as u8, lru: config.repl == Replacement::Lru }
    }

    /// Executes request number `seq`.
    #[inline(always)]
    pub fn tick(
        &mut self,
        req: &Req,
        seq: u8,
        self_id: u8,
        jobs: &mut Jobs,
        events: &mut Events,
    ) -> Decision {
        let rsp = Rsp { id: req.id, seq, ..Rsp::default() };
        let mut done = Decision { rsp, err: None, job: false };
        done.err = self.refuse(req, self_id);
        if done.err.is_some() {
            done.rsp.err = true;
        } else if req.op == op::FENCE {
            let all = (1u32 << self.gpus) - 1;
            jobs.push_fence(seq, (all & !(1 << (self_id & 0xF))) as u16);
            done.job = true;
        } else {
            match &mut self.array {
                Array::Sets(table) => sets(table, req, self.lru, &mut done, jobs, events),
                Array::Ideal(flat) => ideal(flat, req, &mut done, jobs),
            }
            if req.op < op::EVICT {
                events.access(req.op, done.rsp.hit, done.rsp.alloc);
            }
        }
        done
    }

    /// The error for which a request is not executed (README rule 8).
    #[inline(always)]
    fn refuse(&self, req: &Req, self_id: u8) -> Option<u8> {
        if req.op > op::FENCE {
            return Some(err::OP);
        }
        let own = req.src == self_id;
        let remote = req.op & op::RRD != 0;
        if req.src >= self.gpus || req.op < op::EVICT && own == remote {
            return Some(err::SRC);
        }
        match &self.array {
            Array::Ideal(flat) if req.op != op::FENCE && !flat.covers(req.addr) => Some(err::ADDR),
            _ => None,
        }
    }
}

/// A request to a directory with entries.
#[inline(always)]
fn sets(
    table: &mut Table,
    req: &Req,
    lru: bool,
    done: &mut Decision,
    jobs: &mut Jobs,
    events: &mut Events,
) {
    let Place { set, base, line } = table.place(req.addr);
    let row = &mut table.row(set);
    let Decision { rsp, err, job } = done;
    let mut evict = |row: &Row, way: usize| {
        let lines = jobs.push_evict(rsp.seq, row.bases[way], row.lines[way], row.entry(way));
        events.evict(lines);
    };
    let access = Access::new(req.op, req.src);
    let found = row.find(base);
    if found & found.wrapping_sub(1) != 0 {
        *err = Some(err::DUPLICATE);
    }
    if found != 0 {
        let way = found.trailing_zeros() as usize;
        let before = row.sharers(way, line);
        (rsp.hit, rsp.sharers) = (before != 0, before);
        if req.op == op::EVICT {
            evict(row, way);
            row.clear(way);
            (rsp.evicted, *job) = (true, true);
        } else {
            row.set(way, line, access.after(before));
            if lru && access.add != 0 {
                row.renew(way);
            }
            *job = jobs.push_write(rsp.seq, base, line, access.invalidated(before));
        }
    } else if access.add != 0 {
        let way = row.victim();
        if row.bases[way] != INVALID {
            evict(row, way);
            (rsp.evicted, *job) = (true, true);
        }
        row.allocate(way, base, line, access.add);
        row.renew(way);
        rsp.alloc = true;
    }
}

/// A request to an ideal directory. EVICT changes nothing, as LRD.
#[inline(always)]
fn ideal(flat: &mut Flat, req: &Req, done: &mut Decision, jobs: &mut Jobs) {
    let Some((base, sharers)) = flat.line(req.addr) else { return };
    let access = Access::new(req.op, req.src);
    let before = *sharers;
    *sharers = access.after(before);
    let Rsp { seq, .. } = done.rsp;
    done.rsp.hit = before != 0;
    done.rsp.sharers = before;
    done.rsp.alloc = before == 0 && access.add != 0;
    done.job = jobs.push_write(seq, base, 0, access.invalidated(before));
}
