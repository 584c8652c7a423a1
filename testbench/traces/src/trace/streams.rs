//! Which kernels of a program are ordered, and which may overlap.

/// Part of the chiplets that a stream runs on: of so many equal parts, this one. A machine with
/// fewer chiplets gives several streams the same ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// Number of the part, from 0.
    pub part: u8,
    /// Parts; 1: all chiplets.
    pub of: u8,
}

impl Bound {
    /// All chiplets.
    pub const ALL: Self = Self { part: 0, of: 1 };

    /// The chiplets, a bit for each of so many; at least one.
    pub fn chiplets(self, number: u16) -> u16 {
        let [part, of, number] = [self.part.into(), self.of.into(), u32::from(number)];
        let first = part * number / of;
        let end = ((part + 1) * number / of).max(first + 1);
        ((1u32 << end) - (1 << first)) as u16
    }
}

/// What has ended when a kernel begins: of each stream so many kernels.
pub type Clock = Vec<u32>;

/// Streams, each with what is ordered before the next thing that it does. Kernels of a stream are
/// in order; those of several are where one stream waits for another, or the host for all.
#[derive(Clone, Debug)]
pub struct Streams {
    /// Of each stream, its clock.
    clocks: Vec<Clock>,
}

impl Default for Streams {
    /// One: all kernels are in order.
    fn default() -> Self {
        Self::new(1)
    }
}

impl Streams {
    /// So many, at least 1.
    pub fn new(number: usize) -> Self {
        Self { clocks: vec![vec![0; number]; number] }
    }

    /// How many.
    pub fn number(&self) -> usize {
        self.clocks.len()
    }

    /// The place of a kernel's stream: where there is only one, all kernels are of it.
    pub fn place(&self, stream: u8) -> usize {
        if self.number() == 1 { 0 } else { stream.into() }
    }

    /// The next kernel of a stream, in the order of the program: what must have ended before it.
    /// Its own stream's count is its number there.
    pub fn launch(&mut self, stream: u8) -> Clock {
        let own = self.place(stream);
        let before = self.clocks[own].clone();
        self.clocks[own][own] += 1;
        before
    }

    /// What a stream does from here on waits for what another has done so far.
    pub fn wait(&mut self, stream: u8, of: u8) {
        let of = self.clocks[usize::from(of)].clone();
        let own = self.clocks[usize::from(stream)].iter_mut();
        own.zip(of).for_each(|(own, of)| *own = of.max(*own));
    }

    /// The host waits for all, and all that comes for the host.
    pub fn join(&mut self) {
        let launched: Clock = (0..self.number()).map(|at| self.clocks[at][at]).collect();
        self.clocks.iter_mut().for_each(|clock| clock.clone_from(&launched));
    }

    /// Whether nothing that comes may overlap with any kernel that was launched.
    pub fn are_joined(&self) -> bool {
        (0..self.number())
            .all(|at| self.clocks.iter().all(|clock| clock[at] == self.clocks[at][at]))
    }
}

/// Whether the kernel that is launched in the stream at this place, with this clock, has ended
/// before another one with the clock `later` begins.
pub fn is_before((place, clock): (usize, &Clock), later: &Clock) -> bool {
    clock[place] < later[place]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_overlap_until_one_waits_for_the_other() {
        let mut streams = Streams::new(3);
        let a = streams.launch(0);
        let b = streams.launch(1);
        assert!(!is_before((0, &a), &b) && !streams.are_joined());
        streams.wait(2, 1);
        let c = streams.launch(2);
        assert!(is_before((1, &b), &c) && !is_before((0, &a), &c));
        let d = streams.launch(1);
        assert!(is_before((1, &b), &d) && !is_before((2, &c), &d) && !is_before((1, &d), &c));
        // Waits are passed on.
        streams.wait(0, 2);
        let e = streams.launch(0);
        assert!(is_before((1, &b), &e) && is_before((2, &c), &e) && !is_before((1, &d), &e));
        streams.join();
        assert!(streams.are_joined());
        let f = streams.launch(1);
        assert!([(0, &a), (1, &d), (2, &c), (0, &e)].iter().all(|&before| is_before(before, &f)));
    }

    #[test]
    fn one_stream_is_always_in_order() {
        let mut streams = Streams::default();
        let (a, b) = (streams.launch(7), streams.launch(3));
        assert!(is_before((0, &a), &b) && streams.are_joined());
    }

    #[test]
    fn parts_of_chiplets_are_apart_where_there_are_enough() {
        let of = |of, number| (0..of).map(|part| Bound { part, of }.chiplets(number)).collect();
        let all: [Vec<u16>; 4] = [of(1, 16), of(2, 4), of(4, 7), of(4, 2)];
        assert_eq!(all[0], [0xffff]);
        assert_eq!(all[1], [0b0011, 0b1100]);
        assert_eq!(all[2], [0b0000001, 0b0000110, 0b0011000, 0b1100000]);
        assert_eq!(all[3], [0b01, 0b01, 0b10, 0b10]);
    }
}
