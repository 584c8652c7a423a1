//! What is shown of a run.

use std::collections::BTreeMap;

use machine::PHASES;
use machine::Request;
use serde::{Deserialize, Serialize};

/// A run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// What the run is called beside others; empty where that follows from what differs.
    #[serde(default)]
    pub name: String,
    /// PASS, or what the run ended with.
    pub verdict: String,
    /// Name of the system, and what it was divided by.
    pub system: String,
    /// Name and checksum of the program.
    pub workload: String,
    /// The designs and policies of the system, by field.
    pub designs: BTreeMap<String, String>,
    /// Bodies that are not models, by block.
    pub bodies: BTreeMap<String, String>,
    /// Seed of the program's input.
    pub seed: u64,
    /// Clock of the GPU, in MHz.
    pub clock_mhz: u32,
    /// GPUs, chiplets of each, CUs of each chiplet.
    pub shape: [u32; 3],
    /// Cycles of the GPU's clock.
    pub cycles: u64,
    /// Where launches were skipped, how many and what all of them take; the page shows the others.
    #[serde(default)]
    pub skipped: String,
    /// Loads whose values were compared, and atomics.
    pub checked: [u64; 2],
    /// Kernels of one name together, in the order of their first launch.
    pub kernels: Vec<Kernel>,
    /// Statistics.
    pub counters: BTreeMap<String, u64>,
    /// Cycles of the samples.
    pub sampled: Vec<u64>,
    /// Of each statistic that changes, and of each kind of queue, its values there.
    pub series: BTreeMap<String, Vec<u64>>,
    /// Points on the way of loads.
    pub loads: Vec<Point>,
    /// Loads by the bits of their latency in cycles.
    pub latencies: Vec<u64>,
    /// Packets of the command processors.
    pub launches: Vec<Launch>,
    /// Bandwidth of each level of the memory system.
    #[serde(default)]
    pub levels: Vec<Level>,
    /// Of each GPU, bytes on the links between its chiplets, by sender and receiver.
    #[serde(default)]
    pub chiplet_links: Vec<Vec<Vec<u64>>>,
    /// Bytes on the links between GPUs, by sender and receiver.
    #[serde(default)]
    pub gpu_links: Vec<Vec<u64>>,
    /// What is recorded for a timeline; pages do not hold it.
    #[serde(skip)]
    pub recorded: Option<Recorded>,
}

/// What is recorded for a timeline alone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recorded {
    /// Work-groups.
    pub groups: Vec<Group>,
    /// How many there were.
    pub all_groups: u64,
    /// Sampled requests.
    pub requests: Vec<Request>,
    /// How many requests there were.
    pub all_requests: u64,
    /// Of each link that was used its bytes up to each sample.
    pub links: BTreeMap<String, Vec<u64>>,
}

/// A work-group on a CU.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// GPU.
    pub gpu: u32,
    /// Chiplet of the GPU.
    pub chiplet: u32,
    /// CU of the chiplet.
    pub cu: u32,
    /// Slot of the CU.
    pub slot: u16,
    /// Kernel.
    pub kernel: String,
    /// Number in the kernel's grid.
    pub number: u32,
    /// First cycle.
    pub from: u64,
    /// Cycle of the end; of one that had not ended, the last of the run.
    pub to: u64,
}

/// A level of the memory system.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Level {
    /// Name.
    pub name: String,
    /// The ports that limit it.
    pub ports: String,
    /// Bytes that passed these ports in the run.
    pub bytes: u64,
    /// Bytes that all these ports together can move in a cycle of the GPU's clock.
    pub possible: f64,
}

/// Kernels of one name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Kernel {
    /// Name.
    pub name: String,
    /// Launches.
    pub launches: u32,
    /// Cycles of each of [`machine::PHASES`], on the mean of the GPUs.
    #[serde(default)]
    pub phases: [u64; PHASES.len()],
}

/// A point on the way of loads.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// What happens there.
    pub name: String,
    /// Loads of a line that came there.
    pub loads: u64,
    /// Cycles since they had left their wavefronts, together.
    pub cycles: u64,
}

/// What became of a packet.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Launch {
    /// GPU.
    pub gpu: u16,
    /// Name of the kernel; empty for a barrier.
    pub kernel: String,
    /// When the host handed it over. Cycle, as below.
    pub submitted: u64,
    /// When the packet before it in its stream was complete, or it was handed over.
    #[serde(default)]
    pub turn: u64,
    /// When its launch was enabled, and when that was known at all chiplets.
    #[serde(default)]
    pub enabled: Option<u64>,
    /// See above.
    pub launched: Option<u64>,
    /// When its first work-group was dispatched, and when the last one had ended.
    #[serde(default)]
    pub ran: Option<[u64; 2]>,
    /// When all chiplets had reported the kernel's end.
    #[serde(default)]
    pub ended: Option<u64>,
    /// When it was complete, and when the host saw that.
    pub completed: u64,
    /// See above.
    #[serde(default)]
    pub visible: u64,
    /// From the first request to the last acknowledgement of the operations before the kernel.
    pub before: Option<[u64; 2]>,
    /// Likewise behind it.
    pub after: Option<[u64; 2]>,
    /// L2s that were released, acquired; of a launch with a table, operations that the baseline
    /// would have sent besides.
    pub sent: [u32; 2],
    /// See above.
    pub elided: [u32; 2],
    /// Lines that its releases wrote back.
    pub lines_written_back: u64,
    /// The rules that asked for operations, each once, with how often.
    pub reasons: BTreeMap<String, u32>,
}

impl Launch {
    /// What its GPU did for it, from its turn to the end: places in [`machine::PHASES`], with the
    /// first cycle and that behind the last. Packets of other streams may take their time
    /// meanwhile.
    pub fn phases(&self) -> Vec<(usize, [u64; 2])> {
        const KERNEL: usize = 0;
        const SYNC: usize = 1;
        const FIRMWARE: usize = 2;
        const LATENCY: usize = 3;
        // Each phase ends where the next one begins; what has no end of its own is firmware.
        let mut phases = Vec::new();
        let mut at = self.turn;
        let mut until = |phase: usize, to: Option<u64>| {
            let to = to.unwrap_or(at).max(at);
            if to > at {
                phases.push((phase, [at, to]));
            }
            at = to;
        };
        until(FIRMWARE, self.before.map(|[from, _]| from));
        until(SYNC, self.before.map(|[_, to]| to));
        until(FIRMWARE, self.enabled);
        until(LATENCY, self.ran.map(|[from, _]| from));
        until(KERNEL, self.ran.map(|[_, to]| to));
        until(LATENCY, self.ended);
        until(FIRMWARE, self.after.map(|[from, _]| from));
        until(SYNC, self.after.map(|[_, to]| to));
        until(FIRMWARE, Some(self.completed));
        until(SYNC, Some(self.visible));
        phases
    }
}

impl Run {
    /// A statistic; 0 where it has no value.
    pub fn count(&self, name: &str) -> u64 {
        self.counters.get(name).copied().unwrap_or(0)
    }

    /// Statistics whose names begin so, by the rest of their names, that are not 0.
    pub fn group(&self, prefix: &str) -> Vec<(&str, u64)> {
        let all = self.counters.range(prefix.to_string()..);
        let own = all.take_while(|(name, _)| name.starts_with(prefix));
        own.filter(|(_, value)| **value > 0).map(|(n, v)| (&n[prefix.len()..], *v)).collect()
    }

    /// A short name beside others.
    pub fn label(&self, all: &[Self]) -> String {
        if !self.name.is_empty() {
            return self.name.clone();
        }
        let differs = |of: fn(&Self) -> &str| all.iter().any(|run| of(run) != of(self));
        let mut words = Vec::new();
        if differs(|run| &run.system) {
            words.push(self.system.clone());
        }
        if differs(|run| &run.workload) {
            words.push(self.workload.split(' ').next().unwrap_or_default().to_string());
        }
        for (field, name) in &self.designs {
            if all.iter().any(|run| run.designs.get(field) != Some(name)) {
                words.push(name.clone());
            }
        }
        if words.is_empty() {
            words.push(self.system.clone());
        }
        words.join(" ")
    }
}
