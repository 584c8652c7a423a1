//! A bank's own numbering of the lines that it may hold: those of one bank of all chiplets lie
//! close together, and runs of lines that an entry of the directory covers stay together.

use crate::context::layout::{Layout, first_bank};

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
        let round = local >> self.log;
        let before = first_bank(round) % self.banks;
        let turn = (self.bank + self.banks - before) % self.banks;
        ((round * self.banks + turn) << self.log) | local & self.low
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines of 64 bytes, 256 bytes in a bank before the next one's turn.
    fn layout(banks: u16) -> Layout {
        Layout {
            gpus: 1,
            chiplets: 2,
            cores: 1,
            banks,
            slices: 1,
            line: 64,
            header_bytes: 8,
            sector_log: 5,
            bank_log: 8,
            hashed: false,
        }
    }

    #[test]
    fn each_line_has_a_place_of_its_own_in_its_bank() {
        for banks in [1, 2, 3, 6, 16] {
            let layout = layout(banks);
            let lines = 256 * u64::from(banks);
            let mut places: Vec<_> = (0..lines)
                .map(|line| {
                    let addr = 64 * line;
                    let bank = layout.bank_of(addr);
                    let addresses = Addresses::new(&layout, bank);
                    let local = addresses.local(addr);
                    assert_eq!(addresses.global(local), addr, "{banks} banks");
                    (bank, local)
                })
                .collect();
            places.sort_unstable();
            // Banks are full, and no place is taken twice.
            let all = (0..banks).flat_map(|bank| (0..256).map(move |line| (bank, 64 * line)));
            assert!(places.into_iter().eq(all), "{banks} banks");
        }
    }

    #[test]
    fn strides_of_a_power_of_two_use_all_banks() {
        let layout = layout(16);
        for log in 8..20 {
            let mut lines = [0; 16];
            (0..256).for_each(|i| lines[usize::from(layout.bank_of(i << log))] += 1);
            let most = lines.iter().max().expect("16 banks");
            assert!(*most <= 32, "a stride of {} bytes: {lines:?}", 1u64 << log);
        }
    }
}
