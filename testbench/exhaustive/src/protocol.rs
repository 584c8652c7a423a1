//! The protocols that can be searched.

use crate::search::Found;

/// A protocol with its smallest configurations.
pub struct Protocol {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
    /// What must hold in all states, and what it means.
    pub properties: &'static [(&'static str, &'static str)],
    /// Its configurations, the smallest first.
    pub configurations: fn() -> Vec<Configuration>,
    /// Rules that it can be made without.
    pub rules: fn() -> Vec<Rule>,
    /// Searches all states of a configuration, by its index in `configurations`, with all rules or
    /// without one of `rules`.
    pub search: fn(configuration: usize, without: Option<&str>) -> Found,
}

/// A configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// What it is.
    pub name: &'static str,
    /// All its states take longer than some seconds.
    pub is_large: bool,
}

/// A rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its name.
    pub name: &'static str,
    /// What becomes of the protocol without it.
    pub seen: Seen,
}

/// Whether some state shows that a rule is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// In this configuration a property does not hold.
    In(usize),
    /// In none, for this reason.
    Never(&'static str),
}

/// The rule of this name among a protocol's own.
pub(crate) fn named<R: Copy, S>(rules: &[(&'static str, R, S)], name: Option<&str>) -> Option<R> {
    let find = |name| rules.iter().find(|(known, ..)| *known == name);
    name.map(|name| find(name).expect("the name of a rule").1)
}

/// All protocols.
pub const PROTOCOLS: &[Protocol] = &[
    crate::cpelide::CPELIDE,
    crate::directory::DIRECTORY,
    crate::gtsc::GTSC,
    crate::tc::TC,
    crate::stc::STC,
];
