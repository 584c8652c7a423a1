//! The rate at which a bank reads and changes the data of its lines.

use super::bank::Bank;
use crate::config::L2Section;
use crate::context::Context;
use crate::context::masks;
use crate::engine::{Port, Rate};

/// Parts of a cycle in which requests occupy a bank.
pub(super) const PARTS: u64 = 1_000_000;

/// The port to the data of a bank.
#[derive(Debug)]
pub struct DataPort {
    port: Port,
    /// Parts of a cycle that each sector of a load takes.
    load_sector: u64,
    /// The same of a sector that a store writes in part: it is read first, for its ECC.
    partial_sector: u64,
}

impl DataPort {
    /// Of a bank. None where a request of any size takes a cycle.
    pub fn of(l2: &L2Section) -> Option<Self> {
        let (load_sector, partial_sector) =
            (l2.load_sector.millionths(), l2.partial_sector.millionths());
        let port = || Port::new(Rate { bytes: PARTS, cycles: 1 });
        (load_sector + partial_sector > 0).then(|| Self {
            port: port(),
            load_sector,
            partial_sector,
        })
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
    /// Reads these bytes for a load, unless it has to wait for the requests before it.
    #[inline]
    pub(super) fn may_load(&mut self, ctx: &mut Context, mask: u128) -> bool {
        let Some(data) = self.data_port.as_mut().filter(|data| data.load_sector > 0) else {
            return true;
        };
        if is_occupied(&data.port, ctx) {
            return false;
        }
        let sectors = masks::sectors(mask, ctx.layout.sector_log);
        data.port.transfer(ctx.now, u64::from(sectors) * data.load_sector);
        true
    }

    /// Whether a store has to wait for the requests before it.
    #[inline]
    pub(super) fn must_wait(&self, ctx: &mut Context) -> bool {
        let data = self.data_port.as_ref().filter(|data| data.partial_sector > 0);
        data.is_some_and(|data| is_occupied(&data.port, ctx))
    }

    /// A store has changed these bytes.
    #[inline]
    pub(super) fn stored(&mut self, ctx: &Context, mask: u128) {
        if let Some(data) = self.data_port.as_mut().filter(|data| data.partial_sector > 0) {
            let sectors = masks::partial_sectors(mask, ctx.layout.sector_log);
            data.port.transfer(ctx.now, u64::from(sectors) * data.partial_sector);
        }
    }
}
