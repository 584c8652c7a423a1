//! A manager, its CUs and the L2, cycle by cycle, and what must hold in each.

use cosim::stimulus::Random;
use hwmodel::Block;
use ports::stc::epoch_manager;

use super::cu::{Cu, Down, Shared, Up};
use super::failure::{Check, Failure};
use super::l1::WORDS;
use super::l2::{Event, L2};
use super::setup::{Manager, Setup};

/// Cycles without anything done after which nothing is expected any more.
const PATIENCE: u64 = 6000;

/// What runs have done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub runs: u64,
    pub cycles: u64,
    pub transitions: u64,
    pub moves: u64,
    pub loads: u64,
    pub hits: u64,
    pub blocked: u64,
    pub direct: u64,
    pub flashes: u64,
    /// Selections that a store has waited for, at most.
    pub longest: u32,
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.runs += other.runs;
        self.cycles += other.cycles;
        self.transitions += other.transitions;
        self.moves += other.moves;
        self.loads += other.loads;
        self.hits += other.hits;
        self.blocked += other.blocked;
        self.direct += other.direct;
        self.flashes += other.flashes;
        self.longest = self.longest.max(other.longest);
    }
}

pub struct System<'a> {
    setup: &'a Setup,
    manager: Manager,
    pub cus: Vec<Cu>,
    l2: L2,
    random: Random,
    now: u64,
    last: u64,
    counts: Counts,
    shown: epoch_manager::Out,
}

impl<'a> System<'a> {
    pub fn new(setup: &'a Setup) -> Self {
        let manager = (setup.bodies.manager)(&setup.stc, setup.weakness);
        let shown = manager.outputs();
        let mut random = Random::new(setup.seed ^ 0x57c0_0000);
        let mut l2 = L2::new(setup.pool.lines.len());
        if setup.host {
            l2.send(u64::from(random.below(200)), 0, Event::Host { word: 0 });
        }
        Self {
            setup,
            manager,
            cus: (0..setup.stc.n_cu as usize).map(|n| Cu::new(setup, n)).collect(),
            l2,
            random,
            now: 0,
            last: 0,
            counts: Counts::default(),
            shown,
        }
    }

    /// Runs the programs to their end.
    pub fn run(&mut self) -> Result<Counts, Failure> {
        let ended =
            |s: &Self| s.cus.iter().all(|cu| cu.is_done() && cu.is_empty()) && s.l2.is_quiet();
        while !ended(self) {
            self.cycle().map_err(|(check, text)| Failure { check, cycle: self.now, text })?;
        }
        for cu in &self.cus {
            let order = cu.in_order();
            self.note(order).map_err(|(check, text)| Failure { check, cycle: self.now, text })?;
        }
        self.counts.runs = 1;
        self.counts.cycles = self.now;
        for cu in &self.cus {
            self.counts.loads += cu.loads_done;
            self.counts.hits += cu.hits;
            self.counts.blocked += u64::from(cu.out.counters.stores_blocked);
            self.counts.direct += u64::from(cu.out.counters.stores_direct);
            self.counts.longest = self.counts.longest.max(cu.longest_wait);
        }
        Ok(self.counts)
    }

    fn note(&self, found: Result<(), (Check, String)>) -> Result<(), (Check, String)> {
        match found {
            Err((check, _)) if self.setup.ignored.contains(&check) => Ok(()),
            found => found,
        }
    }

    fn cycle(&mut self) -> Result<(), (Check, String)> {
        let shown = self.manager.outputs();
        self.counts.transitions += u64::from(shown.chg && !self.shown.chg);
        self.counts.moves += u64::from(shown.chg_info.seb != self.shown.chg_info.seb);
        self.shown = shown;
        let before: Vec<_> = self.cus.iter().map(|cu| cu.out).collect();
        self.cus.iter_mut().for_each(Cu::begin);
        self.messages()?;

        let Self { setup, manager, cus, l2, random, now, .. } = self;
        let mut s = Shared { now: *now, setup, random, l2, selections: shown.counters.selections };
        let mut inputs = epoch_manager::In::default();
        let mut found = Vec::new();
        for (c, cu) in cus.iter_mut().enumerate() {
            found.push(cu.invariants(&s, &before[c]));
            found.push(cu.coherent(&s));
            let dmd_ack = shown.dmd_ack >> c & 1 != 0;
            let (prep, chg, epoch) = (shown.prep, shown.chg, shown.chg_info);
            found.push(cu.cycle(&mut s, Down { prep, chg, epoch, dmd_ack }));
            let Up { ready, done, req } = cu.up();
            inputs.ready |= u32::from(ready) << c;
            inputs.done |= u32::from(done) << c;
            inputs.req_valid |= u32::from(req.is_some()) << c;
            inputs.req[c] = req.unwrap_or_default();
            if now.is_multiple_of(64) {
                found.push(cu.waits(&s));
            }
        }
        manager.tick(&inputs);
        if manager.failed() {
            let mut report = String::new();
            let _ = manager.write_failure(&mut report);
            return Err((Check::Error, report));
        }
        found.into_iter().try_for_each(|found| self.note(found))?;
        self.note(self.epochs())?;
        if let Some(code) = shown.err {
            self.note(Err((Check::Error, format!("manager: error {code}"))))?;
        }
        if self.cus.iter().any(|cu| cu.acted) {
            self.last = self.now;
        } else if self.now > self.last + PATIENCE {
            return Err((Check::Stuck, format!("nothing since cycle {}", self.last)));
        }
        self.now += 1;
        Ok(())
    }

    /// All that happens at the L2, or arrives from it, in this cycle.
    fn messages(&mut self) -> Result<(), (Check, String)> {
        while let Some(event) = self.l2.next(self.now) {
            let Self { setup, cus, l2, random, now, shown, counts, .. } = self;
            let mut s =
                Shared { now: *now, setup, random, l2, selections: shown.counters.selections };
            let found = match event {
                Event::Host { word } => {
                    s.l2.host_writes(word, s.now);
                    let at = s.now + 1 + u64::from(s.random.below(40));
                    s.l2.send(at, s.random.word(), Event::Flash);
                    let words = setup.pool.lines.len() * WORDS;
                    let word = s.random.below(words as u32) as usize;
                    let at = s.now + 1 + u64::from(s.random.below(200));
                    s.l2.send(at, s.random.word(), Event::Host { word });
                    Ok(())
                }
                Event::Flash => {
                    if setup.weakness != Some(super::weakness::Weakness::NoFlash) {
                        cus.iter_mut().for_each(|cu| cu.l1.flash());
                    }
                    s.l2.flash();
                    counts.flashes += 1;
                    Ok(())
                }
                Event::Read { cu, .. }
                | Event::Fill { cu, .. }
                | Event::Write { cu, .. }
                | Event::Ack { cu, .. }
                | Event::Result { cu, .. } => cus[cu].receive(&mut s, event),
            };
            self.note(found)?;
        }
        Ok(())
    }

    /// ER3.
    fn epochs(&self) -> Result<(), (Check, String)> {
        let same = self.cus.iter().all(|cu| cu.out.cer == self.cus[0].out.cer);
        let writes = self.cus.iter().position(|cu| cu.outstanding() != 0);
        match writes {
            Some(cu) if !same => {
                Err((Check::Er3, format!("CU {cu} writes while CUs are in different epochs")))
            }
            _ => Ok(()),
        }
    }
}
