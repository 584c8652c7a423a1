//! The block's cycles: its decisions, and the lines that have come and gone of which the policy
//! notifies it.

use hwmodel::Block;
use ports::sharing::sharing_l2_policy::In;
use ports::sharing::types::{Action, L2Fill, Lookup, Place, act};

use super::{Line, PRIVATE, Pending, Policy, SHARED, UNKNOWN, WAITS};
use crate::cache::{Way, Ways};
use crate::context::Context;
use crate::engine::Cycle;
use crate::sharing::{report, report_if};

impl Policy {
    /// The edges of all cycles before this one.
    pub(super) fn advance(&mut self, ctx: &mut Context) {
        let now: Cycle = ctx.now;
        if self.block.cycle() >= now {
            return;
        }
        if self.inputs != In::default() {
            let inputs = std::mem::take(&mut self.inputs);
            self.block.tick(&inputs);
            self.see(ctx, &inputs);
        }
        self.block.catch_up(now, &In::default());
        self.notify();
    }

    /// What has become of the last inputs.
    fn see(&mut self, ctx: &mut Context, inputs: &In) {
        let (out, cycle) = (self.block.outputs(), self.block.cycle() - 1);
        report(ctx, &self.place, out.err);
        if inputs.flush {
            for _ in 0..self.gone.len() {
                let way = self.gone.pop_front().expect("one per removed line");
                match self.lines[way as usize] {
                    Line::Valid => self.forget(way),
                    // It has come and gone since.
                    _ => self.gone.push_back(way),
                }
            }
        }
        if let Some(place) = inputs.inv {
            let way = self.way_of(place.set, place.way);
            self.forget(way);
        }
        if let Some(L2Fill { mshr, set, way }) = inputs.fill {
            let way = self.way_of(set, way);
            self.lines[way as usize] = Line::Valid;
            self.shared[way as usize] = out.fsf;
            self.users.fill(way, cycle);
            let fsf = out.fsf.unwrap_or(false);
            report_if(ctx, &self.place, self.users.are_several(way) != fsf, "fsf, of a line");
            self.valid += 1;
            self.mshrs.push(mshr);
            self.stalled = None;
        }
        let (Some(said), Some(lookup)) = (out.act, inputs.lk) else { return };
        match (self.lookup.take(), &mut self.pending) {
            (Some((request, way)), _) => {
                let is_shared = self.users.add(way, &lookup) && !lookup.is_local;
                report_if(ctx, &self.place, said.sf != is_shared, "sf, of an access");
                if (said.act, said.sf) == (act::HIT, true) {
                    self.users.reuse(way, cycle);
                }
                ctx.messages[request].hint = match (said.act, said.sf) {
                    (act::HIT, false) => PRIVATE,
                    (act::HIT, true) => SHARED,
                    (act::MERGE, _) => WAITS,
                    _ => UNKNOWN,
                };
            }
            (None, Some(pending)) if said.act == act::STALL => {
                self.mshrs.push(pending.mshr);
                self.stalled = Some(pending.request);
                self.pending = None;
            }
            (None, Some(pending)) => {
                pending.said = Some(said);
                let mshr = pending.mshr;
                let breaks = lookup.is_local && self.manages && said.act == act::ALLOC;
                report_if(ctx, &self.place, breaks, "act, of a private access (P2)");
                match said.act {
                    act::ALLOC => self.reserve(&lookup, said),
                    _ => self.mshrs.push(mshr),
                }
            }
            (None, None) => unreachable!("a request has asked"),
        }
    }

    /// The block has reserved a way for the pending request.
    fn reserve(&mut self, lookup: &Lookup, said: Action) {
        let way = self.way_of(lookup.set, said.way);
        self.valid -= usize::from(said.evict_valid);
        self.stays(way);
        self.users.begin(way, lookup);
        self.pending.as_mut().expect("it has asked").way = Some(way);
    }

    /// The block need not hear that the line of a way has gone.
    fn stays(&mut self, way: Way) {
        if let Some(at) = self.gone.iter().position(|&gone| gone == way) {
            self.gone.remove(at);
            self.gone_of[(way / self.ways) as usize] -= 1;
        }
    }

    /// The pending request takes a way of those that are free: the block's, or, where a request
    /// waits for a line there that is valid for the block, another one, which changes numbers
    /// with it.
    pub(super) fn take(&mut self, Ways { first, free }: Ways) -> Option<Way> {
        let Pending { way, mshr, .. } = self.pending?;
        let mut way = way?;
        if free >> (way - first) & 1 == 0 {
            let is_valid = |&other: &Way| self.lines[other as usize] == Line::Valid;
            let mut others = (0..self.ways).filter(|n| free >> n & 1 == 1).map(|n| first + n);
            let other = others.find(is_valid)?;
            self.stays(other);
            self.numbers.swap(way as usize, other as usize);
            self.users.swap(way as usize, other as usize);
            way = other;
            self.pending.as_mut()?.way = Some(way);
        }
        self.lines[way as usize] = Line::Reserved(mshr);
        self.shared[way as usize] = None;
        Some(way)
    }

    /// The block knows that a line has gone.
    fn forget(&mut self, way: Way) {
        self.lines[way as usize] = Line::Absent;
        self.valid -= 1;
        self.gone_of[(way / self.ways) as usize] -= 1;
    }

    /// Notifies the block of a filled line, and of an evicted one, or of all.
    fn notify(&mut self) {
        if let Some(way) = self.filled.pop_front() {
            self.fill_now(way);
        }
        if self.gone.is_empty() {
            return;
        }
        let is_valid = |way: &Way| self.lines[*way as usize] == Line::Valid;
        if self.gone.len() == self.valid && self.gone.iter().all(is_valid) {
            self.inputs.flush = true;
        } else if is_valid(&self.gone[0])
            && let Some(way) = self.gone.pop_front()
        {
            self.inputs.inv = Some(self.number_of(way));
        }
    }

    /// Notifies it of a filled line.
    fn fill_now(&mut self, way: Way) {
        let Line::Reserved(mshr) = self.lines[way as usize] else {
            unreachable!("it was waited for")
        };
        let Place { set, way } = self.number_of(way);
        self.inputs.fill = Some(L2Fill { mshr, set, way });
    }

    /// A line has come.
    pub(super) fn come(&mut self, way: Way) {
        match self.inputs.fill {
            None => self.fill_now(way),
            Some(_) => self.filled.push_back(way),
        }
    }
}
