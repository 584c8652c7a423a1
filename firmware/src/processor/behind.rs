//! Where a line has one copy (`home_aware`, specification 5.9) what a launch asks for does not
//! depend on what its kernel touches: the kernel is launched, then the table is updated. What that
//! makes of the table is known soon; it is written when there is nothing else to do, a step at a
//! time.

use super::{Launch, Processor};
use crate::at_home::Plan;
use crate::bitmap::Bitmap;
use crate::bus::Bus;
use crate::decide::Masks;
use crate::labels::Header;
use crate::layout::Layout;
use crate::packet::Packet;
use crate::vector::spread;

/// What the table does not know yet. Without anything all is zero, as memories are at the start.
#[derive(Debug)]
pub(super) struct Behind {
    /// One more than the slot of a kernel whose labels are not read; 0 for none.
    unread: u8,
    /// Its launch is planned.
    is_planned: bool,
    /// Its labels elide nothing.
    is_needless: bool,
    /// A plan is carried out, which is adopted or not; of the kernel in this slot, which has ended
    /// or not.
    is_carried_out: bool,
    is_adopted: bool,
    has_ended: bool,
    slot: u8,
    /// What was released at the end of a kernel, when all of the plan is written.
    released: u16,
    /// [`Processor::held`] is known, and is this.
    is_known: bool,
    held: [u32; 2],
    /// What the last launch asked for.
    masks: Masks,
    plan: Plan,
}

impl Behind {
    /// Nothing.
    pub(super) const NONE: Self = Self {
        unread: 0,
        is_planned: false,
        is_needless: false,
        is_carried_out: false,
        is_adopted: false,
        has_ended: false,
        slot: 0,
        released: 0,
        is_known: false,
        held: [0; 2],
        masks: Masks { release: 0, acquire: 0 },
        plan: Plan::NONE,
    };

    /// A launch is planned, to be made later; nothing else is.
    pub(super) fn set_plan(&mut self, plan: Plan) {
        self.plan = plan;
    }

    /// The kernel of a slot is launched, whose launch is planned.
    pub(super) fn launch_planned(&mut self, slot: usize) {
        (self.unread, self.is_planned, self.masks) = (slot as u8 + 1, true, Masks::default());
    }
}

impl<L: Layout> Processor<L> {
    /// Launches a kernel. The table is updated while it runs.
    #[inline(never)]
    pub(super) fn launch_at_home<B: Bus>(&mut self, bus: &mut B, slot: usize, packet: &Packet) {
        let scheduled = self.scheduled(bus, slot, packet).map(|_| self.scheduled.mask);
        self.behind.is_needless = scheduled.is_ok() && self.elides_nothing(packet);
        let masks = if packet.acquires { self.at_home(bus) } else { Masks::default() };
        self.behind.unread = slot as u8 + 1;
        self.behind.masks = masks;
        let scheduled = scheduled.unwrap_or(packet.chiplets);
        let Packet { releases, .. } = *packet;
        self.send(bus, slot, Launch { releases, scheduled, masks, unlabelled: false });
    }

    /// The operations of a system acquire where a line has one copy.
    fn at_home<B: Bus>(&mut self, bus: &mut B) -> Masks {
        let acquire = self.foreign(bus);
        Masks { release: self.dirty(bus) & acquire, acquire }
    }

    /// A kernel has started: reads the labels of one that the table does not know.
    #[inline(never)]
    pub(super) fn catch_up<B: Bus>(&mut self, bus: &mut B) {
        let Some(slot) = usize::from(core::mem::take(&mut self.behind.unread)).checked_sub(1)
        else {
            return;
        };
        if core::mem::take(&mut self.behind.is_planned) {
            while self.write_behind(bus) {}
            return self.begin(bus, slot, self.behind.plan);
        }
        // What is not written yet of entries that go with this launch need not be.
        while self.adopt_behind() {}
        if core::mem::take(&mut self.behind.is_needless) {
            if self.leave_unread(bus, slot).is_some() {
                return;
            }
        } else if self.behind.masks.acquire == 0 {
            while self.write_behind(bus) {}
            if self.unchanged(bus, slot).is_some() {
                return self.forget_held();
            }
        }
        let Ok(packet) = Packet::read_again(bus, slot, &self.table.config) else { return };
        if self.plan_behind(bus, slot, &packet).is_some() {
            return;
        }
        while self.write_behind(bus) {}
        let launch = self.launch(bus, slot, &packet);
        self.running.kernels[slot].unlabelled = launch.unlabelled;
        self.table.report.send(bus);
    }

    /// Plans a launch, to be written later.
    fn plan_behind<B: Bus>(&mut self, bus: &mut B, slot: usize, packet: &Packet) -> Option<()> {
        let header = self.scheduled(bus, slot, packet).ok().filter(|header| header.usable)?;
        let masks = self.behind.masks;
        let plan = self.plan(bus, slot, &header, masks.acquire != 0)?;
        self.table.report.implied += masks.release.count_ones();
        self.table.report.send(bus);
        self.every &= self.running.any_unlabelled();
        self.begin(bus, slot, plan);
        Some(())
    }

    /// Of a kernel whose labels elide nothing, the table records only that it may touch anything.
    fn leave_unread<B: Bus>(&mut self, bus: &mut B, slot: usize) -> Option<()> {
        let Masks { release, acquire } = self.behind.masks;
        if acquire != 0 && (!L::INDEX || self.running.use_any()) {
            return None;
        }
        self.table.report.implied += release.count_ones();
        self.table.report.conservative += 1;
        self.table.report.send(bus);
        self.every = true;
        self.running.kernels[slot].unlabelled = true;
        if acquire != 0 {
            self.begin(bus, slot, Plan::EMPTY);
        }
        Some(())
    }

    /// Begins to carry a plan out.
    fn begin<B: Bus>(&mut self, bus: &mut B, slot: usize, plan: Plan) {
        let held = plan.held(if self.behind.masks.acquire == 0 { self.held(bus) } else { [0; 2] });
        let slot = slot as u8;
        self.behind =
            Behind { is_carried_out: true, slot, plan, is_known: true, held, ..Behind::NONE };
        if self.running.len > 1 {
            while self.write_behind(bus) {}
        }
    }

    /// Plans a launch where a line has one copy.
    pub(super) fn plan<B: Bus>(
        &mut self,
        bus: &mut B,
        slot: usize,
        header: &Header,
        is_emptied: bool,
    ) -> Option<Plan> {
        if !L::INDEX || !self.table.config.home_aware || is_emptied && self.running.use_any() {
            return None;
        }
        let mut from = Some(0);
        if self.behind.is_carried_out {
            from = self.behind.plan.room(header.structures as usize);
            if from.is_none() {
                while self.write_behind(bus) {}
            }
        }
        let Self { table, records, scheduled, .. } = self;
        table.plan(bus, slot, (header, scheduled), records, from.unwrap_or(0), is_emptied)
    }

    /// Does a step of what is to be written. False where there is nothing.
    #[inline(never)]
    pub(super) fn write_behind<B: Bus>(&mut self, bus: &mut B) -> bool {
        if self.adopt_behind() {
            return true;
        }
        let Behind { is_carried_out, plan, released, .. } = &mut self.behind;
        if *is_carried_out {
            *is_carried_out = self.table.carry_on(bus, &self.records, plan);
            return true;
        }
        let release = core::mem::take(released);
        if release != 0 {
            let masks = Masks { release, acquire: 0 };
            self.table.whole_cache(bus, &self.running, masks, &Bitmap::EMPTY);
        }
        release != 0
    }

    /// Adopts an entry of the plan that is carried out. False where that is done.
    fn adopt_behind(&mut self) -> bool {
        let Behind { is_carried_out, is_adopted, has_ended, slot, ref mut plan, .. } = self.behind;
        if !is_carried_out || is_adopted {
            return false;
        }
        match self.table.adopt(&mut self.records, plan) {
            Some(entry) if !has_ended => {
                self.running.kernels[usize::from(slot)].entries.insert(entry);
            }
            Some(_) => {}
            None => self.behind.is_adopted = true,
        }
        true
    }

    /// The kernel of a slot has ended.
    pub(super) fn ended_behind(&mut self, slot: usize) {
        self.behind.has_ended |= usize::from(self.behind.slot) == slot;
    }

    /// These chiplets are released after a kernel. True where the table is updated later: no
    /// kernel uses any of it.
    pub(super) fn released_behind(&mut self, release: u16) -> bool {
        let is_later = self.table.config.home_aware && self.running.len == 0;
        if is_later {
            self.behind.held[1] &= !spread(release);
            let Behind { is_carried_out, ref mut plan, .. } = self.behind;
            if is_carried_out && plan.is_emptied && plan.is_unwritten() {
                plan.is_clean = true;
            } else {
                self.behind.released |= release;
            }
        }
        is_later
    }

    /// Bit `2i` for each chiplet that holds any line, that holds dirty ones, when all is written.
    pub(super) fn held<B: Bus>(&mut self, bus: &mut B) -> [u32; 2] {
        if !self.behind.is_known {
            self.behind.held = self.table.held(bus);
            self.behind.is_known = self.table.config.home_aware;
        }
        self.behind.held
    }

    /// The table has changed.
    pub(super) fn forget_held(&mut self) {
        self.behind.is_known = false;
    }
}
