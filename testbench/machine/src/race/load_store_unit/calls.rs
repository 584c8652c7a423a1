//! The calls of the CU: requests, answers, and the steps of a cycle.

use traces::trace::{Instr, InstrKind};

use super::super::checks::Config;
use super::super::rule::Rule;
use super::order::record;
use super::{FETCH, LoadStoreUnit, Sent};
use crate::check::sequential::Version;
use crate::context::Stop;
use crate::context::message::{Kind, MAX_LINE, Message};
use crate::engine::pool::Handle;
use crate::l1::{Callbacks, IssuePolicy, L1, Port, Younger};
use crate::statistics::CounterValues;

impl L1 for LoadStoreUnit {
    fn request(&mut self, port: &mut Port, request: Handle<Message>) -> bool {
        self.begin(port);
        let Message { kind, addr, .. } = port.ctx.messages[request];
        if addr >> 32 != 0 {
            let problem = format!("address {addr:#x}: race detection names at most 32 bits");
            port.ctx.stop.get_or_insert(Stop::Limit(problem));
            return false;
        }
        if kind != Kind::Read {
            return self.change(port, request);
        }
        let wave = usize::from(port.transaction(request).wave);
        self.waves.push(wave, request);
        true
    }

    fn answer(&mut self, port: &mut Port, answer: Handle<Message>) {
        self.begin(port);
        self.waves.unblock();
        self.is_stirred = true;
        let Message { tag, kind, line, sideband, .. } = port.ctx.messages[answer];
        if tag & FETCH != 0 {
            return self.come(port, (tag & !FETCH) as usize, answer);
        }
        self.ids.answered(tag);
        if kind == Kind::Data {
            self.atomics -= 1;
            let data = port.ctx.lines[line].0;
            record(port, answer, Version::of(sideband), &[], &data);
        }
        port.finish_with(answer);
    }

    fn acquire(&mut self, port: &mut Port, _past: bool) -> bool {
        self.begin(port);
        // Answers of the unit may come after those of the L2.
        self.is_acquiring = !self.is_idle();
        if !self.is_acquiring {
            self.begin_kernel();
        }
        !self.is_acquiring
    }

    fn callbacks(&self) -> Callbacks {
        let speculation = self.config == Config::Spec;
        Callbacks {
            tick: true,
            end_cycle: true,
            may_issue: true,
            speculation,
            ..Callbacks::default()
        }
    }

    fn issue_policy(&self) -> IssuePolicy {
        IssuePolicy {
            stores_bypass_speculation: !self.keeps(Rule::StoresWait),
            bank_credits: (self.config != Config::Base).then_some(self.places),
            ..IssuePolicy::default()
        }
    }

    fn tick(&mut self, port: &mut Port) {
        if self.is_over(port) {
            return;
        }
        self.begin(port);
        self.take_beat(port);
        while let Some(done) = self.checks.next_done() {
            self.see_done(port, done);
            self.waves.unblock();
            self.is_stirred = true;
        }
        if self.config == Config::Ideal {
            // Its lookup was judged only now.
            self.view = self.checks.view();
        }
        self.complete_next();
        if let Some(load) = self.view.replay {
            self.replay(port, load.warp.into(), load.tag.into());
            self.is_stirred = true;
        }
        if let Some(load) = self.view.commit {
            port.confirm(load.tag.into());
            self.is_stirred = true;
        }
        if self.looked_up.is_some()
            && let Some(load) = self.looked_up.take()
        {
            let wave = load.wave;
            if !self.load_acts(port, load) {
                match self.install.is_some() {
                    // What it lacks may be free at the end of the cycle.
                    true => self.waves.again(1 << wave),
                    false => self.waves.block(wave),
                }
            }
        }
        if self.held != 0 {
            self.release(port);
        }
        if self.is_acquiring && self.is_idle() {
            self.is_acquiring = false;
            self.begin_kernel();
            port.acquired();
        }
    }

    fn may_issue(&mut self, port: &mut Port, wave: usize, instr: &Instr) -> bool {
        self.begin(port);
        let goes_on = instr.kind == InstrKind::Store && !self.keeps(Rule::StoresWait);
        let may = match instr.kind {
            InstrKind::Load => true,
            _ if goes_on => !self.waves.has(wave),
            _ => self.is_settled(wave),
        };
        if !may {
            self.held |= 1 << wave;
            self.held_since[wave] = port.ctx.now;
        }
        may
    }

    fn end_cycle(&mut self, port: &mut Port) {
        if self.is_over(port) {
            return;
        }
        if !self.dropping.is_empty() {
            for request in self.dropping.drain(..) {
                port.finish(request, Some(&[0; MAX_LINE]), 1);
            }
        }
        if (self.wants_way && self.ways_are_free(port))
            || (self.wants_slot && self.view.alloc_ready)
        {
            (self.wants_way, self.wants_slot) = (false, false);
            self.waves.unblock();
        }
        if !self.keeps(Rule::StoreAtSend)
            && let Some(store) = self.sent.take_if(|sent| matches!(sent, Sent::Store { .. }))
        {
            self.change_line(store);
        }
        self.look_up(port);
        self.change_lines();
        self.waves.end_cycle();
        self.checks.end(port.ctx, &self.act);
        self.over = port.ctx.now;
        self.view = self.checks.view();
        let is_ready = self.waves.any_ready();
        let may_look_up = is_ready && self.may_look_up(&self.view);
        self.count_stall(port.ctx.now + 1, is_ready && !may_look_up);
        let is_stirred = std::mem::take(&mut self.is_stirred);
        let moves = is_stirred
            || self.looked_up.is_some()
            || may_look_up
            || (self.wants_slot && self.view.alloc_ready);
        self.repeats = !is_stirred && self.may_repeat(port);
        let quiet = match moves {
            true if self.repeats => self.cycles_until_one_may_act(port),
            true => 0,
            false => self.checks.quiet_cycles(),
        };
        port.ctx.wake_after(quiet);
        self.await_beat(port);
    }

    fn stays(&self, younger: Younger) -> bool {
        match self.without {
            Some(Rule::ReplayYounger) => match younger {
                Younger::Over => true,
                Younger::UnderWay(tag) => !self.dropped.contains(&tag),
            },
            Some(Rule::ReplayMisses) => match younger {
                Younger::Over => true,
                Younger::UnderWay(_) => false,
            },
            Some(Rule::ReplayLookup) => match younger {
                Younger::Over => false,
                Younger::UnderWay(tag) => self.stays == Some(tag) && !self.dropped.contains(&tag),
            },
            _ => false,
        }
    }

    fn mshrs(&self) -> (u32, u32) {
        self.misses.used()
    }

    fn waits_for(&self) -> Option<String> {
        let out = self.view.out;
        (out > 0).then(|| format!("{out} requests to the race detection unit"))
    }

    fn counters(&self, all: &mut CounterValues) {
        let c = &self.counters;
        all.extend([
            ("loads", c.loads),
            ("hits", c.hits),
            ("stores", c.stores),
            ("atomics", c.atomics),
            ("invalidated_lines", c.invalidated),
            ("merges", c.merges),
            ("merge_waits", c.merge_waits),
            ("no_install", c.no_install),
            ("race_fetches_expired", c.fetches_expired),
            ("race_fetches_avu", c.fetches_avu),
            ("race_store_hold_cycles", c.store_hold),
            ("race_stall_cycles", c.stalled),
        ]);
        self.checks.counters(all);
    }
}
