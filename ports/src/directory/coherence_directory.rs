//! Parameters and ports of the coherence directory
//! (`rtl/directory/coherence_directory/coherence_directory.sv`).

use serde::{Deserialize, Serialize};

use crate::Limit::{Names, OneOf, PowerOfTwo, Range};
use crate::{ConfigError, FieldValue, Fields, Limit, fields, message, ports};

/// Largest number of GPUs.
pub const MAX_GPUS: usize = 16;
/// Largest number of lines that an entry covers.
pub const MAX_POS: usize = 64;
/// Largest number of ways.
pub const MAX_WAYS: usize = 16;
/// Lines in a row of the `ideal` array.
pub const IDEAL_ROW: u32 = 64;

/// Entries of a set.
pub const WAYS: Limit = Limit::Range(1, MAX_WAYS as u64);
/// Depth of the invalidation job FIFO.
pub const JOBS: Limit = Limit::Range(2, 64);
/// Depth of the response FIFO.
pub const RESPONSES: Limit = Limit::Range(3, 16);
/// Lines that an ideal directory covers.
pub const IDEAL_LINES: Limit = Limit::PowerOfTwo(IDEAL_ROW as u64, 1 << 31);

/// What an entry covers, and whether entries are evicted (specification section 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Variant {
    /// One line.
    Baseline,
    /// Four lines with one tag and one sharer field.
    Hmg,
    /// `range` bytes, with a position bit and sharers for each line.
    Rec,
    /// One line; the number of entries is unlimited, nothing is evicted.
    Ideal,
}

impl Variant {
    /// Lines that an entry may cover.
    fn covers(self) -> &'static [u32] {
        match self {
            Self::Baseline | Self::Ideal => &[1],
            Self::Hmg => &[4],
            Self::Rec => &[2, 4, 16, 64],
        }
    }
}

/// Which entry of a full set is evicted (specification 4.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Replacement {
    /// The entry that was allocated first.
    Fifo,
    /// The entry that another GPU used least recently.
    Lru,
}

impl FieldValue for Variant {}
impl FieldValue for Replacement {}

fields! {
    /// Parameters, one for each RTL parameter (specification section 2).
    pub struct Config of Self {
        /// `Variant`: 0 baseline, 1 hmg, 2 rec, 3 ideal.
        pub variant: Variant = Names(variants), "", "REC, section 5.1";
        /// `Gpus`: GPUs of the system.
        pub gpus: u32 = Range(2, MAX_GPUS as u64), "GPUs", "REC, table 2";
        /// `Entries`: of all sets.
        pub entries: u32 = Range(1, u32::MAX as u64), "entries", "REC, table 2",
            where "ways times a power of 2":
                |c| c.entries.is_multiple_of(c.ways) && c.sets().is_power_of_two(),
            where "so few that each set has an address below 2^address_width":
                |c| fits(c.range, c.sets(), c.address_width);
        /// `Ways`: entries of a set.
        pub ways: u32 = WAYS, "entries", "REC, table 2";
        /// `Line`: bytes of a line.
        pub line: u32 = OneOf(&[64, 128]), "bytes", "REC, table 2";
        /// `Range`: bytes that an entry covers.
        pub range: u32 = PowerOfTwo(64, MAX_POS as u64 * 128), "bytes", "REC, table 1",
            where "the line in baseline and ideal, 4 lines in hmg, 2, 4, 16 or 64 lines in rec":
                |c| c.range.is_multiple_of(c.line) && c.variant.covers().contains(&c.pos());
        /// `AddressWidth`: bits of an address.
        pub address_width: u32 = Range(16, 52), "bits", "specification 2";
        /// `Replacement`: 0 FIFO, 1 LRU.
        pub replacement: Replacement = Names(replacements), "", "specification 4.3";
        /// `Jobs`: depth of the invalidation job FIFO.
        pub jobs: u32 = JOBS, "jobs", "specification 2";
        /// `Responses`: depth of the response FIFO.
        pub responses: u32 = RESPONSES, "responses", "specification 2";
        /// `IdealLines`: lines that an ideal directory covers.
        pub ideal_lines: u32 = IDEAL_LINES, "lines", "specification 12",
            where "so few that all lines lie below 2^address_width":
                |c| fits(c.line, c.ideal_lines, c.address_width);
    }
}

fn variants() -> Vec<String> {
    ["baseline", "hmg", "rec", "ideal"].map(String::from).to_vec()
}

fn replacements() -> Vec<String> {
    ["fifo", "lru"].map(String::from).to_vec()
}

/// Whether `pieces` of `bytes` bytes lie below 2^`address_width`.
fn fits(bytes: u32, pieces: u32, address_width: u32) -> bool {
    u64::from(bytes) * u64::from(pieces) <= 1 << address_width
}

impl Config {
    /// Lines that an entry covers.
    pub fn pos(&self) -> u32 {
        self.range / self.line
    }

    /// Sets of the array.
    pub fn sets(&self) -> u32 {
        self.entries / self.ways
    }
}

impl crate::Parameters for Config {
    /// Checks every limit of specification sections 2 and 12.
    fn validate(&self) -> Result<(), ConfigError> {
        self.check_fields()
    }

    fn rtl_parameters(&self) -> Vec<(&'static str, u64)> {
        let parameters = [
            ("Variant", self.variant as u32),
            ("Gpus", self.gpus),
            ("Entries", self.entries),
            ("Ways", self.ways),
            ("Line", self.line),
            ("Range", self.range),
            ("AddressWidth", self.address_width),
            ("Replacement", self.replacement as u32),
            ("Jobs", self.jobs),
            ("Responses", self.responses),
            ("IdealLines", self.ideal_lines),
        ];
        parameters.map(|(name, value)| (name, value.into())).to_vec()
    }
}

impl From<&Self> for Config {
    fn from(config: &Self) -> Self {
        config.clone()
    }
}

/// `Req::op`; 6 and 7 are illegal (specification section 3).
pub mod op {
    /// Read by the home GPU.
    pub const LRD: u8 = 0;
    /// Read by another GPU.
    pub const RRD: u8 = 1;
    /// Write by the home GPU, or an atomic that runs there.
    pub const LWR: u8 = 2;
    /// Write by another GPU.
    pub const RWR: u8 = 3;
    /// Forced eviction of the entry.
    pub const EVICT: u8 = 4;
    /// A marker after all earlier invalidations.
    pub const FENCE: u8 = 5;
}

/// `Inv::cause` (specification section 3).
pub mod cause {
    /// The line was written.
    pub const WRITE: u8 = 0;
    /// Its entry was evicted.
    pub const EVICT: u8 = 1;
    /// No invalidation: the marker of a FENCE.
    pub const FENCE: u8 = 2;
}

/// `err_code_o` (specification sections 5.5 and 12).
pub mod err {
    /// Illegal `src` for the op.
    pub const SRC: u8 = 1;
    /// Illegal op.
    pub const OP: u8 = 2;
    /// Ideal: an address beyond its lines.
    pub const ADDR: u8 = 3;
    /// Two ways match: the array is corrupt; the request was executed with the lower one.
    pub const DUPLICATE: u8 = 4;
}

message! {
    /// One request, in the order in which the home's L2 accesses its data.
    pub struct Req: "DIRECTORY_REQ_T" in "coherence_directory_types.svh" (address_width: u32) {
        /// Byte address; the bits below the line are ignored.
        pub addr: u64 = address_width,
        /// Returned with the response.
        pub id: u8 = 8,
        /// Requesting GPU; this one for LRD and LWR.
        pub src: u8 = 4,
        /// See [`op`].
        pub op: u8 = 3,
    }
}

message! {
    /// The response to one request.
    pub struct Rsp: "DIRECTORY_RSP_T" in "coherence_directory_types.svh" () {
        /// Number of the request, from 0 after reset.
        pub seq: u8 = 8,
        /// Sharers of the line before the request; bit g = GPU g.
        pub sharers: u16 = 16,
        /// 0.
        pub reserved: u8 = 4,
        /// The request did nothing.
        pub err: bool = 1,
        /// An EVICT job was made.
        pub evicted: bool = 1,
        /// An entry was allocated.
        pub alloc: bool = 1,
        /// The line was tracked.
        pub hit: bool = 1,
        /// `id` of the request.
        pub id: u8 = 8,
    }
}

message! {
    /// The invalidation of one line in some GPUs.
    pub struct Inv: "DIRECTORY_INV_T" in "coherence_directory_types.svh" (address_width: u32) {
        /// Line address; FENCE: 0.
        pub addr: u64 = address_width,
        /// Destinations; bit g = GPU g, never this one.
        pub dest: u16 = 16,
        /// Number of the request that caused it.
        pub seq: u8 = 8,
        /// Last line of the job.
        pub last: bool = 1,
        /// See [`cause`].
        pub cause: u8 = 2,
    }
}

message! {
    /// Events since reset, modulo 2^32 (specification section 9;
    /// `rtl/directory/coherence_directory/README.md` says when each counts).
    pub struct Counters: "DIRECTORY_CNT_T" in "coherence_directory_types.svh" () {
        /// LRD.
        pub req_lrd: u32 = 32,
        /// RRD.
        pub req_rrd: u32 = 32,
        /// LWR.
        pub req_lwr: u32 = 32,
        /// RWR.
        pub req_rwr: u32 = 32,
        /// LRD of tracked lines.
        pub hit_lrd: u32 = 32,
        /// RRD of tracked lines.
        pub hit_rrd: u32 = 32,
        /// LWR of tracked lines.
        pub hit_lwr: u32 = 32,
        /// RWR of tracked lines.
        pub hit_rwr: u32 = 32,
        /// Allocations.
        pub alloc: u32 = 32,
        /// EVICT jobs.
        pub evict: u32 = 32,
        /// Lines of WRITE jobs that were sent.
        pub inv_lines_write: u32 = 32,
        /// Lines of EVICT jobs that were sent.
        pub inv_lines_evict: u32 = 32,
        /// Destinations of the sent lines of WRITE jobs.
        pub inv_msgs_write: u32 = 32,
        /// Destinations of the sent lines of EVICT jobs.
        pub inv_msgs_evict: u32 = 32,
        /// Cycles after the initial sweep in which no request could be taken.
        pub ready_low_cycles: u32 = 32,
        /// Most jobs held at once.
        pub jobq_max: u32 = 32,
    }
}

ports! {
    /// Input ports.
    pub struct In: In (c: Config) {
        /// Requests, one in-order channel, one per cycle.
        pub req: Option<Req> as (req_valid, req) = (c.address_width,),
        /// The home takes the response.
        pub rsp_ready: bool = 1,
        /// The network takes the invalidation.
        pub inv_ready: bool = 1,
        /// This GPU, below `gpus`; static.
        pub self_id: u8 = 4,
        /// Bin of the histogram that `hist` shows in the next cycle.
        pub hist_sel: u8 = 6,
    }
}

ports! {
    /// Output ports, all registered.
    pub struct Out: Out (c: Config) {
        /// The request is taken.
        pub req_ready: bool = 1,
        /// One response per request, in order.
        pub rsp: Option<Rsp> as (rsp_valid, rsp) = (),
        /// Invalidations: one line per cycle, to all its destinations.
        pub inv: Option<Inv> as (inv_valid, inv) = (c.address_width,),
        /// No request, job or response is held, and the initial sweep is over.
        pub idle: bool = 1,
        /// Pulse: error code.
        pub err: Option<u8> as (err_valid, err_code) = 4,
        /// Events since reset.
        pub counters: Counters = (),
        /// Number of EVICT jobs of `hist_sel` + 1 lines, both of the previous cycle.
        pub hist: u32 = 32,
    }
}
