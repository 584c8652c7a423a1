//! What became of each packet of a GPU: what was sent to its chiplets, when, and why.
//!
//! Under the chiplet coherence table the reference of the table is given the same packets and ends
//! of kernels, says the reasons, and must decide as the firmware did: the run ends where it does
//! not. A GPU's packets come one at a time, so whatever is sent belongs to the packet that is not
//! complete yet.

use std::fmt::{self, Display, Formatter};

use cosim::command_processor::aql::kind::KERNEL_DISPATCH;
use cosim::command_processor::{Conf, SyncMode};
use hwmodel::chiplet_coherence_table as table;
use hwmodel::chiplet_coherence_table::{
    Dispatch, Hidden, Outcome, Parameters, Reason, ReferenceTable, Share,
};
use ports::common::command_types::{Aql, Message, Tx, kind};

use super::blocks::Outputs;
use crate::engine::Cycle;

/// Counters that no reference has: that of the hardware, and decisions ahead, kept and
/// made anew.
const CYCLES: usize = 8;
const AHEAD: usize = 12;
const ANEW: usize = 13;

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
    /// Before the kernel.
    pub before: Operations,
    /// When LAUNCH_EN left the command processor.
    pub enabled: Option<Cycle>,
    /// When LAUNCH_EN was at the last of the kernel's chiplets.
    pub launched: Option<Cycle>,
    /// After the kernel.
    pub after: Operations,
    /// When the completion signal was written.
    pub completed: Cycle,
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
    reference: Option<ReferenceTable>,
    /// What the reference says of the packet, and of the end of its kernel.
    expected: Outcome,
    expected_after: Outcome,
    packet: Packet,
    packets: u64,
    /// Work-groups that its chiplets were told of.
    shares: Vec<Share>,
    /// Chiplets of the kernel that have not ended.
    running: u16,
    /// Firmware cycles of the packets before, and how many of them were decided ahead.
    firmware_cycles: u32,
    ahead: u32,
    /// It is complete, and nobody has seen that.
    complete: bool,
    /// A packet is not complete; and one that was handed over behind it.
    is_busy: bool,
    next: Option<Submitted>,
}

/// A packet as it was handed over.
#[derive(Debug)]
struct Submitted {
    at: Cycle,
    aql: Aql,
    extension: Vec<u8>,
    kernel: u32,
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
            reference,
            expected: Outcome::default(),
            expected_after: Outcome::default(),
            packet: Packet { gpu, ..Packet::default() },
            packets: 0,
            shares: Vec::new(),
            running: 0,
            firmware_cycles: 0,
            ahead: 0,
            complete: false,
            is_busy: false,
            next: None,
        }
    }

    /// A packet is handed over; at most one is not complete then.
    pub fn submit(&mut self, at: Cycle, aql: &Aql, extension: &[u8], kernel: u32) {
        let submitted = Submitted { at, aql: *aql, extension: extension.to_vec(), kernel };
        self.begin_next();
        if self.is_busy {
            self.next = Some(submitted);
        } else {
            self.begin(&submitted);
        }
    }

    /// The packet that was handed over behind a complete one is the next.
    fn begin_next(&mut self) {
        if !self.is_busy
            && let Some(next) = self.next.take()
        {
            self.begin(&next);
        }
    }

    /// The packet is the next to be carried out.
    fn begin(&mut self, submitted: &Submitted) {
        let Submitted { at, aql, extension, kernel } = submitted;
        let packet = aql.packet.0;
        self.is_busy = true;
        self.packet = Packet {
            gpu: self.packet.gpu,
            number: self.packets,
            kernel: (u32::from(packet[0]) == KERNEL_DISPATCH).then_some(*kernel),
            submitted: *at,
            ..Packet::default()
        };
        self.packets += 1;
        self.shares.clear();
        self.expected_after = Outcome::default();
        if let Some(reference) = &mut self.reference {
            let (stream, chiplets, truncated) = (aql.stream, aql.mask, false);
            let dispatch = Dispatch { packet, extension, truncated, stream, chiplets };
            self.expected = reference.launch(&dispatch);
            self.packet.before.reasons = reference.reasons().to_vec();
        }
    }

    /// The packet that is not complete yet, or the last one.
    pub fn packet(&self) -> &Packet {
        &self.packet
    }

    /// The packet, once it is complete.
    pub fn take(&mut self) -> Option<&Packet> {
        std::mem::take(&mut self.complete).then_some(&self.packet)
    }

    /// What the ports show in cycle `now`. Errors: the firmware has not decided as the reference.
    pub fn see(&mut self, now: Cycle, shown: &Outputs) -> Result<(), String> {
        self.begin_next();
        if let Some(tx) = shown.host.tx.filter(|_| shown.crossbar.tx_ready) {
            self.see_sent(now, &tx)?;
        }
        if let Some(rx) = shown.crossbar.rx.filter(|_| shown.host.rx_ready) {
            self.see_received(now, &rx);
        }
        for (i, local) in shown.locals.iter().enumerate() {
            let arrives = shown.crossbar.down_valid >> i & 1 == 1 && local.rx_ready;
            if arrives && shown.crossbar.down[i].kind == kind::LAUNCH_EN {
                self.packet.launched = Some(now);
            }
        }
        self.packet.errors.extend(shown.host.err);
        match shown.host.sig {
            Some(_) => self.see_completed(now, &shown.host.cnt),
            None => Ok(()),
        }
    }

    /// The operations that belong to what is sent or acknowledged now.
    fn operations(&mut self) -> &mut Operations {
        let Packet { before, after, enabled, .. } = &mut self.packet;
        if enabled.is_some() { after } else { before }
    }

    fn see_sent(&mut self, now: Cycle, tx: &Tx) -> Result<(), String> {
        match tx.msg.kind {
            kind::SYNC_REQ => {
                let operations = self.operations();
                operations.requested.get_or_insert(now);
                operations.release.0 |= if tx.msg.a & 1 == 1 { tx.dst } else { 0 };
                operations.acquire.0 |= if tx.msg.a & 2 == 2 { tx.dst } else { 0 };
            }
            kind::WG_DESC => {
                let chiplet = tx.dst.trailing_zeros() as u8;
                self.shares.push(Share { chiplet, first: tx.msg.b, groups: 0 });
            }
            kind::WG_COUNT => {
                let chiplet = tx.dst.trailing_zeros() as u8;
                let told = self.shares.iter_mut().find(|share| share.chiplet == chiplet);
                told.into_iter().for_each(|share| share.groups = tx.msg.b);
            }
            kind::LAUNCH_EN => {
                self.packet.enabled = Some(now);
                self.packet.tag = Some(tx.msg.tag);
                self.packet.chiplets.0 = tx.dst;
                self.running = tx.dst;
                self.compare(now, "before", &self.packet.before, &self.expected)?;
                let expected = self.expected.tag;
                if self.reference.is_some() && expected != self.packet.tag {
                    let must = expected.map_or("none".into(), |tag| tag.to_string());
                    return Err(self.differ(now, format!("tag {}, must be {must}", tx.msg.tag)));
                }
                let started = self.shares.iter().fold(0, |mask, share| mask | 1 << share.chiplet);
                let is_right = self.shares == self.expected.shares && tx.dst == started;
                if self.reference.is_some() && !is_right {
                    let text = format!(
                        "starts chiplets {} with work-groups {}, must be {}",
                        Chiplets(tx.dst),
                        Shares(&self.shares),
                        Shares(&self.expected.shares)
                    );
                    return Err(self.differ(now, text));
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn see_received(&mut self, now: Cycle, rx: &Message) {
        match rx.kind {
            kind::ACK => {
                let operations = self.operations();
                operations.acknowledged = Some(now);
                operations.lines_written_back += u64::from(rx.b);
            }
            kind::DONE => {
                self.running &= !(1 << rx.chiplet);
                if let Some(reference) = self.reference.as_mut().filter(|_| self.running == 0) {
                    self.expected_after = reference.finish(rx.tag);
                    self.packet.after.reasons = reference.reasons().to_vec();
                }
            }
            _ => {}
        }
    }

    fn see_completed(&mut self, now: Cycle, counters: &[u32; 16]) -> Result<(), String> {
        self.packet.completed = now;
        self.packet.firmware_cycles = counters[CYCLES] - self.firmware_cycles;
        self.firmware_cycles = counters[CYCLES];
        self.packet.is_ahead = counters[AHEAD] != self.ahead;
        self.ahead = counters[AHEAD];
        self.complete = true;
        self.is_busy = false;
        let Some(reference) = &self.reference else { return Ok(()) };
        // A barrier's operations are all before its signal.
        self.compare(now, "before", &self.packet.before, &self.expected)?;
        self.compare(now, "after", &self.packet.after, &self.expected_after)?;
        let mut errors = [self.packet.errors.clone(), self.expected.errors.clone()];
        errors.iter_mut().for_each(|codes| codes.sort_unstable());
        if errors[0] != errors[1] {
            let text = format!("error codes {:?}, must be {:?}", errors[0], errors[1]);
            return Err(self.differ(now, text));
        }
        let expected = reference.counters();
        let is_known = |at| ![CYCLES, AHEAD, ANEW].contains(&at);
        let differs = |&at: &usize| is_known(at) && counters[at] != expected[at];
        if let Some(at) = (0..counters.len()).find(differs) {
            let text = format!("CNT[{at}] = {}, must be {}", counters[at], expected[at]);
            return Err(self.differ(now, text));
        }
        Ok(())
    }

    /// Errors: other operations than those expected.
    fn compare(
        &self,
        now: Cycle,
        when: &str,
        sent: &Operations,
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
        Err(self.differ(now, text))
    }

    fn differ(&self, now: Cycle, text: String) -> String {
        let Packet { gpu, number, kernel, .. } = self.packet;
        let what = kernel.map_or("a barrier".to_string(), |kernel| format!("kernel {kernel}"));
        format!(
            "the firmware of GPU {gpu} decides otherwise than the table's reference, cycle {now}, \
             packet {number}, {what}: {text}"
        )
    }
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
