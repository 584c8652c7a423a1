//! L2 designs with a coherence directory at the home of each line: baseline, HMG, REC, ideal.

mod hook;
mod systems;

use cosim::cpelide::SyncMode;
use ports::directory::coherence_directory::Variant;

use crate::config::registry::registered;
use crate::l2::bank::Bank;
use crate::l2::{Design, SOFTWARE};
use hook::Directory;

inventory::submit! { registered(DIRECTORY) }
inventory::submit! { registered(HMG) }
inventory::submit! { registered(REC) }
inventory::submit! { registered(IDEAL) }

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
