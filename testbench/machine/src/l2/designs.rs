//! The L2 designs: who keeps the bank of `bank.rs` coherent, and when it is released and acquired.

use cosim::cpelide::SyncMode;

use super::Design;
use super::bank::Bank;
use crate::config::memory_model::MemoryModel;
use crate::config::registry::registered;

inventory::submit! { registered(SOFTWARE) }
inventory::submit! { registered(UNCONTROLLED) }

/// Software keeps L2s coherent: releases write dirty lines back, acquires drop clean ones (CPElide,
/// MICRO'24, section II-C; system semantics: policies `private` and `home-forward`).
pub const SOFTWARE: Design = Design {
    name: "software",
    about: "every L2 is released after and invalidated before each kernel",
    promises: MemoryModel::Rc,
    directory: None,
    asks_policy: true,
    bank: |_, spec| Ok(Box::new(Bank::new(spec, None))),
    sync: SyncMode::Baseline,
};

/// The same, without releases and acquires.
const UNCONTROLLED: Design = Design {
    name: "none",
    about: "no release and no acquire at kernel boundaries; for negative tests",
    promises: MemoryModel::None,
    sync: SyncMode::None,
    ..SOFTWARE
};
