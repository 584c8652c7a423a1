//! What a CU says of its accesses where their order is checked.

use super::Core;
use super::wave::State;
use crate::context::Context;
use crate::sequential::WaveOf;

impl Core {
    /// A work-group starts, with the waves that are `Starting`.
    #[cold]
    pub(super) fn tell_group(&self, ctx: &mut Context, slot: usize, number: u32) {
        let Some(order) = &mut ctx.sequential else { return };
        let starting = |at: &usize| self.waves[*at].state == State::Starting;
        let waves: Vec<_> = (0..self.waves.len()).filter(starting).collect();
        order.begin_group(self.unit, slot, number, &waves);
    }

    /// A line is handed to the L1.
    #[cold]
    pub(super) fn tell_issue(&self, ctx: &mut Context, tag: u32) {
        let Some(order) = &mut ctx.sequential else { return };
        let t = &self.transactions[tag];
        order.issue(WaveOf { cu: self.unit, slot: t.wave.into() }, t.place, tag);
    }

    /// The L1 has not taken it.
    #[cold]
    pub(super) fn tell_cancel(&self, ctx: &mut Context, tag: u32) {
        let Some(order) = &mut ctx.sequential else { return };
        let t = &self.transactions[tag];
        order.cancel(WaveOf { cu: self.unit, slot: t.wave.into() });
    }
}
