//! All writes, each one's place in the order of its home, and what its thread had released before
//! it.

use std::rc::Rc;

use crate::directory::systems::words::{Word, Write};

/// What a release has made visible: a reader of a later write of the thread knows it.
#[derive(Debug)]
pub struct Published {
    pub thread: usize,
    /// Number of the release among those of the thread, from 1.
    pub number: u64,
    /// By word: the newest write that the thread had seen or made.
    pub known: Vec<Write>,
    /// What the thread itself wrote since its release before.
    pub recent: Vec<Word>,
}

#[derive(Debug)]
struct Info {
    gpu: usize,
    /// Requests that the home's directory accepted before, once it is one of them.
    order: Option<u64>,
    published: Option<Rc<Published>>,
}

#[derive(Debug)]
pub struct History(Vec<Info>);

impl History {
    pub fn new() -> Self {
        Self(vec![Info { gpu: 0, order: Some(0), published: None }])
    }

    /// A new write, which its home has not seen yet.
    pub fn issue(&mut self, gpu: usize, published: Option<Rc<Published>>) -> Write {
        self.0.push(Info { gpu, order: None, published });
        Write(self.0.len() as u32 - 1)
    }

    /// The home's directory accepted the write after `number` other requests.
    pub fn order(&mut self, write: Write, number: u64) {
        // The value at the start is older than request 0.
        self.0[write.0 as usize].order = Some(number + 1);
    }

    pub fn published(&self, write: Write) -> Option<&Rc<Published>> {
        self.0[write.0 as usize].published.as_ref()
    }

    /// Whether `a` is surely older than `b`; both wrote the same word. What its home has not seen
    /// yet comes after what it has, and writes of one GPU reach it in the order of their numbers.
    pub fn older(&self, a: Write, b: Write) -> bool {
        let (first, second) = (&self.0[a.0 as usize], &self.0[b.0 as usize]);
        match (first.order, second.order) {
            (Some(first), Some(second)) => first < second,
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (None, None) => first.gpu == second.gpu && a.0 < b.0,
        }
    }
}
