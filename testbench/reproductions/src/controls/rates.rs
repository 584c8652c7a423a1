//! Rates beside those of the system file: what as many pages more take, once all is under way.

use super::programs::{Before, Op, Program, Sweep, Whose};
use super::row::Row;
use super::runner::{Runner, Spec};
use super::situations::Growth;
use super::{Control, Kind};

pub const CONTROLS: &[Control] = &[
    control("rate-memory-loads", "CUs load lines that no cache holds", memory_loads),
    control("rate-memory-stores", "CUs store to more lines than caches hold", memory_stores),
    control("rate-l2-ports", "CUs load lines that their chiplet's L2 holds", l2_ports),
    control(
        "rate-chiplet-link",
        "CUs access lines that another chiplet's L2 holds: bytes on the busiest link, including \
         headers",
        chiplet_link,
    ),
    control(
        "rate-gpu-link",
        "CUs access lines of another GPU: bytes on the busiest link, including headers and framing",
        gpu_link,
    ),
];

const fn control(
    name: &'static str,
    about: &'static str,
    rows: fn(&mut Runner) -> Vec<Row>,
) -> Control {
    Control { name, about, kind: Kind::SystemFile, rows }
}

/// Of a configured rate so much must be reached.
const REACHED: f64 = 0.95;

/// So that CUs ask for as much as the rest can give: the time of a load times a rate may be more
/// than the miss registers of all L1s hold.
pub(super) fn eager(spec: &Spec) -> Spec {
    spec.clone().set("l1.misses", 1024).set("cu.transactions", 4096)
}

/// Bytes in a cycle that CUs can ask for, where a load takes `latency` cycles.
fn asked(spec: &Spec, cus: f64, latency: f64) -> f64 {
    let s = spec.system();
    cus * f64::from(s.l1.misses) * f64::from(s.machine.line) / latency
}

/// Why a rate may be less than what is configured.
const REGISTERS: &str = "the lower of the bandwidth and the requests that L1s' MSHRs allow";

/// Chiplets; work-groups of each, pages of each of these.
fn shape(spec: &Spec) -> (u32, u32, u32) {
    let m = spec.system().machine;
    let groups = if m.cus > 16 { 2 * m.cus } else { 4 * m.cus };
    let pages = if m.cus > 16 { 3 } else { 8 };
    (spec.chiplets(), groups.into(), pages)
}

/// The same, where twice as much must fit into an L2.
fn shape_in_l2(spec: &Spec) -> (u32, u32, u32) {
    let (chiplets, groups, most) = shape(spec);
    let pages = spec.system().l2.bytes / 4096 / u64::from(groups) / 3;
    (chiplets, groups, pages.clamp(1, most.into()) as u32)
}

fn memory_rate(spec: &Spec) -> f64 {
    let s = spec.system();
    let slices = f64::from(s.l3.slices) * f64::from(spec.chiplets());
    let (bytes, cycles) = s.memory_rate();
    slices * bytes as f64 / cycles as f64
}

fn memory_loads(r: &mut Runner) -> Vec<Row> {
    let mut rows = Vec::new();
    let some = ["cpelide-4-small", "rec-4gpu-small", "stc-8cu-small", "cpelide-4"];
    let all = ["rec-4gpu", "finepack-4gpu", "finepack-4gpu-small", "stc-8cu", "fermi-16sm", "h100"];
    for name in r.either(&some, &[&some[..], &all[..]].concat()) {
        let spec = Spec::placed(name);
        let (chiplets, groups, pages) = shape(&spec);
        let sweep = Sweep::own(chiplets, groups, pages);
        let mut row = |spec: &Spec, most: f64, why| {
            let growth = Growth::of(r, spec, sweep);
            Row::of("bytes per cycle from memory", spec, &Program::Sweep(sweep))
                .why(why)
                .at_least(sweep.bytes() / growth.cycles(), most, REACHED)
                .needs(growth.outcomes())
        };
        let cus = f64::from(spec.system().machine.cus) * f64::from(chiplets);
        let memory = super::latency::latencies(name)[4].expect("each machine has memory");
        let rate = memory_rate(&spec);
        rows.push(row(&spec, rate.min(asked(&spec, cus, memory)), REGISTERS));
        rows.push(row(&eager(&spec), rate, "L1s' MSHRs are no limit"));
        if !r.quick() {
            let spec = eager(&spec).set("l2.misses", 1024).set("l3.misses", 1024);
            let growth = Growth::of(r, &spec, sweep);
            rows.push(
                Row::of("bytes per cycle from memory", &spec, &Program::Sweep(sweep))
                    .why("no MSHRs are a limit")
                    .at_least(sweep.bytes() / growth.cycles(), rate, REACHED)
                    .needs(growth.outcomes()),
            );
        }
    }
    rows
}

fn memory_stores(r: &mut Runner) -> Vec<Row> {
    let mut rows = Vec::new();
    let some = ["cpelide-4-small", "rec-4gpu-small"];
    let all = ["cpelide-4-small", "rec-4gpu-small", "stc-8cu-small", "finepack-4gpu-small"];
    for name in r.either(&some, &all) {
        let spec = Spec::placed(name);
        let s = spec.system();
        let l3 = s.l3.bytes / u64::from(s.machine.chiplets);
        let (chiplets, groups, _) = shape(&spec);
        // More than caches hold: what is left there at the end is as much in both sizes.
        let pages = ((s.l2.bytes + l3) / 4096 / u64::from(groups) + 1) as u32;
        let sweep = Sweep { op: Op::Store, ..Sweep::own(chiplets, groups, pages) };
        let growth = Growth::of(r, &spec, sweep);
        rows.push(
            Row::of("bytes per cycle to memory", &spec, &Program::Sweep(sweep))
                .at_least(sweep.bytes() / growth.cycles(), memory_rate(&spec), REACHED)
                .needs(growth.outcomes()),
        );
    }
    rows
}

fn l2_ports(r: &mut Runner) -> Vec<Row> {
    let mut rows = Vec::new();
    let some = ["cpelide-4-small", "rec-4gpu-small", "cpelide-4"];
    let all = ["rec-4gpu", "stc-8cu", "finepack-4gpu", "fermi-16sm", "h100-small", "h100"];
    for name in r.either(&some, &[&some[..], &all[..]].concat()) {
        // One chiplet is enough, and nobody drops what it holds.
        let spec = Spec::placed(name).with("l2.design", "none");
        let s = spec.system();
        let n = &s.network;
        let (chiplets, groups, pages) = shape_in_l2(&spec);
        let own = Sweep::own(chiplets, groups, pages);
        let sweep = Sweep { before: Before::Load, active: 1, ..own };
        let ports = f64::from(s.l2.banks) * n.bytes_per_cycle as f64;
        let line = f64::from(s.machine.line);
        let answer = 1.0 + f64::from(n.header_bytes) / line;
        let mut row = |spec: &Spec, most: f64, why| {
            let growth = Growth::of(r, spec, sweep);
            let rate = sweep.bytes() * answer / growth.cycles();
            Row::of("bytes per cycle from an L2, including headers", spec, &Program::Sweep(sweep))
                .why(why)
                .at_least(rate, most, REACHED)
                .needs(growth.outcomes())
        };
        let l2 = super::latency::latencies(name)[1].expect("each machine has an L2");
        let asked = asked(&spec, s.machine.cus.into(), l2) * answer;
        // At a CU's end messages do not share a cycle, but behind a unit that combines reads.
        let message = line * answer;
        let cycles = message / n.bytes_per_cycle as f64;
        let cycles = if n.combine == 0 { cycles.ceil() } else { cycles };
        let most = ports.min(f64::from(s.machine.cus) * message / cycles);
        // Each sector of a load occupies its bank.
        let sector = s.l2.load_sector.to_f64() / f64::from(n.sector_bytes);
        let banks = if sector > 0.0 { f64::from(s.l2.banks) * answer / sector } else { most };
        let most = most.min(banks);
        rows.push(row(&spec, most.min(asked), REGISTERS));
        rows.push(row(&eager(&spec), most, "L1s' MSHRs are no limit"));
    }
    rows
}

fn chiplet_link(r: &mut Runner) -> Vec<Row> {
    let mut rows = Vec::new();
    let all =
        ["cpelide-4-small", "cpelide-4", "cpelide-2", "cpelide-2-small", "h100-small", "h100"];
    for name in r.either(&all[..1], &all) {
        for (design, op) in [("none", Op::Load), ("ideal", Op::Load), ("ideal", Op::Store)] {
            let spec = eager(&Spec::placed(name)).with("l2.policy", "home-forward").l2(design);
            let (chiplets, groups, pages) = shape_in_l2(&spec);
            let own = Sweep::own(chiplets, groups, pages);
            let link = spec.system().chiplet_link;
            let rate = link.bytes as f64 / link.cycles as f64;
            let ways = f64::from(chiplets * (chiplets - 1));
            // From one chiplet to the next, and between all.
            let one = Sweep { whose: Whose::Next(1), active: 1, ..own };
            for (case, sweep, links) in
                [("one link", one, 1.0), ("all links", Sweep { whose: Whose::Others, ..own }, ways)]
            {
                let sweep = Sweep { op, before: Before::Load, ..sweep };
                let growth = Growth::of(r, &spec, sweep);
                let class = match op {
                    Op::Load => "traffic.link.data",
                    Op::Store => "traffic.link.write",
                };
                // Where all links carry data, they carry what asks for them, too.
                let others = ["traffic.link.request", "traffic.link.acknowledgement"];
                let others: f64 = match links == 1.0 {
                    true => 0.0,
                    false => others.map(|class| growth.count(class)).iter().sum(),
                };
                let bytes = growth.count(class) + others;
                let case = format!("bytes per cycle, {case}");
                // What an L2's ports move goes over all links of its chiplet. Under a directory all
                // of it passes two L2s.
                let s = spec.system();
                let ports = f64::from(s.l2.banks) * s.network.bytes_per_cycle as f64;
                let passed = if design == "ideal" { 2.0 } else { 1.0 };
                let most = rate.min(ports * f64::from(chiplets) / links / passed);
                // What is stored goes to memory after that.
                let cycles = growth.body();
                rows.push(
                    Row::of(&case, &spec, &Program::Sweep(sweep))
                        .designs(if design == "none" { "home-forward" } else { design })
                        .why(
                            "the lower of the link's bandwidth and its fraction of the L2's port \
                              bandwidth",
                        )
                        .at_least(bytes / cycles / links, most, REACHED)
                        .needs(growth.outcomes()),
                );
            }
        }
    }
    rows
}

fn gpu_link(r: &mut Runner) -> Vec<Row> {
    let mut rows = Vec::new();
    let some = ["rec-4gpu-small", "finepack-4gpu-small", "rec-4gpu"];
    let all = ["rec-4gpu-small", "finepack-4gpu-small", "rec-4gpu", "finepack-4gpu"];
    for name in r.either(&some, &all) {
        for (design, op) in [("none", Op::Load), ("ideal", Op::Load), ("none", Op::Store)] {
            let spec = Spec::new(name);
            let spec = spec.with("egress.design", "p2p").with("l2.policy", "home-forward");
            let spec = eager(&spec).l2(design);
            let (gpus, groups, _) = shape(&spec);
            let own = Sweep::own(gpus, groups.min(64), 2);
            let rate = spec.system().gpu_link.bytes_per_ns.to_f64();
            let one = Sweep { whose: Whose::Next(1), active: 1, ..own };
            for (case, sweep, links) in [
                ("one link", one, 1.0),
                ("all links", Sweep { whose: Whose::Next(1), ..own }, f64::from(gpus)),
            ] {
                let sweep = Sweep { op, before: Before::Place, ..sweep };
                let growth = Growth::of(r, &spec, sweep);
                let class = match op {
                    Op::Load => "gpu_link.completion_bytes",
                    Op::Store => "gpu_link.wire_bytes",
                };
                let case = format!("bytes per nanosecond, {case}");
                let clock = f64::from(spec.system().machine.clock_mhz) / 1000.0;
                let value = growth.count(class) / growth.cycles() * clock / links;
                rows.push(
                    Row::of(&case, &spec, &Program::Sweep(sweep))
                        .designs(if design == "none" { "home-forward" } else { design })
                        .at_least(value, rate, REACHED)
                        .needs(growth.outcomes()),
                );
            }
        }
    }
    rows
}
