//! CPElide (MICRO 2024): the L2 design. Its command processors are those of `launch`.

mod systems;

use cosim::cpelide::SyncMode;

use crate::config::registry::registered;
use crate::l2::{Design, SOFTWARE};

inventory::submit! { registered(CPELIDE) }

/// L2s as [`SOFTWARE`] has them, released and acquired only where the chiplet coherence table says
/// so (CPElide, MICRO 2024).
const CPELIDE: Design = Design {
    name: "cpelide",
    about: "the command processor's chiplet coherence table elides releases and acquires",
    sync: SyncMode::Cpelide,
    ..SOFTWARE
};
