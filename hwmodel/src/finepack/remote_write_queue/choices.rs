//! What the specification decides, as constants that the protocol reads. Tests run the protocol
//! with one of them changed (`rule.rs`).

use ports::finepack::types::{error_code, flush_cause, op};

/// All partitions or bytes; and none.
pub(super) const ALL: u128 = u128::MAX;
pub(super) const NONE: u128 = 0;

/// Faults, bit c for error code c.
pub(super) const ZERO_MASK: u16 = 1 << error_code::ZERO_MASK;
pub(super) const BAD_DEST: u16 = 1 << error_code::BAD_DEST;
pub(super) const BAD_OP: u16 = 1 << error_code::BAD_OP;
const SPURIOUS: u16 = 1 << error_code::SPURIOUS_COMPLETION;

/// What a STORE that hits is charged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Charge {
    /// What it adds to the entry's cost, which may be negative.
    Growth,
    /// The same, without the credit of joined runs.
    PositiveGrowth,
    /// Its own cost.
    All,
}

/// The payload length of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Length {
    /// The sum of its entries' costs.
    Sum,
    /// What its stores were charged.
    Charged,
}

/// When a system release is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Done {
    /// When all its MARKs are pushed and completed.
    Completed,
    /// When all are pushed and one is completed.
    OneCompleted,
    /// When those that are pushed are completed.
    PushedCompleted,
    /// When all are pushed.
    Pushed,
}

/// One field for each choice.
#[derive(Clone, Debug)]
pub(super) struct Choices {
    /// By op: the faults that a request is checked for.
    pub checks: [u16; 8],
    /// The faults of a completion without an outstanding MARK.
    pub spurious: u16,
    /// The lowest code of a cycle is shown, not the highest.
    pub shows_lowest: bool,
    /// `err_lost` reports the others.
    pub flags_lost: bool,
    /// The causes that flush, bit c for cause c. Without FULL_ENTRIES the last entry takes any
    /// line.
    pub causes: u8,
    /// A STORE that hits must fit, too.
    pub hit_must_fit: bool,
    /// A packet's first STORE sets its window.
    pub first_sets_window: bool,
    /// What a hit is charged in EXACT and in PAPER.
    pub exact: Charge,
    pub paper: Charge,
    pub length: Length,
    /// A flush resets the credit.
    pub flush_resets_credit: bool,
    /// Enabled bytes that a hit does not overwrite.
    pub hit_keeps: u128,
    /// Bytes that a hit can enable.
    pub hit_enables: u128,
    /// A new entry has zeros in its disabled bytes.
    pub clears_disabled: bool,
    /// Bytes that a LOAD or ATOMIC touches besides its own.
    pub raw_touches: u128,
    /// The token of a LOAD or ATOMIC, and a MARK, follow the DRAIN token of their flush.
    pub raw_behind: bool,
    pub mark_behind: bool,
    /// An ATOMIC makes its partition dirty.
    pub atomic_dirties: bool,
    /// Dirty partitions without an entry that get a MARK, and that stay dirty with one.
    pub empty_gets_mark: u16,
    pub mark_leaves_dirty: u16,
    pub release_done: Done,
    /// A RELEASE_SYS waits for the one before.
    pub second_waits: bool,
    /// The op that RELEASE_GPU is executed as.
    pub gpu_release: u8,
    /// It stalls in the cycle in which a system release is done.
    pub gives_way: bool,
    /// A STORE that hits, and a LOAD, restart the timer.
    pub hit_restarts: bool,
    pub load_restarts: bool,
    /// A timeout waits for an empty S2.
    pub timeout_yields: bool,
    /// Entries in the order queue that two tokens wait for.
    pub two_tokens: u8,
    /// The oldest token leaves first, not the youngest.
    pub oldest_leaves: bool,
    /// The arbitration begins behind the last grant, not at partition 0.
    pub round_robin: bool,
    /// The last entry of a packet frees its bank, not the first.
    pub last_frees: bool,
    /// The tag counts beats of other kinds than PACK, too.
    pub tag_counts_raw: bool,
}

/// Specification 5.2 to 5.8, 6, 12.
pub(super) const SPECIFICATION: Choices = Choices {
    checks: {
        let mut checks = [0; 8];
        checks[op::STORE as usize] = ZERO_MASK | BAD_DEST;
        checks[op::LOAD as usize] = ZERO_MASK | BAD_DEST;
        checks[op::ATOMIC as usize] = ZERO_MASK | BAD_DEST | BAD_OP;
        (checks[5], checks[6], checks[7]) = (BAD_OP, BAD_OP, BAD_OP);
        checks
    },
    spurious: SPURIOUS,
    shows_lowest: true,
    flags_lost: true,
    causes: u8::MAX,
    hit_must_fit: true,
    first_sets_window: true,
    exact: Charge::Growth,
    paper: Charge::All,
    length: Length::Sum,
    flush_resets_credit: true,
    hit_keeps: NONE,
    hit_enables: ALL,
    clears_disabled: true,
    raw_touches: NONE,
    raw_behind: true,
    mark_behind: true,
    atomic_dirties: true,
    empty_gets_mark: ALL as u16,
    mark_leaves_dirty: NONE as u16,
    release_done: Done::Completed,
    second_waits: true,
    gpu_release: op::RELEASE_GPU,
    gives_way: true,
    hit_restarts: true,
    load_restarts: false,
    timeout_yields: true,
    two_tokens: 2,
    oldest_leaves: true,
    round_robin: true,
    last_frees: true,
    tag_counts_raw: false,
};

impl Choices {
    /// This cause flushes.
    #[inline(always)]
    pub fn flushes(&self, cause: u8) -> bool {
        self.causes >> cause & 1 != 0
    }

    /// A table without this cause.
    pub fn never_flush(&mut self, cause: u8) {
        debug_assert_ne!(cause, flush_cause::NONE);
        self.causes &= !(1 << cause);
    }
}
