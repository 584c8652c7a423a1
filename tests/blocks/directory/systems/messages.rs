//! Messages between GPUs and homes.

use crate::directory::systems::words::{Data, Word, Write};

/// From a GPU to a home; the reads, writes, atomics and fences of one GPU in one FIFO (rule 6).
#[derive(Clone, Copy, Debug)]
pub struct Request {
    pub gpu: usize,
    /// Whom a local read, an atomic or a release is answered.
    pub thread: usize,
    pub what: What,
}

#[derive(Clone, Copy, Debug)]
pub enum What {
    /// Another GPU gets the line, a thread of the home the word.
    Read(Word),
    /// Of the words in the mask.
    Write { line: usize, mask: u8, write: Write },
    /// `waits`: the thread goes on when it has the reply.
    Atomic { word: Word, write: Write, waits: bool },
    /// Part of the release of the thread.
    Fence,
    /// The home's own wish.
    Evict { line: usize },
}

impl What {
    /// The line; none for a fence.
    pub fn line(self) -> Option<usize> {
        match self {
            Self::Read(word) | Self::Atomic { word, .. } => Some(word.line()),
            Self::Write { line, .. } | Self::Evict { line } => Some(line),
            Self::Fence => None,
        }
    }

    pub fn is_read(self) -> bool {
        matches!(self, Self::Read(_))
    }
}

/// What an atomic has done.
#[derive(Clone, Copy, Debug)]
pub struct Reply {
    pub word: Word,
    pub old: Write,
    pub write: Write,
    pub waits: bool,
}

/// From a home to a GPU, all in one FIFO (rules 2 and 6).
#[derive(Clone, Copy, Debug)]
pub enum Message {
    Fill {
        line: usize,
        data: Data,
    },
    Inv {
        line: usize,
    },
    /// Of an atomic: what was there before.
    Reply {
        thread: usize,
        reply: Reply,
    },
    /// To be returned when all before it is done.
    Marker {
        home: usize,
        thread: usize,
    },
}

impl Message {
    /// The line; none for a marker, which concerns all.
    pub fn line(&self) -> Option<usize> {
        match *self {
            Self::Fill { line, .. } | Self::Inv { line } => Some(line),
            Self::Reply { reply, .. } => Some(reply.word.line()),
            Self::Marker { .. } => None,
        }
    }
}

/// Steps of a release that need no order.
#[derive(Clone, Copy, Debug)]
pub enum Token {
    /// A marker on its way back.
    Returned { home: usize, thread: usize },
    /// The home's answer: all its markers are back.
    Released { thread: usize },
}
