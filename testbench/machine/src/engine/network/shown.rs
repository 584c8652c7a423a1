//! State that a network shows: what its outlets and inlets are, what they have carried, what they
//! hold, and which messages wait.

use super::{Network, Outlet, OutletId, OutletSpec};
use crate::context::message::{CLASSES, Message, Unit};
use crate::engine::inlet::{Inlet, InletId, InletSpec};
use crate::engine::passage::HERE;
use crate::engine::pool::Handle;
use crate::engine::{ComponentId, Cycle};

impl Network {
    /// All outlets: what they are and what they have carried, for statistics.
    pub fn iter(&self) -> impl Iterator<Item = (&OutletSpec, &[u64; CLASSES])> {
        self.outlet_specs.iter().zip(self.outlets.iter().map(|o| &o.bytes))
    }

    /// Bytes that all outlets have carried, and messages that were not taken: the same again
    /// where nothing has moved.
    pub fn sent_and_held(&self) -> (u64, u64) {
        self.outlets.iter().fold((0, 0), |(sent, held), o| {
            (sent + o.bytes.iter().sum::<u64>(), held + u64::from(o.sent.wrapping_sub(o.taken)))
        })
    }

    /// All outlets, and how many messages each holds.
    pub fn held(&self) -> impl Iterator<Item = (&OutletSpec, u32)> {
        let held = self.outlets.iter().map(|o| o.sent.wrapping_sub(o.taken));
        self.outlet_specs.iter().zip(held)
    }

    /// Shows the outlets of this thread: messages that each holds, and whether its producer waits
    /// for a free entry.
    pub fn show_own(&self, mut see: impl FnMut(OutletId, &OutletSpec, u32, bool)) {
        for ((id, o), spec) in (0..).map(OutletId).zip(&self.outlets).zip(&self.outlet_specs) {
            if o.shard == HERE {
                see(id, spec, o.sent.wrapping_sub(o.taken), o.producer_waits);
            }
        }
    }

    /// Shows the messages of outlets whose producers wait, or that another thread has: outlet,
    /// order, and who takes it.
    pub fn show_awaited(&self, mut see: impl FnMut(OutletId, u64, ComponentId)) {
        for inlet in &self.inlets {
            for entry in inlet.entries() {
                let o = &self.outlets[entry.outlet()];
                if o.producer_waits || o.shard != HERE {
                    see(OutletId(entry.outlet() as u32), entry.order, inlet.consumer);
                }
            }
        }
    }

    /// What an outlet is, and how many messages it holds.
    pub fn outlet(&self, id: OutletId) -> (&OutletSpec, u32) {
        let o = &self.outlets[id.0 as usize];
        (&self.outlet_specs[id.0 as usize], o.sent.wrapping_sub(o.taken))
    }

    /// What an outlet is, and the inlet to which it leads for a unit.
    pub fn ends(&self, id: OutletId, to: Unit) -> (&OutletSpec, &InletSpec) {
        (&self.outlet_specs[id.0 as usize], &self.inlet_specs[self.route(id, to)])
    }

    /// When the message of `bytes` bytes that an outlet has sent last to a unit, early or not, can
    /// be taken if nothing is before it.
    pub fn visible(&self, id: OutletId, to: Unit, bytes: u32, is_early: bool) -> Cycle {
        let o = &self.outlets[id.0 as usize];
        let reached = if is_early { o.last_early } else { o.last };
        let spec = &self.inlet_specs[self.route(id, to)];
        let cycles = if spec.width == 0 { 0 } else { bytes.div_ceil(spec.width) };
        reached + Cycle::from(spec.latency + cycles.saturating_sub(1))
    }

    /// What an inlet is.
    pub fn inlet(&self, id: InletId) -> &InletSpec {
        &self.inlet_specs[id.0 as usize]
    }

    /// Inlets whose head waits although it is visible, with the head and its outlet: for the report
    /// of a deadlock.
    pub fn stuck(
        &self,
        now: Cycle,
    ) -> impl Iterator<Item = (InletId, Handle<Message>, OutletId)> + '_ {
        let stuck = move |id: &InletId| self.has(*id, now);
        (0..self.inlets.len() as u32).map(InletId).filter(stuck).map(|id| {
            let first = self.inlets[id.0 as usize].at(0);
            (id, first.message, OutletId(first.outlet() as u32))
        })
    }

    /// The full outlet through which a component wants to send, and the inlet that holds its oldest
    /// message.
    pub fn waited_for_by(&self, producer: ComponentId) -> Option<(OutletId, InletId)> {
        let waits = |o: &Outlet| o.producer_waits && o.producer == producer;
        let outlet = self.outlets.iter().position(waits)?;
        let oldest = |inlet: &Inlet| {
            inlet.entries().find(|entry| entry.outlet() == outlet).map(|entry| entry.order)
        };
        let inlets = self.inlets.iter().enumerate();
        let held = inlets.filter_map(|(at, inlet)| Some((oldest(inlet)?, at))).min()?;
        Some((OutletId(outlet as u32), InletId(held.1 as u32)))
    }
}
