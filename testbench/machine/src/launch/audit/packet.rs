//! The record of a packet, and of the operations on L2s for it.

use std::fmt::{self, Display, Formatter};

use hwmodel::cpelide::chiplet_coherence_table::Reason;

use crate::engine::Cycle;

/// Chiplets, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Chiplets(pub u16);

impl Chiplets {
    /// How many.
    pub fn count(self) -> u32 {
        self.0.count_ones()
    }
}

impl Display for Chiplets {
    /// `0-2,5`; `-` for none.
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let has = |i: u32| i < 16 && self.0 >> i & 1 == 1;
        let starts = (0..16).filter(|&i| has(i) && (i == 0 || !has(i - 1)));
        let run = |first: u32| match (first..).take_while(|&i| has(i)).last() {
            Some(last) if last > first => format!("{first}-{last}"),
            _ => first.to_string(),
        };
        let runs: Vec<_> = starts.map(run).collect();
        f.write_str(if runs.is_empty() { "-" } else { "" })?;
        f.write_str(&runs.join(","))
    }
}

/// Operations on L2s that were asked for together: before a kernel, after it, or by a barrier.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Operations {
    /// Released.
    pub release: Chiplets,
    /// Acquired.
    pub acquire: Chiplets,
    /// When the first request left the command processor, and when the last acknowledgement was
    /// there.
    pub requested: Option<Cycle>,
    /// Likewise.
    pub acknowledged: Option<Cycle>,
    /// Lines that the releases wrote back.
    pub lines_written_back: u64,
    /// The rules that were applied, also those that asked for nothing; none without a table.
    pub reasons: Vec<Reason>,
}

/// What became of a packet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Packet {
    /// GPU.
    pub gpu: u16,
    /// Number among the GPU's packets.
    pub number: u64,
    /// Number of the kernel; `None` for a barrier.
    pub kernel: Option<u32>,
    /// Tag of the kernel, once it is launched.
    pub tag: Option<u8>,
    /// Where the kernel runs.
    pub chiplets: Chiplets,
    /// When the host handed it over.
    pub submitted: Cycle,
    /// When it was the oldest packet of its stream that was not complete.
    pub turn: Cycle,
    /// Before the kernel.
    pub before: Operations,
    /// When LAUNCH_EN left the command processor.
    pub enabled: Option<Cycle>,
    /// When LAUNCH_EN was at the last of the kernel's chiplets.
    pub launched: Option<Cycle>,
    /// When the first work-group was dispatched, and when the last one had ended.
    pub ran: Option<[Cycle; 2]>,
    /// When the last chiplet had reported the kernel's end.
    pub ended: Option<Cycle>,
    /// After the kernel.
    pub after: Operations,
    /// When the completion signal was written.
    pub completed: Cycle,
    /// When the host saw it: what was stored to other GPUs had arrived.
    pub visible: Cycle,
    /// Cycles of the processor's clock in steps 1 to 7; 0 where the firmware is called directly.
    pub firmware_cycles: u32,
    /// It was decided while the kernel before ran.
    pub is_ahead: bool,
    /// Error codes.
    pub errors: Vec<u8>,
}

impl Packet {
    /// Cycles from the first message that a launch's L2s or, without operations, CUs wait for, to
    /// the start: what section 5.7 of the CPElide specification calls the critical path. None for a
    /// barrier.
    pub fn critical_path(&self) -> Option<Cycle> {
        let from = self.before.requested.or(self.enabled)?;
        Some(self.launched? - from)
    }

    /// Releases and acquires sent for it, one for each chiplet.
    pub fn sent(&self) -> [u32; 2] {
        let both =
            |of: fn(&Operations) -> Chiplets| of(&self.before).count() + of(&self.after).count();
        [both(|o| o.release), both(|o| o.acquire)]
    }
}
