//! Constrained-random requests, and the line that registers the block with `duet`.

use cosim::blocks;
use cosim::stimulus::{NewStimulus, Random, Reached, Statics, Stimulus};

use super::RequestLimiter;
use super::ports::{Config, In, Out};

cosim::family!(Config, "request_limiter");
cosim::pair!(RequestLimiter: Config);

inventory::submit! {
    blocks::entry::<Inputs>("a token bucket for requests")
}

/// The stimulus. Chances are parts of 256.
#[derive(Clone, Debug)]
pub struct Inputs {
    random: Random,
    left: u32,
    chance: u32,
    seen: Seen,
}

cosim::seen! {
    transfers: request;
    rows: request_held,
}

impl Stimulus for Inputs {
    type Model = RequestLimiter;

    fn restart(&mut self, _cycles: u64) {
        self.left = 0;
    }

    fn inputs(&mut self, out: &Out) -> In {
        if self.left == 0 {
            self.left = 64 + self.random.below(256);
            self.chance = self.random.pick(&[256, 128, 64, 8, 0]);
        }
        self.left -= 1;
        let request_valid = self.random.chance(self.chance);
        match (request_valid, out.request_ready) {
            (true, true) => self.seen.request += 1,
            (true, false) => self.seen.request_held += 1,
            (false, _) => {}
        }
        In { request_valid }
    }

    fn seen(&self) -> &dyn Reached {
        &self.seen
    }
}

impl NewStimulus for Inputs {
    fn unstarted(_config: &Config, _statics: &Statics, seed: u64) -> Self {
        Self { random: Random::new(seed), left: 0, chance: 0, seen: Seen::default() }
    }
}
