//! Sequential consistency by dynamic race detection (Tabbakh's thesis, chapter 4; race detection
//! specification): a race detection unit in the GPU, an access validation unit and a speculative
//! load queue beside each L1, L2 banks that serve in the unit's order, and an L1 whose load/store
//! unit keeps the rules (specification 5.6, 5.7). `race-ideal` has the same L1 and the same order,
//! and everything that the blocks do takes no time; `race-base` checks nothing.

mod bank;
mod beats;
mod blocks;
mod checks;
mod counted;
mod ideal;
mod ids;
mod lines;
mod load_store_unit;
mod misses;
mod numbers;
mod parameters;
mod rule;
mod systems;
mod unit;
mod waves;

use ports::message;

use crate::config::memory_model::{Fences, MemoryModel};
use crate::config::registry::registered;
use crate::l1::{Design, SRC};
use parameters::check;

const SPEC: Design = Design {
    name: "race-spec",
    about: "race detection; loads that hit continue speculatively during the check",
    promises: MemoryModel::Sc,
    fences: Fences::Gpu,
    orders_l2: true,
    sections: &[parameters::SECTION],
    asks_policy: false,
    check,
    core: load_store_unit::new,
    unit: Some(unit::new),
    bank: Some(bank::new),
    ..SRC
};
const NOSPEC: Design =
    Design { name: "race-nospec", about: "race detection; a CU waits for each check", ..SPEC };
const IDEAL: Design = Design {
    name: "race-ideal",
    about: "race detection; checks take no time",
    unit: None,
    bank: Some(bank::ideal),
    ..SPEC
};
const BASE: Design = Design {
    name: "race-base",
    about: "the L1 of race detection without checks",
    promises: MemoryModel::Rc,
    fences: Fences::Group,
    unit: None,
    bank: None,
    ..SPEC
};

inventory::submit! { registered(SPEC) }
inventory::submit! { registered(NOSPEC) }
inventory::submit! { registered(IDEAL) }
inventory::submit! { registered(BASE) }

message! {
    /// A request on its way to the unit, beside its address; bytes written are its payload.
    struct Notice() {
        kind: u8 = 2,
        id: u8 = 8,
        /// Number of the write, for the oracle of sequential consistency.
        write: u32 = 32,
    }
}
