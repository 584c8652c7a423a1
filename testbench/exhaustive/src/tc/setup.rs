//! The configurations that are searched.

use ports::timestamp::types::{Protocol, Timestamp};

/// A configuration.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    /// What it is, for tables.
    pub name: &'static str,
    /// TC-Strong with one access of a warp at a time, or TC-Weak with fences.
    pub protocol: Protocol,
    /// Warps of an SM.
    pub warps: u8,
    /// Accesses of each warp, those of SM 0 first.
    pub accesses: &'static [u8],
    /// Lines: a word of each is a location.
    pub lines: u8,
    /// Ways of the bank.
    pub ways: u32,
    /// Cycles for which a line is lent.
    lease: u32,
    /// Steps in which nothing comes, beside those in which nothing else can be done.
    pub waits: u8,
    /// All its states take longer than some seconds.
    pub is_large: bool,
}

/// Cycles of a step.
pub const STEP: u32 = 8;

const BASE: Setup = Setup {
    name: "",
    protocol: Protocol::Tcs,
    warps: 1,
    accesses: &[3, 3],
    lines: 1,
    ways: 2,
    lease: 30,
    waits: 2,
    is_large: false,
};

/// All configurations, the smallest first.
pub const SETUPS: &[Setup] = &[
    Setup { name: "TC-Strong, one line", accesses: &[3, 2], ..BASE },
    Setup {
        name: "TC-Strong, two lines, one way",
        lines: 2,
        ways: 1,
        accesses: &[2, 2],
        lease: 70,
        waits: 0,
        ..BASE
    },
    Setup {
        name: "TC-Strong, two warps",
        warps: 2,
        accesses: &[1, 1, 2, 0],
        waits: 1,
        is_large: true,
        ..BASE
    },
    Setup { name: "TC-Weak, one line", protocol: Protocol::Tcw, accesses: &[2, 1], ..BASE },
    Setup { name: "TC-Weak, one SM", protocol: Protocol::Tcw, accesses: &[3], waits: 4, ..BASE },
    Setup {
        name: "TC-Weak, two warps of one SM",
        protocol: Protocol::Tcw,
        warps: 2,
        accesses: &[1, 2],
        waits: 1,
        ..BASE
    },
    Setup {
        name: "TC-Weak, two lines",
        protocol: Protocol::Tcw,
        lines: 2,
        accesses: &[2, 1],
        waits: 1,
        is_large: true,
        ..BASE
    },
];

impl Setup {
    /// SMs.
    pub fn sms(&self) -> usize {
        self.accesses.len() / usize::from(self.warps)
    }

    /// Parameters of the blocks.
    pub fn timestamp(&self) -> Timestamp {
        Timestamp {
            n_sm: self.sms() as u32,
            warps: self.warps.into(),
            line: 16,
            line_w: 8,
            l1_ways: 2,
            l1_mshr: 2,
            waiters: 2,
            stq: 2,
            l2_ways: self.ways,
            l2_mshr: 2,
            l2_wait: 2,
            protocol: self.protocol,
            tc_lease: self.lease,
            ..Timestamp::LEGAL
        }
    }
}
