//! Designs by name. A program has those of this crate, and those that crates which it is linked
//! with add with `inventory::submit!`.

use std::ops::Deref;
use std::panic::Location;

use crate::config::systems::{Preset, small};
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
    check_systems(inventory::iter::<Registered<Preset>>)
}

/// The names of scaled-down systems count as well.
fn check_systems<'a>(
    presets: impl IntoIterator<Item = &'a Registered<Preset>>,
) -> Result<(), String> {
    let names = presets.into_iter().flat_map(|preset| {
        let both = |name: &str| [name.to_string(), small(name)];
        let names = preset.members.iter().flat_map(move |member| both(member.0));
        names.map(|name| (name, preset.place))
    });
    let names: Vec<_> = names.collect();
    ports::check_unique("system", names.iter().map(|(name, place)| (name.as_str(), *place)))
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
        assert_two_places(&error);
        assert_eq!(check_names(), Ok(()));
    }

    #[test]
    fn a_system_with_the_name_of_a_scaled_down_one_is_an_error() {
        let any = inventory::iter::<Registered<Preset>>.into_iter().next().expect("a preset");
        let preset = |members| Preset { members, ..**any };
        let one = registered(preset(&[("one", 1)]));
        let two = registered(preset(&[("two", 1), ("one-small", 1)]));
        assert_eq!(check_systems([&one]), Ok(()));
        let error = check_systems([&one, &two]).unwrap_err();
        assert!(error.starts_with("system one-small is registered twice: "), "{error}");
        assert_two_places(&error);
    }

    /// Both lie in this file, in lines of their own.
    fn assert_two_places(error: &str) {
        let (_, places) = error.split_once("twice: ").expect("places");
        let (first, second) = places.split_once(" and ").expect("two places");
        assert!(first.contains("registry.rs:") && second.contains("registry.rs:"), "{error}");
        assert_ne!(first, second);
    }
}
