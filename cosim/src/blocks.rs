//! The blocks that have two bodies, by name, and what a command can ask of each.

use hwmodel::common::finepack_types::FinePack;
use hwmodel::{ConfigError, Description, Model};

use crate::runner::{self, Options, Outcome, RunError};
use crate::stimulus::NewStimulus;
use crate::stimulus::depacketizer::DepacketizerStimulus;
use crate::stimulus::packetizer::PacketizerStimulus;
use crate::stimulus::remote_write_queue::RemoteWriteQueueStimulus;

type RunBlock = fn(&str, &FinePack, &Options) -> Result<Outcome, RunError>;

/// One block.
pub struct BlockEntry {
    /// Name, as in `rtl/` and `hwmodel`.
    pub name: &'static str,
    /// What it is, in one line.
    pub about: &'static str,
    /// Lockstep run.
    pub run: RunBlock,
    /// Parameters and ports.
    pub describe: fn(&FinePack) -> Result<Description, ConfigError>,
}

/// Every block with two bodies.
pub const BLOCKS: [BlockEntry; 3] = [
    entry::<RemoteWriteQueueStimulus, _>(
        "coalesces stores to other GPUs, one partition per destination",
    ),
    entry::<PacketizerStimulus, _>("turns drained entries into one FinePack TLP"),
    entry::<DepacketizerStimulus, _>("takes TLPs apart into stores, and checks them"),
];

const fn entry<S, C>(about: &'static str) -> BlockEntry
where
    S: NewStimulus<Model: Model<Config = C>>,
    C: for<'a> From<&'a FinePack>,
{
    BlockEntry {
        name: <S::Model as Model>::NAME,
        about,
        run: |name, parameters, options| {
            parameters.validate()?;
            runner::run::<S>(name, &parameters.into(), options)
        },
        describe: |parameters| {
            parameters.validate()?;
            Ok(Description::of::<S::Model>(&parameters.into()))
        },
    }
}

/// The block of this name.
pub fn find(name: &str) -> Option<&'static BlockEntry> {
    BLOCKS.iter().find(|b| b.name == name)
}
