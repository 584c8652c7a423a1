//! The protocols that can be searched.

use crate::search::Found;

/// A protocol with its smallest configurations.
pub trait Protocol: Sync {
    /// Its name.
    fn name(&self) -> &'static str;

    /// What it is.
    fn about(&self) -> &'static str;

    /// What must hold in all states, and what it means.
    fn properties(&self) -> &'static [(&'static str, &'static str)];

    /// Its configurations, the smallest first.
    fn configurations(&self) -> Vec<Configuration>;

    /// Rules that it can be made without.
    fn rules(&self) -> Vec<Rule>;

    /// Searches all states of a configuration, by its place in [`Protocol::configurations`], with
    /// all rules or without one of [`Protocol::rules`].
    fn search(&self, configuration: usize, without: Option<&str>) -> Found;
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

/// Declares a protocol of the [`Space`](crate::space::Space) `$space`, whose module has `SETUPS`,
/// the configurations, and `RULES`, each with where it is seen, which `$seen` converts to [`Seen`].
macro_rules! protocol {
    (
        $(#[$doc:meta])* $type:ident: $name:literal, $about:literal, $space:ident, $seen:expr,
        [$($property:expr),+ $(,)?]
    ) => {
        $(#[$doc])*
        pub struct $type;

        impl $crate::protocol::Protocol for $type {
            fn name(&self) -> &'static str {
                $name
            }

            fn about(&self) -> &'static str {
                $about
            }

            fn properties(&self) -> &'static [(&'static str, &'static str)] {
                &[$($property),+]
            }

            fn configurations(&self) -> Vec<$crate::protocol::Configuration> {
                let all = SETUPS.iter().map(|setup| (setup.name, setup.is_large));
                all.map(|(name, is_large)| $crate::protocol::Configuration { name, is_large })
                    .collect()
            }

            fn rules(&self) -> Vec<$crate::protocol::Rule> {
                let all = RULES.iter().map(|&(name, _, seen)| (name, $seen(seen)));
                all.map(|(name, seen)| $crate::protocol::Rule { name, seen }).collect()
            }

            fn search(&self, at: usize, without: Option<&str>) -> $crate::search::Found {
                let without = $crate::protocol::named(RULES, without);
                $crate::search::search($space::new(&SETUPS[at], without))
            }
        }
    };
}
pub(crate) use protocol;

/// All protocols.
pub const PROTOCOLS: &[&dyn Protocol] = &[
    &crate::cpelide::Cpelide,
    &crate::directory::CoherenceDirectory,
    &crate::gtsc::Gtsc,
    &crate::tc::Tc,
    &crate::stc::SpatiotemporalCoherence,
];
