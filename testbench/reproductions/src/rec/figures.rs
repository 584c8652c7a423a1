//! The figures of REC (directory specification, section 11): ours, the paper's, and why they may
//! differ.

use crate::experiment::{Each, Record, Runs, percent};
use crate::figure::{Figure, figure};

const PROGRAMS: &str = "our programs are smaller, and only some are kin of the paper's; means are \
                        geometric, which the paper does not say of its own";

/// The mean speedups of machines over others, with what they are shown as.
fn speedups(
    r: &Runs,
    f: Figure,
    machines: &[(&'static str, &'static str, &'static str)],
) -> Figure {
    let mut values = Vec::new();
    let each = machines.iter().map(|(machine, over, shown)| {
        let speedup = Each::speedup(r, machine, over).geometric();
        values.push((format!("{machine} over {over}"), speedup));
        format!("{shown} {}", percent(speedup)).trim_start().to_string()
    });
    let ours = each.collect::<Vec<_>>().join(", ");
    f.with(ours, values)
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

fn latency(record: &Record) -> f64 {
    record.counter("l2.read_cycles") / record.counter("l2.own_reads").max(1.0)
}

/// All figures.
pub fn all(r: &Runs) -> Vec<Figure> {
    vec![
        rec(r),
        others(r),
        ideal(r),
        l2_misses(r),
        miss_rate(r),
        causes(r),
        more_entries(r),
        lines(r),
        messages(r),
        lookup(r),
        ranges(r),
        entries(r),
        replacement(r),
        l2_size(r),
        cus(r),
        gpus(r),
        nvidia(r),
        figure(
            "R18",
            "speedup on VGG16 and ResNet18",
            "5.6 %, 8.9 %",
            "section 5.5, Fig. 24",
            "no training of networks among our programs; GEMM and GEMV are in R1",
        ),
        figure(
            "R19",
            "area and power beside the L2",
            "3.94 %, 3.28 %",
            "section 4.3",
            "no synthesis: tests/storage.rs compares the bits of an entry",
        ),
    ]
}

fn rec(r: &Runs) -> Figure {
    let f = figure(
        "R1",
        "speedup of REC over the baseline, 4 GPUs",
        "32.7 % mean",
        "abstract, Fig. 11",
        PROGRAMS,
    );
    let each = Each::speedup(r, "rec", "baseline");
    let mean = each.geometric();
    f.with(
        format!("{}: {}", percent(mean), each.listed(3)),
        each.named("rec").chain([("mean".into(), mean)]),
    )
}

fn others(r: &Runs) -> Figure {
    let f = figure(
        "R2",
        "speedup of HMG, and of the baseline with twice the entries",
        "16.7 %, 7.3 %",
        "section 5.2, Fig. 11",
        PROGRAMS,
    );
    speedups(r, f, &[("hmg", "baseline", "HMG"), ("baseline-2x", "baseline", "2x entries")])
}

fn ideal(r: &Runs) -> Figure {
    let f = figure(
        "R3",
        "speedup of a directory that never evicts",
        "36.9 % mean, at most 2.79x",
        "section 3.1, Fig. 1",
        PROGRAMS,
    );
    let each = Each::speedup(r, "ideal", "baseline");
    let most = each.values().into_iter().fold(0.0, f64::max);
    let none = Each::speedup(r, "no-caching", "baseline").geometric();
    let ours = format!(
        "{}, at most {most:.2}x: {}; without remote caching {}",
        percent(each.geometric()),
        each.listed(3),
        percent(none)
    );
    let means =
        [("mean".into(), each.geometric()), ("most".into(), most), ("no-caching".into(), none)];
    f.with(ours, each.named("ideal").chain(means))
}

fn l2_misses(r: &Runs) -> Figure {
    let note = "fetches of lines that the same L2 had fetched before: of all lines, then of other \
                GPUs' alone. Our L2s miss more lines of their own GPU, which no directory \
                concerns. Programs without any to compare with are left out; arithmetic means";
    let f = figure(
        "R4",
        "L2 misses without cold ones: REC over the baseline; twice the entries, and HMG, over REC",
        "-53.5 %; 1.79x, 1.40x",
        "section 5.2, Fig. 13",
        note,
    );
    let remote = |record: &Record| record.counter("l2.remote_fetches_again");
    let mut values = Vec::new();
    let mut ours = Vec::new();
    for (name, of) in [("all", &misses as &dyn Fn(&Record) -> f64), ("remote", &remote)] {
        let rec = Each::ratio(r, "rec", "baseline", of);
        let [double, hmg] = ["baseline-2x", "hmg"].map(|m| Each::ratio(r, m, "rec", of));
        if [&rec, &double, &hmg].iter().any(|each| each.0.is_empty()) {
            continue;
        }
        let (mean, double, hmg) = (rec.mean(), double.mean(), hmg.mean());
        ours.push(format!("{name} {}; {double:.2}x, {hmg:.2}x ({})", percent(mean), rec.listed(2)));
        values.push((format!("{name}.rec"), mean));
        values.push((format!("{name}.baseline-2x over rec"), double));
        values.push((format!("{name}.hmg over rec"), hmg));
    }
    if ours.is_empty() { f } else { f.with(ours.join("; "), values) }
}

fn miss_rate(r: &Runs) -> Figure {
    let note = "misses without cold ones for each read of a GPU's own CUs; programs without any on \
                the ideal directory are left out; arithmetic mean";
    let f =
        figure("R5", "L2 miss rate: baseline over ideal", "2.4x mean", "section 3.1, Fig. 4", note);
    let rate = |record: &Record| misses(record) / record.counter("l2.own_reads").max(1.0);
    let each = Each::ratio(r, "baseline", "ideal", rate);
    if each.0.is_empty() {
        return f;
    }
    f.with(format!("{:.2}x: {}", each.mean(), each.listed(2)), [("mean".into(), each.mean())])
}

fn causes(r: &Runs) -> Figure {
    let note = "programs without any are left out";
    let f = figure(
        "R6",
        "share of evictions in the invalidations that hit, baseline",
        "79.5 % mean; FIR, LU and MM2 write heavy",
        "section 3.2, Fig. 5",
        note,
    );
    let each = Each::of(r, |program| {
        let record = r.record(program, "baseline");
        let [evict, write] = ["l2.inv_hit_evict", "l2.inv_hit_write"].map(|n| record.counter(n));
        (evict + write > 0.0).then(|| evict / (evict + write))
    });
    if each.0.is_empty() {
        return f;
    }
    let ours = format!("{:.1} %: {}", 100.0 * each.mean(), each.listed(3));
    f.with(ours, each.named("evict").chain([("mean".into(), each.mean())]))
}

fn more_entries(r: &Runs) -> Figure {
    let f = figure(
        "R7",
        "speedup of the baseline with 6 and 12 times the entries",
        "6x: 1.35x; ATAX, PR and ST need 8x to 12x",
        "section 3.3, Fig. 6",
        PROGRAMS,
    );
    speedups(r, f, &[("baseline-6x", "baseline", "6x"), ("baseline-12x", "baseline", "12x")])
}

fn lines(r: &Runs) -> Figure {
    let note = "programs without evictions are left out: the more an entry covers, the fewer \
                remain; arithmetic means";
    let f = figure(
        "R8",
        "lines of an entry when it is evicted, for ranges of 128 B, 256 B, 1 kB, 4 kB",
        "1.8, 3.4, 12.9, 54.7; at 1 kB ATAX 3.9, PR 6.1, ST 5.8",
        "section 5.2, Fig. 12",
        note,
    );
    let of = |machine| {
        Each::of(r, |program| {
            let record = r.record(program, machine);
            let evicted = record.counter("l2.directory.evicted");
            (evicted > 0.0).then(|| record.counter("l2.directory.lines_evicted") / evicted)
        })
    };
    let machines = ["rec-128", "rec-256", "rec", "rec-4k"];
    let mut values = Vec::new();
    let each: Vec<_> = machines
        .iter()
        .map(|machine| {
            let each = of(machine);
            if each.0.is_empty() {
                return "-".to_string();
            }
            values.push((machine.to_string(), each.mean()));
            format!("{:.1}", each.mean())
        })
        .collect();
    f.with(format!("{}; at 1 kB {}", each.join(", "), of("rec").listed(1)), values)
}

fn messages(r: &Runs) -> Figure {
    let note = "unnecessary: evicted and found in the sharer's L2; transactions: requests, \
                answers, invalidations and markers on the links; arithmetic means";
    let f = figure(
        "R9",
        "unnecessary invalidations, and transactions between GPUs: REC over the baseline",
        "-84.4 %, -34.9 %",
        "Fig. 14",
        note,
    );
    let invalidations = Each::ratio(r, "rec", "baseline", |x| x.counter("l2.inv_hit_evict"));
    let all = Each::ratio(r, "rec", "baseline", transactions);
    if invalidations.0.is_empty() {
        return f;
    }
    let ours =
        format!("{}, {} ({})", percent(invalidations.mean()), percent(all.mean()), all.listed(2));
    let values =
        [("unnecessary".into(), invalidations.mean()), ("transactions".into(), all.mean())];
    f.with(ours, values)
}

fn lookup(r: &Runs) -> Figure {
    let note = "from a read's leaving its CU to its answer's leaving the L2, misses included; \
                arithmetic mean";
    let f = figure("R10", "L2 lookup latency: REC over the baseline", "-14.8 %", "Fig. 16", note);
    let each = Each::ratio(r, "rec", "baseline", latency);
    f.with(format!("{} ({})", percent(each.mean()), each.listed(2)), [("mean".into(), each.mean())])
}

fn ranges(r: &Runs) -> Figure {
    let f = figure(
        "R11",
        "speedup of REC over the baseline by range",
        "saturates at 1 kB",
        "Fig. 17(a)",
        PROGRAMS,
    );
    let machines =
        [("rec-128", "128 B"), ("rec-256", "256 B"), ("rec", "1 kB"), ("rec-4k", "4 kB")];
    speedups(r, f, &machines.map(|(machine, shown)| (machine, "baseline", shown)))
}

fn entries(r: &Runs) -> Figure {
    let f = figure(
        "R12",
        "speedup of REC over the baseline of 8K entries by number of entries",
        "above it on average from 2K to 32K",
        "Fig. 17(b)",
        "entries are the paper's; the machine has a 64th of them",
    );
    let machines = [
        ("rec-2k-entries", "2K"),
        ("rec-4k-entries", "4K"),
        ("rec", "8K"),
        ("rec-16k-entries", "16K"),
        ("rec-32k-entries", "32K"),
    ];
    speedups(r, f, &machines.map(|(machine, shown)| (machine, "baseline", shown)))
}

fn replacement(r: &Runs) -> Figure {
    let f = figure(
        "R13",
        "speedup of REC over the baseline with FIFO and LRU replacement",
        "FIFO little below LRU; ATAX, PR and ST lose",
        "Fig. 18",
        PROGRAMS,
    );
    let [fifo, lru] = ["rec-fifo", "rec"].map(|m| Each::speedup(r, m, "baseline").geometric());
    let each = Each::speedup(r, "rec-fifo", "rec");
    let ours =
        format!("FIFO {}, LRU {}; FIFO over LRU: {}", percent(fifo), percent(lru), each.listed(3));
    f.with(ours, each.named("fifo over lru").chain([("fifo".into(), fifo), ("lru".into(), lru)]))
}

fn l2_size(r: &Runs) -> Figure {
    let note = "sizes are the paper's; the machine has a 64th of them. The paper says both that \
                REC gains with the size and that its effect falls with it";
    let f = figure(
        "R14",
        "speedup of REC over the baseline of the same L2 size",
        "0.5 MB 6.3 %, 2 MB 32.7 %, 8 MB 26.7 %",
        "section 5.3, Fig. 19",
        note,
    );
    let each = [
        ("rec-half-mb", "baseline-half-mb", "0.5 MB"),
        ("rec", "baseline", "2 MB"),
        ("rec-8mb", "baseline-8mb", "8 MB"),
    ];
    speedups(r, f, &each)
}

fn cus(r: &Runs) -> Figure {
    let note = "twice the CUs (chosen: the paper's number is not given in its text); both over the \
                same number, and REC over the baseline of the first";
    let f = figure(
        "R15",
        "speedup of REC with more shader arrays",
        "17.1 % over the baseline of 16",
        "section 5.3, Fig. 21",
        note,
    );
    let each = [
        ("rec-2x-cus", "baseline-2x-cus", "over the same"),
        ("rec-2x-cus", "baseline", "over the first"),
    ];
    speedups(r, f, &each)
}

fn gpus(r: &Runs) -> Figure {
    let note =
        "programs stay as they are; equal storage: the baseline with 3 and 5 times the entries";
    let f = figure(
        "R16",
        "speedup of REC on 8 and 16 GPUs, and over baselines of equal storage",
        "24.7 %, 14.7 %; 2.04x, 1.83x",
        "section 5.3, Fig. 22",
        note,
    );
    let each = [
        ("rec-8gpu", "baseline-8gpu", "8 GPUs"),
        ("rec-16gpu", "baseline-16gpu", "16 GPUs"),
        ("rec-8gpu", "baseline-3x-8gpu", "equal storage: 8 GPUs"),
        ("rec-16gpu", "baseline-5x-16gpu", "16 GPUs"),
    ];
    speedups(r, f, &each)
}

fn nvidia(r: &Runs) -> Figure {
    let note = "the programs stay as they are and fit the L2 of 72 MB / 64, where the paper's grew \
                with it";
    let f = figure(
        "R17",
        "speedup of REC with 128 CUs, lines of 128 B, ranges of 2 kB, 72 MB of L2",
        "12.9 %",
        "section 5.4, Fig. 23",
        note,
    );
    speedups(r, f, &[("rec-nvidia", "baseline-nvidia", "")])
}
