//! The blocks that have two bodies, by name, and what a command can ask of each.

use hwmodel::Model;
use ports::Description;

use crate::catalog::Pair;
use crate::runner::{self, Options, Outcome, RunError};
use crate::settings::{Chosen, FamilyEntry, StaticInput};
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

/// Calls a macro with all blocks that have two bodies: of each its name, its stimulus, and what it
/// is in one line. A block that is not in this list is nowhere, and one that is stands wherever all
/// blocks do: in commands, tests and benchmarks.
#[macro_export]
macro_rules! for_each_block {
    ($call:ident) => {
        $call! {
            remote_write_queue, $crate::stimulus::remote_write_queue::RemoteWriteQueueStimulus,
                "coalesces stores to other GPUs, one partition per destination";
            packetizer, $crate::stimulus::packetizer::PacketizerStimulus,
                "turns drained entries into one FinePack TLP";
            depacketizer, $crate::stimulus::depacketizer::DepacketizerStimulus,
                "takes TLPs apart into stores, and checks them";
            coherence_directory,
                $crate::stimulus::coherence_directory::CoherenceDirectoryStimulus,
                "records sharers of a home's lines, invalidates them: baseline, HMG, REC, ideal";
            command_processor, $crate::stimulus::command_processor::CommandProcessorStimulus,
                "runs the firmware that launches kernels: core, memories, mailbox";
            cp_crossbar, $crate::stimulus::cp_crossbar::CpCrossbarStimulus,
                "carries messages between the command processors of a GPU";
            local_command_processor,
                $crate::stimulus::local_command_processor::LocalCommandProcessorStimulus,
                "executes a chiplet's releases and acquires, and hands out its work groups";
            test_queue, $crate::stimulus::test_queue::TestQueueStimulus,
                "for tests of the machine's seams: a FIFO with a latency";
        }
    };
}

macro_rules! entries {
    ($($block:ident, $stimulus:ty, $about:literal;)*) => {
        /// Every block with two bodies.
        pub const BLOCKS: &[BlockEntry] = &[$(entry::<$stimulus>($about)),*];
    };
}

for_each_block!(entries);

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
            S::Model::describe(&S::Model::config(&chosen.parameters::<FamilyOf<S>>()))
        },
    }
}

type FamilyOf<S> = <<S as Stimulus>::Model as Pair>::Family;

/// The block of this name.
pub fn find(name: &str) -> Option<&'static BlockEntry> {
    BLOCKS.iter().find(|b| b.name == name)
}
