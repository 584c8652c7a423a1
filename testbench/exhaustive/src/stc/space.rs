//! The manager, the agents of two CUs, and what is under way between them.
//!
//! A step gives one block what has come for it, and ticks it until it waits again. Levels travel as
//! messages: each change arrives, in its order, after any time.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use hwmodel::stc::epoch_agent::EpochAgent;
use hwmodel::stc::epoch_manager::EpochManager;
use hwmodel::{Block, Model};
use ports::stc::types::{Epoch, Req, Stc, Store};
use ports::stc::{epoch_agent, epoch_manager};

use super::rules::Rule;
use super::setup::{BAND, Setup, WAKEUP};
use crate::space::{Broken, Space};
use crate::traced::{Replay, Traced};

/// Cycles that no agent needs for what has come, but for one that goes on to raise an error.
const MOST: u32 = 100;

/// Stores are on their way only where all CUs know of it.
pub const GRANTED: &str = "a store in flight is of a band that all CUs have granted";
/// No block receives an illegal input.
pub const NO_ERROR: &str = "no block receives an illegal input";

/// `prep`, `chg` and the epoch, as the manager shows them.
type Down = (bool, bool, Epoch);
/// `ready` and `done`, as an agent shows them.
type Up = (bool, bool);

/// A CU, and its links.
#[derive(Clone, Debug, Hash)]
struct Cu {
    agent: Arc<Traced<EpochAgent>>,
    /// What the agent sees, and what is under way to it.
    sees: Down,
    down: Vec<Down>,
    /// What the manager sees of it, and what is under way.
    seen: Up,
    up: Vec<Up>,
    requests: Vec<Req>,
    /// Addresses of stores that the L1 has taken and the L2 has not performed.
    flying: Vec<u32>,
    /// Stores that it has begun.
    begun: u8,
}

/// All of it.
#[derive(Clone, Debug, Hash)]
pub struct State {
    manager: Arc<Traced<EpochManager>>,
    cus: Vec<Cu>,
    broken: Option<Broken>,
}

/// What can happen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// A CU stores to a band.
    Store { cu: usize, band: u8 },
    /// The L1 takes the store that the agent issues.
    Take { cu: usize },
    /// The L2 has performed a store.
    Perform { cu: usize, nth: usize },
    /// An agent sees what the manager shows.
    Down { cu: usize },
    /// The manager sees what an agent shows.
    Up { cu: usize },
    /// The manager takes a demand or a conflict.
    Request { cu: usize },
    /// The manager's epoch is over.
    Wake,
}

/// Pulses for an agent, in the first cycle of a step.
#[derive(Clone, Copy, Default)]
struct Pulses {
    store: Option<Store>,
    takes: bool,
    performed: bool,
    recorded: bool,
}

/// A setup to be searched.
pub struct Cus {
    setup: &'static Setup,
    stc: Stc,
    without: Option<Rule>,
}

fn fingerprint(of: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

impl Cus {
    /// With all rules, or without one.
    pub fn new(setup: &'static Setup, without: Option<Rule>) -> Self {
        Self { setup, stc: setup.stc(), without }
    }

    fn error(state: &mut State, who: &str, err: Option<u8>) {
        if let Some(err) = err {
            let how = format!("{who} raises error {err}");
            state.broken.get_or_insert(Broken { property: NO_ERROR, how });
        }
    }

    /// An agent ticks until it waits.
    fn run_agent(&self, state: &mut State, number: usize, mut pulses: Pulses) {
        for _ in 0..MOST {
            let cu = &mut state.cus[number];
            let (prep, chg, chg_info) = cu.sees;
            let agent = Arc::make_mut(&mut cu.agent);
            let Pulses { store, takes, performed, recorded } = std::mem::take(&mut pulses);
            let out = agent.tick(&epoch_agent::In {
                st: store,
                st_ready: takes,
                wa_valid: performed,
                prep,
                chg,
                chg_info,
                dmd_ack: recorded,
                sweep_done: true,
                ..epoch_agent::In::default()
            });
            cu.requests.extend(out.req);
            cu.flying.extend(out.st.filter(|_| takes).map(|store| store.addr));
            let (shown, idle) = (agent.outputs(), agent.is_idle());
            let level = (shown.ready, shown.done);
            if *cu.up.last().unwrap_or(&cu.seen) != level {
                cu.up.push(level);
            }
            Self::error(state, &format!("the agent of CU {number}"), shown.err);
            if idle {
                return;
            }
        }
        // It goes on to raise its error.
    }

    /// A cycle of the manager. True where what it shows has changed.
    fn run_manager(&self, state: &mut State, request: Option<(usize, Req)>) -> bool {
        let mut inputs = epoch_manager::In::default();
        if let Some((number, req)) = request {
            inputs.req_valid = 1 << number;
            inputs.req[number] = req;
        }
        for (number, cu) in state.cus.iter().enumerate() {
            inputs.ready |= u32::from(cu.seen.0) << number;
            inputs.done |= u32::from(cu.seen.1) << number;
        }
        let manager = Arc::make_mut(&mut state.manager);
        let before = manager.outputs();
        manager.tick(&inputs);
        let out = manager.outputs();
        let level = |out: &epoch_manager::Out| (out.prep, out.chg, out.chg_info);
        let changes = level(&before) != level(&out);
        if changes {
            state.cus.iter_mut().for_each(|cu| cu.down.push(level(&out)));
        }
        Self::error(state, "the manager", out.err);
        for number in 0..state.cus.len() {
            if out.dmd_ack >> number & 1 == 1 {
                let pulses = Pulses { recorded: true, ..Pulses::default() };
                self.run_agent(state, number, pulses);
            }
        }
        changes
    }

    fn check(&self, state: &mut State) {
        let knows = |cu: &Cu, addr| cu.agent.outputs().cer.granted(addr, self.stc.band_bits);
        for (number, cu) in state.cus.iter().enumerate() {
            for &addr in &cu.flying {
                if let Some(other) = state.cus.iter().position(|cu| !knows(cu, addr)) {
                    let how = format!(
                        "a store of CU {number} to band {} is in flight, but CU {other} has not \
                         granted the band",
                        addr >> BAND
                    );
                    state.broken.get_or_insert(Broken { property: GRANTED, how });
                    return;
                }
            }
        }
    }

    fn describe_epoch(epoch: &Epoch) -> String {
        let bands = (0..4).filter(|band| epoch.gvec >> band & 1 == 1);
        let bands: Vec<_> = bands.map(|band| format!("{band}")).collect();
        format!("band {}", bands.join(" and "))
    }

    fn describe_up((ready, done): Up) -> &'static str {
        match (ready, done) {
            (false, _) => "runs",
            (true, false) => "has drained",
            (true, true) => "is in the new epoch",
        }
    }

    fn describe_down((prep, chg, epoch): &Down) -> String {
        match (prep, chg) {
            (true, false) => "the epoch ends".into(),
            (true, true) => format!("the epoch of {} begins", Self::describe_epoch(epoch)),
            _ => "all CUs are in the epoch".into(),
        }
    }
}

impl Space for Cus {
    type State = State;
    type Step = Step;

    fn start(&self, is_traced: bool) -> State {
        let config = (&self.stc).into();
        let manager = match self.without {
            Some(Rule::Manager(rule)) => EpochManager::without(&config, rule),
            _ => EpochManager::new(&config),
        };
        let manager = Traced::new(manager, config, is_traced);
        let config = (&self.stc).into();
        let agent = match self.without {
            Some(Rule::Agent(rule)) => EpochAgent::without(&config, rule),
            _ => EpochAgent::new(&config),
        };
        let agent = Traced::new(agent, config, is_traced);
        let epoch = manager.outputs().chg_info;
        let cu = Cu {
            agent: Arc::new(agent),
            sees: (false, false, epoch),
            down: Vec::new(),
            seen: (false, false),
            up: Vec::new(),
            requests: Vec::new(),
            flying: Vec::new(),
            begun: 0,
        };
        let cus = vec![cu; self.setup.stores.len()];
        State { manager: Arc::new(manager), cus, broken: None }
    }

    fn replays(&self, state: &State) -> Vec<Replay> {
        let agents = state.cus.iter().enumerate();
        let agents = agents.map(|(cu, at)| at.agent.replay(format!("CU {cu}")));
        agents.chain([state.manager.replay("the GPU".into())]).flatten().collect()
    }

    fn steps(&self, state: &State, steps: &mut Vec<Step>) {
        if state.broken.is_some() {
            return;
        }
        for (number, cu) in state.cus.iter().enumerate() {
            if !cu.down.is_empty() {
                steps.push(Step::Down { cu: number });
            }
            if !cu.up.is_empty() {
                steps.push(Step::Up { cu: number });
            }
            if !cu.requests.is_empty() {
                steps.push(Step::Request { cu: number });
            }
            if cu.agent.outputs().st.is_some() {
                steps.push(Step::Take { cu: number });
            }
            steps.extend((0..cu.flying.len()).map(|nth| Step::Perform { cu: number, nth }));
            if cu.begun < self.setup.stores[number] {
                let bands = self.setup.bands.iter();
                steps.extend(bands.map(|&band| Step::Store { cu: number, band }));
            }
        }
        steps.push(Step::Wake);
    }

    fn after(&self, state: &State, step: &Step) -> Option<State> {
        let mut state = state.clone();
        match *step {
            Step::Store { cu: number, band } => {
                let cu = &mut state.cus[number];
                let store = Store { slot: cu.begun, addr: u32::from(band) << BAND };
                cu.begun += 1;
                let store = Some(store);
                self.run_agent(&mut state, number, Pulses { store, ..Pulses::default() });
            }
            Step::Take { cu } => {
                self.run_agent(&mut state, cu, Pulses { takes: true, ..Pulses::default() });
            }
            Step::Perform { cu, nth } => {
                state.cus[cu].flying.remove(nth);
                self.run_agent(&mut state, cu, Pulses { performed: true, ..Pulses::default() });
            }
            Step::Down { cu: number } => {
                let cu = &mut state.cus[number];
                cu.sees = cu.down.remove(0);
                self.run_agent(&mut state, number, Pulses::default());
            }
            Step::Up { cu: number } => {
                let cu = &mut state.cus[number];
                cu.seen = cu.up.remove(0);
                // What it does shows behind the edge.
                self.run_manager(&mut state, None);
            }
            Step::Request { cu: number } => {
                let request = state.cus[number].requests.remove(0);
                self.run_manager(&mut state, Some((number, request)));
            }
            Step::Wake => {
                let before = fingerprint(&state.manager);
                let mut changes = false;
                for _ in 0..WAKEUP {
                    changes = changes || self.run_manager(&mut state, None);
                    if changes {
                        break;
                    }
                }
                if !changes && fingerprint(&state.manager) == before {
                    return None;
                }
            }
        }
        self.check(&mut state);
        Some(state)
    }

    fn broken(&self, state: &State) -> Option<Broken> {
        state.broken.clone()
    }

    fn is_drained(&self, state: &State) -> bool {
        state.cus.iter().all(|cu| cu.agent.outputs().empty && cu.flying.is_empty())
    }

    fn describe(&self, before: &State, step: &Step, after: &State) -> String {
        let epoch = |cu: usize| Self::describe_epoch(&after.cus[cu].agent.outputs().cer);
        match *step {
            Step::Store { cu, band } => {
                let issued = after.cus[cu].agent.outputs().st.is_some();
                let kept = if issued { "issued" } else { "held until its epoch" };
                format!("CU {cu} stores to band {band}: {kept}; its epoch is of {}", epoch(cu))
            }
            Step::Take { cu } => {
                let addr = after.cus[cu].flying.last().copied().unwrap_or_default();
                format!("the L1 of CU {cu} accepts the store to band {}", addr >> BAND)
            }
            Step::Perform { cu, nth } => {
                let band = before.cus[cu].flying[nth] >> BAND;
                format!("the L2 has performed CU {cu}'s store to band {band}")
            }
            Step::Down { cu } => {
                let heard = Self::describe_down(&before.cus[cu].down[0]);
                format!("CU {cu} receives: {heard}; its epoch is of {}", epoch(cu))
            }
            Step::Up { cu } => {
                format!("the manager receives: CU {cu} {}", Self::describe_up(before.cus[cu].up[0]))
            }
            Step::Request { cu } => {
                let band = before.cus[cu].requests[0].addr >> BAND;
                format!("the manager accepts CU {cu}'s demand for band {band}")
            }
            Step::Wake => {
                let shown = after.manager.outputs();
                let ends = if shown.prep { "ends the epoch" } else { "continues the epoch" };
                format!("the manager {ends}")
            }
        }
    }
}
