//! Loads are looked up, and act (specification 5.7 U1 to U6).

use ports::race::types::{Alloc, Req, req_kind, result};

use super::super::checks::{Config, View};
use super::super::ids::About;
use super::super::lines::{Found, whole};
use super::super::rule::Rule;
use super::order::record;
use super::{FETCH, LoadStoreUnit, LookedUp, Sent};
use crate::cache::Way;
use crate::check::sequential::WriteId;
use crate::context::message::Message;
use crate::engine::Cycle;
use crate::engine::pool::Handle;
use crate::l1::Port;

impl LoadStoreUnit {
    /// A load that was looked up acts. False when it cannot, and is looked up again.
    pub(super) fn load_acts(
        &mut self,
        port: &mut Port,
        LookedUp { wave, found }: LookedUp,
    ) -> bool {
        let request = self.waves.oldest(wave);
        match (self.view.rs.expect("it was looked up"), found) {
            (result::HIT, Some(found)) => self.hit(port, request, wave, &found),
            (result::HIT_NEEDCHK, Some(found)) => self.check(port, request, wave, found.way),
            _ => self.miss(port, request, wave),
        }
    }

    /// False without a slot for a load that may have to be done again.
    fn hit(
        &mut self,
        port: &mut Port,
        request: Handle<Message>,
        wave: usize,
        found: &Found,
    ) -> bool {
        if self.view.out != 0 && self.keeps(Rule::Allocate) {
            if !self.view.alloc_ready {
                self.wants_slot = true;
                return false;
            }
            let Message { tag, mask, addr, .. } = port.ctx.messages[request];
            let lk = self.lines.lookup(None, addr, mask);
            let (warp, name) = (wave as u8, tag as u16);
            self.act.alloc = Some(Alloc { warp, tag: name, size: lk.size, addr: lk.addr });
            port.speculate(tag);
        }
        self.counters.loads += 1;
        self.counters.hits += 1;
        record(port, request, found.seen.version, &found.seen.own, &found.data);
        port.finish(request, Some(&found.data), self.hit_latency.saturating_sub(1).max(1));
        self.waves.acted(wave);
        true
    }

    /// The hits of a line are used up: it is checked, and the load looked up again (U5).
    fn check(&mut self, port: &mut Port, request: Handle<Message>, wave: usize, way: Way) -> bool {
        let Message { addr, mask, .. } = port.ctx.messages[request];
        if let Some((_, waves)) = self.checking.iter_mut().find(|(line, _)| *line == addr) {
            *waves |= 1 << wave;
            return true;
        }
        if self.ids.is_full() || !self.ways_are_free(port) {
            return false;
        }
        let id = self.ids.take(About::Check(way, addr));
        self.checking.push((addr, 1 << wave));
        let request = Req { kind: req_kind::HITCHK, id, mask, addr: addr as u32 };
        self.send(port, request, WriteId::default());
        self.sent = Some(Sent::Check);
        self.forget_youngest();
        true
    }

    /// Whether the ways to the unit and to the L2 take a request now. Else who wants them is looked
    /// up again when they do.
    pub(super) fn ways_are_free(&mut self, port: &mut Port) -> bool {
        let are_free = self.checks.may_send(port) && port.ctx.may_send(port.below);
        self.wants_way |= !are_free;
        are_free
    }

    /// False when it must be looked up again (U6).
    fn miss(&mut self, port: &mut Port, request: Handle<Message>, wave: usize) -> bool {
        let Message { addr, mask, from, born, .. } = port.ctx.messages[request];
        if let Some(at) = self.misses.find(addr) {
            let joins = match self.config {
                // Behind an own store no load may get what comes.
                Config::Base => !self.misses[at].no_install,
                _ => self.youngest == Some(at) || !self.keeps(Rule::JoinYoungest),
            };
            if !joins {
                self.misses[at].waves |= 1 << wave;
                self.counters.merge_waits += 1;
                return true;
            }
            self.join(port, request, at);
        } else {
            if self.misses.is_full() {
                return false;
            }
            let Some(way) = self.lines.room(addr) else { return false };
            if self.ids.is_full() || !self.ways_are_free(port) {
                return false;
            }
            let at = self.misses.start(addr, way);
            let (tag, all) = (at as u32 | FETCH, whole(self.line));
            let fetch = Message { mask: all, addr, born, tag, from, ..Message::default() };
            let fetch = port.ctx.messages.put(fetch);
            if !port.send(fetch) {
                port.ctx.messages.free(fetch);
                self.misses.end(at);
                return false;
            }
            let id = self.ids.take(About::Miss(at as u16));
            self.misses[at].id = id;
            self.waves.fetched(addr);
            let check = Req { kind: req_kind::RDCHK, id, mask, addr: addr as u32 };
            self.send(port, check, WriteId::default());
            (self.youngest, self.sent) = (Some(at), Some(Sent::Fetch { addr, way, miss: at }));
            self.misses.park(port.ctx, at, request);
            self.counters.fetches_expired += u64::from(self.view.rs == Some(result::MISS_EXPIRED));
            self.counters.fetches_avu += u64::from(self.view.rs == Some(result::MISS_AVU));
        }
        self.counters.loads += 1;
        self.waves.acted(wave);
        true
    }

    /// Whether no cycle need be visited, at the end of this one, in which the next load in turn is
    /// looked up and cannot act: it misses, and all miss registers are taken.
    pub(super) fn may_repeat(&mut self, port: &Port) -> bool {
        let Some(LookedUp { wave, found: None }) = self.looked_up else { return false };
        self.misses.is_full()
            && self.may_look_up(&self.view)
            && !self.wants_way
            && !self.wants_slot
            && self.checks.may_repeat(port.ctx)
            && self.is_absent(port, wave)
    }

    /// A wave's oldest load is of a line that is neither held nor fetched.
    fn is_absent(&mut self, port: &Port, wave: usize) -> bool {
        if self.waves.is_known_to_miss(wave) {
            return true;
        }
        let addr = port.ctx.messages[self.waves.oldest(wave)].addr;
        let is_absent = self.lines.find(addr).is_none() && self.misses.find(addr).is_none();
        if is_absent {
            self.waves.misses(wave, addr);
        }
        is_absent
    }

    /// Cycles until one is to be visited where they repeat: until the next lookup of a load that
    /// may act.
    pub(super) fn cycles_until_one_may_act(&mut self, port: &Port) -> Cycle {
        while let Some((wave, before)) = self.waves.next_unknown() {
            if !self.is_absent(port, wave) {
                return before.into();
            }
        }
        Cycle::MAX
    }

    /// The cycles before `now` have passed that repeat.
    pub(super) fn repeat_lookups(&mut self, now: Cycle) {
        let mut lookups = 0;
        for _ in self.over + 1..now {
            let Some(load) = self.looked_up.take() else { break };
            self.waves.block(load.wave);
            self.looked_up = self.waves.take_turn().map(|wave| LookedUp { wave, found: None });
            lookups += u32::from(self.looked_up.is_some());
        }
        self.checks.repeat(lookups, self.looked_up.is_some());
        self.view = self.checks.view();
    }

    /// A load joins a pending miss of its line.
    fn join(&mut self, port: &mut Port, request: Handle<Message>, at: usize) {
        self.counters.merges += 1;
        let miss = &self.misses[at];
        if miss.has_come {
            record(port, request, miss.version, &[], &miss.data);
            port.finish(request, Some(&miss.data), self.hit_latency.saturating_sub(1).max(1));
        } else {
            self.misses.park(port.ctx, at, request);
        }
    }

    /// A request is sent that is no miss's check: no load joins a miss that is older (U6).
    pub(super) fn forget_youngest(&mut self) {
        if self.keeps(Rule::JoinYoungestOfAll) {
            self.youngest = None;
        }
    }

    /// Whether a load may be looked up in a cycle in which this is shown.
    pub(super) fn may_look_up(&self, view: &View) -> bool {
        let is_held = match self.config {
            Config::NoSpec => self.is_busy(view) || self.sent.is_some(),
            Config::Spec => view.out != 0 && !view.alloc_ready,
            _ => false,
        };
        view.lk_ready && !is_held
    }

    /// A load is looked up.
    pub(super) fn look_up(&mut self, port: &mut Port) {
        if !self.may_look_up(&self.view) {
            return;
        }
        let Some(wave) = self.waves.take_turn() else { return };
        let Message { addr, mask, .. } = port.ctx.messages[self.waves.oldest(wave)];
        let way = self.lines.find(addr);
        self.act.lk = Some(self.lines.lookup(way, addr, mask));
        let found = way.map(|way| self.lines.copy(way));
        self.looked_up = Some(LookedUp { wave, found });
    }
}
