//! A line in logical time.

use super::{Access, Entry, Kind, Time, Timed};
use crate::config::memory_model::MemoryModel;
use crate::context::message::MAX_LINE;

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
                    return self.fail_at(
                        &entry.access,
                        &format!(
                            "is at {time:?}, the time of another \
                                                          write"
                        ),
                    );
                }
                last = Some(time);
            }
            if let Some(k) = self.differs(entry, &now) {
                let found = self.found_by(entry).map_or(0, |found| found[k]);
                let there = now[k];
                let what = format!(
                    "at {time:?}, cycle {at}, has read {found:#04x} in byte {k}; the last write \
                     before that time has stored {there:#04x}"
                );
                return self.fail_at(&entry.access, &what);
            }
            self.apply(entry, &mut now);
            if self.keep.placed && kind != Kind::Before {
                self.keep_found(entry, &writes);
                writes.extend(kind.writes().then_some(&entry.access));
            }
        }
        if self.model != MemoryModel::Sc {
            self.follow_waves(line);
        }
    }

    /// Where a fence alone orders all accesses of a wave: those of one line see its writes in
    /// order, and not the wave's own before it writes.
    fn follow_waves(&mut self, line: &[Entry]) {
        let mut count = 0;
        let numbered = line.iter().map(|entry| {
            count += usize::from(entry.access.kind.writes());
            (count, &entry.access)
        });
        let mut order: Vec<_> = numbered.collect();
        order.sort_by_key(|(_, access)| (access.begun.wave, access.begun.place));
        let falls = |pair: &&[(usize, &Access)]| {
            let [(seen, before), (number, access)] = pair else { return false };
            before.kind != Kind::Before
                && before.begun.wave == access.begun.wave
                && *number < seen + usize::from(access.kind.writes())
        };
        if let Some(&[(seen, before), (number, access)]) = order.windows(2).find(falls) {
            let (time, earlier) = (access.time, before.time);
            let what = format!(
                "at {time:?}, reads or performs write {number} of the line; its wave has read or \
                 performed number {seen} at {earlier:?}"
            );
            self.fail_at(access, &what);
        }
    }
}
