//! Whose clock a wave has. The block has one for each wave slot, and knows of no barrier. What a
//! wave has learnt before a barrier the others of its work-group must not be too early for behind
//! it: they go on with the clock of the wave that is latest, and keep it.

use crate::check::timed::Time;

/// The clocks of a CU's waves.
#[derive(Debug)]
pub struct Clocks {
    /// By wave: the block's warp.
    of: Vec<u8>,
    /// By warp: the latest time that it is known to have reached.
    reached: Vec<Time>,
    /// Waves of which requests are under way that another clock times: of each the clock that it
    /// has when they are over.
    next: Vec<Option<u8>>,
}

impl Clocks {
    pub fn new(waves: usize) -> Self {
        let of = (0..waves as u8).collect();
        Self { of, reached: vec![(0, 0); waves], next: vec![None; waves] }
    }

    /// A wave starts.
    pub fn begin(&mut self, wave: usize) {
        (self.of[wave], self.next[wave]) = (wave as u8, None);
    }

    /// The warp of a wave, of which so many requests are under way. None: it has to wait for them.
    #[inline]
    pub fn of(&mut self, wave: usize, under_way: u16) -> Option<u8> {
        if let Some(next) = self.next[wave] {
            if under_way > 0 {
                return None;
            }
            let reached = |clock: u8| self.reached[usize::from(clock)];
            // What was under way may have come later than what the others have seen.
            if reached(next) >= reached(self.of[wave]) {
                self.of[wave] = next;
            }
            self.next[wave] = None;
        }
        Some(self.of[wave])
    }

    /// An access has a time.
    #[inline]
    pub fn reach(&mut self, warp: u8, time: Time) {
        let reached = &mut self.reached[usize::from(warp)];
        *reached = time.max(*reached);
    }

    /// Waves meet.
    pub fn join(&mut self, waves: u64) {
        let reached = |clock: u8| self.reached[usize::from(clock)];
        // The later one of those that it has and is to have.
        let clock = |wave: usize| {
            let (own, next) = (self.of[wave], self.next[wave].unwrap_or(self.of[wave]));
            if reached(next) >= reached(own) { next } else { own }
        };
        let clocks = super::bits(waves).map(clock);
        let Some(latest) = clocks.max_by_key(|&clock| reached(clock)) else { return };
        for wave in super::bits(waves) {
            if self.reached[usize::from(self.of[wave])] < self.reached[usize::from(latest)] {
                self.next[wave] = Some(latest);
            }
        }
    }
}
