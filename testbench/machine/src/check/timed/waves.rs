//! The waves of a kernel: what they have passed, and how late it is for them.

use super::{Begun, Time};
use crate::check::sequential::{WaveOf, Which};
use crate::context::message::Unit;

/// A wave.
#[derive(Clone, Copy, Debug)]
struct Wave {
    of: WaveOf,
    /// Number of its work-group, and its own there.
    group: u32,
    number: u16,
    /// The latest of its accesses that are over, and of those before its last fence.
    latest: Time,
    fenced: Time,
    /// Fences that it has passed.
    fences: u32,
    /// Accesses that are not over; place of the instruction of the last one that has begun.
    open: u32,
    place: u32,
}

/// All of them.
#[derive(Debug, Default)]
pub struct Waves {
    all: Vec<Wave>,
    /// By unit, and slot there: the one that runs.
    running: Vec<Vec<u32>>,
    /// Fences: whose, and when it was passed. Later, when all are known, in the order of waves.
    passed: Vec<(u32, u32)>,
    /// Of each wave the first of its own.
    first: Vec<u32>,
}

impl Waves {
    pub fn begin_group(&mut self, cu: Unit, group: u32, slots: &[usize]) {
        let unit = usize::from(cu.0);
        if self.running.len() <= unit {
            self.running.resize_with(unit + 1, Vec::new);
        }
        let running = &mut self.running[unit];
        for (number, &slot) in slots.iter().enumerate() {
            if running.len() <= slot {
                running.resize(slot + 1, 0);
            }
            running[slot] = self.all.len() as u32;
            let (of, number) = (WaveOf { cu, slot }, number as u16);
            let (latest, fenced) = ((0, 0), (0, 0));
            self.all.push(Wave { of, group, number, latest, fenced, fences: 0, open: 0, place: 0 });
        }
    }

    fn at(&self, of: WaveOf) -> usize {
        self.running[usize::from(of.cu.0)][of.slot] as usize
    }

    /// What is when an access begins; and whether one of an earlier instruction is not over.
    pub fn issue(&mut self, of: WaveOf, place: u32, at: u32, is_sc: bool) -> (Begun, bool) {
        let wave = self.at(of);
        let Wave { latest, fenced, fences, open, place: last, .. } = self.all[wave];
        let after = if is_sc { latest } else { fenced };
        (self.all[wave].open, self.all[wave].place) = (open + 1, place);
        (Begun { wave: wave as u32, place, fences, at, after }, open > 0 && last != place)
    }

    /// An access of a wave is over.
    pub fn end(&mut self, begun: &Begun) {
        self.all[begun.wave as usize].open -= 1;
    }

    /// It was at a time.
    pub fn reach(&mut self, begun: &Begun, time: Time) {
        let latest = &mut self.all[begun.wave as usize].latest;
        *latest = time.max(*latest);
    }

    /// All accesses of a wave are over.
    pub fn fence(&mut self, of: WaveOf, now: u32) {
        let at = self.at(of);
        let wave = &mut self.all[at];
        wave.fenced = wave.latest;
        wave.fences += 1;
        self.passed.push((at as u32, now));
    }

    /// What waves have seen before a barrier, all of them have behind it.
    pub fn barrier(&mut self, cu: Unit, slots: &[usize]) {
        let all = || slots.iter().map(|&slot| self.at(WaveOf { cu, slot }));
        let latest = all().map(|at| self.all[at].latest).max().unwrap_or_default();
        let fenced = all().map(|at| self.all[at].fenced).max().unwrap_or_default();
        for &slot in slots {
            let at = self.at(WaveOf { cu, slot });
            let wave = &mut self.all[at];
            (wave.latest, wave.fenced) = (latest, fenced);
        }
    }

    /// All fences are known.
    pub fn sort_fences(&mut self) {
        self.passed.sort_by_key(|&(wave, _)| wave);
        self.first.clear();
        let mut first = 0;
        for wave in &self.all {
            self.first.push(first);
            first += wave.fences;
        }
    }

    /// When a wave has passed the fence behind an access.
    pub fn fence_behind(&self, begun: &Begun) -> Option<u32> {
        let wave = begun.wave as usize;
        let is_passed = begun.fences < self.all[wave].fences;
        is_passed.then(|| self.passed[(self.first[wave] + begun.fences) as usize].1)
    }

    pub fn which(&self, begun: &Begun) -> Which {
        let Wave { of, group, number, .. } = self.all[begun.wave as usize];
        Which { wave: of, group, number, place: begun.place }
    }

    /// The kernel has ended.
    pub fn clear(&mut self) {
        self.all.clear();
        self.passed.clear();
    }
}
