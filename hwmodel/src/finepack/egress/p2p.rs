//! Plain peer-to-peer stores.

use ports::finepack::types::op;

use super::front::{line_addr, lowest_run, run_mask};
use super::output::Output;
use super::{Config, In, Out};
use crate::block::Block;

/// Each store becomes one plain write for each run of its bytes, at once; at most one header per
/// cycle (specification 7, `p2p`; FinePack section II-B).
#[derive(Clone, Debug)]
pub struct P2p {
    q: Output,
}

impl P2p {
    /// The state after reset.
    pub fn new(cfg: &Config) -> Self {
        Self { q: Output::new(cfg) }
    }
}

impl Block for P2p {
    type In = In;
    type Out = Out;

    fn outputs(&self) -> Out {
        self.q.outputs()
    }

    fn tick(&mut self, i: &In) -> Out {
        let out = self.outputs();
        let q = &mut self.q;
        if let Some(req) = q.begin(i) {
            if req.op != op::STORE {
                q.other(i, &req);
            } else if q.sender.is_free() {
                let (first, len) = lowest_run(req.mask);
                q.send_write(i, req.dest, line_addr(&req, &q.cfg), (first, len), &req.data);
                q.releases.touch(req.dest);
                q.front.clear(run_mask(first, len));
            }
        }
        q.end(i, &out);
        out
    }

    fn is_idle(&self) -> bool {
        self.q.is_idle()
    }
}
