//! What comes back: from the unit, and lines from the L2 (specification 5.7 U5, U7, U8).

use ports::race::types::{Done, Fill, rsp_kind};

use super::super::ids::About;
use super::super::rule::Rule;
use super::order::record;
use super::{Install, LoadStoreUnit};
use crate::check::sequential::Version;
use crate::context::message::Message;
use crate::engine::pool::Handle;
use crate::l1::Port;

impl LoadStoreUnit {
    /// An answer of the unit is in force.
    pub(super) fn see_done(&mut self, port: &mut Port, done: Done) {
        if done.sync && self.keeps(Rule::NoInstallSyncs) {
            for miss in self.misses.iter_mut() {
                // Modulo: it may wait for more epochs than that can say (U8).
                miss.no_install |= miss.header.is_some_and(|epoch| self.checks.age(epoch) == 2);
            }
        }
        if done.kind == rsp_kind::FORCED {
            return;
        }
        match self.ids.about(done.id) {
            About::Miss(at) => {
                let at = usize::from(at);
                self.misses[at].header = Some(done.epoch);
                if self.misses[at].has_come {
                    self.come.retain(|&other| other != at);
                    self.come.push_front(at);
                }
            }
            About::Check(way, addr) => {
                self.ids.give(done.id);
                if self.lines.find(addr) == Some(way) {
                    self.act.hc_clr = Some(way as u8);
                }
                let at = self.checking.iter().position(|&(line, _)| line == addr);
                let (_, waves) = self.checking.swap_remove(at.expect("it is checked"));
                match done.kind == rsp_kind::NORACE && !self.keeps(Rule::LookUpAgain) {
                    true => self.serve_checked(port, addr, waves),
                    false => self.waves.again(waves),
                }
            }
            About::Write { .. } => self.ids.half_over(done.id),
            About::Nothing => unreachable!("an answer without a waiting request"),
        }
    }

    /// Without U5: loads whose line was checked, and is still there, are served as it is.
    #[cold]
    fn serve_checked(&mut self, port: &mut Port, addr: u64, waves: u64) {
        let Some(way) = self.lines.find(addr) else { return self.waves.again(waves) };
        let found = self.lines.copy(way);
        let mut left = waves;
        while left != 0 {
            let wave = left.trailing_zeros() as usize;
            left &= left - 1;
            let request = self.waves.oldest(wave);
            record(port, request, found.seen.version, &found.seen.own, &found.data);
            port.finish(request, Some(&found.data), 1);
            self.waves.acted(wave);
        }
    }

    /// One miss whose data and header have come is complete.
    pub(super) fn complete_next(&mut self) {
        while let Some(at) = self.come.pop_front() {
            if self.misses[at].header.is_some() {
                self.complete(at);
                self.is_stirred |= !self.come.is_empty();
                return;
            }
        }
    }

    /// A miss is complete: its line is installed at the end of the cycle (U7).
    fn complete(&mut self, at: usize) {
        let miss = self.misses.end(at);
        if self.youngest == Some(at) {
            self.youngest = None;
        }
        let epoch = match self.keeps(Rule::HeaderEpoch) {
            true => miss.header.unwrap_or(0),
            false => (0..32).find(|&epoch| self.checks.age(epoch) == 0).expect("it is now"),
        };
        self.ids.give(miss.id);
        let is_kept = !miss.no_install && self.checks.age(epoch) <= 1;
        self.counters.no_install += u64::from(!is_kept);
        if is_kept {
            self.act.fill = Some(Fill { line: miss.way as u8, epoch });
        }
        let (way, data, version) = (miss.way, miss.data, miss.version);
        let epoch = is_kept.then_some(epoch);
        self.install = Some(Install { way, data, version, epoch });
        self.waves.again(miss.waves);
    }

    /// The data of a line have come: those who wait get them.
    pub(super) fn come(&mut self, port: &mut Port, at: usize, answer: Handle<Message>) {
        let Message { line, sideband, .. } = port.ctx.messages[answer];
        let data = port.ctx.lines[line];
        let version = Version::of(sideband);
        let miss = &mut self.misses[at];
        (miss.data, miss.version, miss.has_come) = (data.0, version, true);
        let mut request = std::mem::take(&mut miss.waiters).first();
        while request.is_some() {
            let next = port.ctx.messages[request].next;
            record(port, request, version, &[], &data.0);
            port.finish(request, Some(&data.0), 0);
            request = next;
        }
        port.ctx.drop_message(answer);
        self.come.push_back(at);
    }
}
