//! Our figures of CPElide (`figures.toml`).

use super::points::{
    BASE, COVERED, COVERED_7, EVICTING, HMG, INSTANT, INSTANT_BASE, OURS, UNHIDDEN, VARIANTS,
};
use super::{JOBS, Report, Structures, of_one_stream};
use crate::energy;
use crate::experiment::{Record, Runs, percent};
use crate::figure::{self, Each, Figure, Ours, ours};

/// From this ratio of the baseline's fetches to CPElide's on a program reuses what kernels leave in
/// the L2s (chosen).
const REUSE: f64 = 1.1;

/// Programs of which the paper has a mean: its name in `figures.toml`, and ours.
const MEANS: [(&str, &[&str]); 2] = [
    ("mean of BabelStream, Square", &["stream", "copy"]),
    ("mean of graphs", &["bfs", "sssp", "color_max", "floyd_warshall"]),
];

/// The paper's programs with low reuse (table II).
const LOW: [&str; 6] = ["BTREE", "CNN", "DWT2d", "NW", "Pathfinder", "SRAD_v2"];

/// Figures that are missing at full size, and why.
const DIVIDED_ALONE: [(&str, &str); 4] =
    [("C3", NO_DIE), ("C9", NO_OTHERS), ("C10", NO_OTHERS), ("C11", NO_OTHERS)];

const NO_DIE: &str = "at scale 1 the die would have 240 CUs, but the model's limit is 100 CUs per \
                      chiplet; use scale 60";
const NO_OTHERS: &str = "at scale 1 only the machine of four chiplets runs; use scale 60";

/// Figures that do without firmware.
const WITHOUT_FIRMWARE: [&str; 4] = ["C3", "C13", "Q2", "Q4"];

const NO_FIRMWARE: &str = "this build has no firmware image, and the figure needs its cycles";

/// All figures.
pub fn all(report: &Report) -> Vec<Figure> {
    let r = &of_one_stream(report);
    let runs = &r.runs;
    let why = |id: &str| {
        let missing = DIVIDED_ALONE.iter().filter(|_| r.scale == 1);
        let why = missing.into_iter().find(|(missing, _)| *missing == id).map(|(_, why)| *why);
        let none = !runs.has(OURS) && !WITHOUT_FIRMWARE.contains(&id);
        why.or(none.then_some(NO_FIRMWARE)).map(str::to_string)
    };
    let mut figures = figure::figures(include_str!("figures.toml"), |id| match id {
        id if why(id).is_some() => None,
        "C1" => speedup(runs),
        "C2" => traffic(runs),
        "C3" => monolithic(runs),
        "C4" => programs(runs, OURS, BASE),
        "C5" => programs(runs, OURS, HMG),
        "C6" => l2_l3(runs),
        "C7" => low_reuse(runs),
        "C8" => energy(runs),
        "C9" => chiplets(runs),
        "C10" => seven(runs),
        "C11" => many(runs),
        "C12" => jobs(&report.runs),
        "C13" => written_back(runs),
        "C14" => table(r),
        "C15" => cost(r),
        "Q1" => quality(runs),
        "Q2" => by_variant(runs),
        "Q3" => covered(runs),
        "Q4" => programs(runs, INSTANT, INSTANT_BASE),
        "Q5" => evicting(runs),
        _ => None,
    });
    for figure in &mut figures {
        figure.note = why(&figure.id).unwrap_or_else(|| std::mem::take(&mut figure.note));
    }
    figures
}

/// Decisions ahead, of those machines that there are: names, and how many times as fast as the
/// baseline each program is.
pub fn variants(r: &Runs) -> impl Iterator<Item = (&'static str, Each)> {
    let there = VARIANTS.iter().filter(|variant| r.has(variant.machine));
    there.map(|variant| (variant.name, Each::speedup(r, variant.machine, variant.base)))
}

fn speedup(r: &Runs) -> Ours {
    let over = [BASE, HMG].map(|over| Each::speedup(r, OURS, over));
    let [base, hmg] = over.each_ref().map(Each::geometric);
    let mut text = format!("{}, {}", percent(base), percent(hmg));
    let mut values = vec![("over baseline".to_string(), base), ("over hmg".into(), hmg)];
    let reused = over.map(|each| each.only(|program| reuses(r, program)));
    if !reused[0].0.is_empty() {
        let [base, hmg] = reused.map(|each| each.geometric());
        text += &format!("; with reuse {}, {}", percent(base), percent(hmg));
        values.push(("over baseline with reuse".into(), base));
        values.push(("over hmg with reuse".into(), hmg));
    }
    let others = variants(r).map(|(name, each)| {
        let mean = each.geometric();
        values.push((name.into(), mean));
        format!("{name} {}", percent(mean))
    });
    let others = others.collect::<Vec<_>>().join("; ");
    ours(format!("{text}; each over its baseline: {others}"), values)
}

/// The programs where the baseline fetches again what CPElide keeps.
fn reuses(r: &Runs, program: &str) -> bool {
    let [base, own] = [BASE, OURS].map(|m| r.record(program, m).counter("l2.fetches"));
    base >= REUSE * own
}

fn traffic(r: &Runs) -> Ours {
    let bytes = |record: &Record| record.group("traffic.");
    let both = |of: &dyn Fn(&Record) -> f64| {
        [BASE, HMG].map(|over| Each::ratio(r, OURS, over, of).geometric())
    };
    let all = [("energy", both(&energy::all)), ("traffic", both(&bytes))];
    let shown =
        all.map(|(name, [base, hmg])| format!("{name} {}, {}", percent(base), percent(hmg)));
    let values = all.into_iter().flat_map(|(name, [base, hmg])| {
        [(format!("{name} over baseline"), base), (format!("{name} over hmg"), hmg)]
    });
    ours(shown.join("; "), values)
}

fn monolithic(r: &Runs) -> Ours {
    let loss = 1.0 - 1.0 / Each::speedup(r, "monolithic", "baseline-home").geometric();
    ours(format!("{:.1} %", 100.0 * loss), [("baseline", loss)])
}

/// CPElide over another design, program by program.
fn programs(r: &Runs, own: &'static str, over: &'static str) -> Ours {
    let each = Each::speedup(r, own, over);
    let listed = r.inputs.iter().zip(each.values()).map(|(input, speedup)| {
        let name = match input.like {
            "" => input.program.to_string(),
            like => format!("{like} ({})", input.program),
        };
        format!("{name} {}", percent(speedup))
    });
    let mut text = listed.collect::<Vec<_>>().join(", ");
    let mut values: Vec<_> = each.named("cpelide").collect();
    for (name, programs) in MEANS {
        if let Some(ours) = of_group(r, own, over, programs) {
            text += &format!(", {name} {}", percent(ours));
            values.push((name.to_string(), ours));
        }
    }
    ours(text, values)
}

/// The mean speedup of some programs, where all of them have run.
fn of_group(r: &Runs, own: &'static str, over: &'static str, programs: &[&str]) -> Option<f64> {
    let each = Each::speedup(r, own, over).only(|program| programs.contains(&program));
    let each = each.unless_empty()?;
    programs.iter().all(|program| r.ran(program)).then(|| each.geometric())
}

fn l2_l3(r: &Runs) -> Ours {
    let [l3, remote] = l3_and_remote(r, HMG);
    ours(format!("{}; {}", percent(l3), percent(remote)), [("l2-l3", l3), ("remote", remote)])
}

/// Requests at the L3 slices of CPElide against an HMG, and bytes between chiplets of that against
/// CPElide.
fn l3_and_remote(r: &Runs, hmg: &'static str) -> [f64; 2] {
    let l3 = |record: &Record| record.counter("l3.reads") + record.counter("l3.writes");
    let link = |record: &Record| record.group("traffic.link");
    [Each::ratio(r, OURS, hmg, l3), Each::ratio(r, hmg, OURS, link)].map(|each| each.geometric())
}

fn energy(r: &Runs) -> Ours {
    let ratio = |of: fn(&Record) -> f64| Each::ratio(r, OURS, HMG, of).geometric();
    let [dram, noc] = [energy::memory_lines, energy::networks].map(ratio);
    ours(format!("{}, {}", percent(dram), percent(noc)), [("dram", dram), ("noc", noc)])
}

/// Of programs of several streams.
fn jobs(r: &Runs) -> Ours {
    let over = |base| Each::speedup(r, OURS, base).only(|program| JOBS.contains(&program));
    let [hmg, base] = [HMG, BASE].map(over);
    let hmg = hmg.unless_empty()?;
    let listed = hmg.0.iter().map(|(program, speedup)| format!("{program} {}", percent(*speedup)));
    let listed = listed.collect::<Vec<_>>().join(", ");
    let [over_hmg, over_base] = [hmg, base].map(|each| each.geometric());
    ours(
        format!("{} ({listed}); over baseline {}", percent(over_hmg), percent(over_base)),
        [("over hmg", over_hmg), ("over baseline", over_base)],
    )
}

fn written_back(r: &Runs) -> Ours {
    let each = Each::speedup(r, "hmg-back", "hmg");
    let mean = each.geometric();
    let listed = each.0.iter().map(|(program, speedup)| format!("{program} {}", percent(*speedup)));
    let listed = listed.collect::<Vec<_>>().join(", ");
    ours(format!("{} ({listed})", percent(mean)), [("back over through", mean)])
}

/// Of programs that reuse little here, and of the paper's.
fn low_reuse(r: &Runs) -> Ours {
    let low = |machine, over| Each::speedup(r, machine, over).only(|program| !reuses(r, program));
    let base = low(BASE, HMG).unless_empty()?;
    let programs: Vec<_> = base.0.iter().map(|(program, _)| *program).collect();
    let [base, own] = [base, low(OURS, BASE)].map(|each| each.geometric());
    let mut text = format!("{}; {} ({})", percent(base), percent(own), programs.join(", "));
    let mut values = vec![("baseline over hmg", base), ("cpelide over baseline", own)];
    let has_kin = |program: &str| {
        r.inputs.iter().any(|input| input.program == program && LOW.contains(&input.like))
    };
    let kin = |machine, over| Each::speedup(r, machine, over).only(has_kin).unless_empty();
    if let (Some(base), Some(own)) = (kin(BASE, HMG), kin(OURS, BASE)) {
        let [base_mean, own_mean] = [&base, &own].map(Each::geometric);
        text += &format!("; the paper's programs {}; {}", percent(base_mean), percent(own_mean));
        values.push(("the paper's programs: baseline over hmg", base_mean));
        values.push(("the paper's programs: cpelide over baseline", own_mean));
    }
    ours(text, values)
}

fn chiplets(r: &Runs) -> Ours {
    let four = Each::speedup(r, OURS, HMG).geometric();
    let others =
        [("2", "cpelide-2", "hmg-2"), ("6", "cpelide-6", "hmg-6"), ("7", "cpelide-7", "hmg-7")];
    let mut values = vec![("4", four)];
    let shown = others.map(|(chiplets, machine, over)| {
        let gain = Each::speedup(r, machine, over).geometric();
        values.push((chiplets, gain));
        format!("{chiplets}: {} ({:+.1})", percent(gain), 100.0 * (gain - four))
    });
    ours(format!("4: {}; {}", percent(four), shown.join(", ")), values)
}

fn seven(r: &Runs) -> Ours {
    let [own, hmg] = ["cpelide-7", "hmg-7"].map(|m| Each::speedup(r, m, "baseline-7").geometric());
    ours(format!("{}, {}", percent(own), percent(hmg)), [("cpelide", own), ("hmg", hmg)])
}

fn many(r: &Runs) -> Ours {
    let share = |machine: &'static str| {
        Each::of(r, |program| {
            let record = r.record(program, machine);
            Some(record.counter("launch.sync_cycles") / record.cycles as f64)
        })
        .mean()
    };
    let four = share(OURS);
    let mut values = vec![("4".to_string(), four)];
    let others = [("8", "cpelide-8", "baseline-8"), ("16", "cpelide-16", "baseline-16")];
    let shown = others.map(|(chiplets, machine, over)| {
        let more = share(machine) - four;
        let speedup = Each::speedup(r, machine, over).geometric();
        values.push((chiplets.to_string(), more));
        values.push((format!("speedup.{chiplets}"), speedup));
        format!("{chiplets}: {:+.1} % ({})", 100.0 * more, percent(speedup))
    });
    ours(shown.join(", "), values)
}

fn table(r: &Report) -> Ours {
    let most = |name: &str| {
        let each = Each::of(&r.runs, |program| Some(r.runs.record(program, OURS).counter(name)));
        each.values().into_iter().fold(0.0, f64::max)
    };
    let (entries, coarsenings) = (most("firmware.max_entries"), most("firmware.coarsenings"));
    let all = r.details.structures.values();
    let sum = |of: fn(&Structures) -> u64| all.clone().map(of).sum::<u64>() as f64;
    let mean = sum(|s| s.all) / sum(|s| s.kernels);
    let widest = all.clone().map(|s| s.most).max().unwrap_or(0) as f64;
    let kernels = all.map(|s| s.kernels).max().unwrap_or(0) as f64;
    ours(
        format!("{entries}; {mean:.1}, {widest}; at most {kernels}; {coarsenings} coarsenings"),
        [
            ("entries", entries),
            ("structures", mean),
            ("most structures", widest),
            ("kernels", kernels),
            ("coarsenings", coarsenings),
        ],
    )
}

fn cost(r: &Report) -> Ours {
    let mut values = vec![("table bytes", r.details.bytes.table as f64)];
    let mut shown = Vec::new();
    if let Some(code) = r.details.bytes.code {
        let each = Each::of(&r.runs, |program| {
            let record = r.runs.record(program, UNHIDDEN);
            Some(record.counter("firmware.cycles") / record.counter("launch.packets"))
        });
        let runs = Each::speedup(&r.runs, OURS, "cpelide-aware").geometric();
        let hidden = Each::speedup(&r.runs, OURS, UNHIDDEN).geometric();
        values.push(("cycles", each.mean()));
        values.push(("speedup over constants", runs));
        values.push(("speedup by deciding ahead", hidden));
        values.push(("code bytes", code as f64));
        shown.push(format!("{:.0} cycles on average ({})", each.mean(), each.listed(0)));
        let [runs, hidden] = [runs, hidden].map(percent);
        shown.push(format!("speedup of a run over one with the paper's constants {runs}"));
        shown.push(format!("by deciding ahead {hidden}"));
        shown.push(format!("code {code} B"));
    }
    shown.push(format!("table {} B", r.details.bytes.table));
    ours(shown.join("; "), values)
}

fn by_variant(r: &Runs) -> Ours {
    let all = variants(r).map(|(name, each)| {
        let listed =
            each.0.iter().map(|(program, speedup)| format!("{program} {}", percent(*speedup)));
        let text = format!("{name}: {}", listed.collect::<Vec<_>>().join(", "));
        (text, each.named(name).collect::<Vec<_>>())
    });
    let (shown, values): (Vec<_>, Vec<_>) = all.unzip();
    ours(shown.join("; "), values.into_iter().flatten())
}

/// What C1, C5 to C7 and C10 say of HMG, where its L2s hold what its directories cover.
fn covered(r: &Runs) -> Ours {
    let hmg = Each::speedup(r, COVERED, BASE).geometric();
    let own = Each::speedup(r, OURS, COVERED);
    let mean = own.geometric();
    let mut values = vec![("over baseline".to_string(), hmg), ("cpelide over it".into(), mean)];
    let mut text = format!("{} over the baseline; CPElide over it {}", percent(hmg), percent(mean));
    for (name, programs) in MEANS {
        if let Some(own) = of_group(r, OURS, COVERED, programs) {
            text += &format!(", {name} {}", percent(own));
            values.push((format!("cpelide over it, {name}"), own));
        }
    }
    let [l3, remote] = l3_and_remote(r, COVERED);
    text += &format!("; requests at the L3s {}; remote {}", percent(l3), percent(remote));
    values.extend([("l2-l3".to_string(), l3), ("remote".into(), remote)]);
    if r.has(COVERED_7) {
        let seven = Each::speedup(r, COVERED_7, "baseline-7").geometric();
        text += &format!("; 7 chiplets {}", percent(seven));
        values.push(("over baseline of 7".into(), seven));
    }
    values.extend(own.named("cpelide"));
    ours(text, values)
}

/// What C6 says of HMG, where its directories evict.
fn evicting(r: &Runs) -> Ours {
    let [l3, remote] = l3_and_remote(r, EVICTING);
    let hmg = Each::speedup(r, EVICTING, BASE).geometric();
    ours(
        format!("{}; {}; {} over the baseline", percent(l3), percent(remote), percent(hmg)),
        [("l2-l3", l3), ("remote", remote), ("over baseline", hmg)],
    )
}

fn quality(r: &Runs) -> Ours {
    let total = |machine: &str, name: &str| {
        let each = r.inputs.iter().map(|i| r.record(i.program, machine).counter(name));
        each.sum::<f64>()
    };
    let mut values = Vec::new();
    let shown = ["releases", "acquires"].map(|what| {
        let sent = |machine| total(machine, &format!("launch.{what}"));
        let idle =
            |machine| total(machine, &format!("launch.idle_{what}")) / sent(machine).max(1.0);
        let share = sent(OURS) / sent(BASE).max(1.0);
        let [own, base] = [OURS, BASE].map(idle);
        values.push((format!("{what}.sent"), share));
        values.push((format!("{what}.idle"), own));
        values.push((format!("{what}.baseline idle"), base));
        format!(
            "{what} {:.1} % of the baseline's, of which {:.1} % are idle (baseline {:.1} %)",
            100.0 * share,
            100.0 * own,
            100.0 * base
        )
    });
    ours(shown.join("; "), values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::input;

    /// Programs, their kin, and their cycles on the baseline, CPElide and HMG.
    fn runs(programs: &[(&'static str, &'static str, [u64; 3])]) -> Runs {
        let machines = [BASE, OURS, HMG];
        let records = programs.iter().flat_map(|&(program, _, cycles)| {
            machines.iter().zip(cycles).map(move |(machine, cycles)| Record {
                program,
                machine,
                cycles,
                loads_checked: 1,
                loads_determined: 1,
                counters: [("l2.fetches".to_string(), 1)].into(),
                kept: &["l2."],
            })
        });
        let inputs = programs.iter().map(|&(program, like, _)| input(program, like, 1, 1));
        Runs::new(inputs.collect(), records)
    }

    #[test]
    fn mean_of_a_group_is_there_when_all_of_it_ran() {
        let both = [("stream", "BabelStream", [80, 10, 20]), ("copy", "Square", [40, 20, 10])];
        let (_, values) = programs(&runs(&both), OURS, BASE).unwrap();
        assert!((values["mean of BabelStream, Square"] - 4.0).abs() < 1e-9);
        assert!(!values.contains_key("mean of graphs"));
        let (_, values) = programs(&runs(&both[..1]), OURS, BASE).unwrap();
        assert!(!values.contains_key("mean of BabelStream, Square"));
    }

    #[test]
    fn low_reuse_of_the_paper_counts_its_kin_alone() {
        let all = [
            ("nw", "NW", [10, 20, 40]),
            ("btree", "BTREE", [10, 5, 10]),
            ("stream", "BabelStream", [80, 10, 20]),
        ];
        let (_, values) = low_reuse(&runs(&all)).unwrap();
        assert!((values["the paper's programs: baseline over hmg"] - 2.0).abs() < 1e-9);
        assert!((values["the paper's programs: cpelide over baseline"] - 1.0).abs() < 1e-9);
        let (_, values) = low_reuse(&runs(&all[2..])).unwrap_or_default();
        assert!(values.keys().all(|name| !name.starts_with("the paper's")));
    }
}
