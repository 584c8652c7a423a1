//! The parameters of the blocks between GPUs, and what follows from them and the links.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use cosim::catalog::Family;
use hwmodel::finepack::egress::CFG_EXTRA;
use hwmodel::finepack::tlp_link::{coherence_bytes, completion_bytes};
use ports::Fields;
use ports::finepack::types::{FinePack, offset_bits};

use crate::config::policy::Policy;
use crate::config::resolved::Resolved;
use crate::config::section::{Section, defaults};
use crate::config::{ConfigError, System, choose};
use crate::engine::Cycle;
use crate::finepack::egress_path::PathKind;
use crate::l3;

/// The named configurations, read once: every look at a system asks for one.
static NAMED: LazyLock<BTreeMap<String, FinePack>> = LazyLock::new(FinePack::named);

/// Section `[finepack]`, which any system may have.
pub const SECTION: Section = Section {
    name: "finepack",
    about: "FinePack blocks. Missing fields have their value in the configuration `egress.config`. \
            Any system can have this section.",
    fields: &[FinePack::FIELDS],
    fixed: &["num_gpus", "offset_width", "pcie_generation"],
    default: |system| {
        let all: Vec<_> = NAMED.iter().map(|(name, named)| (name.as_str(), named)).collect();
        let named = choose("egress.config", &system.egress.config, &all)?;
        let num_gpus = system.machine.gpus.into();
        let pcie_generation = system.gpu_link.generation;
        Ok(defaults(&FinePack { num_gpus, pcie_generation, ..named.clone() }))
    },
};

/// Those of the configuration that the system names, for its number of GPUs and its links. Errors:
/// there is none, or it is not legal for them.
pub fn parameters(system: &System) -> Result<FinePack, ConfigError> {
    let error = |field: &str, problem: String| ConfigError { field: field.into(), problem };
    let mut parameters: FinePack = system.parameters(&SECTION)?;
    let given = |key: &str| system.given(&SECTION).is_some_and(|given| given.contains_key(key));
    if given("sub_header_bytes") {
        parameters.offset_width = offset_bits(parameters.sub_header_bytes);
    }
    parameters.validate().map_err(|e| match e.name {
        "num_gpus" => error("machine.gpus", format!("{}: must be {}", e.value, e.limit)),
        name => error(&format!("finepack.{name}"), format!("{}: must be {}", e.value, e.limit)),
    })?;
    Ok(parameters)
}

/// The section `[finepack]` of a file, and where there are several GPUs the blocks between them.
pub fn check(system: &System) -> Result<(), ConfigError> {
    match system.machine.gpus {
        1 => system.section(&SECTION).map(|_| ()),
        _ => parameters(system).map(|_| ()),
    }
}

/// What `egress.accounting` may say, and the write queue's input.
const ACCOUNTINGS: [(&str, u8); 2] = [("exact", 0), ("paper", 1)];

/// The names of those.
pub fn accountings() -> Vec<String> {
    ACCOUNTINGS.map(|(name, _)| name.to_string()).to_vec()
}

/// How the write queues of a system account for what stores take of a payload.
pub fn accounting(system: &System) -> Result<u8, ConfigError> {
    choose("egress.accounting", &system.egress.accounting, &ACCOUNTINGS)
}

/// Tags that a GPU always has, and the most: PCIe 6.0's, of 14 bits.
const TAGS: (u64, u64) = (256, 1 << 14);
/// Payload of the smallest answer.
const SMALLEST: u32 = 4;
/// Cycles of a read in the remote write queue: its tokens are not back to back (specification, 5.8
/// c).
const READ_CYCLES: u64 = 2;
/// Per cent of a link's rate that is as good as all of it.
const ENOUGH: u64 = 95;
/// Cycles between two packets of a packetizer (specification, 5.5).
const PACKET_GAP: u64 = 2;

/// Cycles of the machine from an L2 bank's inlet to memory and back.
fn memory_cycles(system: &System) -> u64 {
    let latencies = [system.l2.latency, system.l3.latency, system.memory.latency];
    let networks = 2 * u64::from(system.network.memory_latency);
    let line = l3::line_cycles(system);
    latencies.into_iter().map(u64::from).sum::<u64>() + networks + line
}

fn to_link_cycles(system: &System, cycles: u64) -> Cycle {
    (cycles * u64::from(system.gpu_link.clock_mhz)).div_ceil(system.machine.clock_mhz.into())
}

/// Cycles of the links that a load takes in its own GPU's memory, beside the ways between CU and
/// gate: what a memory access takes behind an L2's inlet.
pub fn local_latency(system: &System) -> Cycle {
    to_link_cycles(system, memory_cycles(system))
}

/// Cycles of the links that a load of another GPU's memory takes where nothing else is under way.
fn round_trip(system: &System) -> Cycle {
    let chiplets = match system.machine.chiplets {
        1 => 0,
        _ => 2 * u64::from(system.chiplet_link.round_trip),
    };
    let ways = 4 * u64::from(system.network.latency) + chiplets;
    to_link_cycles(system, memory_cycles(system) + ways) + 2 * system.gpu_link.latency_cycles()
}

/// Bytes on the wire of a request's TLP, without data and ECRC.
const TLP: u64 = 24;

/// Bytes on the wire of a load's request and of its answer, a whole line, without ECRC.
pub fn load_bytes(system: &System) -> [u64; 2] {
    [TLP, completion_bytes(system.machine.line, false).into()]
}

/// Loads that must be under way for answers of so many bytes to fill a link: latency x rate.
fn under_way(system: &System, bytes: u32) -> u64 {
    let (rate, mhz) = (system.gpu_link.bytes_per_ns, u64::from(system.gpu_link.clock_mhz));
    // One begins in a cycle at most.
    let begin = mhz.min(rate.millionths().div_ceil(1000 * u64::from(bytes)));
    (round_trip(system) * begin).div_ceil(mhz)
}

/// Loads and atomics of a GPU that may be under way: twice what the smallest answers need, as they
/// wait for banks and memory, too.
pub fn tags(system: &System) -> u32 {
    let needed = 2 * under_way(system, completion_bytes(SMALLEST, true));
    needed.clamp(TAGS.0, TAGS.1) as u32
}

/// Fields that keep a link below its rate: each with the rate that is reached.
pub fn warnings(system: &System) -> Vec<String> {
    let (Ok(Resolved { path: kind, policy, .. }), Ok(p), true) =
        (Resolved::of(system), parameters(system), system.machine.gpus > 1)
    else {
        return Vec::new();
    };
    if !kind.has_link() {
        return Vec::new();
    }
    let (link, line) = (&system.gpu_link, system.machine.line);
    let mut warnings = Vec::new();
    let mut reach = |what: &str, because: String, bytes: u64, cycles: u64| {
        // Tenths of a byte in a nanosecond.
        let tenths = bytes * u64::from(link.clock_mhz) / (cycles * 100);
        if tenths * 100_000 * 100 < link.bytes_per_ns.millionths() * ENOUGH {
            warnings.push(format!(
                "gpu_link.bytes_per_ns = {}: {what} reach {}.{} with {because}",
                link.bytes_per_ns,
                tenths / 10,
                tenths % 10
            ));
        }
    };
    let clock = format!("gpu_link.clock_mhz = {}", link.clock_mhz);
    let (bytes, cycles) = store(&p, kind, line);
    let beat = format!("finepack.beat = {} and {clock}", p.beat);
    reach("stores of whole lines", beat, bytes, cycles);

    let is_coherent = policy == Policy::Coherent;
    let answer = match is_coherent {
        true => coherence_bytes(line.min(p.line), p.ecrc == 1),
        false => completion_bytes(line.min(p.line), p.ecrc == 1),
    };
    let cycles = if kind == PathKind::FinePack { READ_CYCLES } else { 1 };
    reach("loads of whole lines", clock, answer.into(), cycles);
    let (round_trip, answer) = (round_trip(system), u64::from(answer));
    let mut places = vec![("tags".to_string(), u64::from(tags(system)))];
    let cus = u64::from(system.machine.cus) * u64::from(system.machine.chiplets);
    let transactions = u64::from(system.cu.transactions);
    places.push((format!("cu.transactions = {transactions}"), transactions * cus));
    if is_coherent {
        let banks = u64::from(system.l2.banks) * u64::from(system.machine.chiplets);
        let misses = u64::from(system.l2.misses);
        places.push((format!("l2.misses = {misses}"), misses * banks));
    }
    for (field, places) in places {
        let because = format!("{field}: {places} outstanding accesses of a GPU");
        reach("loads of whole lines", because, answer * places, round_trip);
    }
    warnings
}

/// Bytes on the wire of stores of whole lines, and in how many cycles a path gives them.
fn store(p: &FinePack, kind: PathKind, line: u32) -> (u64, u64) {
    let run = u64::from(line.min(p.line));
    let (sub_header, beat) = (u64::from(p.sub_header_bytes), u64::from(p.beat));
    let ecrc = 4 * u64::from(p.ecrc);
    let tlp = |payload: u64| match p.pcie_generation {
        6 => (16 + ecrc + payload) * 256 / 236,
        _ => TLP + ecrc + payload,
    };
    match kind {
        PathKind::P2p | PathKind::WriteCombine | PathKind::Infinite => {
            (tlp(run), run.div_ceil(beat))
        }
        PathKind::ConfigPacket => {
            let payload = sub_header + run;
            (payload + u64::from(CFG_EXTRA), payload.div_ceil(beat))
        }
        PathKind::Dma => (tlp(4096), 4096u64.div_ceil(beat)),
        PathKind::FinePack => {
            let runs = (u64::from(p.max_payload) / (run + sub_header)).min(p.entries.into());
            let payload = runs * (run + sub_header);
            (tlp(payload), runs.max(payload.div_ceil(beat)) + PACKET_GAP)
        }
    }
}
