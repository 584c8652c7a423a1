//! Names of requests to the race detection unit (specification 5.7 U3).

use crate::cache::Way;

/// Names that an answer can bear.
const IDS: usize = 256;

/// What a request is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum About {
    #[default]
    Nothing,
    /// The line of this miss register.
    Miss(u16),
    /// The hits of the line at this address, which was in this way.
    Check(Way, u64),
    /// A store or an atomic: over when both the unit and the L2 have answered, in any order.
    Write { half_over: bool },
}

/// Names in use, each until its access is complete.
#[derive(Debug)]
pub struct Ids {
    about: Vec<About>,
    free: Vec<u8>,
    /// Of transactions that are stores or atomics, by tag.
    of_write: Vec<u8>,
}

impl Ids {
    /// For tags below `tags`.
    pub fn new(tags: u32) -> Self {
        Self {
            about: vec![About::Nothing; IDS],
            free: (0..=u8::MAX).rev().collect(),
            of_write: vec![0; tags as usize],
        }
    }

    /// True when all are in use.
    pub fn is_full(&self) -> bool {
        self.free.is_empty()
    }

    /// True when none is.
    pub fn is_idle(&self) -> bool {
        self.free.len() == IDS
    }

    /// Takes one; one must be free.
    pub fn take(&mut self, about: About) -> u8 {
        let id = self.free.pop().expect("a name is free");
        self.about[usize::from(id)] = about;
        id
    }

    /// The name of the transaction `tag`, a store or an atomic.
    pub fn take_write(&mut self, tag: u32) -> u8 {
        let id = self.take(About::Write { half_over: false });
        self.of_write[tag as usize] = id;
        id
    }

    /// What a request is about.
    pub fn about(&self, id: u8) -> About {
        self.about[usize::from(id)]
    }

    /// Its access is complete.
    pub fn give(&mut self, id: u8) {
        self.about[usize::from(id)] = About::Nothing;
        self.free.push(id);
    }

    /// The unit or the L2 has answered a store or an atomic.
    pub fn half_over(&mut self, id: u8) {
        match &mut self.about[usize::from(id)] {
            About::Write { half_over } if !*half_over => *half_over = true,
            About::Write { .. } => self.give(id),
            about => unreachable!("{about:?} is no write"),
        }
    }

    /// The L2 has answered the transaction `tag`.
    pub fn answered(&mut self, tag: u32) {
        self.half_over(self.of_write[tag as usize]);
    }
}
