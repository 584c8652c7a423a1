//! The values of counters on their way from the parts into sums.

use crate::context::message::{CLASSES, Class};

/// A value with its name.
#[derive(Clone, Copy, Debug)]
pub struct Named {
    /// The first piece of the name, which ends in a dot, and the second.
    pub name: [&'static str; 2],
    #[cfg_attr(not(test), expect(dead_code, reason = "tests compare it with the sums"))]
    pub value: u64,
    /// Bytes of a class.
    pub is_of_class: bool,
}

/// Takes the values of counters, which a part always gives in the same order. The first time it
/// keeps their names. From then on it has a sum for each value, and drops the names.
#[derive(Debug, Default)]
pub struct CounterValues {
    owner: &'static str,
    sums: Vec<u64>,
    /// The sum to which the next value belongs.
    next: usize,
    /// Values for which there is no sum.
    named: Vec<Named>,
}

impl CounterValues {
    /// Sums for parts that give this many values, all 0.
    pub(super) fn begin_sums(&mut self, values: usize) {
        self.sums.clear();
        self.sums.resize(values, 0);
        self.begin_part();
    }

    /// Another part gives its values.
    pub(super) fn begin_part(&mut self) {
        self.next = 0;
    }

    /// The sums; each has got a value of the last part.
    pub(super) fn sums(&self) -> &[u64] {
        let is_whole = self.next == self.sums.len() && self.named.is_empty();
        assert!(is_whole, "a part gives all values that it has named");
        &self.sums
    }

    /// The values of a part that has given none before.
    pub(super) fn take_named(&mut self) -> Vec<Named> {
        std::mem::take(&mut self.named)
    }

    /// Names of the values that follow are this piece and their own.
    #[inline(always)]
    pub(super) fn owner(&mut self, owner: &'static str) -> &mut Self {
        self.owner = owner;
        self
    }

    /// A value with its name.
    #[inline(always)]
    pub fn push(&mut self, value: (&'static str, u64)) {
        self.extend([value]);
    }

    /// Values with their names.
    #[inline(always)]
    pub fn extend<const N: usize>(&mut self, values: [(&'static str, u64); N]) {
        match self.sums.get_mut(self.next..self.next + N) {
            Some(sums) => {
                self.next += N;
                sums.iter_mut().zip(values).for_each(|(sum, (_, value))| *sum += value);
            }
            // A copy, so that the usual case above needs no array.
            None => self.name(&values.map(|(name, value)| (name, value)), false),
        }
    }

    /// Bytes by class.
    pub(super) fn push_classes(&mut self, bytes: &[u64; CLASSES]) {
        let values = Class::ALL.map(|class| (class.name(), bytes[class as usize]));
        match self.sums.is_empty() {
            true => self.name(&values, true),
            false => self.extend(values),
        }
    }

    #[cold]
    fn name(&mut self, values: &[(&'static str, u64)], is_of_class: bool) {
        let named = |&(name, value)| Named { name: [self.owner, name], value, is_of_class };
        self.named.extend(values.iter().map(named));
    }
}
