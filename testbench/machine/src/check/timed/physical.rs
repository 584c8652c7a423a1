//! A line in physical time.

use super::{Access, Entry, Kind, Timed};
use crate::config::memory_model::MemoryModel;
use crate::context::message::MAX_LINE;

/// States of a line: after so many writes.
struct Versions<'a> {
    writes: Vec<&'a Access>,
    states: Vec<[u8; MAX_LINE]>,
    /// When a version is the oldest that an access may find that begins then, and which: in order,
    /// both.
    floors: Vec<(u32, usize)>,
}

impl Versions<'_> {
    /// The oldest that an access may find which begins in a cycle.
    fn floor(&self, begun: u32) -> usize {
        // The order within one cycle is unknown.
        match self.floors.partition_point(|&(at, _)| at < begun) {
            0 => 0,
            next => self.floors[next - 1].1,
        }
    }

    /// The newest that an access may find which is over in a cycle.
    fn ceiling(&self, over: u32) -> usize {
        self.writes.partition_point(|write| write.at <= over)
    }
}

impl Timed {
    /// The accesses of a line, in the order of their cycles.
    pub(super) fn explain_in_physical_time(&mut self, line: &[Entry]) {
        let Some(versions) = self.versions(line) else { return };
        // Each with the writes up to it, of which a write is itself the last one.
        let mut count = 0;
        let numbered = line.iter().map(|entry| {
            count += usize::from(entry.access.kind.writes());
            (count, entry)
        });
        let is_access = |of: &(usize, &Entry)| of.1.access.kind != Kind::Before;
        let mut order: Vec<_> = numbered.filter(is_access).collect();
        order.sort_by_key(|(_, entry)| (entry.access.begun.wave, entry.access.begun.place));
        // What the wave before has seen says nothing of this one.
        let (mut wave, mut last) = (u32::MAX, 0);
        let mut seen = Vec::new();
        for (number, entry) in order {
            let Access { at, kind, begun, .. } = entry.access;
            if wave != begun.wave {
                (wave, last) = (begun.wave, 0);
            }
            let version = match kind {
                Kind::Load => {
                    let (floor, ceiling) = (versions.floor(begun.at), versions.ceiling(at));
                    let first = floor.max(last);
                    let may = |at: &usize| self.differs(entry, &versions.states[*at]).is_none();
                    let Some(version) = (first..=ceiling).find(may) else {
                        let what = format!(
                            "from cycle {} to {at}, has read no value that the line had after {} \
                             to {ceiling} of its writes",
                            begun.at, first
                        );
                        return self.fail_at(&entry.access, &what);
                    };
                    version
                }
                _ => {
                    if number <= last {
                        let what = format!(
                            "is write {number} of the line; its wave has read or performed number \
                             {last} before"
                        );
                        return self.fail_at(&entry.access, &what);
                    }
                    number
                }
            };
            last = version;
            if self.keep.placed {
                seen.push((version, entry));
            }
        }
        seen.sort_by_key(|&(version, entry)| (version, entry.access.kind));
        for (version, entry) in seen {
            let before = version - usize::from(entry.access.kind.writes());
            self.keep_found(entry, &versions.writes[..before]);
        }
    }

    /// All versions of a line. None where an atomic has not found the one before its own.
    fn versions<'a>(&mut self, line: &'a [Entry]) -> Option<Versions<'a>> {
        let mut state = [0; MAX_LINE];
        let (mut states, mut writes) = (Vec::new(), Vec::<&Access>::new());
        for entry in line.iter().filter(|entry| entry.access.kind != Kind::Load) {
            let Access { at, kind, .. } = entry.access;
            if let Some(k) = self.differs(entry, &state) {
                let found = self.found_by(entry).map_or(0, |found| found[k]);
                let there = state[k];
                let what = format!(
                    "in cycle {at}, has read {found:#04x} in byte {k}; the last write has stored \
                     {there:#04x}"
                );
                self.fail_at(&entry.access, &what);
                return None;
            }
            self.apply(entry, &mut state);
            states.push(state);
            writes.extend(kind.writes().then_some(&entry.access));
        }
        let is_sc = self.model == MemoryModel::Sc;
        let seen_by_all = |write: &Access| match is_sc {
            true => Some(write.at),
            false => self.waves.fence_behind(&write.begun),
        };
        let numbered = writes.iter().enumerate();
        let mut floors: Vec<_> =
            numbered.filter_map(|(at, write)| Some((seen_by_all(write)?, at + 1))).collect();
        floors.sort_unstable();
        let mut newest = 0;
        for (_, version) in &mut floors {
            newest = newest.max(*version);
            *version = newest;
        }
        Some(Versions { writes, states, floors })
    }
}
