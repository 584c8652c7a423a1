//! What a request does (specification 5.2, 5.5).
//!
//! The model executes a request at acceptance, the RTL one cycle later in S1. The results agree,
//! because only requests change the array, in order. The response and the job are written to the
//! tails of their FIFOs and become visible when S1 ends; the ports then show a stored value, which
//! is fast.

use super::choices::{Access, Check, Choices, HOME, OTHER};
use super::counters::Tally;
use super::flat::Flat;
use super::jobs::Jobs;
use super::table::{Place, Set, Table};
use super::{Config, MAX_WAYS, Replacement, Req, Rsp, Variant, err, op};

/// What a request of `src` does to the sharers of its line.
#[derive(Clone, Copy, Debug)]
struct Change {
    /// Sharers that stay.
    keep: u16,
    /// The new sharer, `src` of a remote request; 0 for a local one.
    add: u16,
    /// Sharers that are invalidated.
    gone: u16,
    is_use: bool,
}

impl Change {
    /// For LRD, RRD, LWR or RWR, in every variant; a line without sharers is not tracked.
    #[inline(always)]
    fn new(op: u8, src: u8, choices: &Choices) -> Self {
        let Access { keep, joins, gone, spares, is_use } = choices.accesses[usize::from(op & 3)];
        let src = src & 0xF;
        Self {
            keep,
            add: u16::from(joins) << src,
            gone: gone & !(u16::from(spares) << src),
            is_use,
        }
    }

    #[inline(always)]
    fn after(self, before: u16) -> u16 {
        before & self.keep | self.add
    }

    #[inline(always)]
    fn invalidated(self, before: u16) -> u16 {
        before & self.gone
    }
}

/// Effects of the request in S1 other than the change of the array.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Done {
    /// S1 holds a request.
    pub valid: bool,
    /// A job was made.
    pub job: bool,
    /// For `err_code_o`; 0 is none.
    pub err: u8,
    pub tally: Tally,
}

/// Where a request writes its effects. Its job and its response are at the tails of the FIFOs.
#[derive(Debug)]
pub(super) struct Effects<'a> {
    pub jobs: &'a mut Jobs,
    pub done: &'a mut Done,
    pub rsp: &'a mut Rsp,
    /// The number that its invalidations carry.
    pub seq: u8,
    pub choices: &'a Choices,
}

impl Effects<'_> {
    /// Sets `hit` and `sharers` from the line's sharers, 0 when it is not tracked.
    #[inline(always)]
    fn found(&mut self, before: u16, after: u16) {
        self.rsp.hit = before != 0 || !self.choices.hit_is_line;
        self.rsp.sharers = if self.choices.sharers_before { before } else { after };
    }

    #[inline(always)]
    fn allocated(&mut self) {
        self.rsp.alloc = true;
        self.done.tally.alloc();
    }

    /// Makes the WRITE job of a line, if it has destinations.
    #[inline(always)]
    fn invalidate(&mut self, base: u64, line: u32, dest: u16) {
        let all = self.choices.whole_group;
        self.done.job = self.jobs.put_write(self.seq, base, line, all, dest);
    }

    /// Makes the EVICT job of a valid entry.
    #[inline(never)] // rare: keeps the frequent paths short
    fn evict(&mut self, set: &Set, way: usize) {
        let (base, mut lines) = set.row.entry(way);
        let lowest = lines.trailing_zeros() as usize;
        if !self.choices.every_line {
            lines = 1 << lowest;
        }
        let (lines, dests) = self.jobs.put_evict(self.seq, base, lines);
        set.copy_lines(way, dests);
        if !self.choices.own_sharers {
            let sharers = dests[lowest];
            dests.fill(sharers);
        }
        self.done.tally.evict(lines);
        (self.done.job, self.rsp.evicted) = (true, true);
    }

    #[inline(never)]
    fn fence(&mut self, dest: u16) {
        self.jobs.put_fence(self.seq, dest);
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

/// The array and the parameters of the decisions.
#[derive(Clone, Debug)]
pub(super) struct Decide {
    pub array: Array,
    gpus: u8,
    /// Replacement is LRU, not FIFO.
    lru: bool,
    addr_mask: u64,
    /// Ideal: the first address beyond its lines.
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
        let (addr, choices) = (addr & self.addr_mask, effects.choices);
        let is_legal = (op <= choices.last_op)
            & self.may_come(op, src, self_id, choices)
            & self.is_covered(op, addr, choices);
        if !is_legal {
            return effects.refuse(self.code(req, addr, self_id, choices));
        }
        if op == op::FENCE {
            let all = ((1u32 << self.gpus) - 1) as u16;
            let home = u16::from(!choices.fence_to_home) << (self_id & 0xF);
            let releaser = u16::from(!choices.fence_to_releaser) << (src & 0xF);
            return effects.fence(all & !home & !releaser);
        }
        match &mut self.array {
            Array::Sets(table) if op == op::EVICT => evict(table, addr, effects),
            Array::Sets(table) => {
                access_sets(table, addr, Change::new(op, src, choices), self.lru, effects);
            }
            // Ideal has no entries: EVICT changes nothing.
            Array::Ideal(flat) => {
                let op = if op == op::EVICT { choices.ideal_evict } else { op };
                access_ideal(flat, addr, Change::new(op, src, choices), effects);
            }
        }
        effects.done.tally.access(op, effects.rsp.hit);
    }

    /// The error code of an illegal request: that of the first check that fails.
    #[inline(never)]
    fn code(&self, &Req { op, src, .. }: &Req, addr: u64, self_id: u8, choices: &Choices) -> u8 {
        let wrong = choices.checks.into_iter().find(|check| match check {
            Check::Op => op > choices.last_op,
            Check::Source if op > choices.last_op => !self.exists(src, choices),
            Check::Source => !self.may_come(op, src, self_id, choices),
            Check::Address => !self.is_covered(op, addr, choices),
        });
        match wrong {
            Some(Check::Op) => err::OP,
            Some(Check::Source) => err::SRC,
            Some(Check::Address) | None => err::ADDR,
        }
    }

    /// `src` is legal for this op.
    #[inline(always)]
    fn may_come(&self, op: u8, src: u8, self_id: u8, choices: &Choices) -> bool {
        let from = if src == self_id { HOME } else { OTHER };
        (choices.sources[usize::from(op.min(7))] & from != 0) & self.exists(src, choices)
    }

    #[inline(always)]
    fn exists(&self, src: u8, choices: &Choices) -> bool {
        (src < self.gpus) | !choices.source_exists
    }

    /// The address is legal; FENCE has none.
    #[inline(always)]
    fn is_covered(&self, op: u8, addr: u64, choices: &Choices) -> bool {
        (addr < self.end) | (op == op::FENCE) | !choices.address_ends
    }
}

/// LRD, RRD, LWR or RWR in a directory with entries.
#[inline(always)]
fn access_sets(table: &mut Table, addr: u64, change: Change, lru: bool, effects: &mut Effects) {
    let choices = effects.choices;
    let place @ Place { base, line, .. } = table.place(addr);
    let set = &mut table.set(place);
    if let Some(way) = find(set, base, effects) {
        let before = set.sharers(way, line);
        let after = change.after(before);
        effects.found(before, after);
        *set.line(way, line) = after;
        set.row.track(way, line, after != 0);
        let renews = choices.use_renews[usize::from(lru)]
            & ((before != 0) | choices.new_line_is_use)
            & change.is_use;
        set.row.renew(way, set.ways, renews);
        if !choices.alloc_is_entry {
            effects.rsp.alloc = before == 0 && after != 0;
        }
        effects.invalidate(base, line, change.invalidated(before));
    } else if change.add != 0 {
        let way = if choices.free_way_first { set.row.victim(set.ways) } else { set.row.oldest() };
        if set.row.is_valid(way) && choices.victim_invalidates {
            effects.evict(set, way);
        }
        *set.line(way, line) = change.add;
        set.row.allocate(way, base, line);
        set.row.renew(way, set.ways, choices.allocation_renews);
        effects.allocated();
    }
}

/// EVICT in a directory with entries.
#[inline(never)]
fn evict(table: &mut Table, addr: u64, effects: &mut Effects) {
    let place @ Place { base, line, .. } = table.place(addr);
    let set = &mut table.set(place);
    if let Some(way) = find(set, base, effects) {
        effects.found(set.sharers(way, line), 0);
        if effects.choices.evict_invalidates {
            effects.evict(set, way);
        }
        set.row.clear(way);
    }
}

/// The lowest way with this base. Sets code 4 if another way has it too.
#[inline(always)]
fn find(set: &Set, base: u64, effects: &mut Effects) -> Option<usize> {
    let found = set.find(base);
    if found == 0 {
        return None;
    }
    effects.done.err = if found & (found - 1) != 0 { err::DUPLICATE } else { 0 };
    Some(found.trailing_zeros() as usize % MAX_WAYS)
}

/// LRD, RRD, LWR or RWR in an ideal directory.
#[inline(always)]
fn access_ideal(flat: &mut Flat, addr: u64, change: Change, effects: &mut Effects) {
    let Some((base, sharers)) = flat.line(addr) else { return };
    let before = *sharers;
    *sharers = change.after(before);
    effects.found(before, *sharers);
    if before == 0 && change.add != 0 {
        effects.allocated();
    }
    effects.invalidate(base, 0, change.invalidated(before));
}
