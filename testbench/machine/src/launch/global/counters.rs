//! Counters of a GPU's command processors.

use ports::cpelide::types::kind;

use super::Global;
use crate::engine::Cycle;

/// Where a launch's time went.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counters {
    /// Packets, and those of them that launch no kernel.
    pub packets: u64,
    pub barriers: u64,
    /// Chiplets asked for a release, and for an acquire.
    pub releases: u64,
    pub acquires: u64,
    pub lines_written_back: u64,
    /// Of the releases, those that wrote nothing back; of the acquires, those that dropped no line.
    pub idle_releases: u64,
    pub idle_acquires: u64,
    /// Steps of each packet. Cycles from a packet, or the completion of the packet before of its
    /// stream, to the message that enables its launch.
    pub launch_cycles: u64,
    /// Of launches with operations: cycles from the first request to an L2 to the launch.
    pub sync_cycles: u64,
    /// Cycles from enabling a launch to the last chiplet's DONE.
    pub kernel_cycles: u64,
    /// Cycles from the last chiplet's DONE, or from a barrier's packet, to where the host sees the
    /// completion.
    pub release_cycles: u64,
    /// Error codes, and the last one.
    pub errors: u64,
    pub last_error: u8,
}

impl Global {
    pub(super) fn count(&mut self, now: Cycle) {
        let c = &mut self.counters;
        // Cycles since the last step of the packet whose messages have this tag.
        let mut step = |tag: u8| {
            let launch = self.auditor.kernel(tag).map_or(0, |kernel| usize::from(kernel.launch));
            let flight = self.flights[launch].as_mut();
            flight.map_or(0, |flight| now - std::mem::replace(&mut flight.since, now))
        };
        if let Some(tx) = self.shown.host.tx.filter(|_| self.shown.crossbar.tx_ready) {
            let chiplets = u64::from(tx.dst.count_ones());
            match tx.msg.kind {
                kind::SYNC_REQ => {
                    c.releases += if tx.msg.a & 1 == 1 { chiplets } else { 0 };
                    c.acquires += if tx.msg.a & 2 == 2 { chiplets } else { 0 };
                    self.syncing += tx.dst.count_ones();
                }
                kind::LAUNCH_EN => {
                    c.launch_cycles += step(tx.msg.tag);
                    self.launched += tx.dst.count_ones();
                }
                _ => {}
            }
        }
        if let Some(rx) = self.shown.crossbar.rx.filter(|_| self.shown.host.rx_ready) {
            match rx.kind {
                kind::ACK => {
                    c.lines_written_back += u64::from(rx.b);
                    self.syncing = self.syncing.saturating_sub(1);
                }
                kind::DONE => {
                    c.kernel_cycles += step(rx.tag);
                    self.launched = self.launched.saturating_sub(1);
                    self.begun = self.begun.saturating_sub(1);
                }
                _ => {}
            }
        }
        if let Some(code) = self.shown.host.err {
            c.errors += 1;
            c.last_error = code;
        }
    }
}
