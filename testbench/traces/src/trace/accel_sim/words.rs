//! The words of a line.

use super::header::hexadecimal;
use super::registers::{Register, register};

/// Addresses from here on are none.
pub const ADDRESS_END: u64 = 1 << 62;

/// Words of a line, read from the front.
pub struct Words<'a>(std::str::SplitAsciiWhitespace<'a>);

impl<'a> Words<'a> {
    /// From a line's text.
    pub fn new(text: &'a str) -> Self {
        Self(text.split_ascii_whitespace())
    }

    /// The next one, whatever it is.
    pub fn word(&mut self, expected: &'static str) -> Result<&'a str, String> {
        self.0.next().ok_or_else(|| expected.to_string())
    }

    /// The next one, a number.
    pub fn decimal(&mut self, expected: &'static str) -> Result<i64, String> {
        let word = self.word(expected)?;
        word.parse().map_err(|_| format!("{expected}, found {word}"))
    }

    fn hexadecimal(&mut self, expected: &'static str) -> Result<u64, String> {
        let word = self.word(expected)?;
        hexadecimal(word).ok_or_else(|| format!("{expected}, found {word}"))
    }

    /// The next one, a hexadecimal number of 32 bits.
    pub fn hexadecimal32(&mut self, expected: &'static str) -> Result<u32, String> {
        let number = self.hexadecimal(expected)?;
        number.try_into().map_err(|_| format!("{expected} of 32 bits, found {number:#x}"))
    }

    /// A count and its registers, none where one holds a constant.
    pub fn registers(&mut self) -> Result<Vec<Option<Register>>, String> {
        let count = self.decimal("a number of registers")?;
        if !(0..=64).contains(&count) {
            return Err(format!("a number of registers, 0 to 64, found {count}"));
        }
        (0..count).map(|_| register(self.word("a register")?)).collect()
    }

    /// Address of each active lane.
    pub fn addresses(&mut self, mask: u32) -> Result<Vec<u64>, String> {
        const ADDRESS: &str = "an address";
        let lanes = mask.count_ones() as usize;
        let mut addrs = Vec::with_capacity(lanes);
        let mode = self.decimal("a form of addresses")?;
        match mode {
            0 => {
                for _ in 0..lanes {
                    addrs.push(self.hexadecimal(ADDRESS)?);
                }
            }
            1 => {
                let base = self.hexadecimal(ADDRESS)?;
                let stride = self.decimal("a stride")?;
                for lane in 0..lanes {
                    let offset = stride.wrapping_mul(lane as i64);
                    addrs.push(base.wrapping_add(offset as u64));
                }
            }
            2 => {
                let mut addr = self.hexadecimal(ADDRESS)?;
                for lane in 0..lanes {
                    if lane > 0 {
                        let delta = self.decimal("a distance from the last lane's address")?;
                        addr = addr.wrapping_add(delta as u64);
                    }
                    addrs.push(addr);
                }
            }
            _ => return Err(format!("a form of addresses, 0 to 2, found {mode}")),
        }
        match addrs.iter().find(|&&addr| addr >= ADDRESS_END) {
            Some(addr) => Err(format!("addresses below 2^62, found {addr:#x}")),
            None => Ok(addrs),
        }
    }

    /// Nothing is left but an immediate, which tracers write since version 4.
    pub fn end(mut self) -> Result<(), String> {
        match (self.0.next(), self.0.next()) {
            (None, _) => Ok(()),
            (Some(immediate), None) if immediate.parse::<i128>().is_ok() => Ok(()),
            (Some(word), _) => {
                Err(format!("the end or an immediate after an address of each lane, found {word}"))
            }
        }
    }
}
