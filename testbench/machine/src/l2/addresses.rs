//! A bank's own numbering of the lines that it may hold: those of one bank of all chiplets lie
//! close together, and runs of lines that an entry of the directory covers stay together.

use crate::layout::Layout;

/// From addresses of the machine to the bank's and back.
#[derive(Clone, Copy, Debug)]
pub struct Addresses {
    /// Of the bytes that follow one another in a bank: log2, and the bits of an address below it.
    log: u32,
    low: u64,
    banks: u64,
    /// Where their number is a power of 2.
    banks_log: Option<u32>,
    bank: u64,
}

impl Addresses {
    /// Of this bank.
    pub fn new(layout: &Layout, bank: u16) -> Self {
        let (log, banks) = (layout.bank_log, u64::from(layout.banks));
        let banks_log = banks.is_power_of_two().then(|| banks.ilog2());
        Self { log, low: (1 << log) - 1, banks, banks_log, bank: bank.into() }
    }

    /// Of a line that comes to this bank.
    #[inline]
    pub fn local(&self, addr: u64) -> u64 {
        let high = match self.banks_log {
            Some(log) => addr >> log & !self.low,
            None => ((addr >> self.log) / self.banks) << self.log,
        };
        high | addr & self.low
    }

    /// Back.
    #[inline]
    pub fn global(&self, local: u64) -> u64 {
        (((local >> self.log) * self.banks + self.bank) << self.log) | local & self.low
    }
}
