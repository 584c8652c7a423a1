//! What a request does (specification 5.2, 5.5).
//!
//! The model decides when it accepts a request, not in S1, one cycle later: only requests change
//! the array, one after the other, so that nothing can come between. The request's response and its
//! job are put behind those that are held, and join them when S1 ends. By then they lie still, and
//! are fast to show.

use super::counters::Tally;
use super::flat::Flat;
use super::jobs::Jobs;
use super::table::{Place, Set, Table};
use super::{Config, MAX_WAYS, Replacement, Req, Rsp, Variant, err, op};

/// What LRD, RRD, LWR and RWR do to the sharers of a line, in every variant. What was a sharer and
/// is none any more is invalidated; a line without sharers is not tracked.
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

/// What the request in S1 has done, besides the change of the array.
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

/// Where a request puts what it does. Its job and its response lie behind those that are held.
#[derive(Debug)]
pub(super) struct Effects<'a> {
    pub jobs: &'a mut Jobs,
    pub done: &'a mut Done,
    pub rsp: &'a mut Rsp,
}

impl Effects<'_> {
    /// Says what the line's sharers were; 0 when it was not tracked.
    #[inline(always)]
    fn found(&mut self, before: u16) {
        (self.rsp.hit, self.rsp.sharers) = (before != 0, before);
    }

    #[inline(always)]
    fn allocated(&mut self) {
        self.rsp.alloc = true;
        self.done.tally.alloc();
    }

    /// Makes the job of a written line, if it has destinations.
    #[inline(always)]
    fn invalidate(&mut self, base: u64, line: u32, dest: u16) {
        self.done.job = self.jobs.put_write(self.rsp.seq, base, line, dest);
    }

    /// Makes the EVICT job of a valid entry.
    #[inline(never)] // rare enough to keep out of the way of the others
    fn evict(&mut self, set: &Set, way: usize) {
        let (base, lines) = set.row.entry(way);
        let (lines, dests) = self.jobs.put_evict(self.rsp.seq, base, lines);
        set.copy_lines(way, dests);
        self.done.tally.evict(lines);
        (self.done.job, self.rsp.evicted) = (true, true);
    }

    #[inline(never)]
    fn fence(&mut self, dest: u16) {
        self.jobs.put_fence(self.rsp.seq, dest);
        self.done.job = true;
    }

    #[inline(never)]
    fn refuse(&mut self, code: u8) {
        (self.rsp.err, self.done.err) = (true, code);
    }
}

/// The array of the variant.
#[derive(Clone, Debug, Hash)]
pub(super) enum Array {
    Sets(Table),
    Ideal(Flat),
}

/// The array, and what decides about it.
#[derive(Clone, Debug)]
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
        let addr_mask = u64::MAX >> (64 - config.address_width);
        let lru = config.replacement == Replacement::Lru;
        Self { array, gpus: config.gpus as u8, lru, addr_mask, end }
    }

    /// Executes a request (README rules 6 to 8).
    #[inline(always)]
    pub fn execute(&mut self, req: &Req, self_id: u8, effects: &mut Effects) {
        let &Req { addr, src, op, .. } = req;
        let addr = addr & self.addr_mask;
        let wrong_src = !self.may_come(op, src, self_id);
        if wrong_src | (addr >= self.end) {
            if op > op::FENCE {
                return effects.refuse(err::OP);
            } else if wrong_src {
                return effects.refuse(err::SRC);
            } else if op != op::FENCE {
                return effects.refuse(err::ADDR);
            }
        }
        if op == op::FENCE {
            let all = (1u32 << self.gpus) - 1;
            return effects.fence(all as u16 & !(1 << (self_id & 0xF)));
        }
        let access = Access::new(op, src);
        match &mut self.array {
            Array::Sets(table) if op == op::EVICT => evict(table, addr, effects),
            Array::Sets(table) => access_sets(table, addr, access, self.lru, effects),
            // Which has no entries: EVICT changes nothing, as LRD.
            Array::Ideal(flat) => access_ideal(flat, addr, access, effects),
        }
        effects.done.tally.access(op, effects.rsp.hit);
    }

    /// Requests with this op may come from `src`; none with what is no op.
    #[inline(always)]
    fn may_come(&self, op: u8, src: u8, self_id: u8) -> bool {
        const OWN: u8 = 1;
        const OTHER: u8 = 2;
        const FROM: [u8; 8] = [OWN, OTHER, OWN, OTHER, OWN | OTHER, OWN | OTHER, 0, 0];
        let from = if src == self_id { OWN } else { OTHER };
        (FROM[usize::from(op.min(7))] & from != 0) & (src < self.gpus)
    }
}

/// LRD, RRD, LWR or RWR of a directory with entries.
#[inline(always)]
fn access_sets(table: &mut Table, addr: u64, access: Access, lru: bool, effects: &mut Effects) {
    let place @ Place { base, line, .. } = table.place(addr);
    let set = &mut table.set(place);
    if let Some(way) = find(set, base, effects) {
        let before = set.sharers(way, line);
        let after = access.after(before);
        effects.found(before);
        *set.line(way, line) = after;
        set.row.track(way, line, after != 0);
        set.row.renew(way, set.ways, lru & (access.add != 0));
        effects.invalidate(base, line, access.invalidated(before));
    } else if access.add != 0 {
        let way = set.row.victim(set.ways);
        if set.row.is_valid(way) {
            effects.evict(set, way);
        }
        *set.line(way, line) = access.add;
        set.row.allocate(way, base, line);
        set.row.renew(way, set.ways, true);
        effects.allocated();
    }
}

/// EVICT of a directory with entries.
#[inline(never)]
fn evict(table: &mut Table, addr: u64, effects: &mut Effects) {
    let place @ Place { base, line, .. } = table.place(addr);
    let set = &mut table.set(place);
    if let Some(way) = find(set, base, effects) {
        effects.found(set.sharers(way, line));
        effects.evict(set, way);
        set.row.clear(way);
    }
}

/// The lowest way with this base, and an error if it is not the only one.
#[inline(always)]
fn find(set: &Set, base: u64, effects: &mut Effects) -> Option<usize> {
    let found = set.find(base);
    if found == 0 {
        return None;
    }
    effects.done.err = if found & (found - 1) != 0 { err::DUPLICATE } else { 0 };
    Some(found.trailing_zeros() as usize % MAX_WAYS)
}

/// LRD, RRD, LWR or RWR of an ideal directory.
#[inline(always)]
fn access_ideal(flat: &mut Flat, addr: u64, access: Access, effects: &mut Effects) {
    let Some((base, sharers)) = flat.line(addr) else { return };
    let before = *sharers;
    *sharers = access.after(before);
    effects.found(before);
    if before == 0 && access.add != 0 {
        effects.allocated();
    }
    effects.invalidate(base, 0, access.invalidated(before));
}
