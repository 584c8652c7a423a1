//! Parameters and ports of `rtl/request_limiter/request_limiter.sv`, declared once for model, RTL,
//! comparison, reports and waveforms. RTL with another name or width of a port is not built.

use ports::Limit::Range;
use ports::{ConfigError, Fields, Parameters};

ports::fields! {
    /// Parameters, one for each RTL parameter.
    pub struct Config of Self {
        /// `Burst`: upper limit of tokens.
        pub burst: u32 = Range(1, 16), "tokens", "chosen";
        /// `Period`: cycles in which one token is added.
        pub period: u32 = Range(1, 256), "cycles", "chosen";
    }
}

impl Parameters for Config {
    fn validate(&self) -> Result<(), ConfigError> {
        self.check_fields()
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
