//! RTL bodies that are reset in the midst of what their stimulus has them do.

use cosim::Rtl;
use cosim::catalog::Pair;
use cosim::stimulus::{Statics, Stimulus};
use hwmodel::Block;

use crate::rtl_with;

/// Cycles of traffic: more than a directory of the papers takes to initialise its array.
const CYCLES: u64 = 2_500;
/// With this one every block holds something in the last of them.
const SEED: u64 = 9;

/// A block's RTL body with these parameters, reset in the midst of traffic. The inputs of the last
/// cycle stand meanwhile.
pub fn rtl_after_traffic<M: Pair>(config: &M::Config) -> Rtl<M> {
    let mut body = rtl_with::<M>(config);
    let mut stimulus = M::Stimulus::new(config, &Statics::default(), SEED);
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
