//! A FIFO with a latency, for tests of extension points (`rtl/common/test_queue/README.md`
//! has the cycle rules).

use std::collections::VecDeque;

use ports::common::test_queue::{Config, In, Item, Out};
use ports::{ConfigError, Parameters};

use crate::block::{Block, Model};
use crate::state::{State, width_of};

/// The items that are held.
#[derive(Clone, Debug)]
pub struct TestQueue {
    config: Config,
    now: u64,
    /// Oldest first, with the first cycle in which each may leave.
    items: VecDeque<(u64, Item)>,
    /// Place of the oldest among the RTL's.
    head: u32,
}

impl Block for TestQueue {
    type In = In;
    type Out = Out;

    fn outputs(&self) -> Out {
        let oldest = self.items.front().filter(|(due, _)| *due <= self.now);
        Out {
            item_ready: self.items.len() < self.config.depth as usize,
            done: oldest.map(|(_, item)| *item),
        }
    }

    fn tick(&mut self, inputs: &In) -> Out {
        let out = self.outputs();
        if out.done.is_some() && inputs.done_ready {
            self.items.pop_front();
            self.head = (self.head + 1) % self.config.depth;
        }
        if let Some(item) = inputs.item.filter(|_| out.item_ready) {
            self.items.push_back((self.now + u64::from(self.config.latency), item));
        }
        self.now += 1;
        out
    }

    fn is_idle(&self) -> bool {
        self.items.is_empty()
    }

    fn quiet_cycles(&self) -> u64 {
        self.items.front().map_or(u64::MAX, |(due, _)| due.saturating_sub(self.now))
    }

    fn skip_quiet(&mut self, cycles: u64) {
        self.now += cycles;
    }

    fn show_state(&self, state: &mut State) {
        state.bits("head", width_of(u64::from(self.config.depth)).max(1), self.head);
        state.bits("count", 5, self.items.len() as u32);
    }
}

impl Model for TestQueue {
    const NAME: &'static str = "test_queue";
    type Config = Config;

    fn new(config: &Config) -> Result<Self, ConfigError> {
        config.validate()?;
        let items = VecDeque::with_capacity(config.depth as usize);
        Ok(Self { config: config.clone(), now: 0, items, head: 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(id: u16) -> In {
        In { item: Some(Item { id }), done_ready: false }
    }

    #[test]
    fn an_item_is_seen_its_latency_after_it_was_taken() {
        let mut queue = TestQueue::new(&Config { depth: 2, latency: 3 }).unwrap();
        assert_eq!(queue.tick(&item(7)), Out { item_ready: true, done: None });
        assert_eq!(queue.quiet_cycles(), 2);
        assert_eq!(queue.tick(&item(8)), Out { item_ready: true, done: None });
        assert_eq!(queue.tick(&item(9)), Out { item_ready: false, done: None });
        let take = In { item: None, done_ready: true };
        let seen: Vec<_> = (0..3).map(|_| queue.tick(&take).done.map(|item| item.id)).collect();
        assert_eq!(seen, [Some(7), Some(8), None], "9 was not taken");
    }
}
