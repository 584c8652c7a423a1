//! What the specification decides, as constants that the protocol reads. Tests run the protocol
//! with one of them changed (`rule.rs`).

/// One field for each choice; arrays are of G-TSC, TC-Strong and TC-Weak.
#[derive(Clone, Debug)]
pub(super) struct Choices {
    /// G-TSC: a write is scheduled so far behind the leases of its line.
    pub behind_leases: u32,
    /// G-TSC: a write is not scheduled before its warp's clock.
    pub above_warp: bool,
    /// G-TSC: a partial write is ok for any copy, not for one that is as new as the line alone.
    pub any_is_ok: bool,
    /// G-TSC: any copy is renewed.
    pub any_is_renewed: bool,
    /// G-TSC: mem_ts covers the leases of evicted lines.
    pub remembers: bool,
    /// G-TSC: a request of an old generation keeps its timestamps.
    pub keeps_old: bool,
    /// G-TSC: a timestamp that does not fit wraps; else it overflows.
    pub wraps: bool,
    /// Writes wait for the end of leases.
    pub writes_wait: [bool; 3],
    /// A line that an L1 may hold is not evicted.
    pub inclusive: [bool; 3],
}

/// Specification 5.4, 5.5, 5.8.
pub(super) const SPECIFICATION: Choices = Choices {
    behind_leases: 1,
    above_warp: true,
    any_is_ok: false,
    any_is_renewed: false,
    remembers: true,
    keeps_old: false,
    wraps: false,
    writes_wait: [false, true, false],
    inclusive: [false, true, true],
};
