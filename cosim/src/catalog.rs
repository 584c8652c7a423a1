//! The named configurations of the blocks with two bodies: a new block says which family it belongs
//! to (`pair!`), a new family is a field of [`Catalog`] and its [`Family`].

use std::collections::BTreeMap;

use hwmodel::Model;
use ports::ConfigError;
use ports::coherence_directory;
use ports::common::command_types::Command;
use ports::common::finepack_types::FinePack;
use ports::test_queue;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The text of the configuration file.
pub const CONFIGS_TOML: &str = include_str!("../configs.toml");

/// Configurations of one family, by name.
pub type Named<F> = BTreeMap<String, F>;

/// All named configurations, by family.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Catalog {
    /// Configurations of the FinePack blocks.
    pub finepack: Named<FinePack>,
    /// Configurations of the coherence directory.
    pub coherence_directory: Named<coherence_directory::Config>,
    /// Configurations of the command-processor blocks.
    pub command: Named<Command>,
    /// Configurations of the queue for tests.
    pub test_queue: Named<test_queue::Config>,
}

/// Parameters that some blocks have in common.
pub trait Family: Clone + PartialEq + Serialize + DeserializeOwned + 'static {
    /// Its tables in the configuration file.
    const NAME: &'static str;

    /// Its configurations.
    fn named(catalog: &Catalog) -> &Named<Self>;

    /// Checks every limit.
    fn check(&self) -> Result<(), ConfigError>;
}

impl Family for FinePack {
    const NAME: &'static str = "finepack";

    fn named(catalog: &Catalog) -> &Named<Self> {
        &catalog.finepack
    }

    fn check(&self) -> Result<(), ConfigError> {
        self.validate()
    }
}

impl Family for coherence_directory::Config {
    const NAME: &'static str = "coherence_directory";

    fn named(catalog: &Catalog) -> &Named<Self> {
        &catalog.coherence_directory
    }

    fn check(&self) -> Result<(), ConfigError> {
        self.validate()
    }
}

impl Family for Command {
    const NAME: &'static str = "command";

    fn named(catalog: &Catalog) -> &Named<Self> {
        &catalog.command
    }

    fn check(&self) -> Result<(), ConfigError> {
        self.validate()
    }
}

impl Family for test_queue::Config {
    const NAME: &'static str = "test_queue";

    fn named(catalog: &Catalog) -> &Named<Self> {
        &catalog.test_queue
    }

    fn check(&self) -> Result<(), ConfigError> {
        self.validate()
    }
}

/// A block with two bodies, and the family that its parameters come from.
pub trait Pair: Model {
    /// The family.
    type Family: Family;

    /// Its own parameters.
    fn config(parameters: &Self::Family) -> Self::Config;
}

/// Says of a block, beside its stimulus, which family it belongs to.
macro_rules! pair {
    ($block:ty: $family:ty) => {
        impl $crate::catalog::Pair for $block {
            type Family = $family;

            fn config(parameters: &$family) -> Self::Config {
                parameters.into()
            }
        }
    };
}
pub(crate) use pair;

/// Why the configuration file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CatalogError {
    /// Not the expected TOML.
    #[error("configs.toml: {0}")]
    Toml(#[from] toml::de::Error),
    /// An illegal parameter.
    #[error("configs.toml: [{family}.{config}]: {source}")]
    Parameter {
        /// Name of the family.
        family: &'static str,
        /// Name of the configuration.
        config: String,
        /// The parameter.
        source: ConfigError,
    },
}

impl Catalog {
    /// Parses and checks the named configurations.
    pub fn load() -> Result<Self, CatalogError> {
        let catalog: Self = toml::from_str(CONFIGS_TOML)?;
        catalog.check::<FinePack>()?;
        catalog.check::<coherence_directory::Config>()?;
        catalog.check::<Command>()?;
        catalog.check::<test_queue::Config>()?;
        Ok(catalog)
    }

    /// The name of the configuration with these parameters, if one has it.
    pub fn name_of<F: Family>(&self, parameters: &F) -> Option<&str> {
        let mut named = F::named(self).iter();
        named.find(|(_, of_name)| *of_name == parameters).map(|(name, _)| name.as_str())
    }

    fn check<F: Family>(&self) -> Result<(), CatalogError> {
        F::named(self).iter().try_for_each(|(config, parameters)| {
            let (family, config) = (F::NAME, config.clone());
            parameters.check().map_err(|source| CatalogError::Parameter { family, config, source })
        })
    }
}
