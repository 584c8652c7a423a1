//! Names that families register.

use std::collections::HashMap;
use std::panic::Location;

/// Checks that no two of a kind have one name. Errors: kind, name and both places.
pub fn check_unique<'a>(
    kind: &str,
    all: impl IntoIterator<Item = (&'a str, &'a Location<'a>)>,
) -> Result<(), String> {
    let mut seen = HashMap::new();
    for (name, place) in all {
        if let Some(other) = seen.insert(name, place) {
            let mut places = [place.to_string(), other.to_string()];
            places.sort();
            let [first, second] = places;
            return Err(format!("{kind} {name} is registered twice: {first} and {second}"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_two_have_is_an_error_with_both_places() {
        let (here, there) = (Location::caller(), place());
        assert_eq!(check_unique("block", [("a", here), ("b", there)]), Ok(()));
        let error = check_unique("block", [("a", here), ("b", here), ("a", there)]).unwrap_err();
        let (first, second) = (here.to_string(), there.to_string());
        assert!(error.starts_with("block a is registered twice: "), "{error}");
        assert!(error.contains(&first) && error.contains(&second) && first != second, "{error}");
    }

    #[track_caller]
    fn place() -> &'static Location<'static> {
        Location::caller()
    }
}
