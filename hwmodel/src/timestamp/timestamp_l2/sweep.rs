//! All leases restart, one set in a cycle (specification 5.5).

/// Which set comes next.
#[derive(Clone, Debug, Default, Hash)]
pub(super) struct Sweep {
    /// `rst_i` of the cycle before.
    pub rst: bool,
    set: usize,
    /// All sets are written.
    pub done: bool,
}

/// What a cycle of it does.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub first: bool,
    pub set: usize,
}

impl Sweep {
    /// A cycle with this `rst_i`. `sets` are all of them.
    #[inline(always)]
    pub fn tick(&mut self, rst: bool, sets: usize) -> Option<Step> {
        let first = rst && !self.rst;
        self.rst = rst;
        if first {
            self.set = 0;
        }
        let step = (rst && !self.done).then_some(Step { first, set: self.set });
        self.set += usize::from(step.is_some());
        self.done = rst && (self.done || self.set == sets);
        step
    }

    /// A cycle with this `rst_i` changes nothing.
    #[inline(always)]
    pub fn waits(&self, rst: bool) -> bool {
        self.rst == rst && self.done == rst
    }
}
