//! The driver of a block's inputs: phases, long times and the pacing of channels.

use hwmodel::{Block, Model};

use super::{Count, Phase, Random, Reached, Statics, Stimulus};

/// Parameters of a stimulus's block.
pub type ConfigOf<S> = <<S as Stimulus>::Model as Model>::Config;
/// Inputs of a stimulus's block.
pub type InOf<S> = <<S as Stimulus>::Model as Block>::In;
/// Outputs of a stimulus's block.
pub type OutOf<S> = <<S as Stimulus>::Model as Block>::Out;

/// Cycles of a long time: enough to wrap a counter of 16 bits.
pub const LONG: u64 = 70_000;
/// Least cycles of an episode behind its long time.
const BEHIND: u64 = 200;

/// What a stimulus draws from and counts with.
pub struct Driver<S: Stimulus> {
    /// Parameters of the block.
    pub config: ConfigOf<S>,
    /// Static inputs that are fixed.
    pub statics: Statics,
    /// Seed of the run.
    pub seed: u64,
    /// The source of all choices.
    pub random: Random,
    /// What the current phase has drawn.
    pub phase: S::Phase,
    /// What the run has reached.
    pub seen: S::Seen,
    /// Inputs of the cycle before, of which none is valid in the first cycle after a reset.
    pub last: InOf<S>,
    /// Outputs of the cycle before.
    pub before: OutOf<S>,
    /// Episodes before this one.
    pub episode: u64,
    /// Cycles of this episode.
    pub length: u64,
    /// Cycles of this episode before this one.
    pub cycle: u64,
    /// Number of this cycle in the episode's long time, which has [`LONG`] cycles.
    pub long: Option<u64>,
    /// Long times up to this episode, counted from the seed: what fills one depends on its number.
    pub long_times: u64,
    /// Cycle in which the long time begins.
    long_from: Option<u64>,
}

impl<S: Stimulus> Driver<S> {
    fn new(config: &ConfigOf<S>, statics: &Statics, seed: u64) -> Self {
        Self {
            config: config.clone(),
            statics: statics.clone(),
            seed,
            random: Random::new(seed),
            phase: S::Phase::default(),
            seen: S::Seen::default(),
            last: InOf::<S>::default(),
            before: OutOf::<S>::default(),
            episode: 0,
            length: 0,
            cycle: 0,
            long: None,
            long_times: seed,
            long_from: None,
        }
    }

    fn reset(&mut self, cycles: u64) {
        *self.phase.left() = 0;
        (self.last, self.before) = (InOf::<S>::default(), OutOf::<S>::default());
        (self.episode, self.length, self.cycle) = (self.episode + 1, cycles, 0);
        let room = cycles.saturating_sub(LONG + BEHIND);
        self.long_from = (room > 0).then(|| self.random.word() % room);
        self.long_times += u64::from(self.has_long_time());
    }

    /// Whether the episode has a long time.
    pub fn has_long_time(&self) -> bool {
        self.long_from.is_some()
    }

    /// The item of a channel: the one that was shown and not accepted in the cycle before, else,
    /// with this chance, the next.
    pub fn offer<T>(
        &mut self,
        shown: Option<T>,
        accepted: bool,
        chance: u32,
        next: impl FnOnce(&mut Self) -> T,
    ) -> Option<T> {
        stalled(shown, accepted).or_else(|| self.random.chance(chance).then(|| next(self)))
    }

    /// The item of a channel that may be withdrawn: the one that was not accepted, with this
    /// chance.
    pub fn retry<T>(&mut self, shown: Option<T>, accepted: bool, again: u32) -> Option<T> {
        stalled(shown, accepted).filter(|_| self.random.chance(again))
    }

    /// A bit for each of `lanes`, each with its chance.
    pub fn bits(&mut self, lanes: u32, chance: impl Fn(&S::Phase, u32) -> u32) -> u32 {
        let Self { random, phase, .. } = self;
        (0..lanes)
            .fold(0, |bits, lane| bits | u32::from(random.chance(chance(phase, lane))) << lane)
    }

    /// With this chance one of the kinds of phases that lead to rows which are not reached yet.
    pub fn towards<K: Copy>(&mut self, chance: u32, kind: impl Fn(&str) -> Option<K>) -> Option<K> {
        let missing = |&(row, count): &Count| count == 0 && S::can_reach(self, row);
        let rows = self.seen.rows().into_iter().filter(missing);
        let kinds: Vec<_> = rows.filter_map(|(row, _)| kind(row)).collect();
        (!kinds.is_empty() && self.random.chance(chance)).then(|| self.random.pick(&kinds))
    }
}

/// The item of a channel that was shown and not accepted: it stays.
pub fn stalled<T>(shown: Option<T>, accepted: bool) -> Option<T> {
    shown.filter(|_| !accepted)
}

/// Counts a cycle of a channel, a transfer or a stall. Returns the item that is transferred.
pub fn count<T>(shown: Option<T>, ready: bool, transfers: &mut u64, stalls: &mut u64) -> Option<T> {
    *(if ready { transfers } else { stalls }) += u64::from(shown.is_some());
    shown.filter(|_| ready)
}

/// A stimulus with its driver.
pub struct Driven<S: Stimulus> {
    stimulus: S,
    driver: Driver<S>,
}

impl<S: Stimulus> Driven<S> {
    pub(super) fn new(config: &ConfigOf<S>, statics: &Statics, seed: u64) -> Self {
        let mut driver = Driver::new(config, statics, seed);
        Self { stimulus: S::start(&mut driver), driver }
    }

    /// Starts over after a reset, for so many cycles. Counts go on.
    pub fn restart(&mut self, cycles: u64) {
        self.driver.reset(cycles);
        self.stimulus = S::start(&mut self.driver);
    }

    /// The inputs of a cycle in which the outputs are `out`.
    pub fn inputs(&mut self, out: &OutOf<S>) -> InOf<S> {
        let Self { stimulus, driver } = self;
        driver.long = driver
            .long_from
            .and_then(|from| driver.cycle.checked_sub(from))
            .filter(|cycle| *cycle < LONG);
        let long = driver.long == Some(0);
        if let Some(phase) = long.then(|| stimulus.long_phase(driver)).flatten() {
            driver.phase = phase;
        } else if *driver.phase.left() == 0 {
            driver.phase = stimulus.phase(driver);
        }
        *driver.phase.left() -= 1;
        let input = stimulus.inputs(driver, out);
        (driver.last, driver.before) = (input, *out);
        driver.cycle += 1;
        input
    }

    /// Whether a block with these parameters and static inputs can come to a row of the coverage,
    /// or can transfer on this channel.
    pub fn can_reach(&self, row: &str) -> bool {
        S::can_reach(&self.driver, row)
    }

    fn reachable(&self, mut counts: Vec<Count>) -> Vec<Count> {
        counts.retain(|(row, _)| self.can_reach(row));
        counts
    }

    /// Transfers on each channel that can have some.
    pub fn transfers(&self) -> Vec<Count> {
        self.reachable(self.driver.seen.transfers())
    }

    /// Every flush cause, back-pressure case, error code and kind, also those that were not
    /// reached.
    pub fn coverage(&self) -> Vec<Count> {
        self.reachable(self.driver.seen.rows())
    }
}
