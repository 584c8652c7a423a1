//! What describes a channel: its organization, its timing, and the controller's policy; and which
//! values contradict one another.

use ports::Limit::{Names, Range, Switch};
use ports::{ConfigError, Field, FieldValue, Fields, Rule, fields};
use serde::{Deserialize, Serialize};

/// Cycles of a span.
const SPAN: ports::Limit = Range(1, 1 << 20);
/// Requests of a queue.
const QUEUE: ports::Limit = Range(1, 256);

fields! {
    /// Parts of one channel.
    #[derive(Copy)]
    pub struct Organization of Parameters {
        /// Row and column commands have a bus each, as in HBM. Otherwise they share one.
        pub dual_bus: bool = Switch, "", "the set";
        /// Pseudo-channels. Each has a data bus of its own; they share the command buses.
        pub pseudo_channels: u32 = Range(1, 16), "pseudo-channels", "the set",
            where "at most 64 / ranks / groups / banks": |p| {
                p.organization.all_ranks() * p.organization.rank_banks() <= 64
            };
        /// Ranks of a pseudo-channel, which share its data bus. In HBM: stack IDs.
        pub ranks: u32 = Range(1, 16), "ranks", "the set";
        /// Bank groups of a rank.
        pub groups: u32 = Range(1, 16), "bank groups", "the set";
        /// Banks of a bank group.
        pub banks: u32 = Range(1, 64), "banks", "the set";
        /// Rows of a bank.
        pub rows: u32 = Range(1, 1 << 24), "rows", "the set";
        /// Columns of a row, each one burst.
        pub columns: u32 = Range(1, 1 << 16), "columns", "the set";
        /// Bytes of a burst.
        pub access_bytes: u32 = Range(1, 4096), "bytes", "the set";
    }
}

impl Organization {
    /// Banks of a rank.
    pub const fn rank_banks(&self) -> u32 {
        self.groups * self.banks
    }

    /// Ranks of the channel, those of all pseudo-channels.
    pub const fn all_ranks(&self) -> u32 {
        self.pseudo_channels * self.ranks
    }

    /// Bytes of the channel.
    pub const fn bytes(&self) -> u64 {
        let banks = self.all_ranks() as u64 * self.rank_banks() as u64;
        banks * self.rows as u64 * self.columns as u64 * self.access_bytes as u64
    }
}

fields! {
    /// The command clock, and spans in its cycles. Each span begins with a command's first cycle.
    #[derive(Copy)]
    pub struct Timing of Parameters {
        /// Command clock.
        pub clock_khz: u32 = Range(1, 100_000_000), "kHz", "the set";
        /// CL: a read to its first data.
        pub cl: u32 = SPAN, "cycles", "the set";
        /// CWL: a write to its first data.
        pub cwl: u32 = SPAN, "cycles", "the set";
        /// BL: occupation of the data bus by a burst.
        pub bl: u32 = SPAN, "cycles", "the set";
        /// tRCDRD: activate to read, same bank.
        pub rcd_rd: u32 = SPAN, "cycles", "the set";
        /// tRCDWR: activate to write, same bank.
        pub rcd_wr: u32 = SPAN, "cycles", "the set";
        /// tRP: precharge to activate or refresh, same bank.
        pub rp: u32 = SPAN, "cycles", "the set";
        /// tRAS: activate to precharge, same bank.
        pub ras: u32 = SPAN, "cycles", "the set",
            where "at least rcd_rd": |p| p.timing.ras >= p.timing.rcd_rd;
        /// tRC: activate to activate or refresh, same bank.
        pub rc: u32 = SPAN, "cycles", "the set",
            where "at least ras + rp": |p| p.timing.rc >= p.timing.ras + p.timing.rp;
        /// tRRDS: activate to activate, same rank.
        pub rrd_s: u32 = SPAN, "cycles", "the set";
        /// tRRDL: activate to activate, same bank group.
        pub rrd_l: u32 = SPAN, "cycles", "the set",
            where "at least rrd_s": |p| p.timing.rrd_l >= p.timing.rrd_s;
        /// tFAW: activate to the fourth activate after it, same rank.
        pub faw: u32 = SPAN, "cycles", "the set",
            where "at least rrd_s": |p| p.timing.faw >= p.timing.rrd_s;
        /// tCCDS: read to read and write to write, same rank.
        pub ccd_s: u32 = SPAN, "cycles", "the set",
            where "at least bl": |p| p.timing.ccd_s >= p.timing.bl;
        /// tCCDL: read to read and write to write, same bank group.
        pub ccd_l: u32 = SPAN, "cycles", "the set",
            where "at least ccd_s": |p| p.timing.ccd_l >= p.timing.ccd_s;
        /// tCCDR: read to read and write to write, other ranks of the pseudo-channel.
        pub ccd_r: u32 = SPAN, "cycles", "the set",
            where "at least bl": |p| p.timing.ccd_r >= p.timing.bl;
        /// tRTW: read to write, same pseudo-channel.
        pub rtw: u32 = SPAN, "cycles", "the set",
            where "at least cl + bl - cwl": |p| {
                p.timing.rtw + p.timing.cwl >= p.timing.cl + p.timing.bl
            };
        /// tWTRS: a write's last data to a read, same rank.
        pub wtr_s: u32 = SPAN, "cycles", "the set";
        /// tWTRL: a write's last data to a read, same bank group.
        pub wtr_l: u32 = SPAN, "cycles", "the set",
            where "at least wtr_s": |p| p.timing.wtr_l >= p.timing.wtr_s;
        /// tRTP: read to precharge, same bank.
        pub rtp: u32 = SPAN, "cycles", "the set";
        /// tWR: a write's last data to a precharge, same bank.
        pub wr: u32 = SPAN, "cycles", "the set";
        /// tREFI: mean interval in which each bank is refreshed once.
        pub refi: u32 = SPAN, "cycles", "the set",
            where "at least 2 rc + rfc": |p| {
                p.timing.refi >= 2 * p.timing.rc + p.timing.rfc
            },
            where "at least 2 rrefd x groups x banks": |p| {
                p.timing.refi >= 2 * p.timing.rrefd * p.organization.rank_banks()
            };
        /// tRFC: a refresh of all banks to an activate, same rank.
        pub rfc: u32 = SPAN, "cycles", "the set",
            where "at least rfc_pb": |p| p.timing.rfc >= p.timing.rfc_pb;
        /// tRFCpb: a refresh of one bank to an activate of it.
        pub rfc_pb: u32 = SPAN, "cycles", "the set";
        /// tRREFD: a refresh of one bank to an activate or refresh of another, same rank.
        pub rrefd: u32 = SPAN, "cycles", "the set";
        /// Row bus cycles of an activate. Other commands take one.
        pub act_cycles: u32 = Range(1, 4), "cycles", "the set";
    }
}

/// When a row that no queued request needs is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Page {
    /// When a request needs another row of the bank.
    Open,
    /// At once.
    Closed,
}

/// What a refresh command refreshes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Refresh {
    /// All banks of a rank.
    AllBank,
    /// One bank, in turn.
    PerBank,
    /// Nothing: for experiments without refresh.
    Off,
}

impl FieldValue for Page {}
impl FieldValue for Refresh {}

fn pages() -> Vec<String> {
    ["open", "closed"].map(String::from).to_vec()
}

fn refreshes() -> Vec<String> {
    ["all-bank", "per-bank", "off"].map(String::from).to_vec()
}

fields! {
    /// Queues and scheduling of a controller.
    #[derive(Copy)]
    pub struct Policy of Self {
        /// Entries of a channel's read queue.
        pub read_queue: u32 = QUEUE, "bursts", "GPGPU-Sim: gpgpu_frfcfs_dram_sched_queue_size";
        /// Entries of a channel's write queue.
        pub write_queue: u32 = QUEUE, "bursts", "GPGPU-Sim: dram_write_queue_size";
        /// Queued writes at which a drain starts.
        pub write_high: u32 = QUEUE, "bursts", "GPGPU-Sim: dram_write_queue_size",
            where "at most write_queue": |p| p.write_high <= p.write_queue;
        /// Queued writes at which a drain ends, if reads wait.
        pub write_low: u32 = Range(0, 255), "bursts", "GPGPU-Sim: dram_write_queue_size",
            where "less than write_high": |p| p.write_low < p.write_high;
        /// Cycles of the command clock after which row hits in its bank no longer pass the oldest
        /// request of a queue.
        pub age_cap: u32 = SPAN, "cycles", "chosen";
        /// Row policy. `open`: a row is closed when a request needs another row of the bank;
        /// `closed`: as soon as no queued request needs the row.
        pub page: Page = Names(pages), "", "chosen: as Ramulator 2";
        /// Refresh commands. `all-bank`: of a rank; `per-bank`: of one bank, in turn; `off`: none.
        pub refresh: Refresh = Names(refreshes), "", "chosen";
    }
}

impl Policy {
    /// Read and write queue of 64 entries as GPGPU-Sim's `gpgpu_frfcfs_dram_sched_queue_size` and
    /// its (disabled) `dram_write_queue_size 64:56:32` for A100 and H100; the rest is chosen.
    pub const GPU: Self = Self {
        read_queue: 64,
        write_queue: 64,
        write_high: 56,
        write_low: 32,
        age_cap: 4000,
        page: Page::Open,
        refresh: Refresh::PerBank,
    };
}

/// Organization and timing of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Parts.
    pub organization: Organization,
    /// Clock and spans.
    pub timing: Timing,
}

impl Parameters {
    /// Bytes per second of a channel whose data buses are never idle.
    pub fn peak(&self) -> u64 {
        let o = &self.organization;
        let burst = u64::from(o.pseudo_channels) * u64::from(o.access_bytes);
        burst * u64::from(self.timing.clock_khz) * 1000 / u64::from(self.timing.bl)
    }

    fn number(&self, key: &str) -> Option<u64> {
        self.organization.number(key).or_else(|| self.timing.number(key))
    }

    /// Refuses values out of range, then values that contradict one another.
    pub fn check(&self) -> Result<(), ConfigError> {
        let all: [&[Field]; 2] = [Organization::FIELDS, Timing::FIELDS];
        for field in all.into_iter().flatten() {
            if let Some(value) = self.number(field.key) {
                let is_legal = field.limit.allows(value);
                ConfigError::check(is_legal, field.key, value, field.limit.to_string())?;
            }
        }
        let rules: [&[Rule<Self>]; 2] = [Organization::RULES, Timing::RULES];
        for rule in rules.into_iter().flatten() {
            let (value, limit) = (self.number(rule.key), rule.limit_with(|key| self.number(key)));
            ConfigError::check((rule.holds)(self), rule.key, value.unwrap_or_default(), limit)?;
        }
        Ok(())
    }
}
