//! What a run of an L1 reaches: at its ports, and rows of the tables.

use hwmodel::timestamp::timestamp_l1::Row;
use ports::timestamp::timestamp_l1::{In, Out};
use ports::timestamp::types::op;

use crate::seen;
use crate::stimulus::{Count, Reached, count};

seen! {
    transfers: core_req, core_rsp, bus_req, bus_rsp, ask, event, err;
    rows:
        core_req_held, core_rsp_held, bus_req_held, bus_rsp_held, ask_held, pick_without_ask,
        answer_of["answers_load", "answers_store", "answers_atomic", "answers_op_3"],
        aop["add", "min", "max", "umin", "umax", "and", "or", "xor", "exchange"],
        size["elements_of_4", "elements_of_8"],
        event_of["used", "gone", "all_gone", "came"],
        all_warps_busy, counter_beyond_16_bits,
}

impl Seen {
    /// A cycle at the ports of an L1 with so many warps.
    fn ports(&mut self, input: &In, out: &Out, warps: u32) {
        count(input.core_req, out.core_req_ready, &mut self.core_req, &mut self.core_req_held);
        count(out.bus_req, input.bus_req_ready, &mut self.bus_req, &mut self.bus_req_held);
        count(input.bus_rsp, out.bus_rsp_ready, &mut self.bus_rsp, &mut self.bus_rsp_held);
        let rsp =
            count(out.core_rsp, input.core_rsp_ready, &mut self.core_rsp, &mut self.core_rsp_held);
        if let Some(rsp) = rsp {
            self.answer_of[usize::from(rsp.op)] += 1;
        }
        if let Some(req) = &input.core_req
            && let (op::ATOM, Some(row)) = (req.op, self.aop.get_mut(usize::from(req.aop)))
        {
            *row += 1;
            self.size[usize::from(req.sz)] += 1;
        }
        self.ask += u64::from(out.ask.is_some() && input.pick.is_some());
        self.ask_held += u64::from(out.ask.is_some() && input.pick.is_none());
        self.pick_without_ask += u64::from(out.ask.is_none() && input.pick.is_some());
        if let Some(event) = &out.event {
            self.event += 1;
            self.event_of[usize::from(event.kind)] += 1;
        }
        self.err += u64::from(out.err.is_some());
        self.all_warps_busy += u64::from(out.warp_busy.count_ones() == warps);
        let most = out.cnt.load_hit.max(out.cnt.hold_cycles);
        self.counter_beyond_16_bits += u64::from(most > u32::from(u16::MAX));
    }
}

/// What is seen at the ports, and rows of the tables.
#[derive(Clone, Debug)]
pub struct Tables {
    ports: Seen,
    rows: Box<[u64]>,
}

impl Default for Tables {
    fn default() -> Self {
        Self { ports: Seen::default(), rows: vec![0; Row::NAMES.len()].into() }
    }
}

impl Tables {
    /// A cycle of an L1 with so many warps, which was these rows.
    pub fn count(&mut self, input: &In, out: &Out, warps: u32, mut rows: u128) {
        self.ports.ports(input, out, warps);
        while rows != 0 {
            self.rows[rows.trailing_zeros() as usize] += 1;
            rows &= rows - 1;
        }
    }
}

impl Reached for Tables {
    fn transfers(&self) -> Vec<Count> {
        self.ports.transfers()
    }

    fn rows(&self) -> Vec<Count> {
        let rows = Row::NAMES.iter().copied().zip(self.rows.iter().copied());
        rows.chain(self.ports.rows()).collect()
    }
}
