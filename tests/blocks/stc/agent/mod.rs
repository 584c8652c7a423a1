//! An epoch agent by itself: the rules of specification 5.3 to 5.5 and 12, and those of the worked
//! examples of section 10 that it shows alone. Figures come from the specification's text.

mod batch;
mod counters;
mod errors;
mod issue;
mod loads;
mod requests;
mod scan;
mod states;
mod stores;

use duet_tests::{Body, with_both_bodies};
use hwmodel::Block;
use hwmodel::epoch_agent::EpochAgent;
use ports::common::stc_types::{Epoch, Load, LoadOut, Req, Store, Variant, kind};
use ports::epoch_agent::{Config, Counters, In, Out, err};

use super::setup;

type Make = duet_tests::Make<EpochAgent>;

/// Runs `check` with what makes models and with what makes RTL bodies.
fn on_both(check: impl Fn(Make)) {
    with_both_bodies::<EpochAgent>(check);
}

/// The small parameters of specification 2.1: 4 bands of 16 bytes.
fn small(variant: Variant) -> Config {
    (&setup::small(variant)).into()
}

fn epoch(gvec: u32) -> Epoch {
    Epoch { seb: 4, gvec }
}

/// An address in a band, with the start epoch bit 4.
fn of(band: u32) -> u32 {
    band << 4
}

fn demand(addr: u32) -> Option<Req> {
    Some(Req { kind: kind::DEMAND, addr })
}

fn conflict(addr: u32) -> Option<Req> {
    Some(Req { kind: kind::CONFLICT, addr })
}

/// An agent, its inputs, and the outputs of all cycles. It plays the manager, the L1 and the L2.
struct Bench {
    body: Body<EpochAgent>,
    /// Inputs of the next cycle; stores, loads and acknowledgements are cleared after it.
    next: In,
    /// The L2 acknowledges a store two cycles after it was issued.
    answers: bool,
    /// A store was issued two cycles ago, one cycle ago.
    taken: [bool; 2],
    out: Vec<Out>,
}

impl Bench {
    fn new(body: Make, config: &Config) -> Self {
        let next = In { st_ready: true, ld_ready: true, sweep_done: true, ..In::default() };
        Self { body: body(config), next, answers: true, taken: [false; 2], out: Vec::new() }
    }

    fn es(body: Make) -> Self {
        Self::new(body, &small(Variant::Es))
    }

    /// One cycle; returns its outputs.
    fn cycle(&mut self) -> Out {
        let shown = self.body.outputs();
        let taken = shown.st.is_some() && self.next.st_ready;
        self.next.wa_valid |= self.answers && self.taken[0];
        self.taken = [self.taken[1], taken];
        let out = self.body.tick(&self.next);
        assert_eq!(shown, out, "tick must return the outputs of the cycle that it ends");
        assert!(!self.body.failed(), "an assertion of the RTL fails in cycle {}", self.now());
        (self.next.st, self.next.ld, self.next.wa_valid) = (None, None, false);
        // A demand is acknowledged in the cycle after it.
        self.next.dmd_ack = out.req.is_some_and(|req| req.kind == kind::DEMAND);
        self.out.push(out);
        out
    }

    /// The number of the next cycle.
    fn now(&self) -> usize {
        self.out.len()
    }

    fn run(&mut self, cycles: usize) {
        (0..cycles).for_each(|_| _ = self.cycle());
    }

    /// The outputs of the next cycle.
    fn shown(&self) -> Out {
        self.body.outputs()
    }

    /// Offers a store; returns its cycle.
    fn store(&mut self, slot: u8, addr: u32) -> usize {
        self.next.st = Some(Store { slot, addr });
        self.cycle();
        self.now() - 1
    }

    /// Stores in the next cycles, and one for the last of them to be classified.
    fn stores(&mut self, stores: impl IntoIterator<Item = (u8, u32)>) {
        stores.into_iter().for_each(|(slot, addr)| _ = self.store(slot, addr));
        self.cycle();
    }

    fn load(&mut self, id: u8, addr: u32) -> usize {
        self.next.ld = Some(Load { id, addr });
        self.cycle();
        self.now() - 1
    }

    /// Runs to READY.
    fn prepare(&mut self) {
        self.next.prep = true;
        for _ in 0..1000 {
            if self.shown().ready {
                return;
            }
            self.cycle();
        }
        panic!("it does not drain");
    }

    /// Runs to the first DONE cycle of another epoch, and returns that.
    fn change(&mut self, epoch: Epoch) -> usize {
        self.prepare();
        (self.next.chg, self.next.chg_info) = (true, epoch);
        self.cycle();
        assert!(self.shown().done);
        self.now()
    }

    /// Runs to the first RUN cycle behind it.
    fn release(&mut self) -> usize {
        (self.next.prep, self.next.chg) = (false, false);
        self.cycle();
        self.now()
    }

    /// Slots of the stores that were issued from a cycle on, with their cycles; while `st_ready` is
    /// 1.
    fn issued(&self, from: usize) -> Vec<(usize, u8)> {
        let all = self.out.iter().enumerate().skip(from);
        all.filter_map(|(n, out)| Some((n, out.st?.slot))).collect()
    }

    /// Requests from a cycle on.
    fn requests(&self, from: usize) -> Vec<(usize, Req)> {
        let all = self.out.iter().enumerate().skip(from);
        all.filter_map(|(n, out)| Some((n, out.req?))).collect()
    }

    /// Error pulses so far.
    fn errors(&self) -> Vec<(usize, u8)> {
        self.out.iter().enumerate().filter_map(|(n, out)| Some((n, out.err?))).collect()
    }
}
