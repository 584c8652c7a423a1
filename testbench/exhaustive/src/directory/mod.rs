//! The coherence directory of a home L2: which GPUs hold copies of its lines (specification of the
//! directory, sections 5 and 6).

mod messages;
mod rules;
mod setup;
mod space;

use crate::protocol::{Seen, protocol};
use rules::RULES;
use setup::SETUPS;
use space::{COVERED, Directory, RELEASED};

protocol! {
    /// A home with its directory, and GPUs that read and write its lines.
    CoherenceDirectory: "directory",
    "coherence directory: GPUs that read and write lines of one home",
    Directory, Seen::In,
    [
        (COVERED, "a copy that is older than the home's line has a pending invalidation"),
        (
            RELEASED,
            "copies that are stale when a release passes the home are invalidated \
             before it completes",
        ),
    ]
}
