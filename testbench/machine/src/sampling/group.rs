//! Launches of the same kernel with the same grid and buffers.

use super::estimate::Sum;
use crate::engine::Cycle;

/// Launches in a row that show that a group is steady.
pub const STEADY: usize = 3;
/// By how much they may differ, and a launch behind a gap from what was expected: a fraction of the
/// greater.
const SPREAD: f64 = 0.05;
/// Up to this difference a gap is followed by one twice as long, ...
const CLOSE: f64 = 0.02;
/// ... and beyond this one the group is steady no longer.
const FAR: f64 = 0.1;
/// Launches of the first gap, and of the longest.
const FIRST_GAP: usize = 8;
const LONGEST_GAP: usize = 128;
/// A launch whose work differs from that of the last measured one by more than this fraction is the
/// last of its gap.
const OTHER_WORK: f64 = 0.25;
/// Work must have differed by this fraction to show what more of it costs.
const SOME_WORK: f64 = 0.03;
/// Error of each launch of a gap, whatever its sides are, as a fraction of its cycles.
const BIAS: f64 = 0.01;

/// A launch that was simulated.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// From the launch before to its end.
    pub cycles: Cycle,
    /// Bytes of its instructions in the trace.
    pub work: u64,
    /// By how much each statistic grew.
    pub growth: Vec<u64>,
}

/// Cycles that more work costs, for each unit of it, and the error of that.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Slope {
    cycles: f64,
    error: f64,
}

/// A group.
#[derive(Debug)]
pub struct Group {
    name: String,
    /// Number of the last launch, whatever became of it.
    last: Option<u32>,
    /// Cycles of the last launches that were measured in a row.
    recent: Vec<Cycle>,
    /// The last that was measured.
    side: Measured,
    /// Work and cycles of those measured with the least work and the most.
    extremes: Option<[(u64, Cycle); 2]>,
    /// Launches of a gap, 0 while the group is not steady; and those left of this gap.
    gap: usize,
    left: usize,
    /// Work of the launches since the last one that was measured.
    unmeasured: Vec<u64>,
    /// By how much the sides of the last gap differed from what was expected, or launches that were
    /// to be steady.
    difference: f64,
}

/// As a fraction of the greater one.
fn fraction(one: f64, other: f64) -> f64 {
    (one - other).abs() / one.max(other).max(1.0)
}

impl Group {
    /// Without launches.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_string(),
            last: None,
            recent: Vec::new(),
            side: Measured::default(),
            extremes: None,
            gap: 0,
            left: 0,
            unmeasured: Vec::new(),
            difference: 0.0,
        }
    }

    /// Number of the last launch.
    pub fn last(&self) -> Option<u32> {
        self.last
    }

    /// Whether its launches cost the same, as far as is known.
    pub fn is_steady(&self) -> bool {
        self.gap > 0
    }

    /// Whether the next launch may be skipped.
    pub fn has_gap(&self) -> bool {
        self.left > 0
    }

    /// A launch was skipped.
    pub fn skip(&mut self, number: u32, work: u64) {
        self.last = Some(number);
        self.unmeasured.push(work);
        self.left -= 1;
        if fraction(work as f64, self.side.work as f64) > OTHER_WORK {
            self.left = 0;
        }
    }

    /// A launch was simulated whose caches are not those of a run without gaps.
    pub fn warm_up(&mut self, number: u32, work: u64) {
        self.last = Some(number);
        self.unmeasured.push(work);
    }

    /// A launch was simulated that counts. `is_clean`: its caches are those of a run without gaps.
    pub fn measure(&mut self, number: u32, now: Measured, is_clean: bool, sum: &mut Sum) {
        self.last = Some(number);
        sum.add(&self.name, 1, now.cycles as f64, 0.0, [&now, &now]);
        if !is_clean {
            return;
        }
        self.widen(&now);
        if self.unmeasured.is_empty() {
            self.recent.push(now.cycles);
            if self.recent.len() > STEADY {
                self.recent.remove(0);
            }
            if !self.is_steady() {
                self.see_whether_steady();
            }
        } else {
            self.close(&now, sum);
        }
        self.left = self.gap;
        self.side = now;
    }

    fn widen(&mut self, now: &Measured) {
        let now = (now.work, now.cycles);
        let [least, most] = self.extremes.get_or_insert([now; 2]);
        *least = now.min(*least);
        *most = now.max(*most);
    }

    fn see_whether_steady(&mut self) {
        let [least, most] = [self.recent.iter().min(), self.recent.iter().max()];
        let (Some(&least), Some(&most)) = (least, most) else { return };
        if self.recent.len() == STEADY && fraction(least as f64, most as f64) <= SPREAD {
            self.gap = FIRST_GAP;
            self.difference = (most - least) as f64;
        }
    }

    /// From launches of less work and of more; else it costs nothing, or in proportion.
    fn slope(&self) -> Slope {
        let each = self.side.cycles as f64 / self.side.work.max(1) as f64;
        match self.extremes {
            Some([(less, low), (more, high)]) if fraction(less as f64, more as f64) > SOME_WORK => {
                let cycles = (high as f64 - low as f64) / (more - less) as f64;
                let cycles = cycles.clamp(0.0, each);
                Slope { cycles, error: cycles / 2.0 }
            }
            _ => Slope { cycles: each / 2.0, error: each / 2.0 },
        }
    }

    /// The gap has a second side.
    fn close(&mut self, now: &Measured, sum: &mut Sum) {
        let slope = self.slope();
        let expected = expect(&self.side, now.work, slope);
        self.difference = (expected - now.cycles as f64).abs();
        let is_whole = self.unmeasured.len() >= self.gap;
        self.fill([&self.side, now], self.difference / 2.0, slope, sum);
        self.gap = match fraction(expected, now.cycles as f64) {
            ..=CLOSE if is_whole => LONGEST_GAP.min(2 * self.gap),
            ..=SPREAD => self.gap,
            ..=FAR if self.gap > FIRST_GAP => self.gap / 2,
            _ => 0,
        };
        self.unmeasured.clear();
        self.recent = vec![now.cycles];
    }

    /// Adds the launches of the gap, each with this error beside what a gap always has.
    fn fill(&self, sides: [&Measured; 2], error: f64, slope: Slope, sum: &mut Sum) {
        let (mut cycles, mut errors) = (0.0, 0.0);
        for &work in &self.unmeasured {
            let own = sides.map(|side| expect(side, work, slope)).iter().sum::<f64>() / 2.0;
            let away = sides.map(|side| side.work.abs_diff(work)).into_iter().min().unwrap_or(0);
            cycles += own;
            errors += error + BIAS * own + away as f64 * slope.error;
        }
        sum.add(&self.name, self.unmeasured.len() as u32, cycles, errors, sides);
    }

    /// The program ends: a gap that is open has one side, and differs from it by as much as the
    /// sides before did.
    pub fn end(&self, sum: &mut Sum) {
        if !self.unmeasured.is_empty() {
            self.fill([&self.side; 2], self.difference, self.slope(), sum);
        }
    }
}

/// Cycles of a launch, by one that was measured.
fn expect(side: &Measured, work: u64, slope: Slope) -> f64 {
    (side.cycles as f64 + (work as f64 - side.work as f64) * slope.cycles).max(0.0)
}
