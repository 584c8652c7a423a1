//! Policies of L2 banks by name (`sharing.l2`).

use crate::config::ConfigError;
use crate::config::registry::{kind, registered};
use crate::config::resolved::Resolved;
use crate::config::section::Section;
use crate::l1::NewHook;

/// A policy by name: which lines L2 banks keep, and which go for them. It is known once it is
/// submitted.
pub struct NewL2Policy {
    /// Its name, `sharing.l2`.
    pub name: &'static str,
    /// One line for `duet list`.
    pub about: &'static str,
    /// Sections of the system file that are its own.
    pub sections: &'static [Section],
    /// What it needs of a system. Errors name the field, and say why.
    pub check: fn(&Resolved) -> Result<(), ConfigError>,
    /// Makes the hook of a bank. None for banks that place lines themselves.
    pub new: Option<NewHook>,
}

kind!(NewL2Policy, "sharing.l2");

inventory::submit! { registered(NewL2Policy {
    name: "lru",
    about: "evicts the least recently used line",
    sections: &[],
    check: |_| Ok(()),
    new: None,
}) }
