//! Work-groups on a CU: their waves start, meet at barriers, and end.

use traces::trace::{Group, LANES};

use super::Core;
use super::wave::{Running, State, Wave};
use crate::context::Context;

impl Core {
    /// Starts a work-group: a wave for each part of a warp that is as wide as a wave and has
    /// work-items.
    pub(super) fn start(&mut self, ctx: &mut Context, group: Group, number: u32, launch: u8) {
        let items = ctx.launches[usize::from(launch)].items;
        self.counters.groups += 1;
        let slot = self.groups.iter().position(Option::is_none).expect("a group has a wave");
        let part = u64::MAX >> (LANES as u32 - self.spec.lanes);
        let mut waves = 0;
        for warp in 0..group.warps() {
            for shift in (0..LANES as u32).step_by(self.spec.lanes as usize) {
                let lanes = part << shift & items_of(warp, items);
                if lanes == 0 {
                    continue;
                }
                let at = self.waves.iter().position(|w| w.state == State::Free);
                let at = at.expect("the local command processor counts wave slots");
                let cursor = group.cursor(warp);
                let (state, group) = (State::Starting, slot as u16);
                self.waves[at] = Wave { state, group, cursor, lanes, ..Wave::default() };
                waves += 1;
            }
        }
        self.groups[slot] = Some(Running { group, launch, waves, at_barrier: 0 });
        self.running += 1;
        if ctx.orders() {
            self.record_group(ctx, slot, number);
        }
        let place = (ctx.layout.cu(self.unit), slot as u16);
        let now = ctx.now;
        if let Some(spans) = ctx.spans() {
            spans.groups.begin(now, place, launch, number);
        }
        if waves == 0 {
            self.end_group(ctx, slot);
        }
        for at in 0..self.waves.len() {
            if self.waves[at].state == State::Starting {
                if self.callbacks.waves {
                    let (l1, mut port) = self.l1_and_port(ctx);
                    l1.begin_wave(&mut port, at);
                }
                self.go_on(at, ctx.now);
            }
        }
    }

    /// All waves of a group that have not ended are at the barrier: they go on.
    pub(super) fn meet(&mut self, ctx: &mut Context, slot: usize) {
        let running = self.groups[slot].as_mut().expect("it runs");
        if running.at_barrier == 0 || running.at_barrier < running.waves {
            return;
        }
        running.at_barrier = 0;
        if ctx.orders() {
            self.record_barrier(ctx, slot);
        }
        let mut meet = 0;
        for at in 0..self.waves.len() {
            let wave = &self.waves[at];
            if wave.state == State::Barrier && usize::from(wave.group) == slot {
                meet |= 1 << at;
                self.go_on(at, ctx.now + 1);
            }
        }
        if self.callbacks.barrier {
            let (l1, mut port) = self.l1_and_port(ctx);
            l1.barrier(&mut port, meet);
        }
    }

    pub(super) fn end_wave(&mut self, ctx: &mut Context, at: usize) {
        if self.callbacks.waves {
            let (l1, mut port) = self.l1_and_port(ctx);
            l1.end_wave(&mut port, at);
        }
        let slot = usize::from(self.waves[at].group);
        self.stopped.change(&mut self.waves[at], State::Free);
        if ctx.orders() {
            self.record_end(ctx, at);
        }
        let running = self.groups[slot].as_mut().expect("it runs");
        running.waves -= 1;
        if running.waves == 0 {
            self.end_group(ctx, slot);
        } else {
            // A barrier does not wait for a wave that has ended.
            self.meet(ctx, slot);
        }
    }

    fn end_group(&mut self, ctx: &mut Context, slot: usize) {
        if let Some(order) = &mut ctx.sequential {
            order.end_group(self.unit, slot);
        }
        let place = (ctx.layout.cu(self.unit), slot as u16);
        let now = ctx.now;
        if let Some(spans) = ctx.spans() {
            spans.groups.end(now, place);
        }
        let ended = self.groups[slot].take().expect("it runs");
        self.running -= 1;
        self.ended[usize::from(ended.launch)] += 1;
    }
}

/// Lanes of a warp that have a work-item, in a work-group of `items`.
fn items_of(warp: usize, items: u32) -> u64 {
    let left = (items as usize).saturating_sub(warp * LANES).min(LANES) as u32;
    if left == 0 { 0 } else { u64::MAX >> (LANES as u32 - left) }
}
