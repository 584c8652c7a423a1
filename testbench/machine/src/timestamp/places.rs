//! A policy beside an L1 (`sharing.l1`): it selects the way of a filled line, and is
//! notified of evictions.

use std::collections::VecDeque;

use ports::timestamp::types::{Ask, BusRsp, Event, Pick, Timestamp, event, rsp_op};

use crate::cache::{Choice, Way, Ways};
use crate::context::Context;
use crate::context::message::Message;
use crate::l1::L1Policy;
use crate::statistics::CounterValues;

/// Fetches of an L1 that may be under way: their names have 6 bits.
const FETCHES: usize = 64;

/// The policy, and what it is asked.
#[derive(Debug)]
pub struct Places {
    policy: Box<dyn L1Policy>,
    sets: u64,
    ways: u32,
    /// Of each fetch its line.
    asked: [u64; FETCHES],
    /// Lines that have come, oldest first, with what the bank said of them. The block has not asked
    /// about them, and need not.
    come: VecDeque<(u64, u8)>,
    /// The way that was picked, until its line is there.
    picked: Option<Way>,
}

impl Places {
    pub fn new(policy: Box<dyn L1Policy>, blocks: &Timestamp) -> Self {
        Self {
            policy,
            sets: blocks.l1_sets.into(),
            ways: blocks.l1_ways,
            asked: [0; FETCHES],
            come: VecDeque::with_capacity(FETCHES + 1),
            picked: None,
        }
    }

    /// The L1 asks for a line.
    pub fn fetch(&mut self, id: u8, line: u64) {
        self.asked[usize::from(id) % FETCHES] = line;
    }

    /// An answer comes.
    pub fn answer(&mut self, answer: &BusRsp, hint: u8) {
        if answer.op != rsp_op::FILL {
            return;
        }
        if self.come.len() == FETCHES {
            self.come.pop_front();
        }
        self.come.push_back((self.asked[usize::from(answer.id) % FETCHES], hint));
    }

    /// A cycle begins in which the block shows these. What the policy says, if it was asked.
    pub fn tick(
        &mut self,
        ctx: &mut Context,
        ask: Option<&Ask>,
        event: Option<&Event>,
    ) -> Option<Pick> {
        self.policy.tick(ctx);
        if let Some(event) = event {
            self.hear(ctx, event);
        }
        let Ask { line, ways: free, .. } = *ask?;
        let hint = self.hint(line);
        let first = (line % self.sets) as Way * self.ways;
        let ways = Ways { first, free: free.into() };
        let answer = Message { hint, ..Message::default() };
        let pick = match self.policy.choose(ctx, &answer, ways) {
            Choice::NotYet => return None,
            // A line with stores under way, or what is lent, may not go: the new one is not kept.
            Choice::Way(way) if ways.free >> (way - first) & 1 == 1 => {
                self.picked = Some(way);
                Pick { keep: true, way: (way - first) as u8 }
            }
            Choice::Way(_) | Choice::Nowhere => Pick::default(),
        };
        self.come.pop_front();
        Some(pick)
    }

    /// What the bank said of the line that the block asks about. Those before it need no way.
    fn hint(&mut self, line: u64) -> u8 {
        while self.come.front().is_some_and(|(come, _)| *come != line) {
            self.come.pop_front();
        }
        self.come.front().map_or(0, |(_, hint)| *hint)
    }

    fn hear(&mut self, ctx: &mut Context, Event { kind, way, line }: &Event) {
        let way = (line % self.sets) as Way * self.ways + Way::from(*way);
        match *kind {
            event::CAME if self.picked == Some(way) => self.picked = None,
            event::USED | event::CAME => self.policy.touch(ctx, way),
            event::GONE => self.policy.drop_line(ctx, way),
            _ => self.policy.drop_all(ctx),
        }
    }

    /// Of the policy.
    pub fn counters(&self, all: &mut CounterValues) {
        self.policy.counters(all);
    }
}
