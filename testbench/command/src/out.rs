//! Standard output and standard error of the command. The macros here take the place of the
//! standard library's, which panic where a stream cannot be written.
//!
//! A reader who closes the pipe (`duet list | head -1`) has seen enough: the command ends without a
//! word, with the status that `SIGPIPE` would have given it. Where results cannot be written for
//! another reason, it ends with status 5. What cannot be written to standard error is lost.
//!
//! Names come from files of others: a character that a terminal would obey is shown by its number.

use std::borrow::Cow;
use std::env;
use std::fmt::Arguments;
use std::fs::File;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::sync::OnceLock;

use ports::is_hidden;

use crate::cli::ENVIRONMENT;
use crate::ending::end;

/// Exit status of a command whose reader has closed the pipe: 128 and the number of `SIGPIPE`.
const NO_READER: u8 = 128 + 13;

/// Writes to standard output.
pub fn put(text: Arguments) {
    static IS_COLOURED: OnceLock<bool> = OnceLock::new();
    let is_coloured = *IS_COLOURED.get_or_init(|| takes_colour(&io::stdout()));
    check(io::stdout().write_all(shown(&text.to_string(), is_coloured).as_bytes()));
}

/// Writes what standard output still holds.
pub fn flush() {
    check(io::stdout().flush());
}

/// Writes to standard error.
pub fn tell(text: Arguments) {
    static IS_COLOURED: OnceLock<bool> = OnceLock::new();
    let is_coloured = *IS_COLOURED.get_or_init(|| takes_colour(&io::stderr()));
    let _ = io::stderr().write_all(shown(&text.to_string(), is_coloured).as_bytes());
}

/// True where both streams are one terminal, pipe or file: they are read as one text.
pub fn is_one_stream() -> bool {
    let place = |stream: &dyn AsFd| {
        let file = File::from(stream.as_fd().try_clone_to_owned().ok()?);
        file.metadata().ok().map(|found| (found.dev(), found.ino(), found.rdev()))
    };
    let (stdout, stderr) = (io::stdout(), io::stderr());
    place(&stdout).is_some_and(|of| place(&stderr) == Some(of))
}

/// Columns of the terminal that standard output is, if it is one that has a width.
pub fn terminal_columns() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(io::stdout()).ok()?;
    (size.ws_col > 0).then_some(size.ws_col.into())
}

/// A terminal whose user has not refused colour (no-color.org).
fn takes_colour(stream: &impl IsTerminal) -> bool {
    let is_refused = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    stream.is_terminal() && !is_refused && env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// The first words of lines that have a colour, and the colour: bold green or red, yellow.
const COLOURS: [(&str, &str); 6] = [
    ("PASS", "1;32"),
    ("FAIL", "1;31"),
    ("MISMATCH", "1;31"),
    ("ASSERTION", "1;31"),
    ("duet: warning:", "1;33"),
    ("duet:", "1;31"),
];

/// A text as a stream gets it.
fn shown(text: &str, is_coloured: bool) -> Cow<'_, str> {
    let visible = visible(text);
    if !is_coloured {
        return visible;
    }
    let line = |line: &str| {
        let has_word = |(word, _): &&(&str, &str)| {
            line.strip_prefix(*word).is_some_and(|rest| rest.starts_with(' '))
        };
        match COLOURS.iter().find(has_word) {
            Some((word, colour)) => {
                format!("\u{1b}[{colour}m{word}\u{1b}[0m{}", &line[word.len()..])
            }
            None => line.to_string(),
        }
    };
    visible.split_inclusive('\n').map(line).collect()
}

/// A text without what a terminal would obey, but for the ends of lines and tabulators.
pub fn visible(text: &str) -> Cow<'_, str> {
    let is_seen = |c: char| matches!(c, '\n' | '\t') || !is_hidden(c);
    if text.chars().all(is_seen) {
        return text.into();
    }
    let each = |c: char| if is_seen(c) { c.to_string() } else { c.escape_unicode().to_string() };
    text.chars().map(each).collect()
}

/// Ends the command where standard output was not written.
pub fn check(written: io::Result<()>) {
    match written {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::BrokenPipe => end(NO_READER),
        Err(error) => {
            tell(format_args!("duet: standard output: {error}\n"));
            end(ENVIRONMENT);
        }
    }
}

macro_rules! print {
    ($($part:tt)*) => { $crate::out::put(format_args!($($part)*)) };
}

macro_rules! println {
    () => { $crate::out::put(format_args!("\n")) };
    ($($part:tt)*) => {
        $crate::out::put(format_args!("{}\n", format_args!($($part)*)))
    };
}

macro_rules! eprint {
    ($($part:tt)*) => { $crate::out::tell(format_args!($($part)*)) };
}

macro_rules! eprintln {
    ($($part:tt)*) => {
        $crate::out::tell(format_args!("{}\n", format_args!($($part)*)))
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_have_a_colour_at_the_beginning_of_a_line_alone() {
        let text = "PASS a: FAIL b\nFAIL a\n  PASS a\nPASSED\nduet: x\nduet: warning: y\n";
        let expected = "\u{1b}[1;32mPASS\u{1b}[0m a: FAIL b\n\u{1b}[1;31mFAIL\u{1b}[0m a\n  PASS \
                        a\nPASSED\n\u{1b}[1;31mduet:\u{1b}[0m x\n\u{1b}[1;33mduet: \
                        warning:\u{1b}[0m y\n";
        assert_eq!(shown(text, true), expected);
        assert_eq!(shown(text, false), text);
        // What a name brings stays visible.
        assert_eq!(shown("PASS \u{1b}[2J", true), "\u{1b}[1;32mPASS\u{1b}[0m \\u{1b}[2J");
    }

    #[test]
    fn what_a_terminal_would_obey_is_shown_by_its_number() {
        for (text, shown) in [
            ("plain \t\u{e4}\u{6f22}\n", "plain \t\u{e4}\u{6f22}\n"),
            ("\u{1b}[2J", "\\u{1b}[2J"),
            ("a\r\u{8}\u{7f}\u{9b}0m\0", "a\\u{d}\\u{8}\\u{7f}\\u{9b}0m\\u{0}"),
            ("\u{202e}txt\u{2066}\u{2028}", "\\u{202e}txt\\u{2066}\\u{2028}"),
        ] {
            assert_eq!(visible(text), shown);
        }
    }
}
