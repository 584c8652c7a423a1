//! Suggestions for misspelled names.

/// `; did you mean NAME?` with the known name nearest to one that is unknown; nothing where none
/// is near: where more than a third of the letters would have to change.
pub fn did_you_mean<'a>(unknown: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let most = (unknown.chars().count() / 3).max(1);
    let distance = |name: &&str| strsim::damerau_levenshtein(unknown, name);
    let near = known.into_iter().filter(|name| distance(name) <= most).min_by_key(distance);
    near.map_or(String::new(), |name| format!("; did you mean {name}?"))
}

/// Names that a list in a message shows; of more, those nearest to the unknown one.
const MOST_NAMES: usize = 8;
const NEAREST: usize = 3;

/// The known names for a message about an unknown one, and which may have been meant; see
/// [`nearest_names`].
pub fn known_names<'a>(
    unknown: &str,
    known: impl IntoIterator<Item = &'a str>,
    all: Option<&str>,
) -> String {
    let names: Vec<_> = known.into_iter().collect();
    nearest_names(unknown, names.iter().copied(), all) + &did_you_mean(unknown, names)
}

/// The known names for a message about an unknown one. Of a long list it has the nearest, and
/// `all`, the command that shows the others.
pub fn nearest_names<'a>(
    unknown: &str,
    known: impl IntoIterator<Item = &'a str>,
    all: Option<&str>,
) -> String {
    let mut names: Vec<_> = known.into_iter().collect();
    let count = names.len();
    if count <= MOST_NAMES {
        return names.join(", ");
    }
    // Stable: of names that are equally near the first in the list.
    names.sort_by_key(|name| strsim::damerau_levenshtein(unknown, name));
    let nearest = names[..NEAREST].join(", ");
    match all {
        Some(command) => format!("{nearest}, ... ({command} shows all {count})"),
        None => format!("{nearest} and {} more", count - NEAREST),
    }
}

#[cfg(test)]
mod tests {
    use super::{did_you_mean, known_names};

    #[test]
    fn long_list_shows_the_nearest_names_and_the_command_for_the_others() {
        let names = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
        let all = Some("duet list numbers");
        let eight = known_names("tree", names[..8].iter().copied(), all);
        assert_eq!(eight, "one, two, three, four, five, six, seven, eight; did you mean three?");
        // Letters to change: three 1; one, two and five 3; the first of these in the list come
        // first.
        let expected = "three, one, two, ... (duet list numbers shows all 9); did you mean three?";
        assert_eq!(known_names("tree", names, all), expected);
        assert_eq!(known_names("x", names, None), "six, one, two and 6 more");
    }

    #[test]
    fn nearest_name_is_offered_and_a_far_one_is_not() {
        let known = ["stc-8cu", "stc-8cu-small", "stc-16cu-small"];
        assert_eq!(did_you_mean("stc-8cu-smal", known), "; did you mean stc-8cu-small?");
        assert_eq!(did_you_mean("stc8cu", known), "; did you mean stc-8cu?");
        assert_eq!(did_you_mean("sct-8cu", known), "; did you mean stc-8cu?");
        assert_eq!(did_you_mean("rec-4gpu", known), "");
        assert_eq!(did_you_mean("", known), "");
    }
}
