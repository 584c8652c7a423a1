//! A bank as the home of its chiplet's lines: the directory's block, its invalidations on their
//! way, and fences.

use std::collections::VecDeque;

use cosim::socket::Socket;
use hwmodel::Block;
use hwmodel::coherence_directory::CoherenceDirectory;
use ports::coherence_directory::{In, Inv, Req, Variant, cause, op};

use super::{Bank, Outcome};
use crate::context::{Context, Stop};
use crate::engine::Cycle;
use crate::layout::Site;
use crate::message::{Coherence, Kind, Message, Unit};
use crate::pages::{PAGE, PageMap};

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
pub struct Home {
    /// The directory's socket.
    pub block: Socket<CoherenceDirectory>,
    chiplet: u16,
    /// The request that it is offered, and whoever gets a fence's answer.
    offered: Option<(Req, Unit)>,
    /// Requests that it has taken, modulo 256.
    taken: u8,
    /// By their numbers: the lines that they are about.
    about: Box<[u64; 256]>,
    /// An invalidation, and the chiplets that it has not been sent to.
    leaving: Option<(Inv, u16)>,
    fences: VecDeque<Fence>,
    frames: Frames,
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

impl Home {
    pub fn new(block: Socket<CoherenceDirectory>, chiplet: u16) -> Self {
        let config = block.config();
        let most = match config.variant {
            Variant::Ideal => u64::from(config.ideal_lines) * u64::from(config.line) / PAGE,
            _ => 0,
        };
        let frames = Frames { most: most as usize, ..Frames::default() };
        drop(config);
        Self {
            block,
            chiplet,
            offered: None,
            taken: 0,
            about: Box::new([0; 256]),
            leaving: None,
            fences: VecDeque::new(),
            frames,
        }
    }

    /// Cycles for which the bank need not be visited for its sake.
    pub fn quiet_cycles(&self) -> u64 {
        let waits = self.offered.is_some() || self.leaving.is_some();
        if waits { 0 } else { self.block.quiet_cycles() }
    }

    /// True when it can be given a request.
    pub fn is_free(&self) -> bool {
        self.offered.is_none()
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

    /// A marker has come back. Whoever gets the answer when it was the last.
    pub fn marked(&mut self, seq: u8) -> Option<Unit> {
        let at = self.fences.iter().position(|fence| fence.seq == seq).expect("it was sent");
        self.fences[at].missing -= 1;
        let over = self.fences[at].missing == 0;
        over.then(|| self.fences.remove(at).expect("it is there").releaser)
    }

    /// One cycle of the block. In those since the last one nothing came.
    fn tick(&mut self, now: Cycle, chiplets: u16) {
        let self_id = self.chiplet as u8;
        self.block.catch_up(now, &In { self_id, rsp_ready: true, ..In::default() });
        let inv_ready = self.leaving.is_none();
        let req = self.offered.map(|(req, _)| req);
        let out = self.block.tick(&In { self_id, rsp_ready: true, inv_ready, req, hist_sel: 0 });
        if let Some((req, from)) = self.offered.filter(|_| out.req_ready) {
            if req.op == op::FENCE {
                let missing = u32::from(chiplets) - 1;
                self.fences.push_back(Fence { seq: self.taken, releaser: from, missing });
            }
            self.about[usize::from(self.taken)] = req.addr;
            self.taken = self.taken.wrapping_add(1);
            self.offered = None;
        }
        if let Some(inv) = out.inv.filter(|_| inv_ready) {
            self.leaving = Some((inv, inv.dest));
        }
    }
}

impl Bank {
    /// One cycle of the directory, and of the way of what it says.
    pub(super) fn tick_home(&mut self, ctx: &mut Context) {
        let Some(mut home) = self.home.take() else { return };
        let chiplets = ctx.layout.all_chiplets();
        if ctx.now >= home.block.cycle() {
            home.tick(ctx.now, chiplets);
        }
        while let Some((inv, left)) = home.leaving {
            // Behind what the outbox holds, as all answers are.
            if !self.outbox.is_empty() || !ctx.may_send(self.ports.answers) {
                break;
            }
            let other = home.about[usize::from(inv.seq)] != inv.addr;
            self.counters.inv_false += u64::from(inv.cause == cause::WRITE && other);
            let chiplet = left.trailing_zeros() as u16;
            let Site::Bank(_, number) = ctx.layout.site(self.unit) else { unreachable!("a bank") };
            let what = match inv.cause {
                cause::FENCE => Coherence::Marker,
                cause => Coherence::Invalidate(cause),
            };
            let message = Message {
                kind: Kind::Coherence(what),
                // A fence has no line.
                addr: match what {
                    Coherence::Marker => 0,
                    _ => self.addresses.global(home.local(inv.addr)),
                },
                tag: inv.seq.into(),
                to: ctx.layout.bank(chiplet, number),
                from: self.unit,
                ..Message::default()
            };
            let message = ctx.messages.put(message);
            ctx.send(self.ports.answers, message);
            let left = left & (left - 1);
            home.leaving = (left != 0).then_some((inv, left));
        }
        self.home = Some(home);
    }

    /// Shows the directory what is done for a request now. Its place must be free.
    pub(super) fn present(&mut self, ctx: &mut Context, asked: &Message) {
        let Message { kind, addr, from, .. } = *asked;
        let local = self.addresses.local(addr);
        let asker = asker(ctx, asked);
        let Some(home) = &mut self.home else { return };
        let own = asker == Some(self.chiplet);
        let op = match kind {
            Kind::Read if own => op::LRD,
            Kind::Read => op::RRD,
            Kind::Write if !own && asker.is_some() => op::RWR,
            Kind::Coherence(_) => op::FENCE,
            // An atomic is done here: whoever asked has no newer copy than others. Of a store of
            // nobody knows whom nobody has.
            _ => op::LWR,
        };
        let src = asker.filter(|_| op != op::LWR).unwrap_or(self.chiplet) as u8;
        let address = if op == op::FENCE { Some(0) } else { home.address(local) };
        let Some(addr) = address else {
            let lines = home.block.config().ideal_lines;
            let limit = format!("directory.ideal_lines = {lines}: the program touches more");
            ctx.stop = Some(Stop::Limit(limit));
            return;
        };
        home.offered = Some((Req { op, src, id: 0, addr }, from));
    }

    /// Whether the directory can be shown a request now; else the bank is visited again.
    pub(super) fn may_present(&self, ctx: &mut Context) -> bool {
        let free = self.home.as_ref().is_none_or(|home| home.is_free());
        if !free {
            ctx.wake_at(ctx.now + 1);
        }
        free
    }

    /// A fence of a bank, this one included.
    pub(super) fn fence(&mut self, ctx: &mut Context, from: Unit) -> Outcome {
        if !self.may_present(ctx) {
            return Outcome::Blocked;
        }
        let kind = Kind::Coherence(Coherence::Fence);
        self.present(ctx, &Message { kind, from, ..Message::default() });
        Outcome::Done
    }
}

/// The chiplet that asks. None for one of another GPU that nobody knows.
fn asker(ctx: &Context, message: &Message) -> Option<u16> {
    match ctx.layout.site(message.from) {
        Site::Gate(_) => message.meta.checked_sub(1).map(|chiplet| chiplet as u16),
        _ => Some(ctx.layout.chiplet_of(message.from)),
    }
}
