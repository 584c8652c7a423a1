//! The access validation unit of an L1, and with speculation its speculative load queue.

use std::rc::Rc;

use cosim::socket::Socket;
use hwmodel::race::access_validation_unit::AccessValidationUnit;
use hwmodel::race::race_detection_unit as rdu;
use hwmodel::race::speculative_load_queue::SpeculativeLoadQueue;
use hwmodel::{Block, Model};
use ports::race::types::{Done, Lookup, MAX_VLANES, Query, Req, Rsp, req_kind, rsp_kind};
use ports::race::{access_validation_unit as avu, speculative_load_queue as slq};

use super::Notice;
use super::beats::AllBeats;
use super::checks::{Act, Checks, View};
use super::numbers::sm_of;
use super::parameters::Parameters;
use super::rule::{self, Rule};
use crate::build::make::{BuildError, Make};
use crate::check::sequential::WriteId;
use crate::context::masks;
use crate::context::message::{Class, Kind, Message, Packed};
use crate::context::{Context, Stop};
use crate::engine::Cycle;
use crate::l1::Port;
use crate::l1::without::take_away;
use crate::statistics::CounterValues;

/// More than any cycles until something happens.
const LONGEST: Cycle = 1 << 32;

/// Bytes of a mask on its way to the unit.
const MASK_BYTES: usize = 16;

/// What the speculative load queue gets in a cycle in which nothing comes: a replay is taken
/// whatever else is stalled (specification 5.7 U12).
const IDLE_QUEUE: slq::In =
    slq::In { inc: false, done: None, alloc: None, q_member: 0, replay_ready: true };

/// What the access validation unit gets in a cycle in which nothing comes.
const IDLE_AVU: avu::In = avu::In {
    rsp: None,
    lk: None,
    fill: None,
    hc_clr: None,
    q_valid: 0,
    q: [Query { size: 0, addr: 0 }; MAX_VLANES],
    slq_busy: false,
};

#[derive(Debug)]
pub struct Blocks {
    place: String,
    avu: Socket<AccessValidationUnit>,
    queue: Option<Queue>,
    /// Beats of the unit for all SMs, and the number of this one.
    beats: Rc<AllBeats>,
    sm: usize,
    /// What they show in the cycle of their next edge.
    avu_out: avu::Out,
    /// What `avu_out` says is done has not been asked for.
    is_done: bool,
    /// Requests whose answer is not complete, where there is no queue to count them.
    out: u32,
    epochs: u8,
    /// The rule that is not kept.
    without: Option<Rule>,
}

#[derive(Debug)]
struct Queue {
    slq: Socket<SpeculativeLoadQueue>,
    out: slq::Out,
}

impl Blocks {
    pub fn new(
        make: &mut Make,
        Parameters { blocks, name, without, .. }: &Parameters,
        speculates: bool,
    ) -> Result<Self, BuildError> {
        let config = avu::Config::from(blocks);
        let mut avu: Socket<AccessValidationUnit> = make.socket(name, &config)?;
        if let Some(Rule::Avu(rule)) = *without {
            take_away(rule::FIELD, &mut avu, AccessValidationUnit::without(&config, rule))?;
        }
        let queue = match speculates {
            false => None,
            true => {
                let config = slq::Config::from(blocks);
                let mut slq: Socket<SpeculativeLoadQueue> = make.socket(name, &config)?;
                if let Some(rule) = without.and_then(Rule::of_queue) {
                    take_away(rule::FIELD, &mut slq, SpeculativeLoadQueue::without(&config, rule))?;
                }
                let out = slq.outputs();
                Some(Queue { slq, out })
            }
        };
        let n_sm = blocks.n_sm as usize;
        Ok(Self {
            beats: make.shared(|| (0..n_sm).map(|_| Default::default()).collect()),
            sm: sm_of(make),
            place: make.place.clone(),
            avu_out: avu.outputs(),
            avu,
            queue,
            is_done: false,
            out: 0,
            epochs: 1 << blocks.epoch_w,
            without: *without,
        })
    }

    /// Gives the access validation unit the beats of earlier cycles for which the SM was not
    /// visited.
    #[inline]
    fn take_flowed_beats(&mut self, ctx: &mut Context) {
        let mut beats = self.beats[self.sm].borrow_mut();
        beats.may_flow = self.avu.may_lag() && ctx.recorder.is_none();
        beats.flow(ctx);
        while let Some((first, cycles)) = beats.run() {
            self.avu.catch_up(first, &IDLE_AVU);
            let inputs = avu::In { rsp: Some(Rsp::default()), ..IDLE_AVU };
            self.avu.pass(cycles as u64, &inputs, |avu| {
                for (_, rsp) in std::iter::from_fn(|| beats.next_flowed()).take(cycles) {
                    if !avu.load(&rsp) {
                        avu.tick(&avu::In { rsp: Some(rsp), ..IDLE_AVU });
                    }
                }
            });
        }
    }

    /// The edge of the access validation unit, which is left alone while nothing comes and nothing
    /// happens.
    fn tick_avu(&mut self, ctx: &mut Context, act: &Act) {
        let queue = self.queue.as_ref().map(|queue| &queue.out);
        let Act { rsp, lk, fill, hc_clr, .. } = *act;
        let q_valid = queue.map_or(0, |out| out.q_valid);
        let slq_busy = queue.is_some_and(|out| out.busy);
        let comes = rsp.is_some() | lk.is_some() | fill.is_some() | hc_clr.is_some();
        if !comes && q_valid == 0 && !slq_busy && self.avu.is_idle() {
            return;
        }
        let q = queue.filter(|_| q_valid != 0).map_or(IDLE_AVU.q, |out| out.q);
        self.avu.tick(&avu::In { rsp, lk, fill, hc_clr, q_valid, q, slq_busy });
        self.see_avu(ctx);
    }

    /// What the access validation unit shows in the next cycle.
    fn see_avu(&mut self, ctx: &mut Context) {
        self.avu_out = self.avu.outputs();
        self.is_done = self.avu_out.done.is_some();
        self.report(ctx, AccessValidationUnit::NAME, self.avu_out.err);
    }

    /// The edge of the speculative load queue, which is left alone likewise, as for most beats of a
    /// signature. It sees what the other has shown in the cycle.
    fn tick_queue(&mut self, ctx: &mut Context, act: &Act, (done, q_member): (Option<Done>, u8)) {
        let Some(queue) = &mut self.queue else { return };
        let comes = act.inc | act.alloc.is_some() | done.is_some();
        let waits = queue.out.replay.is_none() && queue.slq.quiet_cycles() > 0;
        if comes || q_member != 0 || !waits {
            let Act { inc, alloc, .. } = *act;
            queue.slq.catch_up(ctx.now, &IDLE_QUEUE);
            queue.slq.tick(&slq::In { inc, done, alloc, q_member, ..IDLE_QUEUE });
            queue.out = queue.slq.outputs();
            let err = queue.out.err;
            self.report(ctx, SpeculativeLoadQueue::NAME, err);
        }
    }

    fn report(&self, ctx: &mut Context, block: &str, err: Option<u8>) {
        // Without a rule a block may well report what follows from that.
        if let Some(code) = err.filter(|_| self.without.is_none()) {
            let problem = format!("{}/{block}: error {code}", self.place);
            ctx.stop.get_or_insert(Stop::Block(problem));
        }
    }
}

impl Checks for Blocks {
    fn begin(&mut self, ctx: &mut Context) -> bool {
        self.take_flowed_beats(ctx);
        let mut ticked = self.avu.catch_up(ctx.now, &IDLE_AVU);
        if ticked {
            self.avu_out = self.avu.outputs();
        }
        if let Some(queue) = &mut self.queue
            && queue.slq.catch_up(ctx.now, &IDLE_QUEUE)
        {
            queue.out = queue.slq.outputs();
            ticked = true;
        }
        ticked
    }

    fn view(&self) -> View {
        let avu::Out { rsp_ready, lk_ready, rs, .. } = self.avu_out;
        let view = View { rsp_ready, lk_ready, rs, out: self.out, ..View::default() };
        match &self.queue {
            None => view,
            Some(Queue { out, .. }) => View {
                out: out.out.into(),
                alloc_ready: out.alloc_ready,
                spec: out.spec,
                commit: out.commit,
                replay: out.replay,
                ..view
            },
        }
    }

    fn next_done(&mut self) -> Option<Done> {
        self.avu_out.done.filter(|_| std::mem::take(&mut self.is_done))
    }

    fn age(&self, epoch: u8) -> u8 {
        (self.avu_out.epoch + self.epochs - epoch) % self.epochs
    }

    fn may_send(&mut self, port: &mut Port) -> bool {
        self.view().out < u32::from(u8::MAX) && port.may_send_to_unit()
    }

    fn send(&mut self, port: &mut Port, request: Req, write: WriteId) -> Option<Done> {
        let Req { kind, id, mask, addr } = request;
        let sideband = Packed::new(&Notice { kind, id, write: write.0 }, ());
        let is_write = matches!(kind, req_kind::WRITE | req_kind::ATOM);
        let class = if is_write { Class::Write } else { Class::Request };
        let mut message = Message {
            kind: Kind::Design(class),
            addr: addr.into(),
            sideband,
            ..Message::default()
        };
        // Without that rule the unit checks the bytes that a load wants.
        if is_write || self.without == Some(Rule::Unit(rdu::Rule::WholeLine)) {
            message.line = port.ctx.payload(&mask.to_le_bytes());
            message.mask = masks::span(0, MASK_BYTES);
        }
        let is_sent = port.send_to_unit(message);
        debug_assert!(is_sent, "it could be sent");
        None
    }

    fn has_beat(&self, ctx: &Context) -> bool {
        self.beats[self.sm].borrow().oldest(ctx.now).is_some()
    }

    fn take_beat(&mut self, ctx: &mut Context) -> Option<Rsp> {
        let mut beats = self.beats[self.sm].borrow_mut();
        beats.oldest(ctx.now)?;
        Some(beats.take(ctx))
    }

    fn next_beat(&self, ctx: &Context) -> Option<Cycle> {
        self.beats[self.sm].borrow().next(ctx.now)
    }

    fn end(&mut self, ctx: &mut Context, act: &Act) {
        let avu::Out { done, q_member, .. } = self.avu_out;
        if self.queue.is_none() {
            let answered = done.is_some_and(|done| done.kind != rsp_kind::FORCED);
            self.out = self.out + u32::from(act.inc) - u32::from(answered);
        }
        self.tick_avu(ctx, act);
        self.tick_queue(ctx, act, (done, q_member));
    }

    fn may_repeat(&self, ctx: &Context) -> bool {
        let avu::Out { rsp_ready, lk_ready, done, q_member, err, .. } = self.avu_out;
        let avu_waits = rsp_ready && lk_ready && done.is_none() && q_member == 0 && err.is_none();
        let queue_waits = |Queue { slq, out }: &Queue| {
            let shows = out.q_valid != 0 || out.commit.is_some() || out.replay.is_some();
            !shows && slq.quiet_cycles() >= LONGEST
        };
        let waits = avu_waits && self.queue.as_ref().is_none_or(queue_waits);
        waits && self.avu.may_lag() && ctx.recorder.is_none()
    }

    fn repeat(&mut self, lookups: u32, _goes_on: bool) {
        if lookups == 0 {
            return;
        }
        let inputs = avu::In { lk: Some(Lookup::default()), ..IDLE_AVU };
        self.avu.pass(lookups.into(), &inputs, |avu| avu.miss_again(lookups));
    }

    fn quiet_cycles(&self) -> Cycle {
        let avu::Out { rs, done, q_member, .. } = self.avu_out;
        let mut quiet = self.avu.quiet_cycles();
        let mut moves = rs.is_some() || done.is_some() || q_member != 0;
        if let Some(Queue { slq, out }) = &self.queue {
            quiet = quiet.min(slq.quiet_cycles());
            moves |= out.q_valid != 0 || out.commit.is_some() || out.replay.is_some();
        }
        match quiet {
            _ if moves => 0,
            // It only counts until something comes.
            LONGEST.. => Cycle::MAX,
            quiet => quiet,
        }
    }

    fn counters(&self, all: &mut CounterValues) {
        // It counts while it is left alone, too.
        let counters = self.avu.outputs().counters;
        all.extend([
            ("race_hit_age0", counters.hit_age0.into()),
            ("race_hit_age1", counters.hit_age1.into()),
            ("race_needchk", counters.needchk.into()),
            ("race_miss_cold", counters.miss_cold.into()),
            ("race_miss_expired", counters.miss_expired.into()),
            ("race_miss_avu", counters.miss_avu.into()),
            ("race_signature_tests", counters.signature_tests.into()),
            ("race_syncs", counters.syncs.into()),
            ("race_load_cycles", counters.load_cycles.into()),
            ("race_wrapped", counters.wrapped.into()),
        ]);
        if let Some(Queue { out, .. }) = &self.queue {
            all.extend([
                ("race_allocs", out.counters.allocs.into()),
                ("race_commits", out.counters.commits.into()),
                ("race_replays", out.counters.replays.into()),
                ("race_dropped", out.counters.dropped.into()),
                ("race_full_cycles", out.counters.full_cycles.into()),
                ("race_busy_cycles", out.counters.busy_cycles.into()),
                ("most_race_slots", out.counters.occ_max.into()),
            ]);
        }
    }
}
