//! Sections of a CU: its waves, pipelines, L1 and TLB.

use ports::Limit::{Names, OneOf, PowerOfTwo, Range, Switch};
use ports::fields;

use super::{MOST_CYCLES, MOST_MISSES, MOST_PLACES, is_whole, names};
use crate::config::System;
use crate::context::transactions::{MAX_LOADS, MAX_WAVES};
use crate::core::MAX_SCHEDULERS;

fn gap() -> String {
    "gap".to_string()
}

/// Values of `cu.issue`, and whether there is a scoreboard.
pub const ISSUES: [(&str, bool); 2] = [("gap", false), ("scoreboard", true)];

fn issues() -> Vec<String> {
    ISSUES.map(|(name, _)| name.to_string()).to_vec()
}

fn round_robin() -> String {
    "rr".to_string()
}

fields! {
    /// Section `[cu]`.
    pub struct CuSection of System {
        /// Wave slots.
        pub waves: u32 = Range(1, MAX_WAVES as u64), "waves", "CPElide, table I";
        /// Lanes of a wave.
        pub lanes: u32 = OneOf(&[32, 64]), "lanes", "chosen: waves of NVIDIA's and AMD's GPUs";
        /// Maximum number of outstanding loads of a wave.
        pub loads: u32 = Range(1, MAX_LOADS as u64), "loads", "chosen: docs/machine.md";
        /// Maximum number of outstanding line accesses of a CU.
        pub transactions: u32 = Range(1, MOST_PLACES), "lines", "chosen: docs/machine.md";
        /// Cycles that each instruction between two memory accesses takes.
        pub gap_cycles: u32 = Range(0, 1000), "cycles", "chosen: docs/machine.md";
        /// Issue of instructions. `gap`: each instruction between two accesses takes
        /// `cu.gap_cycles`, and a wave waits at `cu.loads` loads; `scoreboard`: schedulers issue
        /// ready waves (`[pipeline]`), and a wave waits at the first use of a load.
        #[serde(default = "gap")]
        pub issue: String = Names(issues), "", "chosen: docs/machine.md";
        /// True: a CU has one outstanding request per line, as in STC's coalescer.
        #[serde(default)]
        pub exclusive_lines: bool = Switch, "", "STC, section 4.2";
        /// Maximum number of work-groups that run on a CU at a time; 0: limited by wave slots only.
        #[serde(default)]
        pub groups: u32 = Range(0, 64), "work-groups", "Tabbakh's thesis, table 2.1";
        /// Work-group memory of a CU; each kernel declares how much a work-group takes. 0: no
        /// limit.
        #[serde(default)]
        pub group_memory: u32 = Range(0, 1 << 24), "bytes", "Tabbakh's thesis, table 2.1";
        /// Work-group scheduler of a chiplet: assigns work-groups to CUs. `duet list protocols`
        /// describes each one.
        #[serde(default = "round_robin")]
        pub scheduler: String = Names(|| names("cu.scheduler")), "", "CPElide, section IV";
    }
}

fields! {
    /// Section `[pipeline]`.
    pub struct PipelineSection of System {
        /// Schedulers, each of which issues one instruction of a ready wave in a cycle.
        pub schedulers: u32 = Range(1, MAX_SCHEDULERS as u64), "schedulers", "NVIDIA H100";
        /// Latency of an arithmetic instruction.
        pub arithmetic_latency: u32 = Range(1, 1000), "cycles", "Accel-Sim, SM90_H100";
        /// Latency of a special function.
        pub special_latency: u32 = Range(1, 1000), "cycles", "Accel-Sim, SM90_H100";
        /// Cycles for which a special function occupies its scheduler's special function unit.
        pub special_cycles: u32 = Range(1, 1000), "cycles", "NVIDIA H100: 16 lanes in a cycle";
        /// Latency of an access of local memory.
        pub local_latency: u32 = Range(1, 1000), "cycles", "Accel-Sim, SM90_H100";
        /// Lanes of an instruction that the load/store pipeline accepts in a cycle.
        pub lanes: u32 = Range(1, 64), "lanes", "NVIDIA H100";
        /// Sectors of a line that the load/store pipeline accepts in a cycle, in units of
        /// `network.sector_bytes`.
        pub sectors: u32 = Range(1, 32), "sectors", "NVIDIA H100: 128 bytes in a cycle";
    }
}

impl Default for PipelineSection {
    fn default() -> Self {
        Self {
            schedulers: 4,
            arithmetic_latency: 4,
            special_latency: 23,
            special_cycles: 8,
            local_latency: 29,
            lanes: 32,
            sectors: 4,
        }
    }
}

fields! {
    /// Section `[l1]`.
    pub struct L1Section of System {
        /// Design; `duet list protocols` describes each one.
        pub design: String = Names(|| names("l1.design")), "", "the designs' papers";
        /// Capacity.
        pub bytes: u32 = Range(1, 1 << 20), "bytes", "CPElide, table I",
            where "a multiple of l1.ways x machine.line": |s| {
                is_whole(s.l1.bytes.into(), s.l1.ways, s.machine.line, 1)
            };
        /// Ways.
        pub ways: u32 = Range(1, 64), "ways", "CPElide, table I";
        /// Granule of a fill; 0: the line.
        #[serde(default)]
        pub sector: u32 = OneOf(&[0, 32, 64, 128]), "bytes", "NVIDIA H100",
            where "at most machine.line": |s| s.l1.sector <= s.machine.line;
        /// Additional latency of a load miss for each sector after the first.
        #[serde(default)]
        pub sector_cycles: u32 = Range(0, MOST_CYCLES), "cycles", "system h100";
        /// True: loads do not hit, as programs are compiled with `nvcc -Xptxas -dlcm=cg`.
        #[serde(default)]
        pub bypass: bool = Switch, "", "PTX ISA, cache operators";
        /// MSHRs: maximum number of pending fills.
        pub misses: u32 = Range(1, MOST_MISSES), "lines", "chosen: docs/machine.md";
        /// Latency of a hit.
        pub hit_latency: u32 = Range(1, MOST_CYCLES), "cycles", "CPElide, table I";
    }
}

fields! {
    /// Section `[tlb]`.
    pub struct TlbSection of System {
        /// Entries of a CU's TLB, in sets of eight ways; 0: translation takes no time.
        pub entries: u32 = Range(0, 65536), "entries", "system h100";
        /// Bytes of a page.
        pub page: u32 = PowerOfTwo(4096, 1 << 30), "bytes", "NVIDIA H100";
        /// Entries of the TLB that the CUs of a chiplet share, in sets of eight ways.
        pub shared_entries: u32 = Range(8, 1 << 20), "entries", "chosen: docs/machine.md";
        /// Latency of the shared TLB, for a page that the CU's does not have.
        pub shared_latency: u32 = Range(0, MOST_CYCLES), "cycles", "system h100";
        /// Additional latency of a page table walk, for a page that neither has.
        pub walk_latency: u32 = Range(0, MOST_CYCLES), "cycles", "chosen: docs/machine.md";
    }
}

impl Default for TlbSection {
    fn default() -> Self {
        Self {
            entries: 0,
            page: 1 << 21,
            shared_entries: 4096,
            shared_latency: 200,
            walk_latency: 500,
        }
    }
}
