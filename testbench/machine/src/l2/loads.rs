//! The rate at which a bank serves loads.

use super::bank::Bank;
use crate::config::L2Section;
use crate::context::Context;
use crate::context::masks;
use crate::engine::{Port, Rate};

/// Parts of a cycle in which requests occupy a bank.
pub(super) const PARTS: u64 = 1_000_000;

/// The port through which loads read the lines of a bank.
#[derive(Debug)]
pub struct Loads {
    port: Port,
    /// Parts of a cycle that each sector takes.
    sector: u64,
}

impl Loads {
    /// Of a bank. None where a load of any size takes a cycle.
    pub fn of(l2: &L2Section) -> Option<Self> {
        let sector = l2.load_sector.millionths();
        let port = || Port::new(Rate { bytes: PARTS, cycles: 1 });
        (sector > 0).then(|| Self { port: port(), sector })
    }
}

/// Whether a port transfers what came before. Then the bank is visited when it is free.
pub(super) fn is_occupied(port: &Port, ctx: &mut Context) -> bool {
    let free_at = port.free_at();
    if free_at > ctx.now {
        ctx.wake_at(free_at);
    }
    free_at > ctx.now
}

impl Bank {
    /// Serves a load of these bytes, unless it has to wait for those before it.
    #[inline]
    pub(super) fn may_load(&mut self, ctx: &mut Context, mask: u128) -> bool {
        let Some(Loads { port, sector }) = &mut self.loads else { return true };
        if is_occupied(port, ctx) {
            return false;
        }
        let sectors = masks::sectors(mask, ctx.layout.sector_log);
        port.transfer(ctx.now, u64::from(sectors) * *sector);
        true
    }
}
