//! Runs of lines.

/// The lines `first` to `last`, both included. A line's number is its byte address / `line`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lines {
    /// The lowest line.
    pub first: u64,
    /// The highest line, at least `first`.
    pub last: u64,
}

impl Lines {
    /// The lines that hold the bytes `start` to `end`, both included (rounded outward, section 5.1
    /// step 1).
    pub fn holding(start: u64, end: u64, line: u64) -> Self {
        Self { first: start / line, last: end / line }
    }

    /// True where both have a line.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.first <= other.last && other.first <= self.last
    }

    /// The shortest run that holds both.
    pub fn hull(&self, other: &Self) -> Self {
        Self { first: self.first.min(other.first), last: self.last.max(other.last) }
    }

    /// True where `other` is inside.
    pub fn contains(&self, other: &Self) -> bool {
        self.first <= other.first && other.last <= self.last
    }
}

/// The shortest run that holds both, where there are any.
pub fn hull(a: Option<Lines>, b: Option<Lines>) -> Option<Lines> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.hull(&b)),
        (a, b) => a.or(b),
    }
}

/// The shortest run that holds all ranges of the chiplets; `None` where all are empty.
pub fn extent(ranges: &[Option<Lines>]) -> Option<Lines> {
    ranges.iter().copied().fold(None, hull)
}
