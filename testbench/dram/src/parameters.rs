//! What describes a DRAM: its organization, its timing, and the controller's policy; and which
//! values contradict one another.

use crate::Error;

/// Parts of one channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Organization {
    /// Pseudo-channels. Each has a data bus of its own; they share the command buses.
    pub pseudo_channels: u32,
    /// Ranks of a pseudo-channel, which share its data bus. In HBM: stack IDs.
    pub ranks: u32,
    /// Bank groups of a rank.
    pub groups: u32,
    /// Banks of a bank group.
    pub banks: u32,
    /// Rows of a bank.
    pub rows: u32,
    /// Columns of a row, each one burst.
    pub columns: u32,
    /// Bytes of a burst: the access granule.
    pub access_bytes: u32,
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

/// Timing, in cycles of the command clock. Each span begins with a command's first cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// CL: a read to its first data.
    pub cl: u32,
    /// CWL: a write to its first data.
    pub cwl: u32,
    /// Cycles of the data bus that a burst takes.
    pub bl: u32,
    /// tRCDRD: activate to read, same bank.
    pub rcd_rd: u32,
    /// tRCDWR: activate to write, same bank.
    pub rcd_wr: u32,
    /// tRP: precharge to activate or refresh, same bank.
    pub rp: u32,
    /// tRAS: activate to precharge, same bank.
    pub ras: u32,
    /// tRC: activate to activate or refresh, same bank.
    pub rc: u32,
    /// tRRDS: activate to activate, same rank.
    pub rrd_s: u32,
    /// tRRDL: activate to activate, same bank group.
    pub rrd_l: u32,
    /// tFAW: activate to the fourth activate after it, same rank.
    pub faw: u32,
    /// tCCDS: read to read and write to write, same rank.
    pub ccd_s: u32,
    /// tCCDL: the same, same bank group.
    pub ccd_l: u32,
    /// tCCDR: the same, between ranks of a pseudo-channel.
    pub ccd_r: u32,
    /// tRTW: read to write, same pseudo-channel.
    pub rtw: u32,
    /// tWTRS: a write's last data to a read, same rank.
    pub wtr_s: u32,
    /// tWTRL: the same, same bank group.
    pub wtr_l: u32,
    /// tRTP: read to precharge, same bank.
    pub rtp: u32,
    /// tWR: a write's last data to a precharge, same bank.
    pub wr: u32,
    /// tREFI: mean interval in which each bank is refreshed once.
    pub refi: u32,
    /// tRFC: a refresh of all banks to an activate, same rank.
    pub rfc: u32,
    /// tRFCpb: a refresh of one bank to an activate of it.
    pub rfc_pb: u32,
    /// tRREFD: a refresh of one bank to an activate or refresh of another, same rank.
    pub rrefd: u32,
    /// Row bus cycles of an activate. Other commands take one.
    pub act_cycles: u32,
}

/// A set of parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Its name.
    pub name: &'static str,
    /// Command clock.
    pub clock_khz: u32,
    /// Row and column commands have a bus each, as in HBM. Otherwise they share one.
    pub dual_bus: bool,
    /// Parts of a channel.
    pub organization: Organization,
    /// Timing.
    pub timing: Timing,
}

/// When an idle row is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Page {
    /// When a request needs another row of the bank.
    Open,
    /// As soon as no queued request needs it.
    Closed,
    /// So many cycles after its last command, if no queued request needs it.
    Timeout(u32),
}

/// What a refresh command refreshes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refresh {
    /// All banks of a rank.
    AllBank,
    /// One bank, in turn.
    PerBank,
    /// Nothing: for experiments without refresh.
    Off,
}

/// Queues and scheduling of a controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Entries of the read queue.
    pub read_queue: u32,
    /// Entries of the write queue.
    pub write_queue: u32,
    /// Queued writes at which a drain starts.
    pub write_high: u32,
    /// Queued writes at which a drain ends, if reads wait.
    pub write_low: u32,
    /// Cycles after which the oldest request of a queue is no longer passed by row hits in its
    /// bank.
    pub age_cap: u32,
    /// Row policy.
    pub page: Page,
    /// Refresh.
    pub refresh: Refresh,
}

impl Policy {
    /// Read and write queue of 64 entries as GPGPU-Sim's `gpgpu_frfcfs_dram_sched_queue_size` and
    /// its (disabled) `dram_write_queue_size 64:56:32` for V100 to H100; the rest is chosen.
    pub const GPU: Self = Self {
        read_queue: 64,
        write_queue: 64,
        write_high: 56,
        write_low: 32,
        age_cap: 4000,
        page: Page::Open,
        refresh: Refresh::PerBank,
    };

    /// Refuses values that contradict one another.
    pub fn check(&self) -> Result<(), Error> {
        range("read_queue", self.read_queue, 1, 256)?;
        range("write_queue", self.write_queue, 1, 256)?;
        range("write_high", self.write_high, 1, self.write_queue)?;
        range("write_low", self.write_low, 0, self.write_high - 1)?;
        range("age_cap", self.age_cap, 1, MOST)
    }
}

/// Most cycles of a span.
const MOST: u32 = 1 << 20;

fn range(name: &'static str, value: u32, least: u32, most: u32) -> Result<(), Error> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(Error::Range { name, value, least, most })
}

impl Parameters {
    /// Bytes per second of a channel whose data buses are never idle.
    pub fn peak(&self) -> u64 {
        let o = &self.organization;
        let burst = u64::from(o.pseudo_channels) * u64::from(o.access_bytes);
        burst * u64::from(self.clock_khz) * 1000 / u64::from(self.timing.bl)
    }

    /// Refuses values that contradict one another.
    pub fn check(&self) -> Result<(), Error> {
        let (o, t) = (&self.organization, &self.timing);
        range("clock_khz", self.clock_khz, 1, 100_000_000)?;
        for (name, value, most) in [
            ("pseudo_channels", o.pseudo_channels, 16),
            ("ranks", o.ranks, 16),
            ("groups", o.groups, 16),
            ("banks", o.banks, 64),
            ("banks of the channel", o.all_ranks() * o.rank_banks(), 64),
            ("rows", o.rows, 1 << 24),
            ("columns", o.columns, 1 << 16),
            ("access_bytes", o.access_bytes, 4096),
            ("act_cycles", t.act_cycles, 4),
        ] {
            range(name, value, 1, most)?;
        }
        let spans = [
            ("CL", t.cl, "1", 1),
            ("CWL", t.cwl, "1", 1),
            ("BL", t.bl, "1", 1),
            ("tRCDRD", t.rcd_rd, "1", 1),
            ("tRCDWR", t.rcd_wr, "1", 1),
            ("tRP", t.rp, "1", 1),
            ("tRAS", t.ras, "tRCDRD", t.rcd_rd),
            ("tRC", t.rc, "tRAS + tRP", t.ras.saturating_add(t.rp)),
            ("tRRDS", t.rrd_s, "1", 1),
            ("tRRDL", t.rrd_l, "tRRDS", t.rrd_s),
            ("tFAW", t.faw, "tRRDS", t.rrd_s),
            ("tCCDS", t.ccd_s, "BL", t.bl),
            ("tCCDL", t.ccd_l, "tCCDS", t.ccd_s),
            ("tCCDR", t.ccd_r, "BL", t.bl),
            (
                "tRTW",
                t.rtw,
                "CL + BL - CWL",
                t.cl.saturating_add(t.bl).saturating_sub(t.cwl).max(1),
            ),
            ("tWTRS", t.wtr_s, "1", 1),
            ("tWTRL", t.wtr_l, "tWTRS", t.wtr_s),
            ("tRTP", t.rtp, "1", 1),
            ("tWR", t.wr, "1", 1),
            ("tRFCpb", t.rfc_pb, "1", 1),
            ("tRREFD", t.rrefd, "1", 1),
            ("tRFC", t.rfc, "tRFCpb", t.rfc_pb),
            ("tREFI", t.refi, "2 tRC + tRFC", t.rfc.saturating_add(t.rc).saturating_add(t.rc)),
            ("tREFI", t.refi, "banks of a rank * 2 tRREFD", o.rank_banks() * t.rrefd.min(MOST) * 2),
        ];
        for (name, value, limit, least) in spans {
            if value < least {
                return Err(Error::Contradiction { name, value, limit, least });
            }
            range(name, value, 1, MOST)?;
        }
        Ok(())
    }
}
