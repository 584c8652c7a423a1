//! What became of each packet of a GPU: what was sent to its chiplets, when, and why.
//!
//! Under the chiplet coherence table the reference of the table is given the same packets and ends
//! of kernels, says the reasons, and must decide as the firmware did: the run ends where it does
//! not. Packets of several streams are under way together: it is given them in the order in which
//! the firmware decides, which is that of the first messages for launches, and of the first
//! operations or signals after kernels.

mod compare;
mod packet;

use std::collections::VecDeque;

use cosim::cpelide::aql::kind::KERNEL_DISPATCH;
use cosim::cpelide::{Conf, SyncMode};
use hwmodel::cpelide::chiplet_coherence_table as table;
use hwmodel::cpelide::chiplet_coherence_table::{
    Dispatch, Hidden, Outcome, Parameters, ReferenceTable, Share,
};
use ports::cpelide::types::{Aql, Message, SLOTS, Tx, kind};

use super::blocks::Outputs;
use super::global::Kernel;
use crate::engine::Cycle;
use compare::differ;
pub use packet::{Chiplets, Operations, Packet};

/// Launches that were decided.
const LAUNCHES: usize = 0;
/// Counters that no reference has: that of the hardware, and decisions ahead, kept and
/// made anew.
const CYCLES: usize = 8;
const AHEAD: usize = 12;
const ANEW: usize = 13;

/// Tag of a packet for which no message is sent.
const NO_TAG: u8 = u8::MAX;

/// Watches the packets of a GPU.
#[derive(Debug)]
pub struct Auditor {
    gpu: u16,
    reference: Option<ReferenceTable>,
    /// Handed over, and nothing was sent for them; in their order.
    submitted: VecDeque<Submitted>,
    /// Those for which something was sent, until they are complete; in its order.
    begun: Vec<Begun>,
    /// Packets so far that were begun, and those of them that launch a kernel.
    packets: u64,
    launches: u32,
    /// The last one that was complete, its stream, and whether it is unread.
    last: Packet,
    last_stream: u8,
    complete: bool,
    /// Error codes that are no packet's yet; all since nothing was begun, and those expected.
    told: Vec<u8>,
    errors: [Vec<u8>; 2],
    /// Firmware cycles of the packets before, and how many packets were decided ahead.
    firmware_cycles: u32,
    ahead: u32,
}

/// A packet as it was handed over.
#[derive(Debug)]
struct Submitted {
    at: Cycle,
    turn: Cycle,
    aql: Aql,
    extension: Vec<u8>,
    kernel: Kernel,
}

/// A packet that is carried out.
#[derive(Debug)]
struct Begun {
    packet: Packet,
    stream: u8,
    kernel: Kernel,
    /// Tag of its messages.
    tag: u8,
    /// What the reference says of the packet, and of the end of its kernel.
    expected: Outcome,
    expected_after: Outcome,
    /// Work-groups that were sent to its chiplets.
    shares: Vec<Share>,
    /// Chiplets of the kernel that have not ended; and the reference knows that all have.
    running: u16,
    has_ended: bool,
}

impl Begun {
    /// The operations that belong to what is sent or acknowledged now.
    fn operations(&mut self) -> &mut Operations {
        let Packet { before, after, enabled, .. } = &mut self.packet;
        if enabled.is_some() { after } else { before }
    }
}

impl Auditor {
    /// Of a GPU with this register CONF.
    pub fn new(gpu: u16, conf: &Conf) -> Self {
        let parameters = Parameters {
            chiplets: conf.chiplets as usize,
            table_entries: conf.table_entries as usize,
            max_structs: conf.max_structs as usize,
            line: if conf.long_lines { 128 } else { 64 },
            sync_mode: table::SyncMode::Cpelide,
            hidden: match (conf.home_forward, conf.several_gpus) {
                (false, _) => Hidden::Nothing,
                (true, false) => Hidden::OfGpu,
                (true, true) => Hidden::OfSystem,
            },
            home_aware: conf.home_aware,
        };
        let reference = (conf.sync_mode == SyncMode::Cpelide)
            .then(|| ReferenceTable::new(parameters).expect("the system's limits are the table's"));
        Self {
            gpu,
            reference,
            submitted: VecDeque::with_capacity(SLOTS),
            begun: Vec::with_capacity(SLOTS),
            packets: 0,
            launches: 0,
            last: Packet::default(),
            last_stream: 0,
            complete: false,
            told: Vec::new(),
            errors: [Vec::new(), Vec::new()],
            firmware_cycles: 0,
            ahead: 0,
        }
    }

    /// A packet is handed over.
    pub fn submit(&mut self, at: Cycle, aql: &Aql, extension: &[u8], kernel: Kernel) {
        let extension = extension.to_vec();
        self.submitted.push_back(Submitted { at, turn: at, aql: *aql, extension, kernel });
    }

    /// The place of the packet that the firmware begins with: the oldest of those whose stream has
    /// nothing older; but what it has decided ahead follows the packet that was completed last.
    fn next(&self, counters: &[u32; 16]) -> Option<usize> {
        let is_ahead = counters[AHEAD] != self.ahead;
        let may = |submitted: &Submitted| {
            let stream = submitted.aql.stream;
            match is_ahead {
                true => stream == self.last_stream,
                false => self.begun.iter().all(|begun| begun.stream != stream),
            }
        };
        self.submitted.iter().position(may)
    }

    /// A submitted packet is carried out from now on, with this tag. Gives its place.
    fn begin(&mut self, at: usize, tag: u8, counters: &[u32; 16]) -> usize {
        let submitted = self.submitted.remove(at).expect("by its place");
        let Submitted { at, turn, aql, extension, kernel } = submitted;
        let bytes = aql.packet.0;
        let mut packet = Packet {
            gpu: self.gpu,
            number: self.packets,
            kernel: (u32::from(bytes[0]) == KERNEL_DISPATCH).then_some(kernel.number),
            submitted: at,
            turn,
            is_ahead: counters[AHEAD] != self.ahead,
            errors: std::mem::take(&mut self.told),
            ..Packet::default()
        };
        self.ahead = counters[AHEAD];
        self.packets += 1;
        let mut expected = Outcome::default();
        if let Some(reference) = &mut self.reference {
            let (stream, chiplets, truncated) = (aql.stream, aql.mask, false);
            let dispatch =
                Dispatch { packet: bytes, extension: &extension, truncated, stream, chiplets };
            expected = reference.launch(&dispatch);
            packet.before.reasons = reference.reasons().to_vec();
        }
        self.launches += u32::from(expected.tag.is_some());
        self.errors[0].extend(&packet.errors);
        self.errors[1].extend(&expected.errors);
        self.begun.push(Begun {
            packet,
            stream: aql.stream,
            kernel,
            tag,
            expected,
            expected_after: Outcome::default(),
            shares: Vec::new(),
            running: 0,
            has_ended: false,
        });
        self.begun.len() - 1
    }

    /// The kernel whose messages have this tag.
    pub fn kernel(&self, tag: u8) -> Option<Kernel> {
        self.begun.iter().find(|begun| begun.tag == tag).map(|begun| begun.kernel)
    }

    /// The number behind the last work-group that a chiplet was told of, of the kernel whose
    /// messages have this tag.
    pub fn end_of_share(&self, tag: u8, chiplet: u8) -> u32 {
        let begun = self.begun.iter().find(|begun| begun.tag == tag);
        let shares = begun.map_or(&[][..], |begun| &begun.shares);
        let share = shares.iter().find(|share| share.chiplet == chiplet);
        share.map_or(0, |share| share.first + share.groups)
    }

    /// The packet that was completed last.
    pub fn last(&self) -> &Packet {
        &self.last
    }

    /// The host sees its completion.
    pub fn see_visible(&mut self, now: Cycle) {
        self.last.visible = now;
    }

    /// That packet, once.
    pub fn take(&mut self) -> Option<&Packet> {
        std::mem::take(&mut self.complete).then_some(&self.last)
    }

    /// What the ports show in cycle `now`. Errors: the firmware has not decided as the reference.
    pub fn see(&mut self, now: Cycle, shown: &Outputs) -> Result<(), String> {
        let counters = &shown.host.counters;
        self.told.extend(shown.host.err);
        // What is sent now may have the tag of what has ended.
        if let Some(signal) = shown.host.sig {
            self.see_completed(now, signal, counters)?;
        }
        if let Some(tx) = shown.host.tx.filter(|_| shown.crossbar.tx_ready) {
            self.see_sent(now, &tx, counters)?;
        }
        if let Some(rx) = shown.crossbar.rx.filter(|_| shown.host.rx_ready) {
            self.see_received(now, &rx);
        }
        for (i, local) in shown.locals.iter().enumerate() {
            let message = &shown.crossbar.down[i];
            let arrives = shown.crossbar.down_valid >> i & 1 == 1 && local.rx_ready;
            if arrives
                && message.kind == kind::LAUNCH_EN
                && let Some(begun) = self.begun.iter_mut().find(|begun| begun.tag == message.tag)
            {
                begun.packet.launched = Some(now);
            }
        }
        Ok(())
    }

    fn see_sent(&mut self, now: Cycle, tx: &Tx, counters: &[u32; 16]) -> Result<(), String> {
        let tag = tx.msg.tag;
        let at = match self.begun.iter().position(|begun| begun.tag == tag) {
            Some(at) => at,
            None => {
                let next = self.next(counters).ok_or_else(|| {
                    let gpu = self.gpu;
                    format!(
                        "the firmware of GPU {gpu} sends {:?} that belongs to no packet, cycle \
                         {now}",
                        tx.msg
                    )
                })?;
                self.begin(next, tag, counters)
            }
        };
        let begun = &mut self.begun[at];
        match tx.msg.kind {
            kind::SYNC_REQ => {
                if begun.packet.enabled.is_some() && begun.running == 0 {
                    self.end_kernel(at);
                }
                let operations = self.begun[at].operations();
                operations.requested.get_or_insert(now);
                operations.release.0 |= if tx.msg.a & 1 == 1 { tx.dst } else { 0 };
                operations.acquire.0 |= if tx.msg.a & 2 == 2 { tx.dst } else { 0 };
            }
            kind::WG_DESC => {
                let chiplet = tx.dst.trailing_zeros() as u8;
                begun.shares.push(Share { chiplet, first: tx.msg.b, groups: 0 });
            }
            kind::WG_COUNT => {
                let chiplet = tx.dst.trailing_zeros() as u8;
                let told = begun.shares.iter_mut().find(|share| share.chiplet == chiplet);
                told.into_iter().for_each(|share| share.groups = tx.msg.b);
            }
            kind::LAUNCH_EN => {
                begun.packet.enabled = Some(now);
                begun.packet.tag = Some(tag);
                begun.packet.chiplets.0 = tx.dst;
                begun.running = tx.dst;
                self.see_launched(now, &self.begun[at])?;
            }
            _ => {}
        }
        Ok(())
    }

    fn see_received(&mut self, now: Cycle, rx: &Message) {
        let Some(begun) = self.begun.iter_mut().find(|begun| begun.tag == rx.tag) else { return };
        match rx.kind {
            kind::ACK => {
                let operations = begun.operations();
                operations.acknowledged = Some(now);
                operations.lines_written_back += u64::from(rx.b);
            }
            kind::DONE => {
                begun.running &= !(1 << rx.chiplet);
                begun.packet.ended = Some(now);
            }
            _ => {}
        }
    }

    /// A work-group of the kernel whose messages have this tag is dispatched, or has ended.
    pub fn see_running(&mut self, now: Cycle, tag: u8) {
        if let Some(begun) = self.begun.iter_mut().find(|begun| begun.tag == tag) {
            begun.packet.ran.get_or_insert([now; 2])[1] = now;
        }
    }

    /// The firmware knows that a kernel has ended: what it decides from now on it decides after
    /// that.
    fn end_kernel(&mut self, at: usize) {
        let begun = &mut self.begun[at];
        if let Some(reference) = self.reference.as_mut().filter(|_| !begun.has_ended) {
            begun.has_ended = true;
            begun.expected_after = reference.finish(begun.tag);
            begun.packet.after.reasons = reference.reasons().to_vec();
        }
    }

    fn see_completed(
        &mut self,
        now: Cycle,
        signal: u64,
        counters: &[u32; 16],
    ) -> Result<(), String> {
        // What was decided before may wait behind other messages.
        while self.reference.is_some()
            && self.launches < counters[LAUNCHES]
            && let Some(next) = self.next(counters)
        {
            let at = self.begin(next, NO_TAG, counters);
            self.begun[at].tag = self.begun[at].expected.tag.unwrap_or(NO_TAG);
        }
        let is_signalled = |kernel: &Kernel| kernel.signal() == signal;
        let begun = self.begun.iter().position(|begun| is_signalled(&begun.kernel));
        let at = match begun {
            Some(at) => at,
            // A barrier without operations, or a packet that was rejected.
            None => {
                let found = self.submitted.iter().position(|s| is_signalled(&s.kernel));
                let at = found.ok_or_else(|| {
                    let gpu = self.gpu;
                    format!(
                        "the firmware of GPU {gpu} signals {signal:#x}, which belongs to no \
                         packet, cycle {now}"
                    )
                })?;
                self.begin(at, NO_TAG, counters)
            }
        };
        if self.begun[at].packet.enabled.is_some() {
            self.end_kernel(at);
        }
        let Begun { mut packet, stream, expected, expected_after, .. } = self.begun.remove(at);
        packet.completed = now;
        packet.visible = now;
        for next in self.begun.iter_mut().filter(|begun| begun.stream == stream) {
            next.packet.turn = now;
        }
        for next in self.submitted.iter_mut().filter(|next| next.aql.stream == stream) {
            next.turn = now;
        }
        packet.firmware_cycles = counters[CYCLES] - self.firmware_cycles;
        self.firmware_cycles = counters[CYCLES];
        self.errors[0].extend(&self.told);
        packet.errors.append(&mut self.told);
        (self.last, self.last_stream, self.complete) = (packet, stream, true);
        let packet = &self.last;
        let Some(reference) = &self.reference else { return Ok(()) };
        // A barrier's operations are all before its signal.
        self.compare(now, packet, ("before", &packet.before), &expected)?;
        self.compare(now, packet, ("after", &packet.after), &expected_after)?;
        // Which packet an error belongs to is certain when none is under way.
        if self.begun.is_empty() {
            self.errors.iter_mut().for_each(|codes| codes.sort_unstable());
            let [sent, must] = &self.errors;
            if sent != must {
                return Err(differ(now, packet, format!("error codes {sent:?}, must be {must:?}")));
            }
            self.errors.iter_mut().for_each(Vec::clear);
        }
        let expected = reference.counters();
        let is_known = |at| ![CYCLES, AHEAD, ANEW].contains(&at);
        let differs = |&at: &usize| is_known(at) && counters[at] != expected[at];
        if let Some(at) = (0..counters.len()).find(differs) {
            let text = format!("CNT[{at}] = {}, must be {}", counters[at], expected[at]);
            return Err(differ(now, packet, text));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
