//! Race detection in no time (specification 5.8, IDEAL): a request is checked, its SM synchronised
//! and its token given when it is sent. What is sent in a cycle is ordered by SM, and shows in the
//! next one. Epochs are not bounded.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use hwmodel::race::race_signature::{Granules, Hash, Keys, Signature};
use ports::race::types::{Done, Fill, Lookup, RaceDetection, Req, req_kind, result, rsp_kind};

use super::checks::{Act, Checks, View};
use super::numbers::{bank_number, core, sm_of};
use super::parameters::Parameters;
use crate::build::make::Make;
use crate::check::sequential::WriteId;
use crate::context::Context;
use crate::context::message::Unit;
use crate::engine::Cycle;
use crate::l1::Port;
use crate::statistics::CounterValues;

/// The unit of a GPU, which all SMs and banks see.
#[derive(Debug)]
pub struct Ideal {
    hash: Hash,
    granules: Granules,
    n_sat: u32,
    sms: Vec<Sm>,
    /// What was sent in cycle `at`: SM, request, its number as a write.
    at: Cycle,
    sent: Vec<(usize, Req, WriteId)>,
    /// Of each bank, CUs in the order in which it serves them.
    tokens: Vec<VecDeque<Unit>>,
    counters: Counters,
}

#[derive(Clone, Copy, Debug, Default)]
struct Counters {
    races: u64,
    forced: u64,
    /// By kind of request.
    requests: [u64; 4],
}

/// Of an SM: what others have written since its epoch began, and answers that it has not seen.
#[derive(Debug)]
struct Sm {
    signature: Signature,
    count: u32,
    epoch: u64,
    answers: VecDeque<Answer>,
}

#[derive(Debug)]
struct Answer {
    done: Done,
    epoch: u64,
    signature: Option<Signature>,
}

impl Ideal {
    fn new(p: &RaceDetection, banks: usize) -> Self {
        let sm =
            |_| Sm { signature: Signature::new(p.m), count: 0, epoch: 0, answers: VecDeque::new() };
        Self {
            hash: Hash::new(p.m),
            granules: Granules::new(p.gran),
            n_sat: p.n_sat,
            sms: (0..p.n_sm).map(sm).collect(),
            at: 0,
            sent: Vec::new(),
            tokens: vec![VecDeque::new(); banks],
            counters: Counters::default(),
        }
    }

    /// The machine's, made by the first user.
    pub fn of(make: &mut Make, parameters: &Parameters) -> Rc<RefCell<Self>> {
        let m = &make.system.machine;
        let banks = usize::from(m.chiplets * make.system.l2.banks);
        let blocks = &parameters.blocks;
        make.shared(|| RefCell::new(Self::new(blocks, banks)))
    }

    /// Does what was sent before this cycle.
    pub fn settle(&mut self, ctx: &mut Context) {
        if self.sent.is_empty() || self.at == ctx.now {
            return;
        }
        let mut sent = std::mem::take(&mut self.sent);
        sent.sort_by_key(|&(sm, ..)| sm);
        for &(sm, request, write) in &sent {
            self.serve(ctx, sm, request, write);
        }
        sent.clear();
        self.sent = sent;
    }

    fn serve(&mut self, ctx: &mut Context, sm: usize, request: Req, write: WriteId) {
        let Req { kind, id, mask, addr } = request;
        self.counters.requests[usize::from(kind)] += 1;
        if matches!(kind, req_kind::WRITE | req_kind::ATOM) {
            self.insert(sm, addr, mask);
            self.answer(sm, rsp_kind::WACK, id, true);
            if let Some(order) = &mut ctx.sequential {
                order.order(write);
            }
        } else {
            let race = self.is_member(sm, self.granules.of_line(addr));
            self.counters.races += u64::from(race);
            self.answer(sm, if race { rsp_kind::RACE } else { rsp_kind::NORACE }, id, race);
        }
        if kind != req_kind::HITCHK {
            let cu = core(&ctx.layout, sm);
            let bank = ctx.serving_bank(cu, addr.into()).expect("a bank of this GPU");
            self.tokens[bank_number(ctx, bank)].push_back(cu);
        }
    }

    fn is_member(&self, sm: usize, Keys { first, count }: Keys) -> bool {
        let signature = &self.sms[sm].signature;
        (first..first + count).any(|key| signature.has(self.hash.indices(key)))
    }

    /// Another SM's signature that is full is sent at once.
    fn insert(&mut self, writer: usize, addr: u32, mask: u128) {
        let first = self.granules.of_line(addr).first;
        let mut left = self.granules.of_mask(mask);
        while left != 0 {
            let indices = self.hash.indices(first + left.trailing_zeros());
            left &= left - 1;
            for sm in self.sms.iter_mut().enumerate().filter(|(sm, _)| *sm != writer) {
                sm.1.count += u32::from(sm.1.signature.insert(indices));
            }
        }
        for sm in 0..self.sms.len() {
            if sm != writer && self.sms[sm].count >= self.n_sat {
                self.counters.forced += 1;
                self.answer(sm, rsp_kind::FORCED, 0, true);
            }
        }
    }

    fn answer(&mut self, sm: usize, kind: u8, id: u8, sync: bool) {
        let sm = &mut self.sms[sm];
        let signature = sync.then(|| sm.signature.clone());
        if sync {
            sm.signature.clear();
            sm.count = 0;
            sm.epoch += 1;
        }
        let done = Done { kind, id, epoch: sm.epoch as u8, sync };
        sm.answers.push_back(Answer { done, epoch: sm.epoch, signature });
    }

    /// The CU whose oldest request a bank serves next.
    pub fn token(&self, bank: usize) -> Option<Unit> {
        self.tokens[bank].front().copied()
    }

    /// It is served.
    pub fn take_token(&mut self, bank: usize) -> Option<Unit> {
        self.tokens[bank].pop_front()
    }
}

/// What an SM keeps: the last signature that it has got, and its lines.
#[derive(Debug)]
pub struct IdealChecks {
    unit: Rc<RefCell<Ideal>>,
    sm: usize,
    hits: u8,
    signature: Signature,
    epoch: u64,
    /// By way: epoch, and hits without a check.
    lines: Vec<(u64, u8)>,
    /// What the cycle before has done.
    act: Act,
    rs: Option<u8>,
    counters: LineCounters,
}

#[derive(Clone, Copy, Debug, Default)]
struct LineCounters {
    needchk: u64,
    cold: u64,
    expired: u64,
    avu: u64,
    syncs: u64,
}

impl IdealChecks {
    pub fn new(make: &mut Make, parameters: &Parameters) -> Self {
        let p = &parameters.blocks;
        Self {
            unit: Ideal::of(make, parameters),
            sm: sm_of(make),
            hits: p.hits as u8,
            signature: Signature::new(p.m),
            epoch: 0,
            lines: vec![(0, 0); p.lines as usize],
            act: Act::default(),
            rs: None,
            counters: LineCounters::default(),
        }
    }

    /// All that was sent in the cycle before is in force: it judges that cycle's lookup, which has
    /// seen its line as before a fill.
    fn judge_last(&mut self) {
        let Act { lk, fill, hc_clr, .. } = std::mem::take(&mut self.act);
        if let Some(lk) = lk {
            self.rs = Some(self.judge(lk));
        }
        if let Some(way) = hc_clr {
            self.lines[usize::from(way)].1 = 0;
        }
        if let Some(Fill { line, epoch }) = fill {
            let age = u64::from(self.age(epoch));
            self.lines[usize::from(line)] = (self.epoch - age, 0);
        }
    }

    /// A lookup, by what is in force now (specification 5.3).
    fn judge(&mut self, lk: Lookup) -> u8 {
        let c = &mut self.counters;
        if !lk.tag_hit {
            c.cold += 1;
            return result::MISS_COLD;
        }
        let (epoch, hits) = &mut self.lines[usize::from(lk.line)];
        let age = self.epoch - *epoch;
        if age >= 2 {
            c.expired += 1;
            return result::MISS_EXPIRED;
        }
        let unit = self.unit.borrow();
        let Keys { first, count } = unit.granules.of_access(lk.addr, lk.size);
        let is_member = |key| self.signature.has(unit.hash.indices(key));
        if age == 1 && (first..first + count).any(is_member) {
            c.avu += 1;
            return result::MISS_AVU;
        }
        if *hits == self.hits {
            c.needchk += 1;
            return result::HIT_NEEDCHK;
        }
        *hits += 1;
        result::HIT
    }
}

impl Checks for IdealChecks {
    fn begin(&mut self, ctx: &mut Context) -> bool {
        self.unit.borrow_mut().settle(ctx);
        false
    }

    fn view(&self) -> View {
        View { lk_ready: true, rs: self.rs, ..View::default() }
    }

    fn next_done(&mut self) -> Option<Done> {
        let answer = self.unit.borrow_mut().sms[self.sm].answers.pop_front();
        if let Some(Answer { done, epoch, signature }) = answer {
            self.epoch = epoch;
            if let Some(signature) = signature {
                self.signature = signature;
                self.counters.syncs += 1;
            }
            return Some(done);
        }
        self.judge_last();
        None
    }

    fn age(&self, epoch: u8) -> u8 {
        (self.epoch as u8).wrapping_sub(epoch)
    }

    fn may_send(&mut self, _port: &mut Port) -> bool {
        true
    }

    fn send(&mut self, port: &mut Port, request: Req, write: WriteId) -> Option<Done> {
        let mut unit = self.unit.borrow_mut();
        unit.settle(port.ctx);
        unit.at = port.ctx.now;
        unit.sent.push((self.sm, request, write));
        None
    }

    fn end(&mut self, _ctx: &mut Context, act: &Act) {
        self.rs = None;
        self.act = *act;
    }

    fn quiet_cycles(&self) -> Cycle {
        if self.act.is_nothing() { Cycle::MAX } else { 0 }
    }

    fn counters(&self, all: &mut CounterValues) {
        let c = &self.counters;
        all.extend([
            ("race_needchk", c.needchk),
            ("race_miss_cold", c.cold),
            ("race_miss_expired", c.expired),
            ("race_miss_avu", c.avu),
            ("race_syncs", c.syncs),
        ]);
        if self.sm == 0 {
            let c = &self.unit.borrow().counters;
            all.extend([
                ("race_reads", c.requests[usize::from(req_kind::RDCHK)]),
                ("race_hit_checks", c.requests[usize::from(req_kind::HITCHK)]),
                ("race_writes", c.requests[usize::from(req_kind::WRITE)]),
                ("race_atomics", c.requests[usize::from(req_kind::ATOM)]),
                ("race_races", c.races),
                ("race_forced", c.forced),
            ]);
        }
    }
}
