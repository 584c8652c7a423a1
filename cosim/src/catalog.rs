//! The named configurations of the blocks with two bodies. Blocks whose parameters come from one
//! struct are a family, and a family has a file, `configs/FAMILY.toml`: a table for each
//! configuration, which lists every field. Beside their stimulus blocks say which family they are
//! of (`pair!`), and the first of a family declares it (`family!`).

use std::collections::BTreeMap;

use hwmodel::Model;
use ports::{ConfigError, Field};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::stimulus::Stimulus;

/// The configuration that no file names: its parameters are drawn from the seed.
pub const RANDOM: &str = "random";

/// Parameters that some blocks have in common.
pub trait Family: Clone + PartialEq + Serialize + DeserializeOwned + 'static {
    /// Its file.
    const FILE: &'static str;
    /// What stands there.
    const TOML: &'static str;

    /// Its fields, each with its limit.
    fn fields() -> &'static [Field];

    /// Checks every limit.
    fn check(&self) -> Result<(), ConfigError>;

    /// Its configurations, by name.
    fn named() -> BTreeMap<String, Self> {
        let illegal = |problem: String| -> ! { panic!("{}: {problem}", Self::FILE) };
        let named: BTreeMap<_, Self> =
            toml::from_str(Self::TOML).unwrap_or_else(|e| illegal(e.to_string()));
        if named.contains_key(RANDOM) {
            illegal(format!("[{RANDOM}]: `--config {RANDOM}` draws parameters"));
        }
        for (name, parameters) in &named {
            parameters.check().unwrap_or_else(|e| illegal(format!("[{name}]: {e}")));
        }
        named
    }
}

/// Declares a family: its type, a struct of [`ports::fields`], and the name of its file in
/// `configs/` of the crate.
#[macro_export]
macro_rules! family {
    ($family:ty, $name:literal) => {
        impl $crate::catalog::Family for $family {
            const FILE: &'static str = concat!("configs/", $name, ".toml");
            const TOML: &'static str =
                include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/configs/", $name, ".toml"));
            fn fields() -> &'static [::ports::Field] {
                <$family as ::ports::Fields>::FIELDS
            }

            fn check(&self) -> Result<(), ::ports::ConfigError> {
                #[allow(unused_imports)]
                use ::ports::Parameters as _;
                self.validate()
            }
        }
    };
}

/// A block with two bodies: the family that its parameters come from, and what drives it.
pub trait Pair: Model {
    /// The family.
    type Family: Family;
    /// The stimulus.
    type Stimulus: Stimulus<Model = Self>;

    /// Its own parameters.
    fn config(parameters: &Self::Family) -> Self::Config;
}

/// Says of a block, beside its stimulus, which family it belongs to.
#[macro_export]
macro_rules! pair {
    ($block:ty: $family:ty) => {
        impl $crate::catalog::Pair for $block {
            type Family = $family;
            type Stimulus = Inputs;

            fn config(parameters: &$family) -> Self::Config {
                parameters.into()
            }
        }
    };
}
