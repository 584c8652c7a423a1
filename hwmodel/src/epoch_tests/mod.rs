//! A manager and its agents with the registers between them (specification 2.2, `LINK`): worked
//! examples, and invariants in random runs.

mod invariants;
mod random;
mod skew;
mod transition;

use std::collections::{BTreeMap, VecDeque};

use ports::common::stc_types::{Epoch, Load, Req, Stc, Store, Variant};
use ports::{epoch_agent, epoch_manager};

use crate::epoch_agent::EpochAgent;
use crate::epoch_manager::EpochManager;
use crate::{Block, Model, State};

type Manager = Box<dyn Block<In = epoch_manager::In, Out = epoch_manager::Out>>;
type Agent = Box<dyn Block<In = epoch_agent::In, Out = epoch_agent::Out>>;

/// The bodies that are tested.
fn manager(config: &Stc) -> Manager {
    Box::new(EpochManager::new(&config.into()).expect("legal parameters"))
}

fn agent(config: &Stc) -> Agent {
    Box::new(EpochAgent::new(&config.into()).expect("legal parameters"))
}

/// The small parameters of specification 2.1.
pub(crate) fn small(variant: Variant) -> Stc {
    Stc {
        n_cu: 2,
        band_bits: 2,
        addr_w: 16,
        seb_min: 4,
        seb_max: 12,
        seb_init: 4,
        wakeup: 16,
        variant,
        max_bands: if variant == Variant::Mb { 2 } else { 1 },
        adapt_cmp: 0,
        seb_on_wrap: 1,
        bsq_n: 16,
        bsq_banks: 4,
        bsq_rd: 2,
    }
}

/// A chain of registers.
struct Link<T>(VecDeque<T>);

impl<T: Clone + Default> Link<T> {
    fn new(registers: usize) -> Self {
        Self(vec![T::default(); registers].into())
    }

    /// One edge; returns what arrives in the cycle that it ends.
    fn pass(&mut self, value: T) -> T {
        self.0.push_back(value);
        self.0.pop_front().expect("it was just pushed")
    }
}

#[derive(Clone, Default)]
struct Down {
    prep: bool,
    chg: bool,
    epoch: Epoch,
    dmd_ack: bool,
}

#[derive(Clone, Default)]
struct Up {
    ready: bool,
    done: bool,
    req: Option<Req>,
}

/// A CU: its agent, and what stands for the rest of it and for the L2.
struct Cu {
    body: Agent,
    down: Link<Down>,
    up: Link<Up>,
    /// The rise of `chg` is late by so many cycles more.
    late: Link<bool>,
    /// Inputs of the next cycle; stores, loads and acknowledgements are cleared after it.
    next: epoch_agent::In,
    /// The L2 acknowledges a store two cycles after it was issued.
    answers: Option<Link<bool>>,
    out: Vec<epoch_agent::Out>,
}

impl Cu {
    fn new(config: &Stc, down: usize, up: usize) -> Self {
        let next = epoch_agent::In {
            st_ready: true,
            ld_ready: true,
            sweep_done: true,
            ..Default::default()
        };
        Self {
            body: agent(config),
            down: Link::new(down),
            up: Link::new(up),
            late: Link::new(0),
            next,
            answers: Some(Link::new(2)),
            out: Vec::new(),
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
        self.out.push(self.body.tick(&self.next));
        (self.next.st, self.next.ld, self.next.wa_valid) = (None, None, false);
    }
}

/// All of it.
struct System {
    manager: Manager,
    cus: Vec<Cu>,
    out: Vec<epoch_manager::Out>,
    /// `ready_i` of the last cycle.
    ready: u32,
}

impl System {
    /// With the same number of registers on all ways.
    fn new(config: &Stc, link: usize) -> Self {
        Self::with(config, |_| Cu::new(config, link, link))
    }

    fn with(config: &Stc, cu: impl FnMut(usize) -> Cu) -> Self {
        let cus = (0..config.n_cu as usize).map(cu).collect();
        Self { manager: manager(config), cus, out: Vec::new(), ready: 0 }
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
        self.out.push(self.manager.tick(&inputs));
    }

    /// The number of the next cycle.
    fn now(&self) -> usize {
        self.out.len()
    }

    fn run_to(&mut self, cycle: usize) {
        while self.now() < cycle {
            self.cycle();
        }
    }

    /// Offers a store to a CU in the next cycle.
    fn store(&mut self, cu: usize, slot: u8, addr: u32) {
        self.cus[cu].next.st = Some(Store { slot, addr });
    }

    fn assert_no_errors(&self) {
        assert!(self.out.iter().all(|out| out.err.is_none()));
        assert!(self.cus.iter().flat_map(|cu| &cu.out).all(|out| out.err.is_none()));
    }
}

/// Registers of at most 32 bits, by name, that mean something.
fn registers(show: impl FnOnce(&mut State)) -> BTreeMap<String, u32> {
    let mut all = BTreeMap::new();
    let mut see = |register: &crate::state::Register| {
        all.extend(register.value.map(|value| (register.name.to_string(), value[0])));
    };
    show(&mut State::new(&mut see));
    all
}
