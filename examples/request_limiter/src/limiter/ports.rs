//! Parameters and ports of `rtl/request_limiter/request_limiter.sv`.

use ports::{ConfigError, Parameters};
use serde::{Deserialize, Serialize};

/// Parameters, one for each RTL parameter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// `Burst`: most tokens, 1 to 16.
    pub burst: u32,
    /// `Period`: cycles in which one token comes, 1 to 256.
    pub period: u32,
}

impl Parameters for Config {
    fn validate(&self) -> Result<(), ConfigError> {
        ConfigError::range("burst", self.burst, 1..=16)?;
        ConfigError::range("period", self.period, 1..=256)
    }

    fn rtl_parameters(&self) -> Vec<(&'static str, u64)> {
        vec![("Burst", self.burst.into()), ("Period", self.period.into())]
    }
}

impl From<&Config> for Config {
    fn from(config: &Config) -> Self {
        config.clone()
    }
}

ports::ports! {
    /// Input ports.
    pub struct In: In (c: Config) {
        /// Takes a token.
        pub request_valid: bool = 1,
    }
}

ports::ports! {
    /// Output ports, all functions of registers.
    pub struct Out: Out (c: Config) {
        /// There is a token.
        pub request_ready: bool = 1,
    }
}
