//! Constrained-random requests, and the line that registers the block with `duet`.

use cosim::blocks;
use cosim::stimulus::{Driver, Random, Stimulus};

use super::RequestLimiter;
use super::ports::{Config, In, Out};

cosim::family!(Config, "request_limiter");
cosim::pair!(RequestLimiter: Config);

inventory::submit! {
    blocks::entry::<Inputs>("a token bucket for requests")
}

cosim::seen! {
    transfers: request;
    rows: request_held,
}

cosim::phase! {
    /// Chances are parts of 256.
    pub struct Phase(r: &mut Random) {
        left: u32 = 64 + r.below(256),
        chance: u32 = r.pick(&[256, 128, 64, 8, 0]),
    }
}

/// The stimulus.
pub struct Inputs;

impl Stimulus for Inputs {
    type Model = RequestLimiter;
    type Phase = Phase;
    type Seen = Seen;

    fn start(_: &mut Driver<Self>) -> Self {
        Self
    }

    fn phase(&mut self, d: &mut Driver<Self>) -> Phase {
        Phase::draw(&mut d.random)
    }

    fn inputs(&mut self, d: &mut Driver<Self>, out: &Out) -> In {
        let request_valid = d.random.chance(d.phase.chance);
        d.seen.request += u64::from(request_valid && out.request_ready);
        d.seen.request_held += u64::from(request_valid && !out.request_ready);
        In { request_valid }
    }
}
