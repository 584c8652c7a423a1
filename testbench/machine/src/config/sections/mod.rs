//! The sections that every system file has: of each field type, limit, unit, meaning, source. The
//! check of a file, its commented form and `docs/system-file.md` are made from it.

mod cu;

use cosim::catalog::Family;
use ports::Limit::{Millionths, Names, OneOf, PowerOfTwo, Range, Switch};
use ports::cpelide::types::MAX_CHIPLETS;
use ports::directory::coherence_directory::{IDEAL_LINES, JOBS, RESPONSES, WAYS};
use ports::fields;
use ports::finepack::types::{FinePack, MAX_GPUS};

use super::System;
use crate::config::bodies::Cp;
use crate::config::decimal::Decimal;
use crate::config::policy::Policy;
use crate::config::resolved::policy;
use crate::context::message::MAX_LINE;
use crate::context::pages::PAGE;
use crate::gate;
use crate::l2;
use crate::l3;

pub use cu::{CuSection, ISSUES, L1Section, PipelineSection, TlbSection};

/// Longest latency: queues hold what is under way, so it costs the host memory.
const MOST_CYCLES: u64 = 10_000;
/// The same of links between GPUs, in their cycles.
const MOST_LINK_CYCLES: u64 = 100_000;
/// Messages of a queue, lines of a CU.
const MOST_PLACES: u64 = 4096;
const MOST_MISSES: u64 = 1024;
const MOST_LINE: u64 = MAX_LINE as u64;
/// GPUs of a machine: those of the blocks between them, and of the bits of a set of GPUs.
pub const MOST_GPUS: u16 = MAX_GPUS as u16;
/// Chiplets of a GPU: those of its command processor.
pub const MOST_CHIPLETS: u16 = MAX_CHIPLETS as u16;
/// CUs, L2 banks or L3 slices of a chiplet.
const MOST_PARTS: u64 = 512;
/// CUs, L2 banks, L3 slices and gates of a machine: their numbers have 16 bits.
pub const MOST_UNITS: usize = u16::MAX as usize;
/// Clocks of GPUs and links.
const MHZ: ports::Limit = Range(1, 100_000);
/// Bytes in cycles.
const RATE: ports::Limit = Range(1, 1 << 20);
const PACKET_CYCLES: ports::Limit = Range(0, 1_000_000);
/// Of a message of a command processor, or an access of it: eight bits of the block.
const SHORT: ports::Limit = Range(1, 255);

/// What may stand in a field that names a design or a policy.
fn names(field: &str) -> Vec<String> {
    crate::names(field).into_iter().map(String::from).collect()
}

/// What an entry of REC's directory covers (section 4.3).
fn interleave() -> u32 {
    1024
}

fn link_mhz() -> u32 {
    1000
}

fn exact() -> String {
    "exact".to_string()
}

fn native() -> String {
    "native".to_string()
}

/// Longer than reads are pending.
fn long() -> u32 {
    MOST_CYCLES as u32
}

fn no_hash() -> String {
    "none".to_string()
}

/// Values of `machine.hash`, and whether there is a hash.
pub const HASHES: [(&str, bool); 2] = [("none", false), ("xor", true)];

fn hashes() -> Vec<String> {
    HASHES.map(|(name, _)| name.to_string()).to_vec()
}

fn hosts() -> Vec<String> {
    Cp::HOSTS.map(|(name, _)| name.to_string()).to_vec()
}

fn simple() -> String {
    "simple".to_string()
}

fields! {
    /// Section `[machine]`.
    pub struct MachineSection of System {
        /// GPUs.
        pub gpus: u16 = Range(1, MOST_GPUS as u64), "GPUs",
            "chosen: most GPUs of the FinePack blocks",
            where "so few that all caches together hold at most 2^32 bytes": all_caches_fit;
        /// Chiplets of a GPU.
        pub chiplets: u16 = Range(1, MOST_CHIPLETS as u64), "chiplets", "CPElide, section VI";
        /// CUs of a chiplet.
        pub cus: u16 = Range(1, MOST_PARTS), "CUs", "chosen: three times those of an H100",
            where "so few that all CUs, L2 banks and L3 slices together are at most 65519": |s| {
                let m = &s.machine;
                let parts = [m.cus, s.l2.banks, s.l3.slices].map(usize::from).iter().sum::<usize>();
                let chiplets = usize::from(m.gpus) * usize::from(m.chiplets);
                chiplets * parts <= MOST_UNITS - usize::from(MOST_GPUS)
            };
        /// Size of a cache line.
        pub line: u32 = PowerOfTwo(32, MOST_LINE), "bytes", "chosen: lines of GPUs";
        /// Hash of addresses over the sets of caches and over L3 slices with their memory channels.
        /// `none`: consecutive lines take turns; `xor`: a hash permutes each round of turns.
        #[serde(default = "no_hash")]
        pub hash: String = Names(hashes), "", "chosen: docs/machine.md";
        /// Clock frequency of a GPU. All latencies in cycles refer to this clock.
        pub clock_mhz: u32 = MHZ, "MHz", "chosen";
    }
}

impl MachineSection {
    /// Whether addresses are hashed over sets and slices.
    pub fn is_hashed(&self) -> bool {
        HASHES.contains(&(self.hash.as_str(), true))
    }
}

fields! {
    /// Section `[l2]`.
    pub struct L2Section of System {
        /// Design; `duet list protocols` describes each one.
        pub design: String = Names(|| names("l2.design")), "", "the designs' papers";
        /// L2 in which a line is cached. `private`: the L2 of the chiplet that accesses it;
        /// `home-forward`: the L2 of its home. A design with a directory has its own policy.
        pub policy: String = Names(|| names("l2.policy")), "", "CPElide, section II; HMG";
        /// Capacity of all banks of a chiplet.
        pub bytes: u64 = Range(1, 1 << 28), "bytes", "CPElide, table I",
            where "a multiple of l2.ways x machine.line x l2.banks": |s| {
                is_whole(s.l2.bytes, s.l2.ways, s.machine.line, s.l2.banks.into())
            };
        /// Ways.
        pub ways: u32 = Range(1, 64), "ways", "CPElide, table I";
        /// Banks.
        pub banks: u16 = Range(1, MOST_PARTS), "banks", "REC, table 2";
        /// Granule of a fill; 0: the line.
        #[serde(default)]
        pub sector: u32 = OneOf(&[0, 32, 64, 128]), "bytes", "system h100",
            where "at most machine.line": |s| s.l2.sector <= s.machine.line;
        /// Consecutive bytes that map to one bank; at least the bytes that a directory entry
        /// covers.
        #[serde(default = "interleave")]
        pub interleave: u32 = PowerOfTwo(32, PAGE), "bytes", "REC, section 4.3",
            where "at least machine.line": |s| s.l2.interleave >= s.machine.line;
        /// MSHRs of a bank. A bank with a directory has the same number again for lines of other
        /// chiplets.
        pub misses: u32 = Range(1, MOST_MISSES), "lines", "chosen: docs/machine.md";
        /// Latency from the arrival of a request to the departure of its answer, for a hit.
        pub latency: u32 = Range(1, MOST_CYCLES), "cycles", "derived from CPElide, table I";
        /// Time for which each sector of a load occupies its bank, in units of
        /// `network.sector_bytes`.
        #[serde(default)]
        pub load_sector: Decimal = Millionths(0, 1_000_000_000), "cycles",
            "system h100";
        /// Time for which each sector that a store writes in part occupies its bank, in units of
        /// `network.sector_bytes`.
        #[serde(default)]
        pub partial_sector: Decimal = Millionths(0, 1_000_000_000), "cycles",
            "system h100";
        /// Time for which a request of atomics occupies its bank, beside that of its sectors. Lanes
        /// on one word are requests of their own.
        #[serde(default)]
        pub atomic_request: Decimal = Millionths(0, 1_000_000_000), "cycles",
            "system h100";
        /// Time for which each sector of such a request occupies its bank, in units of
        /// `network.sector_bytes`.
        #[serde(default)]
        pub atomic_sector: Decimal = Millionths(0, 1_000_000_000), "cycles",
            "system h100";
        /// Latency of the result of an atomic beyond that of a hit.
        #[serde(default)]
        pub atomic_latency: u32 = Range(0, MOST_CYCLES), "cycles", "system h100";
    }
}

fields! {
    /// Section `[directory]`.
    pub struct DirectorySection of System {
        /// Entries of all slices; a slice must have its ways times a power of 2.
        pub entries: u32 = Range(1, 1 << 30), "entries", "REC, table 2";
        /// Ways of a set.
        pub ways: u32 = WAYS, "ways", "REC, table 2";
        /// Bytes that an entry of `rec` covers: 2, 4, 16 or 64 lines.
        pub range: u32 = Range(1, 64 * MOST_LINE), "bytes", "REC, section 4.3";
        /// Replacement policy of `rec`.
        pub replacement: String = Names(l2::replacements), "", "REC, table 2";
        /// Depth of a slice's invalidation job FIFO.
        pub jobs: u32 = JOBS, "jobs", "specification 2";
        /// Depth of a slice's response FIFO.
        pub responses: u32 = RESPONSES, "responses", "specification 2";
        /// Handling of stores from a bank's own GPU to lines of which the bank is the home. `back`:
        /// the bank holds them until a release or an eviction; `through`: the bank also forwards
        /// them at once.
        #[serde(default = "back")]
        pub writes: String = Names(l2::writes), "", "CPElide, section IV-C";
        /// Maximum number of lines that a slice of `ideal` can track.
        pub ideal_lines: u32 = IDEAL_LINES, "lines", "specification 12";
    }
}

fields! {
    /// Section `[l3]`.
    pub struct L3Section of System {
        /// Capacity of all slices of a GPU; 0: no L3, and the slices are memory controllers.
        pub bytes: u64 = Range(0, 1 << 30), "bytes", "CPElide, table I",
            where "a multiple of l3.ways x machine.line x l3.slices x machine.chiplets": |s| {
                let slices = u32::from(s.l3.slices) * u32::from(s.machine.chiplets);
                is_whole(s.l3.bytes, s.l3.ways, s.machine.line, slices)
            };
        /// Ways.
        pub ways: u32 = Range(1, 64), "ways", "CPElide, table I";
        /// Slices of a chiplet, each with a memory channel.
        pub slices: u16 = Range(1, MOST_PARTS), "slices", "chosen: docs/systems.md";
        /// MSHRs of a slice.
        pub misses: u32 = Range(1, MOST_MISSES), "lines", "chosen: docs/machine.md";
        /// Latency from the arrival of a request to the departure of its answer, for a hit.
        pub latency: u32 = Range(1, MOST_CYCLES), "cycles", "derived from CPElide, table I";
    }
}

fields! {
    /// Section `[memory]`.
    pub struct MemorySection of System {
        /// Model of a channel. `simple`: `bytes` in `cycles`; `dram`: a DRAM controller with the
        /// parameters of `[dram]`.
        #[serde(default = "simple")]
        pub model: String = Names(l3::models), "", "chosen";
        /// Bytes that a channel of `simple` transfers in `cycles`.
        pub bytes: u64 = RATE, "bytes", "CPElide, table I";
        /// Cycles in which a channel of `simple` transfers `bytes`.
        pub cycles: u64 = RATE, "cycles", "CPElide, table I";
        /// Latency from the transfer of the last byte to the data.
        pub latency: u32 = Range(1, MOST_CYCLES), "cycles", "chosen: docs/systems.md";
        /// Granularity of reads and writes: they transfer all granules in which they access a byte;
        /// 0: the whole line.
        #[serde(default)]
        pub granule: u32 = Range(0, MOST_LINE), "bytes", "chosen",
            where "0 or a divisor of machine.line": |s| {
                s.memory.granule == 0 || s.machine.line.is_multiple_of(s.memory.granule)
            };
    }
}

fields! {
    /// Section `[network]`.
    pub struct NetworkSection of System {
        /// One-way latency between a CU and an L2 bank.
        pub latency: u32 = Range(2, MOST_CYCLES), "cycles", "derived from CPElide, table I";
        /// One-way latency between an L2 bank and an L3 slice.
        pub memory_latency: u32 = Range(2, MOST_CYCLES), "cycles", "chosen: docs/systems.md";
        /// Bandwidth of a port.
        pub bytes_per_cycle: u64 = Range(1, 1 << 16), "bytes", "chosen: docs/systems.md";
        /// Bandwidth of the port over which a CU sends requests; 0: `network.bytes_per_cycle`.
        #[serde(default)]
        pub request_bytes_per_cycle: u64 = Range(0, 1 << 16), "bytes", "system h100";
        /// CUs that share a unit which combines their reads of the same sectors before the L2; 0:
        /// none.
        #[serde(default)]
        pub combine: u16 = Range(0, MOST_PARTS), "CUs", "system h100",
            where "a divisor of machine.cus": |s| {
                s.network.combine == 0 || s.machine.cus.is_multiple_of(s.network.combine)
            };
        /// Time after a read within which the unit combines others with it, while it is pending.
        #[serde(default = "long")]
        pub combine_cycles: u32 = Range(0, MOST_CYCLES), "cycles", "system h100";
        /// Time for which the unit is busy with a store of a CU before it sends the CU's next one.
        /// Stores of a CU to the same sectors that wait meanwhile are combined; 0: no store waits.
        #[serde(default)]
        pub combine_store_cycles: Decimal = Millionths(0, 1_000_000_000), "cycles",
            "system h100";
        /// Size of a message's header.
        pub header_bytes: u32 = Range(1, 256), "bytes", "chosen: address and tag";
        /// Granularity of data in a message.
        pub sector_bytes: u32 = PowerOfTwo(4, MOST_LINE), "bytes", "chosen: sectors of GPUs",
            where "at most machine.line": |s| s.network.sector_bytes <= s.machine.line;
        /// Capacity of a queue.
        pub queue: u32 = Range(1, MOST_PLACES), "messages", "chosen: docs/machine.md";
    }
}

fields! {
    /// Section `[chiplet_link]`.
    pub struct LinkSection of System {
        /// Round-trip latency of a request and its answer.
        pub round_trip: u32 = Range(2, MOST_CYCLES), "cycles", "CPElide, table I";
        /// Bytes that a link transfers in `cycles`, in each direction.
        pub bytes: u64 = RATE, "bytes", "CPElide, table I";
        /// Cycles in which a link transfers `bytes`.
        pub cycles: u64 = RATE, "cycles", "CPElide, table I";
        /// Maximum number of messages that are in flight or wait.
        pub queue: u32 = Range(1, MOST_PLACES), "messages", "chosen: docs/machine.md";
    }
}

fields! {
    /// Section `[gpu_link]`.
    pub struct GpuLinkSection of System {
        /// PCIe generation, which determines the framing of packets.
        pub generation: u32 = Range(2, 6), "generation", "FinePack, section V";
        /// Bandwidth in each direction, per nanosecond.
        pub bytes_per_ns: Decimal = Millionths(1000, 1_024_000_000), "bytes",
            "FinePack, section V";
        /// Clock of the links and of the blocks at their ends. In each cycle an egress path accepts
        /// one access at most, and a de-packetizer sends one.
        #[serde(default = "link_mhz")]
        pub clock_mhz: u32 = MHZ, "MHz", "FinePack, section V: 1 GHz";
        /// One-way latency.
        pub latency: u32 = Range(2, 100_000), "ns", "chosen: docs/systems.md",
            where "at most 100000 cycles of gpu_link.clock_mhz": |s| {
                s.gpu_link.latency_cycles() <= MOST_LINK_CYCLES
            };
    }
}

fields! {
    /// Section `[egress]`.
    pub struct EgressSection of System {
        /// Design; `duet list protocols` describes each one.
        pub design: String = Names(|| names("egress.design")), "", "FinePack, section V";
        /// Configuration of the FinePack blocks, from `cosim/configs/finepack.toml`.
        pub config: String = Names(|| FinePack::named().into_keys().collect()), "",
            "FinePack, table III";
        /// Idle cycles after which a partition of the write queue is flushed; 0: never.
        pub timeout: u16 = Range(0, u16::MAX as u64), "cycles", "FinePack, section IV-B";
        /// Payload that a store is counted with. `exact`: the bytes that it adds to the entry;
        /// `paper`: all its bytes, as if the entry were empty.
        #[serde(default = "exact")]
        pub accounting: String = Names(gate::accountings), "",
            "FinePack, section IV-B";
    }
}

fields! {
    /// Section `[command_processor]`.
    pub struct CommandProcessorSection of System {
        /// Cycles for each packet with `host` = `native`.
        pub packet_cycles: u32 = PACKET_CYCLES, "cycles", "CPElide, section IV-B";
        /// Cycles from a kernel's arrival at a chiplet to its first work-group: constants, caches
        /// of instructions and of descriptors.
        #[serde(default)]
        pub start_cycles: u32 = Range(0, 1_000_000), "cycles", "system h100";
        /// Additional cycles with `host` = `native` for each launch on several chiplets that uses
        /// the chiplet coherence table.
        pub elide_cycles: u32 = PACKET_CYCLES, "cycles", "CPElide, section IV-B";
        /// Latency of a message to or from one chiplet.
        pub unicast_latency: u32 = SHORT, "cycles", "CPElide, section IV-B";
        /// Latency of a broadcast.
        pub broadcast_latency: u32 = SHORT, "cycles", "CPElide, section IV-B";
        /// Latency of an access to the private memory that holds the table, in cycles of the
        /// processor.
        pub private_latency: u32 = SHORT, "cycles", "CPElide, section IV-B";
        /// Cycles of the processor in each `clock_of` cycles of the GPU.
        pub clock_on: u32 = Range(1, 16), "cycles", "CPElide, table I",
            where "at most command_processor.clock_of": |s| {
                s.command_processor.clock_on <= s.command_processor.clock_of
            };
        /// Period, in cycles of the GPU, to which `clock_on` refers.
        pub clock_of: u32 = Range(1, 16), "cycles", "CPElide, table I";
        /// Entries of the chiplet coherence table.
        pub table_entries: u32 = Range(8, 256), "entries", "CPElide, section III-A",
            where "at least command_processor.max_structs": |s| {
                s.command_processor.table_entries >= s.command_processor.max_structs
            };
        /// Maximum number of records of a kernel; further records are coarsened.
        pub max_structs: u32 = Range(1, 16), "records", "CPElide, section III-A";
        /// True: the table of `l2.policy = home-forward` assumes that a line has one L2 copy, so
        /// kernels of a GPU need no releases and acquires in between.
        #[serde(default)]
        pub home_aware: bool = Switch, "", "chosen: CPElide's specification, 5.9",
            where "false unless l2.policy = home-forward, with no directory": |s| {
                // Another check says it of names that stand for nothing.
                let forwards = policy(s).map_or(true, |policy| policy == Policy::HomeForward);
                !s.command_processor.home_aware || forwards
            };
        /// Executes the firmware. `native`: the host program calls it, and a launch decision takes
        /// `packet_cycles` and `elide_cycles`; `core`: the core runs its image, and a decision
        /// takes the cycles of its instructions.
        #[serde(default = "native")]
        pub host: String = Names(hosts), "", "chosen: CPElide, section IV-B, has constants";
        /// True: the command processor decides a launch while the previous kernel runs.
        #[serde(default)]
        pub ahead: bool = Switch, "", "CPElide, section IV-B: all but the first are hidden";
    }
}

fields! {
    /// Section `[placement]`.
    pub struct PlacementSection of System {
        /// Home of a page. `first-touch`: the chiplet that touches it first; `interleave`: pages
        /// rotate over all chiplets; `owner`: each buffer lies on one GPU, and buffers rotate over
        /// the GPUs; `replicated`: each GPU has a copy, and stores are pushed to all copies;
        /// `replicated-by-page`, `replicated-by-line`: only GPUs that read the page, or the line,
        /// at any time in the program have a copy.
        pub policy: String = Names(|| names("placement.policy")), "", "CPElide, section IV-C";
        /// True: each chiplet of a GPU in turn gets consecutive work-groups, one for each of its
        /// CUs; false: each chiplet gets one contiguous share.
        #[serde(default)]
        pub rotate: bool = Switch, "", "system h100";
    }
}

fields! {
    /// Section `[sharing]`.
    pub struct SharingSection of System {
        /// Policy of L1s; `duet list protocols` describes each one.
        pub l1: String = Names(|| names("sharing.l1")), "", "Tabbakh's thesis, section 2.4";
        /// Policy of L2 banks.
        pub l2: String = Names(|| names("sharing.l2")), "", "Tabbakh's thesis, section 2.4";
    }
}

impl Default for SharingSection {
    fn default() -> Self {
        Self { l1: "lru".to_string(), l2: "lru".to_string() }
    }
}

impl Default for DirectorySection {
    /// REC (J. Systems Architecture 160, 2025), table 2.
    fn default() -> Self {
        let (entries, ways, range, replacement) = (8192, 8, 1024, "lru".to_string());
        let (writes, jobs, responses, ideal_lines) = (back(), 8, 4, 65536);
        Self { entries, ways, range, replacement, jobs, responses, writes, ideal_lines }
    }
}

fn back() -> String {
    "back".to_string()
}

/// Whether a capacity is whole sets of each part.
fn is_whole(bytes: u64, ways: u32, line: u32, parts: u32) -> bool {
    bytes.is_multiple_of(u64::from(ways) * u64::from(line) * u64::from(parts))
}

/// They hold real bytes.
fn all_caches_fit(s: &System) -> bool {
    let m = &s.machine;
    let chiplet = u64::from(m.cus) * u64::from(s.l1.bytes) + s.l2.bytes;
    u64::from(m.gpus) * (u64::from(m.chiplets) * chiplet + s.l3.bytes) <= 1 << 32
}
