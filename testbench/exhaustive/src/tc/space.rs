//! L1s, a bank, and what is under way between them, in physical time.
//!
//! Each step takes the same number of cycles for all blocks; in its first something comes to one of
//! them, or nothing does. So leases end between any two events, with the grain of a step.

use std::sync::Arc;

use hwmodel::timestamp::timestamp_l1::TimestampL1;
use hwmodel::timestamp::timestamp_l2::TimestampL2;
use hwmodel::{Block, Model};
use ports::timestamp::types::{
    BusReq, BusRsp, CoreReq, CoreRsp, DramRsp, LineData, Protocol, TC_TS_W, Timestamp, bus_op, op,
    rsp_op,
};
use ports::timestamp::{timestamp_l1, timestamp_l2};

use super::program::{Access, Warp};
use super::rules::Rule;
use super::setup::{STEP, Setup};
use crate::describe::{Text, describe, location, sm_of, warp as warp_name};
use crate::space::{Broken, Space};
use crate::traced::{Replay, Traced};

/// A load does not find what was overwritten when it was issued.
pub const VALUES: &str = "no load returns a value overwritten before its issue";
/// A warp sees its own stores, and never goes back.
pub const OWN_ORDER: &str = "a warp's accesses to a location are in program order";
/// No block is text what cannot be.
pub const NO_ERROR: &str = "no block receives an illegal input";

/// The blocks, and what is under way.
#[derive(Clone, Debug, Hash)]
pub struct State {
    l1s: Vec<Arc<Traced<TimestampL1>>>,
    l2: Arc<Traced<TimestampL2>>,
    up: Vec<Vec<BusReq>>,
    down: Vec<Vec<BusRsp>>,
    /// Lines that the bank has asked of memory.
    reads: Vec<u64>,
    memory: Vec<LineData>,
    /// By SM and warp.
    warps: Vec<Warp>,
    /// Stores that the bank has taken and not performed: SM, name, location, value.
    taken: Vec<(u8, u8, u8, u8)>,
    /// By location, the values of stores in the bank's order.
    stores: Vec<Vec<u8>>,
    /// By location, the rank that every load must find from now on (TC-Weak: behind fences).
    floors: Vec<u8>,
    /// Steps in which nothing came.
    waits: u8,
    broken: Option<Broken>,
}

/// What can happen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// A warp issues an access.
    Issue { warp: usize, stores: bool, place: u8 },
    /// A warp passes a fence and issues a load, or with TC-Weak the fence is over without one.
    Fence { warp: usize },
    /// The bank takes a request of an SM.
    Up { sm: usize },
    /// An L1 takes an answer.
    Down { sm: usize },
    /// Memory answers.
    Memory,
    /// Nothing comes.
    Wait,
}

/// What comes to the blocks in the first cycle of a step.
#[derive(Default)]
struct Comes {
    core_req: Option<(usize, CoreReq)>,
    bus_req: Option<BusReq>,
    bus_rsp: Option<(usize, BusRsp)>,
    fill: Option<DramRsp>,
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

    fn break_(state: &mut State, property: &'static str, how: String) {
        state.broken.get_or_insert(Broken { property, how });
    }

    /// The cycles of a step.
    fn run(&self, state: &mut State, mut comes: Comes, text: &mut Text) {
        for _ in 0..STEP {
            for sm in 0..state.l1s.len() {
                let of_sm = |(at, req): &(usize, _)| (*at == sm).then_some(*req);
                let core_req = comes.core_req.as_ref().and_then(of_sm);
                let of_sm = |(at, rsp): &(usize, _)| (*at == sm).then_some(*rsp);
                let bus_rsp = comes.bus_rsp.as_ref().and_then(of_sm);
                let out = Arc::make_mut(&mut state.l1s[sm]).tick(&timestamp_l1::In {
                    core_req,
                    core_rsp_ready: true,
                    bus_req_ready: true,
                    bus_rsp,
                    sm_id: sm as u8,
                    ..timestamp_l1::In::default()
                });
                if core_req.is_some() && out.core_req_ready {
                    comes.core_req = None;
                }
                if bus_rsp.is_some() && out.bus_rsp_ready {
                    comes.bus_rsp = None;
                }
                if let Some(err) = out.err {
                    let how = format!("the L1 of SM {sm} raises error {err}");
                    Self::break_(state, NO_ERROR, how);
                }
                if let Some(bus_req) = out.bus_req {
                    describe!(text, "; its L1 sends a {}", describe_req(&bus_req));
                    state.up[sm].push(bus_req);
                }
                if let Some(core_rsp) = out.core_rsp {
                    self.over(state, sm, &core_rsp, text);
                }
            }
            let out = Arc::make_mut(&mut state.l2).tick(&timestamp_l2::In {
                bus_req: comes.bus_req,
                bus_rsp_ready: true,
                dram_req_ready: true,
                dram_rsp: comes.fill,
                ..timestamp_l2::In::default()
            });
            comes.bus_req = comes.bus_req.filter(|_| !out.bus_req_ready);
            comes.fill = comes.fill.filter(|_| !out.dram_rsp_ready);
            if let Some(err) = out.err {
                Self::break_(state, NO_ERROR, format!("the bank raises error {err}"));
            }
            if let Some(dram) = out.dram_req {
                if dram.we {
                    describe!(text, "; the bank writes line {} back", dram.line);
                    state.memory[dram.line as usize] = dram.data;
                } else {
                    describe!(text, "; the bank requests line {} from memory", dram.line);
                    state.reads.push(dram.line);
                }
            }
            if let Some(rsp) = out.bus_rsp {
                describe!(text, "; the bank sends SM {} {}", rsp.sm, describe_rsp(&rsp));
                if rsp.op == rsp_op::WR_ACK {
                    let of_rsp = |&(sm, id, ..): &(u8, u8, u8, u8)| (sm, id) == (rsp.sm, rsp.id);
                    let nth = state.taken.iter().position(of_rsp);
                    let (_, _, place, value) = state.taken.remove(nth.expect("it was taken"));
                    state.stores[usize::from(place)].push(value);
                }
                state.down[usize::from(rsp.sm)].push(rsp);
            }
        }
    }

    /// An access is over.
    fn over(&self, state: &mut State, sm: usize, rsp: &CoreRsp, text: &mut Text) {
        let number = sm * usize::from(self.setup.warps) + usize::from(rsp.warp);
        let access = state.warps[number].over(rsp.id);
        let (who, name) = (warp_name(self.setup.warps, number), location(access.place));
        if access.stores {
            describe!(text, "; {who}'s store to {name} completes");
            return;
        }
        let found = rsp.data.0[0];
        describe!(text, "; {who}'s load of {name} returns {found}");
        let stores = &state.stores[usize::from(access.place)];
        let ranked = stores.iter().position(|&value| value == found).map(|nth| nth as u8 + 1);
        let Some(rank) = ranked.or_else(|| (found == 0).then_some(0)) else {
            let how = format!("{who} loads {found} from {name} before it is stored");
            return Self::break_(state, VALUES, how);
        };
        if rank < access.value {
            let newest = stores[usize::from(access.value) - 1];
            describe!(text, " (should be {newest}, or later)");
            let how = format!("{who} loads {found} from {name}, which {newest} had overwritten");
            return Self::break_(state, VALUES, how);
        }
        // Its own stores before the load.
        let own = state.warps[number].stored.iter();
        let own = own.filter(|(place, id, _)| *place == access.place && *id < access.id);
        let missed = own.map(|(_, _, value)| *value).find(|value| {
            stores.iter().position(|store| store == value).is_none_or(|nth| nth >= rank.into())
        });
        if let Some(missed) = missed {
            let how = format!(
                "{who} loads {found} from {name} instead of its own store of \
                               {missed}"
            );
            return Self::break_(state, OWN_ORDER, how);
        }
        // And those behind it.
        let own = state.warps[number].stored.iter();
        let mut later = own.filter(|(place, id, _)| *place == access.place && *id > access.id);
        if later.any(|(_, _, value)| *value == found) {
            let how = format!("{who} loads {found} from {name}, its own later store");
            return Self::break_(state, OWN_ORDER, how);
        }
        if let Err(other) = state.warps[number].finds(&access, rank) {
            let other = if other == 0 { 0 } else { stores[usize::from(other) - 1] };
            let how = format!("{who} loads {found} from {name}, but {other} in the opposite order");
            Self::break_(state, OWN_ORDER, how);
        }
    }

    /// The least rank that a load which is issued now may find.
    fn floor(&self, state: &State, place: u8) -> u8 {
        match self.setup.protocol == Protocol::Tcw {
            true => state.floors[usize::from(place)],
            false => state.stores[usize::from(place)].len() as u8,
        }
    }

    fn take(&self, state: &mut State, step: &Step, text: &mut Text) {
        let mut comes = Comes::default();
        match *step {
            Step::Issue { warp: number, stores, place } => {
                let (sm, warp) = sm_of(self.setup.warps, number);
                let id = state.warps[number].issued;
                let value = match stores {
                    true => 1 + (number as u8) * 8 + id,
                    false => self.floor(state, place),
                };
                let access = Access { id, stores, place, value };
                let (who, name) = (warp_name(self.setup.warps, number), location(place));
                match stores {
                    true => describe!(text, "{who} stores {value} to {name}"),
                    false => describe!(text, "{who} loads {name}"),
                }
                state.warps[number].issued += 1;
                state.warps[number].open.push(access);
                let mut data = LineData::default();
                if stores {
                    state.warps[number].stored.push((place, id, value));
                    data.0[0] = value;
                }
                let (op, mask) = if stores { (op::ST, 0xf) } else { (op::LD, 0) };
                let (warp, line) = (warp as u8, place.into());
                let req = CoreReq { op, id, warp, line, mask, data, ..CoreReq::default() };
                comes.core_req = Some((sm, req));
            }
            Step::Fence { warp } => {
                describe!(text, "{}'s fence completes", warp_name(self.setup.warps, warp));
                for &(place, _, value) in &state.warps[warp].stored {
                    let place = usize::from(place);
                    let nth = state.stores[place].iter().position(|&store| store == value);
                    let rank = nth.map_or(0, |nth| nth as u8 + 1);
                    state.floors[place] = state.floors[place].max(rank);
                }
            }
            Step::Up { sm } => {
                let req = state.up[sm].remove(0);
                describe!(text, "the bank accepts SM {sm}'s {}", describe_req(&req));
                if req.op != bus_op::RD {
                    state.taken.push((req.sm, req.id, req.line as u8, req.data.0[0]));
                }
                comes.bus_req = Some(req);
            }
            Step::Down { sm } => {
                let rsp = state.down[sm].remove(0);
                describe!(text, "the L1 of SM {sm} receives {}", describe_rsp(&rsp));
                comes.bus_rsp = Some((sm, rsp));
            }
            Step::Memory => {
                let line = state.reads.remove(0);
                describe!(text, "memory answers with line {line}");
                let data = state.memory[line as usize];
                comes.fill = Some(DramRsp { line, data });
            }
            Step::Wait => {
                describe!(text, "{STEP} cycles pass");
                state.waits += 1;
            }
        }
        self.run(state, comes, text);
    }

    /// The bank or a warp waits for the end of a lease.
    fn is_waited(&self, state: &State) -> bool {
        !self.is_drained(state)
            || (0..state.warps.len()).any(|number| !self.may_pass(state, number))
    }

    /// A fence of the warp may pass.
    fn may_pass(&self, state: &State, number: usize) -> bool {
        let (sm, warp) = sm_of(self.setup.warps, number);
        state.l1s[sm].outputs().fence_ok >> warp & 1 == 1
    }
}

fn describe_req(req: &BusReq) -> String {
    match req.op {
        bus_op::RD => format!("read of line {}", req.line),
        _ => format!("write of line {}", req.line),
    }
}

fn describe_rsp(rsp: &BusRsp) -> String {
    let exp = rsp.wts << TC_TS_W | rsp.rts;
    match rsp.op {
        rsp_op::FILL => format!("a fill with a lease to cycle {exp}"),
        _ => format!("an acknowledgement, leases to cycle {exp}"),
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
        let l1 = Arc::new(Traced::new(l1, config, is_traced));
        let config = (&self.timestamp).into();
        let l2 = match self.without {
            Some(Rule::L2(rule)) => TimestampL2::without(&config, rule),
            _ => TimestampL2::new(&config),
        };
        let l2 = Traced::new(l2, config, is_traced);
        let Setup { accesses, lines, .. } = *self.setup;
        let sms = self.setup.sms();
        let lines = usize::from(lines);
        State {
            l1s: vec![l1; sms],
            l2: Arc::new(l2),
            up: vec![Vec::new(); sms],
            down: vec![Vec::new(); sms],
            reads: Vec::new(),
            memory: vec![LineData::default(); lines],
            warps: vec![Warp::default(); accesses.len()],
            taken: Vec::new(),
            stores: vec![Vec::new(); lines],
            floors: vec![0; lines],
            waits: 0,
            broken: None,
        }
    }

    fn replays(&self, state: &State) -> Vec<Replay> {
        let l1s = state.l1s.iter().enumerate();
        let l1s = l1s.map(|(sm, l1)| l1.replay(format!("SM {sm}")));
        l1s.chain([state.l2.replay("the bank".into())]).flatten().collect()
    }

    fn steps(&self, state: &State, steps: &mut Vec<Step>) {
        if state.broken.is_some() {
            return;
        }
        for sm in 0..state.l1s.len() {
            if !state.down[sm].is_empty() {
                steps.push(Step::Down { sm });
            }
            if !state.up[sm].is_empty() && state.l2.outputs().bus_req_ready {
                steps.push(Step::Up { sm });
            }
        }
        if !state.reads.is_empty() {
            steps.push(Step::Memory);
        }
        for (number, warp) in state.warps.iter().enumerate() {
            let (sm, _) = sm_of(self.setup.warps, number);
            let strong = self.setup.protocol == Protocol::Tcs;
            let stored = warp.stored.iter().any(|&(place, _, value)| {
                let place = usize::from(place);
                let nth = state.stores[place].iter().position(|&store| store == value);
                nth.is_some_and(|nth| nth as u8 >= state.floors[place])
            });
            if !strong && stored && self.may_pass(state, number) {
                steps.push(Step::Fence { warp: number });
            }
            let left = warp.issued < self.setup.accesses[number];
            if !left || !state.l1s[sm].outputs().core_req_ready || strong && !warp.open.is_empty() {
                continue;
            }
            for stores in [false, true] {
                let places = 0..self.setup.lines;
                steps.extend(places.map(|place| Step::Issue { warp: number, stores, place }));
            }
        }
        if state.waits < self.setup.waits && self.is_waited(state) {
            steps.push(Step::Wait);
        }
        // What waits for time alone goes on.
        if steps.is_empty() && self.is_waited(state) {
            steps.push(Step::Wait);
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
        state.warps.iter().all(|warp| warp.open.is_empty())
    }

    fn describe(&self, before: &State, step: &Step, _after: &State) -> String {
        let mut text = Some(String::new());
        self.take(&mut before.clone(), step, &mut text);
        text.unwrap_or_default()
    }
}
