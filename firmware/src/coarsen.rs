//! Records and entries are merged where they overlap, and where there are too many (specification
//! 5.1, 5.4).

use crate::config::Config;
use crate::labels::Records;
use crate::record::TooLong;

impl Records {
    /// First and last line of a record, from address 0.
    pub fn extent(&self, at: usize, config: &Config) -> (u64, u64) {
        self.list[at].extent(config.chiplets, config.page_shift).unwrap_or_default()
    }

    fn sort(&mut self, config: &Config) {
        for i in 1..self.len {
            let mut at = i;
            while at > 0 && self.extent(at - 1, config).0 > self.extent(at, config).0 {
                self.list.swap(at - 1, at);
                at -= 1;
            }
        }
    }

    /// Each lies behind the one before, as in most programs.
    fn are_separate(&self, config: &Config) -> bool {
        let mut last = None;
        (0..self.len).all(|at| {
            let (first, end) = self.extent(at, config);
            let is_behind = last.is_none_or(|last| first > last);
            last = Some(end);
            is_behind
        })
    }

    /// Joins a record and the one behind it.
    pub fn join_next(&mut self, at: usize, config: &Config) -> Result<(), TooLong> {
        let next = self.list[at + 1];
        self.list[at].join(&next, config.chiplets, config.page_shift)?;
        self.remove(at + 1);
        Ok(())
    }

    /// Sorts by address and joins what overlaps.
    pub fn separate(&mut self, config: &Config) -> Result<(), TooLong> {
        if self.are_separate(config) {
            return Ok(());
        }
        self.sort(config);
        let mut at = 0;
        while at + 1 < self.len {
            if self.extent(at, config).1 >= self.extent(at + 1, config).0 {
                self.join_next(at, config)?;
            } else {
                at += 1;
            }
        }
        Ok(())
    }

    /// Joins neighbours, the nearest first, until there are at most `most`. Gives the number of
    /// joins.
    pub fn coarsen(&mut self, most: usize, config: &Config) -> Result<u32, TooLong> {
        let mut joins = 0;
        while self.len > most {
            let gap = |at: usize| self.extent(at + 1, config).0 - self.extent(at, config).1;
            let nearest = (0..self.len - 1).min_by_key(|&at| gap(at));
            self.join_next(nearest.unwrap_or(0), config)?;
            joins += 1;
        }
        Ok(joins)
    }
}
