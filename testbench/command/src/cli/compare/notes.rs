//! What a reader of the table has to know beside it: what designs set, constants that dominate,
//! configurations that no paper has published, and differences that are within variation.

use std::collections::HashSet;

use cosim::fold::{Style, fold};
use machine::{PHASES, System, systems};

use super::super::record::Run;
use super::table::{count, is_within_variation, phase};
use super::vary::{Compared, Variant, perturbed};

/// Phases whose times are constants of the launch.
const CONSTANT: [&str; 2] = ["firmware", "latency"];
/// From this fraction of a run's cycles on these constants dominate.
const DOMINATES: f64 = 0.25;

/// Prints them.
pub fn print(compared: &Compared) {
    let mut notes = Vec::new();
    for (number, variant) in compared.variants.iter().enumerate() {
        notes.extend(sets(compared, number));
        let runs = compared.cells.iter().filter(|cell| cell.variant == number);
        let runs: Vec<&Run> = runs.filter_map(|cell| cell.run.as_ref()).collect();
        if compared.systems[number].machine.chiplets > 1 {
            notes.extend(elided(variant, &runs));
        }
        notes.extend(unpublished(compared, number));
    }
    notes.extend(constants(compared));
    notes.extend(variation(compared));
    // Rows that vary another field have the same notes.
    let mut seen = HashSet::new();
    for note in notes.iter().filter(|note| seen.insert(*note)) {
        println!("{}", fold(note, 2, Style::Text));
    }
}

/// What the variant of a design has set, and which of it another setting has overridden.
fn sets(compared: &Compared, number: usize) -> Vec<String> {
    let (variant, system) = (&compared.variants[number], &compared.systems[number]);
    let named = variant.values.iter().find(|(field, _)| field == systems::DESIGN);
    let own = named.and_then(|(_, name)| systems::variant(&compared.args.system, name).ok());
    let (Some((_, name)), Some(own)) = (named, own) else { return Vec::new() };
    let (kept, lost): (Vec<_>, Vec<_>) =
        own.set.iter().partition(|(key, value)| has(system, key, value));
    let text = |set: Vec<&(&str, &str)>| {
        set.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(" ")
    };
    let mut notes = vec![format!("{name} sets {}", text(kept))];
    if !lost.is_empty() {
        notes.push(format!(
            "{name} is not in its published configuration: other settings override {}",
            text(lost)
        ));
    }
    notes
}

/// What a chiplet coherence table has saved.
fn elided(variant: &Variant, runs: &[&Run]) -> Option<String> {
    let sum = |name: &str| runs.iter().map(|run| count(run, name)).sum::<u64>();
    let [acquires, releases] = ["acquires", "releases"].map(|what| {
        let elided = sum(&format!("firmware.{what}_elided"));
        (elided, elided + sum(&format!("launch.{what}")))
    });
    // Without a table nothing is elided: there is nothing to send.
    let has_table = sum("firmware.max_entries") > 0;
    (has_table && acquires.1 + releases.1 > 0).then(|| {
        format!(
            "{} elides {} of {} acquires and {} of {} releases",
            variant.label(),
            acquires.0,
            acquires.1,
            releases.0,
            releases.1
        )
    })
}

/// A design of a paper that a field names alone, without what its paper set besides.
fn unpublished(compared: &Compared, number: usize) -> Option<String> {
    let (variant, system) = (&compared.variants[number], &compared.systems[number]);
    let named = |(field, _): &&(String, String)| field.ends_with(".design");
    let (field, value) = variant.values.iter().find(named)?;
    let known = systems::variants(&compared.args.system);
    let names = |set: &[(&str, &str)]| set.contains(&(field.as_str(), value.as_str()));
    let of: Vec<_> = known.iter().map(|(_, v)| v).filter(|v| names(v.set)).collect();
    let missing = |v: &systems::Variant| {
        let set = v.set.iter().map(|(k, v)| (k.to_string(), v.to_string()));
        let other: Vec<_> = set.filter(|(key, value)| !has(system, key, value)).collect();
        other.into_iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>()
    };
    if of.iter().any(|v| missing(v).is_empty()) {
        return None;
    }
    // Of several the one that bears the value's name.
    let variant = match of[..] {
        [variant] => variant,
        _ => *of.iter().find(|v| v.name == value)?,
    };
    let missing = missing(variant);
    (!missing.is_empty()).then(|| {
        format!(
            "{value} is not in its published configuration, which has {}: --vary {}={} sets it",
            missing.join(" "),
            systems::DESIGN,
            variant.name
        )
    })
}

/// Whether a system's field has this value.
fn has(system: &System, key: &str, value: &str) -> bool {
    let table = toml::Table::try_from(system).unwrap_or_default();
    let (section, field) = key.split_once('.').unwrap_or((key, ""));
    let found = table.get(section).and_then(|section| section.get(field));
    found.is_some_and(|found| match found {
        toml::Value::String(text) => text == value,
        other => other.to_string() == value,
    })
}

/// Launches whose constants take a large part of the time.
fn constants(compared: &Compared) -> Option<String> {
    let constant = |run: &Run, system: &System| {
        CONSTANT.iter().map(|name| phase(run, system, name)).sum::<f64>()
    };
    let mut worst: Option<(f64, &Run, usize)> = None;
    for cell in &compared.cells {
        let Some(run) = &cell.run else { continue };
        let fraction = constant(run, &compared.systems[cell.variant]);
        if worst.is_none_or(|(most, ..)| fraction > most) {
            worst = Some((fraction, run, cell.variant));
        }
    }
    let (_, run, number) = worst.filter(|(fraction, ..)| *fraction >= DOMINATES)?;
    let (variant, system) = (&compared.variants[number], &compared.systems[number]);
    let cycles = match &system.command_processor.host[..] {
        "native" => format!(
            "a packet takes {} cycles and a launch decision {} (command_processor.packet_cycles, \
             elide_cycles)",
            system.command_processor.packet_cycles, system.command_processor.elide_cycles
        ),
        _ => "a launch decision takes the cycles of the firmware's instructions \
              (command_processor.host=core)"
            .to_string(),
    };
    let scaled = match system.scale {
        1 => String::new(),
        scale => format!(
            "; this system is scaled by 1/{scale}, launches are not: the full-size system shows \
             the published effect"
        ),
    };
    let parts = PHASES
        .iter()
        .filter(|(name, _)| *name != "idle")
        .map(|(name, text)| format!("{text} {:.0} %", 100.0 * phase(run, system, name)));
    let parts: Vec<_> = parts.collect();
    Some(format!("{}: {} of the time; {cycles}{scaled}", variant.label(), parts.join(", ")))
}

/// Differences whose sign changes under perturbation.
fn variation(compared: &Compared) -> Option<String> {
    if perturbed(compared.args) == 0 {
        return None;
    }
    let workload = (compared.args.workload.len() == 1).then_some(0);
    let is_within = |number: &usize| {
        let means = compared.means(*number, workload);
        means.is_some_and(|all| is_within_variation(&all) && all.iter().any(|s| *s != 1.0))
    };
    let numbers = (1..compared.variants.len()).filter(is_within);
    let labels: Vec<_> = numbers.map(|number| compared.variants[number].label()).collect();
    let first = compared.variants[0].label();
    let note = match &labels[..] {
        [] if workload.is_some() => return None,
        [] => String::new(),
        _ => format!(
            "{}: the difference from {first} is within run-to-run variation (its sign changes \
             under perturbation)",
            labels.join(", ")
        ),
    };
    let marked = |number: usize| {
        (0..compared.args.workload.len()).any(|workload| {
            let means = compared.means(number, Some(workload));
            means.is_some_and(|all| is_within_variation(&all))
        })
    };
    match note.is_empty() {
        true if !(1..compared.variants.len()).any(marked) => None,
        true => Some("~ within run-to-run variation: the sign changes under perturbation".into()),
        false => Some(note),
    }
}
