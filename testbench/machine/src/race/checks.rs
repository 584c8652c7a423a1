//! What decides whether an L1 may use a line: the blocks, the same in no time, or none.

use std::fmt::Debug;

use ports::race::types::{
    Alloc, Done, Fill, LoadName, Lookup, Req, Rsp, req_kind, result, rsp_kind,
};

use crate::check::sequential::WriteId;
use crate::context::Context;
use crate::engine::Cycle;
use crate::l1::Port;
use crate::statistics::CounterValues;

/// What is shown in a cycle, all of it functions of registers.
#[derive(Clone, Copy, Debug, Default)]
pub struct View {
    /// A beat of the unit is taken.
    pub rsp_ready: bool,
    /// A lookup is.
    pub lk_ready: bool,
    /// The result of the one of the cycle before: [`result`].
    pub rs: Option<u8>,
    /// Requests whose answer is not complete.
    pub out: u32,
    /// A load that hits while there are some gets a slot.
    pub alloc_ready: bool,
    /// Bit w: warp w has a load that may have to be done again.
    pub spec: u64,
    /// A load is right.
    pub commit: Option<LoadName>,
    /// A load must be done again.
    pub replay: Option<LoadName>,
}

/// What the L1 does in a cycle.
#[derive(Clone, Copy, Debug, Default)]
pub struct Act {
    pub rsp: Option<Rsp>,
    pub lk: Option<Lookup>,
    pub fill: Option<Fill>,
    pub hc_clr: Option<u8>,
    pub alloc: Option<Alloc>,
    /// A request is sent to the unit, which answers later.
    pub inc: bool,
}

impl Act {
    /// It does nothing.
    pub fn is_nothing(&self) -> bool {
        let Self { rsp, lk, fill, hc_clr, alloc, inc } = self;
        let comes = rsp.is_some() | lk.is_some() | fill.is_some() | hc_clr.is_some();
        !(comes | alloc.is_some() | *inc)
    }
}

/// Which rules of the load/store unit hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Config {
    /// Loads go on while answers are outstanding.
    Spec,
    /// Nothing goes on (specification 5.8).
    NoSpec,
    /// Answers take no time.
    Ideal,
    /// There are no checks.
    Base,
}

/// Decides.
pub trait Checks: Debug {
    /// A cycle begins, perhaps after some in which nothing came. True where these may have changed
    /// what is shown: then the view is of the new cycle.
    fn begin(&mut self, ctx: &mut Context) -> bool;

    /// What is shown in it; after `end`, in the next one.
    fn view(&self) -> View;

    /// An answer that is complete and in force in this cycle; asked until there is none.
    fn next_done(&mut self) -> Option<Done>;

    /// How many epochs ago an epoch began, modulo what an epoch can say.
    fn age(&self, epoch: u8) -> u8;

    /// Whether a request can be sent to the unit now.
    fn may_send(&mut self, port: &mut Port) -> bool;

    /// Sends it, which must be possible. `write`: its number as a write, if it is one. Gives the
    /// answer where it takes no time at all.
    fn send(&mut self, port: &mut Port, request: Req, write: WriteId) -> Option<Done>;

    /// Whether a beat of the unit shows in this cycle.
    fn has_beat(&self, _ctx: &Context) -> bool {
        false
    }

    /// Takes the beat that shows, for `end`; none where none does.
    fn take_beat(&mut self, _ctx: &mut Context) -> Option<Rsp> {
        None
    }

    /// When the SM is to be visited for a beat, as far as that is known once the cycle is over.
    fn next_beat(&self, _ctx: &Context) -> Option<Cycle> {
        None
    }

    /// The cycle ends.
    fn end(&mut self, ctx: &mut Context, act: &Act);

    /// Whether the cycles to come may be left out in each of which a line that the L1 does not hold
    /// is looked up, as in the one that has ended, until something comes: nothing else happens in
    /// them, and no waveform or report needs them one by one.
    fn may_repeat(&self, _ctx: &Context) -> bool {
        false
    }

    /// So many of those cycles have passed. Some without a lookup follow them unless `goes_on`.
    fn repeat(&mut self, _lookups: u32, _goes_on: bool) {}

    /// Cycles in which nothing happens unless something comes.
    fn quiet_cycles(&self) -> Cycle;

    /// Counters by name.
    fn counters(&self, _all: &mut CounterValues) {}
}

/// No checks: what is held may be used until the kernel ends.
#[derive(Debug, Default)]
pub struct NoChecks {
    rs: Option<u8>,
}

impl Checks for NoChecks {
    fn begin(&mut self, _ctx: &mut Context) -> bool {
        false
    }

    fn view(&self) -> View {
        View { lk_ready: true, rs: self.rs, ..View::default() }
    }

    fn next_done(&mut self) -> Option<Done> {
        None
    }

    fn age(&self, _epoch: u8) -> u8 {
        0
    }

    fn may_send(&mut self, _port: &mut Port) -> bool {
        true
    }

    fn send(&mut self, _port: &mut Port, request: Req, _write: WriteId) -> Option<Done> {
        let kind = match request.kind {
            req_kind::WRITE | req_kind::ATOM => rsp_kind::WACK,
            _ => rsp_kind::NORACE,
        };
        Some(Done { kind, id: request.id, epoch: 0, sync: false })
    }

    fn end(&mut self, _ctx: &mut Context, act: &Act) {
        let judge = |lk: Lookup| if lk.tag_hit { result::HIT } else { result::MISS_COLD };
        self.rs = act.lk.map(judge);
    }

    fn may_repeat(&self, ctx: &Context) -> bool {
        ctx.recorder.is_none()
    }

    fn repeat(&mut self, _lookups: u32, goes_on: bool) {
        self.rs = self.rs.filter(|_| goes_on);
    }

    fn quiet_cycles(&self) -> Cycle {
        if self.rs.is_some() { 0 } else { Cycle::MAX }
    }
}
