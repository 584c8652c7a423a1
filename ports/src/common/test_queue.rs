//! Parameters and ports of the queue for tests (`rtl/common/test_queue/test_queue.sv`).

use crate::Limit::Range;
use crate::{ConfigError, Fields, Parameters, fields, message, ports};

fields! {
    /// Parameters, one for each RTL parameter.
    pub struct Config of Self {
        /// `Depth`: items that it holds.
        pub depth: u32 = Range(1, 16), "items", "for tests";
        /// `Latency`: cycles from an item's acceptance to its first chance to leave.
        pub latency: u32 = Range(1, 255), "cycles", "for tests";
    }
}

impl Parameters for Config {
    fn validate(&self) -> Result<(), ConfigError> {
        self.check_fields()
    }

    fn rtl_parameters(&self) -> Vec<(&'static str, u64)> {
        vec![("Depth", self.depth.into()), ("Latency", self.latency.into())]
    }
}

impl From<&Config> for Config {
    fn from(config: &Config) -> Self {
        config.clone()
    }
}

message! {
    /// What is queued.
    pub struct Item: "TEST_QUEUE_ITEM_T" in "test_queue_types.svh" () {
        /// Whatever its owner calls it.
        pub id: u16 = 16,
    }
}

ports! {
    /// Input ports.
    pub struct In: In (c: Config) {
        /// Items that enter.
        pub item: Option<Item> as (item_valid, item) = (),
        /// The oldest item is taken.
        pub done_ready: bool = 1,
    }
}

ports! {
    /// Output ports, all functions of registers.
    pub struct Out: Out (c: Config) {
        /// The item is taken.
        pub item_ready: bool = 1,
        /// The oldest item, once its time has passed.
        pub done: Option<Item> as (done_valid, done) = (),
    }
}
