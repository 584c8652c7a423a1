//! What was counted over a whole run.

use std::collections::{BTreeMap, BTreeSet};

use machine::{STATISTICS, Statistic};
use maud::{Markup, html};

use super::percent;
use crate::Run;
use crate::chart::{Palette, full};
use crate::words::explained;

/// Where bytes are counted: prefix of the statistics, what it is.
const PLACES: [(&str, &str); 4] = [
    ("traffic.chiplet.", "networks inside chiplets"),
    ("traffic.link.", "links between chiplets"),
    ("traffic.unit.", "to and from units of the L1 design"),
    ("traffic.launch.", "between command processors, CUs and L2 banks"),
];
/// Bytes on links between GPUs.
const GPU_LINK: [(&str, &str); 8] = [
    ("gpu_link.data_bytes", "stored bytes"),
    ("gpu_link.header_bytes", "headers"),
    ("gpu_link.subheader_bytes", "sub-headers"),
    ("gpu_link.padding_bytes", "padding"),
    ("gpu_link.framing_bytes", "framing"),
    ("gpu_link.completion_bytes", "completions"),
    ("gpu_link.coherence_bytes", "coherence"),
    ("gpu_link.design.", "of the L1 design"),
];

/// The names of parts that are not empty.
fn names<'a>(parts: impl Iterator<Item = &'a Vec<(String, u64)>>) -> Vec<String> {
    let shown = parts.flatten().filter(|(_, value)| *value > 0);
    shown.map(|(name, _)| name.clone()).collect::<BTreeSet<_>>().into_iter().collect()
}

/// Rows of bars, one for each run, over the same parts.
fn bars(title: &str, palette: &Palette, labels: &[String], parts: &[Vec<(String, u64)>]) -> Markup {
    let names = names(parts.iter());
    let sum = |parts: &[(String, u64)]| parts.iter().map(|(_, v)| *v).sum::<u64>();
    let most = parts.iter().map(|parts| sum(parts)).max().unwrap_or(0) as f64;
    html! {
        h3 { (explained(title)) }
        (palette.legend(&names))
        @for (label, own) in labels.iter().zip(parts) {
            @let of: BTreeMap<_, _> = own.iter().cloned().collect();
            @let values: Vec<_> = names.iter()
                .map(|name| (name.clone(), of.get(name).copied().unwrap_or(0) as f64)).collect();
            div.row {
                span.label { (label) }
                @if sum(own) > 0 { (palette.bar(most, &values)) } @else { span {} }
                span.n { (full(sum(own) as f64)) }
            }
        }
    }
}

/// Whether any run has anything of a list.
fn some(parts: &[Vec<(String, u64)>]) -> bool {
    parts.iter().flatten().any(|(_, value)| *value > 0)
}

/// Bytes.
pub fn traffic(runs: &[Run], labels: &[String]) -> Option<Markup> {
    let mut shown = Vec::new();
    let own = |run: &Run, prefix: &str| -> Vec<(String, u64)> {
        run.group(prefix).into_iter().map(|(name, value)| (name.to_string(), value)).collect()
    };
    let parts = |prefix| runs.iter().map(|run| own(run, prefix)).collect::<Vec<_>>();
    let places = PLACES.map(|(prefix, title)| (title, parts(prefix)));
    // A class of messages has one colour in all places.
    let palette = Palette::of(&names(places.iter().flat_map(|(_, parts)| parts)));
    for (title, parts) in &places {
        if some(parts) {
            shown.push(bars(&format!("{title}, bytes"), &palette, labels, parts));
        }
    }
    let of = |run: &Run| {
        let count = |name: &str| match name.ends_with('.') {
            true => run.group(name).iter().map(|(_, v)| v).sum(),
            false => run.count(name),
        };
        GPU_LINK.iter().map(|(name, what)| (what.to_string(), count(name))).collect()
    };
    let parts: Vec<Vec<(String, u64)>> = runs.iter().map(of).collect();
    if some(&parts) {
        let palette = Palette::of(&names(parts.iter()));
        shown.push(bars("links between GPUs, both directions, bytes", &palette, labels, &parts));
    }
    (!shown.is_empty()).then(|| html! { @for part in shown { (part) } })
}

/// A cache: title, accesses, and what became of them.
type Cache = (&'static str, &'static [&'static str], &'static [(&'static str, &'static str)]);

const CACHES: [Cache; 3] = [
    (
        "loads at L1s",
        &["l1.loads", "l1.uncached_loads"],
        &[
            ("l1.hits", "hits"),
            ("l1.merges", "joined a pending fill"),
            ("l1.uncached_loads", "not cached"),
        ],
    ),
    ("reads at L2s", &["l2.reads"], &[("l2.hits", "hits"), ("l2.merges", "joined a pending fill")]),
    ("reads at L3s", &["l3.reads"], &[("l3.hits", "hits")]),
];

/// Accesses of one kind. An L3 counts what it fetches, not what it finds.
fn kind(run: &Run, name: &str, whole: u64) -> u64 {
    match name {
        "l3.hits" => whole.saturating_sub(run.count("l3.fetches")),
        name => run.count(name),
    }
}

/// Hit rates.
pub fn hits(runs: &[Run], labels: &[String]) -> Option<Markup> {
    let sum = |run: &Run, names: &[&str]| names.iter().map(|name| run.count(name)).sum::<u64>();
    let shown: Vec<_> =
        CACHES.iter().filter(|(_, all, _)| runs.iter().any(|run| sum(run, all) > 0)).collect();
    (!shown.is_empty()).then(|| html! {
        @for (title, all, kinds) in shown {
            h3 { (explained(title)) }
            @let names: Vec<_> = kinds.iter().map(|(_, what)| what.to_string())
                .chain(["misses".to_string()]).collect();
            @let palette = Palette::of(&names);
            (palette.legend(&names))
            @for (run, label) in runs.iter().zip(labels).filter(|(run, _)| sum(run, all) > 0) {
                @let whole = sum(run, all);
                @let known: Vec<_> = kinds.iter().map(|(name, _)| kind(run, name, whole)).collect();
                @let misses = whole.saturating_sub(known.iter().sum());
                @let values = known.iter().copied().chain([misses]).map(|v| v as f64);
                div.row {
                    span.label { (label) }
                    @let parts: Vec<_> = names.iter().cloned().zip(values).collect();
                    (palette.bar(whole as f64, &parts))
                    span.n {
                        (percent(known[0] as f64, whole as f64)) " hits of " (full(whole as f64))
                    }
                }
            }
        }
    })
}

/// TLPs, and what they carry.
pub fn packets(runs: &[Run], labels: &[String]) -> Option<Markup> {
    let some = runs.iter().any(|run| run.count("gpu_link.tlps") > 0);
    let ratio = |a: u64, b: u64| match b {
        0 => "-".to_string(),
        _ => format!("{:.2}", a as f64 / b as f64),
    };
    some.then(|| html! {
        table {
            thead { tr {
                th { "run" } th.n { "stores" } th.n { "loads" } th.n { "atomics" } th.n { "TLPs" }
                th.n { "of these packets" } th.n { "stores per packet" } th.n { "bytes per store" }
            } }
            tbody { @for (run, label) in runs.iter().zip(labels) { tr {
                @let stores = run.count("egress.stores");
                td { (label) }
                @for name in ["egress.stores", "egress.loads", "egress.atomics", "gpu_link.tlps",
                              "gpu_link.packets"] {
                    td.n { (full(run.count(name) as f64)) }
                }
                td.n { (ratio(stores, run.count("gpu_link.packets"))) }
                td.n { (ratio(run.count("gpu_link.wire_bytes"), stores)) }
            } } }
        }
    })
}

/// What drops lines, in words that name their cache.
const INVALIDATIONS: [(&str, &str); 6] = [
    ("l1.invalidated", "L1"),
    ("l2.invalidated", "L2, by acquires"),
    ("l2.inv_hit_write", "L2, for writes"),
    ("l2.inv_hit_evict", "L2, for evicted entries"),
    ("l2.inv_miss", "without a copy"),
    ("l2.inv_false", "for another line of the entry"),
];

/// Lines that were dropped, by cause; designs may count causes of their own.
pub fn invalidations(runs: &[Run], labels: &[String]) -> Option<Markup> {
    let of = |run: &Run| {
        let mut parts = Vec::new();
        for (prefix, what) in INVALIDATIONS {
            for (rest, value) in run.group(prefix) {
                let cause = rest.trim_start_matches('_').replace('_', " ");
                parts.push((format!("{what} {cause}").trim_end().to_string(), value));
            }
        }
        parts
    };
    let parts: Vec<Vec<_>> = runs.iter().map(of).collect();
    some(&parts).then(|| {
        let palette = Palette::of(&names(parts.iter()));
        bars("lines and messages", &palette, labels, &parts)
    })
}

/// What every L1 and L2 design counts.
const COMMON: [&str; 24] = [
    "l1.atomics",
    "l1.hits",
    "l1.loads",
    "l1.merges",
    "l1.stores",
    "l1.uncached_loads",
    "l1.invalidated_lines",
    "l2.atomics",
    "l2.dirtied",
    "l2.dirty_lines",
    "l2.fetches",
    "l2.hits",
    "l2.inv_false",
    "l2.inv_hit_evict",
    "l2.inv_hit_write",
    "l2.inv_miss",
    "l2.invalidated",
    "l2.merges",
    "l2.misses",
    "l2.overwritten",
    "l2.reads",
    "l2.released",
    "l2.write_backs",
    "l2.writes",
];

/// What designs count beside that: epochs, races, directories, whatever a later one has.
pub fn designs(runs: &[Run], labels: &[String]) -> Option<Markup> {
    let names: BTreeSet<_> = runs
        .iter()
        .flat_map(|run| &run.counters)
        .filter(|(name, value)| {
            let own = ["l1.", "l2.", "firmware."].iter().any(|of| name.starts_with(of));
            own && **value > 0 && !COMMON.contains(&name.as_str())
        })
        .map(|(name, _)| name.clone())
        .collect();
    (!names.is_empty()).then(|| table(runs, labels, &names, false))
}

/// Everything.
pub fn statistics(runs: &[Run], labels: &[String]) -> Option<Markup> {
    let names: BTreeSet<_> = runs.iter().flat_map(|run| run.counters.keys().cloned()).collect();
    (!names.is_empty()).then(|| {
        html! {
            details {
                summary { (names.len()) " statistics, with units and meanings" }
                (table(runs, labels, &names, true))
            }
        }
    })
}

fn table(runs: &[Run], labels: &[String], names: &BTreeSet<String>, meanings: bool) -> Markup {
    html! {
        table {
            thead { tr {
                th { "statistic" }
                @for label in labels { th.n { (label) } }
                th { "unit" }
                @if meanings { th { "meaning" } }
            } }
            tbody { @for name in names {
                @let known = statistic(name);
                tr title=(known.map_or("", |s| s.meaning)) {
                    td { code { (name) } }
                    @for run in runs { td.n { (full(run.count(name) as f64)) } }
                    td { (known.map_or("", |s| s.unit)) }
                    @if meanings { td { (known.map_or("", |s| s.meaning)) } }
                }
            } }
        }
    }
}

/// What is said of a statistic: by its name, or of several alike.
fn statistic(name: &str) -> Option<&'static Statistic> {
    let exact = STATISTICS.iter().find(|s| s.name == name);
    exact.or_else(|| {
        STATISTICS.iter().find(|s| s.name.strip_suffix('*').is_some_and(|p| name.starts_with(p)))
    })
}
