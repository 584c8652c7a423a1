//! Designs by name. A program has those of this crate, and those that crates which it is linked
//! with add with `inventory::submit!`.

use crate::config::{ConfigError, choose};

/// What a field of the system file names.
pub trait Named: inventory::Collect {
    /// The field.
    const FIELD: &'static str;

    /// The name.
    fn name(&self) -> &'static str;
}

/// All of a kind, by name.
pub fn all<T: Named>() -> Vec<&'static T> {
    let mut all: Vec<_> = inventory::iter::<T>.into_iter().collect();
    all.sort_by_key(|design| design.name());
    all
}

/// Names of all of a kind.
pub fn names<T: Named>() -> Vec<&'static str> {
    all::<T>().iter().map(|design| design.name()).collect()
}

/// The one of this name.
pub fn find<T: Named>(name: &str) -> Option<&'static T> {
    inventory::iter::<T>.into_iter().find(|design| design.name() == name)
}

/// The one that a system names. Errors: there is none.
pub fn named<T: Named>(name: &str) -> Result<&'static T, ConfigError> {
    let all: Vec<_> = all::<T>().iter().map(|&design| (design.name(), design)).collect();
    choose(T::FIELD, name, &all)
}
