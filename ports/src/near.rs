//! Names that somebody may have meant.

/// `; did you mean NAME?` with the known name nearest to one that is unknown; nothing where none
/// is near: where more than a third of the letters would have to change.
pub fn did_you_mean<'a>(unknown: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let most = (unknown.chars().count() / 3).max(1);
    let distance = |name: &&str| strsim::damerau_levenshtein(unknown, name);
    let near = known.into_iter().filter(|name| distance(name) <= most).min_by_key(distance);
    near.map_or(String::new(), |name| format!("; did you mean {name}?"))
}

#[cfg(test)]
mod tests {
    use super::did_you_mean;

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
