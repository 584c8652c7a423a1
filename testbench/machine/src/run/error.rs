//! How a run can end but for passing.

use cosim::socket::Difference;
use traces::trace;

use crate::build::make::BuildError;
use crate::check::Wrong;
use crate::engine::Cycle;

/// Why a run did not pass.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The machine cannot be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// Model and RTL of a block differ, or an assertion has failed.
    #[error("{0}")]
    Differ(Box<Difference>),
    /// The trace cannot be read.
    #[error(transparent)]
    Trace(#[from] trace::Error),
    /// The program does not fit the machine.
    #[error("kernel {kernel}: {problem}")]
    Program {
        /// Name.
        kernel: String,
        /// What does not fit.
        problem: String,
    },
    /// Something of the system is too small for the program.
    #[error("{0}")]
    Limit(String),
    /// No component can continue.
    #[error("deadlock in cycle {cycle}\n{report}")]
    Deadlock {
        /// Last cycle in which a component was active.
        cycle: Cycle,
        /// Who waits for whom.
        report: String,
    },
    /// `--max-cycles`.
    #[error("not finished after {0} cycles, the limit")]
    CycleLimit(Cycle),
    /// The firmware of a command processor has halted.
    #[error("{0}")]
    Firmware(String),
    /// The firmware of a command processor traps, or accesses an address that no memory has.
    #[error("{0}")]
    Trap(String),
    /// A block of a design reports an error.
    #[error("{0}")]
    Block(String),
    /// The firmware has decided otherwise than the reference of the chiplet coherence table.
    #[error("{0}")]
    Decision(String),
    /// The machine itself is wrong.
    #[error("{messages} messages and {lines} payloads remain after the last kernel's release")]
    Lost {
        /// Messages that will not be taken.
        messages: usize,
        /// Payloads that were not freed.
        lines: usize,
    },
    /// A byte is wrong.
    #[error("{0}")]
    Wrong(String, Box<Wrong>),
    /// Threads that share a machine have done otherwise than one: duet itself is wrong.
    #[error("the run fails with several threads and succeeds with one")]
    Threads,
    /// No order of all accesses explains what a load has seen.
    #[error("{0}")]
    Inconsistent(String),
}
