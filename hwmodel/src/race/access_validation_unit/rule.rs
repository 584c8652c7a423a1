//! Rules that tests take away, to see that they find it.

/// A rule of the unit (specification 5.3, 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// A line of age 2 or more has expired; else it is judged as one of age 1.
    Expires,
    /// A synchronisation ends lines that would look new again.
    LiveCleared,
    /// No lookup while a signature loads.
    LookupWaits,
    /// No beat while the speculative load queue validates.
    ResponseWaits,
    /// All granules of a lookup and of a query are tested; else the first alone.
    AllGranules,
    /// A line has `hits` hits without a check; else any number.
    Hits,
}
