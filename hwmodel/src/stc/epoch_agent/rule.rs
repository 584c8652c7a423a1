//! Rules that tests take away, to see that they find it.

/// A rule of the agent (specification 5.3, 5.4, 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// 5.3: DRAIN waits until no store is on its way.
    DrainWaits,
    /// 5.4: a store is on its way from when it is in the issue register, not from the handshake.
    CountAtLoad,
    /// 5.3: a change takes back what the last epoch released.
    RelCleared,
    /// 5.3: after a change every entry is examined again.
    ScannedCleared,
    /// 5.3: after a change every band may be demanded again.
    FilterCleared,
    /// 5.4: the scan demands bands.
    ScanDemands,
    /// 5.4: what waited at a change goes first.
    Batch,
    /// 6, 2: stores wait in DONE, until all CUs are in the epoch.
    StoresWaitForAll,
}
