//! The system file: what a machine is made of.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::decimal::{Decimal, in_lowest_terms};
use super::message::MAX_LINE;
use super::pages::PAGE;
use super::transactions::{MAX_LOADS, MAX_WAVES};

/// Something in a system file that cannot be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {problem}")]
pub struct ConfigError {
    /// Dotted path of the field.
    pub field: String,
    /// Value and limit.
    pub problem: String,
}

macro_rules! sections {
    ($(
        $(#[$meta:meta])*
        $name:ident { $($(#[$fmeta:meta])* $field:ident : $ty:ty),* $(,)? }
    )*) => {$(
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct $name { $($(#[$fmeta])* pub $field: $ty),* }
    )*};
}

/// A system. Times are cycles of the GPU's clock, sizes bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct System {
    /// Name.
    pub name: String,
    /// What the sizes and bandwidths of the full system were divided by; 1 for the full one.
    pub scale: u32,
    /// Shape.
    pub machine: MachineSection,
    /// Compute units.
    pub cu: CuSection,
    /// First level cache.
    pub l1: L1Section,
    /// Second level cache.
    pub l2: L2Section,
    /// Beside the L2s, where the L2 design has one.
    #[serde(default)]
    pub directory: DirectorySection,
    /// Third level cache.
    pub l3: L3Section,
    /// Memory channels.
    pub memory: MemorySection,
    /// Networks inside a chiplet.
    pub network: NetworkSection,
    /// Links between the chiplets of a GPU.
    pub chiplet_link: LinkSection,
    /// Links between GPUs.
    pub gpu_link: GpuLinkSection,
    /// From a GPU to its link.
    pub egress: EgressSection,
    /// Command processors.
    pub command_processor: CommandProcessorSection,
    /// Homes of pages.
    pub placement: PlacementSection,
    /// Which lines caches keep.
    #[serde(default)]
    pub sharing: SharingSection,
    /// Parameters of designs' blocks, in sections that designs name: those that are not given
    /// are the design's own, or a named configuration's.
    #[serde(flatten)]
    pub sections: BTreeMap<String, toml::Value>,
}

sections! {
    /// Shape of the machine.
    MachineSection {
        /// GPUs, 1 to 16.
        gpus: u16,
        /// Chiplets of a GPU, 1 to 16.
        chiplets: u16,
        /// CUs of a chiplet, 1 to 100.
        cus: u16,
        /// Bytes of a line, 32 to 128, a power of 2.
        line: u32,
        /// Clock, for times in nanoseconds.
        clock_mhz: u32,
    }
    /// Compute units.
    CuSection {
        /// Wave slots, 1 to 64.
        waves: u32,
        /// Lanes of a wave, 32 or 64.
        lanes: u32,
        /// Loads of a wave that may be under way, 1 to 16.
        loads: u32,
        /// Lines of a CU that may be under way, 1 to 4096.
        transactions: u32,
        /// Cycles for each instruction between memory accesses.
        gap_cycles: u32,
        /// One request for a line under way, as in STC's coalescer (section 4.2).
        #[serde(default)]
        exclusive_lines: bool,
        /// Which work-group a chiplet starts next, and on which CU: `rr`, in turn.
        #[serde(default = "round_robin")]
        scheduler: String,
    }
    /// First level cache of a CU.
    L1Section {
        /// Design.
        design: String,
        /// Capacity.
        bytes: u32,
        /// Ways.
        ways: u32,
        /// Miss registers.
        misses: u32,
        /// Cycles of a hit.
        hit_latency: u32,
    }
    /// Second level cache of a chiplet.
    L2Section {
        /// Design.
        design: String,
        /// `private` or `home-forward`.
        policy: String,
        /// Capacity of a chiplet's banks together.
        bytes: u64,
        /// Ways.
        ways: u32,
        /// Banks.
        banks: u16,
        /// Bytes that follow one another in a bank before the next bank's turn: a power of 2, a
        /// line to a page, and at least what an entry of a directory covers.
        #[serde(default = "interleave")]
        interleave: u32,
        /// Miss registers of a bank. With a directory it has as many again, for lines that other
        /// chiplets give.
        misses: u32,
        /// Cycles from a request's arrival to the answer's leaving.
        latency: u32,
    }
    /// Coherence directory of a chiplet's L2, in slices beside its banks. What an entry covers and
    /// how it is replaced without `range` and `replacement` follows from the design.
    DirectorySection {
        /// Entries of the slices together.
        entries: u32,
        /// Ways of a set.
        ways: u32,
        /// Bytes that an entry of `rec` covers.
        range: u32,
        /// How `rec` replaces entries: `lru` or `fifo`.
        replacement: String,
        /// Depth of a slice's invalidation job FIFO.
        jobs: u32,
        /// Depth of its response FIFO.
        responses: u32,
        /// Lines of a slice that `ideal` can track.
        ideal_lines: u32,
    }
    /// Third level cache of a GPU.
    L3Section {
        /// Capacity of a GPU's slices together; 0 for a machine without: slices are memory
        /// controllers then.
        bytes: u64,
        /// Ways.
        ways: u32,
        /// Slices of a chiplet, each with a memory channel.
        slices: u16,
        /// Miss registers of a slice.
        misses: u32,
        /// Cycles from a request's arrival to the answer's leaving.
        latency: u32,
    }
    /// A memory channel.
    MemorySection {
        /// Bytes that it moves ...
        bytes: u64,
        /// ... in this many cycles.
        cycles: u64,
        /// Cycles from the last byte's transfer to the data.
        latency: u32,
    }
    /// Networks inside a chiplet: requests, answers, and what lies between L2 and L3.
    NetworkSection {
        /// Cycles between a CU and an L2 bank, one way, at least 2.
        latency: u32,
        /// Cycles between an L2 bank and an L3 slice, one way, at least 2.
        memory_latency: u32,
        /// Bytes that a port moves in a cycle.
        bytes_per_cycle: u64,
        /// Bytes of a message's header.
        header_bytes: u32,
        /// Granule of data in a message, a power of 2, at most a line.
        sector_bytes: u32,
        /// Messages that a queue holds.
        queue: u32,
    }
    /// A link between two chiplets, each way.
    LinkSection {
        /// Cycles of a request there and its answer back, at least 2.
        round_trip: u32,
        /// Bytes that it moves ...
        bytes: u64,
        /// ... in this many cycles.
        cycles: u64,
        /// Messages that are under way or wait.
        queue: u32,
    }
    /// A GPU's link.
    GpuLinkSection {
        /// PCIe generation, 2 to 6: how packets are framed.
        generation: u32,
        /// Bytes that it moves in a nanosecond, each way; up to six decimals.
        bytes_per_ns: Decimal,
        /// Clock of the links and of the blocks at their ends: in each of its cycles an access
        /// enters the egress path, and one leaves the de-packetizer.
        #[serde(default = "link_mhz")]
        clock_mhz: u32,
        /// Nanoseconds.
        latency: u32,
    }
    /// From a GPU to its link.
    EgressSection {
        /// Design.
        design: String,
        /// Configuration of the FinePack blocks.
        config: String,
        /// Idle cycles after which a partition of the write queue is flushed; 0 for never.
        timeout: u16,
    }
    /// Command processors.
    CommandProcessorSection {
        /// Cycles for each packet, where the firmware is called directly.
        packet_cycles: u32,
        /// Cycles for each launch on several chiplets under the chiplet coherence table besides,
        /// where the firmware is called directly.
        elide_cycles: u32,
        /// Cycles of a message to or from one chiplet.
        unicast_latency: u32,
        /// Cycles of a broadcast.
        broadcast_latency: u32,
        /// Cycles of an access to the private memory that holds the table, in the processor's
        /// clock.
        private_latency: u32,
        /// Of each `clock_of` cycles of the GPU's clock so many are the processor's.
        clock_on: u32,
        /// Length of that pattern.
        clock_of: u32,
        /// Entries of the chiplet coherence table.
        table_entries: u32,
        /// Records of a kernel that are not coarsened.
        max_structs: u32,
    }
    /// Homes of pages.
    PlacementSection {
        /// `first-touch`, `interleave` or `owner`.
        policy: String,
    }
    /// Which lines caches keep, and which go for them: `lru`, every line, for the least recently
    /// used one.
    SharingSection {
        /// In L1s.
        l1: String,
        /// In L2 banks.
        l2: String,
    }
}

impl Default for SharingSection {
    fn default() -> Self {
        Self { l1: "lru".to_string(), l2: "lru".to_string() }
    }
}

/// What an entry of REC's directory covers (section 4.3).
fn interleave() -> u32 {
    1024
}

fn link_mhz() -> u32 {
    1000
}

fn round_robin() -> String {
    "rr".to_string()
}

impl Default for DirectorySection {
    /// REC (J. Systems Architecture 160, 2025), table 2.
    fn default() -> Self {
        let (entries, ways, range, replacement) = (8192, 8, 1024, "lru".to_string());
        Self { entries, ways, range, replacement, jobs: 8, responses: 4, ideal_lines: 65536 }
    }
}

/// Longest latency: queues hold what is under way, so it costs the host memory.
const MOST_CYCLES: u32 = 10_000;
/// The same of links between GPUs, in their cycles.
const MOST_LINK_CYCLES: u64 = 100_000;

impl GpuLinkSection {
    /// Bytes, and the cycles of the links in which they move, in lowest terms.
    pub fn rate(&self) -> (u32, u32) {
        let cycles = 1000 * u64::from(self.clock_mhz);
        let (bytes, cycles) = in_lowest_terms(self.bytes_per_ns.millionths(), cycles);
        (bytes as u32, cycles as u32)
    }

    /// The latency in cycles of the links, at least 2: one of them is the switch.
    pub fn latency_cycles(&self) -> u64 {
        (u64::from(self.latency) * u64::from(self.clock_mhz)).div_ceil(1000).max(2)
    }
}

impl System {
    /// The parameters of a section: those that are not given, and those that the section may not
    /// have as they follow from the machine (`fixed`), are those of `default`. Errors name the
    /// field.
    pub fn parameters<T: Serialize + DeserializeOwned>(
        &self,
        section: &str,
        default: &T,
        fixed: &[&str],
    ) -> Result<T, ConfigError> {
        let default = toml::Table::try_from(default).map_err(|e| error(section, e.to_string()))?;
        let table = self.section(section, default, fixed)?;
        table.try_into().map_err(|e: toml::de::Error| error(section, e.message().to_string()))
    }

    /// The same, as a table.
    pub fn section(
        &self,
        section: &str,
        default: toml::Table,
        fixed: &[&str],
    ) -> Result<toml::Table, ConfigError> {
        let mut table = default;
        let given = match self.sections.get(section) {
            None => &toml::Table::new(),
            Some(given) => {
                given.as_table().ok_or_else(|| error(section, format!("{given} is no section")))?
            }
        };
        for (key, value) in given {
            let field = format!("{section}.{key}");
            match table.get_mut(key).filter(|_| !fixed.contains(&key.as_str())) {
                Some(place) if place.same_type(value) => *place = value.clone(),
                Some(place) => {
                    let problem =
                        format!("{value} is no {}, but a {}", place.type_str(), value.type_str());
                    return Err(error(&field, problem));
                }
                None => {
                    let known = table.keys().filter(|key| !fixed.contains(&key.as_str()));
                    let known: Vec<_> = known.map(String::as_str).collect();
                    let problem = format!("there is no such field, but {}", known.join(", "));
                    return Err(error(&field, problem));
                }
            }
        }
        Ok(table)
    }

    /// The limits of all numbers.
    pub fn check_numbers(&self) -> Result<(), ConfigError> {
        let m = &self.machine;
        range("machine.gpus", m.gpus, 1, 16)?;
        range("machine.chiplets", m.chiplets, 1, 16)?;
        range("machine.cus", m.cus, 1, 100)?;
        power_of_two("machine.line", m.line, 32, MAX_LINE as u32)?;
        range("machine.clock_mhz", m.clock_mhz, 1, 100_000)?;
        range("scale", self.scale, 1, 1 << 20)?;
        range("cu.waves", self.cu.waves, 1, MAX_WAVES as u32)?;
        if ![32, 64].contains(&self.cu.lanes) {
            return Err(error("cu.lanes", format!("{} is neither 32 nor 64", self.cu.lanes)));
        }
        range("cu.loads", self.cu.loads, 1, MAX_LOADS as u32)?;
        range("cu.transactions", self.cu.transactions, 1, 4096)?;
        range("cu.gap_cycles", self.cu.gap_cycles, 0, 1000)?;
        cache("l1", (1, 1 << 20), self.l1.bytes.into(), self.l1.ways, m.line, 1)?;
        range("l1.misses", self.l1.misses, 1, 1024)?;
        range("l1.hit_latency", self.l1.hit_latency, 1, MOST_CYCLES)?;
        range("l2.banks", self.l2.banks, 1, 32)?;
        let banks = self.l2.banks.into();
        cache("l2", (1, 1 << 28), self.l2.bytes, self.l2.ways, m.line, banks)?;
        power_of_two("l2.interleave", self.l2.interleave, m.line, PAGE as u32)?;
        range("l2.misses", self.l2.misses, 1, 1024)?;
        range("l2.latency", self.l2.latency, 1, MOST_CYCLES)?;
        range("l3.slices", self.l3.slices, 1, 32)?;
        let slices = u32::from(self.l3.slices) * u32::from(m.chiplets);
        cache("l3", (0, 1 << 30), self.l3.bytes, self.l3.ways, m.line, slices)?;
        range("l3.misses", self.l3.misses, 1, 1024)?;
        range("l3.latency", self.l3.latency, 1, MOST_CYCLES)?;
        rate("memory", self.memory.bytes, self.memory.cycles)?;
        range("memory.latency", self.memory.latency, 1, MOST_CYCLES)?;
        let n = &self.network;
        range("network.latency", n.latency, 2, MOST_CYCLES)?;
        range("network.memory_latency", n.memory_latency, 2, MOST_CYCLES)?;
        range("network.bytes_per_cycle", n.bytes_per_cycle, 1, 1 << 16)?;
        range("network.header_bytes", n.header_bytes, 1, 256)?;
        power_of_two("network.sector_bytes", n.sector_bytes, 4, m.line)?;
        range("network.queue", n.queue, 1, 4096)?;
        range("chiplet_link.round_trip", self.chiplet_link.round_trip, 2, MOST_CYCLES)?;
        rate("chiplet_link", self.chiplet_link.bytes, self.chiplet_link.cycles)?;
        range("chiplet_link.queue", self.chiplet_link.queue, 1, 4096)?;
        range("gpu_link.generation", self.gpu_link.generation, 2, 6)?;
        let rate = self.gpu_link.bytes_per_ns;
        range("gpu_link.bytes_per_ns", rate, Decimal::THOUSANDTH, 1024.into())?;
        range("gpu_link.latency", self.gpu_link.latency, 2, 100_000)?;
        range("gpu_link.clock_mhz", self.gpu_link.clock_mhz, 1, 100_000)?;
        let cycles = self.gpu_link.latency_cycles();
        range("gpu_link.latency in cycles of gpu_link.clock_mhz", cycles, 2, MOST_LINK_CYCLES)?;
        let c = &self.command_processor;
        range("command_processor.packet_cycles", c.packet_cycles, 0, 1_000_000)?;
        range("command_processor.elide_cycles", c.elide_cycles, 0, 1_000_000)?;
        range("command_processor.unicast_latency", c.unicast_latency, 1, 255)?;
        range("command_processor.broadcast_latency", c.broadcast_latency, 1, 255)?;
        range("command_processor.private_latency", c.private_latency, 1, 255)?;
        range("command_processor.clock_of", c.clock_of, 1, 16)?;
        range("command_processor.clock_on", c.clock_on, 1, c.clock_of)?;
        range("command_processor.max_structs", c.max_structs, 1, 16)?;
        range("command_processor.table_entries", c.table_entries, 8.max(c.max_structs), 256)?;
        // The command processors, and their firmware, are made for so many.
        range("machine.chiplets", m.chiplets, 1, 16)?;
        let ports = m.cus + m.chiplets + self.l2.banks + self.l3.slices + 1;
        range("machine.cus, chiplets, l2.banks and l3.slices together", ports, 1, 127)?;
        let chiplet = u64::from(m.cus) * u64::from(self.l1.bytes) + self.l2.bytes;
        let gpu = u64::from(m.chiplets) * chiplet + self.l3.bytes;
        range("capacity of all caches", u64::from(m.gpus) * gpu, 0, 1 << 32)?;
        Ok(())
    }
}

/// What a name stands for.
pub fn choose<T: Copy>(field: &str, name: &str, among: &[(&str, T)]) -> Result<T, ConfigError> {
    among.iter().find(|(n, _)| *n == name).map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<_> = among.iter().map(|(n, _)| *n).collect();
        let problem = format!("{name:?} is none of {}", names.join(", "));
        error(field, problem)
    })
}

fn error(field: &str, problem: String) -> ConfigError {
    ConfigError { field: field.to_string(), problem }
}

fn range<T: PartialOrd + std::fmt::Display>(
    field: &str,
    value: T,
    least: T,
    most: T,
) -> Result<(), ConfigError> {
    if value < least || value > most {
        return Err(error(field, format!("{value} is not {least} to {most}")));
    }
    Ok(())
}

fn power_of_two(field: &str, value: u32, least: u32, most: u32) -> Result<(), ConfigError> {
    range(field, value, least, most)?;
    match value.is_power_of_two() {
        true => Ok(()),
        false => Err(error(field, format!("{value} is no power of 2"))),
    }
}

fn rate(section: &str, bytes: u64, cycles: u64) -> Result<(), ConfigError> {
    range(&format!("{section}.bytes"), bytes, 1, 1 << 20)?;
    range(&format!("{section}.cycles"), cycles, 1, 1 << 20)
}

/// A capacity within limits that is whole sets of each part.
fn cache(
    section: &str,
    (least, most): (u64, u64),
    bytes: u64,
    ways: u32,
    line: u32,
    parts: u32,
) -> Result<(), ConfigError> {
    range(&format!("{section}.ways"), ways, 1, 64)?;
    range(&format!("{section}.bytes"), bytes, least, most)?;
    let set = u64::from(ways) * u64::from(line) * u64::from(parts);
    match bytes % set {
        0 => Ok(()),
        _ => Err(error(
            &format!("{section}.bytes"),
            format!("{bytes} is no multiple of {set}: {parts} parts, {ways} ways, lines of {line}"),
        )),
    }
}
