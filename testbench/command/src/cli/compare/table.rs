//! What a comparison shows: a table of combinations, or of programs; the same as CSV and JSON.

use std::collections::BTreeMap;

use cosim::fold::columns;
use machine::{System, systems};

use super::super::record::{self, VariedRun, VariedVariant};
use super::super::text::{csv as quoted, digits, lines};
use super::vary::{Compared, Variant, perturbed};

/// What is shown of a run.
struct Shown {
    /// Head of the column.
    head: &'static str,
    /// Whether machines like this one have it.
    has: fn(&System) -> bool,
    /// The cell.
    of: fn(&record::Run, &System) -> String,
}

/// Columns behind cycles and speedup.
const SHOWN: [Shown; 8] = [
    Shown { head: "kernels", has: |_| true, of: |run, s| percent(phase(run, s, "kernel")) },
    Shown { head: "L2 ops", has: |_| true, of: |run, s| percent(phase(run, s, "sync")) },
    Shown { head: "firmware", has: |_| true, of: |run, s| percent(phase(run, s, "firmware")) },
    Shown {
        head: "L1 hits",
        has: |s| s.machine.chiplets == 1 && s.machine.gpus == 1 && s.l1.design != "none",
        of: |run, _| ratio(run, "l1.hits", "l1.loads"),
    },
    Shown { head: "L2 hits", has: |_| true, of: |run, _| ratio(run, "l2.hits", "l2.reads") },
    Shown {
        head: "inter-chiplet",
        has: |s| s.machine.chiplets > 1,
        of: |run, _| bytes(group(run, "traffic.link.")),
    },
    Shown {
        head: "inter-GPU",
        has: |s| s.machine.gpus > 1,
        of: |run, _| bytes(count(run, "gpu_link.wire_bytes")),
    },
    Shown {
        head: "DRAM",
        has: |_| true,
        of: |run, s| {
            let lines = count(run, "l3.fetches") + count(run, "memory.writes");
            // Machines that transfer parts of lines count bytes.
            let parts = count(run, "memory.bytes_read") + count(run, "memory.bytes_written");
            bytes(if parts > 0 { parts } else { lines * u64::from(s.machine.line) })
        },
    },
];

/// A counter; 0 where the machine has none of this name.
pub fn count(run: &record::Run, name: &str) -> u64 {
    run.counters.get(name).copied().unwrap_or(0)
}

fn group(run: &record::Run, start: &str) -> u64 {
    let group = run.counters.iter().filter(|(name, _)| name.starts_with(start));
    group.map(|(_, value)| value).sum()
}

/// The fraction of a run's cycles in a phase of [`machine::PHASES`], as the mean of the GPUs.
pub fn phase(run: &record::Run, system: &System, name: &str) -> f64 {
    let all = run.cycles as f64 * f64::from(system.machine.gpus);
    count(run, &format!("launch.cycles.{name}")) as f64 / all.max(1.0)
}

fn percent(fraction: f64) -> String {
    format!("{:.1} %", 100.0 * fraction)
}

fn ratio(run: &record::Run, of: &str, all: &str) -> String {
    match count(run, all) {
        0 => "-".to_string(),
        all => percent(count(run, of) as f64 / all as f64),
    }
}

/// Bytes with three digits.
fn bytes(bytes: u64) -> String {
    let (mut value, mut unit) = (bytes as f64, "B");
    for next in ["kB", "MB", "GB", "TB"] {
        if value < 999.5 {
            break;
        }
        (value, unit) = (value / 1000.0, next);
    }
    match value {
        _ if unit == "B" => format!("{value} B"),
        v if v < 9.995 => format!("{v:.2} {unit}"),
        v if v < 99.95 => format!("{v:.1} {unit}"),
        v => format!("{v:.0} {unit}"),
    }
}

/// Least and greatest.
pub fn range(all: &[f64]) -> [f64; 2] {
    all.iter().fold([f64::INFINITY, 0.0], |[low, high], &s| [low.min(s), high.max(s)])
}

/// Whether a speedup's sign changes under perturbation.
pub fn is_within_variation(all: &[f64]) -> bool {
    let [low, high] = range(all);
    low <= 1.0 && high >= 1.0
}

/// Prints the table: of one program by combination, of several by program.
pub fn print(compared: &Compared) {
    let args = compared.args;
    let scale = compared.systems[0].scale;
    let seeds: Vec<_> = compared.seeds().iter().map(u64::to_string).collect();
    let programs = match &compared.programs[..] {
        [program] => program.clone(),
        several => format!("{} programs", several.len()),
    };
    println!(
        "{}  scale {scale}  workload {programs}  seed {}  {} perturbed runs of each",
        compared.systems[0].name,
        seeds.join(","),
        perturbed(args)
    );
    let rows = if args.workload.len() == 1 { by_variant(compared) } else { by_program(compared) };
    lines(&rows).iter().for_each(|line| println!("{line}"));
}

/// The fields that vary, as a head.
fn head(compared: &Compared) -> String {
    let first = &compared.variants[0].values;
    first.iter().map(|(field, _)| field.as_str()).collect::<Vec<_>>().join(" ")
}

/// A row for each combination.
fn by_variant(compared: &Compared) -> Vec<Vec<String>> {
    let has = |shown: &&Shown| compared.systems.iter().any(shown.has);
    let shown: Vec<_> = SHOWN.iter().filter(has).collect();
    let mut rows = vec![vec![head(compared), "cycles".into(), "speedup".into()]];
    if perturbed(compared.args) > 0 {
        rows[0].push("range".to_string());
    }
    rows[0].extend(shown.iter().map(|shown| shown.head.to_string()));
    let seed = compared.seeds()[0];
    for (number, variant) in compared.variants.iter().enumerate() {
        let mut row = vec![variant.label()];
        let Some(run) = &compared.cell(number, 0, seed).run else {
            row.push("failed".to_string());
            rows.push(row);
            continue;
        };
        row.push(digits(run.cycles));
        let means = compared.means(number, Some(0));
        row.push(means.as_ref().map_or("-".into(), |all| format!("{:.2}", all[0])));
        if perturbed(compared.args) > 0 {
            let [low, high] = range(means.as_deref().unwrap_or_default());
            let is_first = number == 0 || means.is_none();
            row.push(if is_first { String::new() } else { format!("{low:.2}..{high:.2}") });
        }
        let system = &compared.systems[number];
        let cell = |shown: &&Shown| match (shown.has)(system) {
            true => (shown.of)(run, system),
            false => "-".to_string(),
        };
        row.extend(shown.iter().map(cell));
        rows.push(row);
    }
    rows
}

/// Speedups: a row for each program, a column for each combination.
fn by_program(compared: &Compared) -> Vec<Vec<String>> {
    let speedup = |all: Option<Vec<f64>>, number: usize| match all {
        None => "failed".to_string(),
        Some(_) if number == 0 => "1.00 ".to_string(),
        // A mark behind what is within run-to-run variation.
        Some(all) if all.len() > 1 && is_within_variation(&all) => format!("{:.2}~", all[0]),
        Some(all) => format!("{:.2} ", all[0]),
    };
    let first = &compared.variants[0];
    let mut rows = vec![vec!["program".to_string(), format!("{} cycles", first.label())]];
    rows[0].extend(compared.variants.iter().map(Variant::label));
    for (workload, program) in compared.programs.iter().enumerate() {
        let run = compared.cell(0, workload, compared.seeds()[0]).run.as_ref();
        let mut row = vec![program.clone(), run.map_or("failed".into(), |run| digits(run.cycles))];
        let numbers = 0..compared.variants.len();
        row.extend(numbers.map(|n| speedup(compared.means(n, Some(workload)), n)));
        rows.push(row);
    }
    let mut last = vec!["geometric mean".to_string(), String::new()];
    last.extend((0..compared.variants.len()).map(|n| speedup(compared.means(n, None), n)));
    rows.push(last);
    let widest = lines(&rows).iter().map(|line| line.chars().count()).max().unwrap_or(0);
    if widest <= columns() {
        return rows;
    }
    // Combinations in rows then, which have their names in full.
    (0..rows[0].len())
        .map(|column| rows.iter().map(|row| row.get(column).cloned().unwrap_or_default()).collect())
        .collect()
}

/// The fields that a combination sets.
fn set(compared: &Compared, number: usize) -> BTreeMap<String, String> {
    let all = systems::expand(&compared.args.system, &compared.variants[number].set);
    all.unwrap_or_default().into_iter().collect()
}

/// A line for each run.
pub fn csv(compared: &Compared) -> String {
    let fields: Vec<_> =
        compared.variants[0].values.iter().map(|(field, _)| quoted(field)).collect();
    let counters: std::collections::BTreeSet<&String> = compared
        .cells
        .iter()
        .filter_map(|cell| cell.run.as_ref())
        .flat_map(|run| run.counters.keys())
        .collect();
    let names = counters.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(",");
    let mut text =
        format!("system,workload,seed,{},perturb,cycles,speedup,{names}\n", fields.join(","));
    for cell in &compared.cells {
        let values = &compared.variants[cell.variant].values;
        let values: Vec<_> = values.iter().map(|(_, value)| quoted(value)).collect();
        let start = format!(
            "{},{},{},{}",
            quoted(&compared.args.system),
            quoted(&compared.args.workload[cell.workload]),
            cell.seed,
            values.join(",")
        );
        let first = compared.cell(0, cell.workload, cell.seed);
        let speedup = |own: Option<u64>, first: Option<u64>| match (own, first) {
            (Some(own), Some(first)) => (first as f64 / own as f64).to_string(),
            _ => String::new(),
        };
        let number = |cycles: Option<u64>| cycles.map_or(String::new(), |c| c.to_string());
        let plain = cell.run.as_ref().map(|run| run.cycles);
        let of_first = first.run.as_ref().map(|run| run.cycles);
        let of = |name: &&String| {
            cell.run
                .as_ref()
                .and_then(|run| run.counters.get(*name))
                .map_or(String::new(), |v| v.to_string())
        };
        let values = counters.iter().map(of).collect::<Vec<_>>().join(",");
        let speedup_of_plain = speedup(plain, of_first);
        text += &format!("{start},0,{},{speedup_of_plain},{values}\n", number(plain));
        for (seed, (own, first)) in (1..).zip(cell.perturbed.iter().zip(&first.perturbed)) {
            let commas = ",".repeat(counters.len().saturating_sub(1));
            text +=
                &format!("{start},{seed},{},{},{commas}\n", number(*own), speedup(*own, *first));
        }
    }
    text
}

/// The result for programs.
pub fn record(compared: &Compared, passed: bool) -> record::Varied {
    let variants = compared.variants.iter().enumerate().map(|(number, variant)| VariedVariant {
        values: variant.values.iter().cloned().collect(),
        set: set(compared, number),
        speedup: compared.means(number, None),
    });
    let runs = compared.cells.iter().map(|cell| VariedRun {
        variant: cell.variant,
        workload: cell
            .run
            .as_ref()
            .map_or(compared.args.workload[cell.workload].clone(), |run| run.workload.clone()),
        seed: cell.seed,
        cycles: cell.run.as_ref().map(|run| run.cycles),
        perturbed_cycles: cell.perturbed.clone(),
        speedup: compared.speedups(cell.variant, cell.workload, cell.seed),
        counters: cell.run.as_ref().map(|run| run.counters.clone()).unwrap_or_default(),
    });
    record::Varied {
        verdict: if passed { "PASS" } else { "FAIL" },
        system: compared.systems[0].name.clone(),
        scale: compared.systems[0].scale,
        variants: variants.collect(),
        runs: runs.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_keep_three_digits() {
        assert_eq!(
            [0, 999, 1000, 9_994_999, 9_996_000, 99_960_000, 1_214_000_000].map(bytes),
            ["0 B", "999 B", "1.00 kB", "9.99 MB", "10.0 MB", "100 MB", "1.21 GB"]
        );
    }

    #[test]
    fn a_speedup_whose_sign_changes_is_within_variation() {
        assert!(is_within_variation(&[1.02, 0.99]));
        assert!(!is_within_variation(&[1.02, 1.01]));
        assert!(!is_within_variation(&[0.98, 0.97]));
    }
}
