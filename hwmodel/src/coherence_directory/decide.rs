//! What a request does (specification 5.2, 5.5).
//!
//! The block decides when it accepts a request: only requests change the array, one after the other,
//! so that nothing can come between that and S1. What S1 makes is held until it ends.

use super::counters::Tally;
use super::flat::Flat;
use super::jobs::Jobs;
use super::responses::Word;
use super::table::{Place, Table};
use super::{Config, MAX_WAYS, Replacement, Req, Variant, err, op};

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
    /// A job was made.
    pub job: bool,
    /// For `err_code_o`; 0 is none.
    pub err: u8,
    pub tally: Tally,
    /// Sharers before; 0 when the line was not tracked.
    before: u16,
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

    /// Executes request number `seq`. Returns what it did, and its response.
    #[inline(always)]
    pub fn execute(&mut self, req: &Req, seq: u8, self_id: u8, jobs: &mut Jobs) -> (Done, Word) {
        let &Req { addr, id, src, op } = req;
        let addr = addr & self.addr_mask;
        let rsp = Word::new(id, seq);
        let own = src == self_id;
        let wrong_src = (src >= self.gpus) | ((op < op::EVICT) & (own == (op & 1 != 0)));
        if (op > op::FENCE) | wrong_src | ((addr >= self.end) & (op != op::FENCE)) {
            let err = if op > op::FENCE {
                err::OP
            } else if wrong_src {
                err::SRC
            } else {
                err::ADDR
            };
            return (Done { err, ..Done::default() }, rsp.with_err());
        }
        if op == op::FENCE {
            let all = (1u32 << self.gpus) - 1;
            jobs.put_fence(seq, all as u16 & !(1 << (self_id & 0xF)));
            return (Done { job: true, ..Done::default() }, rsp);
        }
        let access = Access::new(op, src);
        let mut done = match &mut self.array {
            Array::Sets(table) => sets(table, op == op::EVICT, access, addr, self.lru, seq, jobs),
            Array::Ideal(flat) => ideal(flat, access, addr, seq, jobs),
        };
        if op < op::EVICT {
            done.tally.request = op + 1;
            done.tally.hit = if done.before != 0 { op + 5 } else { 0 };
        }
        (done, rsp.with_result(done.before, done.tally.alloc, done.tally.evict_lines != 0))
    }
}

/// Makes the EVICT job of a valid entry; returns its lines.
#[inline(always)]
fn evict(table: &mut Table, set: usize, way: usize, seq: u8, jobs: &mut Jobs) -> u8 {
    let (base, lines) = table.row(set).entry(way);
    let (lines, dests) = jobs.put_evict(seq, base, lines);
    table.copy_lines(set, way, dests);
    lines as u8
}

/// A request to a directory with entries.
#[inline(always)]
fn sets(
    table: &mut Table,
    is_evict: bool,
    access: Access,
    addr: u64,
    lru: bool,
    seq: u8,
    jobs: &mut Jobs,
) -> Done {
    let Place { set, base, line } = table.place(addr);
    let ways = table.ways;
    let found = table.row(set).find(base);
    let mut done = Done::default();
    if found != 0 {
        let way = found.trailing_zeros() as usize % MAX_WAYS;
        done.err = if found & (found - 1) != 0 { err::DUPLICATE } else { 0 };
        let tracked = table.row(set).tracks(way, line);
        let sharers = table.line(set, way, line);
        done.before = if tracked { *sharers } else { 0 };
        if is_evict {
            done.tally.evict_lines = evict(table, set, way, seq, jobs);
            done.job = true;
            table.row(set).clear(way);
        } else {
            let after = access.after(done.before);
            *sharers = after;
            let row = table.row(set);
            row.track(way, line, after != 0);
            if lru & (access.add != 0) {
                row.renew(way, ways);
            }
            done.job = jobs.put_write(seq, base, line, access.invalidated(done.before));
        }
    } else if access.add != 0 {
        let way = table.row(set).victim(ways);
        if table.row(set).is_valid(way) {
            done.tally.evict_lines = evict(table, set, way, seq, jobs);
            done.job = true;
        }
        *table.line(set, way, line) = access.add;
        let row = table.row(set);
        row.allocate(way, base, line);
        row.renew(way, ways);
        done.tally.alloc = true;
    }
    done
}

/// A request to an ideal directory. EVICT changes nothing, as LRD.
#[inline(always)]
fn ideal(flat: &mut Flat, access: Access, addr: u64, seq: u8, jobs: &mut Jobs) -> Done {
    let Some((base, sharers)) = flat.line(addr) else { return Done::default() };
    let before = *sharers;
    *sharers = access.after(before);
    let mut done = Done { before, ..Done::default() };
    done.tally.alloc = before == 0 && access.add != 0;
    done.job = jobs.put_write(seq, base, 0, access.invalidated(before));
    done
}
