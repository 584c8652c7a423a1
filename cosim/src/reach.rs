//! What a stimulus reaches, by the model alone: where model and RTL are equal a lockstep run of the
//! same seed reaches the same.

use hwmodel::{Block, Model};

use crate::episodes::Episodes;
use crate::stimulus::{Count, Random, Statics, Stimulus};

/// Rows of the coverage and channels, each with how often it was reached in so many cycles.
/// Panics where the parameters are illegal.
pub fn reach<S: Stimulus>(
    config: &<S::Model as Model>::Config,
    seed: u64,
    cycles: u64,
) -> Vec<Count> {
    let mut stimulus = S::new(config, &Statics::default(), seed);
    let mut model = S::Model::new(config).expect("legal parameters");
    // The draws of a lockstep run, those of the values of an RTL body's registers among them.
    let mut resets = Random::new(!seed);
    let mut episodes = Episodes::default();
    resets.word();
    let mut cycle = 0;
    while cycle < cycles {
        let length = episodes.next(&mut resets);
        if cycle > 0 {
            stimulus.restart(length);
            if resets.chance(64) {
                resets.word();
            }
            model.reset(config).expect("legal parameters");
        }
        for _ in cycle..cycles.min(cycle + length) {
            let inputs = stimulus.inputs(&model.outputs());
            model.tick(&inputs);
        }
        cycle += length;
    }
    let mut reached = stimulus.coverage();
    reached.append(&mut stimulus.transfers());
    reached
}
