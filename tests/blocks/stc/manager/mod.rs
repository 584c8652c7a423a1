//! The epoch manager by itself: the rules of specification 5.1, 5.2 and 12, and those of the worked
//! examples of section 10 that it shows alone. Figures come from the specification's text.

mod conflicts;
mod counters;
mod demands;
mod errors;
mod handshake;
mod hold;
mod moves;
mod selection;
mod storage;

use duet_tests::{Body, with_both_bodies};
use hwmodel::Block;
use hwmodel::epoch_manager::EpochManager;
use ports::common::stc_types::{Epoch, Req, Variant, kind};
use ports::epoch_manager::{Config, Counters, In, Out, err};

use super::setup;

type Make = duet_tests::Make<EpochManager>;

/// Runs `check` with what makes models and with what makes RTL bodies.
fn on_both(check: impl Fn(Make)) {
    with_both_bodies::<EpochManager>(check);
}

/// The small parameters of specification 2.1.
fn small(variant: Variant) -> Config {
    (&setup::small(variant)).into()
}

/// 16 bands of 16 bytes.
fn many(variant: Variant) -> Config {
    let max_bands = if variant == Variant::Mb { 4 } else { 1 };
    Config { band_bits: 4, wakeup: 24, max_bands, ..small(variant) }
}

/// A manager, its inputs, and the outputs of all cycles.
struct Bench {
    body: Body<EpochManager>,
    all: u32,
    /// Inputs of the next cycle; requests are cleared after it.
    next: In,
    /// `ready_i` and `done_i` follow `prep_o` and `chg_o` by a cycle.
    follow: bool,
    out: Vec<Out>,
}

impl Bench {
    fn new(body: Make, config: &Config) -> Self {
        let (body, all) = (body(config), u32::MAX >> (32 - config.n_cu));
        Self { body, all, next: In::default(), follow: true, out: Vec::new() }
    }

    /// One cycle; returns its outputs.
    fn cycle(&mut self) -> Out {
        let shown = self.body.outputs();
        let out = self.body.tick(&self.next);
        assert_eq!(shown, out, "tick must return the outputs of the cycle that it ends");
        assert!(!self.body.failed(), "an assertion of the RTL fails in cycle {}", self.now());
        self.next.req_valid = 0;
        if self.follow {
            let all = |level| if level { self.all } else { 0 };
            (self.next.ready, self.next.done) = (all(out.prep), all(out.chg));
        }
        self.out.push(out);
        out
    }

    /// The number of the next cycle.
    fn now(&self) -> usize {
        self.out.len()
    }

    /// Runs all cycles before this one.
    fn run_to(&mut self, cycle: usize) {
        while self.now() < cycle {
            self.cycle();
        }
    }

    /// The outputs of the next cycle.
    fn shown(&self) -> Out {
        self.body.outputs()
    }

    fn request(&mut self, cu: usize, kind: bool, addr: u32) {
        self.next.req_valid |= 1 << cu;
        self.next.req[cu] = Req { kind, addr };
    }

    /// A demand of a CU in the next cycle.
    fn demand(&mut self, cu: usize, addr: u32) {
        self.request(cu, kind::DEMAND, addr);
    }

    /// Demands of CU 0 in the next cycles.
    fn demands(&mut self, addrs: &[u32]) {
        for &addr in addrs {
            self.demand(0, addr);
            self.cycle();
        }
    }

    fn conflict(&mut self, cu: usize, addr: u32) {
        self.request(cu, kind::CONFLICT, addr);
    }

    /// A demand of CU 0 and, when it is recorded, a conflict with it.
    fn pair(&mut self, write: u32, read: u32) {
        self.demands(&[write]);
        self.conflict(0, read);
        self.cycle();
    }

    /// Runs to the first cycle that the new epoch is shown in.
    fn next_epoch(&mut self) -> Epoch {
        while self.shown().chg {
            self.cycle();
        }
        for _ in 0..2000 {
            if self.shown().chg {
                return self.shown().chg_info;
            }
            self.cycle();
        }
        panic!("no epoch follows");
    }

    /// Runs to the first IDLE cycle behind a change: the handshake follows by a cycle, so it is two
    /// after `prep` has fallen.
    fn idle(&mut self) {
        while self.shown().prep {
            self.cycle();
        }
        self.run_to(self.now() + 2);
    }

    /// Votes up and down, stale conflicts, and those of bands that have voted.
    fn verdicts(&self) -> [u32; 4] {
        let Counters { votes_up, votes_down, conf_stale, conf_dup, .. } = self.shown().cnt;
        [votes_up, votes_down, conf_stale, conf_dup]
    }
}
