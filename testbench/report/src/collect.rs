//! Takes what is shown out of a machine.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use machine::{
    Audited, Estimate, GroupSpan, KernelUse, LINK, Machine, Operations, POINTS, System, Timeline,
};

use crate::levels::levels;
use crate::{Group, Kernel, Launch, Point, Recorded, Run};

/// The packets of a machine, as they complete.
#[derive(Clone, Debug, Default)]
pub struct Packets(Rc<RefCell<Vec<Launch>>>);

impl Packets {
    /// Adds one.
    pub fn add(&self, audited: &Audited) {
        let packet = audited.packet;
        let span = |of: &Operations| Some([of.requested?, of.acknowledged?]);
        let sent = packet.sent();
        let baseline = packet.kernel.map_or(0, |_| u32::from(audited.chiplets));
        let mut reasons = BTreeMap::new();
        for reason in packet.before.reasons.iter().chain(&packet.after.reasons) {
            let asks = match (reason.release, reason.acquire) {
                (false, false) => continue,
                (true, false) => "release",
                (false, true) => "acquire",
                (true, true) => "release, acquire",
            };
            *reasons.entry(format!("{asks}: {reason}")).or_default() += 1;
        }
        self.0.borrow_mut().push(Launch {
            gpu: packet.gpu,
            kernel: audited.kernel.to_string(),
            submitted: packet.submitted,
            turn: packet.turn,
            enabled: packet.enabled,
            launched: packet.launched,
            ran: packet.ran,
            ended: packet.ended,
            completed: packet.completed,
            visible: packet.visible,
            before: span(&packet.before),
            after: span(&packet.after),
            sent,
            elided: sent.map(|sent| baseline.saturating_sub(sent)),
            lines_written_back: packet.before.lines_written_back + packet.after.lines_written_back,
            reasons,
        });
    }
}

/// What a run that skips launches estimates.
fn skipped(machine: &Machine) -> String {
    if !machine.is_sampled() {
        return String::new();
    }
    let Estimate { cycles, low, high, launches, simulated, .. } = machine.estimate();
    format!(
        "sampled: this page shows {simulated} of {launches} launches; all take {cycles} cycles \
         ({low} to {high})"
    )
}

/// What is shown of a run on a machine that has recorded ([`Machine::record`]). What the machine
/// does not know, the program and the verdict, is left open.
pub fn collect(machine: &Machine, system: &System, packets: &Packets) -> Run {
    let counters: BTreeMap<_, _> = machine.statistics().into_iter().collect();
    let m = &system.machine;
    let traffic = machine.traffic();
    let count = |name: &str| counters.get(name).copied().unwrap_or(0);
    let levels = levels(system, &traffic, count);
    let chiplet_links = chiplet_links(&traffic.chiplets, m.chiplets.into());
    let kernels = machine.kernel_uses().iter().map(|used| kernel(used, m.gpus)).collect();
    let checked = machine.checked();
    let bodies = machine.blocks().into_iter().filter_map(|block| {
        let body = block.body.map_or("several", |body| body.name());
        (body != "model").then(|| (block.name.to_string(), body.to_string()))
    });
    let designs = [
        ("l1.design", &system.l1.design),
        ("l2.design", &system.l2.design),
        ("l2.policy", &system.l2.policy),
        ("placement.policy", &system.placement.policy),
        ("cu.scheduler", &system.cu.scheduler),
        ("egress.design", &system.egress.design),
    ];
    let is_shown = |(field, _): &(&str, &String)| m.gpus > 1 || *field != "egress.design";
    let designs = designs.into_iter().filter(is_shown);
    let mut run = Run {
        system: match system.scale {
            1 => system.name.clone(),
            scale => format!("{} (scale {scale})", system.name),
        },
        designs: designs.map(|(field, name)| (field.to_string(), name.clone())).collect(),
        bodies: bodies.collect(),
        clock_mhz: m.clock_mhz,
        shape: [m.gpus.into(), m.chiplets.into(), m.cus.into()],
        cycles: machine.cycle(),
        skipped: skipped(machine),
        checked: [checked.loads, checked.atomics],
        kernels,
        counters,
        launches: packets.0.borrow().clone(),
        levels,
        chiplet_links,
        gpu_links: traffic.gpus,
        ..Run::default()
    };
    if let Some((samples, loads)) = machine.recorded() {
        run.sampled = samples.all.iter().map(|(cycle, _)| *cycle).collect();
        run.series = series(&samples.all);
        let points = POINTS.iter().zip(&loads.at).map(|(name, passed)| Point {
            name: name.to_string(),
            loads: passed.loads,
            cycles: passed.cycles,
        });
        run.loads = points.collect();
        run.latencies = loads.by_bits.to_vec();
        run.recorded = machine.timeline().map(|timeline| {
            let mut recorded = recorded(timeline, run.shape, run.cycles);
            let all = std::mem::take(&mut run.series).into_iter();
            let (links, series): (Vec<_>, Vec<_>) =
                all.partition(|(name, _)| name.starts_with(LINK));
            run.series = series.into_iter().collect();
            let links = links.into_iter();
            recorded.links = links.map(|(name, v)| (name[LINK.len()..].to_string(), v)).collect();
            recorded
        });
    }
    run
}

/// Of each GPU the matrix of its own chiplets: no link leads to another GPU's.
fn chiplet_links(all: &[Vec<u64>], chiplets: usize) -> Vec<Vec<Vec<u64>>> {
    let of_gpu = |(gpu, rows): (usize, &[Vec<u64>])| {
        let own = gpu * chiplets..(gpu + 1) * chiplets;
        rows.iter().map(|row| row[own.clone()].to_vec()).collect()
    };
    all.chunks(chiplets).enumerate().map(of_gpu).collect()
}

/// `end`: the last cycle of the run.
fn recorded(timeline: Timeline, [_, chiplets, cus]: [u32; 3], end: u64) -> Recorded {
    let group = |span: &GroupSpan| {
        let (chiplet, cu) = (u32::from(span.cu) / cus, u32::from(span.cu) % cus);
        Group {
            gpu: chiplet / chiplets,
            chiplet: chiplet % chiplets,
            cu,
            slot: span.slot,
            kernel: timeline.groups.name(span).to_string(),
            number: span.number,
            from: span.from,
            to: span.to.unwrap_or(end),
        }
    };
    Recorded {
        groups: timeline.groups.kept().iter().map(group).collect(),
        all_groups: timeline.groups.started(),
        requests: timeline.requests,
        all_requests: timeline.all_requests,
        ..Recorded::default()
    }
}

fn kernel(used: &KernelUse, gpus: u16) -> Kernel {
    Kernel { name: used.name.clone(), launches: used.launches, phases: used.phases(gpus) }
}

/// By name, what changes.
fn series(samples: &[(u64, BTreeMap<String, u64>)]) -> BTreeMap<String, Vec<u64>> {
    let names: std::collections::BTreeSet<_> =
        samples.iter().flat_map(|(_, values)| values.keys()).collect();
    let all = names.into_iter().map(|name| {
        let values = samples.iter().map(|(_, v)| v.get(name).copied().unwrap_or(0));
        (name.clone(), values.collect::<Vec<_>>())
    });
    all.filter(|(_, values)| values.iter().any(|value| *value != values[0])).collect()
}
