//! Two agents with their L1s, and a manager that the test plays: the message of figure 7
//! (specification, section 10, example 6), and a response that arrives behind the epoch of its line
//! (example 7).

use hwmodel::Block;
use ports::stc::epoch_agent::In;
use ports::stc::types::{Epoch, Load, Stc, Store, Variant};

use super::cu::Chain;
use super::l1::{Found, L1, Line, WORDS};
use super::setup::{Agent, Bodies, Pool, on_both, small};

/// Lines, each in a band of its own; nothing is in band 0, which is Z.
const U: usize = 0;
const V: usize = 1;
const W: usize = 2;
const X: usize = 3;
const Z: u32 = 1;
const LINES: [u32; 4] = [1, 2, 3, 4];

/// Bands of lines.
fn bands<const N: usize>(lines: [usize; N]) -> u32 {
    lines.iter().map(|line| 1 << LINES[*line]).sum()
}

/// A response on its way: its line, as it was when it was read.
struct Fill {
    at: usize,
    line: usize,
    data: Line,
}

struct Cu {
    agent: Agent,
    l1: L1,
    next: In,
    /// The L2 acknowledges a store after two cycles.
    acks: Chain<bool>,
    fill: Option<Fill>,
    /// Cycles from a load's miss to its response.
    latency: usize,
    /// What the last load returned, and whether it hit.
    loaded: Option<(u32, bool)>,
}

/// All of it. A line is as often written as its words say.
struct Bench {
    cus: [Cu; 2],
    memory: [u32; 4],
    prep: bool,
    chg: bool,
    epoch: Epoch,
    now: usize,
}

impl Bench {
    fn new(bodies: Bodies, variant: Variant) -> Self {
        let max_bands = if variant == Variant::Mb { 3 } else { 1 };
        let stc = Stc { band_bits: 3, max_bands, ..small(variant) };
        let pool = Pool { lines: LINES.to_vec() };
        let cu = |_| {
            let agent = (bodies.agent)(&stc, None);
            let l1 = L1::new(&pool, stc.band_bits, agent.outputs().cer, None);
            let next = In { st_ready: true, ld_ready: true, ..In::default() };
            Cu { agent, l1, next, acks: Chain::new(2), fill: None, latency: 3, loaded: None }
        };
        let epoch = Epoch { seb: 4, gvec: Z };
        Self { cus: [0, 1].map(cu), memory: [0; 4], prep: false, chg: false, epoch, now: 0 }
    }

    fn cycle(&mut self) {
        let Self { cus, memory, prep, chg, epoch, now } = self;
        for Cu { agent, l1, next, acks, fill, latency, loaded } in cus {
            let out = agent.outputs();
            assert_eq!(out.err, None, "cycle {now}");
            l1.begin(out.cer, out.cer_upd);
            if let Some(Fill { line, data, .. }) = fill.take_if(|fill| fill.at == *now) {
                l1.fill(line, data);
                *loaded = Some((data[0], false));
            }
            let line_of = |addr: u32| addr as usize / 16 - 1;
            if let Some(st) = out.st {
                memory[line_of(st.addr)] += 1;
                l1.store(line_of(st.addr));
            }
            if let Some(ld) = out.ld {
                let line = line_of(ld.addr);
                match l1.look_up(line, ld.addr, ld.nocache, 0) {
                    Found::Hit(data) => *loaded = Some((data[0], true)),
                    Found::Miss => {
                        let data = [memory[line]; WORDS];
                        *fill = Some(Fill { at: *now + *latency, line, data });
                    }
                    Found::Blocked => panic!("one load is under way"),
                }
            }
            l1.end(out.sweep);
            (next.prep, next.chg, next.chg_info) = (*prep, *chg, *epoch);
            (next.wa_valid, next.sweep_done) = (acks.pass(out.st.is_some()), l1.is_swept());
            agent.tick(next);
            assert!(!agent.failed(), "an assertion of the RTL fails in cycle {now}");
            (next.st, next.ld) = (None, None);
        }
        *now += 1;
    }

    fn until(&mut self, what: &str, done: impl Fn(&Self) -> bool) {
        let limit = self.now + 100;
        while !done(self) {
            assert!(self.now < limit, "{what}");
            self.cycle();
        }
    }

    /// An epoch begins, and some cycles of it pass.
    fn epoch(&mut self, gvec: u32) {
        let all = |b: &Self, is: fn(&Cu) -> bool| b.cus.iter().all(is);
        self.prep = true;
        self.until("ready", |b| all(b, |cu| cu.agent.outputs().ready));
        (self.chg, self.epoch) = (true, Epoch { seb: 4, gvec });
        self.until("done", |b| all(b, |cu| cu.agent.outputs().done));
        (self.prep, self.chg) = (false, false);
        (0..10).for_each(|_| self.cycle());
    }

    /// Thread 0 stores.
    fn store(&mut self, line: usize) {
        self.cus[0].next.st = Some(Store { slot: line as u8, addr: LINES[line] * 16 });
        (0..3).for_each(|_| self.cycle());
    }

    fn begin_load(&mut self, line: usize) {
        self.cus[1].next.ld = Some(Load { id: 0, addr: LINES[line] * 16 });
        self.cus[1].loaded = None;
    }

    /// Thread 1 loads: the value, and whether it is a hit.
    fn load(&mut self, line: usize) -> (u32, bool) {
        self.begin_load(line);
        self.until("loaded", |b| b.cus[1].loaded.is_some());
        self.cus[1].loaded.expect("it is there")
    }

    /// Lines in cache 1, and what they hold.
    fn cache(&self) -> Vec<(usize, u32)> {
        let mut lines: Vec<_> =
            self.cus[1].l1.valid().map(|(line, data)| (line, data[0])).collect();
        lines.sort();
        lines
    }

    /// Blocked stores of thread 0, and that it has none under way either.
    fn blocked(&self) -> (u16, bool) {
        let out = self.cus[0].agent.outputs();
        (out.occ, out.empty)
    }

    /// Epoch Z: thread 1 has all lines in its cache, thread 0 writes those of the message.
    fn begin_message(&mut self) {
        for line in [U, V, W, X] {
            assert_eq!(self.load(line), (0, false));
            assert_eq!(self.load(line), (0, true));
        }
        [U, V, W].into_iter().for_each(|line| self.store(line));
        assert_eq!((self.blocked(), self.memory), ((3, false), [0; 4]));
        assert_eq!(self.cache(), [(U, 0), (V, 0), (W, 0), (X, 0)]);
    }

    /// The message is written: thread 0 releases, and thread 1 sees all of it.
    fn end_message(&mut self) {
        assert_eq!((self.blocked(), self.memory), ((0, true), [1, 1, 1, 0]));
        self.store(X);
        self.epoch(Z);
        assert_eq!((self.blocked(), self.cache()), ((1, false), vec![(X, 0)]));
        assert_eq!(self.load(X), (0, true), "it is not released");
        self.epoch(bands([X]));
        assert_eq!((self.blocked(), self.memory), ((0, true), [1; 4]));
        self.epoch(Z);
        assert_eq!(self.cache(), []);
        for line in [X, U, V, W] {
            assert_eq!(self.load(line), (1, false));
            assert_eq!(self.load(line), (1, true));
        }
    }
}

/// Thread 1 looks at X alone meanwhile: a line leaves its cache by the sweep that ends its epoch.
#[test]
fn message_of_figure_7_is_seen_as_a_whole() {
    on_both(|bodies| {
        let mut b = Bench::new(bodies, Variant::Es);
        b.begin_message();
        b.epoch(bands([W]));
        assert_eq!((b.blocked(), b.memory), ((2, false), [0, 0, 1, 0]));
        assert_eq!(b.load(X), (0, true));
        b.epoch(bands([V]));
        assert_eq!((b.blocked(), b.memory), ((1, false), [0, 1, 1, 0]));
        assert_eq!(b.cache(), [(U, 0), (V, 0), (X, 0)]);
        b.epoch(bands([U]));
        assert_eq!(b.cache(), [(U, 0), (X, 0)]);
        b.end_message();
    });
}

/// Thread 1 reads the lines in their epoch, too: they leave its cache at once, and stay outside.
#[test]
fn message_of_figure_7_is_seen_as_a_whole_with_its_bands_granted_at_once() {
    on_both(|bodies| {
        let mut b = Bench::new(bodies, Variant::Mb);
        b.begin_message();
        b.epoch(bands([U, V, W]));
        for line in [U, V, W, U, V, W] {
            assert_eq!(b.load(line), (1, false));
        }
        assert_eq!(b.cache(), [(X, 0)]);
        b.end_message();
    });
}

#[test]
fn response_behind_the_epoch_of_its_line_is_not_installed() {
    on_both(|bodies| {
        let mut b = Bench::new(bodies, Variant::Es);
        b.cus[1].latency = 100;
        b.begin_load(U);
        b.store(U);
        b.epoch(bands([U]));
        assert_eq!((b.blocked(), b.memory[U]), ((0, true), 1));
        b.epoch(Z);
        assert_eq!(b.cus[1].loaded, None);
        b.until("the response", |b| b.cus[1].loaded.is_some());
        assert_eq!((b.cus[1].loaded, b.cache()), (Some((0, false)), vec![]));
        b.cus[1].latency = 3;
        assert_eq!(b.load(U), (1, false));
    });
}
