//! Our figures of the thesis (`figures.toml`). Means are arithmetic, as its tables' are.

use std::collections::BTreeMap;

use super::energy::{Energy, sum};
use super::inputs::INPUTS;
use super::points::{
    BLOCK, BYTE, CAUSES, Family, GTSC_SC, HALF, IDEAL, NOSPEC, SIZE_NAMES, WORD,
    base as base_system,
};
use super::{fetches, l1};
use crate::energy::gpu;
use crate::experiment::{Record, Runs, share};
use crate::figure::{self, Each, Figure, Ours, ours};

/// The thesis's memory-intensive programs have so many memory instructions (section 4.3.2).
const INTENSIVE: f64 = 0.2;

/// All figures.
pub fn all(r: &Runs, memory_share: &BTreeMap<&'static str, f64>) -> Vec<Figure> {
    let intensive = |program: &str| memory_share[program] >= INTENSIVE;
    figure::figures(include_str!("figures.toml"), |id| match id {
        "RD-1" => run_time(r, &[&IDEAL]),
        "RD-2" => run_time(r, &[&NOSPEC]),
        "RD-3" => run_time(r, &[&BYTE, &WORD]),
        "RD-4" => run_time(r, &[&BLOCK, &HALF]),
        "RD-5" => memory_intensive(r, intensive),
        "RD-6" => by_size(&[&IDEAL, &NOSPEC], 0, "", |machine| forced(r, machine)),
        "RD-7" => by_size(&[&BYTE, &WORD], 0, "", |machine| forced(r, machine)),
        "RD-8" => by_size(&[&BLOCK, &HALF], 0, "", |machine| forced(r, machine)),
        "RD-9" => aliasing(r),
        "RD-10" => coherence_misses(r, &IDEAL),
        "RD-11" => coherence_misses(r, &NOSPEC),
        "RD-12" => coherence_misses(r, &BYTE),
        "RD-13" => coherence_misses(r, &WORD),
        "RD-14" => coherence_misses(r, &BLOCK),
        "RD-15" => coherence_misses(r, &HALF),
        "RD-20" => rdu_share(r, &[&BYTE]),
        "RD-21" => rdu_share(r, &[&WORD, &BLOCK, &HALF]),
        "RD-23" => small_shares(r),
        "RD-24" => beside_gtsc(r),
        "ratios" => rdu_ratios(r),
        "copies" => by_size(&[&BYTE, &WORD, &BLOCK, &HALF], 1, " %", |machine| {
            let copying = |record: &Record| {
                let sms = f64::from(base_system().machine.cus);
                100.0 * share(l1(record, "race_load_cycles"), sms * record.inside())
            };
            Some(Each::of(r, |program| Some(copying(r.record(program, machine)))).mean())
        }),
        "lanes" => lanes(r),
        "order" => order(r, ["base", IDEAL.machines[3], BLOCK.machines[3], NOSPEC.machines[3]]),
        cause => order(r, CAUSES.iter().find(|c| c.name == cause)?.machines),
    })
}

/// How long a machine takes of what another takes, launches left out: the thesis's cycles are those
/// of kernels.
fn time(r: &Runs, machine: &str, of: &str) -> Each {
    Each::ratio(r, machine, of, Record::inside)
}

/// A mean for each family and size, where there is one.
fn by_size(
    families: &[&Family],
    digits: usize,
    unit: &str,
    mean: impl Fn(&'static str) -> Option<f64>,
) -> Ours {
    let mut values = Vec::new();
    let shown = families.iter().map(|family| {
        let mut shown = family.name.to_string();
        for (machine, size) in family.machines.into_iter().zip(SIZE_NAMES) {
            let mean = mean(machine);
            shown += &mean.map_or(" -".into(), |mean| format!(" {mean:.digits$}{unit}"));
            values.extend(mean.map(|mean| (format!("{}.{size}", family.name), mean)));
        }
        shown
    });
    ours(shown.collect::<Vec<_>>().join("; "), values)
}

fn run_time(r: &Runs, families: &[&Family]) -> Ours {
    let (text, mut values) =
        by_size(families, 3, "", |machine| Some(time(r, machine, "base").mean()))?;
    let each = families.iter().map(|family| {
        let own = time(r, family.machines[3], "base");
        values.extend(own.named(&format!("{}.8K", family.name)));
        format!("{} 8K: {}", family.name, own.listed(2))
    });
    let each = each.collect::<Vec<_>>().join("; ");
    Some((format!("{text}; {each}"), values))
}

fn memory_intensive(r: &Runs, is_one: impl Fn(&str) -> bool + Copy) -> Ours {
    let mean = |machine| {
        let own = time(r, machine, "base").only(is_one).unless_empty()?;
        Some(100.0 * (own.mean() - 1.0))
    };
    let (text, values) = by_size(&[&NOSPEC, &IDEAL], 1, " %", mean)?;
    let names: Vec<_> = r.inputs.iter().map(|i| i.program).filter(|p| is_one(p)).collect();
    (!names.is_empty()).then(|| (format!("{text} ({})", names.join(", ")), values))
}

/// Mean over programs that synchronise at all, in per cent.
fn forced(r: &Runs, machine: &str) -> Option<f64> {
    let own = Each::of(r, |program| {
        let [forced, races] =
            ["race_forced", "race_races"].map(|n| l1(r.record(program, machine), n));
        (forced + races > 0.0).then(|| 100.0 * forced / (forced + races))
    });
    Some(own.unless_empty()?.mean())
}

fn aliasing(r: &Runs) -> Ours {
    let races = |program: &str, machine| l1(r.record(program, machine), "race_races");
    let all = |machine| r.inputs.iter().map(|i| races(i.program, machine)).sum::<f64>();
    let mut values = Vec::new();
    let sizes = HALF.machines.into_iter().zip(BLOCK.machines).zip(SIZE_NAMES);
    let shown = sizes.map(|((half, block), size)| {
        let more = 100.0 * (all(half) / all(block).max(1.0) - 1.0);
        values.push((size, more));
        format!("{size} {more:+.0} %")
    });
    let shown = shown.collect::<Vec<_>>().join(", ");
    let [half, block] = [HALF.machines[3], BLOCK.machines[3]].map(|machine| {
        Each::of(r, |program| Some(races(program, machine)))
            .only(|p| races(p, HALF.machines[3]) > 0.0 || races(p, BLOCK.machines[3]) > 0.0)
    });
    ours(format!("{shown}; 8K half: {}; block: {}", half.listed(0), block.listed(0)), values)
}

fn coherence_misses(r: &Runs, family: &Family) -> Ours {
    let mut values = Vec::new();
    let shown = family.machines.into_iter().zip(SIZE_NAMES).map(|(machine, size)| {
        let [expired, avu] = ["expired", "avu"].map(|kind| {
            let of = |program| {
                let record = r.record(program, machine);
                Some(100.0 * share(l1(record, &format!("race_fetches_{kind}")), fetches(record)))
            };
            let mean = Each::of(r, of).mean();
            values.push((format!("{kind}.{size}"), mean));
            mean
        });
        format!("{expired:.2}+{avu:.2}")
    });
    let shown = shown.collect::<Vec<_>>().join(" ");
    let dropped = Each::of(r, |program| {
        let record = r.record(program, family.machines[3]);
        Some(100.0 * share(l1(record, "no_install"), fetches(record)))
    });
    values.push(("not kept.8K".into(), dropped.mean()));
    ours(format!("{shown}; not kept 8K {:.1}", dropped.mean()), values)
}

/// Structures' energy in a run on a machine of a family.
fn energy(record: &Record, size: usize) -> Energy {
    let machine = base_system().machine;
    Energy::of(record, size, machine.cus.into(), machine.clock_mhz.into())
}

/// Per cent of the baseline's energy, for each program.
fn of_baseline(r: &Runs, machine: &str, part: impl Fn(&Record) -> f64) -> Each {
    Each::of(r, |program| {
        let like = r.inputs.iter().find(|i| i.program == program)?.like;
        let cycle = INPUTS.baseline.energy_of_cycle(like) * 1e3;
        let baseline = r.record(program, "base").inside() * cycle;
        Some(100.0 * part(r.record(program, machine)) / baseline)
    })
}

fn size_of(family: &Family, machine: &str) -> usize {
    family.machines.iter().position(|m| *m == machine).expect("one of the family")
}

fn rdu_share(r: &Runs, families: &[&Family]) -> Ours {
    let mut values = Vec::new();
    let shown = families.iter().map(|family| {
        let mean = |machine| {
            let size = size_of(family, machine);
            Some(of_baseline(r, machine, |record| sum(energy(record, size).rdu)).mean())
        };
        let (text, own) = by_size(&[family], 2, "", mean)?;
        values.extend(own);
        let last = family.machines[4];
        let each = of_baseline(r, last, |record| sum(energy(record, 4).rdu));
        values.extend(each.named(&format!("{}.16K", family.name)));
        Some(format!("{text} (16K: {})", each.listed(2)))
    });
    let shown = shown.collect::<Option<Vec<_>>>()?.join("; ");
    ours(shown, values)
}

/// A structure's part of the energy.
type Part = fn(&Energy) -> [f64; 2];

/// Greatest shares of any program and size, and of these what leaks.
fn small_shares(r: &Runs) -> Ours {
    let mut values = Vec::new();
    let mut shown = Vec::new();
    let parts: [(_, Part); 2] = [("renaming", |e| e.renaming), ("AVU", |e| e.avu)];
    for family in [&BYTE, &WORD, &BLOCK, &HALF] {
        for (name, part) in parts {
            let most = |of: fn([f64; 2]) -> f64| {
                let machines = family.machines.into_iter().enumerate();
                let each = machines.flat_map(|(size, machine)| {
                    of_baseline(r, machine, |record| of(part(&energy(record, size)))).values()
                });
                each.fold(0.0, f64::max)
            };
            let [accesses, all] = [most(|[accesses, _]| accesses), most(sum)];
            let what = format!("{} {name}", family.name);
            shown.push(format!("{what} {accesses:.4} % for accesses, {all:.2} % with leakage"));
            values.extend([(format!("{what} accesses"), accesses), (what, all)]);
        }
    }
    ours(shown.join("; "), values)
}

/// What needs no baseline: energy of the unit beside that of other granularities and sizes.
fn rdu_ratios(r: &Runs) -> Ours {
    let of = |family: &Family, size: usize| {
        Each::of(r, |program| {
            let own = sum(energy(r.record(program, family.machines[size]), size).rdu);
            (own > 0.0).then_some(own)
        })
    };
    let over = |(a, i): (&Family, usize), (b, j): (&Family, usize)| {
        let (a, b) = (of(a, i), of(b, j));
        let ratios = a.0.iter().zip(&b.0).map(|((program, a), (_, b))| (*program, a / b));
        Each(ratios.collect()).geometric()
    };
    let mut values = Vec::new();
    let mut shown = Vec::new();
    for (a, b) in [(&BYTE, &WORD), (&WORD, &BLOCK), (&HALF, &BLOCK)] {
        for (size, name) in [0, 4].map(|size| (size, SIZE_NAMES[size])) {
            let ratio = over((a, size), (b, size));
            shown.push(format!("{} over {} {name} {ratio:.2}", a.name, b.name));
            values.push((format!("{}/{}.{name}", a.name, b.name), ratio));
        }
    }
    for family in [&BYTE, &WORD, &BLOCK, &HALF] {
        let ratio = over((family, 4), (family, 0));
        shown.push(format!("{} 16K over 1K {ratio:.1}", family.name));
        values.push((format!("{}.16K/1K", family.name), ratio));
    }
    ours(shown.join("; "), values)
}

/// Race checks by block, signatures of 8K, over G-TSC with SC.
fn beside_gtsc(r: &Runs) -> Ours {
    let block = BLOCK.machines[3];
    // The structures' energy is in microjoules.
    let checks = |record: &Record| {
        let Energy { rdu, avu, renaming } = energy(record, 3);
        1e6 * [rdu, avu, renaming].map(sum).iter().sum::<f64>()
    };
    let own = |record: &Record| if record.machine == block { checks(record) } else { 0.0 };
    let each = [
        ("time", time(r, block, GTSC_SC)),
        ("traffic", Each::ratio(r, block, GTSC_SC, |record| record.group("traffic.chiplet."))),
        ("energy", Each::ratio(r, block, GTSC_SC, |record| gpu(record) + own(record))),
    ];
    let shown = each.iter().map(|(name, own)| format!("{name} {:.3}", own.mean()));
    let shown = shown.collect::<Vec<_>>().join(", ");
    let listed = each[0].1.listed(2);
    let named = each.iter().flat_map(|(name, own)| own.named(name));
    let values = named.chain(each.iter().map(|(name, own)| (name.to_string(), own.mean())));
    ours(format!("{shown}; time: {listed}"), values.collect::<Vec<_>>())
}

fn lanes(r: &Runs) -> Ours {
    let mut values = Vec::new();
    let machines = [
        BYTE.machines[3],
        "byte-lanes",
        "byte-ideal",
        WORD.machines[3],
        "word-lanes",
        "word-ideal",
        IDEAL.machines[3],
    ];
    let shown = machines.map(|machine| {
        let mean = time(r, machine, "base").mean();
        values.push((machine, mean));
        format!("{machine} {mean:.3}")
    });
    let shown = shown.join(", ");
    ours(shown, values)
}

/// Run times of machines over that of the first, and whether all come in their order.
fn order(r: &Runs, [base, ideal, spec, nospec]: [&str; 4]) -> Ours {
    let all = [("ideal", ideal), ("spec", spec), ("nospec", nospec)];
    let all = all.map(|(name, machine)| (name, time(r, machine, base)));
    let mut values = Vec::new();
    for (name, own) in &all {
        values.extend(own.named(name));
        values.push((name.to_string(), own.mean()));
    }
    let ordered = (0..r.inputs.len()).filter(|&i| {
        let [ideal, spec, nospec] = [0, 1, 2].map(|k: usize| all[k].1.0[i].1);
        1.0 < ideal && ideal < spec && spec < nospec
    });
    let count = ordered.count();
    values.push(("programs in order".into(), count as f64));
    let [ideal, spec, nospec] = [0, 1, 2].map(|k: usize| all[k].1.mean());
    let does = if 1.0 < ideal && ideal < spec && spec < nospec { "comes out" } else { "does not" };
    let shown =
        all.iter().map(|(name, own)| format!("{name} {:.3}: {}", own.mean(), own.listed(2)));
    let shown = shown.collect::<Vec<_>>().join("; ");
    ours(format!("{does} in the means, {count} of {} programs; {shown}", r.inputs.len()), values)
}
