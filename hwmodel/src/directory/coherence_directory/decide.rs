//! What a request does (specification 5.2, 5.5).
//!
//! The model decides when it accepts a request, not in S1, one cycle later: only requests change
//! the array, one after the other, so that nothing can come between. The request's response and its
//! job are put behind those that are held, and join them when S1 ends. By then they lie still, and
//! are fast to show.

use super::counters::Tally;
use super::flat::Flat;
use super::jobs::Jobs;
use super::rule::Keeps;
use super::table::{Place, Set, Table};
use super::{Config, MAX_WAYS, Replacement, Req, Rsp, Rule, Variant, err, op};

/// What LRD, RRD, LWR and RWR do to the sharers of a line, in every variant; a line without sharers
/// is not tracked.
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
    /// Sharers that are invalidated.
    gone: u16,
    /// Makes the entry the newest, in LRU.
    is_use: bool,
}

impl Access {
    #[inline(always)]
    fn new<const ALL: bool>(op: u8, src: u8, keeps: Keeps<ALL>) -> Self {
        let remote = u16::from(op & 1);
        let write = u16::from(op >> 1 & 1);
        let add = remote << (src & 0xF);
        let access = Self {
            keep: write.wrapping_sub(1),
            add,
            gone: write.wrapping_neg() & !add,
            is_use: add != 0,
        };
        if ALL { access } else { access.without(op, keeps) }
    }

    /// The same where a rule is not kept.
    fn without<const ALL: bool>(self, op: u8, keeps: Keeps<ALL>) -> Self {
        let Self { mut keep, mut add, mut gone, mut is_use } = self;
        match op & 3 {
            op::LRD => is_use = !keeps.rule(Rule::LocalIsNoUse),
            op::RRD => {
                if !keeps.rule(Rule::ReaderIsSharer) {
                    add = 0;
                }
                if !keeps.rule(Rule::ReaderJoins) {
                    keep = 0;
                }
            }
            op::LWR => {
                is_use = !keeps.rule(Rule::LocalIsNoUse);
                if !keeps.rule(Rule::LocalWriteInvalidates) {
                    gone = 0;
                }
                if !keeps.rule(Rule::LocalWriteClears) {
                    keep = u16::MAX;
                }
            }
            _ => {
                if !keeps.rule(Rule::RemoteWriteInvalidates) {
                    gone = 0;
                }
                if !keeps.rule(Rule::WriterKeepsCopy) {
                    gone = u16::MAX;
                }
                if !keeps.rule(Rule::WriterIsSharer) {
                    add = 0;
                }
                if !keeps.rule(Rule::WriterAlone) {
                    keep = u16::MAX;
                }
            }
        }
        Self { keep, add, gone, is_use }
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
pub(super) struct Effects<'a, const ALL: bool> {
    pub jobs: &'a mut Jobs,
    pub done: &'a mut Done,
    pub rsp: &'a mut Rsp,
    /// The number that its invalidations tell.
    pub seq: u8,
    pub keeps: Keeps<ALL>,
}

impl<const ALL: bool> Effects<'_, ALL> {
    /// Says what the line's sharers were, 0 when it was not tracked, and what they are now.
    #[inline(always)]
    fn found(&mut self, before: u16, after: u16) {
        self.rsp.hit = before != 0 || !self.keeps.rule(Rule::HitIsLine);
        self.rsp.sharers = if self.keeps.rule(Rule::SharersBefore) { before } else { after };
    }

    #[inline(always)]
    fn allocated(&mut self) {
        self.rsp.alloc = true;
        self.done.tally.alloc();
    }

    /// Makes the job of a written line, if it has destinations.
    #[inline(always)]
    fn invalidate(&mut self, base: u64, line: u32, dest: u16) {
        let all = self.keeps.rule(Rule::AllOfGroup);
        self.done.job = self.jobs.put_write(self.seq, base, line, all, dest);
    }

    /// Makes the EVICT job of a valid entry.
    #[inline(never)] // rare enough to keep out of the way of the others
    fn evict(&mut self, set: &Set, way: usize) {
        let (base, mut lines) = set.row.entry(way);
        let lowest = lines.trailing_zeros() as usize;
        if !self.keeps.rule(Rule::EveryLine) {
            lines = 1 << lowest;
        }
        let (lines, dests) = self.jobs.put_evict(self.seq, base, lines);
        set.copy_lines(way, dests);
        if !self.keeps.rule(Rule::OwnSharers) {
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
    pub fn execute<const ALL: bool>(
        &mut self,
        req: &Req,
        self_id: u8,
        effects: &mut Effects<'_, ALL>,
    ) {
        let &Req { addr, src, op, .. } = req;
        let (addr, keeps) = (addr & self.addr_mask, effects.keeps);
        let wrong_src = !self.may_come(op, src, self_id, keeps);
        if wrong_src | (addr >= self.end)
            && let Some(code) = self.code(req, wrong_src, addr, keeps)
        {
            return effects.refuse(code);
        }
        if op == op::FENCE {
            let all = (1u32 << self.gpus) - 1;
            let home = if keeps.rule(Rule::FenceLeavesHome) { 1 << (self_id & 0xF) } else { 0 };
            let releaser = if keeps.rule(Rule::FenceToReleaser) { 0 } else { 1 << (src & 0xF) };
            return effects.fence(all as u16 & !home & !releaser);
        }
        let access = Access::new(op, src, keeps);
        match &mut self.array {
            Array::Sets(table) if op == op::EVICT => evict(table, addr, effects),
            Array::Sets(table) => access_sets(table, addr, access, self.lru, effects),
            // Which has no entries: EVICT changes nothing, as LRD.
            Array::Ideal(flat) if keeps.rule(Rule::IdealKeeps) || op != op::EVICT => {
                access_ideal(flat, addr, access, effects);
            }
            Array::Ideal(flat) => {
                access_ideal(flat, addr, Access::new(op::LWR, src, keeps), effects);
            }
        }
        effects.done.tally.access(op, effects.rsp.hit);
    }

    /// The code of a request whose source is wrong, or whose address lies behind the last line.
    #[inline(always)]
    fn code<const ALL: bool>(
        &self,
        &Req { op, src, .. }: &Req,
        wrong_src: bool,
        addr: u64,
        keeps: Keeps<ALL>,
    ) -> Option<u8> {
        let wrong_op = op > op::FENCE && keeps.rule(Rule::OpExists);
        let wrong_addr = addr >= self.end && op != op::FENCE && keeps.rule(Rule::IdealEnds);
        let op_first = keeps.rule(Rule::OpFirst) || src < self.gpus;
        if wrong_op && op_first {
            Some(err::OP)
        } else if wrong_src && (keeps.rule(Rule::SourceFirst) || !wrong_addr) {
            Some(err::SRC)
        } else {
            wrong_addr.then_some(err::ADDR)
        }
    }

    /// Requests with this op may come from `src`; none with what is no op.
    #[inline(always)]
    fn may_come<const ALL: bool>(&self, op: u8, src: u8, self_id: u8, keeps: Keeps<ALL>) -> bool {
        const OWN: u8 = 1;
        const OTHER: u8 = 2;
        const FROM: [u8; 8] = [OWN, OTHER, OWN, OTHER, OWN | OTHER, OWN | OTHER, 0, 0];
        let from = if src == self_id { OWN } else { OTHER };
        let exists = src < self.gpus || !keeps.rule(Rule::SourceExists);
        let may = FROM[usize::from(op.min(7))] & from != 0;
        let may = may
            || !keeps.rule(Rule::RemoteIsOther) && matches!(op, op::RRD | op::RWR)
            || !keeps.rule(Rule::LocalIsHome) && matches!(op, op::LRD | op::LWR)
            || !keeps.rule(Rule::OpExists) && op > op::FENCE;
        may & exists
    }
}

/// LRD, RRD, LWR or RWR of a directory with entries.
#[inline(always)]
fn access_sets<const ALL: bool>(
    table: &mut Table,
    addr: u64,
    access: Access,
    lru: bool,
    effects: &mut Effects<'_, ALL>,
) {
    let keeps = effects.keeps;
    let place @ Place { base, line, .. } = table.place(addr);
    let set = &mut table.set(place);
    if let Some(way) = find(set, base, effects) {
        let before = set.sharers(way, line);
        let after = access.after(before);
        effects.found(before, after);
        *set.line(way, line) = after;
        set.row.track(way, line, after != 0);
        let renews = (lru && keeps.rule(Rule::UseRenews) || !keeps.rule(Rule::FifoIgnoresUse))
            && (before != 0 || keeps.rule(Rule::NewLineIsUse));
        set.row.renew(way, set.ways, renews & access.is_use);
        if !keeps.rule(Rule::AllocIsEntry) {
            effects.rsp.alloc = before == 0 && after != 0;
        }
        effects.invalidate(base, line, access.invalidated(before));
    } else if access.add != 0 {
        let way =
            if keeps.rule(Rule::FreeWay) { set.row.victim(set.ways) } else { set.row.oldest() };
        if set.row.is_valid(way) && keeps.rule(Rule::VictimInvalidates) {
            effects.evict(set, way);
        }
        *set.line(way, line) = access.add;
        set.row.allocate(way, base, line);
        set.row.renew(way, set.ways, keeps.rule(Rule::AllocationRenews));
        effects.allocated();
    }
}

/// EVICT of a directory with entries.
#[inline(never)]
fn evict<const ALL: bool>(table: &mut Table, addr: u64, effects: &mut Effects<'_, ALL>) {
    let place @ Place { base, line, .. } = table.place(addr);
    let set = &mut table.set(place);
    if let Some(way) = find(set, base, effects) {
        effects.found(set.sharers(way, line), 0);
        if effects.keeps.rule(Rule::EvictInvalidates) {
            effects.evict(set, way);
        }
        set.row.clear(way);
    }
}

/// The lowest way with this base, and an error if it is not the only one.
#[inline(always)]
fn find<const ALL: bool>(set: &Set, base: u64, effects: &mut Effects<'_, ALL>) -> Option<usize> {
    let found = set.find(base);
    if found == 0 {
        return None;
    }
    effects.done.err = if found & (found - 1) != 0 { err::DUPLICATE } else { 0 };
    Some(found.trailing_zeros() as usize % MAX_WAYS)
}

/// LRD, RRD, LWR or RWR of an ideal directory.
#[inline(always)]
fn access_ideal<const ALL: bool>(
    flat: &mut Flat,
    addr: u64,
    access: Access,
    effects: &mut Effects<'_, ALL>,
) {
    let Some((base, sharers)) = flat.line(addr) else { return };
    let before = *sharers;
    *sharers = access.after(before);
    effects.found(before, *sharers);
    if before == 0 && access.add != 0 {
        effects.allocated();
    }
    effects.invalidate(base, 0, access.invalidated(before));
}
