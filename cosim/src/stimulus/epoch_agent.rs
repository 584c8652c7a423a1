//! tmp
use super::seen::seen;
use super::{NewStimulus, Random, Reached, Statics, Stimulus};
use hwmodel::epoch_agent::EpochAgent;
use ports::epoch_agent::{Config, In, Out};
crate::catalog::pair!(EpochAgent: ports::common::stc_types::Stc);
/// x
#[derive(Clone, Debug)]
pub struct Inputs {
    random: Random,
    seen: Seen,
}
seen! { transfers: req; rows: a, }
impl Stimulus for Inputs {
    type Model = EpochAgent;
    fn restart(&mut self, _cycles: u64) {}
    fn inputs(&mut self, _out: &Out) -> In {
        let _ = self.random.word();
        In::default()
    }
    fn seen(&self) -> &dyn Reached {
        &self.seen
    }
}
impl NewStimulus for Inputs {
    fn unstarted(_config: &Config, _statics: &Statics, seed: u64) -> Self {
        Self { random: Random::new(seed), seen: Seen::default() }
    }
}
