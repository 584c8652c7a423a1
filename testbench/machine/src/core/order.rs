//! Records a CU's accesses if their order is checked.

use super::Core;
use super::wave::State;
use crate::check::sequential::WaveOf;
use crate::context::Context;

impl Core {
    /// A work-group starts, with the waves that are `Starting`.
    #[cold]
    pub(super) fn record_group(&self, ctx: &mut Context, slot: usize, number: u32) {
        let starting = |at: &usize| self.waves[*at].state == State::Starting;
        let waves: Vec<_> = (0..self.waves.len()).filter(starting).collect();
        if let Some(order) = &mut ctx.sequential {
            order.begin_group(self.unit, slot, number, &waves);
        }
        if let Some(timed) = &mut ctx.timed {
            timed.begin_group(self.unit, number, &waves);
        }
        if let Some(values) = &mut ctx.values {
            values.begin_group(self.unit, number, &waves);
        }
    }

    /// All waves of a work-group that have not ended are at a barrier.
    #[cold]
    pub(super) fn record_barrier(&self, ctx: &mut Context, slot: usize) {
        if let Some(order) = &mut ctx.sequential {
            order.barrier(self.unit, slot);
        }
        if let Some(timed) = &mut ctx.timed {
            let meets = |at: &usize| {
                let wave = &self.waves[*at];
                wave.state == State::Barrier && usize::from(wave.group) == slot
            };
            let waves: Vec<_> = (0..self.waves.len()).filter(meets).collect();
            timed.barrier(self.unit, &waves);
        }
    }

    /// A wave passes a fence, or ends.
    #[cold]
    pub(super) fn record_fence(&self, ctx: &mut Context, at: usize) {
        let Some(timed) = &mut ctx.timed else { return };
        timed.fence(WaveOf { cu: self.unit, slot: at }, ctx.now);
    }

    /// A wave ends.
    #[cold]
    pub(super) fn record_end(&self, ctx: &mut Context, at: usize) {
        self.record_fence(ctx, at);
        let Some(order) = &mut ctx.sequential else { return };
        order.end_wave(WaveOf { cu: self.unit, slot: at });
    }

    /// A line is handed to the L1.
    #[cold]
    pub(super) fn record_issue(&self, ctx: &mut Context, tag: u32) {
        let Some(order) = &mut ctx.sequential else { return };
        let t = &self.transactions[tag];
        order.issue(WaveOf { cu: self.unit, slot: t.wave.into() }, t.place, tag);
    }

    /// The L1 has not taken it.
    #[cold]
    pub(super) fn record_cancel(&self, ctx: &mut Context, tag: u32) {
        let Some(order) = &mut ctx.sequential else { return };
        let t = &self.transactions[tag];
        order.cancel(WaveOf { cu: self.unit, slot: t.wave.into() });
    }
}
