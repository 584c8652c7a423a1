//! The next launch of a stream is decided while the kernel before runs, as if that had ended
//! (specification 5.10). The table is written at once, and what was there is kept: no other
//! decision is made meanwhile, as each takes it back first.

use super::{Launch, Processor, Waiting};
use crate::arrivals::slots;
use crate::bitmap::Bitmap;
use crate::bus::Bus;
use crate::config::SyncMode;
use crate::decide::Masks;
use crate::layout::Layout;
use crate::map::{NUM_SLOTS, count, reg};
use crate::packet::{Kind, Packet};
use crate::report::Report;
use crate::running::Kernel;

/// A launch that is decided before its time has come. Without one all is zero, as memories are at
/// the start.
#[derive(Debug)]
pub(super) struct Ahead {
    is_made: bool,
    slot: usize,
    launch: Launch,
    /// The slot of the kernel before, and what is released after it.
    before: usize,
    release: u16,
    /// What it was, for it to be taken back.
    is_journaled: bool,
    /// Nothing is written yet.
    is_planned: bool,
    every: bool,
    unlabelled: bool,
    entries: [Bitmap; NUM_SLOTS],
}

impl Ahead {
    /// None.
    pub(super) const NONE: Self = Self {
        is_made: false,
        slot: 0,
        launch: NOTHING,
        before: 0,
        release: 0,
        is_journaled: false,
        is_planned: false,
        every: false,
        unlabelled: false,
        entries: [Bitmap::EMPTY; NUM_SLOTS],
    };
}

/// No launch.
const NOTHING: Launch = Launch {
    releases: false,
    scheduled: 0,
    masks: Masks { release: 0, acquire: 0 },
    unlabelled: false,
};

impl<L: Layout> Processor<L> {
    /// Decides a launch ahead where there is one. True where that was tried.
    pub(super) fn decide_ahead<B: Bus>(&mut self, bus: &mut B) -> bool {
        let config = &self.table.config;
        if !config.ahead || config.sync_mode != SyncMode::Cpelide || self.ahead.is_made {
            return false;
        }
        let Some((slot, before)) = self.next_ahead(bus) else { return false };
        self.declined |= 1 << slot;
        let kernel = self.running.kernels[before];
        self.ahead.every = self.every;
        (self.ahead.slot, self.ahead.before, self.ahead.release) = (slot, before, 0);
        self.ahead.unlabelled = kernel.unlabelled;
        (self.ahead.is_journaled, self.ahead.is_planned) = (false, false);
        self.ahead.entries[before] = kernel.entries;
        let mut launch = None;
        if !self.releases[before] {
            self.running.end(before);
            launch = self.unchanged(bus, slot);
            self.forget_held();
            self.running.kernels[before] = kernel;
            self.running.len += 1;
        }
        if launch.is_none() {
            // Where a line has one copy no launch waits for the table to be written.
            if self.table.config.home_aware {
                self.plan_ahead(bus);
                return true;
            }
            launch = self.decide_at_length(bus);
            self.running.len += 1;
        }
        // It runs on, and has nothing that a decision need know.
        let none = Bitmap::EMPTY;
        self.running.kernels[before] = Kernel { entries: none, unlabelled: false, ..kernel };
        self.ahead.launch = launch.unwrap_or(NOTHING);
        self.ahead.is_made = true;
        if launch.is_none() {
            self.undo(bus);
        }
        true
    }

    /// Decides a launch that may change more than states. None where it is none, or where not all
    /// that it overwrites could be kept.
    #[inline(never)]
    fn decide_at_length<B: Bus>(&mut self, bus: &mut B) -> Option<Launch> {
        let Ahead { slot, before, .. } = self.ahead;
        self.ahead.entries = self.running.kernels.map(|kernel| kernel.entries);
        self.ahead.is_journaled = true;
        self.table.open_journal();
        self.ahead.release = self.end(bus, before);
        while self.write_behind(bus) {}
        let packet = Packet::read_again(bus, slot, &self.table.config).ok();
        let launch = packet
            .filter(|packet| packet.kind == Kind::Dispatch)
            .map(|packet| self.launch(bus, slot, &packet));
        launch.filter(|_| self.table.close_journal())
    }

    /// Plans a launch where a line has one copy, which neither reads nor writes what the end of the
    /// kernel before changes.
    #[inline(never)]
    fn plan_ahead<B: Bus>(&mut self, bus: &mut B) {
        let slot = self.ahead.slot;
        let packet = Packet::read_again(bus, slot, &self.table.config);
        let is_plain = |p: &Packet| p.kind == Kind::Dispatch && !p.acquires && !self.every;
        let packet = packet.ok().filter(is_plain);
        let Some(packet) = packet else { return };
        let header = self.scheduled(bus, slot, &packet).ok().filter(|header| header.usable);
        let Some(plan) = header.and_then(|header| self.plan(bus, slot, &header, false)) else {
            return;
        };
        let Packet { releases, .. } = packet;
        let scheduled = self.scheduled.mask;
        let masks = Masks::default();
        self.ahead.launch = Launch { releases, scheduled, masks, unlabelled: false };
        self.behind.set_plan(plan);
        (self.ahead.is_made, self.ahead.is_planned) = (true, true);
    }

    /// The oldest packet that waits for nothing but a kernel that runs, and the slot of that.
    fn next_ahead<B: Bus>(&self, bus: &mut B) -> Option<(usize, usize)> {
        let valid = bus.get(reg::PKT_STAT) & 15;
        let runs = |slot: &usize| self.running.kernels[*slot].chiplets != 0;
        let mut next: Option<(usize, usize)> = None;
        for slot in slots(valid & !self.declined).filter(|slot| !runs(slot)) {
            let mut before = slots(valid).filter(|&other| self.arrivals.follows(slot, other));
            let (Some(first), None) = (before.next(), before.next()) else { continue };
            if runs(&first) && next.is_none_or(|(next, _)| self.arrivals.is_behind(next, slot)) {
                next = Some((slot, first));
            }
        }
        next
    }

    /// What is released after the kernel of this slot, where a decision ahead says so. Any other
    /// kernel's end takes that decision back.
    pub(super) fn released_ahead<B: Bus>(&mut self, bus: &mut B, slot: usize) -> Option<u16> {
        let Ahead { is_made, is_planned, before, release, .. } = self.ahead;
        if !is_made || before != slot {
            self.take_back(bus);
            return None;
        }
        (!is_planned).then_some(release)
    }

    /// The kernel of this slot has ended, and its successor is decided: it is launched.
    pub(super) fn carry_out<B: Bus>(&mut self, bus: &mut B, slot: usize) {
        debug_assert!(self.waiting == Waiting::Nothing, "its operations are done");
        let Ahead { is_made, is_planned, slot: next, launch, before, .. } = self.ahead;
        if is_made && before == slot {
            self.ahead.is_made = false;
            bus.stopwatch(1);
            self.table.report.send(bus);
            bus.count(count::AHEAD, 1);
            if is_planned {
                self.behind.launch_planned(next);
            }
            self.send(bus, next, launch);
        }
    }

    /// A decision ahead that another one comes before is made anew.
    #[inline(never)]
    pub(super) fn take_back<B: Bus>(&mut self, bus: &mut B) {
        if self.ahead.is_made {
            self.declined &= !(1 << self.ahead.slot);
            bus.count(count::ANEW, 1);
            self.undo(bus);
        }
    }

    #[inline(never)]
    fn undo<B: Bus>(&mut self, bus: &mut B) {
        let Ahead { slot, before, is_journaled, every, unlabelled, .. } = self.ahead;
        self.ahead.is_made = false;
        if self.ahead.is_planned {
            self.table.report = Report::NEW;
            return;
        }
        if is_journaled {
            self.table.take_back(bus);
            self.table.report = Report::NEW;
            self.every = every;
            let entries = &self.ahead.entries;
            for (kernel, entries) in self.running.kernels.iter_mut().zip(entries) {
                kernel.entries = *entries;
            }
        } else {
            self.table.exchange(bus);
            self.running.kernels[slot].entries = Bitmap::EMPTY;
            self.running.kernels[before].entries = self.ahead.entries[before];
        }
        self.running.kernels[before].unlabelled = unlabelled;
        self.forget_held();
    }
}
