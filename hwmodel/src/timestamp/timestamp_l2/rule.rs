//! Rules that tests take away, to see that they find it.

/// A rule of the bank (specification 5.4, 5.5, 5.8, 8.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// G-TSC: the answer of a write says whether the L1's copy was as new as the line; else always
    /// that it was.
    Ok,
    /// G-TSC: a write comes behind each lease of its line; else at its end.
    AfterLease,
    /// G-TSC: a write comes not before its warp; else only behind the leases.
    AboveWarp,
    /// G-TSC: the lease of a line that goes is remembered.
    Remembered,
    /// G-TSC: a lease is renewed for a copy that is as new as the line; else for any.
    Compared,
    /// G-TSC: a request of an old generation has no timestamps; else its own.
    OldGeneration,
    /// G-TSC: a timestamp that does not fit lets all begin anew; else it wraps.
    Overflow,
    /// TC-Strong: a write waits until all leases of its line are over.
    Waits,
    /// TC: a line that an L1 may hold stays.
    Inclusion,
}
