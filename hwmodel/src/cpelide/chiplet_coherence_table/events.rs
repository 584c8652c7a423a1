//! What a launch does to one entry that it touches (specification, sections 5.2, 5.3, 5.5 and 5.9).
//! `in_use[i]`: the pair of the entry and chiplet i is in use by another kernel that runs.

use super::entry::{Entry, Record};
use super::lines::{self, Lines};
use super::reasons::{Cause, Needs, Pair};
use super::transition::{self, Mode, State, Step};
use super::weakness::{Rules, Weakness};

/// The entry at a chiplet, as the next rule finds it.
fn pair(entry: &Entry, record: &Record, i: usize, in_use: &[bool]) -> Pair {
    let lines = lines::extent(&entry.ranges).unwrap_or(record.extent());
    Pair { lines, state: entry.states[i], in_use: in_use[i] }
}

/// The mixed bit is resolved: D copies are written back, and may be old. Adds what that takes to
/// `needs`.
pub fn resolve_mixed(
    entry: &mut Entry,
    record: &Record,
    in_use: &[bool],
    rules: &Rules,
    needs: &mut Needs,
) {
    entry.mixed = false;
    for i in 0..in_use.len() {
        if entry.states[i] != State::Dirty {
            continue;
        }
        let pair = pair(entry, record, i, in_use);
        let in_use = in_use[i] && rules.keep(Weakness::ResolutionCleansInUse);
        let mut step = transition::resolved(entry.states[i], in_use);
        entry.states[i] = step.state;
        if step.state == State::Dirty {
            entry.mixed |= rules.keep(Weakness::ResolutionInUseNotMixed);
            let is_local = record.ranges[i].is_some();
            step.acquire = is_local && rules.keep(Weakness::ResolutionInUseNotAcquired);
        }
        needs.add_step(Cause::Mixed, i, pair, &step);
    }
}

/// Remote events, on the stored ranges. Adds what they take to `needs`.
pub fn remote(
    entry: &mut Entry,
    record: &Record,
    in_use: &[bool],
    rules: &Rules,
    needs: &mut Needs,
) {
    let weakness = match record.mode {
        Mode::Read => Weakness::RemoteReadCleansInUse,
        Mode::ReadWrite => Weakness::RemoteWriteCleansInUse,
    };
    for i in 0..in_use.len() {
        let Some(stored) = entry.ranges[i] else { continue };
        let pair = pair(entry, record, i, in_use);
        if !others(&record.ranges, i).any(|(_, range)| range.overlaps(&stored)) {
            if record.ranges[i].is_none() {
                needs.add_step(Cause::Apart, i, pair, &Step::to(pair.state));
            }
            continue;
        }
        // The kernel's accesses reach the one copy that a line has.
        if rules.parameters.home_aware {
            let cause = Cause::RemoteAtHome(record.mode);
            needs.add_step(cause, i, pair, &Step::to(pair.state));
            continue;
        }
        let in_use = in_use[i] && rules.keep(weakness);
        let step = transition::remote(entry.states[i], record.mode, in_use);
        needs.add_step(Cause::Remote(record.mode), i, pair, &step);
        entry.states[i] = step.state;
        entry.mixed |= step.mixed && rules.keep(Weakness::WriterBesideDirtyInUseNotMixed);
    }
    entry.mixed &= rules.keep(Weakness::NeverMixed);
}

/// Adds what the local events take to `needs`. They happen later, after the effects of all
/// operations of the launch.
pub fn local_needs(entry: &Entry, record: &Record, in_use: &[bool], needs: &mut Needs) {
    for i in (0..in_use.len()).filter(|&i| record.ranges[i].is_some()) {
        let step = transition::local(entry.states[i], record.mode, in_use[i]);
        needs.add_step(Cause::Local(record.mode), i, pair(entry, record, i, in_use), &step);
    }
}

/// Local events, ranges, base, mode and mixed bit. Pairs that the launch has acquired are NP by
/// now, unless in use. Returns how many ranges became longer without being replaced.
pub fn local(entry: &mut Entry, record: &Record, in_use: &[bool], rules: &Rules) -> u32 {
    let stored = entry.clone();
    let may_go_on_writing = |j: usize| in_use[j] && stored.states[j] == State::Dirty;
    let mut growths = 0;
    for (i, &in_use_here) in in_use.iter().enumerate() {
        let Some(range) = record.ranges[i] else { continue };
        let forgets = record.mode == Mode::Read && !rules.keep(Weakness::StaleReadInUseValid);
        let step = transition::local(stored.states[i], record.mode, in_use_here && !forgets);
        entry.states[i] = step.state;
        entry.mixed |= step.mixed && rules.keep(Weakness::StaleWriteInUseNotMixed);

        // Lines that this kernel fills here may become old while it runs, unless they have no other
        // copy.
        let mut writers = others(&stored.ranges, i).filter(|&(j, _)| may_go_on_writing(j));
        let has_copies = !rules.parameters.home_aware;
        if has_copies && writers.any(|(_, stored)| stored.overlaps(&range)) {
            match step.state {
                State::Valid if rules.keep(Weakness::ReaderBesideDirtyInUseValid) => {
                    entry.states[i] = State::Stale;
                }
                State::Dirty => {
                    entry.mixed |= rules.keep(match record.mode {
                        Mode::Read => Weakness::DirtyReaderBesideDirtyInUseNotMixed,
                        Mode::ReadWrite => Weakness::WriterBesideDirtyInUseNotMixed,
                    });
                }
                _ => {}
            }
        }

        let reset = in_use_here && !rules.keep(Weakness::RangeInUseReset);
        let kept = stored.ranges[i].filter(|_| !reset);
        growths += u32::from(kept.is_some_and(|kept| !kept.contains(&range)));
        entry.ranges[i] = lines::hull(kept, Some(range));
    }
    entry.base = entry.base.min(record.base);
    entry.mode = record.mode;
    entry.mixed |= record.mode == Mode::ReadWrite && record.is_shared();
    entry.mixed &= rules.keep(Weakness::NeverMixed) && !rules.parameters.home_aware;
    entry.settle_mixed();
    growths
}

/// The ranges of all chiplets but one, where they are not empty.
fn others(ranges: &[Option<Lines>], but: usize) -> impl Iterator<Item = (usize, Lines)> {
    let ranges = ranges.iter().copied().enumerate();
    ranges.filter_map(move |(j, range)| range.filter(|_| j != but).map(|range| (j, range)))
}
