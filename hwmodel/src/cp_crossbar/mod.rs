//! The crossbar between the global and the local command processors (CPElide, MICRO'24, section III-C,
//! figure 7; cycle rules in `rtl/cp_crossbar/README.md`).

mod ports;

pub use ports::*;

use crate::block::{Block, ConfigError, Model};

/// Its ports and parameters; the model itself is still to come.
pub struct CpCrossbar;

impl Block for CpCrossbar {
    type In = In;
    type Out = Out;

    fn outputs(&self) -> Out {
        unimplemented!("{} has no model yet", Self::NAME)
    }

    fn tick(&mut self, _: &In) -> Out {
        self.outputs()
    }
}

impl Model for CpCrossbar {
    const NAME: &'static str = "cp_crossbar";
    type Config = Config;

    fn new(_: &Config) -> Result<Self, ConfigError> {
        Ok(Self)
    }

    fn rtl_parameters(config: &Config) -> Vec<(&'static str, u64)> {
        vec![
            ("Chiplets", config.chiplets.into()),
            ("XbUni", config.xb_uni.into()),
            ("XbBc", config.xb_bc.into()),
        ]
    }
}
