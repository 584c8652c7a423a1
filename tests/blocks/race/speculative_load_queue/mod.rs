//! A speculative load queue by itself: the rules of specification 5.4 and 12, and worked examples 7
//! and 8 of 10.1. Figures come from the specification's text.

mod counters;
mod errors;
mod replays;
mod reset;
mod timing;
mod validations;

use duet_tests::with_both_bodies;
use hwmodel::race::speculative_load_queue::SpeculativeLoadQueue;
use ports::race::speculative_load_queue::{Config, Counters, In, Out, err};
use ports::race::types::{Alloc, Done, LoadName, Query, rsp_kind};

use super::named;
use crate::bench::{self, Around};

type Make = duet_tests::Make<SpeculativeLoadQueue>;

/// Runs `check` on the model and on the RTL.
fn on_both(check: impl Fn(Make)) {
    with_both_bodies::<SpeculativeLoadQueue>(check);
}

/// The small parameters of specification 2.
fn config() -> Config {
    (&named("small")).into()
}

/// Two queries in a cycle; six slots.
fn wide() -> Config {
    (&named("small-half-page")).into()
}

fn done(kind: u8) -> Done {
    Done { kind, sync: kind != rsp_kind::NORACE, ..Done::default() }
}

/// The access validation unit, which answers a query in the next cycle.
struct Validation {
    /// Addresses in the signature.
    members: Vec<u32>,
}

impl Around<SpeculativeLoadQueue> for Validation {
    fn after(&mut self, _: usize, next: &mut In, out: &Out, shown: &Out) {
        let is_member =
            |v: &usize| out.q_valid >> v & 1 != 0 && self.members.contains(&out.q[*v].addr);
        let q_member = (0..8).filter(is_member).map(|v| 1 << v).sum();
        for v in (0..8).filter(|v| out.q_valid >> v & 1 == 0) {
            assert_eq!(out.q[v], Query::default(), "a payload is 0 while its valid is 0");
        }
        let untaken = out.replay.filter(|_| !next.replay_ready);
        assert!(untaken.is_none() || shown.replay == untaken, "held until taken");
        *next = In { q_member, replay_ready: next.replay_ready, ..In::default() };
    }
}

/// Inputs but for `replay_ready` are cleared after their cycle.
type Bench = bench::Bench<SpeculativeLoadQueue, Validation>;

impl Bench {
    fn new(body: Make, config: &Config) -> Self {
        let next = In { replay_ready: true, ..In::default() };
        Self::around(body(config), next, Validation { members: Vec::new() })
    }

    fn counters(&self) -> Counters {
        self.shown().counters
    }

    /// Sends `count` requests, one per cycle.
    fn requests(&mut self, count: usize) {
        for _ in 0..count {
            self.next.inc = true;
            self.cycle();
        }
    }

    /// Offers a load in the next cycle, to line `tag`.
    fn offer(&mut self, warp: u8, tag: u16) {
        self.next.alloc = Some(Alloc { warp, tag, size: 2, addr: u32::from(tag) << 7 });
    }

    /// Offers a load per cycle; all are accepted.
    fn loads(&mut self, loads: &[(u8, u16)]) {
        for &(warp, tag) in loads {
            self.offer(warp, tag);
            assert!(self.cycle().alloc_ready);
        }
    }

    /// An answer in the next cycle; returns its cycle.
    fn answer(&mut self, kind: u8) -> usize {
        self.next.done = Some(done(kind));
        self.cycle();
        self.now() - 1
    }

    /// Cycles and tags of commits; of replays, accepted or not.
    fn commits(&self) -> Vec<(usize, u16)> {
        self.seen(0, |out| Some(out.commit?.tag))
    }

    fn replays(&self) -> Vec<(usize, u16)> {
        self.seen(0, |out| Some(out.replay?.tag))
    }

    /// Lines queried in a cycle, by lane.
    fn queries(&self, cycle: usize) -> Vec<u32> {
        let Out { q_valid, q, .. } = self.out[cycle];
        (0..8).filter(|v| q_valid >> v & 1 != 0).map(|v| q[v].addr >> 7).collect()
    }

    /// Cycles in whose outputs `of` holds.
    fn cycles(&self, of: impl Fn(&Out) -> bool) -> Vec<usize> {
        (0..self.now()).filter(|&n| of(&self.out[n])).collect()
    }
}
