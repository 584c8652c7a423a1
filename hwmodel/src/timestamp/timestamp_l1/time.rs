//! Leases in the protocol's time: logical under G-TSC, cycles since reset under TC.

use ports::timestamp::types::{BusRsp, Protocol, TC_TS_W};

use super::lines::Lease;

/// The kind of time, and TC's clock.
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

    /// The lease in an answer. Under TC its end is {`wts`, `rts`}.
    #[inline(always)]
    pub fn lease(self, rsp: &BusRsp) -> Lease {
        match self.is_gtsc {
            true => Lease { wts: rsp.wts, rts: rsp.rts, ..Lease::default() },
            false => Lease { rts: rsp.wts << TC_TS_W | rsp.rts, ..Lease::default() },
        }
    }

    /// `wts` and `rts` of a lease, as in an answer and in the RTL.
    pub fn fields(self, lease: &Lease) -> (u32, u32) {
        match self.is_gtsc {
            true => (lease.wts, lease.rts),
            false => (lease.rts >> TC_TS_W, lease.rts & ((1 << TC_TS_W) - 1)),
        }
    }

    /// A lease with this end covers time `at`.
    #[inline(always)]
    pub fn covers(self, end: u32, at: u32) -> bool {
        at < end || self.is_gtsc && at == end
    }

    /// TC: a lease with this end is over in this cycle. G-TSC: false.
    #[inline(always)]
    pub fn is_over(self, end: u32) -> bool {
        !self.is_gtsc && self.now >= end
    }
}
