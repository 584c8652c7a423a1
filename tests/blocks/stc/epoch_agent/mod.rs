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

use duet_tests::{parameters, with_both_bodies};
use hwmodel::stc::epoch_agent::EpochAgent;
use ports::stc::epoch_agent::{Config, Counters, In, Out, err};
use ports::stc::types::{Epoch, Load, LoadOut, Req, Stc, Store, Variant, kind};

use super::setup;
use crate::bench::{self, Around};

type Make = duet_tests::Make<EpochAgent>;

/// Runs `check` with what makes models and with what makes RTL bodies.
fn on_both(check: impl Fn(Make)) {
    with_both_bodies::<EpochAgent>(check);
}

/// The small parameters of specification 2.1: 4 bands of 16 bytes.
fn small(variant: Variant) -> Config {
    (&setup::small(variant)).into()
}

/// The parameters of table 3.
fn paper() -> Config {
    (&parameters::<Stc>("paper")).into()
}

/// The scan examines a slot in a cycle.
fn one_bank() -> Config {
    (&parameters::<Stc>("small-literal")).into()
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

/// The manager, the L1 and the L2.
struct Neighbours {
    /// The L2 acknowledges a store two cycles after it was issued.
    answers: bool,
    /// A store was issued two cycles ago, one cycle ago.
    taken: [bool; 2],
}

impl Around<EpochAgent> for Neighbours {
    fn before(&mut self, _: usize, next: &mut In, shown: &Out) {
        next.wa_valid |= self.answers && self.taken[0];
        self.taken = [self.taken[1], shown.st.is_some() && next.st_ready];
    }

    fn after(&mut self, _: usize, next: &mut In, out: &Out, _: &Out) {
        (next.st, next.ld, next.wa_valid) = (None, None, false);
        // A demand is acknowledged in the cycle after it.
        next.dmd_ack = out.req.is_some_and(|req| req.kind == kind::DEMAND);
    }
}

/// Stores, loads and acknowledgements are cleared after their cycle.
type Bench = bench::Bench<EpochAgent, Neighbours>;

impl Bench {
    fn new(body: Make, config: &Config) -> Self {
        let next = In { st_ready: true, ld_ready: true, sweep_done: true, ..In::default() };
        Self::around(body(config), next, Neighbours { answers: true, taken: [false; 2] })
    }

    fn es(body: Make) -> Self {
        Self::new(body, &small(Variant::Es))
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
        self.seen(from, |out| Some(out.st?.slot))
    }

    /// Requests from a cycle on.
    fn requests(&self, from: usize) -> Vec<(usize, Req)> {
        self.seen(from, |out| out.req)
    }

    /// Error pulses so far.
    fn errors(&self) -> Vec<(usize, u8)> {
        self.seen(0, |out| out.err)
    }
}
