//! RTL bodies that are reset in the midst of what their stimulus has them do.

use cosim::Rtl;
use cosim::catalog::Pair;
use cosim::stimulus::coherence_directory::CoherenceDirectoryStimulus;
use cosim::stimulus::command_processor::CommandProcessorStimulus;
use cosim::stimulus::cp_crossbar::CpCrossbarStimulus;
use cosim::stimulus::depacketizer::DepacketizerStimulus;
use cosim::stimulus::local_command_processor::LocalCommandProcessorStimulus;
use cosim::stimulus::packetizer::PacketizerStimulus;
use cosim::stimulus::remote_write_queue::RemoteWriteQueueStimulus;
use cosim::stimulus::{NewStimulus, Statics, Stimulus};
use hwmodel::Block;
use hwmodel::coherence_directory::CoherenceDirectory;
use hwmodel::command_processor::CommandProcessor;
use hwmodel::cp_crossbar::CpCrossbar;
use hwmodel::depacketizer::Depacketizer;
use hwmodel::local_command_processor::LocalCommandProcessor;
use hwmodel::packetizer::Packetizer;
use hwmodel::remote_write_queue::RemoteWriteQueue;

use crate::{parameters, rtl};

/// Cycles of traffic: more than a directory of the papers takes to initialise its array.
const CYCLES: u64 = 2_500;
/// With this one every block holds something in the last of them.
const SEED: u64 = 9;

/// A block with a stimulus.
pub trait Driven: Pair {
    /// It.
    type Stimulus: NewStimulus<Model = Self>;
}

macro_rules! driven {
    ($($block:ident: $stimulus:ident),* $(,)?) => {
        $(impl Driven for $block {
            type Stimulus = $stimulus;
        })*
    };
}

driven! {
    RemoteWriteQueue: RemoteWriteQueueStimulus,
    Packetizer: PacketizerStimulus,
    Depacketizer: DepacketizerStimulus,
    CoherenceDirectory: CoherenceDirectoryStimulus,
    CommandProcessor: CommandProcessorStimulus,
    CpCrossbar: CpCrossbarStimulus,
    LocalCommandProcessor: LocalCommandProcessorStimulus,
}

/// A block's RTL body in a named configuration, reset in the midst of traffic. The inputs of the
/// last cycle stand meanwhile.
pub fn rtl_after_traffic<M: Driven>(config: &str) -> Rtl<M> {
    let mut body = rtl::<M>(config);
    let c = M::config(&parameters(config));
    let mut stimulus = M::Stimulus::new(&c, &Statics::default(), SEED);
    for _ in 0..CYCLES {
        let inputs = stimulus.inputs(&body.outputs());
        body.tick(&inputs);
    }
    assert!(!body.failed(), "{}", body.messages());
    let transfers = stimulus.transfers();
    assert!(transfers.iter().any(|(_, count)| *count > 0), "{}: {transfers:?}", M::NAME);
    body.reset();
    body
}
