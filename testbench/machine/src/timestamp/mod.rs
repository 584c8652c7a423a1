//! Timestamp coherence (Tabbakh's thesis, chapter 3): G-TSC in logical time, and TC-Strong and
//! TC-Weak in physical time, with which it is compared. The L1s and the L2 banks are the blocks,
//! whole caches; the parts here carry their messages over the machine's networks.

mod bank;
mod cache;
mod counted;
mod keeps;
mod parameters;
mod places;
mod rule;
mod systems;
mod unit;

use cosim::cpelide::SyncMode;
use ports::message;

use crate::build::make::Make;
use crate::check::timed::Clock;
use crate::config::memory_model::{Fences, MemoryModel};
use crate::config::registry::registered;
use crate::l1::{Design, SRC};
use crate::l2;
use parameters::check;

/// A bank is released at a kernel's end. What it holds it keeps: it drops what the host writes, and
/// lines of other GPUs it never has.
const L2: l2::Design = l2::Design {
    name: "own",
    about: "the L2 that comes with the L1 design",
    // It performs all that is done to a line, one after another.
    promises: MemoryModel::Sc,
    directory: None,
    asks_policy: true,
    bank: bank::new,
    sync: SyncMode::Hmg,
};

const GTSC_RC: Design = Design {
    name: "gtsc-rc",
    about: "G-TSC: leases in logical time; fences order a wave's accesses",
    fences: Fences::Gpu,
    sections: &[parameters::SECTION],
    asks_policy: true,
    check,
    core: cache::new,
    unit: Some(unit::new),
    clock: Some(Clock::Logical),
    l2: Some(L2),
    ..SRC
};
const GTSC_SC: Design = Design {
    name: "gtsc-sc",
    about: "G-TSC: leases in logical time; a wave issues an access when the one before has ended",
    promises: MemoryModel::Sc,
    ..GTSC_RC
};
const TC_WEAK: Design = Design {
    name: "tc-weak",
    about: "TC: leases in physical time; a fence waits for the leases of written lines",
    fences: Fences::Own,
    unit: None,
    clock: Some(Clock::Physical),
    ..GTSC_RC
};
const TC_STRONG: Design = Design {
    name: "tc-strong",
    about: "TC: leases in physical time; a write waits for the leases of its line",
    promises: MemoryModel::Sc,
    fences: Fences::Gpu,
    ..TC_WEAK
};

inventory::submit! { registered(GTSC_RC) }
inventory::submit! { registered(GTSC_SC) }
inventory::submit! { registered(TC_WEAK) }
inventory::submit! { registered(TC_STRONG) }

message! {
    /// What a request says beside its line.
    struct Request(ts_w: u32) {
        rep: u8 = 2,
        id: u8 = 8,
        wts: u32 = ts_w,
        warp_ts: u32 = ts_w,
    }
}

message! {
    /// What an answer says.
    struct Answer(ts_w: u32) {
        op: u8 = 2,
        rep: u8 = 2,
        ok: bool = 1,
        id: u8 = 8,
        wts: u32 = ts_w,
        rts: u32 = ts_w,
    }
}

message! {
    /// What the unit sees of an L1.
    struct OfL1() {
        /// Its generation.
        rep_ack: u8 = 2,
        /// Number of the kernel's end that it has asked for, modulo 4.
        asked: u8 = 2,
    }
}

message! {
    /// What an L1 sees of the unit.
    struct ToL1() {
        rep: u8 = 2,
        /// Number of the kernel's end that is over.
        over: u8 = 2,
    }
}

message! {
    /// What the unit sees of a bank.
    struct OfBank() {
        ovf: bool = 1,
        halted: bool = 1,
        rst_done: bool = 1,
    }
}

message! {
    /// What a bank sees of the unit.
    struct ToBank() {
        halt: bool = 1,
        rst: bool = 1,
    }
}

/// Number of the CU beside which something is made.
fn sm_of(make: &Make) -> u32 {
    let Make { chiplet, number, system, .. } = make;
    let m = &system.machine;
    u32::from(chiplet % m.chiplets) * u32::from(m.cus) + u32::from(*number)
}
