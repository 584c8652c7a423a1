//! A GPU as the source of requests to others: what its CUs send goes into the egress path piece by
//! piece, answers go back.

mod requests;

use std::collections::VecDeque;

use hwmodel::Block;
use ports::finepack::egress;
use ports::finepack::types::{Evt, Ingress, LineData, Tlp, flush_cause, ingress_kind};
use traces::trace::AtomicOp;

use super::staging::Staging;
use super::{Counters, Spec};
use crate::config::policy::Policy;
use crate::context::Context;
use crate::context::layout::Site;
use crate::context::masks;
use crate::context::message::{Kind, Line, Message, Packed};
use crate::engine::pool::Handle;
use crate::engine::{Cycle, InletId, OutletId};
use crate::finepack::egress_path::EgressPath;

/// Messages under way, beyond the answers to all tags, before no more is taken of what other L2s
/// say.
const MOST_MESSAGES: usize = 1024;

/// Inlets and outlets.
#[derive(Clone, Debug)]
pub struct Ports {
    /// Requests, from each chiplet; behind them, where pages have copies, what its banks push.
    pub exits: Vec<InletId>,
    /// Answers, to each chiplet; behind them what is said to the GPU's unit, if anything is.
    pub answers: Vec<OutletId>,
    /// Cycles that answers to banks leave early.
    pub early: u32,
    /// Release commands, and what answers them.
    pub release: (InletId, OutletId),
}

/// A piece of a request that is under way.
#[derive(Clone, Copy, Debug, Default)]
struct Pending {
    message: Handle<Message>,
    /// Bytes of the machine's line, and those of them that the answer gives.
    mask: u128,
    wanted: u128,
    /// The request: its line and bytes of it.
    addr: u64,
    enabled: u128,
}

/// A request that is being cut.
#[derive(Clone, Copy, Debug)]
struct Current {
    message: Handle<Message>,
    /// Bytes that are still to be offered.
    left: u128,
    /// Bytes that are in its payload already: they were staged when it came.
    staged: u128,
    /// GPUs that it still goes to, a bit for each: the lowest first.
    dests: u16,
}

/// One GPU's side.
pub struct Outgoing {
    gpu: u16,
    line: usize,
    block_line: usize,
    path: EgressPath,
    ports: Ports,
    turn: usize,
    current: Option<Current>,
    /// The path's inputs: what is offered stays there until it is accepted.
    inputs: egress::In,
    /// Of a load or an atomic.
    offered_tag: u16,
    /// Tags of loads and atomics. A request carries the low 8 bits of its own.
    free_tags: Vec<u16>,
    pending: Box<[Pending]>,
    /// Of each home, the tags of what is on its way there, oldest first: what a path takes for one
    /// home arrives in that order.
    sent: Vec<VecDeque<u16>>,
    /// Answers on their way to their CUs.
    answers: VecDeque<Handle<Message>>,
    /// Completions of MARKs on their way: when, from whom.
    completions: VecDeque<(Cycle, u8)>,
    /// Data on its way, and what other L2s say: from each GPU, when it is here. What comes from
    /// the own one was staged.
    returned: Vec<VecDeque<(Cycle, Returned)>>,
    /// When the first of that is here.
    returned_due: Cycle,
    local_latency: Cycle,
    /// Loads and atomics say something beside their TLPs.
    crosses: bool,
    /// A load of staged bytes need not be seen by its home or say something there.
    is_local: bool,
    release: Release,
    release_id: u8,
    /// The command processor waits for a release: the next one, or the one that is under way.
    commanded: Commanded,
    /// Fences of L2s that wait for the stores before them to be at their homes, and how many of
    /// them the release that is under way is for.
    fences: VecDeque<Handle<Message>>,
    fenced: usize,
    /// Fences that may go over the link.
    pub departing: VecDeque<Handle<Message>>,
    /// Loads and atomics that have gone into the path, for what they say beside them.
    pub asked: u32,
    staging: Staging,
    pub counters: Counters,
}

/// What comes over a reverse link.
enum Returned {
    /// Tag, what the answer says, bytes in their places of the machine's line.
    Data(u16, Option<Packed>, Handle<Line>),
    /// For an L2 bank, or the GPU's unit; or a load's answer.
    Message(Handle<Message>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Commanded {
    No,
    Next,
    Now,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Release {
    None,
    /// Wanted: to be offered.
    Wanted,
    /// Offered or accepted.
    Under,
    /// Done: to be reported.
    Done,
}

impl Outgoing {
    pub fn new(gpu: u16, gpus: usize, spec: &Spec, path: EgressPath, ports: Ports) -> Self {
        let last = u16::try_from(spec.tags - 1).expect("at most 2^16 tags");
        Self {
            gpu,
            line: spec.line as usize,
            block_line: spec.finepack.line as usize,
            path,
            ports,
            turn: 0,
            current: None,
            inputs: egress::In { self_id: gpu as u8, ..egress::In::default() },
            offered_tag: 0,
            free_tags: (0..=last).rev().collect(),
            pending: vec![Pending::default(); spec.tags as usize].into(),
            sent: vec![VecDeque::new(); gpus],
            answers: VecDeque::new(),
            completions: VecDeque::new(),
            returned: (0..gpus).map(|_| VecDeque::new()).collect(),
            returned_due: Cycle::MAX,
            local_latency: spec.local_latency,
            crosses: spec.crosses,
            is_local: spec.policy != Policy::Coherent && !spec.crosses,
            release: Release::None,
            release_id: 0,
            commanded: Commanded::No,
            fences: VecDeque::new(),
            fenced: 0,
            departing: VecDeque::new(),
            asked: 0,
            staging: Staging::default(),
            counters: Counters::default(),
        }
    }

    /// Lets the link cycles before `now` pass, in which nothing came.
    pub fn catch_up(&mut self, now: Cycle) {
        self.path.catch_up(now, self.gpu as u8);
    }

    /// A request, or a release command, is there.
    fn has_message(&self, ctx: &Context) -> bool {
        self.ports.exits.iter().any(|&inlet| ctx.has(inlet)) || ctx.has(self.ports.release.0)
    }

    /// The link cycle of the next tick after `now`, without a message before.
    pub fn next(&mut self, ctx: &Context, now: Cycle) -> Cycle {
        let is_busy = self.is_offering()
            || !self.answers.is_empty()
            || (!self.fences.is_empty() && self.release != Release::Under)
            || !matches!(self.release, Release::None | Release::Under)
            || self.has_message(ctx);
        if is_busy {
            return now + 1;
        }
        let path = self.path.quiet_cycles().saturating_add(now + 1);
        path.min(self.expected()).max(now + 1)
    }

    /// When the first of what is on its way to this GPU is here.
    pub fn expected(&self) -> Cycle {
        let completion = self.completions.front().map_or(Cycle::MAX, |&(at, _)| at);
        completion.min(self.returned_due)
    }

    /// A MARK of this GPU has been completed by another; its completion is here in link cycle
    /// `due`.
    pub fn complete_mark(&mut self, due: Cycle, from: u8) {
        self.completions.push_back((due, from));
    }

    /// Data comes back from a GPU in link cycle `due`, and what the answer says.
    pub fn give_back(
        &mut self,
        from: usize,
        due: Cycle,
        tag: u16,
        data: Handle<Line>,
        sideband: Option<Packed>,
    ) {
        self.put_returned(from, due, Returned::Data(tag, sideband, data));
    }

    /// What an L2 of a GPU says to one of this GPU comes in link cycle `due`.
    pub fn forward(&mut self, from: usize, due: Cycle, message: Handle<Message>) {
        self.put_returned(from, due, Returned::Message(message));
    }

    fn put_returned(&mut self, from: usize, due: Cycle, returned: Returned) {
        self.returned[from].push_back((due, returned));
        self.returned_due = self.returned_due.min(due);
    }

    /// True while another L2 may say something.
    pub fn has_room(&self) -> bool {
        let returned: usize = self.returned.iter().map(VecDeque::len).sum();
        returned + self.answers.len() < self.pending.len() + MOST_MESSAGES
    }

    /// True while a request is being offered to the path.
    pub fn is_offering(&self) -> bool {
        self.current.is_some() || self.inputs.req.is_some()
    }

    /// A load or an atomic has arrived at a home: its tag. None where it is not the oldest on its
    /// way there.
    pub fn claim(&mut self, ctx: &Context, home: u16, access: &Ingress) -> Option<u16> {
        let tag = self.sent[usize::from(home)].pop_front()?;
        let Pending { message, addr, enabled, .. } = self.pending[usize::from(tag)];
        let is_atomic = matches!(ctx.messages[message].kind, Kind::Atomic(_));
        // A read is of whole words.
        let is_it = tag as u8 == access.tag
            && addr == access.addr
            && enabled & !access.mask == 0
            && is_atomic == (access.kind == ingress_kind::ATOMIC);
        is_it.then_some(tag)
    }

    /// A load or an atomic of such a line has not come to its home. What a copy engine writes could
    /// be there before it, although it comes from a younger store.
    fn is_on_its_way(&self, ctx: &Context, is: impl Fn(u64) -> bool) -> bool {
        let line = |tag: u16| ctx.messages[self.pending[usize::from(tag)].message].addr;
        self.sent.iter().flatten().any(|&tag| is(line(tag)))
    }

    /// The chiplet that asks for what has this tag.
    pub fn asker(&self, ctx: &Context, tag: u16) -> u16 {
        ctx.layout.chiplet_of(ctx.messages[self.pending[usize::from(tag)].message].from)
    }

    /// What the request says that has this tag.
    pub fn sideband(&self, ctx: &Context, tag: u16) -> Packed {
        ctx.messages[self.pending[usize::from(tag)].message].sideband
    }

    /// What an atomic that this GPU has sent does: a TLP has no code for unsigned comparisons.
    pub fn atomic_of(&self, ctx: &Context, tag: u16) -> (AtomicOp, u8) {
        let message = &ctx.messages[self.pending[usize::from(tag)].message];
        let Kind::Atomic(op) = message.kind else { unreachable!("an atomic's tag") };
        (op, message.size)
    }

    /// One link cycle: `beat` becomes what is shown to the link. Gives an access that a path
    /// without a link hands over. `link_ready`: the link takes a beat; `room`: such an access may
    /// be handed over.
    pub fn tick(
        &mut self,
        ctx: &mut Context,
        now: Cycle,
        (link_ready, room): (bool, bool),
        beat: &mut Option<Tlp>,
    ) -> Option<(u8, Ingress)> {
        self.take_returned(ctx, now);
        self.send_answers(ctx);
        self.take_release(ctx);
        if self.inputs.req.is_none() {
            self.offer(ctx, now);
        }
        let due = self.completions.front().is_some_and(|(at, _)| *at <= now);
        self.inputs.cpl =
            if due { self.completions.pop_front().map(|(_, from)| from) } else { None };
        self.inputs.tlp_ready = link_ready;
        let waits = if room { None } else { self.inputs.req.take() };
        let out = self.path.tick(&self.inputs);
        let offers = self.inputs.req.is_some();
        self.inputs.req = waits.or(self.inputs.req);
        if out.req_ready && offers {
            self.accepted(ctx);
        }
        let held = &mut self.counters.held;
        held[0] += u64::from(offers && !out.req_ready);
        held[1] += u64::from(out.tlp.is_some() && !link_ready);
        if out.evt != Evt::default() {
            self.count(&out.evt);
        }
        if out.rel == Some(self.release_id) && self.release == Release::Under {
            self.release = Release::Done;
        }
        *beat = out.tlp;
        out.st.map(|st| (out.st_dest, st))
    }

    /// What the write queue did.
    fn count(&mut self, evt: &Evt) {
        let Counters { flushes, stalls, .. } = &mut self.counters;
        for &cause in evt.flush_cause.iter().filter(|cause| **cause != flush_cause::NONE) {
            flushes[usize::from(cause)] += 1;
        }
        stalls[0] += u64::from(evt.stall & 1);
        stalls[1] += u64::from(evt.stall >> 1);
    }

    /// A store is ordered once it is in the path: releases and loads behind it see to the rest.
    fn answer_write(&mut self, ctx: &mut Context, message: Handle<Message>) {
        let line = ctx.messages[message].line;
        ctx.lines.free(line);
        let m = &mut ctx.messages[message];
        (m.kind, m.line, m.to, m.from) = (Kind::Ack, Handle::NONE, m.from, m.to);
        self.answers.push_back(message);
    }

    fn take_returned(&mut self, ctx: &mut Context, now: Cycle) {
        if self.returned_due > now {
            return;
        }
        (0..self.returned.len()).for_each(|from| self.take_returned_from(ctx, now, from));
        let first = |queue: &VecDeque<(Cycle, Returned)>| queue.front().map(|&(at, _)| at);
        self.returned_due = self.returned.iter().filter_map(first).min().unwrap_or(Cycle::MAX);
    }

    fn take_returned_from(&mut self, ctx: &mut Context, now: Cycle, from: usize) {
        while self.returned[from].front().is_some_and(|(at, ..)| *at <= now) {
            let (_, returned) = self.returned[from].pop_front().expect("there is one");
            let (tag, sideband, data) = match returned {
                Returned::Data(tag, sideband, data) => (tag, sideband, data),
                Returned::Message(message) => {
                    self.answers.push_back(message);
                    continue;
                }
            };
            let Pending { message, wanted, .. } = self.pending[usize::from(tag)];
            self.free_tags.push(tag);
            let Message { kind, line, .. } = ctx.messages[message];
            let bytes = ctx.lines[data];
            ctx.lines.free(data);
            masks::copy(&mut ctx.lines[line].0, &bytes.0, wanted);
            ctx.messages[message].pieces -= 1;
            let left = ctx.messages[message].pieces;
            let cut = self.current.is_none_or(|c| c.message != message);
            if left == 0 && cut {
                debug_assert!(matches!(kind, Kind::Read | Kind::Atomic(_)));
                let m = &mut ctx.messages[message];
                (m.kind, m.to, m.from) = (Kind::Data, m.from, m.to);
                m.sideband = sideband.unwrap_or(m.sideband);
                self.answers.push_back(message);
            }
        }
    }

    fn send_answers(&mut self, ctx: &mut Context) {
        while let Some(&message) = self.answers.front() {
            let to = ctx.messages[message].to;
            let number = match ctx.layout.site(to) {
                Site::Gate(_) => ctx.layout.chiplets,
                _ => ctx.layout.chiplet_of(to) % ctx.layout.chiplets,
            };
            let outlet = self.ports.answers[usize::from(number)];
            if !ctx.may_send(outlet) {
                return;
            }
            self.answers.pop_front();
            let is_fill = matches!(ctx.layout.site(to), Site::Bank(..));
            let early = if is_fill { self.ports.early } else { 0 };
            ctx.messages[message].has_passed_a_link = true;
            ctx.send_after(outlet, message, -(early as i32));
        }
    }

    fn take_release(&mut self, ctx: &mut Context) {
        let (from, to) = self.ports.release;
        if self.commanded == Commanded::No && ctx.peek(from).is_some() {
            let message = ctx.take(from);
            ctx.messages.free(message);
            self.commanded = Commanded::Next;
        }
        let wanted = self.commanded == Commanded::Next || !self.fences.is_empty();
        if self.release == Release::None && wanted {
            self.release = Release::Wanted;
        }
        let commanded = self.commanded == Commanded::Now;
        if self.release == Release::Done && (!commanded || ctx.may_send(to)) {
            self.release = Release::None;
            self.departing.extend(self.fences.drain(..self.fenced));
            if commanded {
                self.commanded = Commanded::No;
                let done = Message { kind: Kind::SyncDone, ..Message::default() };
                let done = ctx.messages.put(done);
                ctx.send(to, done);
            }
        }
    }
}

/// The bytes of a machine's line that a block's line holds, in the machine's places.
pub fn to_machine_line(data: &LineData, block: u64, line: u64, len: usize) -> Line {
    let mut to = Line::default();
    for k in 0..len {
        let at = line + k as u64;
        if at >= block && at - block < data.0.len() as u64 {
            to.0[k] = data.0[(at - block) as usize];
        }
    }
    to
}
