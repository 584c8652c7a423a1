//! Parameters and ports of `rtl/word_fifo/word_fifo.sv`, declared once for model, RTL, comparison,
//! reports and waveforms. RTL with another name or width of a port is not built.

use ::ports::Limit::Range;
use ::ports::{ConfigError, Fields, Parameters};

::ports::fields! {
    /// One field for each RTL parameter, with its legal values.
    pub struct Config of Self {
        /// `Depth`: words that the FIFO holds.
        pub depth: u32 = Range(1, 16), "words", "chosen";
        /// `DataWidth`: bits of a word.
        pub data_width: u32 = Range(1, 64), "bits", "chosen";
    }
}

impl Parameters for Config {
    fn validate(&self) -> Result<(), ConfigError> {
        self.check_fields()
    }

    fn rtl_parameters(&self) -> Vec<(&'static str, u64)> {
        vec![("Depth", self.depth.into()), ("DataWidth", self.data_width.into())]
    }
}

impl From<&Config> for Config {
    fn from(config: &Config) -> Self {
        config.clone()
    }
}

// Inputs have the suffix `_i` in RTL, outputs `_o`; clock and reset are `clk_i` and `rst_ni`.
::ports::ports! {
    /// Input ports in the order of the RTL.
    pub struct In: In (config: Config) {
        /// A word that enters: `push_valid_i` and `push_data_i`.
        pub push: Option<u64> as (push_valid, push_data) = config.data_width,
        /// The oldest word is taken.
        pub pop_ready: bool = 1,
    }
}

::ports::ports! {
    /// Output ports in the order of the RTL, all functions of registers.
    pub struct Out: Out (config: Config) {
        /// The FIFO has a free entry.
        pub push_ready: bool = 1,
        /// The oldest word: `pop_valid_o` and `pop_data_o`.
        pub pop: Option<u64> as (pop_valid, pop_data) = config.data_width,
        /// Words that the FIFO holds.
        pub count: u32 = 5,
    }
}
