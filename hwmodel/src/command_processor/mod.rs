//! The global command processor (CPElide, MICRO'24, sections III-C, IV-B; cycle rules in
//! `rtl/command_processor/README.md`).

mod ports;

pub use ports::*;

use crate::block::{Block, ConfigError, Model};

/// Its ports and parameters; the model itself is still to come.
pub struct CommandProcessor;

impl Block for CommandProcessor {
    type In = In;
    type Out = Out;

    fn outputs(&self) -> Out {
        unimplemented!("{} has no model yet", Self::NAME)
    }

    fn tick(&mut self, _: &In) -> Out {
        self.outputs()
    }
}

impl Model for CommandProcessor {
    const NAME: &'static str = "command_processor";
    type Config = Config;

    fn new(_: &Config) -> Result<Self, ConfigError> {
        Ok(Self)
    }

    fn rtl_parameters(config: &Config) -> Vec<(&'static str, u64)> {
        vec![
            ("PmemLat", config.pmem_lat.into()),
            ("CeOn", config.ce_on.into()),
            ("CeOf", config.ce_of.into()),
        ]
    }
}
