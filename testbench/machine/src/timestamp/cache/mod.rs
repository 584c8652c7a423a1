//! The L1 of a CU: the block, and what carries its requests and answers.

mod clocks;
mod late;
mod outputs;
mod times;

use std::collections::VecDeque;

use cosim::socket::Socket;
use hwmodel::timestamp::timestamp_l1::TimestampL1;
use hwmodel::{Block, Model};
use ports::timestamp::timestamp_l1::{In, Out};
use ports::timestamp::types::{BusRsp, CoreReq, Protocol, op, rsp_op};
use traces::trace::{AtomicOp, Instr, InstrKind};

use super::parameters::{Parameters, TimestampBytes};
use super::places::Places;
use super::rule::{self, Rule};
use super::{Answer, OfL1, ToL1, counted};
use crate::build::make::{Made, Make};
use crate::check::timed::OPERATIONS;
use crate::context::Stop;
use crate::context::message::{Kind, Message, Packed, Unit};
use crate::engine::pool::Handle;
use crate::engine::{Cycle, WireId};
use crate::l1::src::Spec;
use crate::l1::without::take_away;
use crate::l1::{Callbacks, IssuePolicy, L1, Port};
use crate::statistics::CounterValues;
use clocks::Clocks;
use late::Late;
use times::Issued;

/// Makes what stands beside a CU.
pub fn new(make: &mut Make) -> Made<dyn L1> {
    let Parameters { blocks, name, without } = Parameters::of(make.system)?;
    let config = (&blocks).into();
    let mut block: Socket<TimestampL1> = make.socket(&name, &config)?;
    if let Some(Rule::L1(rule)) = without {
        take_away(rule::FIELD, &mut block, TimestampL1::without(&config, rule))?;
    }
    let keeps = |rule| without != Some(rule);
    let design = make.system.l1.design.as_str();
    let hit_latency = Spec::of(make.system).hit_latency.into();
    let sm_id = super::sm_of(make) as u8;
    let places = make.l1_policy()?.map(|policy| Places::new(policy, &blocks));
    let inputs = In { sm_id, policy: places.is_some(), ..In::default() };
    let m = &make.system.machine;
    let in_order = matches!(design, "gtsc-sc" | "tc-strong") && keeps(Rule::OneAccess);
    let (fences, waves) = (design == "tc-weak", make.system.cu.waves as usize);
    let line = m.line as usize;
    Ok(Box::new(Cache {
        place: make.place.clone(),
        out: block.outputs(),
        block,
        inputs,
        begun: Cycle::MAX,
        line,
        ts_w: config.ts_bits(),
        bytes: TimestampBytes::of(&blocks),
        hit_latency,
        in_order,
        fences,
        requests: vec![Handle::NONE; IDS],
        arrived: VecDeque::with_capacity(IDS),
        is_hit: false,
        unit: Unit::default(),
        under_way: vec![0; waves],
        loads: vec![0; waves],
        drains: keeps(Rule::BarrierLoads),
        free_at: vec![0; waves],
        issued: Issued::new(),
        clocks: (blocks.protocol == Protocol::Gtsc && keeps(Rule::Barrier))
            .then(|| Clocks::new(waves)),
        late: Late::new(without),
        places,
        held: 0,
        fencing: 0,
        fencing_since: vec![0; waves],
        wires: make.unit.map(|_| (make.wire_from_unit(0), make.wire_to_unit(0))),
        said: OfL1::default(),
        generation: 0,
        acquires: false,
        counters: Counters::default(),
    }))
}

/// Requests of a CU that may be under way: their names have 8 bits.
const IDS: usize = 256;
/// Tags of the block's own requests, apart from the CU's transactions.
pub const OWN: u32 = 1 << 31;

#[derive(Clone, Copy, Debug, Default)]
struct Counters {
    loads: u64,
    uncached: u64,
    fence_waits: u64,
}

#[derive(Debug)]
struct Cache {
    place: String,
    block: Socket<TimestampL1>,
    /// What the block shows in the cycle of its next edge, and the inputs of that cycle.
    out: Out,
    inputs: In,
    /// The cycle whose inputs these are.
    begun: Cycle,
    /// Bytes of a line.
    line: usize,
    ts_w: u32,
    bytes: TimestampBytes,
    hit_latency: Cycle,
    /// A wave issues an access when the one before is over.
    in_order: bool,
    /// A fence may have to wait for leases.
    fences: bool,
    /// Of the CU, by tag.
    requests: Vec<Handle<Message>>,
    /// Answers that the block has not taken.
    arrived: VecDeque<BusRsp>,
    /// The answer that the block shows is a load's that has hit.
    is_hit: bool,
    unit: Unit,
    /// Of each wave: requests without an answer; when the last answer reaches the CU.
    under_way: Vec<u16>,
    /// Loads among them: a barrier waits for these, as one that no answer has served is asked for
    /// again, and would be behind what another wave of its work-group stores then.
    loads: Vec<u16>,
    drains: bool,
    free_at: Vec<Cycle>,
    issued: Issued,
    /// Where a barrier must give waves the time.
    clocks: Option<Clocks>,
    /// What others pass, where a rule is not kept.
    late: Late,
    /// What says which ways lines take, if anything does.
    places: Option<Places>,
    /// Bit w: wave w waits to issue; it stands at a fence or its end.
    held: u64,
    fencing: u64,
    fencing_since: Vec<Cycle>,
    /// From and to the GPU's unit, where there is one.
    wires: Option<(WireId, WireId)>,
    said: OfL1,
    /// Number of the own generation.
    generation: u32,
    acquires: bool,
    counters: Counters,
}

/// The bits of a mask.
fn bits(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (bit < u64::BITS).then_some(bit as usize)
    })
}

/// `CoreReq::aop`.
pub fn aop_of(op: AtomicOp) -> u8 {
    OPERATIONS.iter().position(|&other| other == op).expect("all operations") as u8
}

impl Cache {
    /// The cycle begins, at the first call in it.
    fn begin(&mut self, port: &mut Port) {
        let now = port.ctx.now;
        if self.begun == now {
            return;
        }
        self.begun = now;
        let In { sm_id, rep, policy, .. } = self.inputs;
        self.inputs = In { sm_id, rep, policy, ..In::default() };
        if self.block.cycle() < now {
            self.block.catch_up(now, &self.inputs);
            self.out = self.block.outputs();
        }
    }

    /// The newest generation of that name; an older one has it, too, where four have passed.
    fn generation_of(&self, rep: u8) -> u32 {
        self.generation - u32::from((self.generation as u8).wrapping_sub(rep) % 4)
    }

    /// A request of a wave is on its way, if it was taken.
    #[inline]
    fn begin_request(&mut self, wave: usize, kind: Kind, taken: bool) {
        self.under_way[wave] += u16::from(taken);
        self.loads[wave] += u16::from(taken && kind == Kind::Read);
    }

    /// A request of a wave is over `after` cycles from now.
    fn end(&mut self, now: Cycle, wave: usize, after: Cycle, is_load: bool) {
        self.under_way[wave] -= 1;
        self.loads[wave] -= u16::from(is_load);
        self.free_at[wave] = self.free_at[wave].max(now + after);
    }

    /// When a wave that is held may go on; `MAX` while something is under way that it waits for.
    fn due(&self, wave: usize) -> Cycle {
        match self.in_order {
            true if self.under_way[wave] == 0 => self.free_at[wave],
            false if self.loads[wave] == 0 => 0,
            _ => Cycle::MAX,
        }
    }

    /// Waves go on whose accesses are over, or whose leases.
    fn release(&mut self, port: &mut Port) {
        let now = port.ctx.now;
        for wave in bits(self.held) {
            match self.due(wave) {
                Cycle::MAX => {}
                due if due > now => port.ctx.wake_at(due),
                _ => {
                    self.held &= !(1 << wave);
                    port.go_on(wave);
                }
            }
        }
        for wave in bits(self.fencing & self.out.fence_ok) {
            self.fencing &= !(1 << wave);
            self.counters.fence_waits += now - self.fencing_since[wave];
            port.go_on(wave);
        }
    }
}

impl L1 for Cache {
    fn request(&mut self, port: &mut Port, request: Handle<Message>) -> bool {
        self.begin(port);
        let Message { addr, mask, kind, line, tag, from, size, .. } = port.ctx.messages[request];
        let wave = port.transaction(request).wave;
        if !port.ctx.is_cacheable(from, addr) {
            let sent = port.send(request);
            self.counters.uncached += u64::from(sent && kind == Kind::Read);
            self.begin_request(usize::from(wave), kind, sent);
            return sent;
        }
        if !self.out.core_req_ready || self.inputs.core_req.is_some() {
            return false;
        }
        let under_way = self.under_way[usize::from(wave)];
        let warp = match &mut self.clocks {
            Some(clocks) => clocks.of(wave.into(), under_way),
            None => Some(wave as u8),
        };
        let Some(warp) = warp else { return false };
        let mut own =
            CoreReq { id: tag as u8, warp, line: addr / self.line as u64, ..CoreReq::default() };
        match kind {
            Kind::Read => self.counters.loads += 1,
            Kind::Atomic(op) => (own.op, own.aop, own.sz) = (op::ATOM, aop_of(op), size == 8),
            _ => own.op = op::ST,
        }
        if kind != Kind::Read {
            own.mask = mask;
            own.data.0[..self.line].copy_from_slice(&port.ctx.lines[line].0[..self.line]);
        }
        if port.ctx.timed.is_some() {
            self.record_issue(port, request);
        }
        self.unit = from;
        self.inputs.core_req = Some(own);
        self.requests[tag as usize] = request;
        self.begin_request(usize::from(wave), kind, true);
        true
    }

    fn answer(&mut self, port: &mut Port, message: Handle<Message>) {
        self.begin(port);
        let Message { tag, sideband, line, born, hint, .. } = port.ctx.messages[message];
        if tag & OWN == 0 {
            let wave = usize::from(port.transactions[tag].wave);
            let is_load = port.transactions[tag].kind == InstrKind::Load;
            self.end(port.ctx.now, wave, 0, is_load);
            return port.finish_with(message);
        }
        let Answer { op, rep, ok, id, wts, rts } = sideband.get((self.ts_w,));
        let mut answer =
            BusRsp { op, rep, ok, sm: self.inputs.sm_id, id, wts, rts, ..BusRsp::default() };
        if line.is_some() {
            let bytes = &port.ctx.lines[line].0[..self.line];
            answer.data.0[..self.line].copy_from_slice(bytes);
        }
        if port.ctx.timed.is_some() && matches!(op, rsp_op::WR_ACK | rsp_op::ATOM_ACK) {
            self.issued.perform(id, born);
        }
        if let Some(places) = &mut self.places {
            places.answer(&answer, hint);
        }
        if !self.late.keep_answer(port.ctx, &answer) {
            self.arrived.push_back(answer);
        }
        port.ctx.drop_message(message);
    }

    fn acquire(&mut self, port: &mut Port, _past: bool) -> bool {
        self.begin(port);
        self.acquires = true;
        match self.wires {
            Some((_, to)) => {
                self.said.asked = (self.said.asked + 1) & 3;
                port.ctx.show(to, Packed::new(&self.said, ()));
            }
            None => self.inputs.flush = true,
        }
        false
    }

    fn callbacks(&self) -> Callbacks {
        Callbacks {
            end_cycle: true,
            may_issue: self.in_order || self.drains,
            fence: self.fences,
            barrier: self.clocks.is_some(),
            waves: self.clocks.is_some(),
            ..Callbacks::default()
        }
    }

    fn issue_policy(&self) -> IssuePolicy {
        IssuePolicy { outstanding: Some(IDS as u32), ..IssuePolicy::default() }
    }

    fn may_issue(&mut self, port: &mut Port, wave: usize, instr: &Instr) -> bool {
        let waits = self.in_order || instr.kind == InstrKind::Barrier;
        let may = !waits || self.due(wave) <= port.ctx.now;
        self.held |= u64::from(!may) << wave;
        may
    }

    fn fence(&mut self, port: &mut Port, wave: usize) -> bool {
        self.begin(port);
        let may = self.out.fence_ok >> wave & 1 == 1;
        if !may {
            self.fencing |= 1 << wave;
            self.fencing_since[wave] = port.ctx.now;
        }
        may
    }

    fn begin_wave(&mut self, _port: &mut Port, wave: usize) {
        let clocks = self.clocks.as_mut().expect("it is asked for");
        clocks.begin(wave);
    }

    fn barrier(&mut self, _port: &mut Port, waves: u64) {
        let clocks = self.clocks.as_mut().expect("it is asked for");
        clocks.join(waves);
    }

    fn end_cycle(&mut self, port: &mut Port) {
        self.begin(port);
        let now = port.ctx.now;
        if self.late.waits() {
            self.late.let_go(port, &mut self.arrived);
        }
        if self.block.cycle() > now {
            return;
        }
        if let Some((from, _)) = self.wires {
            self.inputs.rep = port.ctx.see(from).get::<ToL1>(()).rep;
        }
        if let Some(places) = &mut self.places {
            let (ask, event) = (self.out.ask.as_ref(), self.out.event.as_ref());
            self.inputs.pick = places.tick(port.ctx, ask, event);
        }
        self.inputs.bus_rsp = self.arrived.front().copied();
        if let Some(request) = self.out.bus_req {
            self.send(port, &request);
        }
        if let Some(answer) = self.out.core_rsp {
            self.finish(port, &answer);
        }
        if self.held | self.fencing != 0 {
            self.release(port);
        }
        let takes = self.out.bus_rsp_ready;
        self.block.tick(&self.inputs);
        if takes {
            self.arrived.pop_front();
        }
        let hits = self.out.counters.load_hit;
        self.out = self.block.outputs();
        // An answer is taken at once, so it shows with the count of the load that it is for.
        self.is_hit = self.out.counters.load_hit != hits;
        if let Some(code) = self.out.err {
            let problem = format!("{}/{}: error {code}", self.place, TimestampL1::NAME);
            port.ctx.stop.get_or_insert(Stop::Block(problem));
        }
        self.talk(port);
        let waits = self.arrived.is_empty()
            && self.out.core_rsp.is_none()
            && self.fencing & self.out.fence_ok == 0
            && (self.places.is_none() || self.out.ask.is_none() && self.out.event.is_none());
        port.ctx.wake_after(if waits { self.block.quiet_cycles() } else { 0 });
    }

    fn mshrs(&self) -> (u32, u32) {
        (
            self.requests.iter().filter(|request| request.is_some()).count() as u32,
            self.requests.len() as u32,
        )
    }

    fn waits_for(&self) -> Option<String> {
        let waits = self.requests.iter().filter(|request| request.is_some()).count();
        (waits > 0).then(|| format!("{waits} requests in its {}", TimestampL1::NAME))
    }

    fn counters(&self, all: &mut CounterValues) {
        let Counters { loads, uncached, fence_waits } = self.counters;
        counted::l1(self.block.config().protocol, &self.block.outputs().counters, all);
        all.extend([("loads", loads), ("uncached_loads", uncached)]);
        if self.fences {
            all.push(("timestamp_fence_waits", fence_waits));
        }
        self.places.iter().for_each(|places| places.counters(all));
    }
}
