//! A small L1 with the obligations of specification 5.6: 4 sets of 2 ways.

use ports::stc::types::Epoch;

use super::failure::Check;
use super::setup::Pool;
use super::weakness::Weakness;

/// Words of a line.
pub const WORDS: usize = 4;
const SETS: usize = 4;
const WAYS: usize = 2;

/// What each word is: its place in the order of the L2.
pub type Line = [u32; WORDS];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Invalid,
    Valid,
    /// A load is under way; its response is installed.
    Fills,
    /// One is under way; its response is not installed.
    Passes,
}

#[derive(Clone, Copy, Debug)]
struct Way {
    state: State,
    line: usize,
    data: Line,
}

/// What a lookup finds.
pub enum Found {
    Hit(Line),
    Miss,
    /// Again later: a load of the line is under way, or one in each way.
    Blocked,
}

pub struct L1 {
    sets: [[Way; WAYS]; SETS],
    touched: [bool; SETS],
    epoch: Epoch,
    before: Epoch,
    /// The first cycle of the epoch.
    begins: bool,
    band_bits: u32,
    lines: Vec<u32>,
    weakness: Option<Weakness>,
    /// Cycles without a step of the sweep.
    tag_busy: bool,
    /// First of the invariants that was broken.
    pub broken: Option<(Check, usize)>,
}

impl L1 {
    pub fn new(pool: &Pool, band_bits: u32, epoch: Epoch, weakness: Option<Weakness>) -> Self {
        let empty = Way { state: State::Invalid, line: 0, data: [0; WORDS] };
        Self {
            sets: [[empty; WAYS]; SETS],
            touched: [false; SETS],
            epoch,
            before: epoch,
            begins: false,
            band_bits,
            lines: pool.lines.clone(),
            weakness,
            tag_busy: false,
            broken: None,
        }
    }

    fn keeps(&self, rule: Weakness) -> bool {
        self.weakness != Some(rule)
    }

    fn granted(&self, line: usize) -> bool {
        self.epoch.granted(self.lines[line] * 16, self.band_bits)
    }

    fn set_of(&self, line: usize) -> usize {
        self.lines[line] as usize % SETS
    }

    /// All sets are swept.
    pub fn is_swept(&self) -> bool {
        let free = matches!(self.weakness, Some(Weakness::NoSweep | Weakness::SweepNotAwaited));
        free || self.touched.iter().all(|touched| *touched)
    }

    /// A cycle begins, before its responses.
    pub fn begin(&mut self, epoch: Epoch, begins: bool) {
        (self.before, self.epoch, self.begins) = (self.epoch, epoch, begins);
        if begins && self.keeps(Weakness::NoDemotion) {
            self.demote(false);
        }
    }

    fn demote(&mut self, all: bool) {
        for set in 0..SETS {
            for way in 0..WAYS {
                let Way { state, line, .. } = self.sets[set][way];
                if state == State::Fills && (all || self.granted(line)) {
                    self.sets[set][way].state = State::Passes;
                }
            }
        }
    }

    /// The response to a load.
    pub fn fill(&mut self, line: usize, data: Line) {
        let (set, granted) = (self.set_of(line), self.granted(line));
        let late = !self.keeps(Weakness::NoDemotion) && granted;
        let pending =
            |way: &&mut Way| way.line == line && matches!(way.state, State::Fills | State::Passes);
        let Some(way) = self.sets[set].iter_mut().find(pending) else { return };
        let installs = way.state == State::Fills && !late;
        way.state = if installs { State::Valid } else { State::Invalid };
        way.data = data;
        if installs && granted {
            self.broken.get_or_insert((Check::Er1, line));
        }
        if installs && !self.keeps(Weakness::FillTouches) {
            self.touched[set] = true;
        }
    }

    /// Invalidates what may be written now.
    fn invalidate(&mut self, set: usize) {
        for way in 0..WAYS {
            let Way { state, line, .. } = self.sets[set][way];
            if state == State::Valid && self.granted(line) {
                self.sets[set][way].state = State::Invalid;
            }
        }
    }

    /// The lookup of this cycle. `victim` chooses a way.
    pub fn look_up(&mut self, line: usize, addr: u32, nocache: bool, victim: u32) -> Found {
        let set = self.set_of(line);
        self.tag_busy = true;
        if !self.touched[set] {
            if self.keeps(Weakness::NoComparison) {
                self.invalidate(set);
            }
            self.touched[set] = true;
        }
        let old = self.begins && !self.keeps(Weakness::OldEpochAtUpdate);
        let epoch = if old { self.before } else { self.epoch };
        let now = epoch.granted(addr, self.band_bits) && self.keeps(Weakness::NocacheAlone);
        let passes = nocache || now;
        let ways = &mut self.sets[set];
        let found = ways.iter().position(|way| way.line == line && way.state != State::Invalid);
        let way = match found {
            Some(way) if ways[way].state != State::Valid => return Found::Blocked,
            Some(way) if !passes => {
                let data = ways[way].data;
                if self.epoch.granted(addr, self.band_bits) {
                    self.broken.get_or_insert((Check::Er1, line));
                }
                return Found::Hit(data);
            }
            Some(way) => Some(way),
            None => {
                let first = victim as usize % WAYS;
                let order = [first, 1 - first];
                let of = |state| order.into_iter().find(|&way| ways[way].state == state);
                of(State::Invalid).or_else(|| of(State::Valid))
            }
        };
        let Some(way) = way else { return Found::Blocked };
        let state = if passes { State::Passes } else { State::Fills };
        ways[way] = Way { state, line, data: [0; WORDS] };
        Found::Miss
    }

    /// A store takes its line out.
    pub fn store(&mut self, line: usize) {
        let set = self.set_of(line);
        for way in &mut self.sets[set] {
            if way.line == line && way.state == State::Valid {
                way.state = State::Invalid;
            }
        }
    }

    /// The cycle ends.
    pub fn end(&mut self, sweep: bool) {
        let idle = !std::mem::take(&mut self.tag_busy);
        // A lookup has the tags at most every second cycle, as its caller sees to.
        let steps = sweep && idle && self.keeps(Weakness::NoSweep);
        let untouched = self.touched.iter().position(|touched| !touched);
        if let Some(set) = untouched.filter(|_| steps) {
            self.invalidate(set);
            self.touched[set] = true;
        }
        if self.begins && self.keeps(Weakness::TouchedKept) {
            self.touched = [false; SETS];
        }
    }

    /// Somebody outside has written.
    pub fn flash(&mut self) {
        for way in self.sets.as_flattened_mut() {
            if way.state == State::Valid {
                way.state = State::Invalid;
            }
        }
        if self.keeps(Weakness::FlashWithoutDemotion) {
            self.demote(true);
        }
    }

    /// What loads may hit.
    pub fn valid(&self) -> impl Iterator<Item = (usize, &Line)> {
        let ways = self.sets.as_flattened().iter();
        ways.filter(|way| way.state == State::Valid).map(|way| (way.line, &way.data))
    }
}
