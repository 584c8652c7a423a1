//! What the specification decides, as constants that the protocol reads. Tests run the protocol
//! with one of them changed (`rule.rs`).

/// One field for each choice.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choices {
    /// Loads do not commit while a signature is tested.
    pub commits_wait: bool,
    /// Forced signatures are tested too.
    pub tests_forced: bool,
    /// A replay drops the younger loads of its warp: entries, and the load allocated in its cycle.
    pub drops_entries: bool,
    pub drops_alloc: bool,
}

/// Specification 5.4.
pub(super) const SPECIFICATION: Choices =
    Choices { commits_wait: true, tests_forced: true, drops_entries: true, drops_alloc: true };
