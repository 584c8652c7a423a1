//! Storage of timestamps, read off the registers that models show.

use cosim::catalog::Family;
use hwmodel::Model;
use hwmodel::timestamp::timestamp_l1::TimestampL1;
use hwmodel::timestamp::timestamp_l2::TimestampL2;
use ports::timestamp::types::{Protocol, Timestamp};

use crate::registers::bits;

/// Bits of timestamps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Storage {
    /// Of a line of an L1, and of an L2.
    pub l1_line: f64,
    pub l2_line: f64,
    /// Of a warp.
    pub warp: f64,
}

impl Storage {
    /// Of a machine of so many SMs, bytes.
    pub fn bytes(&self, blocks: &Timestamp, sms: u32) -> f64 {
        let lines = |sets: u32, ways: u32| f64::from(sets * ways);
        let l1 = lines(blocks.l1_sets, blocks.l1_ways) * self.l1_line;
        let l2 = lines(blocks.l2_sets, blocks.l2_ways) * self.l2_line;
        let warps = f64::from(blocks.warps) * self.warp;
        ((l1 + warps) * f64::from(sms) + l2 * f64::from(blocks.l2_banks)) / 8.0
    }
}

/// The last word of a register's name.
fn last(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// A lease: in TC both fields are its end.
fn is_lease(name: &str) -> bool {
    ["wts", "rts"].iter().any(|part| last(name).starts_with(part))
}

/// The blocks' parameters as the thesis has them.
pub fn paper() -> Timestamp {
    Timestamp::named().remove("paper").expect("it has a name")
}

/// Of G-TSC: `wts` and `rts` of a line, the clock of a warp.
pub fn gtsc(blocks: &Timestamp) -> Storage {
    let l1 = TimestampL1::new(&blocks.into()).expect("it is legal");
    let l2 = TimestampL2::new(&blocks.into()).expect("it is legal");
    Storage {
        l1_line: bits(&l1, is_lease) / f64::from(blocks.l1_sets * blocks.l1_ways),
        l2_line: bits(&l2, is_lease) / f64::from(blocks.l2_sets * blocks.l2_ways),
        warp: bits(&l1, |name| name.contains("warps.ts[")) / f64::from(blocks.warps),
    }
}

/// Of TC-Weak: the end of a line's lease, and when a warp's fence may pass.
pub fn tc(blocks: &Timestamp) -> Storage {
    let blocks = &Timestamp { protocol: Protocol::Tcw, ..blocks.clone() };
    let l1 = TimestampL1::new(&blocks.into()).expect("it is legal");
    let l2 = TimestampL2::new(&blocks.into()).expect("it is legal");
    Storage {
        l1_line: bits(&l1, is_lease) / f64::from(blocks.l1_sets * blocks.l1_ways),
        l2_line: bits(&l2, is_lease) / f64::from(blocks.l2_sets * blocks.l2_ways),
        warp: bits(&l1, |name| last(name).starts_with("gwct")) / f64::from(blocks.warps),
    }
}
