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

use duet_tests::{parameters, with_both_bodies};
use hwmodel::stc::epoch_manager::EpochManager;
use ports::stc::epoch_manager::{Config, Counters, In, Out, err};
use ports::stc::types::{Epoch, Req, Stc, Variant, kind};

use super::setup;
use crate::bench::{self, Around};

type Make = duet_tests::Make<EpochManager>;

/// Runs `check` with what makes models and with what makes RTL bodies.
fn on_both(check: impl Fn(Make)) {
    with_both_bodies::<EpochManager>(check);
}

/// The small parameters of specification 2.1.
fn small(variant: Variant) -> Config {
    (&setup::small(variant)).into()
}

/// Votes move the start epoch bit at every selection.
fn at_every_selection() -> Config {
    (&parameters::<Stc>("small-literal")).into()
}

/// 16 bands of 16 bytes. Votes move the start epoch bit at every selection.
fn many(variant: Variant) -> Config {
    let max_bands = if variant == Variant::Mb { 4 } else { 1 };
    Config { band_bits: 4, wakeup: 24, max_bands, seb_on_wrap: 0, ..small(variant) }
}

/// 32 address bits and pages (section 10, example 4).
fn pages(seb_init: u32) -> Config {
    Config { n_cu: 4, addr_w: 32, seb_min: 12, seb_max: 32, seb_init, ..many(Variant::Ab) }
}

/// Pages, and a start epoch bit that does not move.
fn fixed_pages(seb_on_wrap: u32) -> Config {
    Config { seb_max: 13, seb_on_wrap, ..pages(13) }
}

/// Figure 6 has a parameter set of its own.
fn figure_6(seb_on_wrap: u32) -> Config {
    let (seb_min, seb_max, seb_init) = (4, 8, 4);
    let config = Config { seb_min, seb_max, seb_init, seb_on_wrap, ..many(Variant::Ab) };
    Config { n_cu: 1, addr_w: 12, ..config }
}

/// The start epoch bit is at its upper limit.
fn at_the_limit() -> Config {
    Config { seb_init: 5, seb_max: 5, seb_on_wrap: 0, ..small(Variant::Ab) }
}

/// The agents.
struct Agents {
    all: u32,
    /// `ready_i` and `done_i` follow `prep_o` and `chg_o` by a cycle.
    follow: bool,
}

impl Around<EpochManager> for Agents {
    fn after(&mut self, _: usize, next: &mut In, out: &Out, _: &Out) {
        next.req_valid = 0;
        if self.follow {
            let all = |level| if level { self.all } else { 0 };
            (next.ready, next.done) = (all(out.prep), all(out.chg));
        }
    }
}

/// Requests are cleared after their cycle.
type Bench = bench::Bench<EpochManager, Agents>;

impl Bench {
    fn new(body: Make, config: &Config) -> Self {
        let agents = Agents { all: u32::MAX >> (32 - config.n_cu), follow: true };
        Self::around(body(config), In::default(), agents)
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
        let Counters { votes_up, votes_down, conf_stale, conf_dup, .. } = self.shown().counters;
        [votes_up, votes_down, conf_stale, conf_dup]
    }
}
