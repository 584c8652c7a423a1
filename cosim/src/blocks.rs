//! The blocks that have two bodies, by name, and what a command can ask of each.

use hwmodel::{Description, Model};

use crate::catalog::Pair;
use crate::runner::{self, Options, Outcome, RunError};
use crate::settings::{Chosen, FamilyEntry, StaticInput};
use crate::stimulus::coherence_directory::CoherenceDirectoryStimulus;
use crate::stimulus::command_processor::CommandProcessorStimulus;
use crate::stimulus::cp_crossbar::CpCrossbarStimulus;
use crate::stimulus::depacketizer::DepacketizerStimulus;
use crate::stimulus::local_command_processor::LocalCommandProcessorStimulus;
use crate::stimulus::packetizer::PacketizerStimulus;
use crate::stimulus::remote_write_queue::RemoteWriteQueueStimulus;
use crate::stimulus::{NewStimulus, Stimulus};

/// One block.
pub struct BlockEntry {
    /// Name, as in `rtl/` and `hwmodel`.
    pub name: &'static str,
    /// What it is, in one line.
    pub about: &'static str,
    /// Static inputs that can be fixed.
    pub statics: &'static [StaticInput],
    /// Its named configurations.
    pub family: FamilyEntry,
    /// Lockstep run with these parameters.
    pub run: fn(&Chosen, &Options) -> Result<Outcome, RunError>,
    /// Parameters and ports with these parameters of its family.
    pub describe: fn(&Chosen) -> Description,
}

/// Every block with two bodies.
pub const BLOCKS: [BlockEntry; 7] = [
    entry::<RemoteWriteQueueStimulus>(
        "coalesces stores to other GPUs, one partition per destination",
    ),
    entry::<PacketizerStimulus>("turns drained entries into one FinePack TLP"),
    entry::<DepacketizerStimulus>("takes TLPs apart into stores, and checks them"),
    entry::<CoherenceDirectoryStimulus>(
        "records sharers of a home's lines, and invalidates them: baseline, HMG, REC, ideal",
    ),
    entry::<CommandProcessorStimulus>(
        "runs the firmware that launches kernels: core, memories, mailbox",
    ),
    entry::<CpCrossbarStimulus>("carries messages between the command processors of a GPU"),
    entry::<LocalCommandProcessorStimulus>(
        "executes a chiplet's releases and acquires, and hands out its work groups",
    ),
];

const fn entry<S: NewStimulus<Model: Pair>>(about: &'static str) -> BlockEntry {
    BlockEntry {
        name: <S::Model as Model>::NAME,
        about,
        statics: S::STATICS,
        family: FamilyEntry::of::<FamilyOf<S>>(),
        run: |chosen, options| {
            let config = S::Model::config(&chosen.parameters::<FamilyOf<S>>());
            runner::run::<S>(&chosen.name, &config, options)
        },
        describe: |chosen| {
            Description::of::<S::Model>(&S::Model::config(&chosen.parameters::<FamilyOf<S>>()))
        },
    }
}

type FamilyOf<S> = <<S as Stimulus>::Model as Pair>::Family;

/// The block of this name.
pub fn find(name: &str) -> Option<&'static BlockEntry> {
    BLOCKS.iter().find(|b| b.name == name)
}
