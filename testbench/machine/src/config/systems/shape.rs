//! Small machines, as data, for random draws.

use super::load;
use crate::System;
use crate::SystemError;
use crate::has_policy;

/// A machine in which every queue, cache and table is as small as it may be, unless set otherwise.
#[derive(Clone, Debug)]
pub struct Shape {
    /// GPUs.
    pub gpus: u16,
    /// Chiplets of each.
    pub chiplets: u16,
    /// CUs of a chiplet.
    pub cus: u16,
    /// Bytes of a line.
    pub line: u32,
    /// MHz.
    pub clock: u32,
    /// Waves of a CU.
    pub waves: u32,
    /// Lanes of a wave.
    pub lanes: u32,
    /// Loads of a wave that may be under way.
    pub loads: u32,
    /// Accesses of a CU that may be under way.
    pub transactions: u32,
    /// Design, sets, ways, miss registers, latency.
    pub l1: (String, u32, u32, u32, u32),
    /// `l2.design`.
    pub l2_design: String,
    /// Policy, sets of a bank, ways, banks, miss registers, latency.
    pub l2: (String, u32, u32, u16, u32, u32),
    /// Of a bank's directory: sets, ways, lines of an entry, replacement, depth of its job FIFO.
    pub directory: (u32, u32, u32, String, u32),
    /// `directory.writes = through`.
    pub through: bool,
    /// Sets of a slice, 0 for none; ways, slices, miss registers, latency.
    pub l3: (u32, u32, u16, u32, u32),
    /// Bytes in cycles, latency.
    pub memory: (u32, u32, u32),
    /// `memory.model = dram`; `memory.granule`.
    pub dram: (bool, u32),
    /// Latency, memory latency, bytes per cycle, queue.
    pub network: (u32, u32, u32, u32),
    /// Round trip, bytes, cycles, queue.
    pub chiplet_link: (u32, u32, u32, u32),
    /// Generation, bytes per ns, latency.
    pub gpu_link: (u32, u32, u32),
    /// Design, configuration, timeout.
    pub egress: (String, String, u16),
    /// Packet, unicast, and what a broadcast takes longer.
    pub command_processor: (u32, u32, u32),
    /// `command_processor.home_aware`, where the L2s are those of CPElide under `home-forward`.
    pub home_aware: bool,
    /// `command_processor.ahead`, where there is one GPU.
    pub ahead: bool,
    /// `placement.policy`.
    pub placement: String,
    /// `placement.rotate`.
    pub rotate: bool,
    /// What L1s and L2s keep.
    pub sharing: (String, String),
    /// `cu.scheduler`.
    pub scheduler: String,
}

impl Default for Shape {
    fn default() -> Self {
        Self {
            gpus: 1,
            chiplets: 1,
            cus: 1,
            line: 64,
            clock: 1000,
            waves: 4,
            lanes: 32,
            loads: 2,
            transactions: 8,
            l1: ("src".into(), 1, 2, 1, 2),
            l2_design: "software".into(),
            l2: ("private".into(), 1, 2, 1, 1, 2),
            directory: (1, 1, 2, "lru".into(), 2),
            through: false,
            l3: (1, 2, 1, 1, 2),
            memory: (32, 1, 10),
            dram: (false, 0),
            network: (2, 2, 64, 1),
            chiplet_link: (4, 64, 1, 1),
            gpu_link: (4, 32, 10),
            egress: ("finepack".into(), "paper".into(), 0),
            command_processor: (5, 2, 0),
            home_aware: false,
            ahead: false,
            placement: "interleave".into(),
            rotate: false,
            sharing: ("lru".into(), "lru".into()),
            scheduler: "rr".into(),
        }
    }
}

impl Shape {
    /// The system.
    pub fn system(&self) -> System {
        self.load().unwrap_or_else(|e| panic!("{self:?}: {e}"))
    }

    /// The same, unless it cannot be.
    pub fn load(&self) -> Result<System, SystemError> {
        load("cpelide-4", &self.settings())
    }

    /// What it sets of a system.
    pub fn settings(&self) -> Vec<(String, String)> {
        let l1 = &self.l1;
        let l2 = &self.l2;
        let l3 = &self.l3;
        let directory = &self.directory;
        let writes = if self.through { "through" } else { "back" };
        let l2_bytes = l2.1 * l2.2 * u32::from(l2.3) * self.line;
        // At least what an entry covers, of HMG four lines.
        let interleave = directory.2.max(if has_policy(&self.l2_design) { 1 } else { 4 });
        let l3_bytes = l3.0 * l3.1 * u32::from(l3.2 * self.chiplets) * self.line;
        let numbers = [
            ("machine.gpus", self.gpus.into()),
            ("machine.chiplets", self.chiplets.into()),
            ("machine.cus", self.cus.into()),
            ("machine.line", self.line),
            ("machine.clock_mhz", self.clock),
            ("cu.waves", self.waves),
            ("cu.lanes", self.lanes),
            ("cu.loads", self.loads),
            ("cu.transactions", self.transactions),
            ("l1.bytes", l1.1 * l1.2 * self.line),
            ("l1.ways", l1.2),
            ("l1.misses", l1.3),
            ("l1.hit_latency", l1.4),
            ("l2.bytes", l2_bytes),
            ("l2.ways", l2.2),
            ("l2.banks", l2.3.into()),
            ("l2.interleave", interleave * self.line),
            ("l2.misses", l2.4),
            ("l2.latency", l2.5),
            ("directory.entries", directory.0 * directory.1 * u32::from(l2.3)),
            ("directory.ways", directory.1),
            ("directory.range", directory.2 * self.line),
            ("directory.jobs", directory.4),
            ("directory.responses", 3),
            ("l3.bytes", l3_bytes),
            ("l3.ways", l3.1),
            ("l3.slices", l3.2.into()),
            ("l3.misses", l3.3),
            ("l3.latency", l3.4),
            ("memory.bytes", self.memory.0),
            ("memory.cycles", self.memory.1),
            ("memory.latency", self.memory.2),
            ("memory.granule", self.dram.1),
            ("network.latency", self.network.0),
            ("network.memory_latency", self.network.1),
            ("network.bytes_per_cycle", self.network.2),
            ("network.queue", self.network.3),
            ("chiplet_link.round_trip", self.chiplet_link.0),
            ("chiplet_link.bytes", self.chiplet_link.1),
            ("chiplet_link.cycles", self.chiplet_link.2),
            ("chiplet_link.queue", self.chiplet_link.3),
            ("gpu_link.generation", self.gpu_link.0),
            ("gpu_link.bytes_per_ns", self.gpu_link.1),
            ("gpu_link.latency", self.gpu_link.2),
            ("egress.timeout", self.egress.2.into()),
            ("command_processor.packet_cycles", self.command_processor.0),
            ("command_processor.unicast_latency", self.command_processor.1),
            (
                "command_processor.broadcast_latency",
                self.command_processor.1 + self.command_processor.2,
            ),
        ];
        let word = |is_set: bool| if is_set { "true" } else { "false" };
        let may_know = self.l2_design == "cpelide" && self.l2.0 == "home-forward";
        let words = [
            ("name", "random"),
            ("command_processor.home_aware", word(may_know && self.home_aware)),
            ("command_processor.ahead", word(self.gpus == 1 && self.ahead)),
            ("memory.model", if self.dram.0 { "dram" } else { "simple" }),
            ("l1.design", &l1.0),
            ("l2.design", &self.l2_design),
            ("l2.policy", &l2.0),
            ("directory.replacement", &directory.3),
            ("directory.writes", writes),
            ("egress.design", &self.egress.0),
            ("egress.config", &self.egress.1),
            ("placement.policy", &self.placement),
            ("placement.rotate", word(self.rotate)),
            ("sharing.l1", &self.sharing.0),
            ("sharing.l2", &self.sharing.1),
            ("cu.scheduler", &self.scheduler),
        ];
        let mut set: Vec<_> = words.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
        set.extend(numbers.iter().map(|(k, v)| (k.to_string(), v.to_string())));
        set
    }
}
