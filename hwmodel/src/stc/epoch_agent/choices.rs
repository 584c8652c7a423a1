//! What the specification decides, as constants that the protocol reads. Tests run the protocol
//! with one of them changed (`rule.rs`).

/// From when on a store counts as on its way.
#[derive(Clone, Copy, Debug)]
pub(super) enum Counted {
    /// It is loaded into the issue register.
    Load,
    /// The L1 takes it.
    Handshake,
}

/// What a change of the epoch does to the entries, and to the bands that were demanded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    /// Entries are released no more.
    pub clears_rel: bool,
    /// They are examined again.
    pub clears_scanned: bool,
    /// Bands are demanded again.
    pub clears_filter: bool,
    /// The entries form a batch, if the last one is used up.
    pub forms_batch: bool,
}

/// One field for each choice.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choices {
    /// By state, RUN, DRAIN, READY, DONE: stores are issued.
    pub issues: [bool; 4],
    /// DRAIN ends with at most this number of stores on their way.
    pub drained: u16,
    pub counted: Counted,
    /// The scan demands the bands of blocked entries.
    pub scan_demands: bool,
    pub change: Change,
}

/// Specification 5.3, 5.4.
pub(super) const SPECIFICATION: Choices = Choices {
    issues: [true, false, false, false],
    drained: 0,
    counted: Counted::Load,
    scan_demands: true,
    change: Change {
        clears_rel: true,
        clears_scanned: true,
        clears_filter: true,
        forms_batch: true,
    },
};
