//! Our figures of FinePack (`figures.toml`).

use machine::egress_path::PathKind;

use super::Report;
use super::egress_run::Record;
use super::storage::storage;
use super::sweeps::{BurstBytes, Point, find};
use crate::figure::{self, Each, Figure, Ours, geometric_mean, ours};

/// Bytes of a configuration packet at PCIe 4.0 (specification 7).
const CONTEXT_BYTES: u64 = 28;

/// For each workload, in the report's order.
fn each(r: &Report, f: impl Fn(&'static str) -> f64) -> Each {
    Each(r.inputs.iter().map(|i| (i.workload, f(i.workload))).collect())
}

/// `of` through `path` over the same through FinePack, for each workload.
fn over_finepack(r: &Report, records: &[Record], path: PathKind, of: fn(&Record) -> u64) -> Each {
    each(r, |w| of(find(records, w, path)) as f64 / of(find(records, w, PathKind::FinePack)) as f64)
}

fn wire(r: &Record) -> u64 {
    r.wire.total
}

fn cycles(r: &Record) -> u64 {
    r.cycles
}

fn busy(r: &Record) -> u64 {
    r.busy_cycles
}

/// All figures.
pub(super) fn all(r: &Report) -> Vec<Figure> {
    figure::figures(include_str!("figures.toml"), |id| match id {
        "F5" => bytes(r),
        "F6" => stores_per_packet(r),
        "F7" => below_32(r),
        "F8" => sub_headers(r),
        "F9" => efficiency(r),
        "F10" => bandwidths(r),
        "F11" => config_packet(r),
        "F12" => sixteen(r),
        "F14" => storage(r),
        "E4" => average_packet(r),
        _ => None,
    })
}

fn bytes(r: &Report) -> Ours {
    let [p2p, dma, combined] = [PathKind::P2p, PathKind::Dma, PathKind::WriteCombine]
        .map(|path| over_finepack(r, &r.records, path, wire));
    let less = 100.0 * (1.0 - 1.0 / combined.geometric());
    let text = format!(
        "{:.2}x, {:.2}x, {less:.0} % less (p2p: {}; dma: {}; write-combine: {})",
        p2p.geometric(),
        dma.geometric(),
        p2p.listed_in(2, "x"),
        dma.listed_in(2, "x"),
        combined.listed_in(2, "x"),
    );
    let means = [
        ("p2p.mean".into(), p2p.geometric()),
        ("dma.mean".into(), dma.geometric()),
        ("write_combine.mean".into(), combined.geometric()),
        ("write_combine.percent_less".into(), less),
    ];
    let each = p2p.named("p2p").chain(dma.named("dma")).chain(combined.named("write_combine"));
    ours(text, each.chain(means))
}

fn stores_per_packet(r: &Report) -> Ours {
    let each = each(r, |w| r.record(w, PathKind::FinePack).stores_per_packet().unwrap_or(0.0));
    let text = format!("{:.1} mean ({})", each.mean(), each.listed(1));
    ours(text, each.named("stores_per_packet").chain([("mean".into(), each.mean())]))
}

fn below_32(r: &Report) -> Ours {
    let share = each(r, |w| {
        let r = r.record(w, PathKind::P2p);
        100.0 * r.writes_below_32 as f64 / r.writes as f64
    });
    let text = format!("{:.0} % mean ({})", share.mean(), share.listed_in(0, " %"));
    ours(text, share.named("percent").chain([("mean".into(), share.mean())]))
}

/// Sum over the workloads of a point.
fn total(point: &Point, of: fn(&Record) -> u64) -> f64 {
    point.records.iter().map(of).sum::<u64>() as f64
}

fn sub_headers(r: &Report) -> Ours {
    let base = r.sub_headers.iter().find(|p| p.value == 5).expect("5 is one of the points");
    let relative = |point: &Point, of: fn(&Record) -> u64| {
        let ratios = point.records.iter().zip(&base.records);
        let ratios: Vec<f64> = ratios.map(|(a, b)| of(a) as f64 / of(b) as f64).collect();
        geometric_mean(&ratios)
    };
    let best = |of: fn(&Record) -> u64| {
        let key = |p: &&Point| relative(p, of);
        r.sub_headers.iter().min_by(|a, b| key(a).total_cmp(&key(b))).map_or(0, |p| p.value)
    };
    let row = |of| {
        let cells = r.sub_headers.iter().map(|p| format!("{} B {:.3}", p.value, relative(p, of)));
        cells.collect::<Vec<_>>().join(", ")
    };
    let text = format!(
        "fewest cycles with {} B, fewest bytes with {} B; relative to 5 B, cycles: {}; bytes: {}",
        best(cycles),
        best(wire),
        row(cycles),
        row(wire)
    );
    let mut values = Vec::new();
    for p in &r.sub_headers {
        values.push((format!("cycles.{}", p.value), total(p, cycles)));
        values.push((format!("wire_bytes.{}", p.value), total(p, wire)));
        values.push((format!("relative_cycles.{}", p.value), relative(p, cycles)));
        values.push((format!("relative_wire_bytes.{}", p.value), relative(p, wire)));
    }
    ours(text, values)
}

fn efficiency(r: &Report) -> Ours {
    let goodput = |len: u32| {
        let burst = r.transfers.iter().find(|b| b.len == len);
        burst.map_or(0.0, |b| 100.0 * b.p2p_goodput())
    };
    let (small, line) = (goodput(32), goodput(128));
    let text = format!(
        "{:.2}: 32 B {small:.1} %, 64 B {:.1} %, 128 B {line:.1} % of the wire is data",
        small / line,
        goodput(64)
    );
    let values = r.transfers.iter().map(|b| (format!("goodput.{}", b.len), b.p2p_goodput()));
    ours(text, values.chain([("ratio".into(), small / line)]))
}

fn bandwidths(r: &Report) -> Ours {
    let mut values = Vec::new();
    let mut cells = Vec::new();
    let mut ahead = true;
    for point in &r.bandwidths {
        let mut mean_of = |path: PathKind| {
            let ratio = over_finepack(r, &point.records, path, cycles).geometric();
            values.push((format!("gen{}.{}", point.value, path.name()), ratio));
            ratio
        };
        let (p2p, dma) = (mean_of(PathKind::P2p), mean_of(PathKind::Dma));
        let infinite = mean_of(PathKind::Infinite);
        let link = over_finepack(r, &point.records, PathKind::P2p, busy).geometric();
        values.push((format!("gen{}.link_time.p2p", point.value), link));
        ahead &= p2p > 1.0 && dma > 1.0;
        let rate = 2 << point.value;
        cells.push(format!(
            "{rate} GB/s: p2p {p2p:.2} (link time {link:.2}), dma {dma:.2}, infinite {infinite:.2}"
        ));
    }
    let verdict = if ahead { "ahead at every step" } else { "not ahead at every step" };
    let text = format!("{verdict}; cycles over FinePack's, {}", cells.join("; "));
    ours(text, values)
}

fn config_packet(r: &Report) -> Ours {
    let lost = |b: &BurstBytes| 100.0 * b.config_packet_loss();
    let bursts = r.config_packets.iter();
    let cells: Vec<_> =
        bursts.clone().map(|b| format!("{} x {} B {:.1} %", b.count, b.len, lost(b))).collect();
    let extra = r.config_packets[0].config_packet_extra(CONTEXT_BYTES);
    let workloads = over_finepack(r, &r.records, PathKind::ConfigPacket, wire);
    let percent =
        Each(workloads.0.into_iter().map(|(w, v)| (w, 100.0 * (1.0 - 1.0 / v))).collect());
    let text = format!(
        "+{extra:.1} B per store; {}; workloads: {}",
        cells.join(", "),
        percent.listed_in(0, " %")
    );
    let bursts = bursts.map(|b| (format!("percent.{}x{}", b.count, b.len), lost(b)));
    let values = percent.named("percent").chain(bursts);
    ours(text, values.chain([("extra_bytes_per_store".into(), extra)]))
}

fn sixteen(r: &Report) -> Ours {
    let ratios = |of| {
        [PathKind::P2p, PathKind::Dma]
            .map(|path| over_finepack(r, &r.sixteen_gpus, path, of).geometric())
    };
    let ([p2p, dma], [p2p_link, dma_link]) = (ratios(cycles), ratios(busy));
    let [p2p_bytes, dma_bytes] = ratios(wire);
    let by_workload = over_finepack(r, &r.sixteen_gpus, PathKind::P2p, cycles);
    let text = format!(
        "partly: communication cycles {p2p:.2}x, {dma:.2}x (p2p: {}); link time {p2p_link:.2}x, \
         {dma_link:.2}x; bytes {p2p_bytes:.2}x, {dma_bytes:.2}x",
        by_workload.listed_in(2, "x")
    );
    let values = [
        ("cycles.p2p", p2p),
        ("cycles.dma", dma),
        ("link_time.p2p", p2p_link),
        ("link_time.dma", dma_link),
        ("bytes.p2p", p2p_bytes),
        ("bytes.dma", dma_bytes),
    ];
    ours(text, values)
}

/// Rounded half up like the specification, where formatting rounds half to even.
pub(super) fn two_decimals(value: f64) -> f64 {
    (100.0 * value).round() / 100.0
}

fn average_packet(r: &Report) -> Ours {
    let cells =
        r.average_packet.iter().map(|b| format!("{} B {:.2}x", b.len, two_decimals(b.gain())));
    let text = cells.collect::<Vec<_>>().join(", ");
    let values = r.average_packet.iter().map(|b| (format!("gain.{}", b.len), b.gain()));
    ours(text, values)
}
