//! A bank's own numbering of the lines that it may hold: those of one bank of all chiplets lie
//! close together, and runs of lines that an entry of the directory covers stay together.

use crate::layout::Layout;

/// From addresses of the machine to the bank's and back.
#[derive(Clone, Copy, Debug)]
pub struct Addresses {
    /// Of the bytes that follow one another in a bank: log2.
    log: u32,
    banks: u64,
    bank: u64,
}

impl Addresses {
    /// Of this bank.
    pub fn new(layout: &Layout, bank: u16) -> Self {
        Self { log: layout.bank_log, banks: layout.banks.into(), bank: bank.into() }
    }

    /// Of a line that comes to this bank.
    #[inline]
    pub fn local(&self, addr: u64) -> u64 {
        let low = addr & ((1 << self.log) - 1);
        (((addr >> self.log) / self.banks) << self.log) | low
    }

    /// Back.
    #[inline]
    pub fn global(&self, local: u64) -> u64 {
        let low = local & ((1 << self.log) - 1);
        (((local >> self.log) * self.banks + self.bank) << self.log) | low
    }
}
