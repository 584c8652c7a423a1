//! Fields that a machine does not read: a setting of one would have no effect.

use cosim::cpelide::SyncMode;
use ports::directory::coherence_directory::Variant;

use crate::build::OWN;
use crate::config::System;
use crate::config::bodies::Cp;
use crate::config::policy::Policy;
use crate::config::resolved::Resolved;
use crate::config::system_file::SystemError;
use crate::finepack::egress_path::PathKind;
use crate::l3;

/// Refuses settings that give a field of `system` another value than it has in `before`, and that
/// nothing reads.
pub fn check(
    set: &[(String, String)],
    before: &System,
    system: &System,
) -> Result<(), SystemError> {
    let table = |system: &System| toml::Table::try_from(system).ok();
    let (before, after) = (table(before), table(system));
    let value = |table: &Option<toml::Table>, key: &str| {
        let (section, field) = key.split_once('.').unwrap_or((key, ""));
        let value = table.as_ref()?.get(section)?;
        if field.is_empty() { Some(value.clone()) } else { value.get(field).cloned() }
    };
    for (key, text) in set {
        if let Some(why) = why(system, key)
            && value(&before, key) != value(&after, key)
        {
            let (key, value) = (key.clone(), text.clone());
            return Err(SystemError::Idle { key, value, why });
        }
    }
    Ok(())
}

/// Why nothing reads this field; none where something may.
fn why(system: &System, key: &str) -> Option<String> {
    let (section, field) = key.split_once('.').unwrap_or((key, ""));
    let (gpus, chiplets) = (system.machine.gpus, system.machine.chiplets);
    let (l1, l2, egress) = (&system.l1.design, &system.l2.design, &system.egress.design);
    let resolved = Resolved::of(system).ok()?;
    let Resolved { l2: design, policy, path, host, .. } = resolved;
    let has_hook = resolved.l1.bank.is_some() || resolved.l1.l2.is_some();
    let directory = design.directory;
    let only = |field: &str, design: &str, own: &str| {
        (own != design).then(|| format!("only {field} = {design} reads it, not {own}"))
    };
    let of_write_queue = || only("egress.design", PathKind::FinePack.name(), egress);
    match (section, field) {
        ("scale", _) => Some("it only documents the scaling of a preset".into()),
        ("directory", _) if directory.is_none() => {
            Some(format!("l2.design = {l2} has no directory"))
        }
        ("placement", "rotate") if chiplets == 1 => {
            Some("machine.chiplets = 1 has no other chiplet to rotate over".into())
        }
        ("directory" | "placement", _) if gpus * chiplets == 1 => {
            Some("there is no other chiplet to share lines with".into())
        }
        ("directory", "range" | "replacement") => only("l2.design", "rec", l2),
        ("directory", "ideal_lines") => only("l2.design", "ideal", l2),
        ("directory", "entries" | "ways") if directory == Some(Variant::Ideal) => {
            Some("l2.design = ideal never evicts an entry".into())
        }
        ("pipeline", _) => only("cu.issue", "scoreboard", &system.cu.issue),
        ("cu", "gap_cycles") => only("cu.issue", "gap", &system.cu.issue),
        ("l1", "bytes" | "ways" | "misses" | "hit_latency") if l1 == "none" => {
            Some("l1.design = none has no L1".into())
        }
        ("tlb", "page" | "shared_entries" | "shared_latency" | "walk_latency")
            if system.tlb.entries == 0 =>
        {
            Some("tlb.entries = 0: translation takes no time".into())
        }
        ("l1", "sector" | "sector_cycles" | "bypass")
            if l1 != "src" || system.sharing.l1 != "lru" =>
        {
            Some(format!("only l1.design = src with sharing.l1 = lru has l1.{field}"))
        }
        ("l1", "sector_cycles") if system.sector(system.l1.sector).is_none() => {
            Some(format!("l1.sector = {} fills whole lines", system.l1.sector))
        }
        ("network", "combine" | "combine_cycles" | "combine_store_cycles") if l1 != "src" => {
            Some("only requests of l1.design = src are combined".into())
        }
        ("network", "combine_cycles" | "combine_store_cycles") if system.network.combine == 0 => {
            Some("network.combine = 0 combines no requests".into())
        }
        ("l2", "sector") if has_hook || system.sharing.l2 != "lru" => {
            Some(format!("l1.design = {l1} or sharing.l2 keeps whole lines in the L2"))
        }
        ("l2", "load_sector" | "partial_sector") if l2 == OWN => {
            Some(format!("l1.design = {l1} has L2 banks of its own"))
        }
        ("l2", "atomic_request" | "atomic_sector" | "atomic_latency")
            if policy == Policy::Private || l2 == OWN =>
        {
            Some("L2 banks with l2.policy = home-forward or a directory perform atomics".into())
        }
        ("l2", "policy") if policy == Policy::Coherent => {
            Some(format!("l2.design = {l2} has a policy of its own"))
        }
        ("l3", "ways") if system.l3.bytes == 0 => {
            Some("with l3.bytes = 0 slices are memory controllers".into())
        }
        ("memory", "bytes" | "cycles") if system.memory.model == l3::DRAM => {
            Some("memory.model = dram has the rate of [dram]".into())
        }
        ("chiplet_link", _) if chiplets == 1 => {
            Some("machine.chiplets = 1 has no link between chiplets".into())
        }
        ("gpu_link" | "egress" | "finepack", _) if gpus == 1 => {
            Some("machine.gpus = 1 has no link between GPUs".into())
        }
        ("gpu_link", "generation" | "bytes_per_ns") if path == PathKind::Infinite => {
            Some("egress.design = infinite has no TLPs".into())
        }
        ("egress", "timeout" | "accounting") | ("finepack", "banks" | "order_queue_depth") => {
            of_write_queue()
        }
        ("finepack", "entries") if path != PathKind::WriteCombine => of_write_queue(),
        ("command_processor", "home_aware") if design.sync != SyncMode::Cpelide => {
            Some("only l2.design = cpelide has a chiplet coherence table".into())
        }
        ("command_processor", "ahead") if gpus > 1 => {
            Some("with machine.gpus > 1 the next kernel waits for all GPUs".into())
        }
        ("command_processor", "packet_cycles" | "elide_cycles") if host != Cp::Native => {
            Some("command_processor.host = core takes the cycles of the instructions".into())
        }
        ("command_processor", "elide_cycles") => match design.sync {
            SyncMode::Cpelide if chiplets > 1 => None,
            _ => Some("only l2.design = cpelide on several chiplets reads it".into()),
        },
        _ => None,
    }
}
