//! Rules that tests disable, to check that they detect it.

use ports::ConfigError;

use super::{Config, GtscRst};
use crate::block::Model;
use crate::common::rules::rules;

rules! {
    /// A rule of the block (specification 5.5, 8.2).
    pub enum Rule {
        /// The banks stand still until each L1 has the new generation; else until one has.
        AllAcks,
    }
}

impl GtscRst {
    /// For tests: one that does not keep a rule. Errors: as of `new`.
    pub fn without(config: &Config, rule: Rule) -> Result<Self, ConfigError> {
        let mut block = Self::new(config)?;
        match rule {
            Rule::AllAcks => block.acks = 1,
        }
        Ok(block)
    }
}
