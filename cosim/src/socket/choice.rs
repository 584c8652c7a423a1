//! Which body stands in which socket, chosen by patterns of places.

use wildmatch::WildMatch;

use crate::body::{BodyKind, Sight};
use crate::renamed;

/// Some places: those that it is equal to, where `*` stands for any text, `/` included, and `?` for
/// any character; and those of which it is equal to the end behind a `/`. So `packetizer` means all
/// packetizers, and `gpu0/*` everything in GPU 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    whole: WildMatch,
    end: WildMatch,
}

impl Pattern {
    /// Reads one; every text is legal.
    pub fn new(text: &str) -> Self {
        let text = &renamed::places(text);
        Self { whole: WildMatch::new(text), end: WildMatch::new(&format!("*/{text}")) }
    }

    /// Whether it means this place.
    pub fn matches(&self, place: &str) -> bool {
        self.whole.matches(place) || self.end.matches(place)
    }
}

/// The bodies of a system, and what is observed of them. Where several patterns mean a
/// place the last one counts; where none does, the model stands there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Choice {
    bodies: Vec<(Pattern, BodyKind)>,
    sights: Vec<(Pattern, Sight)>,
}

impl Choice {
    /// The same body everywhere.
    pub fn all(kind: BodyKind) -> Self {
        let mut choice = Self::default();
        choice.choose(Pattern::new("*"), kind);
        choice
    }

    /// Whether every place has the model, without anything to be seen of it.
    pub fn is_empty(&self) -> bool {
        self.bodies.is_empty() && self.sights.is_empty()
    }

    /// Chooses the body of some places.
    pub fn choose(&mut self, places: Pattern, kind: BodyKind) {
        self.bodies.push((places, kind));
    }

    /// Has the bodies of some places made so that this can be seen of them.
    pub fn look_at(&mut self, places: Pattern, sight: Sight) {
        self.sights.push((places, sight));
    }

    /// The body of a place.
    pub fn body(&self, place: &str) -> BodyKind {
        last(&self.bodies, place)
    }

    /// What is to be seen of a place.
    pub fn sight(&self, place: &str) -> Sight {
        last(&self.sights, place)
    }
}

fn last<T: Copy + Default>(of: &[(Pattern, T)], place: &str) -> T {
    of.iter().rfind(|(pattern, _)| pattern.matches(place)).map_or_else(T::default, |(_, t)| *t)
}

/// Places for a person: those that differ in their numbers alone stand together, as a pattern.
pub fn summary(places: impl IntoIterator<Item = impl AsRef<str>>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for place in places {
        let part = |part: &str| {
            let stem = part.trim_end_matches(|c: char| c.is_ascii_digit());
            format!("{stem}{}", if stem.len() < part.len() { "*" } else { "" })
        };
        let pattern = place.as_ref().split('/').map(part).collect::<Vec<_>>().join("/");
        if !all.contains(&pattern) {
            all.push(pattern);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    const BANK: &str = "gpu1/chiplet2/l2.bank0/coherence_directory";

    #[test]
    fn patterns_mean_whole_places_and_their_ends() {
        let means = |pattern: &str| Pattern::new(pattern).matches(BANK);
        assert!(means(BANK) && means("*") && means("coherence_directory"));
        assert!(means("gpu1/*/coherence_directory") && means("gpu?/*") && means("l2.bank0/*"));
        assert!(!means("gpu1") && !means("directory") && !means("gpu0/*") && !means("chiplet2"));
        // The end begins behind a `/`.
        assert!(!means("herence_directory") && means("*herence_directory"));
    }

    #[test]
    fn last_pattern_counts_and_the_model_is_the_default() {
        let mut choice = Choice::default();
        choice.choose(Pattern::new("gpu1/*"), BodyKind::Rtl);
        choice.choose(Pattern::new("coherence_directory"), BodyKind::Lockstep);
        assert_eq!(choice.body(BANK), BodyKind::Lockstep);
        assert_eq!(choice.body("gpu1/packetizer"), BodyKind::Rtl);
        assert_eq!(choice.body("gpu0/packetizer"), BodyKind::Model);
    }

    #[test]
    fn summary_is_made_of_patterns() {
        let places = ["gpu0/packetizer", "gpu1/packetizer", "gpu0/chiplet10/l2.bank3/x"];
        let summary = summary(places);
        assert_eq!(summary, ["gpu*/packetizer", "gpu*/chiplet*/l2.bank*/x"]);
        for (place, pattern) in [(places[1], &summary[0]), (places[2], &summary[1])] {
            assert!(Pattern::new(pattern).matches(place));
        }
    }
}
