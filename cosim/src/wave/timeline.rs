//! The clocks of a waveform, and the order of what changes in them.
//!
//! Cycle n of a clock of M MHz begins at n / M us, to the picosecond; its values stand from then
//! on, and the rising edge that ends it is half a cycle later. The clocks run from the first cycle
//! in the file to the last, also where the blocks that they drive are left alone because nothing
//! happens in them.

use std::collections::BTreeMap;
use std::io;

use super::sink::Sink;

/// A clock that blocks of the file have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Name of its signal.
    pub name: String,
    /// Frequency.
    pub megahertz: u32,
}

/// Picoseconds at which a cycle begins.
fn start(clock: &Clock, cycle: u64) -> u64 {
    (u128::from(cycle) * 1_000_000 / u128::from(clock.megahertz)) as u64
}

/// An edge, by its number from the beginning of cycle 0: even ones fall.
fn edge(clock: &Clock, number: u64) -> u64 {
    let (from, to) = (start(clock, number / 2), start(clock, number / 2 + 1));
    if number.is_multiple_of(2) { from } else { from + (to - from) / 2 }
}

/// The unit of time for these clocks: the coarsest in which all their edges are exact, or a
/// picosecond. As a power of 10 of a second, at most a nanosecond.
pub fn exponent(clocks: &[Clock]) -> i8 {
    // Two cycles of M MHz have 2 000 000 / M ps.
    let exact = |unit: u64| {
        clocks.iter().all(|c| 1_000_000u64.is_multiple_of(2 * u64::from(c.megahertz) * unit))
    };
    [(1000, -9), (100, -10), (10, -11)]
        .into_iter()
        .find_map(|(unit, exponent)| exact(unit).then_some(exponent))
        .unwrap_or(-12)
}

/// A signal and its new bits.
type Change = (usize, Vec<u8>);

/// What is still to be written, by time.
#[derive(Default)]
pub struct Timeline {
    clocks: Vec<Clock>,
    /// Signal of each clock.
    signals: Vec<usize>,
    /// The next edge of each clock, once the file has begun.
    edges: Option<Vec<u64>>,
    /// When the file begins.
    begin: u64,
    /// Picoseconds of a unit of time.
    unit: u64,
    /// Changes, by their picosecond.
    waiting: BTreeMap<u64, Vec<Change>>,
    /// Nothing that comes is earlier than the last cycle by more.
    slack: u64,
    /// When the last cycle that came ends with its rising edge.
    end: u64,
    /// Times that were written first and last.
    first: Option<u64>,
    written: Option<u64>,
}

impl Timeline {
    /// For clocks with these signals.
    pub fn new(clocks: Vec<Clock>, signals: Vec<usize>) -> Self {
        let unit = 10u64.pow((exponent(&clocks) + 12) as u32);
        let slack = clocks.iter().map(|clock| 2 * start(clock, 1)).max().unwrap_or(0);
        Self { clocks, signals, unit, slack, ..Self::default() }
    }

    /// The time at which a cycle of a clock begins, in units.
    pub fn time(&self, clock: usize, cycle: u64) -> u64 {
        start(&self.clocks[clock], cycle) / self.unit
    }

    /// The time of the first change, in units; `None` while there is none.
    pub fn first(&self) -> Option<u64> {
        self.first
    }

    /// Takes the changes at the beginning of a cycle, and writes what nothing can come before any
    /// more.
    pub fn cycle(
        &mut self,
        sink: &mut dyn Sink,
        clock: usize,
        cycle: u64,
        changes: Vec<Change>,
    ) -> io::Result<()> {
        let now = start(&self.clocks[clock], cycle);
        self.end = self.end.max(edge(&self.clocks[clock], 2 * cycle + 1));
        self.waiting.entry(now).or_default().extend(changes);
        self.write_before(sink, now.saturating_sub(self.slack))
    }

    /// Writes all that is left.
    pub fn finish(&mut self, sink: &mut dyn Sink) -> io::Result<()> {
        self.write_before(sink, self.end + 1)
    }

    fn write_before(&mut self, sink: &mut dyn Sink, limit: u64) -> io::Result<()> {
        let first = self.waiting.keys().next().copied().filter(|&first| first < limit);
        if let (None, Some(first)) = (&self.edges, first) {
            // The last edge that is not after the first change: it tells the clock's level then.
            let last = |clock: &Clock| {
                let cycle = u128::from(first) * u128::from(clock.megahertz) / 1_000_000;
                let from = 2 * cycle as u64;
                (from..).take_while(|&number| edge(clock, number) <= first).last().unwrap_or(from)
            };
            self.begin = first;
            self.edges = Some(self.clocks.iter().map(last).collect());
        }
        let Some(edges) = &mut self.edges else { return Ok(()) };
        let begin = self.begin;
        let next = |clock: &Clock, number: u64| edge(clock, number).max(begin);
        loop {
            let of_clocks =
                self.clocks.iter().zip(edges.iter()).map(|(c, &number)| next(c, number));
            let change = self.waiting.keys().next().copied();
            let Some(at) = of_clocks.chain(change).min().filter(|&at| at < limit) else {
                return Ok(());
            };
            // Two moments of one unit are one; a change that comes too late is not lost.
            let time = (at / self.unit).max(self.written.unwrap_or(0));
            if self.written != Some(time) {
                sink.time(time)?;
                self.first.get_or_insert(time);
                self.written = Some(time);
            }
            for ((clock, number), &signal) in
                self.clocks.iter().zip(edges.iter_mut()).zip(&self.signals)
            {
                if next(clock, *number) == at {
                    sink.change(signal, if *number % 2 == 0 { b"0" } else { b"1" })?;
                    *number += 1;
                }
            }
            for (signal, bits) in self.waiting.remove(&at).unwrap_or_default() {
                sink.change(signal, &bits)?;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use super::*;

    fn clock(megahertz: u32) -> Clock {
        Clock { name: format!("clk_{megahertz}"), megahertz }
    }

    #[test]
    fn unit_is_the_coarsest_that_is_exact() {
        assert_eq!(exponent(&[clock(100)]), -9);
        assert_eq!(exponent(&[clock(1000)]), -10);
        assert_eq!(exponent(&[clock(100), clock(1000)]), -10);
        assert_eq!(exponent(&[clock(1000), clock(1801)]), -12);
    }

    /// What a sink received: times, signals, bits.
    #[derive(Clone, Default)]
    struct Told(Rc<RefCell<Vec<(u64, usize, String)>>>, u64);

    impl Sink for Told {
        fn scope(&mut self, _: &str) -> io::Result<()> {
            Ok(())
        }
        fn upscope(&mut self) -> io::Result<()> {
            Ok(())
        }
        fn variable(&mut self, _: &str, _: u32, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn begin(&mut self) -> io::Result<()> {
            Ok(())
        }
        fn time(&mut self, time: u64) -> io::Result<()> {
            assert!(self.0.borrow().last().is_none_or(|(last, ..)| *last < time));
            self.1 = time;
            Ok(())
        }
        fn change(&mut self, signal: usize, bits: &[u8]) -> io::Result<()> {
            let bits = String::from_utf8_lossy(bits).into_owned();
            self.0.borrow_mut().push((self.1, signal, bits));
            Ok(())
        }
        fn finish(self: Box<Self>) -> io::Result<()> {
            Ok(())
        }
    }

    /// 1801 MHz and 1 GHz, cycles of both as a machine shows them: a link's cycle begins before the
    /// machine's in which it is ticked.
    #[test]
    fn changes_of_two_clocks_come_in_the_order_of_time() {
        let mut told = Told::default();
        let mut line = Timeline::new(vec![clock(1801), clock(1000)], vec![0, 1]);
        let bits = |n: u64| vec![(2, format!("{n}").into_bytes())];
        // The machine's cycle 9 begins at 4997 ps, its cycle 10 at 5552; a link's cycle 5 at 5000.
        line.cycle(&mut told, 0, 9, bits(9)).unwrap();
        line.cycle(&mut told, 0, 10, bits(10)).unwrap();
        line.cycle(&mut told, 1, 5, bits(5)).unwrap();
        line.cycle(&mut told, 0, 20, bits(20)).unwrap();
        line.finish(&mut told).unwrap();
        let all = told.0.take();
        let of = |signal: usize| -> Vec<(u64, &str)> {
            let found = all.iter().filter(|(_, s, _)| *s == signal);
            found.map(|(time, _, bits)| (*time, bits.as_str())).collect()
        };
        assert_eq!(of(2), [(4997, "9"), (5000, "5"), (5552, "10"), (11_104, "20")]);
        // Both clocks run to the end, even without cycles.
        assert_eq!(of(0)[..3], [(4997, "0"), (5274, "1"), (5552, "0")]);
        assert_eq!(of(0).last(), Some(&(11_382, "1")));
        assert_eq!(of(1)[..4], [(4997, "1"), (5000, "0"), (5500, "1"), (6000, "0")]);
        assert_eq!(of(1).last(), Some(&(11_000, "0")));
    }
}
