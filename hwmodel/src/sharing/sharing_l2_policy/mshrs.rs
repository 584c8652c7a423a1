//! Owners of pending fills.

use ports::sharing::sharing_l2_policy::Config;

use crate::state::State;

/// Upper limit of MSHRs.
const MOST: usize = 64;

/// A pending fill.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mshr {
    pub used: bool,
    pub owner: u8,
    /// SF: more than one SM has accessed it.
    pub shared: bool,
}

/// All of them.
#[derive(Clone, Debug)]
pub struct Mshrs {
    all: [Mshr; MOST],
    count: u32,
}

impl Mshrs {
    pub fn new(config: &Config) -> Self {
        Self { all: [Mshr::default(); MOST], count: config.l2_mshr }
    }

    /// The bank has an MSHR of this number.
    pub fn has(&self, mshr: u8) -> bool {
        u32::from(mshr) < self.count
    }

    pub fn is_used(&self, mshr: u8) -> bool {
        self.has(mshr) && self.all[usize::from(mshr)].used
    }

    /// Its line is filled.
    pub fn free(&mut self, mshr: u8) -> Mshr {
        std::mem::take(&mut self.all[usize::from(mshr)])
    }

    /// Allocates it for a miss of an SM.
    pub fn take(&mut self, mshr: u8, owner: u8) {
        self.all[usize::from(mshr)] = Mshr { used: true, owner, shared: false };
    }

    /// A secondary miss of an SM, or of local data (`None`), which shares nothing. Returns whether
    /// the line is shared, and whether it became so.
    pub fn merge(&mut self, mshr: u8, by: Option<u8>) -> (bool, bool) {
        let Mshr { owner, shared, .. } = &mut self.all[usize::from(mshr)];
        let was_shared = *shared;
        *shared |= by.is_some_and(|sm| sm != *owner);
        (*shared, *shared && !was_shared)
    }

    pub fn show_state(&self, state: &mut State) {
        state.flags("used", self.all[..self.count as usize].iter().map(|mshr| mshr.used));
    }
}
