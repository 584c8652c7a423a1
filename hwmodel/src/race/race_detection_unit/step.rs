//! Stage C: the granules of a request, at most `lanes` in a cycle (specification 5.2).

use ports::race::types::{Req, req_kind};

use super::Config;
use super::choices::Choices;
use super::queue::show_request;
use crate::race::bloom::Granules;
use crate::state::{State, index_width};

/// A request in stage C.
#[derive(Clone, Copy, Debug)]
pub(super) struct Check {
    pub sm: u8,
    pub req: Req,
    /// Key of the line's first granule.
    base: u32,
    /// Bit k: granule k of the line is left.
    left: u128,
    step: u8,
    /// A granule was in the SM's signature.
    pub race: bool,
}

impl Check {
    pub fn new(sm: u8, req: Req, granules: Granules, choices: &Choices) -> Self {
        let line = granules.of_line(req.addr);
        let left = match req.kind {
            req_kind::RDCHK | req_kind::HITCHK if choices.whole_line => {
                u128::MAX >> (128 - line.count)
            }
            _ => granules.of_mask(req.mask),
        };
        Self { sm, req, base: line.first, left, step: 0, race: false }
    }

    /// It only reads signatures.
    #[inline(always)]
    pub fn is_read(&self) -> bool {
        matches!(self.req.kind, req_kind::RDCHK | req_kind::HITCHK)
    }

    /// This step is the last.
    #[inline(always)]
    pub fn is_last(&self, lanes: u32) -> bool {
        self.left.count_ones() <= lanes
    }

    /// One step: the keys of its granules, in their order.
    #[inline(always)]
    pub fn step(&mut self, lanes: u32, mut look: impl FnMut(u32) -> bool) -> u32 {
        let mut granules = 0;
        while granules < lanes && self.left != 0 {
            let key = self.base + self.left.trailing_zeros();
            self.left &= self.left - 1;
            self.race |= look(key);
            granules += 1;
        }
        self.step += 1;
        granules
    }
}

/// The registers of B, then of C.
pub(super) fn show_state(
    b: &Option<(u8, Req)>,
    c: &Option<Check>,
    state: &mut State,
    config: &Config,
) {
    let width = index_width(config.n_sm);
    let (sm, req) = b.unwrap_or_default();
    state.flag("b_valid", b.is_some());
    state.bits_while(b.is_some(), "b_sm", width, sm);
    state.part("b", |state| show_request(&req, state, b.is_some()));
    state.flag("c_valid", c.is_some());
    let held = c.is_some();
    let (sm, Req { kind, id, addr, .. }) = c.map_or((0, Req::default()), |c| (c.sm, c.req));
    state.bits_while(held, "c_sm", width, sm);
    state.bits_while(held, "c_kind", 2, kind);
    state.bits_while(held, "c_id", 8, id);
    state.bits_while(held, "c_addr", 32, addr);
    let (left, race) = c.map_or((0, false), |c| (c.left, c.race));
    state.bits_while(held, "c_left", (128 / config.gran).max(1), left);
    state.bits_while(held, "c_race", 1, u8::from(race));
}
