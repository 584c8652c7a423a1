//! What the sockets of a system report to the system's driver.

use std::cell::Cell;

/// Seldom said, often asked.
#[derive(Debug, Default)]
pub struct Shared {
    /// Something is wrong with one of them.
    pub failed: Cell<bool>,
    /// The number of the one whose window has opened last.
    pub opened: Cell<Option<usize>>,
    /// A waveform shows one of them, or a bit of one is inverted.
    pub watched: Cell<bool>,
}
