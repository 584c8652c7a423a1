//! The last events of each line, for the report of a failure.

use std::collections::VecDeque;
use std::fmt;

use crate::directory::systems::words::{Word, Write};

/// Events that are kept of a line.
const KEPT: usize = 24;

#[derive(Clone, Copy, Debug)]
pub enum Detail {
    None,
    Is(Word, Write),
    Wrote(u8, Write),
    /// Of the directory's requests.
    Number(u64),
}

#[derive(Clone, Copy, Debug)]
struct Event {
    step: u64,
    gpu: usize,
    what: &'static str,
    detail: Detail,
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { step, gpu, what, detail } = self;
        write!(f, "step {step}: GPU {gpu}: {what}")?;
        match detail {
            Detail::None => Ok(()),
            Detail::Is(word, write) => write!(f, " word {} = write {}", word.at(), write.0),
            Detail::Wrote(mask, write) => write!(f, " words {mask:#06b} = write {}", write.0),
            Detail::Number(number) => write!(f, ", request {number}"),
        }
    }
}

pub struct Log {
    pub step: u64,
    lines: Vec<VecDeque<Event>>,
}

impl Log {
    pub fn new(lines: usize) -> Self {
        Self { step: 0, lines: vec![VecDeque::with_capacity(KEPT); lines] }
    }

    pub fn note(&mut self, line: usize, gpu: usize, what: &'static str, detail: Detail) {
        let events = &mut self.lines[line];
        if events.len() == KEPT {
            events.pop_front();
        }
        events.push_back(Event { step: self.step, gpu, what, detail });
    }

    /// Those of a line, one a row.
    pub fn of(&self, line: usize) -> String {
        self.lines[line].iter().map(|event| format!("  {event}\n")).collect()
    }
}
