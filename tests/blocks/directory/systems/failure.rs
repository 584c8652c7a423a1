//! What the test has found.

use std::fmt;

/// What is checked in every step, or at rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// A copy is known to the directory, or something that ends or tells of it is in flight.
    LostSharer,
    /// No read returns something older than its GPU has seen or written.
    Coherence,
    /// No read returns something older than its thread knows by a release.
    MessagePassing,
    /// Copies are equal to memory when nothing is in flight.
    AtRest,
    /// Whatever is asked for comes.
    Progress,
    /// The ports: numbers, answers, model against RTL.
    Ports,
}

#[derive(Clone, Debug)]
pub struct Failure {
    pub check: Check,
    pub step: u64,
    /// The system and its seed.
    pub system: String,
    pub gpu: usize,
    /// Home and address.
    pub line: String,
    pub expected: String,
    pub found: String,
    /// Of the line.
    pub events: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { check, step, system, gpu, line, expected, found, events } = self;
        writeln!(f, "{check:?}: {system}, step {step}, GPU {gpu}, {line}")?;
        writeln!(f, "expected: {expected}\nfound: {found}\nlast events of the line:\n{events}")
    }
}
