//! What a run of the chain reached, and how often.

use cosim::Mismatch;
use cosim::runner::Outcome;
use cosim::stimulus::Count;
use ports::common::finepack_types::FinePack;

use super::gpus::Seen;

/// What the run reached.
#[derive(Clone, Debug, Default)]
pub(super) struct Reached {
    pub cause: [u64; 8],
    pub egress_error: [u64; 16],
    pub ingress_error: [u64; 16],
    pub stall_bank: u64,
    pub stall_order: u64,
    pub req_held: u64,
    pub link_held: u64,
    pub ingress_held: u64,
    pub memory_held: u64,
    pub accepted: u64,
    pub arrived: u64,
    pub released: u64,
    pub returned: u64,
    pub rogues: u64,
    pub release_compares: u64,
    pub final_compares: u64,
}

impl Reached {
    pub fn observe(&mut self, seen: &Seen, p: &FinePack) {
        for cause in &seen.evt.flush_cause[..p.num_gpus as usize - 1] {
            self.cause[usize::from(*cause)] += 1;
        }
        self.egress_error[usize::from(seen.egress_error.unwrap_or(0))] += 1;
        self.ingress_error[usize::from(seen.ingress_error.unwrap_or(0))] += 1;
        self.stall_bank += u64::from(seen.evt.stall & 1);
        self.stall_order += u64::from(seen.evt.stall >> 1);
        self.link_held += u64::from(seen.link_held);
        self.ingress_held += u64::from(seen.ingress_held);
        self.accepted += u64::from(seen.accepted);
        self.arrived += u64::from(seen.arrived.is_some());
        self.released += u64::from(seen.released.is_some());
    }

    pub fn outcome(&self, cycles: u64, mismatch: Option<Mismatch>) -> Outcome {
        let coverage: Vec<Count> = vec![
            ("flush_window", self.cause[1]),
            ("flush_payload", self.cause[2]),
            ("flush_entries", self.cause[3]),
            ("flush_load", self.cause[4]),
            ("flush_atomic", self.cause[5]),
            ("flush_release", self.cause[6]),
            ("flush_timeout", self.cause[7]),
            ("stall_bank", self.stall_bank),
            ("stall_order_queue", self.stall_order),
            ("req_held", self.req_held),
            ("tlp_held_by_link", self.link_held),
            ("tlp_held_by_depacketizer", self.ingress_held),
            ("st_held_by_memory", self.memory_held),
            ("rogue_tlps", self.rogues),
            ("err_1_zero_mask", self.egress_error[1]),
            ("err_2_bad_dest", self.egress_error[2]),
            ("err_3_bad_op", self.egress_error[3]),
            ("err_4_address_overflow", self.ingress_error[4]),
            ("err_5_unknown_type", self.ingress_error[5]),
            ("err_6_sub_header", self.ingress_error[6]),
            ("err_7_truncated", self.ingress_error[7]),
            ("err_8_poisoned", self.ingress_error[8]),
            ("err_9_spurious_completion", self.egress_error[9]),
            ("values_returned_and_checked", self.returned),
            ("memories_after_release", self.release_compares),
            ("memories_at_the_end", self.final_compares),
        ];
        let transfers = vec![("req", self.accepted), ("st", self.arrived), ("rel", self.released)];
        Outcome { cycles, transfers, busiest: Vec::new(), coverage, mismatch, unwritten: None }
    }
}
