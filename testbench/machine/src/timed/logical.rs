//! A line in logical time.

use super::{Access, Entry, Time, Timed};
use crate::memory_model::MemoryModel;
use crate::message::MAX_LINE;

impl Timed {
    /// The accesses of a line, in the order of (generation, timestamp, cycle).
    pub(super) fn explain_in_logical_time(&mut self, line: &[Entry]) {
        let mut now = [0; MAX_LINE];
        let mut last: Option<Time> = None;
        let mut writes = Vec::new();
        for entry in line {
            let Access { time, at, kind, .. } = entry.access;
            if kind.writes() {
                if last == Some(time) {
                    return self
                        .fail_at(&entry.access, &format!("is at {time:?}, as another write is"));
                }
                last = Some(time);
            }
            if let Some(k) = self.differs(entry, &now) {
                let found = self.found_by(entry).map_or(0, |found| found[k]);
                let there = now[k];
                let what = format!(
                    "at {time:?}, cycle {at}, has found {found:#04x} in byte {k}; the last write \
                     before that time has left {there:#04x}"
                );
                return self.fail_at(&entry.access, &what);
            }
            self.apply(entry, &mut now);
            if self.keep.placed && kind != super::Kind::Before {
                self.keep_found(entry, &writes);
                writes.extend(kind.writes().then_some(&entry.access));
            }
        }
        if self.model != MemoryModel::Sc {
            self.follow_waves(line);
        }
    }

    /// Where a fence alone orders all accesses of a wave: those of one line are in order.
    fn follow_waves(&mut self, line: &[Entry]) {
        let mut order: Vec<_> = line.iter().map(|entry| &entry.access).collect();
        order.sort_by_key(|access| (access.begun.wave, access.begun.place));
        let falls = |pair: &&[&Access]| {
            pair[0].begun.wave == pair[1].begun.wave && pair[0].time > pair[1].time
        };
        if let Some(pair) = order.windows(2).find(falls) {
            let (time, before) = (pair[1].time, pair[0].time);
            let what = format!("is at {time:?}, and one of its line before it at {before:?}");
            self.fail_at(pair[1], &what);
        }
    }
}
