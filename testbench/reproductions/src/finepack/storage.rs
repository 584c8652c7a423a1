//! Storage of the remote write queue, read off the declarations of its model.

use std::collections::BTreeMap;

use ports::Parameters;
use ports::finepack::remote_write_queue as queue;
use ports::finepack::types::FinePack;
use ports::{Port, Ports};

use crate::figure::{Ours, ours};

/// Caches of the GV100, L1 and L2 (FinePack section IV-B).
const GV100_CACHE_BYTES: f64 = 16.0 * 1024.0 * 1024.0;

/// Storage of the entries.
struct Storage {
    entries: u64,
    entry_bytes: u64,
    data_bytes: u64,
}

/// Storage with `banks` banks for `gpus` GPUs.
fn queue_storage(p: &FinePack, gpus: u32, banks: u32) -> Storage {
    let config: queue::Config = (&FinePack { num_gpus: gpus, banks, ..p.clone() }).into();
    let parameters: BTreeMap<_, _> = config.rtl_parameters().into_iter().collect();
    let outputs: Vec<Port> = queue::Out::declare(&config);
    let drain = outputs.iter().find(|p| p.field == "drain" && p.valid.is_some());
    let leaves = &drain.expect("the drain channel has a payload").leaves;
    // An entry leaves the queue as one drain beat: what it stores is the beat's data and mask.
    let bytes = |name: &str| {
        let bits: u32 = leaves.iter().filter(|l| l.name == name).map(|l| l.width).sum();
        u64::from(bits / 8)
    };
    let entries = parameters["Entries"] * parameters["Banks"] * u64::from(config.parts());
    Storage {
        entries,
        entry_bytes: bytes("data") + bytes("mask"),
        data_bytes: entries * bytes("data"),
    }
}

/// The named configuration of the paper (Table III).
const CONFIG: &str = "paper";

/// Figure F14.
pub(super) fn storage() -> Ours {
    let p = &cosim::settings::named::<FinePack>(CONFIG).expect("a configuration has this name");
    let one = queue_storage(p, p.num_gpus, 1);
    let two = queue_storage(p, p.num_gpus, p.banks);
    let [large, large_two] = [1, p.banks].map(|banks| queue_storage(p, 16, banks));
    let kib = |s: &Storage| s.data_bytes as f64 / 1024.0;
    let share = 100.0 * two.data_bytes as f64 / GV100_CACHE_BYTES;
    let text = format!(
        "{} x {} B per bank of {} GPUs; data {} KiB ({} GPUs, {} banks), {share:.2} % of GV100's \
         caches; {} KiB (16 GPUs, 1 bank), {} KiB ({} banks)",
        one.entries,
        one.entry_bytes,
        p.num_gpus,
        kib(&two),
        p.num_gpus,
        p.banks,
        kib(&large),
        kib(&large_two),
        p.banks
    );
    let values = [
        ("entries", one.entries as f64),
        ("entry_bytes", one.entry_bytes as f64),
        ("data_kib", kib(&two)),
        ("data_kib_16_gpus_1_bank", kib(&large)),
        ("data_kib_16_gpus", kib(&large_two)),
        ("percent_of_gv100_caches", share),
    ];
    ours(text, values)
}
