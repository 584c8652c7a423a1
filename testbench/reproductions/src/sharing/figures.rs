//! Our figures of the thesis (`figures.toml`).

use std::collections::BTreeMap;

use ports::sharing::types::MAX_SMS;

use super::PRIVATE;
use super::locality::Locality;
use super::points::{
    BASE, BCS, BCS_MANAGED, CAUSES, DESIGN, L1_ONLY, L2_ONLY, LARGE, MANAGED, SCHEDULER, SCHEDULERS,
};
use crate::energy;
use crate::experiment::{Record, Runs, percent, share};
use crate::figure::{self, Each, Figure, Ours, ours};

/// Counted in a run.
type Count = fn(&Record) -> f64;
/// A count's name, machine, base, and the count.
type Ratio<'a> = (&'a str, &'a str, &'a str, Count);
/// A share's name, machine, and the share.
type Share<'a> = (&'a str, &'a str, &'a dyn Fn(&Record) -> f64);
/// Of each program.
type ByProgram<'a> = &'a BTreeMap<&'static str, Locality>;

/// All figures.
pub fn all(r: &Runs, locality: ByProgram) -> Vec<Figure> {
    figure::figures(include_str!("figures.toml"), |id| match id {
        "SA-1" => speedups(r, &[(DESIGN, BASE), (SCHEDULER, BASE), (MANAGED, BASE)]),
        "SA-2" => ratios(
            r,
            &[
                ("traffic", DESIGN, BASE, energy::memory_lines),
                ("power", DESIGN, BASE, memory_power),
                ("energy", DESIGN, BASE, energy::memory),
            ],
        ),
        "SA-3" => ratios(
            r,
            &[("GPU", DESIGN, BASE, energy::gpu), ("memory system", DESIGN, BASE, memory_system)],
        ),
        "SA-4" => ratios(
            r,
            &[
                ("L1 miss rate", DESIGN, BASE, l1_fetches),
                ("MSHR hits", DESIGN, BASE, shared_merges),
                ("L2 MPKI", DESIGN, BASE, l2_misses),
            ],
        ),
        "SA-5" => not_compulsory(r, locality),
        "SA-6" => compulsory(r, locality),
        "SA-7" => near(locality),
        "SA-8" => sharing(r),
        "SA-9" => speedups(r, &[(SCHEDULER, BCS), (DESIGN, BCS_MANAGED)]),
        "SA-10" => schedulers(r),
        "SA-12" => large(r),
        "SA-13" => shared_requests(r),
        "SA-14" => {
            let of = |record: &Record| share(memory_system(record), energy::gpu(record));
            shares(r, &[("share", BASE, &of)])
        }
        "SA-15" => hardware(),
        "SA-16" => {
            let count = locality.keys().filter(|program| is_counted(program)).count();
            ours(format!("{count} programs"), [("programs", count as f64)])
        }
        "levels" => times_and_traffic(r, BASE, [L1_ONLY, L2_ONLY]),
        PRIVATE => private(r),
        cause => {
            let cause = CAUSES.iter().find(|c| c.name == cause)?;
            let [base, scheduler, design] = cause.machines;
            times_and_traffic(r, base, [design, scheduler])
        }
    })
}

/// It is in the means.
fn is_counted(program: &str) -> bool {
    program != PRIVATE
}

fn l1_fetches(record: &Record) -> f64 {
    let [loads, hits, merges] = ["loads", "hits", "merges"].map(|n| l1(record, n));
    loads - hits - merges
}

fn l1(record: &Record, name: &str) -> f64 {
    record.counter(&format!("l1.{name}"))
}

/// Loads that waited for lines under way which were shared when they came.
fn shared_merges(record: &Record) -> f64 {
    l1(record, "sharing_shared_merges")
}

/// Lines that got a way of an L2, and private accesses that passed it.
fn l2_misses(record: &Record) -> f64 {
    record.counter("l2.sharing_allocs") + record.counter("l2.sharing_bypasses")
}

fn memory_power(record: &Record) -> f64 {
    energy::memory(record) / record.inside()
}

/// Energy of L2s, networks and memory.
fn memory_system(record: &Record) -> f64 {
    energy::l2s(record) + energy::networks(record) + energy::memory(record)
}

/// Geometric means of counts on one machine over another.
fn ratios(r: &Runs, all: &[Ratio]) -> Ours {
    let mut values = Vec::new();
    let mut shown = Vec::new();
    for (name, machine, base, of) in all {
        let own = Each::ratio(r, machine, base, of).only(is_counted);
        // Nothing of it happens in some programs.
        let own = Each(own.0.into_iter().filter(|(_, ratio)| *ratio > 0.0).collect());
        let own = own.unless_empty()?;
        let mean = own.geometric();
        shown.push(format!("{name} {}: {}", percent(mean), own.listed(2)));
        values.extend(own.named(name));
        values.push((name.to_string(), mean));
    }
    ours(shown.join("; "), values)
}

/// How many times as fast machines are as others; named as the first.
fn speedups(r: &Runs, all: &[(&str, &str)]) -> Ours {
    let turned = all.iter().map(|&(own, base)| (own, base, own, Record::inside as Count));
    ratios(r, &turned.collect::<Vec<_>>())
}

/// How many times as fast two machines are as a base, and their traffic.
fn times_and_traffic(r: &Runs, base: &str, machines: [&str; 2]) -> Ours {
    let names = machines.map(|machine| format!("traffic {machine}"));
    let (times, mut values) = speedups(r, &machines.map(|machine| (machine, base)))?;
    let counts = [0, 1].map(|at| (&*names[at], machines[at], base, energy::memory_lines as Count));
    let (traffic, more) = ratios(r, &counts)?;
    values.extend(more);
    Some((format!("{times}; {traffic}"), values))
}

/// Arithmetic means of shares on machines.
fn shares(r: &Runs, all: &[Share]) -> Ours {
    let mut values = Vec::new();
    let mut shown = Vec::new();
    for (name, machine, of) in all {
        let own = Each::of(r, |program| Some(of(r.record(program, machine)))).only(is_counted);
        let own = own.unless_empty()?;
        let mean = own.mean();
        shown.push(format!("{name} {mean:.3}: {}", own.listed(2)));
        values.extend(own.named(name));
        values.push((name.to_string(), mean));
    }
    ours(shown.join("; "), values)
}

/// Of the L2s' misses, those that are not the first of their line.
fn not_compulsory(r: &Runs, locality: ByProgram) -> Ours {
    let of = |record: &Record| {
        1.0 - share(locality[record.program].lines as f64, l2_misses(record)).min(1.0)
    };
    shares(r, &[("baseline", BASE, &of), ("design", DESIGN, &of)])
}

/// Of the misses of the baseline's L1s and L2s, those that are the first of their line.
fn compulsory(r: &Runs, locality: ByProgram) -> Ours {
    let l1 = |record: &Record| {
        share(locality[record.program].loaded as f64, l1_fetches(record)).min(1.0)
    };
    let l2 =
        |record: &Record| share(locality[record.program].lines as f64, l2_misses(record)).min(1.0);
    shares(r, &[("L1", BASE, &l1), ("L2", BASE, &l2)])
}

fn near(locality: ByProgram) -> Ours {
    let of = |what: fn(&Locality) -> f64| {
        let counted = locality.iter().filter(|(program, _)| is_counted(program));
        Each(counted.map(|(program, own)| (*program, what(own))).collect())
    };
    let near = of(Locality::near_share);
    let shared = of(Locality::shared_share);
    let text = format!(
        "near {:.3}: {}; shared {:.3}: {}",
        near.mean(),
        near.listed(2),
        shared.mean(),
        shared.listed(2)
    );
    let means = [("near".into(), near.mean()), ("shared".into(), shared.mean())];
    ours(text, near.named("near").chain(shared.named("shared")).chain(means))
}

/// Of the lines in the L2s, those that several SMs have used.
fn shared_lines(record: &Record) -> f64 {
    record.share("l2.sharing_sf_set", "l2.sharing_allocs")
}

/// SMs that have used a line in the L2s.
fn sharers(record: &Record) -> f64 {
    record.share("l2.sharing_users", "l2.sharing_allocs")
}

fn sharing(r: &Runs) -> Ours {
    shares(
        r,
        &[
            ("shared rr", BASE, &shared_lines),
            ("shared qx_adpt", SCHEDULER, &shared_lines),
            ("sharers rr", BASE, &sharers),
            ("sharers qx_adpt", SCHEDULER, &sharers),
        ],
    )
}

/// Run times and sharers under each scheduler, of those under round robin, the least first.
fn schedulers(r: &Runs) -> Ours {
    let mut values = Vec::new();
    let mut shown = Vec::new();
    for (what, of) in [("time", Record::inside as Count), ("sharers", sharers)] {
        let mut means = Vec::new();
        for scheduler in SCHEDULERS {
            let own = Each::ratio(r, scheduler, BASE, of).only(is_counted).unless_empty()?;
            means.push((own.geometric(), scheduler));
        }
        values.extend(means.iter().map(|(mean, name)| (format!("{what} {name}"), *mean)));
        means.sort_by(|a, b| a.0.total_cmp(&b.0));
        let listed = means.iter().map(|(mean, name)| format!("{name} {mean:.3}"));
        shown.push(format!("{what} {}", listed.collect::<Vec<_>>().join(", ")));
    }
    ours(shown.join("; "), values)
}

/// On the machine like a Kepler.
fn large(r: &Runs) -> Ours {
    let [base, design] = LARGE;
    let parts: [(&str, Count); 4] = [
        ("memory", energy::memory),
        ("NoC", energy::networks),
        ("L2", energy::l2s),
        ("traffic", energy::memory_lines),
    ];
    let (time, mut values) = ratios(r, &[("speedup", base, design, Record::inside)])?;
    let (rest, more) = ratios(r, &parts.map(|(name, of)| (name, design, base, of)))?;
    values.extend(more);
    Some((format!("{time}; {rest}"), values))
}

/// Of the loads of shared lines, those that waited for one under way; of the accesses to shared
/// lines that an L2 holds, the late ones.
fn shared_requests(r: &Runs) -> Ours {
    let merged = |record: &Record| {
        let [hits, misses, merges] =
            ["hits", "misses", "merges"].map(|n| l1(record, &format!("sharing_shared_{n}")));
        share(merges, hits + misses + merges)
    };
    let late = |record: &Record| record.share("l2.sharing_late_reuses", "l2.sharing_reuses");
    shares(r, &[("MSHR", BASE, &merged), ("late", BASE, &late)])
}

fn hardware() -> Ours {
    // An owner among the SMs and a flag; two flags.
    let (l2, l1) = (f64::from(MAX_SMS.ilog2() + 1), 2.0);
    ours(format!("{l2} bits of a line of an L2, {l1} of an L1"), [("L2 line", l2), ("L1 line", l1)])
}

/// Cycles and lines of memory of the program with private memory.
fn private(r: &Runs) -> Ours {
    r.inputs.iter().find(|input| !is_counted(input.program))?;
    let over = |of: Count| {
        let [own, base] = [MANAGED, BASE].map(|machine| of(r.record(PRIVATE, machine)));
        own / base
    };
    let (time, traffic) = (over(Record::inside), over(energy::memory_lines));
    let text = format!("{time:.2} times the cycles, {traffic:.2} times the lines of memory");
    ours(text, [("time", time), ("traffic", traffic)])
}
