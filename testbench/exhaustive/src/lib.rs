//! All states of each protocol's smallest configurations. The states hold the models of `hwmodel`
//! themselves, so that what is searched is their own decisions.

mod cpelide;
mod describe;
mod directory;
mod gtsc;
mod protocol;
mod search;
mod space;
mod stc;
mod tc;
mod traced;

pub use protocol::{Configuration, PROTOCOLS, Protocol, Rule, Seen};
pub use search::{Found, Story, search};
pub use space::{Broken, NO_DEADLOCK, Space};
pub use traced::{Replay, Replayed};
