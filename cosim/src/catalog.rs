//! The named configurations of the blocks with two bodies: a new block says which family it belongs
//! to (`pair!`), a new family is a line of `families!`.

use std::collections::BTreeMap;

use hwmodel::Model;
use ports::ConfigError;
use ports::Parameters;
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

/// Parameters that some blocks have in common.
pub trait Family: Clone + PartialEq + Serialize + DeserializeOwned + 'static {
    /// Its tables in the configuration file.
    const NAME: &'static str;

    /// Its configurations.
    fn named(catalog: &Catalog) -> &Named<Self>;

    /// Checks every limit.
    fn check(&self) -> Result<(), ConfigError>;
}

/// Makes the catalog of these families, and each of them one.
macro_rules! families {
    ($( $(#[$meta:meta])* $name:ident: $family:ty, )*) => {
        /// All named configurations, by family.
        #[derive(Clone, Debug, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct Catalog {
            $( $(#[$meta])* pub $name: Named<$family>, )*
        }

        impl Catalog {
            /// Parses and checks the named configurations.
            pub fn load() -> Result<Self, CatalogError> {
                let catalog: Self = toml::from_str(CONFIGS_TOML)?;
                $( catalog.check::<$family>()?; )*
                Ok(catalog)
            }
        }

        $(impl Family for $family {
            const NAME: &'static str = stringify!($name);

            fn named(catalog: &Catalog) -> &Named<Self> {
                &catalog.$name
            }

            fn check(&self) -> Result<(), ConfigError> {
                self.validate()
            }
        })*
    };
}

families! {
    /// Configurations of the FinePack blocks.
    finepack: FinePack,
    /// Configurations of the coherence directory.
    coherence_directory: coherence_directory::Config,
    /// Configurations of the command-processor blocks.
    command: Command,
    /// Configurations of the queue for tests.
    test_queue: test_queue::Config,
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
