//! What time is, by the protocol: of each warp its own, or cycles that all blocks count alike.

use ports::timestamp::types::{BusRsp, Protocol, TC_TS_W};

use super::lines::Lease;

/// Time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Time {
    /// Leases are in logical time.
    pub is_gtsc: bool,
    /// TC: cycles since reset. G-TSC: 0.
    pub now: u32,
}

impl Time {
    pub fn new(protocol: Protocol) -> Self {
        Self { is_gtsc: protocol == Protocol::Gtsc, now: 0 }
    }

    /// The lease that an answer brings. An expiry of TC is both of its fields.
    #[inline(always)]
    pub fn lease(self, rsp: &BusRsp) -> Lease {
        match self.is_gtsc {
            true => Lease { wts: rsp.wts, rts: rsp.rts, ..Lease::default() },
            false => Lease { rts: rsp.wts << TC_TS_W | rsp.rts, ..Lease::default() },
        }
    }

    /// The fields of an answer, and of the RTL, that a lease is.
    pub fn fields(self, lease: &Lease) -> (u32, u32) {
        match self.is_gtsc {
            true => (lease.wts, lease.rts),
            false => (lease.rts >> TC_TS_W, lease.rts & ((1 << TC_TS_W) - 1)),
        }
    }

    /// A lease with this end is not over at a time.
    #[inline(always)]
    pub fn covers(self, end: u32, at: u32) -> bool {
        at < end || self.is_gtsc && at == end
    }

    /// It is over in this cycle for all; in G-TSC none is.
    #[inline(always)]
    pub fn is_over(self, end: u32) -> bool {
        !self.is_gtsc && self.now >= end
    }
}
