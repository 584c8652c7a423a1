//! Where RTL differs from the RTL in this program: hunks of lines, without comments and blanks.

use std::ops::RangeInclusive;

use bodies::Sources;
use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::rtl::{without_comments, words};
use super::rules::stem;

/// Lines of two files that are compared; longer files are one hunk from their first difference on.
const MOST_LINES: usize = 20_000;

/// Lines of the longest change of a statement.
const SMALL: usize = 4;

/// Lines that stand in place of others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// `<folder>/<name>`.
    pub path: String,
    /// The first line, from 1; where lines are removed, the one after them, if there is one.
    pub line: usize,
    /// Behind that line, which is the file's last.
    is_at_end: bool,
    /// The lines that are there now, from the first to the last.
    now: Vec<Line>,
    /// The lines that were there before.
    before: Vec<Line>,
}

/// A line that is more than a comment.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Line {
    /// From 1.
    number: usize,
    /// As it stands in the file, without indent.
    text: String,
    /// Without comments.
    code: String,
}

impl Hunk {
    /// What the report says of it.
    pub fn text(&self) -> String {
        if let Some(first) = self.now.first() {
            return first.text.clone();
        }
        let first = self.before.first().map_or("", |line| &line.text);
        let side = if self.is_at_end { "after" } else { "before" };
        let more = match self.before.len() {
            0 | 1 => String::new(),
            lines => format!(" (and {} more)", lines - 1),
        };
        format!("lines removed {side} this one: {first}{more}")
    }

    /// It is no more than the change of a statement.
    pub fn is_small(&self) -> bool {
        self.now.len().max(self.before.len()) <= SMALL
    }

    /// Its lines, or the lines that it removes, name this signal, given without direction and `_q`.
    pub fn names(&self, name: &str) -> bool {
        let lines = self.now.iter().chain(&self.before);
        lines.flat_map(|line| words(&line.code)).any(|word| stem(word) == name)
    }

    /// It changes a statement in these lines of the file.
    pub fn is_in(&self, path: &str, lines: &RangeInclusive<usize>) -> bool {
        let changes = match self.now.last() {
            Some(last) => self.line <= *lines.end() && last.number >= *lines.start(),
            // A whole statement that is gone is no part of the one behind it.
            None => lines.contains(&self.line) && !self.before.iter().any(|l| l.code.contains(';')),
        };
        changes && self.path == path
    }
}

/// The hunks of a block's files; none where the program has no RTL of the block.
pub fn of_block(sources: &Sources, block: &str) -> Vec<Hunk> {
    if sources.folder().is_none() {
        return Vec::new();
    }
    let (Ok(now), Ok(before)) = (sources.of_block(block), Sources::built_in().of_block(block))
    else {
        return Vec::new();
    };
    let hunks = now.iter().flat_map(|file| {
        let old = before.iter().find(|old| old.path == file.path);
        let old = old.map_or(&[][..], |old| &old.content);
        hunks(&file.path, &String::from_utf8_lossy(&file.content), &String::from_utf8_lossy(old))
    });
    hunks.collect()
}

/// Where a file differs from what it was.
pub fn hunks(path: &str, now: &str, before: &str) -> Vec<Hunk> {
    let [now, before] = [lines(now), lines(before)];
    let [new, old] = [&now, &before].map(|lines| {
        let keys = lines.iter().map(|l| l.code.split_whitespace().collect::<String>());
        keys.collect::<Vec<_>>()
    });
    let changes = if new.len() + old.len() <= MOST_LINES {
        capture_diff_slices(Algorithm::Patience, &old, &new)
    } else {
        let same = new.iter().zip(&old).take_while(|(new, old)| new == old).count();
        let (old_len, new_len) = (old.len() - same, new.len() - same);
        vec![DiffOp::Replace { old_index: same, old_len, new_index: same, new_len }]
    };
    let changes = changes.into_iter().filter(|change| !matches!(change, DiffOp::Equal { .. }));
    let hunks = changes.map(|change| {
        let (gone, stands) = (change.old_range(), change.new_range());
        let at = now.get(stands.start).or(now.last());
        Hunk {
            path: path.to_string(),
            is_at_end: stands.start == now.len(),
            line: at.map_or(1, |line| line.number),
            now: now[stands].to_vec(),
            before: before[gone].to_vec(),
        }
    });
    hunks.collect()
}

/// The lines of a text that are more than a comment.
fn lines(text: &str) -> Vec<Line> {
    let code = without_comments(text);
    let both = text.lines().zip(code.lines()).enumerate();
    let lines = both.map(|(i, (text, code))| Line {
        number: i + 1,
        text: text.trim().to_string(),
        code: code.trim().to_string(),
    });
    lines.filter(|line| !line.code.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &str = "\
module a;
  assign b = c;
  if (d) e = f;
  assign g = h;  // note
  assign i = j;
endmodule
";

    fn shown(now: &str) -> Vec<String> {
        let hunks = hunks("a/a.sv", now, BEFORE);
        hunks.iter().map(|hunk| format!("{}: {}", hunk.line, hunk.text())).collect()
    }

    #[test]
    fn comments_and_blanks_are_no_change() {
        let now = "// A header:\n// \"two lines\"\n\nmodule a;\n  assign   b=c;\n/* a\n   b */\n  \
                   if ( d ) e = f; // other\n  assign g = h;\n\n  assign i = j;\nendmodule\n";
        assert_eq!(shown(now), [""; 0]);
    }

    #[test]
    fn each_hunk_has_its_line() {
        let now = "// header\nmodule a;\n  assign b = d; // why\n  if (d) e = f;\n  \
                   assign g = h;\n  assign i = k;\n  assign l = m;\nendmodule\n";
        assert_eq!(shown(now), ["3: assign b = d; // why", "6: assign i = k;"]);
    }

    #[test]
    fn removed_lines_stand_before_the_one_that_follows() {
        let now = BEFORE.replace("  if (d) e = f;\n", "\n// gone\n");
        assert_eq!(shown(&now), ["5: lines removed before this one: if (d) e = f;"]);
        let now = now.replace("  assign g = h;  // note\n", "");
        let text = "5: lines removed before this one: if (d) e = f; (and 1 more)";
        assert_eq!(shown(&now), [text]);
        let now = BEFORE.replace("endmodule\n", "");
        assert_eq!(shown(&now), ["5: lines removed after this one: endmodule"]);
    }

    #[test]
    fn long_files_are_one_hunk_from_the_first_difference_on() {
        let before = "a;\n".repeat(MOST_LINES / 2);
        let now = format!("a;\na;\nb;\n{before}");
        let found = hunks("a.sv", &now, &before);
        assert_eq!(
            found.iter().map(|h| (h.line, h.text())).collect::<Vec<_>>(),
            [(3, "b;".to_string())]
        );
        assert!(found[0].names("b") && found[0].is_in("a.sv", &(4..=5)));
    }

    #[test]
    fn a_statement_is_changed_by_its_lines_and_by_a_condition_that_is_gone() {
        let [hunk] = &hunks("a.sv", "if (a)\n  b = d;\nc = d;\n", "if (a)\n  b = c;\nc = d;\n")[..]
        else {
            panic!("one hunk")
        };
        assert!(hunk.is_in("a.sv", &(1..=2)) && hunk.is_in("a.sv", &(2..=2)));
        assert!(!hunk.is_in("a.sv", &(3..=3)) && !hunk.is_in("b.sv", &(1..=2)));
        assert!(hunk.names("b") && hunk.names("c") && !hunk.names("a"));
        let gone = hunks("a.sv", "x = y;\nb = c;\n", "x = y;\nif (a)\nb = c;\n");
        assert!(gone[0].is_in("a.sv", &(2..=2)));
        let whole = hunks("a.sv", "x = y;\nb = c;\n", "x = y;\nb = d;\nb = c;\n");
        assert!(!whole[0].is_in("a.sv", &(2..=2)) && whole[0].names("b"));
    }
}
