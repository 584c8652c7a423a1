//! Stores, loads and epochs for an agent: the coalescing buffer, the L1 and the L2 of its CU, and a
//! manager that sometimes breaks the rules.

mod count;
mod draw;
mod manager;
mod phase;

use hwmodel::Block;
use hwmodel::stc::epoch_agent::EpochAgent;
use ports::stc::epoch_agent::{Config, Counters, In, Out, err};
use ports::stc::types::{Epoch, Load, Store, kind};

use crate::blocks;
use crate::seen;
use crate::stimulus::{LongTime, NewStimulus, Random, Reached, Statics, Stimulus};
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
#[derive(Clone, Debug)]
pub struct Inputs {
    config: Config,
    random: Random,
    phase: Phase,
    long: LongTime,
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
    load: Option<Load>,
    /// Demands without acknowledgement.
    demands: u32,
    manager: Manager,
    /// What was before this cycle.
    last: Out,
    before: In,
    /// Queue at the last change, and cycles of the scan since then.
    at_change: (u32, u32),
    seen: Seen,
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

impl Inputs {
    fn granted(&self, cer: &Epoch, addr: u32) -> bool {
        cer.granted(self.cut(addr), self.config.band_bits)
    }

    fn cut(&self, addr: u32) -> u32 {
        addr & (u32::MAX >> (32 - self.config.addr_w))
    }
}

impl Stimulus for Inputs {
    type Model = EpochAgent;

    fn restart(&mut self, cycles: u64) {
        self.long = LongTime::plan(&mut self.random, cycles);
        self.phase = Phase::random(&mut self.random, &self.config);
        (self.used, self.in_use, self.queue) = ([false; SLOTS], 0, [None; SLOTS]);
        (self.input, self.due, self.load) = (None, None, None);
        (self.taken, self.acked) = (0, false);
        (self.demands, self.manager, self.at_change) = (0, Manager::default(), (0, 0));
        (self.last, self.before) = (Out::default(), In::default());
    }

    fn inputs(&mut self, out: &<EpochAgent as Block>::Out) -> In {
        if self.long.cycle() == Some(0) {
            self.phase = Phase::long(&mut self.random, &self.config);
        } else if self.phase.left == 0 {
            self.phase = Phase::random(&mut self.random, &self.config);
        }
        self.phase.left -= 1;
        let (input, legal) = self.draw(out);
        self.count(&input, out);
        self.count_epochs(&input, out);
        self.count_requests(&input, out);
        self.follow_stores(&input, out, legal);
        if out.ld_ready {
            self.load = None;
        }
        (self.last, self.before) = (*out, input);
        input
    }

    fn seen(&self) -> &dyn Reached {
        &self.seen
    }

    fn can_reach(&self, row: &str) -> bool {
        let c = &self.config;
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

impl NewStimulus for Inputs {
    fn unstarted(config: &Config, _statics: &Statics, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let phase = Phase::random(&mut random, config);
        Self {
            config: config.clone(),
            random,
            phase,
            long: LongTime::never(),
            used: [false; SLOTS],
            in_use: 0,
            queue: [None; SLOTS],
            turn: 0,
            input: None,
            due: None,
            taken: 0,
            acked: false,
            load: None,
            demands: 0,
            manager: Manager::default(),
            last: Out::default(),
            before: In::default(),
            at_change: (0, 0),
            seen: Seen::default(),
        }
    }
}
