//! Operations on L2s, and what they mean for all entries (specification, section 5.3).

use super::running::Running;
use super::table::Table;
use super::transition::{self, State};
use super::weakness::{Rules, Weakness};

/// Chiplets to release and to acquire, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Masks {
    /// L2s to write back.
    pub release: u16,
    /// L2s to invalidate, after their release.
    pub acquire: u16,
}

impl Masks {
    /// The operations are on whole L2s, so they change every entry, but for pairs in use: their
    /// kernel can fill or dirty the L2 again (section 5.5). Entries that are then absent are
    /// removed.
    pub fn take_effect(self, table: &mut Table, running: &Running, rules: &Rules) {
        for row in &mut table.rows {
            for (i, in_use) in row.in_use(running).into_iter().enumerate() {
                let state = &mut row.entry.states[i];
                if self.release >> i & 1 == 1
                    && !(in_use && rules.keep(Weakness::ReleaseTakesPairsInUse))
                {
                    let wrong =
                        *state == State::Dirty && !rules.keep(Weakness::NotPresentAfterRelease);
                    *state = transition::released(*state, row.entry.mixed);
                    if wrong {
                        *state = State::NotPresent;
                    }
                }
                if self.acquire >> i & 1 == 1
                    && !(in_use && rules.keep(Weakness::AcquireTakesPairsInUse))
                {
                    *state = transition::acquired(*state);
                }
                if *state == State::NotPresent {
                    row.entry.ranges[i] = None;
                }
            }
            row.entry.settle_mixed();
        }
        table.remove_absent();
    }
}
