//! Our figures of STC (`figures.toml`).

use cosim::catalog::Family;
use hwmodel::Model;
use hwmodel::stc::epoch_agent::EpochAgent;
use hwmodel::stc::epoch_manager::EpochManager;
use machine::System;
use ports::stc::types::Stc;

use super::points::{CUS, TCS};
use crate::experiment::{Point, Record, Runs, percent};
use crate::figure::{self, Each, Figure, Ours, ours};
use crate::lease_storage::{self, Storage};
use crate::registers::bits;

/// Programs that stand for the paper's with reuse across kernels.
const REUSE: [&str; 4] = ["reuse", "multigrid", "hotspot3d", "jacobi2d"];

/// All figures.
pub fn all(r: &Runs) -> Vec<Figure> {
    figure::figures(include_str!("figures.toml"), |id| match id {
        "STC-1" => run_time(r, "nv"),
        "STC-2" => run_time(r, "es"),
        "STC-3" => run_time(r, "ab"),
        "STC-4" => run_time(r, "mb"),
        "STC-5" => reuse(r),
        "STC-6" => change(r),
        "STC-7" => transitions(r),
        "STC-8" => two_programs(r),
        "STC-9" => uncached(r),
        "STC-10" => no_l1(r),
        "STC-11" => beside(r, &["mb-50", "mb-150", "mb-200", "mb-300", "mb-450"]),
        "STC-12" => beside(r, &["mb-8-epochs", "mb-32-epochs"]),
        "STC-13" => over(r, &[("mb-16k", "lines-16k")]),
        "STC-14" => occupancy(r),
        "STC-15" => scans(r),
        "STC-16" => beside(r, &["mb-bsq-64", "mb-bsq-128"]),
        "STC-17" => bandwidth(r),
        "STC-18" => over(r, &[("mb-8-way", TCS), ("mb-8-way", "src-8-way")]),
        "STC-19" => storage(),
        "STC-20" => manager(),
        "STC-21" => launches(r),
        "STC-22" => hits(r),
        "CUs" => {
            over(r, &[("mb", "src-lines"), ("mb-16cu", "lines-16cu"), ("mb-32cu", "lines-32cu")])
        }
        "lines" => {
            let pairs = [("src-lines", "src"), ("none-lines", "none"), ("mb", "src")];
            over(r, &[&pairs[..], &[("mb", "src-lines"), ("mb", "none-lines")]].concat())
        }
        "bits" => over(
            r,
            &[
                ("mb", "src-lines"),
                ("mb-bit-14", "src-lines"),
                ("mb-bit-16", "src-lines"),
                ("mb-bit-18", "src-lines"),
            ],
        ),
        "work" => over(r, &[("mb", "src-lines"), ("mb-work", "lines-work")]),
        "L2" => over(r, &[("mb", "src-lines"), ("mb-dropped-l2", "lines-dropped-l2")]),
        _ => None,
    })
}

/// How long a machine takes of what another takes, launches left out.
fn time(r: &Runs, machine: &str, of: &str) -> Each {
    Each::ratio(r, machine, of, Record::inside)
}

fn run_time(r: &Runs, machine: &str) -> Ours {
    let mut values = Vec::new();
    let shown = ["src-lines", "src"].map(|base| {
        let own = time(r, machine, base);
        let whole = Each::ratio(r, machine, base, |record| record.cycles as f64).geometric();
        let mean = own.geometric();
        values.extend(own.named(&format!("over {base}")));
        values.push((format!("over {base}"), mean));
        values.push((format!("over {base} with launches"), whole));
        let [mean, whole] = [mean, whole].map(percent);
        format!("over {base} {mean}, with launches {whole}: {}", own.listed(2))
    });
    ours(shown.join("; "), values)
}

fn reuse(r: &Runs) -> Ours {
    let own = time(r, "src-lines", "mb").only(|p| REUSE.contains(&p)).unless_empty()?;
    let hits = |machine| each(r, machine, "l1.hits", "l1.loads").only(|p| REUSE.contains(&p));
    let text = format!(
        "{}: {}; hit rates src-lines {}, mb {}",
        percent(own.geometric()),
        own.listed(2),
        hits("src-lines").listed(2),
        hits("mb").listed(2)
    );
    ours(text, own.named("speedup").chain([("mean".into(), own.geometric())]))
}

/// A count of so many of another, on a machine.
fn each(r: &Runs, machine: &str, name: &str, of: &str) -> Each {
    Each::of(r, |program| {
        let record = r.record(program, machine);
        (record.counter(of) > 0.0).then(|| record.share(name, of))
    })
}

fn change(r: &Runs) -> Ours {
    let mut values = Vec::new();
    let shown = ["nv", "mb", "mb-16cu", "mb-32cu"].map(|machine| {
        let mean = each(r, machine, "l1.epoch_transition_cycles", "l1.epoch_transitions");
        let least = mean.values().into_iter().fold(f64::INFINITY, f64::min);
        values.push((machine.to_string(), mean.mean()));
        values.push((format!("{machine} least"), least));
        format!("{machine} {:.0} cycles, least {least:.0}", mean.mean())
    });
    ours(shown.join("; "), values)
}

fn transitions(r: &Runs) -> Ours {
    let mut values = Vec::new();
    let shown = ["es", "ab", "mb"].map(|machine| {
        let fewer = Each::ratio(r, "nv", machine, |record| record.counter("l1.epoch_transitions"));
        values.extend(fewer.named(machine));
        values.push((machine.to_string(), fewer.geometric()));
        format!("{machine} {:.1}x: {}", fewer.geometric(), fewer.listed(1))
    });
    ours(shown.join("; "), values)
}

fn two_programs(r: &Runs) -> Ours {
    let mut shown = Vec::new();
    let mut values = Vec::new();
    for (program, machine) in [("locks", "mb"), ("copy", "ab"), ("copy", "mb")] {
        let speedup =
            time(r, "src-lines", machine).only(|other| other == program).unless_empty()?;
        shown.push(format!("{program} {machine} {}", percent(speedup.mean())));
        values.push((format!("{program}.{machine}"), speedup.mean()));
    }
    ours(shown.join("; "), values)
}

fn uncached(r: &Runs) -> Ours {
    let own = each(r, "mb", "l1.uncached_loads", "l1.loads");
    let multigrid = r.inputs.iter().any(|input| input.program == "multigrid");
    let share =
        multigrid.then(|| r.record("multigrid", "mb").share("l1.uncached_loads", "l1.loads"));
    let text = format!("{:.1} %; all: {}", 100.0 * share?, own.listed(2));
    ours(text, own.named("uncached"))
}

fn no_l1(r: &Runs) -> Ours {
    let own = time(r, "none", "src-lines");
    let worst = own.values().into_iter().fold(0.0, f64::max);
    ours(format!("{}: {}", percent(worst), own.listed(2)), [("worst", worst)])
}

/// Run times beside that of `mb`.
fn beside(r: &Runs, machines: &[&str]) -> Ours {
    let each = machines.iter().map(|machine| {
        let own = time(r, machine, "mb").unless_empty()?;
        Some((*machine, own.geometric(), own))
    });
    let each = each.collect::<Option<Vec<_>>>()?;
    let shown = each.iter().map(|(machine, mean, own)| {
        let [least, most] =
            [f64::min, f64::max].map(|f| own.values().into_iter().reduce(f).expect("not empty"));
        format!("{machine} {} ({} to {})", percent(*mean), percent(least), percent(most))
    });
    ours(shown.collect::<Vec<_>>().join("; "), each.iter().map(|(m, mean, _)| (*m, *mean)))
}

/// Speedups of machines over others.
fn over(r: &Runs, pairs: &[(&str, &str)]) -> Ours {
    let mut values = Vec::new();
    let shown = pairs.iter().map(|(machine, base)| {
        let own = time(r, base, machine);
        let name = format!("{machine} over {base}");
        values.extend(own.named(&name));
        values.push((name, own.geometric()));
        let mean = percent(own.geometric());
        format!("{machine} over {base} {mean}: {}", own.listed(2))
    });
    let text = shown.collect::<Vec<_>>().join("; ");
    ours(text, values)
}

/// Stores in the queue of a CU: the mean over all cycles.
fn mean_blocked(record: &Record) -> f64 {
    record.counter("l1.store_wait_cycles") / (record.cycles as f64 * f64::from(CUS))
}

fn occupancy(r: &Runs) -> Ours {
    let mean = Each::of(r, |program| Some(mean_blocked(r.record(program, "mb"))));
    let most = Each::of(r, |program| {
        Some(r.record(program, "mb").counter("l1.stores_held_peaks") / f64::from(CUS))
    });
    let below = mean.values().iter().filter(|&&mean| mean < 32.0).count();
    let text = format!(
        "greatest {}; mean {}; {below} of {} below 32",
        most.listed(0),
        mean.listed(1),
        mean.0.len()
    );
    let count = [("mean below 32".to_string(), below as f64)];
    ours(text, most.named("greatest").chain(mean.named("mean")).chain(count))
}

fn scans(r: &Runs) -> Ours {
    let scans = Each(
        each(r, "mb", "l1.scan_cycles", "l1.epoch_transitions")
            .0
            .into_iter()
            .map(|(program, cycles)| (program, cycles / f64::from(CUS)))
            .collect(),
    );
    ours(format!("cycles of a CU and change: {}", scans.listed(1)), scans.named("cycles"))
}

fn bandwidth(r: &Runs) -> Ours {
    let mut values = Vec::new();
    let mut shown = Vec::new();
    let mut show = |name: &str, more: Each| {
        values.push((name.to_string(), more.mean()));
        shown.push(format!("{name} {:.2} %", 100.0 * more.mean()));
    };
    let bytes = |record: &Record| record.group("traffic.chiplet.");
    for machine in ["nv", "es", "ab", "mb"] {
        let more = Each::of(r, |program| {
            let own = r.record(program, machine).counter("l1.epoch_message_bytes");
            Some(own / bytes(r.record(program, "src")))
        });
        show(machine, more);
    }
    let more = |(program, ratio)| (program, ratio - 1.0);
    let ratios = Each::ratio(r, TCS, "src-8-way", bytes);
    show(TCS, Each(ratios.0.into_iter().map(more).collect()));
    ours(format!("{}; hardware coherence not run", shown.join(", ")), values)
}

fn paper() -> Stc {
    Stc::named().remove("paper").expect("it has a name")
}

/// TC-Strong keeps of each line, in L1s and the L2, when its lease ends.
fn storage() -> Ours {
    let agent = EpochAgent::new(&(&paper()).into()).expect("it is legal");
    let queues = bits(&agent, |name| name.starts_with("queue.addr")) * f64::from(CUS) / 8.0;
    let Storage { l1_line, l2_line, .. } = lease_storage::tc(&lease_storage::paper());
    let System { machine, l1, l2, .. } = Point::with_l1("src", "stc-8cu", "src", &[]).system;
    let line = f64::from(machine.line);
    let l1s = f64::from(CUS) * f64::from(l1.bytes) / line * l1_line;
    let leases = (l1s + l2.bytes as f64 / line * l2_line) / 8.0;
    let text = format!("TC-Strong {:.0} kB, queues {:.0} kB", leases / 1024.0, queues / 1024.0);
    ours(text, [("tcs", leases), ("queues", queues)])
}

fn manager() -> Ours {
    let manager = EpochManager::new(&(&paper()).into()).expect("it is legal");
    let parts =
        [("ec", "ec"), ("wake_count", "wake_count"), ("erv", "record.erv"), ("etv", "record.etv")];
    let own = parts.map(|(name, start)| (name, bits(&manager, |n| n.starts_with(start))));
    let all = bits(&manager, |_| true);
    let list = own.map(|(name, bits)| format!("{name} {bits}")).join(", ");
    ours(format!("{list}; all registers {all}"), own.into_iter().chain([("all", all)]))
}

fn launches(r: &Runs) -> Ours {
    let own = Each::of(r, |program| Some(r.record(program, "src").counter("launch.packets")));
    ours(own.listed(0), own.named("kernels"))
}

fn hits(r: &Runs) -> Ours {
    let mut values = Vec::new();
    let shown = ["src", "src-lines", "nv", "es", "ab", "mb"].map(|machine| {
        let own = each(r, machine, "l1.hits", "l1.loads");
        values.extend(own.named(machine));
        format!("{machine} {:.2} mean: {}", own.mean(), own.listed(2))
    });
    ours(shown.join("; "), values)
}
