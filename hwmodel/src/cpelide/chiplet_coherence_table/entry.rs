//! Entries of the table, and records of a launch.

use super::lines::{self, Lines};
use super::parameters::{PAGE, Parameters};
use super::transition::{Mode, State, joined};

/// Lines that a base reaches: offsets have 28 bits (section 4).
pub const REACH: u64 = 1 << 28;

/// A run of lines lies beyond the 28 bits of an offset: the launch is conservative, code 4 (section
/// 5.8).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLong;

/// Errors: `extent` goes beyond what the base reaches.
fn check_reach(base: u64, extent: Lines, parameters: &Parameters) -> Result<(), TooLong> {
    let base = base * (PAGE / parameters.line);
    if extent.last - base < REACH { Ok(()) } else { Err(TooLong) }
}

fn hulls(a: &[Option<Lines>], b: &[Option<Lines>]) -> Vec<Option<Lines>> {
    a.iter().zip(b).map(|(&a, &b)| lines::hull(a, b)).collect()
}

/// What a launch says of one structure, or of several that were merged (section 5.1 step 1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Page number of the structure's base; of the lowest where several were merged.
    pub base: u64,
    /// How the kernel accesses it.
    pub mode: Mode,
    /// The lines that each chiplet may touch, by physical chiplet. At least one has some.
    pub ranges: Vec<Option<Lines>>,
}

impl Record {
    /// All lines of all chiplets.
    pub fn extent(&self) -> Lines {
        lines::extent(&self.ranges).expect("a record has a range")
    }

    /// Two records as one. Errors: it is too long.
    pub fn join(&self, other: &Self, parameters: &Parameters) -> Result<Self, TooLong> {
        let joined = Self {
            base: self.base.min(other.base),
            mode: self.mode.join(other.mode),
            ranges: hulls(&self.ranges, &other.ranges),
        };
        check_reach(joined.base, joined.extent(), parameters)?;
        Ok(joined)
    }

    /// True where two chiplets may touch one line.
    pub fn is_shared(&self) -> bool {
        let ranges: Vec<_> = self.ranges.iter().flatten().collect();
        let after = |i: usize| &ranges[i + 1..];
        (0..ranges.len()).any(|i| after(i).iter().any(|range| range.overlaps(ranges[i])))
    }
}

/// One entry (section 4): what the L2s may hold of a structure.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Entry {
    /// Page number from which the memory image counts lines.
    pub base: u64,
    /// The lines that each chiplet's L2 may hold; `None` exactly where the state is NP.
    pub ranges: Vec<Option<Lines>>,
    /// State at each chiplet.
    pub states: Vec<State>,
    /// Mode of the last kernel.
    pub mode: Mode,
    /// D copies may also hold old lines (section 5.3).
    pub mixed: bool,
}

impl Entry {
    /// The entry of a structure that no L2 holds, as a kernel with this record finds it.
    pub fn absent(record: &Record) -> Self {
        let chiplets = record.ranges.len();
        Self {
            base: record.base,
            ranges: vec![None; chiplets],
            states: vec![State::NotPresent; chiplets],
            mode: record.mode,
            mixed: false,
        }
    }

    /// True where no L2 holds anything of it.
    pub fn is_absent(&self) -> bool {
        self.states.iter().all(|&state| state == State::NotPresent)
    }

    /// All lines that L2s may hold. The entry is not absent.
    pub fn extent(&self) -> Lines {
        lines::extent(&self.ranges).expect("an absent entry is removed")
    }

    /// The mixed bit speaks of D copies only (section 5.8).
    pub fn settle_mixed(&mut self) {
        self.mixed &= self.states.contains(&State::Dirty);
    }

    /// Errors: its lines go beyond what the base reaches.
    pub fn check_reach(&self, parameters: &Parameters) -> Result<(), TooLong> {
        check_reach(self.base, self.extent(), parameters)
    }

    /// Two entries as one (section 5.4). Errors: it is too long.
    pub fn join(&self, other: &Self, parameters: &Parameters) -> Result<Self, TooLong> {
        let pairs = || self.states.iter().zip(&other.states).map(|(&a, &b)| joined(a, b));
        let joined = Self {
            base: self.base.min(other.base),
            ranges: hulls(&self.ranges, &other.ranges),
            states: pairs().map(|(state, _)| state).collect(),
            mode: self.mode.join(other.mode),
            mixed: self.mixed || other.mixed || pairs().any(|(_, mixed)| mixed),
        };
        joined.check_reach(parameters)?;
        Ok(joined)
    }
}
