//! One line of a thread block: an instruction of a warp.

use super::kernel::hexadecimal;
use crate::trace::AtomicOp;

/// Lanes of a warp there.
pub const WARP: usize = 32;

/// What an instruction does, as far as a trace shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// Reads memory.
    Load,
    /// Writes memory.
    Store,
    /// Read-modify-write.
    Atomic(AtomicOp),
    /// All warps of the thread block meet.
    Barrier,
    /// Orders accesses.
    Fence,
    /// Anything else.
    Other,
}

/// An instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Program counter.
    pub pc: u32,
    /// Active lanes.
    pub mask: u32,
    /// What it does.
    pub what: What,
    /// Bytes of each lane's access.
    pub size: u8,
    /// The address may be one of shared or local memory.
    pub generic: bool,
    /// Address of each active lane, least lane first.
    pub addrs: Vec<u64>,
}

/// Words of a line, read from the front.
struct Words<'a>(std::str::SplitAsciiWhitespace<'a>);

impl<'a> Words<'a> {
    fn word(&mut self, expected: &'static str) -> Result<&'a str, &'static str> {
        self.0.next().ok_or(expected)
    }

    fn decimal(&mut self, expected: &'static str) -> Result<i64, &'static str> {
        self.word(expected)?.parse().map_err(|_| expected)
    }

    fn hexadecimal(&mut self, expected: &'static str) -> Result<u64, &'static str> {
        hexadecimal(self.word(expected)?).ok_or(expected)
    }

    /// A count and as many registers.
    fn registers(&mut self) -> Result<(), &'static str> {
        let count = self.decimal("a number of registers")?;
        if !(0..=64).contains(&count) {
            return Err("a number of registers, 0 to 64");
        }
        (0..count).try_for_each(|_| self.word("a register").map(|_| ()))
    }
}

impl Line {
    /// From its text. `numbered`: the line of the source comes first. What follows the addresses
    /// (an immediate) is not looked at.
    pub fn parse(text: &str, numbered: bool) -> Result<Self, &'static str> {
        let mut words = Words(text.split_ascii_whitespace());
        if numbered {
            words.decimal("a line of the source")?;
        }
        let pc = words.hexadecimal("a program counter")?;
        let pc = u32::try_from(pc).map_err(|_| "a program counter of 32 bits")?;
        let mask = words.hexadecimal("a mask of lanes")?;
        let mask = u32::try_from(mask).map_err(|_| "a mask of 32 lanes")?;
        words.registers()?;
        let opcode = words.word("an opcode")?;
        words.registers()?;
        let (what, generic) = what(opcode);
        let size = size(opcode, what);
        let mut line = Self { pc, mask, what, size, generic, addrs: Vec::new() };
        let width = words.decimal("a width of the access")?;
        if line.accesses() && width != 0 {
            line.addresses(&mut words)?;
        } else if line.accesses() {
            line.mask = 0;
        }
        Ok(line)
    }

    /// True for what reads or writes memory.
    pub fn accesses(&self) -> bool {
        matches!(self.what, What::Load | What::Store | What::Atomic(_))
    }

    /// Active lanes.
    pub fn lanes(&self) -> impl Iterator<Item = usize> {
        let mask = self.mask;
        (0..WARP).filter(move |lane| mask >> lane & 1 == 1)
    }

    fn addresses(&mut self, words: &mut Words) -> Result<(), &'static str> {
        const ADDRESS: &str = "an address";
        let lanes = self.mask.count_ones() as usize;
        let mode = words.decimal("a form of addresses")?;
        match mode {
            0 => {
                for _ in 0..lanes {
                    self.addrs.push(words.hexadecimal(ADDRESS)?);
                }
            }
            1 => {
                let base = words.hexadecimal(ADDRESS)?;
                let stride = words.decimal("a stride")?;
                for lane in 0..lanes {
                    let offset = stride.wrapping_mul(lane as i64);
                    self.addrs.push(base.wrapping_add(offset as u64));
                }
            }
            2 => {
                let mut addr = words.hexadecimal(ADDRESS)?;
                for lane in 0..lanes {
                    if lane > 0 {
                        let delta = words.decimal("a distance from the last lane's address")?;
                        addr = addr.wrapping_add(delta as u64);
                    }
                    self.addrs.push(addr);
                }
            }
            _ => return Err("a form of addresses, 0 to 2"),
        }
        Ok(())
    }
}

/// What an opcode does, and whether its address is generic. Shared, local and constant memory is
/// not global memory.
fn what(opcode: &str) -> (What, bool) {
    let stem = opcode.split('.').next().unwrap_or_default();
    let has = |part: &str| opcode.split('.').any(|p| p == part);
    match stem {
        "LDG" => (What::Load, false),
        "LD" => (What::Load, true),
        "STG" => (What::Store, false),
        "ST" => (What::Store, true),
        "ATOM" => (What::Atomic(operation(opcode)), true),
        "ATOMG" | "RED" => (What::Atomic(operation(opcode)), false),
        // An arrival alone does not wait.
        "BAR" if !has("ARV") => (What::Barrier, false),
        "MEMBAR" => (What::Fence, false),
        _ => (What::Other, false),
    }
}

/// Floating-point sums and compare-and-swap depend on values that the trace does not have:
/// exchanges.
fn operation(opcode: &str) -> AtomicOp {
    let has = |part: &str| opcode.split('.').any(|p| p == part);
    let signed = has("S32") || has("S64");
    if opcode.split('.').any(|part| part.starts_with('F') || part.starts_with("BF")) {
        return AtomicOp::Exchange;
    }
    let parts = opcode.split('.').find_map(|part| {
        Some(match part {
            "ADD" | "INC" | "DEC" => AtomicOp::Add,
            "MIN" if signed => AtomicOp::Min,
            "MAX" if signed => AtomicOp::Max,
            "MIN" => AtomicOp::UMin,
            "MAX" => AtomicOp::UMax,
            "AND" => AtomicOp::And,
            "OR" => AtomicOp::Or,
            "XOR" => AtomicOp::Xor,
            _ => return None,
        })
    });
    parts.unwrap_or(AtomicOp::Exchange)
}

/// Bytes of an access: the opcode says so more reliably than the field.
fn size(opcode: &str, what: What) -> u8 {
    let size = opcode.split('.').find_map(|part| match part {
        "U8" | "S8" | "8" => Some(1),
        "U16" | "S16" | "16" => Some(2),
        "64" | "U64" | "S64" => Some(8),
        "128" => Some(16),
        _ => None,
    });
    match what {
        What::Atomic(_) => size.filter(|&size| size == 8).unwrap_or(4),
        _ => size.unwrap_or(4),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Line {
        Line::parse(text, false).unwrap()
    }

    #[test]
    fn addresses_of_each_form_are_found() {
        let list = parse("0010 00000005 1 R2 LDG.E.SYS 1 R4 4 0 0x7f0000000000 0x7f0000000040");
        assert_eq!((list.pc, list.mask, list.what, list.size), (0x10, 5, What::Load, 4));
        assert_eq!(list.addrs, [0x7f00_0000_0000, 0x7f00_0000_0040]);
        let stride = parse("0020 0000000e 0 STG.E.64 2 R4 R6 8 1 0x7f0000001000 -8 0x12");
        assert_eq!((stride.what, stride.size), (What::Store, 8));
        assert_eq!(stride.addrs, [0x7f00_0000_1000, 0x7f00_0000_0ff8, 0x7f00_0000_0ff0]);
        let deltas = parse("0030 00000007 0 LDG.E.128 1 R4 16 2 0x7f0000002000 16 -32");
        assert_eq!(deltas.size, 16);
        assert_eq!(deltas.addrs, [0x7f00_0000_2000, 0x7f00_0000_2010, 0x7f00_0000_1ff0]);
    }

    #[test]
    fn opcodes_are_told_apart() {
        let what = |opcode: &str| super::what(opcode).0;
        assert_eq!(what("LDS.U"), What::Other);
        assert_eq!(what("STL"), What::Other);
        assert_eq!(what("BAR.SYNC"), What::Barrier);
        assert_eq!(what("BAR.ARV"), What::Other);
        assert_eq!(what("MEMBAR.SC.GPU"), What::Fence);
        assert_eq!(what("RED.E.ADD.STRONG.GPU"), What::Atomic(AtomicOp::Add));
        assert_eq!(what("RED.E.ADD.F32.FTZ.RN.STRONG.GPU"), What::Atomic(AtomicOp::Exchange));
        assert_eq!(what("ATOMG.E.MAX.S32.STRONG.GPU"), What::Atomic(AtomicOp::Max));
        assert_eq!(what("ATOMG.E.CAS.STRONG.GPU"), What::Atomic(AtomicOp::Exchange));
    }

    #[test]
    fn lines_of_the_source_are_skipped_where_they_are() {
        let text = "0010 00000001 0 EXIT 0 0";
        assert_eq!(Line::parse(&format!("12 {text}"), true).unwrap(), parse(text));
        assert_eq!(parse(text).what, What::Other);
    }

    #[test]
    fn bad_lines_are_refused() {
        for text in [
            "",
            "0010",
            "xyz 00000001 0 EXIT 0 0",
            "0010 100000000 0 EXIT 0 0",
            "0010 00000001 -1 EXIT 0 0",
            "0010 00000003 0 LDG.E 1 R4 4 0 0x10",
            "0010 00000003 0 LDG.E 1 R4 4 3 0x10 0x20",
            "0010 00000003 0 LDG.E 1 R4 4 1 0x10",
        ] {
            assert!(Line::parse(text, false).is_err(), "{text}");
        }
    }
}
