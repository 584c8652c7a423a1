//! The four channels of an L1, and whose requests are inside.

use std::hash::{Hash, Hasher};

use ports::timestamp::types::{BusReq, BusRsp, CoreReq, CoreRsp};

use crate::common::fifo::Fifo;

const WARPS: usize = 64;

/// Two places each. A place that is freed in a cycle can be used in the next: in a cycle the action
/// comes first, then [`Channels::edge`].
#[derive(Clone, Debug)]
pub(super) struct Channels {
    pub core_req: Fifo<CoreReq, 2>,
    pub core_rsp: Fifo<CoreRsp, 2>,
    pub bus_req: Fifo<BusReq, 2>,
    pub bus_rsp: Fifo<BusRsp, 2>,
    /// Requests of each warp without an answer; bit w: warp w has some.
    inside: [u16; WARPS],
    busy: u64,
    warps: u32,
}

/// Whose requests are inside follows from what an L1 holds.
impl Hash for Channels {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let Self { core_req, core_rsp, bus_req, bus_rsp, inside: _, busy: _, warps: _ } = self;
        (core_req, core_rsp, bus_req, bus_rsp).hash(hasher);
    }
}

/// What is transferred in a cycle.
pub(super) struct Moves<'a> {
    pub core_req: Option<&'a CoreReq>,
    pub core_rsp: Option<CoreRsp>,
    pub bus_req: bool,
    pub bus_rsp: Option<&'a BusRsp>,
}

impl Moves<'_> {
    /// Something is.
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

    /// The end of a cycle.
    pub fn edge(&mut self, moves: &Moves) {
        if let Some(req) = moves.core_req {
            self.core_req.push(*req);
            self.enters(req.warp);
        }
        if let Some(rsp) = moves.core_rsp {
            self.core_rsp.pop();
            self.leaves(rsp.warp);
        }
        if moves.bus_req {
            self.bus_req.pop();
        }
        if let Some(rsp) = moves.bus_rsp {
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
