//! The event loop: packets, launches, answers, completion (specification 5.1, 5.5, 5.6).

mod ahead;
mod behind;

use ahead::Ahead;
use behind::Behind;

use crate::arrivals::{Arrivals, slots};
use crate::bitmap::Bitmap;
use crate::bus::Bus;
use crate::config::{Config, SyncMode};
use crate::decide::Masks;
use crate::labels::{self, Header, Records, Scheduled, Unusable};
use crate::layout::Layout;
use crate::map::{BROADCAST, NUM_SLOTS, count, error, message, reg};
use crate::packet::{self, Kind, Packet};
use crate::running::{Kernel, Running};
use crate::table::Table;
use crate::vector::squeeze;

/// What waits until all L2 operations are done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Waiting {
    Nothing,
    /// The start of this slot's kernel.
    Launch(usize),
    /// The completion signal of this slot.
    Completion(usize),
}

/// The numbers behind the counters of operations.
#[derive(Clone, Copy, Debug, Default)]
struct Sent {
    launches: u32,
    acquires: u32,
    releases: u32,
}

/// A launch that is decided: steps 1 to 7.
#[derive(Clone, Copy, Debug)]
struct Launch {
    /// The kernel ends with a system release.
    releases: bool,
    /// Chiplets that it runs on.
    scheduled: u16,
    masks: Masks,
    unlabelled: bool,
}

/// The firmware's state. What each launch needs comes first: it is addressed with the fewest
/// instructions.
#[derive(Debug)]
#[repr(C)]
pub struct Processor<L> {
    table: Table<L>,
    records: Records,
    scheduled: Scheduled,
    arrivals: Arrivals,
    running: Running,
    started: bool,
    /// An unlabelled kernel may have touched anything.
    every: bool,
    waiting: Waiting,
    /// Operations to request when those before are done, with this tag.
    acquires_left: Masks,
    tag: u8,
    /// Slots whose kernel ends with a system release.
    releases: [bool; NUM_SLOTS],
    sent: Sent,
    behind: Behind,
    ahead: Ahead,
    /// Slots whose packets are not decided ahead: they were tried.
    declined: u32,
}

impl<L: Layout> Default for Processor<L> {
    fn default() -> Self {
        Self::NEW
    }
}

impl<L: Layout> Processor<L> {
    /// After reset.
    pub const NEW: Self = Self {
        table: Table::NEW,
        records: Records::NEW,
        scheduled: Scheduled::NEW,
        arrivals: Arrivals::NEW,
        running: Running::NEW,
        started: false,
        every: false,
        waiting: Waiting::Nothing,
        acquires_left: Masks { release: 0, acquire: 0 },
        tag: 0,
        releases: [false; NUM_SLOTS],
        sent: Sent { launches: 0, acquires: 0, releases: 0 },
        behind: Behind::NONE,
        ahead: Ahead::NONE,
        declined: 0,
    };

    /// The flag EVERY: an unlabelled kernel may have touched anything.
    pub fn every(&self) -> bool {
        self.every
    }

    /// Handles all that has happened. To be called when a packet, a message or an acknowledgement
    /// has come.
    pub fn poll<B: Bus>(&mut self, bus: &mut B) {
        if !self.started {
            match Config::decode(bus.get(reg::CONF)) {
                Ok(config) => self.table.config = config,
                Err(code) => {
                    bus.error(code);
                    bus.set(reg::EXIT, code);
                    return;
                }
            }
            self.started = true;
        }
        loop {
            self.receive(bus);
            if self.waiting != Waiting::Nothing {
                if bus.get(reg::ACK_PEND) != 0 {
                    return;
                }
                self.go_on(bus);
            } else if let Some(slot) = self.ended() {
                self.finish(bus, slot);
            } else if let Some(slot) = self.next_packet(bus) {
                self.start(bus, slot);
            } else if !self.write_behind(bus) && !self.decide_ahead(bus) {
                return;
            }
        }
    }

    fn receive<B: Bus>(&mut self, bus: &mut B) {
        while bus.get(reg::RX_STAT) != 0 {
            let low = bus.get(reg::RX_LO);
            bus.get(reg::RX_HI);
            let (chiplet, tag) = (low >> 4 & 15, (low >> 8) as u8);
            match low & 15 {
                message::DONE => {
                    let waiting = self.waiting;
                    let of = |(slot, k): &(usize, &mut Kernel)| {
                        let runs = k.tag == tag && k.missing >> chiplet & 1 == 1;
                        runs && waiting != Waiting::Launch(*slot)
                    };
                    match self.running.kernels.iter_mut().enumerate().find(of) {
                        Some((_, kernel)) => kernel.missing &= !(1 << chiplet),
                        None => bus.error(error::UNASKED),
                    }
                }
                message::NACK => {
                    bus.error(error::NACK);
                    bus.set(reg::EXIT, error::NACK);
                }
                _ => bus.error(error::UNASKED),
            }
        }
    }

    /// A slot whose kernel has ended everywhere.
    fn ended(&self) -> Option<usize> {
        self.running.kernels.iter().position(|kernel| kernel.chiplets != 0 && kernel.missing == 0)
    }

    /// The slot with the oldest packet whose stream has nothing older.
    fn next_packet<B: Bus>(&mut self, bus: &mut B) -> Option<usize> {
        let valid = bus.get(reg::PKT_STAT) & 15;
        self.arrivals.note(bus, valid);
        let mut oldest = None;
        for slot in slots(valid) {
            let waits = self.running.kernels[slot].chiplets != 0
                || slots(valid).any(|other| self.arrivals.follows(slot, other));
            if !waits && oldest.is_none_or(|oldest| self.arrivals.is_behind(oldest, slot)) {
                oldest = Some(slot);
            }
        }
        oldest
    }

    fn start<B: Bus>(&mut self, bus: &mut B, slot: usize) {
        self.take_back(bus);
        bus.stopwatch(1);
        if !self.table.config.home_aware
            && let Some(launch) = self.unchanged(bus, slot)
        {
            return self.send(bus, slot, launch);
        }
        match Packet::read_again(bus, slot, &self.table.config) {
            Ok(packet) if packet.kind == Kind::Dispatch && self.table.config.home_aware => {
                self.launch_at_home(bus, slot, &packet);
            }
            Ok(packet) if packet.kind == Kind::Dispatch => {
                let launch = self.launch(bus, slot, &packet);
                self.table.report.send(bus);
                self.send(bus, slot, launch);
            }
            Ok(packet) => {
                while self.write_behind(bus) {}
                let masks = self.barrier(bus, &packet);
                self.table.report.send(bus);
                bus.stopwatch(0);
                self.synchronise(bus, masks, 0, Waiting::Completion(slot));
            }
            Err(code) => {
                bus.stopwatch(0);
                bus.error(code);
                self.complete(bus, slot);
            }
        }
    }

    /// Decides a launch that changes nothing but states, where the packet in this slot is one.
    #[inline(never)]
    fn unchanged<B: Bus>(&mut self, bus: &mut B, slot: usize) -> Option<Launch> {
        let config = &self.table.config;
        if config.sync_mode != SyncMode::Cpelide || self.every {
            return None;
        }
        let entries = &mut self.running.kernels[slot].entries;
        let releases = self.table.launch_unchanged(bus, slot, &mut self.scheduled, entries);
        if releases.is_none() {
            *entries = Bitmap::EMPTY;
        }
        let (scheduled, masks) = (self.scheduled.mask, Masks::default());
        Some(Launch { releases: releases?, scheduled, masks, unlabelled: false })
    }

    /// Decides a launch.
    #[inline(never)]
    fn launch<B: Bus>(&mut self, bus: &mut B, slot: usize, packet: &Packet) -> Launch {
        let config = self.table.config;
        let header = self.scheduled(bus, slot, packet);
        let scheduled = if header.is_ok() { self.scheduled.mask } else { packet.chiplets };
        let mut masks = Masks::default();
        let mut unlabelled = false;
        if config.sync_mode == SyncMode::Cpelide {
            if let Err(unusable) = self.labelled(bus, slot, packet, header, &mut masks) {
                self.report_wrong(unusable);
                self.table.report.conservative += 1;
                masks = self.conservative(bus, packet);
                self.table.whole_cache(bus, &self.running, masks, &Bitmap::EMPTY);
                self.every = true;
                unlabelled = true;
            }
        } else {
            if let Err(unusable) = header {
                self.report_wrong(unusable);
            }
            let is_baseline = config.sync_mode == SyncMode::Baseline;
            masks.acquire = if is_baseline { config.all() } else { 0 };
        }
        self.forget_held();
        Launch { releases: packet.releases, scheduled, masks, unlabelled }
    }

    /// The header of a packet's labels, and the chiplets that it names, which are known then.
    #[inline(never)]
    fn scheduled<B: Bus>(
        &mut self,
        bus: &mut B,
        slot: usize,
        packet: &Packet,
    ) -> Result<Header, Unusable> {
        let mut header = Header::read(bus, slot, packet)?;
        self.scheduled.set(packet.chiplets, header.scheduled, &self.table.config)?;
        header.usable &= !self.elides_nothing(packet);
        Ok(header)
    }

    /// Where a line has one copy: whatever the kernel's labels say, no operation depends on them.
    /// The host comes before the kernel and behind it; or all L2s are released and acquired before
    /// the table is looked at again.
    fn elides_nothing(&self, packet: &Packet) -> bool {
        let is_unread = if packet.acquires { packet.releases } else { self.every };
        is_unread && self.table.config.home_aware
    }

    fn report_wrong(&mut self, unusable: Unusable) {
        if let Unusable::Wrong(code) = unusable {
            self.table.report.fault(code);
        }
    }

    /// Sends what was decided, and the kernel.
    #[inline(never)]
    fn send<B: Bus>(&mut self, bus: &mut B, slot: usize, launch: Launch) {
        bus.stopwatch(0);
        let Launch { releases, scheduled, masks, unlabelled } = launch;
        let tag = self.running.free_tag();
        self.running.start(slot, scheduled, tag, unlabelled);
        self.releases[slot] = releases;
        self.sent.launches += 1;
        self.synchronise(bus, masks, tag, Waiting::Launch(slot));
        // While the L2s are at it.
        describe(bus, slot, &self.running.kernels[slot]);
    }

    /// Decides a launch with labels, or says why it cannot. Then the kernel has its entries.
    fn labelled<B: Bus>(
        &mut self,
        bus: &mut B,
        slot: usize,
        packet: &Packet,
        header: Result<Header, Unusable>,
        masks: &mut Masks,
    ) -> Result<(), Unusable> {
        let header = header?;
        if !header.usable {
            return Err(Unusable::Unlabelled);
        }
        let config = self.table.config;
        *masks = match (packet.acquires, self.every) {
            (_, true) if !config.home_aware => config.everything(),
            (true, _) => Masks { release: 0, acquire: self.foreign(bus) },
            (false, _) => Masks::default(),
        };
        let entries = self.table_entries(bus, slot, &header, masks)?;
        if self.every {
            let implied = masks.acquire & !masks.release;
            self.table.report.implied += implied.count_ones();
            masks.release |= implied;
        }
        // All chiplets are acquired where it was set.
        self.every &= self.running.any_unlabelled();
        self.running.kernels[slot].entries = entries;
        Ok(())
    }

    /// Makes a launch's entries; `masks` gets what they need.
    fn table_entries<B: Bus>(
        &mut self,
        bus: &mut B,
        slot: usize,
        header: &Header,
        masks: &mut Masks,
    ) -> Result<Bitmap, Unusable> {
        if let Some(mut plan) = self.plan(bus, slot, header, masks.acquire != 0) {
            self.table.imply(bus, masks);
            let mut entries = Bitmap::EMPTY;
            while let Some(entry) = self.table.adopt(&mut self.records, &mut plan) {
                entries.insert(entry);
            }
            while self.table.carry_on(bus, &self.records, &mut plan) {}
            return Ok(entries);
        }
        let Self { table, records, scheduled, running, .. } = self;
        let config = table.config;
        labels::read(bus, slot, header, scheduled, &config, records, &mut table.report)?;
        table.launch(bus, records, running, masks).map_err(|_| Unusable::Wrong(error::ADDRESS))
    }

    /// What a launch needs that may touch anything.
    fn conservative<B: Bus>(&mut self, bus: &mut B, packet: &Packet) -> Masks {
        match (self.table.config.home_aware, packet.acquires) {
            (false, _) => self.table.config.everything(),
            (true, true) => self.system_acquire(bus, 0),
            (true, false) => Masks::default(),
        }
    }

    /// What a system acquire needs where so many chiplets are released anyway.
    fn system_acquire<B: Bus>(&mut self, bus: &mut B, released: u16) -> Masks {
        let acquire = self.foreign(bus);
        let implied = self.dirty(bus) & acquire & !released;
        self.table.report.implied += implied.count_ones();
        Masks { release: released | implied, acquire }
    }

    /// A barrier's operations: with a system release and nothing else to do, all of them, and an
    /// empty table.
    #[inline(never)]
    fn barrier<B: Bus>(&mut self, bus: &mut B, packet: &Packet) -> Masks {
        let mut masks = Masks::default();
        let all = self.table.config.all();
        match self.table.config.sync_mode {
            SyncMode::Cpelide => {}
            SyncMode::None => return masks,
            // As around a kernel that does nothing.
            mode => {
                masks.release = if packet.releases { all } else { 0 };
                let acquires = mode == SyncMode::Baseline && packet.acquires;
                masks.acquire = if acquires { all } else { 0 };
                return masks;
            }
        }
        let queued = bus.get(reg::PKT_STAT) & 15;
        if packet.releases && queued & queued.wrapping_sub(1) == 0 {
            let acquire = self.foreign(bus);
            let release = if self.table.config.home_aware { acquire } else { self.present(bus) };
            let masks = Masks { release, acquire };
            self.every = false;
            self.table.forget(bus, &self.running);
            self.forget_held();
            return masks;
        }
        if packet.releases {
            masks.release = self.system_release(bus);
        }
        if packet.acquires {
            masks = self.system_acquire(bus, masks.release);
            self.table.whole_cache(bus, &self.running, masks, &Bitmap::EMPTY);
            let all = masks.acquire == self.table.config.all();
            self.every &= !all || self.running.any_unlabelled();
            self.forget_held();
        }
        masks
    }

    /// Chiplets whose L2 may hold something.
    fn present<B: Bus>(&mut self, bus: &mut B) -> u16 {
        if self.every { self.table.config.all() } else { squeeze(self.held(bus)[0]) }
    }

    /// Chiplets whose L2 may hold something that others have written: also lines that were asked
    /// for from elsewhere, of which the table knows nothing (specification 5.9).
    fn foreign<B: Bus>(&mut self, bus: &mut B) -> u16 {
        let present = self.present(bus);
        let config = &self.table.config;
        let hidden = config.home_forward && (config.several_gpus || present != 0);
        if hidden { config.all() } else { present }
    }

    /// Chiplets whose L2 may hold something dirty.
    fn dirty<B: Bus>(&mut self, bus: &mut B) -> u16 {
        if self.every { self.table.config.all() } else { squeeze(self.held(bus)[1]) }
    }

    /// What a system release writes back (specification 5.6, 7).
    fn system_release<B: Bus>(&mut self, bus: &mut B) -> u16 {
        match self.table.config.sync_mode {
            SyncMode::None => 0,
            SyncMode::Baseline | SyncMode::Hmg => self.table.config.all(),
            SyncMode::Cpelide => {
                let release = self.dirty(bus);
                if !self.released_behind(release) {
                    let masks = Masks { release, acquire: 0 };
                    self.table.whole_cache(bus, &self.running, masks, &Bitmap::EMPTY);
                    self.forget_held();
                }
                release
            }
        }
    }

    /// A kernel has ended on all chiplets.
    #[inline(never)]
    fn finish<B: Bus>(&mut self, bus: &mut B, slot: usize) {
        let tag = self.running.kernels[slot].tag;
        let release = match self.released_ahead(bus, slot) {
            Some(release) => {
                self.running.end(slot);
                release
            }
            None => self.end(bus, slot),
        };
        let masks = Masks { release, acquire: 0 };
        self.synchronise(bus, masks, tag, Waiting::Completion(slot));
    }

    /// A kernel is gone. Gives what is released after it.
    #[inline(never)]
    fn end<B: Bus>(&mut self, bus: &mut B, slot: usize) -> u16 {
        self.running.end(slot);
        self.ended_behind(slot);
        let always = self.table.config.sync_mode == SyncMode::Baseline;
        if always || self.releases[slot] { self.system_release(bus) } else { 0 }
    }

    /// Does operations, and then what waits for them. A kernel that runs on a chiplet that is
    /// acquired may fetch lines again at once, so the releases of others come before.
    #[inline(never)]
    fn synchronise<B: Bus>(&mut self, bus: &mut B, masks: Masks, tag: u8, then: Waiting) {
        self.sent.releases += masks.release.count_ones();
        self.sent.acquires += masks.acquire.count_ones();
        self.count(bus);
        self.waiting = then;
        let own = if let Waiting::Launch(slot) = then { Some(slot) } else { None };
        let runs_there = |(slot, kernel): (usize, &Kernel)| {
            Some(slot) != own && kernel.chiplets & masks.acquire != 0
        };
        let first = Masks { acquire: 0, ..masks };
        if masks.release != 0 && self.running.kernels.iter().enumerate().any(runs_there) {
            self.acquires_left = Masks { release: masks.release & masks.acquire, ..masks };
            self.tag = tag;
            self.request(bus, first, tag);
        } else {
            self.request(bus, masks, tag);
        }
    }

    /// One request for each chiplet with an operation, those with the same operations in one
    /// message.
    fn request<B: Bus>(&self, bus: &mut B, masks: Masks, tag: u8) {
        let Masks { release, acquire } = masks;
        let groups = [
            (release & acquire, message::RELEASE | message::ACQUIRE),
            (release & !acquire, message::RELEASE),
            (acquire & !release, message::ACQUIRE),
        ];
        for (chiplets, operations) in groups {
            if chiplets != 0 {
                let low = message::SYNC_REQ | u32::from(tag) << 8 | operations << 16;
                send(bus, low, 0, chiplets, self.table.config.all());
            }
        }
    }

    fn count<B: Bus>(&self, bus: &mut B) {
        let Sent { launches, acquires, releases } = self.sent;
        let baseline = launches * self.table.config.chiplets as u32;
        let values = [
            (count::LAUNCHES, launches),
            (count::ACQUIRES, acquires),
            (count::ACQUIRES_ELIDED, baseline.saturating_sub(acquires)),
            (count::RELEASES, releases),
            (count::RELEASES_ELIDED, baseline.saturating_sub(releases)),
        ];
        for (counter, value) in values {
            bus.set(reg::CNT + 4 * counter, value);
        }
    }

    /// What was requested is done.
    fn go_on<B: Bus>(&mut self, bus: &mut B) {
        if self.acquires_left.acquire != 0 {
            let left = core::mem::take(&mut self.acquires_left);
            return self.request(bus, left, self.tag);
        }
        match core::mem::replace(&mut self.waiting, Waiting::Nothing) {
            Waiting::Launch(slot) => {
                let Kernel { chiplets, tag, .. } = self.running.kernels[slot];
                let low = message::LAUNCH_EN | u32::from(tag) << 8;
                send(bus, low, 0, chiplets, self.table.config.all());
                self.catch_up(bus);
            }
            Waiting::Completion(slot) => {
                self.complete(bus, slot);
                self.carry_out(bus, slot);
            }
            Waiting::Nothing => {}
        }
    }

    /// Writes the completion signal and frees the slot.
    #[inline(never)]
    fn complete<B: Bus>(&mut self, bus: &mut B, slot: usize) {
        let (low, high) = packet::signal(bus, slot);
        if low | high != 0 {
            bus.set(reg::SIG_LO, low);
            bus.set(reg::SIG_HI, high);
        }
        self.arrivals.leave(slot);
        self.declined &= !(1 << slot);
        bus.set(reg::PKT_POP, slot as u32);
    }
}

/// Sends a message to some chiplets; all of them at once where that is all there are.
fn send<B: Bus>(bus: &mut B, low: u32, high: u32, chiplets: u16, all: u16) {
    let broadcast = if chiplets == all && chiplets != 1 { BROADCAST } else { 0 };
    bus.set(reg::TX_LO, low);
    bus.set(reg::TX_DST, u32::from(chiplets) | broadcast);
    bus.set(reg::TX_HI, high);
}

/// Sends each chiplet its work-groups: equal contiguous pieces, the remainder to the last.
fn describe<B: Bus>(bus: &mut B, slot: usize, kernel: &Kernel) {
    let groups = packet::work_groups(bus, slot).unwrap_or(0);
    let number = kernel.chiplets.count_ones();
    let share = groups / number;
    let tag = u32::from(kernel.tag) << 8;
    let mut first = 0;
    let mut rest = kernel.chiplets;
    while rest != 0 {
        let chiplet = rest & rest.wrapping_neg();
        rest &= !chiplet;
        let count = if rest == 0 { groups - first } else { share };
        let desc = message::WG_DESC | tag | (slot as u32) << 16;
        // Never a broadcast: each has its own.
        send(bus, desc, first, chiplet, 0);
        send(bus, message::WG_COUNT | tag, count, chiplet, 0);
        first += count;
    }
}
