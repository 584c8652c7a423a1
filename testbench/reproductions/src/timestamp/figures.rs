//! Our figures of the thesis (`figures.toml`).

use std::collections::BTreeMap;

use super::SHARING;
use super::inputs::CYCLES;
use super::points::{CAUSES, L1, LEASES, NONE, PROTOCOLS, RC, SC, TC_LEASES, TCS, TCW};
use crate::energy;
use crate::experiment::{Record, Runs, percent, share};
use crate::figure::{self, Each, Figure, Ours, ours};
use crate::instructions::Instructions;
use crate::lease_storage::{self, Storage};

/// Counted in a run.
type Count = fn(&Record) -> f64;
/// Of each program.
type ByProgram<'a> = &'a BTreeMap<&'static str, Instructions>;

/// All figures.
pub fn all(r: &Runs, instructions: ByProgram) -> Vec<Figure> {
    let mut figures = figure::figures(include_str!("figures.toml"), |id| match id {
        "GT-1" => speedups(r, &[("RC", RC, TCW), ("SC", SC, TCS)]),
        "GT-2" => speedups(r, &[("SC over TC-RC", SC, TCW)]),
        "GT-3" => speedups(r, &[("RC over SC", RC, SC)]),
        "GT-4" => requests(r),
        "GT-5" => ratios(r, &[("RC", TCW, RC), ("SC", TCS, SC)], waiting),
        "GT-6" => ratios(r, &[("RC", RC, L1), ("SC", SC, L1)], Record::inside),
        "GT-7" => run_times(r, &LEASES, RC),
        "GT-8" => ratios(r, &[("RC", RC, TCW), ("SC", SC, TCS)], traffic),
        "GT-9" => ratios(r, &[("no L1", RC, NONE), ("TC", RC, TCW)], energy::gpu),
        "GT-10" => parts(r),
        "GT-11" => ratios(r, &[("RC", RC, TCW), ("SC", SC, TCS)], expired),
        "GT-12" => forwarded(r),
        "GT-13" => stores(r, instructions),
        "GT-14" => cycles(r),
        "GT-15" => ideal(r),
        "GT-16" => hardware(),
        "order" => order(r, [NONE, TCS, TCW, SC, RC]),
        "TC leases" => {
            let [weak, strong] = [&TC_LEASES[..3], &TC_LEASES[3..]];
            let (shown, mut values) = run_times(r, weak, TCW)?;
            let (others, more) = run_times(r, strong, TCS)?;
            values.extend(more);
            Some((format!("{shown}; {others}"), values))
        }
        cause => order(r, CAUSES.iter().find(|c| c.name == cause)?.machines),
    });
    for figure in figures.iter_mut().filter(|figure| figure.id == "GT-14") {
        let each = r.inputs.iter().map(|i| (i.program.to_string(), CYCLES.of(i.like)));
        figure.numbers = each.filter_map(|(program, paper)| Some((program, paper?))).collect();
    }
    figures
}

fn shares(program: &str) -> bool {
    SHARING.contains(&program)
}

/// Cycles in which CUs could issue nothing before an answer came.
fn waiting(record: &Record) -> f64 {
    record.counter("cu.wait_cycles")
}

/// Bytes between L1s and L2s.
fn traffic(record: &Record) -> f64 {
    record.group("traffic.chiplet.") - record.group("l3.traffic.")
}

/// Loads whose copy's lease was over.
fn expired(record: &Record) -> f64 {
    record.counter("l1.timestamp_expired_misses")
}

/// Geometric means of one machine's count over another's: of the programs that share data, under
/// the pair's name, of the others, and of all.
fn ratios(r: &Runs, pairs: &[(&str, &str, &str)], of: Count) -> Ours {
    let mut values = Vec::new();
    let shown = pairs.iter().map(|(name, machine, over)| {
        let each = || Each::ratio(r, machine, over, of);
        let (sharing, rest) = (each().only(shares), each().only(|program| !shares(program)));
        let sets = [(String::new(), sharing), (" others".into(), rest), (" all".into(), each())];
        let mut means = Vec::new();
        for (set, own) in sets {
            // Nothing of it happens in some programs.
            let own = Each(own.0.into_iter().filter(|(_, ratio)| *ratio > 0.0).collect());
            if let Some(own) = own.unless_empty() {
                values.push((format!("{name}{set}"), own.geometric()));
                means.push(format!("{:.3}{set}", own.geometric()));
            }
        }
        values.extend(each().named(name));
        format!("{name} {}: {}", means.join(", "), each().listed(2))
    });
    let shown = shown.collect::<Vec<_>>().join("; ");
    ours(shown, values)
}

/// Speedups of one machine over another, by name.
fn speedups(r: &Runs, pairs: &[(&str, &str, &str)]) -> Ours {
    let turned: Vec<_> = pairs.iter().map(|&(name, machine, over)| (name, over, machine)).collect();
    ratios(r, &turned, Record::inside)
}

/// Run times of machines beside that of another, and their means over all programs.
fn run_times(r: &Runs, machines: &[&str], over: &str) -> Ours {
    let mut values = Vec::new();
    let shown = machines.iter().map(|machine| {
        let own = Each::ratio(r, machine, over, Record::inside);
        values.extend(own.named(machine));
        values.push((machine.to_string(), own.geometric()));
        format!("{machine} {}: {}", percent(own.geometric()), own.listed(3))
    });
    let shown = shown.collect::<Vec<_>>().join("; ");
    ours(shown, values)
}

/// Under SC, of what it is under RC: cycles of an access, and accesses in a cycle.
fn requests(r: &Runs) -> Ours {
    let latency = |record: &Record| record.share("cu.access_cycles", "cu.accesses");
    let rate = |record: &Record| record.counter("cu.accesses") / record.inside();
    let (shown, mut values) = ratios(r, &[("latency", SC, RC)], latency)?;
    let (rates, more) = ratios(r, &[("rate", SC, RC)], rate)?;
    values.extend(more);
    Some((format!("{shown}; {rates}"), values))
}

/// What G-TSC with RC saves of each part of the energy, in per cent of all, over the machine
/// without L1s, and over TC.
fn parts(r: &Runs) -> Ours {
    let parts: [(&str, Count); 4] = [
        ("L2", energy::l2s),
        ("NoC", energy::networks),
        ("memory", energy::memory),
        ("other", |record| energy::others(record) + energy::l1s(record)),
    ];
    let mut values = Vec::new();
    let mut shown = Vec::new();
    for (base, name) in [(NONE, "no L1"), (TCW, "TC")] {
        for (part, of) in parts {
            let saved = Each::of(r, |program| {
                let [own, base] = [RC, base].map(|machine| r.record(program, machine));
                Some(100.0 * (of(base) - of(own)) / energy::gpu(base))
            });
            let mean = saved.only(shares).unless_empty()?.mean();
            shown.push(format!("over {name} {part} {mean:.1} %"));
            values.push((format!("{name} {part}"), mean));
        }
    }
    ours(shown.join(", "), values)
}

/// Requests if none waited for one of its line that is under way.
fn forwarded(r: &Runs) -> Ours {
    let own = Each::of(r, |program| {
        let of = |name| r.record(program, RC).counter(&format!("l1.{name}"));
        let extra = of("timestamp_extra_renewals");
        let sent = of("timestamp_cold_misses") + of("timestamp_expired_misses") + extra;
        (sent > 0.0).then(|| (sent + of("merges") - extra) / sent)
    });
    let own = own.unless_empty()?;
    let [least, most] =
        [f64::min, f64::max].map(|f| own.values().into_iter().reduce(f).expect("not empty"));
    let text = format!("{} to {}: {}", percent(least), percent(most), own.listed(2));
    ours(text, own.named("all").chain([("least".into(), least), ("most".into(), most)]))
}

fn stores(r: &Runs, instructions: ByProgram) -> Ours {
    let own = Each::of(r, |program| {
        let lines = r.record(program, RC).counter("l1.stores");
        let stores = instructions[program].stores;
        (stores > 0).then(|| share(lines, stores as f64))
    });
    let own = own.unless_empty()?;
    let [least, most] =
        [f64::min, f64::max].map(|f| own.values().into_iter().reduce(f).expect("not empty"));
    let text = format!("lines {}", own.listed(1));
    ours(text, own.named("lines").chain([("least".into(), least), ("most".into(), most)]))
}

/// Of the programs that have a kin in table 3.2.
fn cycles(r: &Runs) -> Ours {
    let own = Each::ratio(r, TCW, NONE, Record::inside);
    let (text, mean) = (own.listed(2), own.geometric());
    ours(format!("mean {mean:.2}: {text}"), own.0.into_iter().chain([("mean", mean)]))
}

/// L1s of which nothing is asked within a kernel.
fn ideal(r: &Runs) -> Ours {
    let own = Each::ratio(r, NONE, L1, Record::inside);
    let most = own.values().into_iter().fold(0.0, f64::max);
    let text = format!("at most {}: {}", percent(most), own.listed(2));
    ours(text, own.named("speedup").chain([("most".into(), most)]))
}

fn hardware() -> Ours {
    let paper = lease_storage::paper();
    let own = lease_storage::gtsc(&paper);
    let Storage { l1_line, l2_line, warp } = own;
    let bytes = own.bytes(&paper, paper.n_sm);
    let text = format!(
        "{l1_line} bits of a line of an L1, {l2_line} of an L2, {warp} of a warp; {:.1} kB in all",
        bytes / 1024.0
    );
    ours(text, [("L1 line", l1_line), ("L2 line", l2_line), ("warp", warp), ("bytes", bytes)])
}

/// Run times of the protocols over that of the machine without L1s, and in how many programs they
/// come in the thesis's order.
fn order(r: &Runs, [none, protocols @ ..]: [&str; 5]) -> Ours {
    let each = protocols.map(|machine| Each::ratio(r, machine, none, Record::inside));
    let mut values = Vec::new();
    let mut shown = Vec::new();
    for (name, own) in PROTOCOLS.iter().zip(&each) {
        let sharing = Each(own.0.clone()).only(shares).unless_empty()?.geometric();
        values.extend(own.named(name));
        values.push((name.to_string(), sharing));
        values.push((format!("{name} all"), own.geometric()));
        shown.push(format!("{name} {sharing:.3}, all {:.3}: {}", own.geometric(), own.listed(2)));
    }
    let is_ordered = |times: [f64; 4]| times.is_sorted_by(|slower, faster| slower > faster);
    let ordered = (0..r.inputs.len()).filter(|&i| is_ordered([0, 1, 2, 3].map(|k| each[k].0[i].1)));
    let count = ordered.count();
    values.push(("programs in order".into(), count as f64));
    let means =
        PROTOCOLS.map(|name| values.iter().find(|(n, _)| n == name).expect("it is there").1);
    let does = if is_ordered(means) { "comes out" } else { "does not" };
    let text = format!(
        "{does} in the means of programs that share data, in {count} of all {}; {}",
        r.inputs.len(),
        shown.join("; ")
    );
    ours(text, values)
}
