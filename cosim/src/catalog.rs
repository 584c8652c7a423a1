//! The named configurations, and which blocks have an RTL body in which of them. The build script
//! and the library read the same list: a new block is one line in [`Catalog::bodies`].

use std::collections::BTreeMap;

use hwmodel::common::finepack_types::FinePack;
use hwmodel::depacketizer::Depacketizer;
use hwmodel::packetizer::Packetizer;
use hwmodel::remote_write_queue::RemoteWriteQueue;
use hwmodel::{ConfigError, Description};
use serde::Deserialize;

/// Name of the one body with a deliberate bug, for the tests of the comparison itself.
pub const SEEDED_BUG: &str = "small-seeded-bug";

/// The text of the configuration file.
pub const CONFIGS_TOML: &str = include_str!("../configs.toml");

/// All named configurations, by family.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Catalog {
    /// Configurations of the FinePack blocks.
    pub finepack: BTreeMap<String, FinePack>,
}

/// One RTL body to build: a block in a named configuration.
#[derive(Clone, Debug)]
pub struct Body {
    /// Name of the configuration.
    pub config: String,
    /// The block.
    pub block: Description,
}

/// Why the configuration file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CatalogError {
    /// Not the expected TOML.
    #[error("configs.toml: {0}")]
    Toml(#[from] toml::de::Error),
    /// An illegal parameter.
    #[error("configs.toml: [finepack.{config}]: {source}")]
    Parameter {
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
        for (config, parameters) in &catalog.finepack {
            parameters
                .validate()
                .map_err(|source| CatalogError::Parameter { config: config.clone(), source })?;
        }
        Ok(catalog)
    }

    /// Every RTL body, in a fixed order.
    pub fn bodies(&self) -> Vec<Body> {
        let mut bodies = Vec::new();
        for (config, p) in &self.finepack {
            let mut add = |block| bodies.push(Body { config: config.clone(), block });
            add(Description::of::<RemoteWriteQueue>(&p.into()));
            add(Description::of::<Packetizer>(&p.into()));
            add(Description::of::<Depacketizer>(&p.into()));
        }
        if let Some(small) = self.finepack.get("small") {
            let mut block = Description::of::<RemoteWriteQueue>(&small.into());
            block.parameters.push(("SeededBug", 1));
            bodies.push(Body { config: SEEDED_BUG.to_string(), block });
        }
        bodies
    }
}
