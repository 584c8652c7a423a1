//! The local command processor of a chiplet (CPElide, MICRO'24, section III-C; cycle rules in
//! `rtl/local_command_processor/README.md`).

mod ports;

pub use ports::*;

use crate::block::{Block, ConfigError, Model};

/// Its ports and parameters; the model itself is still to come.
pub struct LocalCommandProcessor;

impl Block for LocalCommandProcessor {
    type In = In;
    type Out = Out;

    fn outputs(&self) -> Out {
        unimplemented!("{} has no model yet", Self::NAME)
    }

    fn tick(&mut self, _: &In) -> Out {
        self.outputs()
    }
}

impl Model for LocalCommandProcessor {
    const NAME: &'static str = "local_command_processor";
    type Config = Config;

    fn new(_: &Config) -> Result<Self, ConfigError> {
        Ok(Self)
    }

    fn rtl_parameters(_: &Config) -> Vec<(&'static str, u64)> {
        Vec::new()
    }
}
