//! Stores, loads and epochs for an agent: the coalescing buffer, the L1 and the L2 of its CU, and a
//! manager that sometimes breaks the rules.

mod count;
mod draw;
mod manager;
mod phase;

use hwmodel::stc::epoch_agent::EpochAgent;
use ports::stc::epoch_agent::{Config, Counters, In, Out, err};
use ports::stc::types::{Epoch, Load, Store, kind};

use crate::stimulus::{Driver, LONG, Random, Stimulus, count};
use crate::{blocks, seen};
use manager::Manager;
use phase::{Order, Phase, all_bands};

crate::pair!(EpochAgent: ports::stc::types::Stc);

inventory::submit! {
    blocks::entry::<Inputs>("STC: holds a CU's stores until their band is granted")
}

const SLOTS: usize = 256;
/// Most demands without acknowledgement that are counted.
const MOST_DUE: u32 = 255;

/// What the block is about to do with the store in its input register.
#[derive(Clone, Copy, Debug)]
struct Due {
    slot: u8,
    addr: u32,
    /// It can only be issued at once where none of these holds.
    held: bool,
    no_credit: bool,
    direct_state: bool,
}

/// A store in the queue.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    addr: u32,
    /// It was there at the last change.
    old: bool,
}

/// The agent's state, as its outputs say it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    Run,
    Drain,
    Ready,
    Done,
}

impl At {
    fn of(out: &Out) -> Self {
        match (out.sweep, out.ready, out.done) {
            (true, ..) => Self::Drain,
            (_, true, false) => Self::Ready,
            (_, _, true) => Self::Done,
            _ => Self::Run,
        }
    }
}

/// The stimulus.
pub struct Inputs {
    /// Slots of stores that the block has, and where they wait in its queue.
    used: [bool; SLOTS],
    in_use: u32,
    queue: [Option<Waiting>; SLOTS],
    turn: u32,
    /// The store in the input register.
    input: Option<Store>,
    due: Option<Due>,
    /// Stores that were taken and are not acknowledged; one was in the cycle before.
    taken: u32,
    acked: bool,
    /// Demands without acknowledgement.
    demands: u32,
    manager: Manager,
    /// Queue at the last change, and cycles of the scan since then.
    at_change: (u32, u32),
}

seen! {
    transfers: st, st_out, wa, ld, ld_out, req, dmd_ack, cer_upd, err;
    rows:
        store["run_granted", "run_blocked", "drain_granted", "drain_blocked", "ready_granted",
            "ready_blocked", "done_granted", "done_blocked"],
        direct, behind_others, behind_held_store, no_credit, store_at_change,
        st_held, ld_held, ld_not_taken, full_queue, batch_first, slot_again,
        drain_waits_for_stores, drain_waits_for_sweep, ready_waits, done_waits,
        ack_and_issue, long_scan, scan_cut,
        seb_stays, seb_moves, epoch_stays,
        granted["one_band", "two_bands", "three_bands", "four_bands"],
        nocache, cached, load_waits_over_change,
        demand, conflict, demands_in_turn, conflict_behind_demand, late_demand, many_due,
        due_stays_at_most,
        err_code["err_slot", "err_ack", "err_early_change", "err_prep_fell", "err_epoch",
            "err_demand_ack"],
        slot_of["slot_of_input", "slot_of_issued", "slot_of_leaving", "slot_of_waiting"],
        early["early_change_in_run", "early_change_in_drain"],
        fell["prep_fell_in_drain", "prep_fell_in_ready"],
        illegal["no_bands", "many_bands", "low_seb", "high_seb"],
        ack_and_load, change_without_prep, several_errors, counter_beyond_16_bits,
}

/// Bits of an address that the block looks at.
fn cut(c: &Config, addr: u32) -> u32 {
    addr & (u32::MAX >> (32 - c.addr_w))
}

fn granted(c: &Config, cer: &Epoch, addr: u32) -> bool {
    cer.granted(cut(c, addr), c.band_bits)
}

impl Stimulus for Inputs {
    type Model = EpochAgent;
    type Phase = Phase;
    type Seen = Seen;

    fn start(_: &mut Driver<Self>) -> Self {
        Self {
            used: [false; SLOTS],
            in_use: 0,
            queue: [None; SLOTS],
            turn: 0,
            input: None,
            due: None,
            taken: 0,
            acked: false,
            demands: 0,
            manager: Manager::default(),
            at_change: (0, 0),
        }
    }

    fn phase(&mut self, d: &mut Driver<Self>) -> Phase {
        Phase::random(&mut d.random, &d.config)
    }

    fn long_phase(&mut self, d: &mut Driver<Self>) -> Option<Phase> {
        Some(Phase::long(&mut d.random, &d.config))
    }

    fn inputs(&mut self, d: &mut Driver<Self>, out: &Out) -> In {
        let (input, legal) = self.draw(d, out);
        self.count(d, &input, out);
        self.count_epochs(d, &input, out);
        self.count_requests(d, &input, out);
        self.follow_stores(d, &input, out, legal);
        input
    }

    fn can_reach(d: &Driver<Self>, row: &str) -> bool {
        let c = &d.config;
        let entries = c.bsq_banks * c.bsq_rd;
        match row {
            "req" | "dmd_ack" | "demand" | "demands_in_turn" | "late_demand" | "many_due"
            | "due_stays_at_most" => c.variant.has_demands(),
            "conflict" | "conflict_behind_demand" => c.variant.has_conflicts(),
            "two_bands" => c.max_bands > 1,
            "three_bands" => c.max_bands > 2,
            "four_bands" => c.max_bands > 3,
            "many_bands" => c.max_bands < c.bands(),
            "seb_moves" => c.seb_min < c.seb_max,
            // DONE and RUN last a cycle each.
            "long_scan" => c.bsq_n > entries,
            "scan_cut" => c.bsq_n > 2 * entries,
            "batch_first" => c.bsq_n > c.bsq_banks,
            _ => true,
        }
    }
}
