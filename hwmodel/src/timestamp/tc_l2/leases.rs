//! Leases until a cycle: what a request does to them, what it is answered (specification 5.8).

use ports::timestamp::tc_l2::Config;
use ports::timestamp::types::{self as types, BusReq, BusRsp, LineData, TC_TS_W, bus_op, rsp_op};

use super::Rule;
use crate::timestamp::l2::{Protocol, change, write};

/// What holds for all leases of a bank.
#[derive(Clone, Debug)]
pub(super) struct Leases {
    /// Cycles since reset.
    pub now: u32,
    lease: u32,
    /// Writes wait; lines that are lent stay.
    waits: bool,
    included: bool,
}

impl Leases {
    pub fn new(config: &Config, without: Option<Rule>) -> Self {
        let strong = config.proto == types::Protocol::Tcs;
        Self {
            now: 0,
            lease: config.tc_lease,
            waits: strong && without != Some(Rule::Waits),
            included: without != Some(Rule::Inclusion),
        }
    }
}

impl Protocol for Leases {
    /// The cycle from which on nobody may use the line.
    type Lease = u32;
    const KEEPS: bool = true;

    #[inline(always)]
    fn lends(&mut self) -> Option<u32> {
        Some(0)
    }

    #[inline(always)]
    fn perform(&mut self, exp: &mut u32, data: &mut LineData, req: &BusReq) -> Option<BusRsp> {
        let (op, data) = match req.op {
            bus_op::RD => {
                *exp = (*exp).max(self.now.wrapping_add(self.lease));
                (rsp_op::FILL, *data)
            }
            bus_op::WR => {
                write(data, req);
                (rsp_op::WR_ACK, LineData::default())
            }
            _ => (rsp_op::ATOM_ACK, change(data, req)),
        };
        let (wts, rts) = (*exp >> TC_TS_W, *exp & ((1 << TC_TS_W) - 1));
        Some(BusRsp { op, wts, rts, data, ..BusRsp::default() })
    }

    #[inline(always)]
    fn goes(&mut self, _exp: &u32) {}

    #[inline(always)]
    fn may_go(&self, exp: &u32) -> bool {
        self.now >= *exp || !self.included
    }

    #[inline(always)]
    fn must_wait(&self, req: &BusReq, exp: &u32) -> bool {
        self.waits && req.op != bus_op::RD && self.now < *exp
    }
}
