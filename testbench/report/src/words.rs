//! Abbreviations, which say what they stand for where the pointer rests on them.

use maud::{Markup, html};

const MEANINGS: [(&str, &str); 15] = [
    ("ACK", "acknowledgement"),
    ("CP", "command processor"),
    ("CU", "compute unit"),
    ("CUs", "compute units"),
    ("DRAM", "the GPUs' memory"),
    ("GPU", "graphics processing unit"),
    ("GPUs", "graphics processing units"),
    ("L1", "first level cache, of a CU"),
    ("L1s", "first level caches, of CUs"),
    ("L2", "second level cache, of a chiplet"),
    ("L2s", "second level caches, of chiplets"),
    ("L3", "third level cache, of a GPU"),
    ("L3s", "third level caches, of GPUs"),
    ("TLP", "transaction layer packet of PCIe"),
    ("TLPs", "transaction layer packets of PCIe"),
];

/// A text with its abbreviations explained.
pub fn explained(text: &str) -> Markup {
    html! {
        @for (at, word) in text.split(' ').enumerate() {
            @if at > 0 { " " }
            @let plain = word.trim_matches(|c: char| !c.is_alphanumeric());
            @match MEANINGS.iter().find(|(short, _)| *short == plain) {
                Some((_, meaning)) => { abbr title=(meaning) { (word) } }
                None => { (word) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn abbreviations_are_explained_and_other_words_are_text() {
        let text = explained("reads at L2s, <b>").into_string();
        let meaning = "second level caches, of chiplets";
        assert_eq!(text, format!("reads at <abbr title=\"{meaning}\">L2s,</abbr> &lt;b&gt;"));
    }
}
