//! The named configurations, and which blocks have an RTL body in which of them. The build script
//! and the library read the same list: a new block is one line in `pairs!`, a new family of blocks a field of
//! [`Catalog`] and its [`Family`].

use std::collections::BTreeMap;

use hwmodel::coherence_directory::{self, CoherenceDirectory};
use hwmodel::command_processor::CommandProcessor;
use hwmodel::common::command_types::Command;
use hwmodel::common::finepack_types::FinePack;
use hwmodel::cp_crossbar::CpCrossbar;
use hwmodel::depacketizer::Depacketizer;
use hwmodel::local_command_processor::LocalCommandProcessor;
use hwmodel::packetizer::Packetizer;
use hwmodel::remote_write_queue::RemoteWriteQueue;
use hwmodel::{ConfigError, Description, Model};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Name of the one body with a deliberate bug, for the tests of the comparison itself.
pub const SEEDED_BUG: &str = "small-seeded-bug";
/// Name of the coherence directory's body with a corrupt array, for error code 4.
pub const DUPLICATE: &str = "small-duplicate";

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

/// One RTL body: a block in a named configuration.
#[derive(Clone, Debug)]
pub struct Body {
    /// Name of the configuration.
    pub config: String,
    /// The configuration for which it is built, by name: the first one that is the same to this block. A family's
    /// configurations may differ in what a block does not have.
    pub built_as: String,
    /// The block.
    pub block: Description,
}

impl Body {
    /// One that no other shares.
    fn own(config: &str, block: Description) -> Self {
        Self { config: config.to_string(), built_as: config.to_string(), block }
    }
}

/// A block with two bodies, and the family that its parameters come from.
pub trait Pair: Model {
    /// The family.
    type Family: Family;

    /// Its own parameters.
    fn config(parameters: &Self::Family) -> Self::Config;
}

macro_rules! pairs {
    ($($block:ident: $family:ty),* $(,)?) => {
        $(impl Pair for $block {
            type Family = $family;

            fn config(parameters: &$family) -> Self::Config {
                parameters.into()
            }
        })*

        /// Every block in every configuration of its family.
        fn pairs(catalog: &Catalog) -> Vec<Body> {
            let mut bodies = Vec::new();
            $(bodies.extend(bodies_of::<$block>(catalog));)*
            bodies
        }
    };
}

pairs! {
    RemoteWriteQueue: FinePack,
    Packetizer: FinePack,
    Depacketizer: FinePack,
    CoherenceDirectory: coherence_directory::Config,
    CommandProcessor: Command,
    CpCrossbar: Command,
    LocalCommandProcessor: Command,
}

fn bodies_of<M: Pair>(catalog: &Catalog) -> Vec<Body> {
    let all: Vec<_> = M::Family::named(catalog).iter().map(|(n, p)| (n, M::config(p))).collect();
    let built_as = |own: &M::Config| all.iter().find(|(_, config)| config == own).map(|(n, _)| *n);
    let body = |(config, own): &(&String, M::Config)| Body {
        config: config.to_string(),
        built_as: built_as(own).unwrap_or(config).clone(),
        block: Description::of::<M>(own),
    };
    all.iter().map(body).collect()
}

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
        Ok(catalog)
    }

    fn check<F: Family>(&self) -> Result<(), CatalogError> {
        F::named(self).iter().try_for_each(|(config, parameters)| {
            let (family, config) = (F::NAME, config.clone());
            parameters.check().map_err(|source| CatalogError::Parameter { family, config, source })
        })
    }

    /// Every RTL body, in a fixed order.
    pub fn bodies(&self) -> Vec<Body> {
        let mut bodies = pairs(self);
        if let Some(small) = self.finepack.get("small") {
            let mut block = Description::of::<RemoteWriteQueue>(&small.into());
            block.parameters.push(("SeededBug", 1));
            bodies.push(Body::own(SEEDED_BUG, block));
        }
        if let Some(corrupt) = self.duplicate() {
            let block = Description::of::<CoherenceDirectory>(&corrupt);
            bodies.push(Body::own(DUPLICATE, block));
        }
        bodies
    }

    /// The parameters of [`DUPLICATE`]: `small`, first in, first out. With LRU the use that tells the two
    /// ways apart would overwrite the order that the sweep has left.
    pub fn duplicate(&self) -> Option<coherence_directory::Config> {
        let small = self.coherence_directory.get("small")?.clone();
        let replacement = coherence_directory::Replacement::Fifo;
        Some(coherence_directory::Config { duplicate: 1, replacement, ..small })
    }
}
