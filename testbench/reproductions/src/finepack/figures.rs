//! Our figures of FinePack (`figures.toml`).

use super::Report;
use super::burst::BurstBytes;
use super::storage::storage;
use crate::experiment::{Record, Runs};
use crate::figure::{self, Each, Figure, Ours, ours};

/// Bytes of a configuration packet at PCIe 4.0 (specification 7).
const CONTEXT_BYTES: u64 = 28;

/// Machines whose sub-headers have so many bytes.
const SUB_HEADERS: [(u32, &str); 5] = [
    (2, "sub-headers-2"),
    (3, "sub-headers-3"),
    (4, "sub-headers-4"),
    (5, "finepack"),
    (6, "sub-headers-6"),
];

/// Rates of the paper's links, in GB/s, with the machines whose links have them.
const RATES: [(u32, [&str; 3]); 3] = [
    (32, ["finepack", "p2p", "dma"]),
    (64, ["finepack-pcie5", "p2p-pcie5", "dma-pcie5"]),
    (128, ["finepack-pcie6", "p2p-pcie6", "dma-pcie6"]),
];

/// All figures.
pub(super) fn all(report: &Report) -> Vec<Figure> {
    let r = &report.runs;
    figure::figures(include_str!("figures.toml"), |id| match id {
        "F1" => speedup(r, "infinite"),
        "F2" => finepack(r),
        "F3" => over(r, "finepack", &[("dma", "dma"), ("p2p", "p2p")]),
        "F4" => over(r, "dma", &[("p2p", "p2p")]),
        "F5" => bytes(r),
        "F6" => stores_per_packet(r),
        "F7" => below_32(r),
        "F8" => sub_headers(r),
        "F9" => efficiency(report),
        "F10" => bandwidths(r),
        "F11" => config_packet(report),
        "F12" => over(
            r,
            "finepack-16",
            &[("p2p", "p2p-16"), ("dma", "dma-16"), ("infinite", "infinite-16")],
        ),
        "F13" => gps(r),
        "F14" => storage(),
        "F15" => p2p_over_one_gpu(r),
        "E4" => average_packet(report),
        "copies" => copies(r),
        "links" => links(r),
        _ => None,
    })
}

fn wire(record: &Record) -> f64 {
    record.counter("gpu_link.wire_bytes")
}

/// Over one GPU, in geometric mean.
fn mean(r: &Runs, machine: &'static str) -> f64 {
    Each::speedup(r, machine, "one-gpu").geometric()
}

/// A machine over one GPU.
fn speedup(r: &Runs, machine: &'static str) -> Ours {
    let each = Each::speedup(r, machine, "one-gpu");
    let text = format!("{:.2}x: {}", each.geometric(), each.listed(2));
    let mean = ("mean".into(), each.geometric());
    ours(text, each.named(machine).chain([mean]))
}

fn finepack(r: &Runs) -> Ours {
    let (text, mut values) = speedup(r, "finepack")?;
    let share = values["mean"] / mean(r, "infinite");
    values.insert("of_infinite".into(), share);
    ours(format!("{text}; {:.0} % of F1", 100.0 * share), values)
}

/// A machine over others, each with a name.
fn over(r: &Runs, machine: &'static str, others: &[(&'static str, &'static str)]) -> Ours {
    let (mut texts, mut values) = (Vec::new(), Vec::new());
    for (name, other) in others {
        let each = Each::speedup(r, machine, other);
        let mean = each.geometric();
        texts.push(format!("{name} {mean:.2}x ({})", each.listed(2)));
        values.extend(each.named(name).chain([(format!("{name}.mean"), mean)]));
    }
    ours(texts.join("; "), values)
}

fn bytes(r: &Runs) -> Ours {
    let over = |machine| Each::ratio(r, machine, "finepack", wire).unless_empty();
    let (p2p, dma, combined) = (over("p2p")?, over("dma")?, over("write-combine")?);
    let to_all = over("dma-all")?.geometric();
    let less = 100.0 * (1.0 - 1.0 / combined.geometric());
    let text = format!(
        "{:.2}x, {:.2}x, {less:.0} % less (p2p: {}; dma: {}; write-combine: {}); dma to all copies \
         {to_all:.2}x",
        p2p.geometric(),
        dma.geometric(),
        p2p.listed_in(2, "x"),
        dma.listed_in(2, "x"),
        combined.listed_in(2, "x"),
    );
    let means = [
        ("p2p.mean".into(), p2p.geometric()),
        ("dma.mean".into(), dma.geometric()),
        ("dma to all copies.mean".into(), to_all),
        ("write_combine.mean".into(), combined.geometric()),
        ("write_combine.percent_less".into(), less),
    ];
    let each = p2p.named("p2p").chain(dma.named("dma")).chain(combined.named("write_combine"));
    ours(text, each.chain(means))
}

/// Without a link nothing is merged: each store arrives for itself.
fn stores_per_packet(r: &Runs) -> Ours {
    let each = Each::of(r, |program| {
        let stores = r.record(program, "infinite").counter("ingress.stores");
        let packets = r.record(program, "finepack").counter("gpu_link.packets");
        (packets > 0.0).then(|| stores / packets)
    });
    let each = each.unless_empty()?;
    let text = format!("{:.1} mean ({})", each.mean(), each.listed(1));
    ours(text, each.named("stores_per_packet").chain([("mean".into(), each.mean())]))
}

fn below_32(r: &Runs) -> Ours {
    let each = Each::of(r, |program| {
        let record = r.record(program, "p2p");
        Some(100.0 * record.share("gpu_link.small_writes", "gpu_link.store_tlps"))
    });
    let text = format!("{:.0} % mean ({})", each.mean(), each.listed_in(0, " %"));
    ours(text, each.named("percent").chain([("mean".into(), each.mean())]))
}

fn sub_headers(r: &Runs) -> Ours {
    // Only where programs store to other GPUs.
    Each::ratio(r, "finepack", "finepack", wire).unless_empty()?;
    let of = |of: fn(&Record) -> f64| {
        SUB_HEADERS
            .map(|(length, machine)| (length, Each::ratio(r, machine, "finepack", of).geometric()))
    };
    let (cycles, bytes) = (of(|record| record.cycles as f64), of(wire));
    let best = |all: &[(u32, f64)]| {
        let least = all.iter().min_by(|a, b| a.1.total_cmp(&b.1));
        least.map_or(0, |(length, _)| *length)
    };
    let row = |all: &[(u32, f64)]| {
        let cells = all.iter().map(|(length, ratio)| format!("{length} B {ratio:.3}"));
        cells.collect::<Vec<_>>().join(", ")
    };
    let text = format!(
        "fewest cycles with {} B, fewest bytes with {} B; relative to 5 B, cycles: {}; bytes: {}",
        best(&cycles),
        best(&bytes),
        row(&cycles),
        row(&bytes)
    );
    let named = |what: &str, all: [(u32, f64); 5]| {
        all.map(|(length, ratio)| (format!("relative_{what}.{length}"), ratio))
    };
    ours(text, named("cycles", cycles).into_iter().chain(named("wire_bytes", bytes)))
}

fn efficiency(r: &Report) -> Ours {
    let goodput = |len: u32| {
        let burst = r.details.transfers.iter().find(|b| b.len == len);
        burst.map_or(0.0, |b| 100.0 * b.p2p_goodput())
    };
    let (small, line) = (goodput(32), goodput(128));
    let text = format!(
        "{:.2}: 32 B {small:.1} %, 64 B {:.1} %, 128 B {line:.1} % of the wire is data",
        small / line,
        goodput(64)
    );
    let values =
        r.details.transfers.iter().map(|b| (format!("goodput.{}", b.len), b.p2p_goodput()));
    ours(text, values.chain([("ratio".into(), small / line)]))
}

fn bandwidths(r: &Runs) -> Ours {
    let (mut values, mut cells, mut is_ahead) = (Vec::new(), Vec::new(), true);
    for (rate, machines) in RATES {
        let [finepack, p2p, dma] = machines.map(|machine| mean(r, machine));
        is_ahead &= finepack > p2p && finepack > dma;
        cells.push(format!("{rate} GB/s: finepack {finepack:.2}, p2p {p2p:.2}, dma {dma:.2}"));
        let each = [("finepack", finepack), ("p2p", p2p), ("dma", dma)];
        values.extend(each.map(|(path, mean)| (format!("{rate}.{path}"), mean)));
    }
    let verdict = if is_ahead { "ahead at every step" } else { "not ahead at every step" };
    let infinite = mean(r, "infinite");
    values.push(("infinite".into(), infinite));
    let text = format!("{verdict}; over one GPU, {}; infinite {infinite:.2}", cells.join("; "));
    ours(text, values)
}

fn config_packet(r: &Report) -> Ours {
    let lost = |b: &BurstBytes| 100.0 * b.config_packet_loss();
    let bursts = r.details.config_packets.iter();
    let cells: Vec<_> =
        bursts.clone().map(|b| format!("{} x {} B {:.1} %", b.count, b.len, lost(b))).collect();
    let extra = r.details.config_packets[0].config_packet_extra(CONTEXT_BYTES);
    let programs = Each::ratio(&r.runs, "config-packet", "finepack", wire);
    let percent = Each(programs.0.into_iter().map(|(p, v)| (p, 100.0 * (1.0 - 1.0 / v))).collect());
    let text = format!(
        "+{extra:.1} B per store; {}; programs: {}",
        cells.join(", "),
        percent.listed_in(0, " %")
    );
    let bursts = bursts.map(|b| (format!("percent.{}x{}", b.count, b.len), lost(b)));
    let values = percent.named("percent").chain(bursts);
    ours(text, values.chain([("extra_bytes_per_store".into(), extra)]))
}

/// FinePack over GPS, as our programs store and with other copies.
fn gps(r: &Runs) -> Ours {
    let each = Each::speedup(r, "finepack", "gps");
    let [page, all] =
        ["finepack-page", "finepack-all"].map(|m| Each::speedup(r, m, "gps").geometric());
    let slower = |ratio: f64| match 100.0 * (1.0 - ratio) {
        slower @ 0.0.. => format!("{slower:.1} % slower"),
        faster => format!("{:.1} % faster", -faster),
    };
    let mean = each.geometric();
    let text = format!(
        "{} ({}); with copies by page {}, on all GPUs {}",
        slower(mean),
        each.listed(2),
        slower(page),
        slower(all)
    );
    let means = [("mean".into(), mean), ("page".into(), page), ("all".into(), all)];
    ours(text, each.named("gps").chain(means))
}

fn p2p_over_one_gpu(r: &Runs) -> Ours {
    let each = Each::speedup(r, "p2p", "one-gpu");
    let below: Vec<_> =
        each.0.iter().filter(|(_, v)| *v < 1.0).map(|(program, _)| *program).collect();
    let text = format!(
        "{} of {} below ({}); mean {:.2}x: {}",
        below.len(),
        each.0.len(),
        if below.is_empty() { "none".to_string() } else { below.join(", ") },
        each.geometric(),
        each.listed(2)
    );
    let mean = ("mean".into(), each.geometric());
    ours(text, each.named("p2p").chain([mean]))
}

fn average_packet(r: &Report) -> Ours {
    let cells = r
        .details
        .average_packet
        .iter()
        .map(|b| format!("{} B {:.2}x", b.len, two_decimals(b.gain())));
    let text = cells.collect::<Vec<_>>().join(", ");
    let values = r.details.average_packet.iter().map(|b| (format!("gain.{}", b.len), b.gain()));
    ours(text, values)
}

/// Rounded half up like the specification, where formatting rounds half to even.
pub(super) fn two_decimals(value: f64) -> f64 {
    (100.0 * value).round() / 100.0
}

/// What changes where stores go to other copies.
fn copies(r: &Runs) -> Ours {
    means(
        r,
        &[
            ("finepack by line", "finepack"),
            ("by page", "finepack-page"),
            ("all", "finepack-all"),
            ("p2p by line", "p2p"),
            ("all", "p2p-all"),
            ("dma by line", "dma-line"),
            ("by page", "dma"),
            ("all", "dma-all"),
        ],
    )
}

/// What changes where links carry a quarter.
fn links(r: &Runs) -> Ours {
    let machines = ["finepack-quarter", "p2p-quarter", "dma-quarter"];
    let [finepack, p2p, dma] = machines.map(|machine| mean(r, machine));
    let each = Each::speedup(r, "p2p-quarter", "one-gpu");
    let gain = Each::speedup(r, "finepack-quarter", "p2p-quarter");
    let text = format!(
        "finepack {finepack:.2}, p2p {p2p:.2} ({}), dma {dma:.2}; finepack over dma {:.2}x, over \
         p2p {:.2}x ({})",
        each.listed(2),
        finepack / dma,
        gain.geometric(),
        gain.listed(2)
    );
    let means = machines.into_iter().zip([finepack, p2p, dma]);
    let means = means.map(|(name, mean)| (name.to_string(), mean));
    ours(text, each.named("p2p").chain(gain.named("finepack over p2p")).chain(means))
}

/// Machines over one GPU, with what they are shown as.
fn means(r: &Runs, machines: &[(&str, &'static str)]) -> Ours {
    let means: Vec<_> = machines.iter().map(|&(_, machine)| (machine, mean(r, machine))).collect();
    let shown = machines.iter().zip(&means);
    let cells: Vec<_> = shown.map(|((name, _), (_, mean))| format!("{name} {mean:.2}")).collect();
    ours(cells.join(", "), means)
}
