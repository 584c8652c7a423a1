//! What the stimuli of the two L1s of timestamp coherence have in common: their SM, the way from
//! the banks, a policy, and what is counted.

mod network;
mod phase;
mod sm;

use ports::timestamp::types::{Ask, Pick};

use crate::seen;
use crate::stimulus::{Count, Random, Reached};

pub use network::Network;
pub use phase::{Phase, Sizes};
pub use sm::Sm;

/// What the policy says.
pub fn pick(r: &mut Random, p: &Phase, ask: Option<Ask>) -> Option<Pick> {
    // Where it is not asked it means nothing.
    let chance = if ask.is_some() { p.pick } else { p.any_way };
    if !r.chance(chance) {
        return None;
    }
    let any = r.below(16) as u8;
    let ways = ask.map_or(0, |ask| ask.ways);
    let offered = (0..16).map(|n| (any + n) % 16).find(|way| ways >> way & 1 == 1);
    let way = offered.filter(|_| !r.chance(p.any_way)).unwrap_or(any);
    Some(Pick { keep: r.chance(p.keep), way })
}

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

/// The ports that both L1s have; `$most` is the largest of the counters.
macro_rules! count_ports {
    ($seen:expr, $input:expr, $out:expr, $warps:expr, $most:expr) => {{
        let (seen, input, out): (&mut $crate::stimulus::timestamp::timestamp_l1::Seen, _, _) =
            ($seen, $input, $out);
        if let Some(req) = &input.core_req {
            seen.core_req += u64::from(out.core_req_ready);
            seen.core_req_held += u64::from(!out.core_req_ready);
            let atomic = req.op == ports::timestamp::types::op::ATOM;
            if let (true, Some(row)) = (atomic, seen.aop.get_mut(usize::from(req.aop))) {
                *row += 1;
                seen.size[usize::from(req.sz)] += 1;
            }
        }
        if let Some(rsp) = &out.core_rsp {
            seen.core_rsp += u64::from(input.core_rsp_ready);
            seen.core_rsp_held += u64::from(!input.core_rsp_ready);
            seen.answer_of[usize::from(rsp.op)] += u64::from(input.core_rsp_ready);
        }
        if out.bus_req.is_some() {
            seen.bus_req += u64::from(input.bus_req_ready);
            seen.bus_req_held += u64::from(!input.bus_req_ready);
        }
        if input.bus_rsp.is_some() {
            seen.bus_rsp += u64::from(out.bus_rsp_ready);
            seen.bus_rsp_held += u64::from(!out.bus_rsp_ready);
        }
        seen.ask += u64::from(out.ask.is_some() && input.pick.is_some());
        seen.ask_held += u64::from(out.ask.is_some() && input.pick.is_none());
        seen.pick_without_ask += u64::from(out.ask.is_none() && input.pick.is_some());
        if let Some(event) = &out.event {
            seen.event += 1;
            seen.event_of[usize::from(event.kind)] += 1;
        }
        seen.err += u64::from(out.err.is_some());
        seen.all_warps_busy += u64::from(out.warp_busy.count_ones() == $warps);
        seen.counter_beyond_16_bits += u64::from($most > u32::from(u16::MAX));
    }};
}
pub(super) use count_ports;

/// What is seen at the ports, and rows of the tables.
#[derive(Clone, Debug)]
pub struct Tables {
    pub(super) ports: Seen,
    names: &'static [&'static str],
    rows: Box<[u64]>,
    /// Rows that are not reached yet.
    missing: Vec<&'static str>,
}

impl Tables {
    pub fn new(names: &'static [&'static str]) -> Self {
        let rows = vec![0; names.len()].into();
        let mut tables = Self { ports: Seen::default(), names, rows, missing: Vec::new() };
        tables.missing = tables.rows().iter().map(|(row, _)| *row).collect();
        tables
    }

    /// Rows that can be reached, and are not yet.
    pub fn missing(&mut self, can_reach: impl Fn(&str) -> bool) -> &[&'static str] {
        if !self.missing.is_empty() {
            let rows = self.rows();
            let is_missing = |row: &&str| rows.iter().any(|&(name, n)| name == *row && n == 0);
            self.missing.retain(|row| is_missing(row) && can_reach(row));
        }
        &self.missing
    }

    /// A cycle was these rows.
    pub fn count(&mut self, mut rows: u128) {
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
        let rows = self.names.iter().copied().zip(self.rows.iter().copied());
        rows.chain(self.ports.rows()).collect()
    }
}
