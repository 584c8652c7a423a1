//! The L2 designs: who keeps the bank of `bank.rs` coherent, and when it is released and acquired.

use cosim::cpelide::SyncMode;
use ports::directory::coherence_directory::Variant;

use super::Design;
use super::bank::Bank;
use super::directory::Directory;
use crate::memory_model::MemoryModel;

inventory::submit! { SOFTWARE }
inventory::submit! { CPELIDE }
inventory::submit! { UNCONTROLLED }
inventory::submit! { DIRECTORY }
inventory::submit! { HMG }
inventory::submit! { REC }
inventory::submit! { IDEAL }

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

/// The same, released and acquired only where the chiplet coherence table says so (CPElide, MICRO
/// 2024).
const CPELIDE: Design = Design {
    name: "cpelide",
    about: "the command processor's chiplet coherence table elides releases and acquires",
    sync: SyncMode::Cpelide,
    ..SOFTWARE
};

/// The same, and nobody releases or acquires it.
const UNCONTROLLED: Design = Design {
    name: "none",
    about: "no release and no acquire at kernel boundaries; for negative tests",
    promises: MemoryModel::None,
    sync: SyncMode::None,
    ..SOFTWARE
};

/// An L2 caches lines of other chiplets, kept coherent by a directory beside the bank at the home
/// of each line (REC, J. Systems Architecture 160, 2025, section 2; directory specification,
/// section 6). Lines of the own chiplet are written back, those of others are written through to
/// their home; atomics run at the home.
const DIRECTORY: Design = Design {
    name: "directory",
    about: "L2s cache remote lines; the home's directory has an entry for each line",
    directory: Some(Variant::Baseline),
    bank: |make, spec| {
        let directory = Directory::make(make)?;
        Ok(Box::new(Bank::new(spec, directory.map(|hook| Box::new(hook) as _))))
    },
    sync: SyncMode::Hmg,
    ..SOFTWARE
};

const HMG: Design = Design {
    name: "hmg",
    about: "as `directory`; an entry covers four lines with one set of sharers",
    directory: Some(Variant::Hmg),
    ..DIRECTORY
};

const REC: Design = Design {
    name: "rec",
    about: "as `directory`; an entry covers a range of lines, each with its own sharers",
    directory: Some(Variant::Rec),
    ..DIRECTORY
};

const IDEAL: Design = Design {
    name: "ideal",
    about: "as `directory`; the directory never evicts an entry",
    directory: Some(Variant::Ideal),
    ..DIRECTORY
};
