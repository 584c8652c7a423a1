//! L1s, a bank, the reset of timestamps, and what is under way between them.
//!
//! A step gives one block what has come for it, and ticks it until it waits again. So each order is
//! tried in which messages can come, but not what the blocks' queues do when several messages come
//! within a few cycles: they keep their order.

use std::sync::Arc;

use hwmodel::timestamp::gtsc_rst::GtscRst;
use hwmodel::timestamp::timestamp_l1::TimestampL1;
use hwmodel::timestamp::timestamp_l2::TimestampL2;
use hwmodel::{Block, Model};
use ports::timestamp::types::{
    BusReq, BusRsp, CoreReq, CoreRsp, DramRsp, LineData, Timestamp, aop, bus_op, op, rsp_op,
};

use super::program::{Access, FIRST, History, Kind, Time, Warp};
use super::rules::Rule;
use super::setup::{Order, Setup};
use crate::describe::{Text, describe, location, sm_of, warp as warp_name};
use crate::space::{Broken, Space};
use crate::traced::{Replay, Traced};

/// Cycles after which a bank that did nothing waits: its answers take three.
const SETTLED: u32 = 5;
/// Cycles that no block needs for what has come.
const MOST: u32 = 200;

/// A load finds what was stored last in logical time.
pub const VALUES: &str = "a load returns the newest store at its logical time";
/// A warp's accesses happen in its order.
pub const IN_ORDER: &str = "accesses of a warp take effect in program order";
/// No block is text what cannot be.
pub const NO_ERROR: &str = "no block receives an illegal input";

/// Resets come to an end.
pub const PROGRESS: &str = "the bank continues after resets";

/// The blocks, and what is under way.
#[derive(Clone, Debug, Hash)]
pub struct State {
    l1s: Vec<Arc<Traced<TimestampL1>>>,
    l2: Arc<Traced<TimestampL2>>,
    rst: Traced<GtscRst>,
    up: Vec<Vec<BusReq>>,
    down: Vec<Vec<BusRsp>>,
    /// Lines that the bank has asked of memory.
    reads: Vec<u64>,
    memory: Vec<LineData>,
    /// By SM and warp.
    warps: Vec<Warp>,
    /// Stores that the bank has taken and not performed: SM, name, location, value.
    taken: Vec<(u8, u8, u8, u8)>,
    /// By location.
    histories: Vec<History>,
    /// Of the bank.
    generation: u8,
    broken: Option<Broken>,
}

/// What can happen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// A warp issues an access; with `fence` it has waited for all before.
    Issue { warp: usize, kind: Kind, place: u8, fence: bool },
    /// The bank takes a request of an SM.
    Up { sm: usize, nth: usize },
    /// An L1 takes an answer.
    Down { sm: usize, nth: usize },
    /// Memory answers.
    Memory,
    /// An L1 learns of the new generation.
    Flush { sm: usize },
}

/// A setup to be searched.
pub struct Gpu {
    setup: &'static Setup,
    timestamp: Timestamp,
    without: Option<Rule>,
}

impl Gpu {
    /// With all rules, or without one.
    pub fn new(setup: &'static Setup, without: Option<Rule>) -> Self {
        Self { setup, timestamp: setup.timestamp(), without }
    }

    fn keeps(&self, rule: Rule) -> bool {
        self.without != Some(rule)
    }

    fn line_of(&self, place: u8) -> usize {
        self.setup.places[usize::from(place)].0.into()
    }

    /// The byte of a location in its line.
    fn byte_of(&self, place: u8) -> usize {
        4 * usize::from(self.setup.places[usize::from(place)].1)
    }

    fn break_(state: &mut State, property: &'static str, how: String) {
        state.broken.get_or_insert(Broken { property, how });
    }

    /// An L1 gets what has come, and ticks until it waits.
    fn run_l1(
        &self,
        state: &mut State,
        sm: usize,
        rep: u8,
        (mut req, mut rsp): (Option<CoreReq>, Option<BusRsp>),
        text: &mut Text,
    ) {
        for _ in 0..MOST {
            let l1 = Arc::make_mut(&mut state.l1s[sm]);
            if req.is_none()
                && rsp.is_none()
                && l1.quiet_cycles() > 0
                && l1.outputs().rep_ack == rep
            {
                return;
            }
            let out = l1.tick(&ports::timestamp::timestamp_l1::In {
                core_req: req,
                core_rsp_ready: true,
                bus_req_ready: true,
                bus_rsp: rsp,
                sm_id: sm as u8,
                rep,
                ..ports::timestamp::timestamp_l1::In::default()
            });
            req = req.filter(|_| !out.core_req_ready);
            rsp = rsp.filter(|_| !out.bus_rsp_ready);
            if let Some(err) = out.err {
                Self::break_(state, NO_ERROR, format!("the L1 of SM {sm} raises error {err}"));
            }
            if let Some(bus_req) = out.bus_req {
                describe!(text, "; its L1 sends {}", describe_req(&bus_req));
                state.up[sm].push(bus_req);
            }
            if let Some(core_rsp) = out.core_rsp {
                self.over(state, sm, &core_rsp, text);
            }
        }
        panic!("the L1 of SM {sm} does not come to rest");
    }

    /// The generation, without wrap, of an answer.
    fn generation(state: &State, rep: u8) -> u8 {
        (0..=state.generation).rev().find(|generation| generation & 3 == rep).unwrap_or_default()
    }

    /// An access is over.
    fn over(&self, state: &mut State, sm: usize, rsp: &CoreRsp, text: &mut Text) {
        let at: Time = (Self::generation(state, rsp.rep), rsp.ts);
        let number = sm * usize::from(self.setup.warps) + usize::from(rsp.warp);
        let open = state.warps[number].open.iter().find(|access| access.id == rsp.id);
        let open = *open.expect("an answer is to an access");
        let of = match open.kind {
            Kind::Load => state.histories[usize::from(open.place)].found(at),
            _ => at,
        };
        let over = state.warps[number].over(rsp.id, at, of);
        let who = warp_name(self.setup.warps, number);
        let access = match over {
            Ok(access) => access,
            Err((access, other)) => {
                let (what, at) = (describe_access(&access), describe_time(at));
                let how = format!(
                    "{who}: {what} at {at}, but another of its accesses is at {}",
                    describe_time(other)
                );
                return Self::break_(state, IN_ORDER, how);
            }
        };
        let found = rsp.data.0[self.byte_of(access.place)];
        let (name, time) = (location(access.place), describe_time(at));
        let history = &mut state.histories[usize::from(access.place)];
        let expected = match access.kind {
            Kind::Load => history.load(at),
            Kind::Atomic => history.atomic(at),
            Kind::Store => {
                describe!(text, "; {who}'s store to {name} completes at {time}");
                return;
            }
        };
        describe!(text, "; {who}'s load of {name} returns {found} at {time}");
        if found != expected {
            describe!(text, " (should be {expected})");
            let how =
                format!("{who}'s load of {name} at {time} returns {found} instead of {expected}");
            Self::break_(state, VALUES, how);
        }
    }

    /// The bank gets what has come; it and the reset tick until they wait.
    fn run_l2(
        &self,
        state: &mut State,
        (mut req, mut fill): (Option<BusReq>, Option<DramRsp>),
        text: &mut Text,
    ) {
        let mut settled = 0;
        for _ in 0..MOST {
            if settled == SETTLED {
                return;
            }
            let State { l2, rst, .. } = state;
            let l2 = Arc::make_mut(l2);
            let reset = rst.outputs();
            let out = l2.tick(&ports::timestamp::timestamp_l2::In {
                bus_req: req,
                bus_rsp_ready: true,
                dram_req_ready: true,
                dram_rsp: fill,
                halt: reset.halt,
                rst: reset.rst,
                ..ports::timestamp::timestamp_l2::In::default()
            });
            let mut inputs = ports::timestamp::gtsc_rst::In {
                ovf: out.ovf.into(),
                halted: out.halted.into(),
                rst_done: out.rst_done.into(),
                ..ports::timestamp::gtsc_rst::In::default()
            };
            for (ack, l1) in inputs.rep_ack.iter_mut().zip(&state.l1s) {
                *ack = l1.outputs().rep_ack;
            }
            rst.tick(&inputs);
            let resets = rst.outputs();
            if resets.rst && !reset.rst {
                describe!(text, "; a timestamp overflows, and a reset starts");
                state.generation += 1;
            }
            let idle = !l2.did().is_action();
            let levels = |out: &ports::timestamp::gtsc_rst::Out| (out.halt, out.rst, out.rep);
            let same = levels(&reset) == levels(&resets);
            let most: u8 = self.setup.accesses.iter().sum();
            let endless = state.generation > 2 * most;
            let waits = req.is_none() && fill.is_none() && idle && same;
            settled = if waits { settled + 1 } else { 0 };
            req = req.filter(|_| !out.bus_req_ready);
            fill = fill.filter(|_| !out.dram_rsp_ready);
            if endless {
                let how = format!("{} resets for {most} accesses", state.generation);
                Self::break_(state, PROGRESS, how);
            }
            if let Some(err) = out.err {
                Self::break_(state, NO_ERROR, format!("the bank raises error {err}"));
            }
            if let Some(err) = resets.err {
                Self::break_(state, NO_ERROR, format!("the reset raises error {err}"));
            }
            if let Some(dram) = out.dram_req {
                let line = describe_line(dram.line);
                if dram.we {
                    describe!(text, "; the bank writes {line} back");
                    state.memory[dram.line as usize] = dram.data;
                } else {
                    describe!(text, "; the bank requests {line} from memory");
                    state.reads.push(dram.line);
                }
            }
            if let Some(rsp) = out.bus_rsp {
                settled = 0;
                describe!(text, "; the bank sends SM {} {}", rsp.sm, describe_rsp(&rsp));
                self.performed(state, &rsp);
                state.down[usize::from(rsp.sm)].push(rsp);
            }
        }
        panic!("the bank does not come to rest");
    }

    /// The bank has performed a store.
    fn performed(&self, state: &mut State, rsp: &BusRsp) {
        let is_it = |&(sm, id, ..): &(u8, u8, u8, u8)| (sm, id) == (rsp.sm, rsp.id);
        if !matches!(rsp.op, rsp_op::WR_ACK | rsp_op::ATOM_ACK) {
            return;
        }
        let nth = state.taken.iter().position(is_it).expect("the bank has taken it");
        let (_, _, place, value) = state.taken.remove(nth);
        let at = (Self::generation(state, rsp.rep), rsp.wts);
        if let Err(loaded) = state.histories[usize::from(place)].store(at, value) {
            let name = location(place);
            let (at, loaded) = (describe_time(at), describe_time(loaded));
            let how = format!(
                "the store of {value} to {name} at {at} is performed after a load at \
                         {loaded}"
            );
            Self::break_(state, VALUES, how);
        }
    }

    /// The location of a request, by its line and mask.
    fn place_of(&self, req: &BusReq) -> u8 {
        let is_it = |place: &u8| {
            self.line_of(*place) as u64 == req.line && req.mask >> self.byte_of(*place) & 1 == 1
        };
        (0..self.setup.places.len() as u8).find(is_it).expect("a request is of a location")
    }

    fn take(&self, state: &mut State, step: &Step, text: &mut Text) {
        match *step {
            Step::Issue { warp: number, kind, place, fence } => {
                let (sm, warp) = sm_of(self.setup.warps, number);
                if fence {
                    state.warps[number].fence();
                }
                let id = state.warps[number].issued;
                let value = match kind {
                    Kind::Load => 0,
                    _ => 1 + (number as u8) * 8 + id,
                };
                let access = Access { id, kind, place, value, of: None };
                describe!(
                    text,
                    "{} {}",
                    warp_name(self.setup.warps, number),
                    describe_issue(&access)
                );
                state.warps[number].issued += 1;
                state.warps[number].open.push(access);
                let byte = self.byte_of(place);
                let mut data = LineData::default();
                data.0[byte] = value;
                let (op, aop) = match kind {
                    Kind::Load => (op::LD, 0),
                    Kind::Store => (op::ST, 0),
                    Kind::Atomic => (op::ATOM, aop::XCHG),
                };
                let mask = if kind == Kind::Load { 0 } else { 0xf << byte };
                let line = self.line_of(place) as u64;
                let req = CoreReq { op, aop, sz: false, id, warp: warp as u8, line, mask, data };
                let rep = state.l1s[sm].outputs().rep_ack;
                self.run_l1(state, sm, rep, (Some(req), None), text);
            }
            Step::Up { sm, nth } => {
                let req = state.up[sm].remove(nth);
                describe!(text, "the bank accepts SM {sm}'s {}", describe_req(&req));
                if req.op != bus_op::RD {
                    let place = self.place_of(&req);
                    let value = req.data.0[self.byte_of(place)];
                    state.taken.push((req.sm, req.id, place, value));
                }
                self.run_l2(state, (Some(req), None), text);
            }
            Step::Down { sm, nth } => {
                let rsp = state.down[sm].remove(nth);
                describe!(text, "the L1 of SM {sm} receives {}", describe_rsp(&rsp));
                let rep = state.l1s[sm].outputs().rep_ack;
                self.run_l1(state, sm, rep, (None, Some(rsp)), text);
            }
            Step::Memory => {
                let line = state.reads.remove(0);
                describe!(text, "memory answers with {}", describe_line(line));
                let data = state.memory[line as usize];
                self.run_l2(state, (None, Some(DramRsp { line, data })), text);
            }
            Step::Flush { sm } => {
                let rep = state.rst.outputs().rep;
                describe!(text, "the L1 of SM {sm} invalidates all lines for generation {rep}");
                self.run_l1(state, sm, rep, (None, None), text);
                self.run_l2(state, (None, None), text);
            }
        }
    }
}

fn describe_line(line: u64) -> String {
    format!("line {line}")
}

fn describe_time((generation, ts): Time) -> String {
    match generation {
        0 => format!("time {ts}"),
        _ => format!("time {ts} of generation {generation}"),
    }
}

fn describe_access(access: &Access) -> String {
    let name = location(access.place);
    match access.kind {
        Kind::Load => format!("its load of {name}"),
        Kind::Store => format!("its store to {name}"),
        Kind::Atomic => format!("its exchange on {name}"),
    }
}

fn describe_issue(access: &Access) -> String {
    let Access { value, .. } = access;
    let name = location(access.place);
    match access.kind {
        Kind::Load => format!("loads {name}"),
        Kind::Store => format!("stores {value} to {name}"),
        Kind::Atomic => format!("exchanges {name} for {value}"),
    }
}

fn describe_req(req: &BusReq) -> String {
    let BusReq { line, wts, warp_ts, .. } = *req;
    let copy = if wts == 0 { String::new() } else { format!(", with a copy of time {wts}") };
    match req.op {
        bus_op::RD => format!("read of line {line} at {warp_ts}{copy}"),
        bus_op::WR => format!("write of line {line} at {warp_ts}{copy}"),
        _ => format!("atomic on line {line} at {warp_ts}"),
    }
}

fn describe_rsp(rsp: &BusRsp) -> String {
    let BusRsp { wts, rts, ok, .. } = *rsp;
    match rsp.op {
        rsp_op::FILL => format!("a fill with lease {wts} to {rts}"),
        rsp_op::RNW => format!("a renewal to {rts}"),
        rsp_op::WR_ACK if ok => format!("an acknowledgement, lease {wts} to {rts}"),
        rsp_op::WR_ACK => format!("an acknowledgement, lease {wts} to {rts}, of an old copy"),
        _ => format!("the answer of an atomic, time {wts}"),
    }
}

impl Space for Gpu {
    type State = State;
    type Step = Step;

    fn start(&self, is_traced: bool) -> State {
        let config = (&self.timestamp).into();
        let l1 = match self.without {
            Some(Rule::L1(rule)) => TimestampL1::without(&config, rule),
            _ => TimestampL1::new(&config),
        };
        let l1 = Traced::new(l1, config, is_traced);
        let config = (&self.timestamp).into();
        let l2 = match self.without {
            Some(Rule::L2(rule)) => TimestampL2::without(&config, rule),
            _ => TimestampL2::new(&config),
        };
        let l2 = Traced::new(l2, config, is_traced);
        let config = (&self.timestamp).into();
        let rst = match self.without {
            Some(Rule::Reset(rule)) => GtscRst::without(&config, rule),
            _ => GtscRst::new(&config),
        };
        let rst = Traced::new(rst, config, is_traced);
        let Setup { sms, warps, places, .. } = *self.setup;
        let lines = 1 + places.iter().map(|&(line, _)| usize::from(line)).max().unwrap_or(0);
        let mut memory = vec![LineData::default(); lines];
        for place in 0..places.len() as u8 {
            memory[self.line_of(place)].0[self.byte_of(place)] = FIRST;
        }
        let sm = |sm: u8| {
            // It takes its number with its first cycle that does something.
            let mut l1 = l1.clone();
            l1.tick(&ports::timestamp::timestamp_l1::In {
                sm_id: sm,
                ..ports::timestamp::timestamp_l1::In::default()
            });
            Arc::new(l1)
        };
        State {
            l1s: (0..sms).map(sm).collect(),
            l2: Arc::new(l2),
            rst,
            up: vec![Vec::new(); sms.into()],
            down: vec![Vec::new(); sms.into()],
            reads: Vec::new(),
            memory,
            warps: vec![Warp::new(places.len()); usize::from(sms * warps)],
            taken: Vec::new(),
            histories: vec![History::default(); places.len()],
            generation: 0,
            broken: None,
        }
    }

    fn replays(&self, state: &State) -> Vec<Replay> {
        let l1s = state.l1s.iter().enumerate();
        let l1s = l1s.map(|(sm, l1)| l1.replay(format!("SM {sm}")));
        let bank = [state.l2.replay("the bank".into()), state.rst.replay("the reset".into())];
        l1s.chain(bank).flatten().collect()
    }

    fn steps(&self, state: &State, steps: &mut Vec<Step>) {
        if state.broken.is_some() {
            return;
        }
        let nexts = |held: usize, in_order: bool| if in_order { held.min(1) } else { held };
        for sm in 0..state.l1s.len() {
            let held = nexts(state.down[sm].len(), self.keeps(Rule::AnswerOrder));
            steps.extend((0..held).map(|nth| Step::Down { sm, nth }));
        }
        if state.l2.outputs().bus_req_ready {
            for sm in 0..state.l1s.len() {
                let held = nexts(state.up[sm].len(), self.keeps(Rule::RequestOrder));
                steps.extend((0..held).map(|nth| Step::Up { sm, nth }));
            }
        }
        if !state.reads.is_empty() && state.l2.outputs().dram_rsp_ready {
            steps.push(Step::Memory);
        }
        let rep = state.rst.outputs().rep;
        for (sm, l1) in state.l1s.iter().enumerate() {
            if l1.outputs().rep_ack != rep {
                steps.push(Step::Flush { sm });
            }
        }
        for (number, warp) in state.warps.iter().enumerate() {
            let (sm, _) = sm_of(self.setup.warps, number);
            let left = warp.issued < self.setup.accesses[number];
            if !left || !state.l1s[sm].outputs().core_req_ready {
                continue;
            }
            let fences: &[bool] = match self.setup.order {
                Order::One if warp.is_quiet() => &[true],
                Order::One => &[],
                Order::Fences if warp.is_quiet() && warp.issued > 0 => &[false, true],
                Order::Fences => &[false],
            };
            for &fence in fences {
                for &kind in self.setup.kinds {
                    let places = 0..self.setup.places.len() as u8;
                    steps.extend(places.map(|place| Step::Issue {
                        warp: number,
                        kind,
                        place,
                        fence,
                    }));
                }
            }
        }
    }

    fn after(&self, state: &State, step: &Step) -> Option<State> {
        let mut state = state.clone();
        self.take(&mut state, step, &mut None);
        Some(state)
    }

    fn broken(&self, state: &State) -> Option<Broken> {
        state.broken.clone()
    }

    fn is_drained(&self, state: &State) -> bool {
        state.warps.iter().all(Warp::is_quiet)
    }

    fn describe(&self, before: &State, step: &Step, _after: &State) -> String {
        let mut text = Some(String::new());
        self.take(&mut before.clone(), step, &mut text);
        text.unwrap_or_default()
    }
}
