//! Leases in logical time: what a request does to them, what it is answered (specification 5.4).

use ports::timestamp::gtsc_l2::Config;
use ports::timestamp::types::{BusReq, BusRsp, LineData, bus_op, rsp_op};

use super::Rule;
use crate::timestamp::l2::{Protocol, change, write};

/// The lease of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Lease {
    /// When it was written.
    pub wts: u32,
    /// Until when it is lent, included.
    pub rts: u32,
}

/// Events that only a request can be.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Performed {
    pub reads: u32,
    pub writes: u32,
    pub atomics: u32,
    pub fills: u32,
    pub renewals: u32,
}

/// What holds for all leases of a bank.
#[derive(Clone, Debug)]
pub(super) struct Leases {
    lease: u64,
    /// The last timestamp, and a 1 for each bit of one.
    max: u64,
    mask: u64,
    /// A mask of a whole line.
    all: u128,
    /// Until when lines are lent that went.
    pub mem_ts: u32,
    /// Generation.
    pub rep: u8,
    /// A timestamp did not fit.
    pub ovf: bool,
    pub performed: Performed,
    without: Option<Rule>,
}

fn count(counter: &mut u32) {
    *counter = counter.wrapping_add(1);
}

impl Leases {
    pub fn new(config: &Config, without: Option<Rule>) -> Self {
        let mask = (1 << config.ts_w) - 1;
        Self {
            lease: config.lease.into(),
            max: mask - 1,
            mask,
            all: u128::MAX >> (128 - config.line),
            mem_ts: 1,
            rep: 0,
            ovf: false,
            performed: Performed::default(),
            without,
        }
    }

    #[inline(always)]
    fn keeps(&self, rule: Rule) -> bool {
        self.without != Some(rule)
    }

    /// The lease of all lines when they begin anew.
    pub fn first(&self) -> Lease {
        Lease { wts: 1, rts: self.lease as u32 }
    }

    /// All leases begin anew.
    pub fn restart(&mut self) {
        (self.mem_ts, self.ovf) = (1, false);
        self.rep = (self.rep + 1) & 3;
    }

    /// The end of a lease that begins in `from`; `None` where it does not fit.
    #[inline(always)]
    fn end(&mut self, from: u64) -> Option<u32> {
        let end = from + self.lease;
        if end > self.max && self.keeps(Rule::Overflow) {
            self.ovf = true;
            return None;
        }
        Some((end & self.mask) as u32)
    }
}

impl Protocol for Leases {
    type Lease = Lease;
    const KEEPS: bool = false;

    #[inline(always)]
    fn lends(&mut self) -> Option<Lease> {
        let wts = self.mem_ts;
        self.end(wts.into()).map(|rts| Lease { wts, rts })
    }

    #[inline(always)]
    fn perform(&mut self, lease: &mut Lease, data: &mut LineData, req: &BusReq) -> Option<BusRsp> {
        let own = req.rep == self.rep || !self.keeps(Rule::OldGeneration);
        let (wts, warp_ts) = if own { (req.wts, req.warp_ts) } else { (0, 1) };
        let as_new = wts != 0 && wts == lease.wts;
        let rep = self.rep;
        if req.op == bus_op::RD {
            let end = self.end(warp_ts.into())?;
            lease.rts = lease.rts.max(end);
            count(&mut self.performed.reads);
            let rts = lease.rts;
            if as_new || wts != 0 && !self.keeps(Rule::Compared) {
                count(&mut self.performed.renewals);
                return Some(BusRsp { op: rsp_op::RNW, rep, rts, ..BusRsp::default() });
            }
            count(&mut self.performed.fills);
            let (op, wts) = (rsp_op::FILL, lease.wts);
            return Some(BusRsp { op, rep, wts, rts, data: *data, ..BusRsp::default() });
        }
        let behind = u64::from(lease.rts) + u64::from(self.keeps(Rule::AfterLease));
        let warp = if self.keeps(Rule::AboveWarp) { warp_ts } else { 0 };
        let at = behind.max(warp.into());
        let rts = self.end(at)?;
        let wts = (at & self.mask) as u32;
        *lease = Lease { wts, rts };
        if req.op == bus_op::WR {
            count(&mut self.performed.writes);
            let ok = as_new || req.mask & self.all == self.all || !self.keeps(Rule::Ok);
            write(data, req);
            return Some(BusRsp { op: rsp_op::WR_ACK, rep, ok, wts, rts, ..BusRsp::default() });
        }
        count(&mut self.performed.atomics);
        let data = change(data, req);
        Some(BusRsp { op: rsp_op::ATOM_ACK, rep, wts, rts, data, ..BusRsp::default() })
    }

    #[inline(always)]
    fn goes(&mut self, lease: &Lease) {
        if self.keeps(Rule::Remembered) {
            self.mem_ts = self.mem_ts.max(lease.rts);
        }
    }

    #[inline(always)]
    fn may_go(&self, _lease: &Lease) -> bool {
        true
    }

    #[inline(always)]
    fn must_wait(&self, _req: &BusReq, _lease: &Lease) -> bool {
        false
    }
}
