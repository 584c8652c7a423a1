//! Why a trace cannot be read, written or made.

use std::io;

/// An error of the trace layer. Offsets are bytes from the start of the file.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The operating system refused.
    #[error("{file}: {source}")]
    Io {
        /// File.
        file: String,
        /// Its answer.
        source: io::Error,
    },
    /// The file is not what it should be.
    #[error("{file}, offset {offset}: expected {expected}")]
    Damaged {
        /// File.
        file: String,
        /// Where.
        offset: u64,
        /// What should stand there.
        expected: String,
    },
    /// A text file is not what it should be.
    #[error("{file}:{line}: expected {expected}")]
    Text {
        /// File.
        file: String,
        /// Line, from 1.
        line: u64,
        /// What should stand there.
        expected: String,
    },
    /// A program did what a trace cannot hold.
    #[error("{file}: {what}")]
    Program {
        /// Trace that is being made.
        file: String,
        /// What the program did, and the limit.
        what: String,
    },
}

impl Error {
    /// For `map_err`: names the file.
    pub(crate) fn io(file: &str) -> impl Fn(io::Error) -> Self + '_ {
        move |source| Self::Io { file: file.to_string(), source }
    }

    pub(crate) fn damaged(file: &str, offset: u64, expected: impl Into<String>) -> Self {
        Self::Damaged { file: file.to_string(), offset, expected: expected.into() }
    }

    pub(crate) fn program(file: &str, what: impl Into<String>) -> Self {
        Self::Program { file: file.to_string(), what: what.into() }
    }
}
