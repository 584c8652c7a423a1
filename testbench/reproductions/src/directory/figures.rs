//! Our figures of REC (`figures.toml`).

use crate::experiment::{Record, Runs, percent};
use crate::figure::{self, Each, Figure, Ours, ours};

/// All figures.
pub fn all(r: &Runs) -> Vec<Figure> {
    let mut figures = figure::figures(include_str!("figures.toml"), |id| figure(id, r));
    if !r.has("rec-fifo") {
        let missing = figures.iter_mut().filter(|figure| DIVIDED_ALONE.contains(&&*figure.id));
        missing.for_each(|figure| figure.note = NO_OTHERS.to_string());
    }
    figures
}

/// Figures whose machines do not run at full size.
const DIVIDED_ALONE: [&str; 8] = ["R7", "R11", "R12", "R13", "R14", "R15", "R16", "R17"];

const NO_OTHERS: &str = "at scale 1 only the directories run; use scale 64";

fn figure(id: &str, r: &Runs) -> Ours {
    let baseline = |machine, shown| (machine, "baseline", shown);
    match id {
        "R1" => rec(r),
        "R2" => {
            let exact = baseline("rec-256", "HMG's lines, invalidated one by one");
            let exact = r.has("rec-256").then_some(exact);
            let both = [baseline("hmg", "HMG"), baseline("baseline-2x", "2x entries")];
            speedups(r, &both.into_iter().chain(exact).collect::<Vec<_>>())
        }
        "R3" => ideal(r),
        "R4" => l2_misses(r),
        "R5" => miss_rate(r),
        "R6" => causes(r),
        "R7" => speedups(r, &[baseline("baseline-6x", "6x"), baseline("baseline-12x", "12x")]),
        "R8" => lines(r),
        "R9" => messages(r),
        "R10" => latency(r),
        "R11" => speedups(
            r,
            &[
                baseline("rec-128", "128 B"),
                baseline("rec-256", "256 B"),
                baseline("rec", "1 kB"),
                baseline("rec-4k", "4 kB"),
            ],
        ),
        "R12" => speedups(
            r,
            &[
                baseline("rec-2k-entries", "2K"),
                baseline("rec-4k-entries", "4K"),
                baseline("rec", "8K"),
                baseline("rec-16k-entries", "16K"),
                baseline("rec-32k-entries", "32K"),
            ],
        ),
        "R13" => replacement(r),
        "R14" => speedups(
            r,
            &[
                ("rec-half-mb", "baseline-half-mb", "0.5 MB"),
                baseline("rec", "2 MB"),
                ("rec-8mb", "baseline-8mb", "8 MB"),
            ],
        ),
        "R15" => speedups(
            r,
            &[
                ("rec-2x-cus", "baseline-2x-cus", "over the same"),
                baseline("rec-2x-cus", "over the first"),
            ],
        ),
        "R16" => speedups(
            r,
            &[
                ("rec-8gpu", "baseline-8gpu", "8 GPUs"),
                ("rec-16gpu", "baseline-16gpu", "16 GPUs"),
                ("rec-8gpu", "baseline-3x-8gpu", "equal storage: 8 GPUs"),
                ("rec-16gpu", "baseline-5x-16gpu", "16 GPUs"),
            ],
        ),
        "R17" => speedups(r, &[("rec-nvidia", "baseline-nvidia", "")]),
        _ => None,
    }
}

/// The mean speedups of machines over others, with what they are shown as; none where one of them
/// does not run at this scale.
fn speedups(r: &Runs, machines: &[(&'static str, &'static str, &'static str)]) -> Ours {
    if machines.iter().any(|(machine, over, _)| !r.has(machine) || !r.has(over)) {
        return None;
    }
    let mut values = Vec::new();
    let each = machines.iter().map(|(machine, over, shown)| {
        let speedup = Each::speedup(r, machine, over).geometric();
        values.push((format!("{machine} over {over}"), speedup));
        format!("{shown} {}", percent(speedup)).trim_start().to_string()
    });
    let text = each.collect::<Vec<_>>().join(", ");
    ours(text, values)
}

/// Reads of lines that the L2 has held before and must fetch again.
fn misses(record: &Record) -> f64 {
    record.counter("l2.fetches_again")
}

/// Messages between GPUs: requests, their answers, invalidations and markers.
pub fn transactions(record: &Record) -> f64 {
    let names =
        ["gpu_link.tlps", "ingress.loads", "ingress.atomics", "gpu_link.coherence_messages"];
    names.iter().map(|name| record.counter(name)).sum()
}

fn rec(r: &Runs) -> Ours {
    let each = Each::speedup(r, "rec", "baseline");
    let mean = each.geometric();
    ours(
        format!("{}: {}", percent(mean), each.listed(3)),
        each.named("rec").chain([("mean".into(), mean)]),
    )
}

fn ideal(r: &Runs) -> Ours {
    let each = Each::speedup(r, "ideal", "baseline");
    let most = each.values().into_iter().fold(0.0, f64::max);
    let none = Each::speedup(r, "no-caching", "baseline").geometric();
    let text = format!(
        "{}, at most {most:.2}x: {}; without remote caching {}",
        percent(each.geometric()),
        each.listed(3),
        percent(none)
    );
    let means =
        [("mean".into(), each.geometric()), ("most".into(), most), ("no-caching".into(), none)];
    ours(text, each.named("ideal").chain(means))
}

fn l2_misses(r: &Runs) -> Ours {
    let remote = |record: &Record| record.counter("l2.remote_fetches_again");
    let mut values = Vec::new();
    let mut shown = Vec::new();
    for (name, of) in [("all", &misses as &dyn Fn(&Record) -> f64), ("remote", &remote)] {
        let rec = Each::ratio(r, "rec", "baseline", of);
        let [double, hmg] = ["baseline-2x", "hmg"].map(|m| Each::ratio(r, m, "rec", of));
        if [&rec, &double, &hmg].iter().any(|each| each.0.is_empty()) {
            continue;
        }
        let (mean, double, hmg) = (rec.mean(), double.mean(), hmg.mean());
        let list = rec.listed(2);
        shown.push(format!("{name} {}; {double:.2}x, {hmg:.2}x ({list})", percent(mean)));
        values.push((format!("{name}.rec"), mean));
        values.push((format!("{name}.baseline-2x over rec"), double));
        values.push((format!("{name}.hmg over rec"), hmg));
    }
    if shown.is_empty() { None } else { ours(shown.join("; "), values) }
}

fn miss_rate(r: &Runs) -> Ours {
    let rate = |record: &Record| misses(record) / record.counter("l2.own_reads").max(1.0);
    let each = Each::ratio(r, "baseline", "ideal", rate).unless_empty()?;
    ours(format!("{:.2}x: {}", each.mean(), each.listed(2)), [("mean", each.mean())])
}

fn causes(r: &Runs) -> Ours {
    let each = Each::of(r, |program| {
        let record = r.record(program, "baseline");
        let [evict, write] = ["l2.inv_hit_evict", "l2.inv_hit_write"].map(|n| record.counter(n));
        (evict + write > 0.0).then(|| evict / (evict + write))
    });
    let each = each.unless_empty()?;
    let text = format!("{:.1} %: {}", 100.0 * each.mean(), each.listed(3));
    ours(text, each.named("evict").chain([("mean".into(), each.mean())]))
}

fn lines(r: &Runs) -> Ours {
    let of = |machine| {
        Each::of(r, |program| {
            let record = r.record(program, machine);
            let evicted = record.counter("l2.directory.evicted");
            (evicted > 0.0).then(|| record.counter("l2.directory.lines_evicted") / evicted)
        })
    };
    let mean = |machine| r.has(machine).then(|| of(machine)).and_then(Each::unless_empty);
    let means = ["rec-128", "rec-256", "rec", "rec-4k"]
        .map(|machine| (machine, mean(machine).map(|each| each.mean())));
    let shown = means.map(|(_, mean)| mean.map_or("-".to_string(), |mean| format!("{mean:.1}")));
    ours(
        format!("{}; at 1 kB {}", shown.join(", "), of("rec").listed(1)),
        means.into_iter().filter_map(|(machine, mean)| Some((machine, mean?))),
    )
}

fn messages(r: &Runs) -> Ours {
    let invalidations = Each::ratio(r, "rec", "baseline", |x| x.counter("l2.inv_hit_evict"));
    let unnecessary = invalidations.unless_empty()?.mean();
    let all = Each::ratio(r, "rec", "baseline", transactions);
    ours(
        format!("{}, {} ({})", percent(unnecessary), percent(all.mean()), all.listed(2)),
        [("unnecessary", unnecessary), ("transactions", all.mean())],
    )
}

fn latency(r: &Runs) -> Ours {
    let latency = |r: &Record| r.counter("l2.read_cycles") / r.counter("l2.own_reads").max(1.0);
    let each = Each::ratio(r, "rec", "baseline", latency);
    ours(format!("{} ({})", percent(each.mean()), each.listed(2)), [("mean", each.mean())])
}

fn replacement(r: &Runs) -> Ours {
    if !r.has("rec-fifo") {
        return None;
    }
    let [fifo, lru] = ["rec-fifo", "rec"].map(|m| Each::speedup(r, m, "baseline").geometric());
    let each = Each::speedup(r, "rec-fifo", "rec");
    let text =
        format!("FIFO {}, LRU {}; FIFO over LRU: {}", percent(fifo), percent(lru), each.listed(3));
    ours(text, each.named("fifo over lru").chain([("fifo".into(), fifo), ("lru".into(), lru)]))
}
