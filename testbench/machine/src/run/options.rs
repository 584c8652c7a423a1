//! How a program is run.

use crate::check::sequential::Keep;
use crate::engine::Cycle;

/// In which order the components of a cycle are visited. A result never depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// By number.
    #[default]
    Numbers,
    /// Shuffled in each cycle, from a seed.
    Shuffled(u64),
}

/// Cycles that a way takes longer at most where a run is perturbed.
pub const NOISE: u32 = 3;

/// How to run; none of it changes a result, but for `perturb`, `sample` and `cold` cycles.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Most cycles; 0 for as many as the networks can count, 2^43.
    pub max_cycles: Cycle,
    /// Order of visits.
    pub order: Order,
    /// Visit every component in every cycle.
    pub visit_all: bool,
    /// A byte whose life is recorded.
    pub watch: Option<u64>,
    /// All of its line instead.
    pub watch_line: bool,
    /// Keep what each kernel costs.
    pub by_kernel: bool,
    /// Keep what each launch costs: [`Machine::kernel_uses`] has one entry for each.
    pub by_launch: bool,
    /// Every so many cycles in which something happens the lines that L1s promise to hold as their
    /// L2 does are compared; 0: never.
    pub compare_lines: u64,
    /// Whether the run is sequentially consistent is checked, where the machine promises that.
    pub sequential: Option<Keep>,
    /// Keep what each load and atomic finds ([`Machine::values`]).
    pub values: bool,
    /// From this seed each way between two components gets up to [`NOISE`] cycles more at each
    /// kernel: a run that differs from others by nothing that a design could mean.
    pub perturb: Option<u64>,
    /// Threads that simulate the machine; 0 is 1. One simulates a machine that has no such parts,
    /// and one that a report or a waveform observes as a whole.
    pub threads: u8,
    /// Several threads only where a trial on one finds that they are faster.
    pub trial: bool,
    /// Launches that repeat are simulated in part; the order of accesses is not checked. What the
    /// program costs is an estimate ([`Machine::estimate`]).
    pub sample: bool,
    /// Each kernel begins with caches that hold nothing, as profilers measure a kernel, unless
    /// [`Machine::why_not_cold`] says why not.
    pub cold: bool,
}
