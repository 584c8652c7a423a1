//! Loads of each wave that have not acted, in program order, and whose turn it is to be looked up
//! (specification 5.7 U1).

use std::collections::VecDeque;

use crate::context::message::Message;
use crate::context::transactions::MAX_WAVES;
use crate::engine::pool::Handle;

/// Loads by wave. Only a wave's oldest is looked up.
#[derive(Debug)]
pub struct Waves {
    queues: Vec<VecDeque<Handle<Message>>>,
    /// Waves whose oldest load is to be looked up, one bit each.
    ready: u64,
    /// Those that become ready at the end of the cycle.
    next: u64,
    /// Those whose oldest load could not act, and waits until something has changed.
    blocked: u64,
    turn: u32,
    /// Those whose oldest load is known to be of a line that is neither held nor fetched, and the
    /// line of each.
    absent: u64,
    lines: Vec<u64>,
}

impl Waves {
    pub fn new() -> Self {
        let queues = vec![VecDeque::new(); MAX_WAVES];
        let lines = vec![0; MAX_WAVES];
        Self { queues, ready: 0, next: 0, blocked: 0, turn: 0, absent: 0, lines }
    }

    /// A wave has loads that have not acted.
    pub fn has(&self, wave: usize) -> bool {
        !self.queues[wave].is_empty()
    }

    /// A load comes.
    pub fn push(&mut self, wave: usize, request: Handle<Message>) {
        if self.queues[wave].is_empty() {
            self.ready |= 1 << wave;
        }
        self.queues[wave].push_back(request);
    }

    /// A wave's oldest.
    pub fn oldest(&self, wave: usize) -> Handle<Message> {
        self.queues[wave][0]
    }

    /// Some wave's oldest load can be looked up.
    pub fn any_ready(&self) -> bool {
        self.ready != 0
    }

    /// The wave whose turn it is.
    pub fn take_turn(&mut self) -> Option<usize> {
        let after = self.ready & u64::MAX << self.turn;
        let from = if after != 0 { after } else { self.ready };
        if from == 0 {
            return None;
        }
        let wave = from.trailing_zeros();
        self.ready &= !(1 << wave);
        self.turn = (wave + 1) % MAX_WAVES as u32;
        Some(wave as usize)
    }

    /// A wave's oldest load has acted.
    pub fn acted(&mut self, wave: usize) {
        self.absent &= !(1 << wave);
        self.queues[wave].pop_front();
        if !self.queues[wave].is_empty() {
            self.ready |= 1 << wave;
        }
    }

    /// It could not act, and is looked up again when something has changed.
    pub fn block(&mut self, wave: usize) {
        self.blocked |= 1 << wave;
    }

    /// Something has changed.
    pub fn unblock(&mut self) {
        self.ready |= std::mem::take(&mut self.blocked);
    }

    /// A wave's oldest load is of line `addr`, which is neither held nor fetched.
    pub fn misses(&mut self, wave: usize, addr: u64) {
        self.absent |= 1 << wave;
        self.lines[wave] = addr;
    }

    /// Whether that is known of it.
    pub fn is_known_to_miss(&self, wave: usize) -> bool {
        self.absent >> wave & 1 == 1
    }

    /// A line is fetched from now on.
    pub fn fetched(&mut self, addr: u64) {
        let mut left = self.absent;
        while left != 0 {
            let wave = left.trailing_zeros();
            left &= left - 1;
            self.absent &= !(u64::from(self.lines[wave as usize] == addr) << wave);
        }
    }

    /// The next wave in turn of which it is not known that its oldest load misses, and how many
    /// others are looked up before; none where there is no such wave.
    pub fn next_unknown(&self) -> Option<(usize, u32)> {
        let in_turn = |waves: u64| waves.rotate_right(self.turn);
        let unknown = in_turn(self.ready & !self.absent);
        if unknown == 0 {
            return None;
        }
        let place = unknown.trailing_zeros();
        let before = in_turn(self.ready) & ((1 << place) - 1);
        Some(((place + self.turn) as usize % MAX_WAVES, before.count_ones()))
    }

    /// These waves' oldest loads are looked up again from the next cycle on.
    pub fn again(&mut self, waves: u64) {
        self.next |= waves;
    }

    /// The cycle ends.
    pub fn end_cycle(&mut self) {
        self.ready |= std::mem::take(&mut self.next);
    }

    /// The wave goes back: what has not acted has no owner.
    pub fn drop_all(&mut self, wave: usize, into: &mut Vec<Handle<Message>>) {
        into.extend(self.queues[wave].drain(..));
        for waves in [&mut self.ready, &mut self.next, &mut self.blocked, &mut self.absent] {
            *waves &= !(1 << wave);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waves_of_which_it_is_known_that_they_miss_are_looked_up_before_the_next_other_one() {
        let mut waves = Waves::new();
        for wave in [3, 10, 50] {
            waves.push(wave, Handle::NONE);
        }
        assert_eq!(waves.next_unknown(), Some((3, 0)));
        waves.misses(3, 64);
        assert_eq!(waves.next_unknown(), Some((10, 1)));
        waves.misses(10, 128);
        waves.misses(50, 64);
        assert_eq!(waves.next_unknown(), None);
        waves.fetched(64);
        assert_eq!(waves.next_unknown(), Some((3, 0)));
        // Behind wave 10 the turn is that of 50, then of 3.
        assert_eq!([(); 2].map(|()| waves.take_turn()), [Some(3), Some(10)]);
        waves.block(3);
        waves.unblock();
        assert_eq!(waves.next_unknown(), Some((50, 0)));
        waves.misses(50, 0);
        assert_eq!(waves.next_unknown(), Some((3, 1)));
        // Another load is its oldest then.
        waves.acted(50);
        assert!(waves.is_known_to_miss(10) && !waves.is_known_to_miss(50));
    }
}
