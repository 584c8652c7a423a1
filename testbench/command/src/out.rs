//! Standard output and standard error of the command. The macros here take the place of the
//! standard library's, which panic where a stream cannot be written.
//!
//! A reader who closes the pipe (`duet list | head -1`) has seen enough: the command ends without a
//! word, with the status that `SIGPIPE` would have given it. Where results cannot be written for
//! another reason, it ends with status 5. What cannot be written to standard error is lost.

use std::fmt::Arguments;
use std::io::{self, ErrorKind, Write};

use crate::cli::ENVIRONMENT;
use crate::ending::end;

/// Exit status of a command whose reader has gone: 128 and the number of `SIGPIPE`.
const NO_READER: u8 = 128 + 13;

/// Writes to standard output.
pub fn put(text: Arguments) {
    check(io::stdout().write_fmt(text));
}

/// Writes what standard output still holds.
pub fn flush() {
    check(io::stdout().flush());
}

/// Writes to standard error.
pub fn tell(text: Arguments) {
    let _ = io::stderr().write_fmt(text);
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
