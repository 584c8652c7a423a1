//! Stores and atomics are sent, replays taken, and lines changed at a cycle's end (specification
//! 5.7 U2, U8 to U12).

use ports::race::types::{Req, req_kind};

use super::super::checks::{Config, View};
use super::super::rule::Rule;
use super::order::wave_of;
use super::{Install, LoadStoreUnit, Sent};
use crate::check::sequential::WriteId;
use crate::context::message::{Kind, Message};
use crate::engine::pool::Handle;
use crate::l1::Port;

impl LoadStoreUnit {
    /// Whether anything is under way that `NoSpec` waits for.
    pub(super) fn is_busy(&self, view: &View) -> bool {
        view.out != 0 || !self.misses.is_idle() || self.atomics > 0
    }

    /// A store or atomic is sent, or must wait.
    pub(super) fn change(&mut self, port: &mut Port, request: Handle<Message>) -> bool {
        if self.sent.is_some() || (self.config == Config::NoSpec && self.is_busy(&self.view)) {
            self.is_stirred |= self.sent.is_some();
            return false;
        }
        if self.ids.is_full() || !self.checks.may_send(port) || !port.may_send(request) {
            return false;
        }
        let Message { kind, addr, mask, line, tag, .. } = port.ctx.messages[request];
        let data = port.ctx.lines[line].0;
        let wave = wave_of(port, request);
        let is_store = kind == Kind::Write;
        let write = match &mut port.ctx.sequential {
            Some(order) => order.send(wave, tag),
            None => WriteId::default(),
        };
        port.ctx.messages[request].sideband = write.packed();
        let is_sent = port.send(request);
        debug_assert!(is_sent, "it could be sent");
        let id = self.ids.take_write(tag);
        let kind = if is_store { req_kind::WRITE } else { req_kind::ATOM };
        self.send(port, Req { kind, id, mask, addr: addr as u32 }, write);
        self.forget_youngest();
        let stays = !self.keeps(Rule::NoInstallStores);
        if let Some(at) = self.misses.find(addr).filter(|_| !stays) {
            self.misses[at].no_install = true;
        }
        self.sent = Some(match is_store {
            true => Sent::Store { addr, mask, data, write },
            false => Sent::Atomic { addr },
        });
        self.atomics += u32::from(!is_store);
        match is_store {
            true => self.counters.stores += 1,
            false => self.counters.atomics += 1,
        }
        true
    }

    /// The warp goes back to a load: what it has not done is dropped (U12).
    pub(super) fn replay(&mut self, port: &mut Port, wave: usize, tag: u32) {
        let t = &port.transactions[tag];
        if self.without.is_some() && !(t.is_speculative() && usize::from(t.wave) == wave) {
            // Without a rule the queue may hold a load without a wave.
            return;
        }
        port.replay(tag);
        let mut load = self.looked_up.take_if(|load| load.wave == wave);
        if !self.keeps(Rule::ReplayLookup)
            && let Some(load) = load.take()
        {
            self.stays = Some(port.ctx.messages[self.waves.oldest(wave)].tag);
            self.load_acts(port, load);
        }
        self.waves.drop_all(wave, &mut self.dropping);
        if self.without.is_some() {
            self.take_older(port, wave, tag);
            let tags = self.dropping.iter().map(|&request| port.ctx.messages[request].tag);
            self.dropped = tags.collect();
        }
        for miss in self.misses.iter_mut() {
            miss.waves &= !(1 << wave);
        }
        for (_, waves) in &mut self.checking {
            *waves &= !(1 << wave);
        }
    }

    /// Without U12 a load that is done again may stand behind younger ones, and stays when one of
    /// those is replayed.
    #[cold]
    fn take_older(&mut self, port: &Port, wave: usize, tag: u32) {
        let place = port.transactions[tag].place;
        for request in std::mem::take(&mut self.dropping) {
            match port.transaction(request).place < place {
                true => self.waves.push(wave, request),
                false => self.dropping.push(request),
            }
        }
    }

    /// Waves whose store, atomic or barrier may go on.
    pub(super) fn release(&mut self, port: &mut Port) {
        let mut left = self.held;
        while left != 0 {
            let wave = left.trailing_zeros() as usize;
            left &= left - 1;
            if self.is_settled(wave) {
                self.held &= !(1 << wave);
                self.counters.store_hold += port.ctx.now - self.held_since[wave];
                port.go_on(wave);
            }
        }
    }

    /// All loads of a wave have acted, and none may have to be done again (U11).
    pub(super) fn is_settled(&self, wave: usize) -> bool {
        !self.waves.has(wave) && self.view.spec >> wave & 1 == 0
    }

    /// What the cycle does to the lines: what has come first (U7).
    pub(super) fn change_lines(&mut self) {
        if self.install.is_some()
            && let Some(Install { way, data, version, epoch }) = self.install.take()
        {
            match epoch {
                Some(_) => self.lines.install(way, &data[..self.line as usize], version),
                None => self.lines.give_up(way),
            }
        }
        if self.sent.is_none() && self.late.is_none() {
            return;
        }
        let mut sent = self.sent.take();
        if !self.keeps(Rule::LookupAfterSend) {
            // A load that is looked up a cycle later sees what it would have seen in this one.
            let is_store = matches!(sent, Some(Sent::Store { .. }));
            self.is_stirred |= is_store;
            let store = if is_store { sent.take() } else { None };
            if let Some(late) = std::mem::replace(&mut self.late, store) {
                self.change_line(late);
            }
        }
        if let Some(sent) = sent {
            self.change_line(sent);
        }
    }

    pub(super) fn change_line(&mut self, sent: Sent) {
        match sent {
            Sent::Store { addr, mask, data, write } => {
                self.lines.store(addr, mask, &data, write);
            }
            Sent::Atomic { addr } if self.keeps(Rule::AtomicTakes) => self.lines.forget(addr),
            Sent::Fetch { addr, way, miss } => self.lines.fetch(way, addr, miss),
            Sent::Atomic { .. } | Sent::Check => {}
        }
    }
}
