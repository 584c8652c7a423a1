//! A manager and its agents with the registers between them (specification 2.2, `LINK`): worked
//! examples, the timing of a transition, invariants in random runs, and how long stores wait.

mod demand;
mod invariants;
mod liveness;
mod random;
mod skew;
mod transition;

use std::collections::BTreeMap;

use hwmodel::{Block, State};
use ports::stc::types::{Epoch, Load, Stc, Store, Variant};
use ports::stc::{epoch_agent, epoch_manager};

use super::cu::{Chain, Down, Up};
use super::setup::{Agent, Bodies, MODELS, Manager, on_both, small};
use super::weakness::Weakness;

/// A CU: its agent, and what stands for the rest of it and for the L2.
struct Cu {
    body: Agent,
    down: Chain<Down>,
    up: Chain<Up>,
    /// The rise of `chg` is late by so many cycles more.
    late: Chain<bool>,
    /// Inputs of the next cycle; stores, loads and acknowledgements are cleared after it.
    next: epoch_agent::In,
    /// The L2 acknowledges a store two cycles after it was issued.
    answers: Option<Chain<bool>>,
    /// Outputs of the last cycle.
    shown: epoch_agent::Out,
}

impl Cu {
    fn new(body: Agent, down: usize, up: usize) -> Self {
        let next = epoch_agent::In {
            st_ready: true,
            ld_ready: true,
            sweep_done: true,
            ..Default::default()
        };
        let shown = body.outputs();
        Self {
            body,
            down: Chain::new(down),
            up: Chain::new(up),
            late: Chain::new(0),
            next,
            answers: Some(Chain::new(2)),
            shown,
        }
    }

    /// One cycle, in which the manager shows this.
    fn cycle(&mut self, down: Down) {
        let Down { prep, chg, epoch, dmd_ack } = self.down.pass(down);
        self.next.chg = self.late.pass(chg) && chg;
        (self.next.prep, self.next.chg_info, self.next.dmd_ack) = (prep, epoch, dmd_ack);
        if let Some(answers) = &mut self.answers {
            let taken = self.body.outputs().st.is_some() && self.next.st_ready;
            self.next.wa_valid = answers.pass(taken);
        }
        self.shown = self.body.tick(&self.next);
        assert!(!self.body.failed(), "an assertion of an agent's RTL fails");
        (self.next.st, self.next.ld, self.next.wa_valid) = (None, None, false);
    }
}

/// All of it.
struct System {
    manager: Manager,
    cus: Vec<Cu>,
    /// Outputs of the last cycle.
    shown: epoch_manager::Out,
    /// `ready_i` of the last cycle.
    ready: u32,
    /// The number of the next cycle.
    now: usize,
}

impl System {
    /// With the same number of registers on all ways.
    fn new(bodies: Bodies, stc: &Stc, link: usize) -> Self {
        Self::with((bodies.manager)(stc, None), stc, |_| {
            Cu::new((bodies.agent)(stc, None), link, link)
        })
    }

    fn with(manager: Manager, stc: &Stc, cu: impl FnMut(usize) -> Cu) -> Self {
        let cus = (0..stc.n_cu as usize).map(cu).collect();
        let shown = manager.outputs();
        Self { manager, cus, shown, ready: 0, now: 0 }
    }

    fn cycle(&mut self) {
        let shown = self.manager.outputs();
        let mut inputs = epoch_manager::In::default();
        for (c, cu) in self.cus.iter_mut().enumerate() {
            let out = cu.body.outputs();
            let up = Up { ready: out.ready, done: out.done, req: out.req };
            let Up { ready, done, req } = cu.up.pass(up);
            inputs.ready |= u32::from(ready) << c;
            inputs.done |= u32::from(done) << c;
            inputs.req_valid |= u32::from(req.is_some()) << c;
            inputs.req[c] = req.unwrap_or_default();
            let dmd_ack = shown.dmd_ack >> c & 1 != 0;
            let (prep, chg, epoch) = (shown.prep, shown.chg, shown.chg_info);
            cu.cycle(Down { prep, chg, epoch, dmd_ack });
        }
        self.ready = inputs.ready;
        self.shown = self.manager.tick(&inputs);
        assert!(!self.manager.failed(), "an assertion of the manager's RTL fails");
        self.now += 1;
    }

    /// Offers a store to a CU in the next cycle.
    fn store(&mut self, cu: usize, slot: u8, addr: u32) {
        self.cus[cu].next.st = Some(Store { slot, addr });
    }

    /// No block reports an error.
    fn assert_no_errors(&self) {
        assert_eq!(self.shown.err, None, "manager, cycle {}", self.now);
        for (c, cu) in self.cus.iter().enumerate() {
            assert_eq!(cu.shown.err, None, "agent {c}, cycle {}", self.now);
        }
    }
}

/// What a system has shown, by cycle.
#[derive(Default)]
struct Record {
    emu: Vec<epoch_manager::Out>,
    /// By CU.
    cus: Vec<Vec<epoch_agent::Out>>,
}

impl Record {
    /// Runs a system for so many cycles without an error; `inputs` are made before each of them.
    fn of(mut s: System, cycles: usize, mut inputs: impl FnMut(usize, &mut System)) -> Self {
        let mut record = Self { emu: Vec::new(), cus: vec![Vec::new(); s.cus.len()] };
        for cycle in 0..cycles {
            inputs(cycle, &mut s);
            s.cycle();
            s.assert_no_errors();
            record.emu.push(s.shown);
            for (out, cu) in record.cus.iter_mut().zip(&s.cus) {
                out.push(cu.shown);
            }
        }
        record
    }

    /// Cycles W: the manager's epoch is over in them, and another may be selected.
    fn wakes(&self) -> Vec<usize> {
        let wakes = self.emu.windows(2).enumerate();
        wakes.filter(|(_, o)| o[0].counters.wakes != o[1].counters.wakes).map(|(n, _)| n).collect()
    }
}

/// The first cycle from `from` on in which a level is 1 and was 0 before.
fn rise<Out>(out: &[Out], from: usize, level: impl Fn(&Out) -> bool) -> usize {
    let rises = |n: &usize| level(&out[*n]) && !level(&out[n - 1]);
    (from.max(1)..out.len()).find(rises).expect("a rise")
}

/// Registers of at most 32 bits, by name, that mean something.
fn registers(show: impl FnOnce(&mut State)) -> BTreeMap<String, u32> {
    let mut all = BTreeMap::new();
    let mut see = |register: &hwmodel::state::Register| {
        all.extend(register.value.map(|value| (register.name.to_string(), value[0])));
    };
    show(&mut State::new(&mut see));
    all
}
