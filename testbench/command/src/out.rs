//! Standard output and standard error of the command. The macros here take the place of the
//! standard library's, which panic where a stream cannot be written.
//!
//! A reader who closes the pipe (`duet list | head -1`) has seen enough: the command ends without a
//! word, with the status that `SIGPIPE` would have given it. Where results cannot be written for
//! another reason, it ends with status 5. What cannot be written to standard error is lost.
//!
//! Names come from files of others: a character that a terminal would obey is shown by its number.

use std::borrow::Cow;
use std::fmt::Arguments;
use std::io::{self, ErrorKind, Write};

use ports::is_hidden;

use crate::cli::ENVIRONMENT;
use crate::ending::end;

/// Exit status of a command whose reader has gone: 128 and the number of `SIGPIPE`.
const NO_READER: u8 = 128 + 13;

/// Writes to standard output.
pub fn put(text: Arguments) {
    check(io::stdout().write_all(visible(&text.to_string()).as_bytes()));
}

/// Writes what standard output still holds.
pub fn flush() {
    check(io::stdout().flush());
}

/// Writes to standard error.
pub fn tell(text: Arguments) {
    let _ = io::stderr().write_all(visible(&text.to_string()).as_bytes());
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
