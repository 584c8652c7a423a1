//! Bits of a port, taken out of an image by name, for reports and waveforms. Not on the per-cycle
//! path.

use std::fmt;

use ports::{Leaf, Port};

/// A value of some bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// Bits.
    pub width: u32,
    /// Least significant word first; bits above `width` are 0.
    pub words: Vec<u32>,
}

impl Value {
    /// The bits of `leaf` of `port` in an image.
    pub fn of(port: &Port, leaf: &Leaf, image: &[u32]) -> Self {
        let first = port.word * 32 + leaf.lsb as usize;
        let mut words = vec![0; leaf.width.div_ceil(32) as usize];
        for bit in 0..leaf.width as usize {
            let at = first + bit;
            words[bit / 32] |= (image[at / 32] >> (at % 32) & 1) << (bit % 32);
        }
        Self { width: leaf.width, words }
    }

    /// Bit `i`.
    pub fn bit(&self, i: u32) -> bool {
        self.words[i as usize / 32] >> (i % 32) & 1 != 0
    }

    /// Bits that differ, lowest first.
    pub fn differing_bits(&self, other: &Self) -> Vec<u32> {
        (0..self.width).filter(|&i| self.bit(i) != other.bit(i)).collect()
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.width == 1 {
            return write!(f, "{}", self.words[0]);
        }
        f.write_str("0x")?;
        let digits = self.width.div_ceil(4);
        for digit in (0..digits).rev() {
            let nibble = self.words[digit as usize / 8] >> (digit % 8 * 4) & 15;
            write!(f, "{nibble:x}")?;
            if digit % 4 == 0 && digit > 0 {
                f.write_str("_")?;
            }
        }
        Ok(())
    }
}

/// True when the payload of a channel means something in this image, and for every other port.
pub fn is_shown(ports: &[Port], port: &Port, image: &[u32]) -> bool {
    port.valid.is_none_or(|valid| image[ports[valid].word] & 1 != 0)
}

/// `port.field`, or the port alone where it is one plain value.
pub fn full_name(port: &Port, leaf: &Leaf) -> String {
    below(&port.name, leaf)
}

/// The name of a leaf below this name of its port.
pub fn below(port: &str, leaf: &Leaf) -> String {
    match leaf.name.chars().next() {
        None => port.to_string(),
        Some('[') => format!("{port}{}", leaf.name),
        Some(_) => format!("{port}.{}", leaf.name),
    }
}
