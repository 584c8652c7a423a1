//! The figures of FinePack (specification 11): ours, the paper's, and why they may differ.

use machine::egress_path::PathKind;

use super::Report;
use super::egress_run::Record;
use super::storage::storage;
use super::sweeps::{Point, find};
use crate::figure::{Figure, figure, geometric_mean, mean};

/// Bytes of a configuration packet at PCIe 4.0 (specification 7).
const CONTEXT_BYTES: u64 = 28;

const FULL_GPU: &str = "not yet: needs compute time and caches of the full GPU";

/// For each workload, in the report's order.
fn each(r: &Report, f: impl Fn(&'static str) -> f64) -> Vec<f64> {
    r.inputs.iter().map(|i| f(i.workload)).collect()
}

/// `pagerank 1.2, jacobi 3.4`, each with `unit`.
fn listed(r: &Report, values: &[f64], digits: usize, unit: &str) -> String {
    let pairs = r.inputs.iter().zip(values);
    pairs.map(|(i, v)| format!("{} {v:.digits$}{unit}", i.workload)).collect::<Vec<_>>().join(", ")
}

fn named(r: &Report, what: &str, values: &[f64]) -> Vec<(String, f64)> {
    let pairs = r.inputs.iter().zip(values);
    pairs.map(|(i, v)| (format!("{what}.{}", i.workload), *v)).collect()
}

/// `of` through `path` over the same through FinePack, for each workload.
fn over_finepack(
    r: &Report,
    records: &[Record],
    path: PathKind,
    of: fn(&Record) -> u64,
) -> Vec<f64> {
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

/// All figures, in the order of the specification.
pub(super) fn all(r: &Report) -> Vec<Figure> {
    vec![
        figure("F1", "speed-up over 1 GPU, infinite bandwidth", "3.4x", "VI-A, Fig. 9", FULL_GPU),
        figure("F2", "speed-up over 1 GPU, FinePack", "2.4x, 71 % of F1", "I, abstract", FULL_GPU),
        figure("F3", "FinePack over dma, p2p", "1.4x, 3x", "VI-A", FULL_GPU),
        figure("F4", "dma over p2p", "2.1x", "VI-A", FULL_GPU),
        bytes(r),
        stores_per_packet(r),
        below_32(r),
        sub_headers(r),
        efficiency(r),
        bandwidths(r),
        config_packet(r),
        sixteen(r),
        figure(
            "F13",
            "FinePack against GPS, 4 GPUs",
            "17.8 % slower",
            "VI-B",
            "not yet: needs a model of GPS, and compute time of the full GPU",
        ),
        storage(r),
        figure(
            "F15",
            "p2p below one GPU for irregular codes",
            "net slow-down; not Jacobi, Diffusion",
            "VI-A",
            FULL_GPU,
        ),
        average_packet(r),
    ]
}

fn bytes(r: &Report) -> Figure {
    let [p2p, dma, combined] = [PathKind::P2p, PathKind::Dma, PathKind::WriteCombine]
        .map(|path| over_finepack(r, &r.records, path, wire));
    let less = |ratios: &[f64]| 100.0 * (1.0 - 1.0 / geometric_mean(ratios));
    let ours = format!(
        "{:.2}x, {:.2}x, {:.0} % less (p2p: {}; dma: {}; write-combine: {})",
        geometric_mean(&p2p),
        geometric_mean(&dma),
        less(&combined),
        listed(r, &p2p, 2, "x"),
        listed(r, &dma, 2, "x"),
        listed(r, &combined, 2, "x"),
    );
    let mut values = named(r, "p2p", &p2p);
    values.extend(named(r, "dma", &dma));
    values.extend(named(r, "write_combine", &combined));
    values.push(("p2p.mean".into(), geometric_mean(&p2p)));
    values.push(("dma.mean".into(), geometric_mean(&dma)));
    values.push(("write_combine.percent_less".into(), less(&combined)));
    figure(
        "F5",
        "FinePack's bytes on the wire: less than p2p, dma, write-combine",
        "2.7x, 1.3x, 24 % less",
        "VI-A, Fig. 10",
        "geometric mean of 3 workloads of the paper's 8, synthetic inputs. dma copies the whole \
         owned block to each reader, mostly bytes that nobody reads; sssp improves few vertices in \
         an iteration and stores 4 B at a time",
    )
    .with(ours, values)
}

fn stores_per_packet(r: &Report) -> Figure {
    let values = each(r, |w| r.record(w, PathKind::FinePack).stores_per_packet().unwrap_or(0.0));
    let ours = format!("{:.1} mean ({})", mean(&values), listed(r, &values, 1, ""));
    let mut all = named(r, "stores_per_packet", &values);
    all.push(("mean".into(), mean(&values)));
    figure(
        "F6",
        "stores per packet",
        "42 mean",
        "VI-A, Fig. 11",
        "a store is a warp's access to one line. jacobi's boundary is 8 full lines in a kernel, \
         then the release ends the packet; sssp's graph is numbered site by site, so a warp's \
         stores of 4 B lie in few lines, and many overwrite earlier ones",
    )
    .with(ours, all)
}

fn below_32(r: &Report) -> Figure {
    let share = each(r, |w| {
        let r = r.record(w, PathKind::P2p);
        100.0 * r.writes_below_32 as f64 / r.writes as f64
    });
    let ours = format!("{:.0} % mean ({})", mean(&share), listed(r, &share, 0, " %"));
    let mut values = named(r, "percent", &share);
    values.push(("mean".into(), mean(&share)));
    figure(
        "F7",
        "p2p transfers below 32 B",
        "> 63 % mean",
        "I, Fig. 4",
        "3 workloads of 8; a transfer is a TLP, one for each run of bytes",
    )
    .with(ours, values)
}

/// Sum over the workloads of a point.
fn total(point: &Point, of: fn(&Record) -> u64) -> f64 {
    point.records.iter().map(of).sum::<u64>() as f64
}

fn sub_headers(r: &Report) -> Figure {
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
    let ours = format!(
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
    figure(
        "F8",
        "sub-headers of 2 to 6 B",
        "best 4 B, 5 B equal, worse above",
        "VI-A, Fig. 12",
        "geometric means, communication only. Our arrays fit into the 4 MB windows of 4 B, so only \
         2 and 3 B end packets for their window; links are idle half of the time and more, so \
         longer sub-headers cost little time. 2 B reach 64 B only: that run has lines of 64 B, \
         half the storage",
    )
    .with(ours, values)
}

fn efficiency(r: &Report) -> Figure {
    let goodput = |len: u32| {
        let burst = r.transfers.iter().find(|b| b.len == len);
        burst.map_or(0.0, |b| 100.0 * b.p2p_goodput())
    };
    let (small, line) = (goodput(32), goodput(128));
    let ours = format!(
        "{:.2}: 32 B {small:.1} %, 64 B {:.1} %, 128 B {line:.1} % of the wire is data",
        small / line,
        goodput(64)
    );
    let values = r.transfers.iter().map(|b| (format!("goodput.{}", b.len), b.p2p_goodput()));
    let values: Vec<_> = values.chain([("ratio".into(), small / line)]).collect();
    figure(
        "F9",
        "efficiency of 32 B transfers against 128 B",
        "about half",
        "I, Fig. 2",
        "the paper measured machines; ours has PCIe 4.0 framing with ECRC, without DLLPs",
    )
    .with(ours, values)
}

fn bandwidths(r: &Report) -> Figure {
    let mut values = Vec::new();
    let mut cells = Vec::new();
    let mut ahead = true;
    for point in &r.bandwidths {
        let mut mean_of = |path: PathKind| {
            let ratio = geometric_mean(&over_finepack(r, &point.records, path, cycles));
            values.push((format!("gen{}.{}", point.value, path.name()), ratio));
            ratio
        };
        let (p2p, dma) = (mean_of(PathKind::P2p), mean_of(PathKind::Dma));
        let infinite = mean_of(PathKind::Infinite);
        let link = geometric_mean(&over_finepack(r, &point.records, PathKind::P2p, busy));
        values.push((format!("gen{}.link_time.p2p", point.value), link));
        ahead &= p2p > 1.0 && dma > 1.0;
        let rate = 2 << point.value;
        cells.push(format!(
            "{rate} GB/s: p2p {p2p:.2} (link time {link:.2}), dma {dma:.2}, infinite {infinite:.2}"
        ));
    }
    let verdict = if ahead { "ahead at every step" } else { "not ahead at every step" };
    let ours = format!("{verdict}; cycles over FinePack's, {}", cells.join("; "));
    figure(
        "F10",
        "bandwidth 32 to 128 GB/s",
        "FinePack ahead at every step",
        "VI-A, Fig. 13",
        "communication only, geometric means. Packetizer and destination handle one run per cycle \
         whatever the link's rate. p2p is ahead in jacobi, where FinePack holds the few stores \
         back until the release",
    )
    .with(ours, values)
}

fn config_packet(r: &Report) -> Figure {
    let cells: Vec<String> = r
        .config_packets
        .iter()
        .map(|b| format!("{} x {} B {:.1} %", b.count, b.len, 100.0 * b.config_packet_loss()))
        .collect();
    let extra = r.config_packets[0].config_packet_extra(CONTEXT_BYTES);
    let workloads = over_finepack(r, &r.records, PathKind::ConfigPacket, wire);
    let percent: Vec<f64> = workloads.iter().map(|v| 100.0 * (1.0 - 1.0 / v)).collect();
    let ours = format!(
        "+{extra:.1} B per store; {}; workloads: {}",
        cells.join(", "),
        listed(r, &percent, 0, " %")
    );
    let mut values = named(r, "percent", &percent);
    values.push(("extra_bytes_per_store".into(), extra));
    for b in &r.config_packets {
        let name = format!("percent.{}x{}", b.count, b.len);
        values.push((name, 100.0 * b.config_packet_loss()));
    }
    figure(
        "F11",
        "wire bytes that FinePack saves against configuration packets",
        "about 18 % for 32-64 stores, 10 B per store",
        "VI-B",
        "depends on the length of the stores, which the paper does not give: 40 B give its 18 %",
    )
    .with(ours, values)
}

fn sixteen(r: &Report) -> Figure {
    let ratios = |of| {
        [PathKind::P2p, PathKind::Dma]
            .map(|path| geometric_mean(&over_finepack(r, &r.sixteen_gpus, path, of)))
    };
    let ([p2p, dma], [p2p_link, dma_link]) = (ratios(cycles), ratios(busy));
    let [p2p_bytes, dma_bytes] = ratios(wire);
    let by_workload = over_finepack(r, &r.sixteen_gpus, PathKind::P2p, cycles);
    let ours = format!(
        "partly: communication cycles {p2p:.2}x, {dma:.2}x (p2p: {}); link time {p2p_link:.2}x, \
         {dma_link:.2}x; bytes {p2p_bytes:.2}x, {dma_bytes:.2}x",
        listed(r, &by_workload, 2, "x")
    );
    let values = [
        ("cycles.p2p", p2p),
        ("cycles.dma", dma),
        ("link_time.p2p", p2p_link),
        ("link_time.dma", dma_link),
        ("bytes.p2p", p2p_bytes),
        ("bytes.dma", dma_bytes),
    ];
    figure(
        "F12",
        "16 GPUs, PCIe 6.0: FinePack over p2p, dma",
        "3x, 1.9x",
        "VI-B",
        "no compute time, and the inputs of 4 GPUs, so little is left for each of 16. At 128 \
         B/cycle latency and one write per cycle at a destination (dest us) count more than the \
         links, which FinePack leaves mostly idle. dma pays 5000 cycles of software for each of up \
         to 15 copies",
    )
    .with(ours, values.map(|(name, v)| (name.to_string(), v)))
}

/// Rounded half up like the specification, where formatting rounds half to even.
pub(super) fn two_decimals(value: f64) -> f64 {
    (100.0 * value).round() / 100.0
}

fn average_packet(r: &Report) -> Figure {
    let cells =
        r.average_packet.iter().map(|b| format!("{} B {:.2}x", b.len, two_decimals(b.gain())));
    let ours = cells.collect::<Vec<_>>().join(", ");
    let values = r.average_packet.iter().map(|b| (format!("gain.{}", b.len), b.gain()));
    figure(
        "E4",
        "goodput of 42 packed stores against raw ones, by length",
        "4 B 3.29x, 8 B 2.63x, 16 B 2.03x, 32 B 1.59x",
        "specification 10, example 4",
        "wire bytes of the TLPs that carry the stores, without the MARK",
    )
    .with(ours, values.collect::<Vec<_>>())
}
