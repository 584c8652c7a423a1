//! Which lines an L1 keeps, and which go for them (`sharing.l1`): apart from the L1 design, so that
//! any of those that ask goes with any policy.

use std::fmt::Debug;

use crate::build::make::{Made, Make};
use crate::cache::{Choice, Way, Ways};
use crate::config::ConfigError;
use crate::config::registry::{kind, registered};
use crate::config::resolved::Resolved;
use crate::config::section::Section;
use crate::context::Context;
use crate::context::message::Message;
use crate::statistics::CounterValues;

/// A policy, one instance for each L1. Under one a line takes its way when it has come, not when it
/// is asked for.
pub trait L1Policy: Debug {
    /// One cycle of the CU: a block has the edges of those before. Called whenever the CU is
    /// visited.
    fn tick(&mut self, _ctx: &mut Context) {}

    /// Which of its ways a line takes that has come with `answer`. Asked again, in each visit of
    /// the CU, until it is settled; a policy that does not know yet has the CU visited.
    fn choose(&mut self, ctx: &mut Context, answer: &Message, ways: Ways) -> Choice;

    /// The line in a way is used.
    fn touch(&mut self, _ctx: &mut Context, _way: Way) {}

    /// The line in a way has gone, and not for another one.
    fn drop_line(&mut self, _ctx: &mut Context, _way: Way) {}

    /// All lines have gone.
    fn drop_all(&mut self, _ctx: &mut Context) {}

    /// Counters by name, among those of the L1s.
    fn counters(&self, _all: &mut CounterValues) {}
}

/// Makes a policy of an L1.
pub type NewPolicy = fn(&mut Make) -> Made<dyn L1Policy>;

/// A policy by name. It is known once it is submitted.
pub struct NewL1Policy {
    /// Its name, `sharing.l1`.
    pub name: &'static str,
    /// One line for `duet list`.
    pub about: &'static str,
    /// Sections of the system file that are its own.
    pub sections: &'static [Section],
    /// What it needs of a system. Errors name the field, and say why.
    pub check: fn(&Resolved) -> Result<(), ConfigError>,
    /// Makes one. None for an L1 that places lines itself.
    pub new: Option<NewPolicy>,
}

kind!(NewL1Policy, "sharing.l1");

inventory::submit! { registered(NewL1Policy {
    name: "lru",
    about: "evicts the least recently used line; a miss allocates its way at once",
    sections: &[],
    check: |_| Ok(()),
    new: None,
}) }
