//! Finds a run in which a component polls for what never comes.
//!
//! Where no component can continue, none has a wake-up ahead, and the run ends at once. But two
//! kinds of component are ticked in every cycle of their clock as long as they have something in
//! hand, whether it moves or not: the gate, and a bank, CU or unit with a busy block of a design.
//! So every some steps the watchdog looks at the whole machine. It reports a deadlock when in two
//! looks that follow each other
//!
//! - no other component has a visit ahead, and none at all has one beyond the time wheel's buckets
//!   ([`has_far`](crate::engine::Wheel::has_far)); and
//! - nothing has been sent, taken, issued or checked between them, nor has anything left a GPU.
//!
//! No machine that goes on is reported. A component that waits for a time has a wake-up
//! in the cycle in which that is over: a wave behind a long gap, a memory channel or a link between
//! chiplets of any slowness, a command processor, and the receiver of a message. So neither
//! gaps that the time wheel skips nor long waits are taken for a standstill, however often the gate
//! or a bank is ticked meanwhile: because a window of them is shown, say. What is left at the first
//! look happens within the buckets, within the gate, or within a directory's block, and ends in
//! something that is counted. There are at least as many cycles as steps between two looks, which
//! is at least
//!
//! - [`LINK_CYCLES`] of the links, whatever the machine's clock: far more than any time that the
//!   gate measures. The longest is a link's latency, 100 000 at most; then a write queue's timeout,
//!   65 535, the start of a copy, 5000, and 4096 bytes at a byte in a cycle; and
//! - the directories' initial sweep, in which a block takes no request.

use super::{Machine, RunError};
use crate::build::part::Part;
use crate::config::System;
use crate::engine::{ComponentId, Cycle};
use crate::run::deadlock;

/// Cycles of the links between two looks.
const LINK_CYCLES: u64 = 1 << 20;

/// What changes with everything that moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pulse {
    /// Bytes sent by components inside the GPUs, and messages that were not taken.
    sent: (u64, u64),
    /// TLPs, and bytes of what comes back, between GPUs.
    between: u64,
    /// Instructions issued, work-groups started, loads and atomics checked.
    work: u64,
}

/// When it looks, and what it has seen.
#[derive(Debug)]
pub(super) struct Watchdog {
    /// Steps between two looks.
    pub(super) every: u64,
    /// Step of the next look.
    next: u64,
    /// At the last look, where nothing was awaited: the cycle, and the pulse.
    silent: Option<(Cycle, Pulse)>,
}

impl Watchdog {
    pub(super) fn new(system: &System) -> Self {
        let clocks = u64::from(system.machine.clock_mhz.div_ceil(system.gpu_link.clock_mhz));
        // At most a row for each of these, and a row in a cycle.
        let sweep = system.directory.entries.max(system.directory.ideal_lines);
        let every = LINK_CYCLES * clocks + u64::from(sweep);
        Self { every, next: every, silent: None }
    }
}

impl Machine {
    /// Looks, where it is time. Errors: a deadlock.
    #[cold]
    pub(super) fn watch(&mut self) -> Result<(), RunError> {
        if self.steps < self.watchdog.next {
            return Ok(());
        }
        self.watchdog.next = self.steps + self.watchdog.every;
        let silent = (!self.awaits()).then(|| (self.ctx.now, self.pulse()));
        let before = std::mem::replace(&mut self.watchdog.silent, silent);
        if let Some(team) = &mut self.team {
            // What does not move stands still.
            let pulse = |look: (Cycle, Pulse)| look.1;
            team.is_silent = silent.is_some() && silent.map(pulse) == before.map(pulse);
            return Ok(());
        }
        let (Some((since, before)), Some((cycle, now))) = (before, silent) else { return Ok(()) };
        if before != now {
            return Ok(());
        }
        let report = deadlock::report(&self.ctx, &self.parts);
        let report = format!("nothing has moved since cycle {since} or before\n{report}");
        Err(RunError::Deadlock { cycle, report })
    }

    /// True where a component waits for a time.
    pub(super) fn awaits(&self) -> bool {
        let looks_again = |id: ComponentId| match self.parts[id.0 as usize] {
            Part::Gate(_) => true,
            Part::Bank(_) | Part::Core(_) | Part::Unit(_) => self.sockets.is_owner(id.0),
            _ => false,
        };
        self.ctx.wheel.has_far() || self.ctx.wheel.ahead().any(|id| !looks_again(id))
    }

    fn pulse(&self) -> Pulse {
        let mut between = 0;
        if let Some(gate) = self.gate() {
            for (c, link) in gate.counters(self.ctx.now) {
                between += link.tlps + c.completion_bytes + c.coherence_bytes;
            }
        }
        let checked = self.ctx.check.checked;
        let mut work = checked.loads + checked.atomics;
        for part in &self.parts {
            if let Part::Core(core) = part {
                work += core.counters.instructions + core.counters.groups;
            }
        }
        Pulse { sent: self.ctx.network.sent_and_held(), between, work }
    }
}
