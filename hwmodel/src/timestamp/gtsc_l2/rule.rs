//! Rules that tests take away, to see that they find it.

/// A rule of the bank (specification 5.4, 5.5, 8.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The answer of a write says whether the L1's copy was as new as the line; else always that
    /// it was.
    Ok,
    /// A write comes behind each lease of its line; else at its end.
    AfterLease,
    /// A write comes not before its warp; else only behind the leases.
    AboveWarp,
    /// The lease of a line that goes is remembered.
    Remembered,
    /// A lease is renewed for a copy that is as new as the line; else for any.
    Compared,
    /// A request of an old generation has no timestamps; else its own.
    OldGeneration,
    /// A timestamp that does not fit lets all begin anew; else it wraps.
    Overflow,
}
