//! The coherence directory as a hook of a bank: it keeps copies of its chiplet's lines in other
//! chiplets' L2s coherent (REC, J. Systems Architecture 160, 2025, section 2; directory
//! specification, section 6). The block, its invalidations on their way, and fences: a release
//! ends with one to each home where this chiplet has stored something since its last one, and the
//! home sees to it that this is visible to all (section 6, rule 7). It sends markers to those only
//! that have an invalidation of it on its way: they would say nothing to others.

use std::collections::VecDeque;

use cosim::socket::Socket;
use hwmodel::Block;
use hwmodel::directory::coherence_directory::CoherenceDirectory;
use ports::directory::coherence_directory::{In, Inv, Req, Variant, cause, op};

use crate::build::make::{BuildError, Make};
use crate::cache::Way;
use crate::context::layout::Site;
use crate::context::message::{Coherence, Kind, Message, Unit};
use crate::context::pages::{PAGE, PageMap};
use crate::context::{Context, Stop};
use crate::engine::Cycle;
use crate::engine::pool::Handle;
use crate::l2::hook::{BankHook, BankPort, Outcome};
use crate::l2::parameters;
use crate::statistics::CounterValues;

/// A fence whose markers are under way.
#[derive(Clone, Copy, Debug)]
struct Fence {
    /// Number of its request.
    seq: u8,
    releaser: Unit,
    /// Chiplets whose marker has not come back.
    missing: u32,
}

/// The directory beside a bank.
#[derive(Debug)]
pub struct Directory {
    /// Its socket.
    block: Socket<CoherenceDirectory>,
    chiplet: u16,
    /// Chiplets of all GPUs.
    homes: u16,
    /// The request that it is offered, and the receiver of a fence's answer.
    offered: Option<(Req, Unit)>,
    /// Requests that it has taken, modulo 256.
    taken: u8,
    /// By their numbers: the lines that they are about.
    about: Box<[u64; 256]>,
    /// An invalidation, and the chiplets that it has not been sent to.
    leaving: Option<(Inv, u16)>,
    /// Fences of others, whose stores are here.
    waiting: VecDeque<Unit>,
    fences: VecDeque<Fence>,
    /// Bit h: this bank's CUs have changed something at home h since its last fence.
    stored: u16,
    /// Homes that a release of this bank has not yet sent a fence.
    unasked: u16,
    /// Fences that have not been answered.
    unanswered: u16,
    /// Bit c: chiplet c has been sent an invalidation behind the last marker.
    unmarked: u16,
    /// By chiplet: markers that have not come back.
    markers: Vec<u16>,
    frames: Frames,
    /// Invalidations sent for a write to another line of the entry.
    inv_false: u64,
}

/// Of an ideal directory: which of its pages stands for which of the bank's, in the order of their
/// first use. Others have all addresses.
#[derive(Debug, Default)]
struct Frames {
    /// Frame + 1 of a page that has one.
    of: PageMap<u32>,
    pages: Vec<u64>,
    /// Frames that there are, 0 where none are needed.
    most: usize,
}

impl Directory {
    /// Beside a bank; none where no line is shared.
    pub fn make(make: &mut Make) -> Result<Option<Self>, BuildError> {
        let Some((config, name)) = parameters::of(make.system)? else { return Ok(None) };
        let block = make.socket(&name, &config)?;
        Ok(Some(Self::new(block, make.chiplet)))
    }

    fn new(block: Socket<CoherenceDirectory>, chiplet: u16) -> Self {
        let config = block.config();
        let most = match config.variant {
            Variant::Ideal => u64::from(config.ideal_lines) * u64::from(config.line) / PAGE,
            _ => 0,
        };
        let frames = Frames { most: most as usize, ..Frames::default() };
        let homes = config.gpus as u16;
        drop(config);
        Self {
            block,
            chiplet,
            homes,
            offered: None,
            taken: 0,
            about: Box::new([0; 256]),
            leaving: None,
            waiting: VecDeque::new(),
            fences: VecDeque::new(),
            stored: 0,
            unasked: 0,
            unanswered: 0,
            unmarked: 0,
            markers: vec![0; homes.into()],
            frames,
            inv_false: 0,
        }
    }

    /// The directory's address of a line. None when an ideal one has no room for it.
    fn address(&mut self, local: u64) -> Option<u64> {
        let frames = &mut self.frames;
        if frames.most == 0 {
            return Some(local);
        }
        let frame = frames.of.get_mut(local);
        if *frame == 0 {
            if frames.pages.len() == frames.most {
                return None;
            }
            frames.pages.push(local / PAGE);
            *frame = frames.pages.len() as u32;
        }
        Some(u64::from(*frame - 1) * PAGE + local % PAGE)
    }

    fn local(&self, address: u64) -> u64 {
        match self.frames.most {
            0 => address,
            _ => self.frames.pages[(address / PAGE) as usize] * PAGE + address % PAGE,
        }
    }

    /// One cycle of the block. In those since the last one nothing came.
    fn tick_block(&mut self, port: &mut BankPort) {
        let now = port.ctx.now;
        let self_id = self.chiplet as u8;
        self.block.catch_up(now, &In { self_id, rsp_ready: true, ..In::default() });
        let inv_ready = self.leaving.is_none();
        let req = self.offered.map(|(req, _)| req);
        let out = self.block.tick(&In { self_id, rsp_ready: true, inv_ready, req, hist_sel: 0 });
        if let Some((req, from)) = self.offered.filter(|_| out.req_ready) {
            if req.op == op::FENCE {
                let missing = u32::from(self.homes) - 1;
                self.fences.push_back(Fence { seq: self.taken, releaser: from, missing });
            }
            self.about[usize::from(self.taken)] = req.addr;
            self.taken = self.taken.wrapping_add(1);
            self.offered = None;
        }
        if let Some(inv) = out.inv.filter(|_| inv_ready) {
            let to = if inv.cause == cause::FENCE { self.mark(port, &inv) } else { inv.dest };
            self.leaving = (to != 0).then_some((inv, to));
        }
    }

    /// Those that get a marker of a fence: they may not have executed an invalidation.
    fn mark(&mut self, port: &mut BankPort, fence: &Inv) -> u16 {
        let waits = |&chiplet: &u16| self.markers[usize::from(chiplet)] > 0;
        let waiting = (0..self.homes).filter(waits).fold(0, |all, chiplet| all | 1 << chiplet);
        let to = fence.dest & (self.unmarked | waiting);
        self.end_markers(port, fence.seq, (fence.dest & !to).count_ones());
        to
    }

    /// So many markers of a fence have come back, or are not needed.
    fn end_markers(&mut self, port: &mut BankPort, seq: u8, markers: u32) {
        let at = self.fences.iter().position(|fence| fence.seq == seq);
        let at = at.expect("a fence is over with its last marker");
        self.fences[at].missing -= markers;
        if self.fences[at].missing == 0 {
            let fence = self.fences.remove(at).expect("it is there");
            match fence.releaser == port.bank.unit {
                true => self.unanswered -= 1,
                false => say(port, fence.releaser, Coherence::Fenced),
            }
        }
    }

    /// Sends what the block says to other chiplets' banks.
    fn send_invalidations(&mut self, port: &mut BankPort) {
        while let Some((inv, left)) = self.leaving {
            // Behind what the outbox holds, as all answers are.
            if !port.may_send_to_bank() {
                return;
            }
            let other = self.about[usize::from(inv.seq)] != inv.addr;
            self.inv_false += u64::from(inv.cause == cause::WRITE && other);
            let chiplet = left.trailing_zeros() as u16;
            let to = port.ctx.layout.bank(chiplet, port.bank.number);
            let (kind, addr) = match inv.cause {
                // A fence has no line.
                cause::FENCE => {
                    self.unmarked &= !(1 << chiplet);
                    self.markers[usize::from(chiplet)] += 1;
                    (Kind::Coherence(Coherence::Marker(inv.seq)), 0)
                }
                cause => {
                    self.unmarked |= 1 << chiplet;
                    let addr = port.bank.addresses.global(self.local(inv.addr));
                    (Kind::Coherence(Coherence::Invalidate(cause)), addr)
                }
            };
            let from = port.bank.unit;
            let message = Message { kind, addr, to, from, ..Message::default() };
            let message = port.ctx.messages.put(message);
            port.bank.send_away(port.ctx, message);
            let left = left & (left - 1);
            self.leaving = (left != 0).then_some((inv, left));
        }
    }

    /// Shows the directory a request; nothing else may be offered.
    fn offer(&mut self, ctx: &mut Context, op: u8, src: u16, local: u64, from: Unit) {
        let Some(addr) = self.address(local) else {
            let lines = self.block.config().ideal_lines;
            let limit = format!("directory.ideal_lines = {lines}: the program touches more");
            ctx.stop = Some(Stop::Limit(limit));
            return;
        };
        self.offered = Some((Req { op, src: src as u8, id: 0, addr }, from));
    }

    /// Shows the directory a fence of a bank, this one included, if it can be shown one now.
    fn fence(&mut self, port: &mut BankPort, from: Unit) -> bool {
        let may = self.may_offer(port.ctx);
        if may {
            let chiplet = match port.ctx.layout.site(from) {
                Site::Gate(_) => self.chiplet,
                _ => port.ctx.layout.chiplet_of(from),
            };
            self.offered = Some((Req { op: op::FENCE, src: chiplet as u8, id: 0, addr: 0 }, from));
        }
        may
    }

    /// Whether the directory can be shown a request now; else the bank is visited again.
    fn may_offer(&self, ctx: &mut Context) -> bool {
        let free = self.offered.is_none();
        if !free {
            ctx.wake_at(ctx.now + 1);
        }
        free
    }
}

/// A short message to another bank.
fn say(port: &mut BankPort, to: Unit, what: Coherence) {
    port.send_to_bank(Message { kind: Kind::Coherence(what), to, ..Message::default() });
}

/// The chiplet that asks. None for an unknown one of another GPU.
fn asker(ctx: &Context, message: &Message) -> Option<u16> {
    match ctx.layout.site(message.from) {
        Site::Gate(_) => message.asker.checked_sub(1).map(u16::from),
        _ => Some(ctx.layout.chiplet_of(message.from)),
    }
}

impl BankHook for Directory {
    fn tick(&mut self, port: &mut BankPort) {
        if port.ctx.now >= self.block.cycle() {
            self.tick_block(port);
        }
        self.send_invalidations(port);
    }

    fn quiet_cycles(&self) -> Cycle {
        let waits = self.offered.is_some() || self.leaving.is_some() || !self.waiting.is_empty();
        if waits { 0 } else { self.block.quiet_cycles() }
    }

    fn may_perform(
        &mut self,
        port: &mut BankPort,
        request: Handle<Message>,
        way: Option<Way>,
    ) -> bool {
        let Message { kind, addr, .. } = port.ctx.messages[request];
        // What is to be fetched is shown when it is answered.
        let misses = way.is_none() && kind == Kind::Read;
        misses || port.ctx.places.home(addr) != self.chiplet || self.may_offer(port.ctx)
    }

    /// What another chiplet gets, and each change of a line, is shown to the directory.
    fn may_pass(&mut self, port: &mut BankPort, request: &Message) -> bool {
        request.kind == Kind::Read && asker(port.ctx, request) == Some(self.chiplet)
    }

    /// What is done for a line of this chiplet the directory is shown, in that order.
    fn answer(
        &mut self,
        port: &mut BankPort,
        _way: Way,
        asked: &Message,
        _answer: Handle<Message>,
        _line: &[u8],
    ) {
        if port.ctx.places.home(asked.addr) != self.chiplet {
            return;
        }
        let asker = asker(port.ctx, asked);
        let own = asker == Some(self.chiplet);
        let op = match asked.kind {
            Kind::Read if own => op::LRD,
            Kind::Read => op::RRD,
            Kind::Write if !own && asker.is_some() => op::RWR,
            // An atomic is done here: the requester has no newer copy than others. Of a store of
            // an unknown chiplet no chiplet has one.
            _ => op::LWR,
        };
        if own && asked.kind != Kind::Read {
            self.stored |= 1 << self.chiplet;
        }
        let src = asker.filter(|_| op != op::LWR).unwrap_or(self.chiplet);
        self.offer(port.ctx, op, src, port.bank.addresses.local(asked.addr), asked.from);
    }

    /// What is stored at another home; all requests that pass are the own CUs'.
    fn pass(&mut self, port: &mut BankPort, request: Handle<Message>) {
        let Message { kind, addr, .. } = port.ctx.messages[request];
        if kind != Kind::Read {
            self.stored |= 1 << port.ctx.places.home(addr);
        }
    }

    fn peer_message(&mut self, port: &mut BankPort, message: &Message) {
        match message.kind {
            // All invalidations before it on this way have been obeyed.
            Kind::Coherence(Coherence::Marker(seq)) => {
                say(port, message.from, Coherence::Marked(seq));
            }
            Kind::Coherence(Coherence::Marked(seq)) => {
                self.markers[usize::from(port.ctx.layout.chiplet_of(message.from))] -= 1;
                self.end_markers(port, seq, 1);
            }
            Kind::Coherence(Coherence::Fence) => self.waiting.push_back(message.from),
            Kind::Coherence(Coherence::Fenced) => self.unanswered -= 1,
            kind => unreachable!("{kind:?} is no answer"),
        }
    }

    fn peer_request(&mut self, port: &mut BankPort, request: &Message) -> bool {
        self.fence(port, request.from)
    }

    fn take_turn(&mut self, port: &mut BankPort) -> bool {
        let Some(&releaser) = self.waiting.front() else { return false };
        let taken = self.fence(port, releaser);
        if taken {
            self.waiting.pop_front();
        }
        taken
    }

    fn begin_release(&mut self) {
        self.unasked = std::mem::take(&mut self.stored);
    }

    /// The fence to the next home. What this chiplet has not stored others have, who release it.
    fn release(&mut self, port: &mut BankPort) -> Option<Outcome> {
        if self.unasked == 0 {
            return None;
        }
        let chiplet = self.unasked.trailing_zeros() as u16;
        if chiplet == self.chiplet {
            if !self.fence(port, port.bank.unit) {
                return Some(Outcome::Blocked);
            }
        } else {
            let peers = port.bank.peers.expect("there are others");
            if !port.ctx.may_send(peers) {
                return None;
            }
            let to = port.ctx.layout.bank(chiplet, port.bank.number);
            let (kind, from) = (Kind::Coherence(Coherence::Fence), port.bank.unit);
            let message = Message { kind, to, from, ..Message::default() };
            let message = port.ctx.messages.put(message);
            port.ctx.send(peers, message);
        }
        self.unasked &= self.unasked - 1;
        self.unanswered += 1;
        Some(Outcome::Done)
    }

    fn is_released(&self) -> bool {
        self.unasked == 0 && self.unanswered == 0
    }

    fn counters(&self, all: &mut CounterValues) {
        let d = self.block.outputs().counters;
        let requests = [d.req_lrd, d.req_rrd, d.req_lwr, d.req_rwr];
        all.extend([
            ("inv_false", self.inv_false),
            ("directory.requests", requests.into_iter().map(u64::from).sum()),
            ("directory.allocated", d.alloc.into()),
            ("directory.evicted", d.evict.into()),
            ("directory.lines_written", d.inv_lines_write.into()),
            ("directory.lines_evicted", d.inv_lines_evict.into()),
            ("directory.messages_written", d.inv_msgs_write.into()),
            ("directory.messages_evicted", d.inv_msgs_evict.into()),
            ("directory.waits", d.ready_low_cycles.into()),
        ]);
    }
}
