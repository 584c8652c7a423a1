//! A system, its timing and its programs, by a seed.

use std::sync::LazyLock;

use cosim::stimulus::Random;
use duet_tests::{has_rtl_of, parameters, rtl_with};
use hwmodel::stc::epoch_agent::EpochAgent;
use hwmodel::stc::epoch_manager::EpochManager;
use hwmodel::{Block, Model};
use ports::stc::types::{Stc, Variant};
use ports::stc::{epoch_agent, epoch_manager};

use super::failure::Check;
use super::l1::WORDS;
use super::weakness::Weakness;

pub type Manager = Box<dyn Block<In = epoch_manager::In, Out = epoch_manager::Out>>;
pub type Agent = Box<dyn Block<In = epoch_agent::In, Out = epoch_agent::Out>>;

/// Who makes the blocks.
#[derive(Clone, Copy)]
pub struct Bodies {
    pub manager: fn(&Stc, Option<Weakness>) -> Manager,
    pub agent: fn(&Stc, Option<Weakness>) -> Agent,
}

pub const MODELS: Bodies = Bodies {
    manager: |stc, weakness| {
        let config = stc.into();
        Box::new(
            match weakness {
                Some(Weakness::Manager(rule)) => EpochManager::without(&config, rule),
                _ => EpochManager::new(&config),
            }
            .expect("legal parameters"),
        )
    },
    agent: |stc, weakness| {
        let config = stc.into();
        Box::new(
            match weakness {
                Some(Weakness::Agent(rule)) => EpochAgent::without(&config, rule),
                _ => EpochAgent::new(&config),
            }
            .expect("legal parameters"),
        )
    },
};

/// Which keep every rule.
pub const RTL: Bodies = Bodies {
    manager: |stc, _| Box::new(rtl_with::<EpochManager>(&stc.into())),
    agent: |stc, _| Box::new(rtl_with::<EpochAgent>(&stc.into())),
};

pub fn has_rtl() -> bool {
    has_rtl_of::<EpochManager>() && has_rtl_of::<EpochAgent>()
}

/// Runs `check` with models, then with RTL bodies where there are some.
pub fn on_both(check: impl Fn(Bodies)) {
    println!("on models");
    check(MODELS);
    if has_rtl() {
        println!("on the RTL");
        check(RTL);
    }
}

/// The lines of a program, by their numbers in memory.
#[derive(Clone, Debug)]
pub struct Pool {
    pub lines: Vec<u32>,
}

impl Pool {
    /// Byte address.
    pub fn addr(&self, word: usize) -> u32 {
        self.lines[word / WORDS] * 16 + (word % WORDS) as u32 * 4
    }
}

/// What a wave does next. Words by their number in the pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    Load(usize),
    Store(usize),
    Atomic(usize),
    /// Waits for its own loads and stores.
    Fence,
    Delay(u32),
}

/// Registers between the manager and a CU.
#[derive(Clone, Copy, Debug, Default)]
pub struct Link {
    pub down: usize,
    pub up: usize,
    /// The rise of `chg` is late by so many cycles more.
    pub late: usize,
}

/// Most cycles of each way, and how often things are ready, of 256.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    pub store: u32,
    pub ack: u32,
    pub read: u32,
    pub fill: u32,
    pub lookup: u32,
    pub st_ready: u32,
    pub ld_ready: u32,
    /// Per cycle, of 4096: not ready for up to 60 cycles.
    pub stalls: u32,
}

#[derive(Clone)]
pub struct Setup {
    pub bodies: Bodies,
    pub stc: Stc,
    pub links: Vec<Link>,
    pub timing: Timing,
    pub pool: Pool,
    /// By CU and wave.
    pub programs: Vec<Vec<Vec<Op>>>,
    /// The host writes now and then.
    pub host: bool,
    pub weakness: Option<Weakness>,
    /// What does not end the run.
    pub ignored: &'static [Check],
    pub seed: u64,
}

pub const VARIANTS: [Variant; 4] = [Variant::Nv, Variant::Es, Variant::Ab, Variant::Mb];

/// By variant: the named configurations of that size.
static SMALL: LazyLock<[Stc; 4]> =
    LazyLock::new(|| ["small-nv", "small-es", "small-ab", "small"].map(parameters));

/// The small parameters of specification 2.1.
pub fn small(variant: Variant) -> Stc {
    SMALL[variant as usize].clone()
}

/// Lines that are near each other, and some that differ in high bits only.
pub fn pool(r: &mut Random, lines: u32) -> Pool {
    let near = r.pick(&[8, 16, 64]);
    let mut pool = Vec::new();
    while pool.len() < lines as usize {
        let far = if r.below(4) == 0 { 1 << r.below(12) } else { 0 };
        let line = r.below(near) ^ far;
        if !pool.contains(&line) {
            pool.push(line);
        }
    }
    Pool { lines: pool }
}

impl Timing {
    pub fn random(r: &mut Random) -> Self {
        let mut most = || r.pick(&[1, 6, 20, 60, 120]);
        let [store, ack, read, fill] = [most(), most(), most(), most()];
        let mut ready = || r.pick(&[256, 256, 160, 64, 32]);
        let [st_ready, ld_ready] = [ready(), ready()];
        let (lookup, stalls) = (r.pick(&[1, 1, 4, 30]), r.pick(&[0, 0, 20, 60]));
        Self { store, ack, read, fill, lookup, st_ready, ld_ready, stalls }
    }
}

/// A program of loads, stores, atomics, fences and delays.
fn program(r: &mut Random, lines: u32) -> Vec<Op> {
    let length = 3 + r.below(14);
    let parts = r.pick(&[[8, 6, 2, 2, 2], [12, 3, 0, 2, 3], [5, 10, 2, 1, 1]]);
    let delay = r.pick(&[10, 60, 150]);
    let op = |_| {
        // Few words of few lines, so that they meet.
        let line = r.below(lines).min(r.below(lines)) as usize;
        let word = WORDS * line + r.below(2) as usize;
        match r.weighted(&parts) {
            0 => Op::Load(word),
            1 => Op::Store(word),
            2 => Op::Atomic(word),
            3 => Op::Fence,
            _ => Op::Delay(1 + r.below(delay)),
        }
    };
    (0..length).map(op).collect()
}

impl Setup {
    /// A system with a random program.
    pub fn random(variant: Variant, seed: u64) -> Self {
        let r = &mut Random::new(seed);
        let n_cu = 2 + r.below(3);
        let (bsq_banks, bsq_rd) = r.pick(&[(4, 2), (4, 1), (1, 2), (16, 1), (2, 8)]);
        let (band_bits, wakeup) = r.pick(&[(2, 16), (2, 20), (3, 24), (2, 40)]);
        let wakeup = wakeup.max((1 << band_bits) + 16u32.div_ceil(bsq_banks * bsq_rd));
        let max_bands = if variant == Variant::Mb { 1 + r.below(4) } else { 1 };
        let (adapt_cmp, seb_on_wrap) = (r.below(2), u32::from(r.below(4) != 0));
        let sizes = Stc { n_cu, band_bits, wakeup, bsq_banks, bsq_rd, ..small(variant) };
        let stc = Stc { max_bands, adapt_cmp, seb_on_wrap, ..sizes };
        let most = r.pick(&[1, 3, 5]);
        let links = (0..n_cu).map(|_| Link {
            down: r.below(most) as usize,
            up: r.below(most) as usize,
            late: 0,
        });
        let links = links.collect();
        let lines = 4 + r.below(17);
        let pool = pool(r, lines);
        let timing = Timing::random(r);
        let waves = 1 + r.below(5);
        let programs = (0..n_cu).map(|_| (0..waves).map(|_| program(r, lines)).collect()).collect();
        Self {
            bodies: MODELS,
            stc,
            links,
            timing,
            pool,
            programs,
            host: r.below(4) == 0,
            weakness: None,
            ignored: &[],
            seed,
        }
    }
}
