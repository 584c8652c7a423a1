//! What a request does (specification 5.2, 5.5).
//!
//! The block decides when it accepts a request: only requests change the array, one after the other,
//! so that nothing can come between that and S1. What S1 makes is held until it ends.

use super::counters::Tally;
use super::flat::Flat;
use super::jobs::Jobs;
use super::table::{Place, Set, Table};
use super::{Config, MAX_WAYS, Replacement, Req, Rsp, Variant, err, op};

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
    /// `src` of a request of another GPU, which makes the line tracked; else 0.
    add: u16,
}

impl Access {
    #[inline(always)]
    fn new(op: u8, src: u8) -> Self {
        let remote = u16::from(op & 1);
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

/// What the request in S1 has done, besides the change of the array. Its response and its job lie
/// behind the others.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Done {
    /// There is a request.
    pub valid: bool,
    /// A job was made.
    pub job: bool,
    /// For `err_code_o`; 0 is none.
    pub err: u8,
    pub tally: Tally,
}

/// The array of the variant.
#[derive(Debug)]
pub(super) enum Array {
    Sets(Table),
    Ideal(Flat),
}

/// The array, and what decides about it.
#[derive(Debug)]
pub(super) struct Decide {
    pub array: Array,
    gpus: u8,
    /// A use makes an entry the newest, not its allocation alone.
    lru: bool,
    addr_mask: u64,
    /// Ideal: end of the addresses that it covers.
    end: u64,
}

impl Decide {
    pub fn new(config: &Config) -> Self {
        let (array, end) = match config.variant {
            Variant::Ideal => (
                Array::Ideal(Flat::new(config)),
                u64::from(config.ideal_lines) * u64::from(config.line),
            ),
            _ => (Array::Sets(Table::new(config)), u64::MAX),
        };
        let addr_mask = u64::MAX >> (64 - config.addr_w);
        let lru = config.repl == Replacement::Lru;
        Self { array, gpus: config.gpus as u8, lru, addr_mask, end }
    }

    /// Executes a request: `done` and `rsp` say nothing but its number so far.
    #[inline(always)]
    pub fn execute(
        &mut self,
        req: &Req,
        self_id: u8,
        jobs: &mut Jobs,
        done: &mut Done,
        rsp: &mut Rsp,
    ) {
        let &Req { addr, src, op, .. } = req;
        let addr = addr & self.addr_mask;
        let beyond = (addr >= self.end) & (op != op::FENCE);
        if !self.is_legal(op, src, self_id) | beyond {
            rsp.err = true;
            done.err = match op {
                op::LRD..=op::FENCE if beyond && self.is_legal(op, src, self_id) => err::ADDR,
                op::LRD..=op::FENCE => err::SRC,
                _ => err::OP,
            };
        } else if op == op::FENCE {
            let all = (1u32 << self.gpus) - 1;
            jobs.put_fence(rsp.seq, all as u16 & !(1 << (self_id & 0xF)));
            done.job = true;
        } else {
            let access = Access::new(op, src);
            match &mut self.array {
                Array::Sets(table) => {
                    let evict = op == op::EVICT;
                    sets(table, evict, access, addr, self.lru, jobs, done, rsp);
                }
                Array::Ideal(flat) => ideal(flat, access, addr, jobs, done, rsp),
            }
            done.tally.access(op, rsp.hit);
        }
    }

    /// The op exists and may come from this GPU (README rule 8).
    #[inline(always)]
    fn is_legal(&self, op: u8, src: u8, self_id: u8) -> bool {
        const OWN: u8 = 1;
        const OTHER: u8 = 2;
        /// By op.
        const FROM: [u8; 8] = [OWN, OTHER, OWN, OTHER, OWN | OTHER, OWN | OTHER, 0, 0];
        let from = if src == self_id { OWN } else { OTHER };
        (FROM[usize::from(op.min(7))] & from != 0) & (src < self.gpus)
    }
}

/// Makes the EVICT job of a valid entry.
#[inline(never)]
fn evict(set: &Set, way: usize, jobs: &mut Jobs, done: &mut Done, rsp: &mut Rsp) {
    let (base, lines) = set.row.entry(way);
    let (lines, dests) = jobs.put_evict(rsp.seq, base, lines);
    set.copy_lines(way, dests);
    done.tally.evict(lines);
    (done.job, rsp.evicted) = (true, true);
}

/// A request to a directory with entries.
#[inline(always)]
fn sets(
    table: &mut Table,
    is_evict: bool,
    access: Access,
    addr: u64,
    lru: bool,
    jobs: &mut Jobs,
    done: &mut Done,
    rsp: &mut Rsp,
) {
    let place @ Place { base, line, .. } = table.place(addr);
    let set = &mut table.set(place);
    let ways = set.ways;
    let found = set.find(base);
    if found != 0 {
        let way = found.trailing_zeros() as usize % MAX_WAYS;
        done.err = if found & (found - 1) != 0 { err::DUPLICATE } else { 0 };
        let tracked = set.row.tracks(way, line);
        let sharers = set.line(way, line);
        let before = if tracked { *sharers } else { 0 };
        (rsp.hit, rsp.sharers) = (tracked, before);
        if is_evict {
            evict(set, way, jobs, done, rsp);
            set.row.clear(way);
        } else {
            let after = access.after(before);
            *sharers = after;
            set.row.track(way, line, after != 0);
            set.row.renew(way, ways, lru & (access.add != 0));
            done.job = jobs.put_write(rsp.seq, base, line, access.invalidated(before));
        }
    } else if access.add != 0 {
        let way = set.row.victim(ways);
        if set.row.is_valid(way) {
            evict(set, way, jobs, done, rsp);
        }
        *set.line(way, line) = access.add;
        set.row.allocate(way, base, line);
        set.row.renew(way, ways, true);
        done.tally.alloc();
        rsp.alloc = true;
    }
}

/// A request to an ideal directory. EVICT changes nothing, as LRD.
#[inline(always)]
fn ideal(
    flat: &mut Flat,
    access: Access,
    addr: u64,
    jobs: &mut Jobs,
    done: &mut Done,
    rsp: &mut Rsp,
) {
    let Some((base, sharers)) = flat.line(addr) else { return };
    let before = *sharers;
    *sharers = access.after(before);
    (rsp.hit, rsp.sharers) = (before != 0, before);
    rsp.alloc = before == 0 && access.add != 0;
    if rsp.alloc {
        done.tally.alloc();
    }
    done.job = jobs.put_write(rsp.seq, base, 0, access.invalidated(before));
}
