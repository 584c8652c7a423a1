//! Designs by name. A program has those of this crate, and those that crates which it is linked
//! with add with `inventory::submit!`.

use std::ops::Deref;
use std::panic::Location;

use crate::config::systems::Preset;
use crate::config::{ConfigError, choose};
use crate::l1::{self, NewL1Policy};
use crate::l2::{self, NewL2Policy};
use crate::launch::NewScheduler;

/// What a family adds, and where.
#[derive(Debug)]
pub struct Registered<T> {
    item: T,
    place: &'static Location<'static>,
}

/// What a family adds, here: `inventory::submit! { registered(DESIGN) }`.
#[track_caller]
pub const fn registered<T>(item: T) -> Registered<T> {
    Registered { item, place: Location::caller() }
}

impl<T> Deref for Registered<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.item
    }
}

/// What a field of the system file names.
pub trait Named: Sized + 'static {
    /// The field.
    const FIELD: &'static str;

    /// The name.
    fn name(&self) -> &'static str;

    /// All of the kind, in the linker's order.
    fn registered() -> Vec<&'static Registered<Self>>;
}

/// A type with the field `name` that a field of the system file names.
macro_rules! kind {
    ($kind:ty, $field:literal) => {
        inventory::collect!($crate::config::registry::Registered<$kind>);

        impl $crate::config::registry::Named for $kind {
            const FIELD: &'static str = $field;

            fn name(&self) -> &'static str {
                self.name
            }

            fn registered() -> Vec<&'static $crate::config::registry::Registered<Self>> {
                inventory::iter::<$crate::config::registry::Registered<Self>>.into_iter().collect()
            }
        }
    };
}

pub(crate) use kind;

/// All of a kind, by name.
pub fn all<T: Named>() -> Vec<&'static T> {
    let mut all: Vec<&T> = T::registered().into_iter().map(Deref::deref).collect();
    all.sort_by_key(|design| design.name());
    all
}

/// Names of all of a kind.
pub fn names<T: Named>() -> Vec<&'static str> {
    all::<T>().iter().map(|design| design.name()).collect()
}

/// The one of this name.
pub fn find<T: Named>(name: &str) -> Option<&'static T> {
    T::registered().into_iter().find(|design| design.name() == name).map(Deref::deref)
}

/// The one that a system names. Errors: there is none.
pub fn named<T: Named>(name: &str) -> Result<&'static T, ConfigError> {
    let all: Vec<_> = all::<T>().iter().map(|&design| (design.name(), design)).collect();
    choose(T::FIELD, name, &all)
}

/// Checks that no two of a kind have one name. Errors: the name and both places.
fn check<T: Named>() -> Result<(), String> {
    ports::check_unique(T::FIELD, T::registered().into_iter().map(|all| (all.name(), all.place)))
}

/// Checks that no two designs, policies, schedulers or systems have one name. Errors: the name and
/// both places.
pub fn check_names() -> Result<(), String> {
    check::<l1::Design>()?;
    check::<l2::Design>()?;
    check::<NewL1Policy>()?;
    check::<NewL2Policy>()?;
    check::<NewScheduler>()?;
    let presets = inventory::iter::<Registered<Preset>>.into_iter();
    let members = presets.flat_map(|preset| {
        let names = preset.members.iter().map(|member| member.0);
        names.map(|name| (name, preset.place))
    });
    ports::check_unique("system", members)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Kind {
        name: &'static str,
    }

    kind!(Kind, "test.kind");

    inventory::submit! { registered(Kind { name: "one" }) }
    inventory::submit! { registered(Kind { name: "two" }) }
    inventory::submit! { registered(Kind { name: "one" }) }

    #[test]
    fn two_of_a_kind_with_one_name_are_an_error_with_both_places() {
        let error = check::<Kind>().unwrap_err();
        assert!(error.starts_with("test.kind one is registered twice: "), "{error}");
        let places = error.matches("registry.rs:").count();
        assert_eq!(places, 2, "{error}");
        assert_eq!(check_names(), Ok(()));
    }
}
