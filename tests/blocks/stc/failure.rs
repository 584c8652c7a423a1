//! What a run finds.

use std::fmt;

/// What was not kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Check {
    /// A line is hit, or installed, in the epoch of its band.
    Er1,
    /// A store is issued outside the epoch of its band, or a CU that is ready has stores under way.
    Er2,
    /// A CU has stores under way while another is in a different epoch.
    Er3,
    /// A valid line outside its epoch differs from the L2.
    Coherent,
    /// A load returns what the L2 did not hold between its issue and its return, or what is older
    /// than a store that was acknowledged before.
    Stale,
    /// Accesses of a wave to a word are not in program order.
    Order,
    /// A response for a slot, or a store of one, that is not in use; valid that falls.
    Protocol,
    /// A block reports an error.
    Error,
    /// A store waits for longer than specification 6, 4 allows.
    Wait,
    /// Nothing happens any more.
    Stuck,
}

/// Those that look inside. Without them a run goes by the values that programs see.
pub const INSIDE: [Check; 5] = [Check::Er1, Check::Er2, Check::Er3, Check::Coherent, Check::Error];

/// Where a run ends.
#[derive(Debug)]
pub struct Failure {
    pub check: Check,
    pub cycle: u64,
    pub text: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{:?} in cycle {}: {}", self.check, self.cycle, self.text)
    }
}
