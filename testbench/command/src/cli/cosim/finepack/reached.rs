//! What machines have reached, and how often.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use cosim::Mismatch;
use cosim::runner::Outcome;
use cosim::stimulus::Count;
use hwmodel::finepack::tlp_link::Sent;
use machine::{Checked, Machine};

use super::BLOCKS;
use super::draw::Case;

/// Rows of the coverage, and the statistics of the machine that they count.
const COUNTED: [(&str, &str); 18] = [
    ("flush_window", "egress.flush_window"),
    ("flush_payload", "egress.flush_payload"),
    ("flush_entries", "egress.flush_entries"),
    ("flush_load", "egress.flush_load"),
    ("flush_atomic", "egress.flush_atomic"),
    ("flush_release", "egress.flush_release"),
    ("flush_timeout", "egress.flush_timeout"),
    ("stall_bank", "egress.stall_bank"),
    ("stall_order_queue", "egress.stall_order_queue"),
    ("req_held", "egress.held"),
    ("tlp_held_by_link", "egress.held_by_link"),
    ("tlp_held_by_depacketizer", "ingress.held"),
    ("st_held_by_memory", "ingress.held_accesses"),
    ("remote_stores", "egress.stores"),
    ("remote_loads", "egress.loads"),
    ("remote_atomics", "egress.atomics"),
    ("pushed_stores", "l2.pushes"),
    ("releases", "egress.releases"),
];

/// Kinds of TLPs that a machine sends.
const KINDS: [&str; 5] = ["tlp_pack", "tlp_read", "tlp_mark", "tlp_fetch_add", "tlp_swap"];

/// TLPs, by kind.
#[derive(Clone, Debug, Default)]
pub struct Tlps([u64; KINDS.len()]);

impl Tlps {
    /// One has left a GPU: format and type are its first byte, and a MARK is a read of no byte
    /// (PCIe base specification 4.0, sections 2.2.1 and 2.2.5).
    pub fn see(&mut self, sent: &Sent) {
        let enables = sent.header[7];
        match sent.header[0] {
            0x6f => self.0[0] += 1,
            0x20 if enables != 0 => self.0[1] += 1,
            0x20 => self.0[2] += 1,
            0x6c => self.0[3] += 1,
            0x6d => self.0[4] += 1,
            _ => {}
        }
    }
}

/// What was reached.
#[derive(Clone, Debug, Default)]
pub struct Reached {
    statistics: BTreeMap<String, u64>,
    transfers: BTreeMap<&'static str, u64>,
    tlps: Rc<RefCell<Tlps>>,
    checked: Checked,
    programs: u64,
    with_copies: u64,
    with_chiplets: u64,
}

impl Reached {
    /// Where TLPs are counted.
    pub fn tlps(&self) -> Rc<RefCell<Tlps>> {
        self.tlps.clone()
    }

    /// Programs so far.
    pub fn programs(&self) -> u64 {
        self.programs
    }

    /// A machine has run.
    pub fn add(&mut self, case: &Case, machine: &Machine) {
        for (name, count) in machine.statistics() {
            *self.statistics.entry(name).or_default() += count;
        }
        for block in machine.blocks().iter().filter(|block| BLOCKS.contains(&block.name)) {
            for &(channel, count) in &block.transfers {
                // What leaves a block for another is counted once.
                if !(block.name == "packetizer" && channel == "drain") && channel != "err" {
                    *self.transfers.entry(channel).or_default() += count;
                }
            }
        }
        let (all, new) = (&mut self.checked, machine.checked());
        all.loads += new.loads;
        all.determined += new.determined;
        all.atomics += new.atomics;
        all.released_bytes += new.released_bytes;
        self.programs += 1;
        self.with_copies += u64::from(case.system.placement.policy.starts_with("replicated"));
        self.with_chiplets += u64::from(case.system.machine.chiplets > 1);
    }

    /// What came out of all of them.
    pub fn outcome(&self, cycles: u64, mismatch: Option<Mismatch>) -> Outcome {
        let counted = COUNTED
            .map(|(row, name)| (row, self.statistics.get(name).copied().unwrap_or_default()));
        let mut coverage: Vec<Count> = counted.into();
        coverage.extend(KINDS.into_iter().zip(self.tlps.borrow().0));
        coverage.extend([
            ("loads_checked", self.checked.loads),
            ("loads_of_one_value", self.checked.determined),
            ("atomics_checked", self.checked.atomics),
            ("bytes_after_releases", self.checked.released_bytes),
            ("programs", self.programs),
            ("programs_with_copies", self.with_copies),
            ("programs_on_chiplets", self.with_chiplets),
        ]);
        let transfers = self.transfers.iter().map(|(name, count)| (*name, *count)).collect();
        Outcome {
            cycles,
            transfers,
            busiest: Vec::new(),
            coverage,
            mismatch,
            window: None,
            unwritten: None,
        }
    }
}
