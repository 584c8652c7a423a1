//! The configurations that are searched.

use ports::timestamp::types::Timestamp;

use super::program::Kind::{self, Atomic, Load, Store};

/// In which order a warp issues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// One access at a time: SC.
    One,
    /// Any number, but for fences, which wait for all: RC.
    Fences,
}

/// A configuration.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    /// What it is, for tables.
    pub name: &'static str,
    /// SMs.
    pub sms: u8,
    /// Warps of an SM.
    pub warps: u8,
    /// Accesses of each warp, those of SM 0 first.
    pub accesses: &'static [u8],
    /// What each may be.
    pub kinds: &'static [Kind],
    /// Line and word of each location.
    pub places: &'static [(u8, u8)],
    /// The order of a warp's accesses.
    pub order: Order,
    /// Logical time for which the bank lends a line.
    pub lease: u32,
    /// Hits after which a warp's clock moves.
    pub spin: u32,
    /// Ways of the L1 and of the bank, one set each.
    pub ways: (u32, u32),
    /// All its states take longer than some seconds.
    pub is_large: bool,
}

const ONE_LINE: &[(u8, u8)] = &[(0, 0)];
const TWO_WORDS: &[(u8, u8)] = &[(0, 0), (0, 1)];
const TWO_LINES: &[(u8, u8)] = &[(0, 0), (1, 0)];

const BASE: Setup = Setup {
    name: "",
    sms: 2,
    warps: 1,
    accesses: &[3, 3],
    kinds: &[Load, Store],
    places: ONE_LINE,
    order: Order::One,
    lease: 2,
    spin: 65535,
    ways: (2, 2),
    is_large: false,
};

/// All configurations, the smallest first.
pub const SETUPS: &[Setup] = &[
    Setup { name: "SC, one line", accesses: &[4, 4], ..BASE },
    Setup { name: "SC, one line, resets", accesses: &[4, 4], lease: 8, ..BASE },
    Setup { name: "SC, two words of a line", places: TWO_WORDS, is_large: true, ..BASE },
    Setup { name: "SC, two lines", places: TWO_LINES, is_large: true, ..BASE },
    Setup {
        name: "SC, two lines, one way",
        places: TWO_LINES,
        ways: (1, 1),
        is_large: true,
        ..BASE
    },
    Setup { name: "SC, two lines, resets", places: TWO_LINES, lease: 8, is_large: true, ..BASE },
    Setup {
        name: "SC, two warps, one line",
        warps: 2,
        accesses: &[2, 2, 1, 1],
        is_large: true,
        ..BASE
    },
    Setup { name: "RC, one line", order: Order::Fences, ..BASE },
    Setup { name: "RC, one line, resets", order: Order::Fences, lease: 8, is_large: true, ..BASE },
    Setup {
        name: "RC, two lines",
        accesses: &[3, 2],
        order: Order::Fences,
        places: TWO_LINES,
        is_large: true,
        ..BASE
    },
    Setup {
        name: "RC, one line, atomics",
        order: Order::Fences,
        kinds: &[Load, Store, Atomic],
        is_large: true,
        ..BASE
    },
    Setup {
        name: "RC, two warps, one line",
        warps: 2,
        accesses: &[2, 2, 2, 0],
        order: Order::Fences,
        is_large: true,
        ..BASE
    },
    Setup {
        name: "RC, two warps, one line, resets",
        warps: 2,
        accesses: &[2, 2, 2, 0],
        order: Order::Fences,
        lease: 8,
        is_large: true,
        ..BASE
    },
    Setup {
        name: "RC, two lines, one way",
        accesses: &[3, 2],
        order: Order::Fences,
        places: TWO_LINES,
        ways: (1, 1),
        is_large: true,
        ..BASE
    },
    Setup {
        name: "SC, two warps of one SM, two lines",
        sms: 1,
        warps: 2,
        accesses: &[3, 2],
        places: TWO_LINES,
        ..BASE
    },
    Setup {
        name: "SC, two warps of one SM, two lines, one way",
        sms: 1,
        warps: 2,
        accesses: &[3, 2],
        places: TWO_LINES,
        ways: (1, 2),
        ..BASE
    },
    Setup {
        name: "SC, two warps and another SM, two lines",
        warps: 2,
        accesses: &[3, 1, 1, 0],
        places: TWO_LINES,
        is_large: true,
        ..BASE
    },
    Setup {
        name: "RC, one SM, two lines",
        sms: 1,
        accesses: &[5],
        order: Order::Fences,
        places: TWO_LINES,
        ..BASE
    },
    Setup {
        name: "RC, one SM, one line, resets",
        sms: 1,
        accesses: &[6],
        order: Order::Fences,
        lease: 8,
        ..BASE
    },
    Setup {
        name: "SC, one SM, one line, resets and spinning",
        sms: 1,
        accesses: &[6],
        lease: 8,
        spin: 2,
        ..BASE
    },
    Setup {
        name: "RC, two warps of one SM, two lines",
        sms: 1,
        warps: 2,
        accesses: &[3, 2],
        order: Order::Fences,
        places: TWO_LINES,
        is_large: true,
        ..BASE
    },
];

impl Setup {
    /// Parameters of the blocks.
    pub fn timestamp(&self) -> Timestamp {
        Timestamp {
            n_sm: self.sms.into(),
            warps: self.warps.into(),
            ts_w: 5,
            lease: self.lease,
            line: 16,
            line_w: 8,
            l1_ways: self.ways.0,
            l1_mshr: 2,
            waiters: 2,
            stq: 2,
            spin: self.spin,
            l2_ways: self.ways.1,
            l2_mshr: 2,
            l2_wait: 2,
            ..Timestamp::LEGAL
        }
    }
}
