//! Lines that are fetched (specification 5.7 U6 to U8).

use crate::cache::{Waiters, Way};
use crate::check::sequential::Version;
use crate::context::Context;
use crate::context::message::{MAX_LINE, Message};
use crate::engine::pool::Handle;

/// A line on its way.
#[derive(Clone, Debug)]
pub struct Miss {
    pub way: Way,
    /// Name of its check.
    pub id: u8,
    /// Loads that get its data.
    pub waiters: Waiters,
    /// Waves whose next load looks it up again when it is complete, one bit each.
    pub waves: u64,
    /// Epoch of the check's header, once that is shown.
    pub header: Option<u8>,
    /// Its data have come.
    pub has_come: bool,
    /// It is not kept.
    pub no_install: bool,
    pub data: [u8; MAX_LINE],
    pub version: Version,
}

/// Those of an L1.
#[derive(Debug)]
pub struct Misses {
    all: Vec<Option<Miss>>,
    /// Their lines, side by side for look-ups.
    lines: Vec<u64>,
    used: u32,
}

/// What stands for a line where there is none.
const NO_LINE: u64 = u64::MAX;

impl Misses {
    /// At most so many.
    pub fn new(count: u32) -> Self {
        let count = count as usize;
        Self { all: vec![None; count], lines: vec![NO_LINE; count], used: 0 }
    }

    pub fn is_full(&self) -> bool {
        self.used as usize == self.all.len()
    }

    /// How many are pending, and at most.
    pub fn used(&self) -> (u32, u32) {
        (self.used, self.all.len() as u32)
    }

    pub fn is_idle(&self) -> bool {
        self.used == 0
    }

    /// The miss of a line.
    pub fn find(&self, addr: u64) -> Option<usize> {
        // All of them at once, without a branch: most lines are not here.
        let is_here = self.lines.iter().fold(false, |any, &line| any | (line == addr));
        is_here.then(|| self.lines.iter().position(|&line| line == addr)).flatten()
    }

    /// One starts; it must not be full. Gives its number.
    pub fn start(&mut self, addr: u64, way: Way) -> usize {
        let at = self.find(NO_LINE).expect("a register is free");
        self.used += 1;
        self.lines[at] = addr;
        self.all[at] = Some(Miss {
            way,
            id: 0,
            waiters: Waiters::default(),
            waves: 0,
            header: None,
            has_come: false,
            no_install: false,
            data: [0; MAX_LINE],
            version: Version::default(),
        });
        at
    }

    /// It is complete.
    pub fn end(&mut self, at: usize) -> Miss {
        self.used -= 1;
        self.lines[at] = NO_LINE;
        self.all[at].take().expect("it is pending")
    }

    /// Those that are pending.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Miss> {
        self.all.iter_mut().flatten()
    }

    /// A load waits for its data.
    pub fn park(&mut self, ctx: &mut Context, at: usize, request: Handle<Message>) {
        self[at].waiters.push(ctx, request);
    }
}

impl std::ops::Index<usize> for Misses {
    type Output = Miss;
    fn index(&self, at: usize) -> &Miss {
        self.all[at].as_ref().expect("it is pending")
    }
}

impl std::ops::IndexMut<usize> for Misses {
    fn index_mut(&mut self, at: usize) -> &mut Miss {
        self.all[at].as_mut().expect("it is pending")
    }
}
