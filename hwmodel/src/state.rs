//! What a block shows of its registers, by name: for waveforms and reports, and never on the
//! per-cycle path.
//!
//! A register has the name that it has in the RTL: its path below the block's instance, parts
//! joined by dots, without the prefixes `u_` and `gen_` of instances, without the suffix `_q`, and
//! without a struct `regs_q` around a part's registers. `gen_part[0].u_partition.fill_q.avail` is
//! `part[0].partition.fill.avail`. A model that holds something in another form gives it a name
//! that the RTL does not have. So registers of one name have one value in every cycle, and a test
//! of `tests/` sees to it.

use std::fmt::{self, Write};

/// Bits of the widest register.
pub const MAX_WIDTH: u32 = 256;
/// Words of the widest register.
const WORDS: usize = MAX_WIDTH as usize / 32;

/// One register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register<'a> {
    /// Path and name.
    pub name: &'a str,
    /// Bits.
    pub width: u32,
    /// Least significant word first; bits above `width` are 0. `None` while the register means
    /// nothing.
    pub value: Option<&'a [u32]>,
}

/// Who is shown registers, and where in the block they lie. Which registers a block shows, their
/// order and their widths depend on its parameters alone.
pub struct State<'a> {
    see: &'a mut dyn FnMut(&Register),
    path: String,
}

impl<'a> State<'a> {
    /// For the registers of a whole block.
    pub fn new(see: &'a mut dyn FnMut(&Register)) -> Self {
        Self { see, path: String::new() }
    }

    /// A register of at most 128 bits.
    pub fn bits(&mut self, name: &str, width: u32, value: impl Into<u128>) {
        self.bits_while(true, name, width, value);
    }

    /// A register that means something only while `known`.
    pub fn bits_while(&mut self, known: bool, name: &str, width: u32, value: impl Into<u128>) {
        let value = value.into();
        let words: [u32; 4] = std::array::from_fn(|word| (value >> (32 * word)) as u32);
        self.words_while(known, name, width, &words);
    }

    /// A register of one bit.
    pub fn flag(&mut self, name: &str, value: bool) {
        self.bits(name, 1, u8::from(value));
    }

    /// A register of at most [`MAX_WIDTH`] bits, least significant word first.
    pub fn words(&mut self, name: &str, width: u32, words: &[u32]) {
        self.words_while(true, name, width, words);
    }

    fn words_while(&mut self, known: bool, name: &str, width: u32, words: &[u32]) {
        debug_assert!((1..=MAX_WIDTH).contains(&width), "{name}: {width} bits");
        let count = width.div_ceil(32) as usize;
        let mut value = [0; WORDS];
        value[..count].copy_from_slice(&words[..count]);
        value[count - 1] &= u32::MAX >> (32 * count as u32 - width);
        let length = self.path.len();
        self.path += name;
        let value = known.then_some(&value[..count]);
        (self.see)(&Register { name: &self.path, width, value });
        self.path.truncate(length);
    }

    /// A register of at most [`MAX_WIDTH`] bits, one for each flag.
    pub fn flags(&mut self, name: &str, flags: impl Iterator<Item = bool>) {
        let (mut words, mut width) = ([0; MAX_WIDTH as usize / 32], 0);
        for flag in flags {
            words[width / 32] |= u32::from(flag) << (width % 32);
            width += 1;
        }
        self.words(name, width as u32, &words[..width.div_ceil(32)]);
    }

    /// The registers of a part.
    pub fn part(&mut self, name: impl fmt::Display, show: impl FnOnce(&mut State)) {
        let length = self.path.len();
        let _ = write!(self.path, "{name}.");
        show(self);
        self.path.truncate(length);
    }
}

/// Bits that hold the numbers from 0 to `most`.
pub fn width_of(most: u64) -> u32 {
    (u64::BITS - most.leading_zeros()).max(1)
}

/// Bits that number `places` places; the RTL's `$clog2`, at least 1.
pub fn index_width(places: u32) -> u32 {
    width_of(u64::from(places).saturating_sub(1))
}

/// One line of the registers that mean something and are not 0, as `name=value` pairs.
pub fn write_line(line: &mut dyn Write, show: impl FnOnce(&mut State)) -> fmt::Result {
    let mut result = Ok(());
    let mut separator = "";
    let mut see = |register: &Register| {
        let Some(value) = register.value.filter(|v| v.iter().any(|&word| word != 0)) else {
            return;
        };
        let top = value.iter().rposition(|&word| word != 0).unwrap_or(0);
        let mut text = format!("{separator}{}={:#x}", register.name, value[top]);
        value[..top].iter().rev().for_each(|word| text += &format!("{word:08x}"));
        separator = " ";
        result = result.and(line.write_str(&text));
    };
    show(&mut State::new(&mut see));
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_make_the_path_and_values_are_cut_to_their_width() {
        let mut seen = Vec::new();
        let mut see = |r: &Register| {
            seen.push((r.name.to_string(), r.width, r.value.map(<[u32]>::to_vec)));
        };
        let mut state = State::new(&mut see);
        state.flag("valid", true);
        state.part("part[1]", |part| {
            part.bits("count", 3, 0xFFu8);
            part.part("fill", |fill| fill.bits_while(false, "base", 40, 1u64));
        });
        state.bits("wide", 40, u64::MAX);
        let text = |name: &str| name.to_string();
        let expected = [
            (text("valid"), 1, Some(vec![1])),
            (text("part[1].count"), 3, Some(vec![7])),
            (text("part[1].fill.base"), 40, None),
            (text("wide"), 40, Some(vec![u32::MAX, 0xFF])),
        ];
        assert_eq!(seen, expected);
    }

    #[test]
    fn a_line_leaves_out_what_is_0_or_means_nothing() {
        let mut line = String::new();
        write_line(&mut line, |state| {
            state.bits("a", 8, 5u8);
            state.bits("b", 8, 0u8);
            state.bits_while(false, "c", 8, 7u8);
            state.bits("d", 64, 0x1_0000_0002u64);
        })
        .unwrap();
        assert_eq!(line, "a=0x5 d=0x100000002");
    }

    #[test]
    fn widths_hold_their_numbers() {
        assert_eq!([0, 1, 2, 3, 4].map(width_of), [1, 1, 2, 2, 3]);
        assert_eq!([1, 2, 3, 4, 5].map(index_width), [1, 1, 2, 2, 3]);
    }
}
