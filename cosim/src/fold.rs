//! Long lines of reports, folded at words.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Columns of a report, unless a terminal has others.
const COLUMNS: usize = 100;
/// Least columns that a report is folded to.
const LEAST: usize = 40;

static TERMINAL: AtomicUsize = AtomicUsize::new(COLUMNS);

/// Reports are shown on a terminal with so many columns.
pub fn set_columns(columns: usize) {
    TERMINAL.store(columns.max(LEAST), Ordering::Relaxed);
}

/// Columns of a report.
pub fn columns() -> usize {
    TERMINAL.load(Ordering::Relaxed)
}

/// How a line goes on in the next one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Prose and values. A value that is longer than a line is divided between groups of digits.
    Text,
    /// A command: a backslash ends each line but the last, so that a shell reads one command.
    Command,
}

/// The same in lines of at most [`columns`], all but the first after `indent` spaces. Any
/// other word that is longer than a line, as a path may be, stands alone.
pub fn fold(line: &str, indent: usize, style: Style) -> String {
    fold_to(columns(), line, indent, style)
}

fn fold_to(wide: usize, line: &str, indent: usize, style: Style) -> String {
    if width(line) <= wide {
        return line.to_string();
    }
    let joint = if style == Style::Command { " \\" } else { "" };
    let most = wide - joint.len();
    let text = line.trim_start();
    let mut columns = line.len() - text.len();
    let mut folded = line[..columns].to_string();
    for (at, (blanks, piece)) in pieces(text, most - indent, style).into_iter().enumerate() {
        let is_full = at > 0 && columns + blanks + width(piece) > most;
        let blanks = if is_full { indent } else { blanks };
        if is_full {
            folded += joint;
            folded.push('\n');
            columns = 0;
        }
        folded += &" ".repeat(blanks);
        folded += piece;
        columns += blanks + width(piece);
    }
    folded
}

/// What a text may be folded between, each with the blanks before it: words, and groups of digits
/// of a value that is wider than `most`.
fn pieces(text: &str, most: usize, style: Style) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut rest = text;
    loop {
        let word = rest.trim_start_matches(' ');
        let blanks = rest.len() - word.len();
        if word.is_empty() {
            return found;
        }
        let (word, after) = word.split_at(word.find(' ').unwrap_or(word.len()));
        let digits = word.find("0x").filter(|_| style == Style::Text && width(word) > most);
        let first = digits.and_then(|at| Some(at + word[at..].find('_')? + 1));
        let (first, others) = word.split_at(first.unwrap_or(word.len()));
        found.push((blanks, first));
        found.extend(others.split_inclusive('_').map(|group| (0, group)));
        rest = after;
    }
}

fn width(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_line_stays_and_a_long_one_is_folded_at_words_with_an_indent() {
        let line = "x".repeat(100);
        assert_eq!(fold(&line, 4, Style::Text), line);
        let words = ["  in  ", &"a".repeat(90), "bb", "ccc"].join(" ");
        // 97 columns, and three for the next word.
        let expected = format!("  in   {} bb\n    ccc", "a".repeat(90));
        assert_eq!(fold(&words, 4, Style::Text), expected);
        // The last column is used, and blanks at a fold go.
        let full = format!("{}   {}", "a".repeat(93), "b".repeat(4));
        assert_eq!(fold(&full, 2, Style::Text), full);
        let over = format!("{}   {}", "a".repeat(93), "b".repeat(5));
        assert_eq!(fold(&over, 2, Style::Text), format!("{}\n  bbbbb", "a".repeat(93)));
    }

    #[test]
    fn a_terminal_has_its_own_width() {
        let line = ["word"; 30].join(" ");
        assert_eq!(fold_to(149, &line, 2, Style::Text), line);
        let folded = fold_to(49, &line, 2, Style::Text);
        assert_eq!(folded.lines().map(str::len).collect::<Vec<_>>(), [49, 46, 46, 11]);
    }

    #[test]
    fn value_is_divided_between_groups_of_digits_and_a_path_is_not() {
        let digits = vec!["0123"; 30].join("_");
        let folded = fold(&format!("  in data_of_it=0x{digits} b"), 8, Style::Text);
        let lines: Vec<_> = folded.lines().collect();
        assert!(lines.iter().all(|line| line.len() <= COLUMNS), "{folded}");
        assert!(lines[0].starts_with("  in data_of_it=0x0123_") && lines[0].ends_with("_"));
        let joined: String = lines.iter().map(|line| line.trim_start()).collect();
        assert_eq!(joined, format!("in data_of_it=0x{digits} b"));
        let path = format!("out/{}", "a_b/0x".repeat(30));
        let folded = fold(&format!("waves {path}"), 8, Style::Command);
        assert_eq!(folded, format!("waves \\\n        {path}"));
    }

    #[test]
    fn shell_reads_one_command() {
        let command = "  rerun  ".to_string() + &vec!["word"; 60].join(" ");
        let folded = fold(&command, 11, Style::Command);
        assert!(folded.lines().count() > 3);
        assert!(folded.lines().all(|line| line.len() <= COLUMNS), "{folded}");
        let words: Vec<_> = folded.split_whitespace().filter(|word| *word != "\\").collect();
        assert_eq!(words, command.split_whitespace().collect::<Vec<_>>());
        let (last, others) =
            folded.lines().collect::<Vec<_>>().split_last().map(|(a, b)| (*a, b.to_vec())).unwrap();
        assert!(others.iter().all(|line| line.ends_with(" \\")) && !last.ends_with('\\'));
    }
}
