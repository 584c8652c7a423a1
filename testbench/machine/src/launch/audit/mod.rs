//! What became of each packet of a GPU: what was sent to its chiplets, when, and why.
//!
//! Under the chiplet coherence table the reference of the table is given the same packets and ends
//! of kernels, says the reasons, and must decide as the firmware did: the run ends where it does
//! not. Packets of several streams are under way together: it is given them in the order in which
//! the firmware decides, which is that of the first messages for launches, and of the first
//! operations or signals after kernels.

use std::collections::VecDeque;
use std::fmt::{self, Display, Formatter};

use cosim::cpelide::aql::kind::KERNEL_DISPATCH;
use cosim::cpelide::{Conf, SyncMode};
use hwmodel::cpelide::chiplet_coherence_table as table;
use hwmodel::cpelide::chiplet_coherence_table::{
    Dispatch, Hidden, Outcome, Parameters, Reason, ReferenceTable, Share,
};
use ports::cpelide::types::{Aql, Message, SLOTS, Tx, kind};

use super::blocks::Outputs;
use super::global::Kernel;
use crate::engine::Cycle;

/// Launches that were decided.
const LAUNCHES: usize = 0;
/// Counters that no reference has: that of the hardware, and decisions ahead, kept and
/// made anew.
const CYCLES: usize = 8;
const AHEAD: usize = 12;
const ANEW: usize = 13;

/// Tag of a packet for which no message is sent.
const NO_TAG: u8 = u8::MAX;

/// Chiplets, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Chiplets(pub u16);

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

    /// Errors: a kernel starts otherwise than it must.
    fn see_launched(&self, now: Cycle, begun: &Begun) -> Result<(), String> {
        let Begun { packet, expected, shares, .. } = begun;
        self.compare(now, packet, ("before", &packet.before), expected)?;
        if self.reference.is_none() {
            return Ok(());
        }
        if expected.tag != packet.tag {
            let [tag, must] = [packet.tag, expected.tag]
                .map(|tag| tag.map_or("none".into(), |tag| tag.to_string()));
            return Err(differ(now, packet, format!("tag {tag}, must be {must}")));
        }
        let started = shares.iter().fold(0, |mask, share| mask | 1 << share.chiplet);
        if *shares == expected.shares && packet.chiplets.0 == started {
            return Ok(());
        }
        let text = format!(
            "starts chiplets {} with work-groups {}, must be {}",
            packet.chiplets,
            Shares(shares),
            Shares(&expected.shares)
        );
        Err(differ(now, packet, text))
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

    /// Errors: other operations than those expected.
    fn compare(
        &self,
        now: Cycle,
        packet: &Packet,
        (when, sent): (&str, &Operations),
        expected: &Outcome,
    ) -> Result<(), String> {
        let Operations { release, acquire, .. } = *sent;
        let must = [expected.release, expected.acquire].map(Chiplets);
        if self.reference.is_none() || [release, acquire] == must {
            return Ok(());
        }
        let text = format!(
            "releases {release} and acquires {acquire} {when} it, must be {} and {}",
            must[0], must[1]
        );
        Err(differ(now, packet, text))
    }
}

fn differ(now: Cycle, packet: &Packet, text: String) -> String {
    let Packet { gpu, number, kernel, .. } = packet;
    let what = kernel.map_or("a barrier".to_string(), |kernel| format!("kernel {kernel}"));
    format!(
        "the decision of GPU {gpu}'s firmware differs from the table's reference, cycle {now}, \
         packet {number}, {what}: {text}"
    )
}

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

/// Of each chiplet its first work-group and their number.
struct Shares<'a>(&'a [Share]);

impl Display for Shares<'_> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        f.write_str(if self.0.is_empty() { "-" } else { "" })?;
        for (at, Share { chiplet, first, groups }) in self.0.iter().enumerate() {
            write!(f, "{}{chiplet}: {first} + {groups}", if at > 0 { ", " } else { "" })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
