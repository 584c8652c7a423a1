//! The request port: a FIFO of two places and the check of what comes out.

use ports::finepack::types::{Req, aop, error_code, op};

use super::{Config, In};
use crate::finepack::tlp_header::is_atomic_size;

/// Requests accepted and not yet finished. A request accepted in cycle t is at the head from t+1.
#[derive(Clone, Debug, Default)]
pub(super) struct Front {
    slots: [Req; 2],
    count: usize,
}

impl Front {
    /// `req_ready`.
    pub fn ready(&self) -> bool {
        self.count < 2
    }

    /// True when no request is held.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The oldest request.
    pub fn head(&self) -> Option<&Req> {
        self.slots[..self.count].first()
    }

    /// These bytes of the head are done, and with the last of them the head is.
    pub fn clear(&mut self, done: u128) {
        self.slots[0].mask &= !done;
        if self.slots[0].mask == 0 {
            self.pop();
        }
    }

    /// Removes the head.
    pub fn pop(&mut self) {
        self.slots[0] = self.slots[1];
        self.count -= 1;
    }

    /// End of the cycle: takes the request offered. `ready` as shown in this cycle.
    pub fn accept(&mut self, i: &In, ready: bool) {
        if let Some(req) = i.req.filter(|_| ready) {
            self.slots[self.count] = req;
            self.count += 1;
        }
    }
}

/// The error code of a request, lowest first (specification 3.1 and 12).
pub(super) fn fault(req: &Req, self_id: u8, cfg: &Config) -> Option<u8> {
    let access = matches!(req.op, op::STORE | op::LOAD | op::ATOMIC);
    let bad_mask = match req.op {
        op::ATOMIC => !is_atomic_size(req.mask),
        _ => req.mask == 0,
    };
    if access && bad_mask {
        Some(error_code::ZERO_MASK)
    } else if access && (req.dest == self_id || u32::from(req.dest) >= cfg.num_gpus) {
        Some(error_code::BAD_DEST)
    } else if req.op > op::RELEASE_GPU || (req.op == op::ATOMIC && req.aop > aop::XOR) {
        Some(error_code::BAD_OP)
    } else {
        None
    }
}

/// First byte of a request's line.
pub(super) fn line_addr(req: &Req, cfg: &Config) -> u64 {
    req.addr & !(u64::from(cfg.line) - 1)
}

/// The lowest run of enabled bytes: first byte and length. `mask` is not 0.
pub(super) fn lowest_run(mask: u128) -> (u32, u32) {
    let first = mask.trailing_zeros();
    (first, (mask >> first).trailing_ones())
}

/// The mask of a run.
pub(super) fn run_mask(first: u32, len: u32) -> u128 {
    (u128::MAX >> (128 - len)) << first
}
