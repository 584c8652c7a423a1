//! The four channels of an L1, and the number of unanswered requests of each warp.

use std::hash::{Hash, Hasher};

use ports::timestamp::types::{BusReq, BusRsp, CoreReq, CoreRsp};

use crate::common::fifo::Fifo;

const WARPS: usize = 64;

/// FIFOs with two entries. The action of a cycle comes before [`Channels::edge`], so an entry that
/// is freed can be used in the next cycle.
#[derive(Clone, Debug)]
pub(super) struct Channels {
    pub core_req: Fifo<CoreReq, 2>,
    pub core_rsp: Fifo<CoreRsp, 2>,
    pub bus_req: Fifo<BusReq, 2>,
    pub bus_rsp: Fifo<BusRsp, 2>,
    /// Unanswered requests of each warp.
    inside: [u16; WARPS],
    /// Bit w: warp w has some.
    busy: u64,
    warps: u32,
}

/// `inside` and `busy` follow from the rest of the L1's state.
impl Hash for Channels {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let Self { core_req, core_rsp, bus_req, bus_rsp, inside: _, busy: _, warps: _ } = self;
        (core_req, core_rsp, bus_req, bus_rsp).hash(hasher);
    }
}

/// Transfers of a cycle at the ports.
pub(super) struct Transfers<'a> {
    pub core_req: Option<&'a CoreReq>,
    pub core_rsp: Option<CoreRsp>,
    pub bus_req: bool,
    pub bus_rsp: Option<&'a BusRsp>,
}

impl Transfers<'_> {
    /// There is a transfer.
    #[inline(always)]
    pub fn any(&self) -> bool {
        self.core_req.is_some() | self.core_rsp.is_some() | self.bus_req | self.bus_rsp.is_some()
    }
}

impl Channels {
    pub fn new(warps: u32) -> Self {
        Self {
            core_req: Fifo::default(),
            core_rsp: Fifo::default(),
            bus_req: Fifo::default(),
            bus_rsp: Fifo::default(),
            inside: [0; WARPS],
            busy: 0,
            warps,
        }
    }

    /// Bit w: warp w has requests without an answer.
    #[inline(always)]
    pub fn busy(&self) -> u64 {
        self.busy
    }

    /// The clock edge: transfers at the ports.
    pub fn edge(&mut self, transfers: &Transfers) {
        if let Some(req) = transfers.core_req {
            self.core_req.push(*req);
            self.enters(req.warp);
        }
        if let Some(rsp) = transfers.core_rsp {
            self.core_rsp.pop();
            self.leaves(rsp.warp);
        }
        if transfers.bus_req {
            self.bus_req.pop();
        }
        if let Some(rsp) = transfers.bus_rsp {
            self.bus_rsp.push(*rsp);
        }
    }

    /// Warps that do not exist are not counted.
    fn enters(&mut self, warp: u8) {
        if u32::from(warp) < self.warps {
            self.inside[usize::from(warp)] += 1;
            self.busy |= 1 << warp;
        }
    }

    fn leaves(&mut self, warp: u8) {
        if u32::from(warp) < self.warps {
            let inside = &mut self.inside[usize::from(warp)];
            *inside -= 1;
            self.busy &= !(u64::from(*inside == 0) << warp);
        }
    }
}
