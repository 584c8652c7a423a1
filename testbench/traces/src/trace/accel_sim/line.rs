//! One line of a thread block: an instruction of a warp.

use super::opcodes::{Class, Space, class, width};
use super::operands::{Operands, matrices};
use super::shared::passes;
use super::uses::{Facts, Unit};
use super::words::Words;
use crate::trace::AtomicOp;

/// Most bytes of a lane's access in a trace.
const MOST: u8 = 16;

/// Opcodes that access the thread block's shared memory.
const SHARED: [&str; 7] = ["ATOMS", "LDS", "LDSLK", "LDSM", "STS", "STSCUL", "STSM"];
/// Opcodes that access local memory.
const LOCAL: [&str; 2] = ["LDL", "STL"];

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
    /// Something that the import leaves out and counts.
    LeftOut,
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
    /// The opcode's name in the table.
    pub name: &'static str,
    /// What it does.
    pub what: What,
    /// Bytes of each lane's access.
    pub size: u8,
    /// The address may be one of shared or local memory.
    pub generic: bool,
    /// Address of each active lane, least lane first.
    pub addrs: Vec<u64>,
    /// What is known of an access beside.
    pub facts: Facts,
}

/// Operands and execution unit of a line, needed only while registers are tracked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Registers.
    pub operands: Operands,
    /// What executes it.
    pub unit: Unit,
}

impl Line {
    /// From its text. `numbered`: the line of the source comes first. The width is the opcode's:
    /// the field's is wrong in some versions of the tracer.
    pub fn parse(text: &str, numbered: bool) -> Result<(Self, Step), String> {
        let mut words = Words::new(text);
        if numbered {
            words.decimal("a line of the source")?;
        }
        let pc = words.hexadecimal32("a program counter")?;
        let mask = words.hexadecimal32("a mask of lanes")?;
        let written = words.registers()?;
        let opcode = words.word("an opcode")?;
        let read = words.registers()?;
        let Some((class, name)) = class(opcode) else {
            return Err(format!("an opcode that the table of SASS opcodes has, found {opcode}"));
        };
        let (what, space) = match class {
            Class::Load(space) => (What::Load, space),
            Class::Store(space) => (What::Store, space),
            Class::Atomic(space) => (What::Atomic(operation(opcode)), space),
            // A warp without active lanes does not arrive.
            Class::Barrier if mask != 0 => (What::Barrier, Space::Global),
            Class::Fence => (What::Fence, Space::Global),
            Class::LeftOut => (What::LeftOut, Space::Global),
            Class::Barrier | Class::Nothing => (What::Other, Space::Global),
            Class::Refused(why) => {
                return Err(format!("an opcode that the import reads, found {opcode} ({why})"));
            }
        };
        let generic = space == Space::Generic;
        let (addrs, facts) = (Vec::new(), Facts::default());
        let mut line = Self { pc, mask, name, what, size: 0, generic, addrs, facts };
        let has_addresses = words.decimal("a width of the access")? != 0;
        let mut unit = if name == "MUFU" { Unit::Special } else { Unit::Arithmetic };
        if line.accesses() {
            line.size = checked_width(opcode, what)?;
            if has_addresses {
                line.addrs = words.addresses(mask)?;
            } else if mask != 0 {
                return Err(format!("addresses of the active lanes {mask:08x} of {opcode}"));
            }
            words.end()?;
        } else if SHARED.contains(&name) {
            let addrs = has_addresses.then(|| words.addresses(mask)).transpose()?;
            if addrs.is_some() {
                words.end()?;
            }
            unit = Unit::Local { passes: shared_passes(opcode, &line, addrs.as_deref()) };
        } else if LOCAL.contains(&name) {
            unit = Unit::Local { passes: shared_passes(opcode, &line, None) };
        }
        Ok((line, Step { operands: Operands::new(opcode, name, &written, &read), unit }))
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

    /// Which of the active lanes a lane is, from 0.
    pub fn rank(&self, lane: usize) -> usize {
        (self.mask & ((1 << lane) - 1)).count_ones() as usize
    }

    /// Bytes of memory that it takes.
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(self.addrs.as_slice()) + self.facts.bytes()
    }
}

/// Passes of an access of shared memory. Without addresses, and in local memory, whose words the
/// hardware interleaves, no banks conflict.
fn shared_passes(opcode: &str, line: &Line, addrs: Option<&[u64]>) -> u32 {
    // The first lanes hold the addresses of rows of 16 bytes, eight of each matrix.
    let (bytes, end) = match line.name {
        "LDSM" | "STSM" => (16, 8 * usize::from(matrices(opcode))),
        _ => (width(opcode).unwrap_or(4), WARP),
    };
    let addr = |at: usize, lane: usize| match addrs {
        Some(addrs) => addrs[at],
        None => lane as u64 * u64::from(bytes),
    };
    let lanes = line.lanes().enumerate().filter(|&(_, lane)| lane < end);
    let lanes: Vec<_> = lanes.map(|(at, lane)| (lane, addr(at, lane))).collect();
    passes(&lanes, bytes)
}

/// Bytes of a lane's access, which a trace can hold.
fn checked_width(opcode: &str, what: What) -> Result<u8, String> {
    let bytes = width(opcode)?;
    match what {
        What::Atomic(_) if !matches!(bytes, 4 | 8) => {
            Err(format!("an atomic of 4 or 8 bytes, found {opcode} of {bytes}"))
        }
        _ if bytes > MOST => {
            Err(format!("an access of at most {MOST} bytes, found {opcode} of {bytes}"))
        }
        _ => Ok(bytes),
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

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Line {
        Line::parse(text, false).unwrap().0
    }

    fn unit(text: &str) -> Unit {
        Line::parse(text, false).unwrap().1.unit
    }

    #[test]
    fn addresses_of_each_form_are_found() {
        let list = parse("0010 00000005 1 R2 LDG.E.SYS 1 R4 4 0 0x7f0000000000 0x7f0000000040");
        assert_eq!((list.pc, list.mask, list.what, list.size), (0x10, 5, What::Load, 4));
        assert_eq!(list.addrs, [0x7f00_0000_0000, 0x7f00_0000_0040]);
        let stride = parse("0020 0000000e 0 STG.E.64 2 R4 R6 8 1 0x7f0000001000 -8 12");
        assert_eq!((stride.what, stride.size), (What::Store, 8));
        assert_eq!(stride.addrs, [0x7f00_0000_1000, 0x7f00_0000_0ff8, 0x7f00_0000_0ff0]);
        let deltas = parse("0030 00000007 0 LDG.E.128 1 R4 16 2 0x7f0000002000 16 -32");
        assert_eq!(deltas.size, 16);
        assert_eq!(deltas.addrs, [0x7f00_0000_2000, 0x7f00_0000_2010, 0x7f00_0000_1ff0]);
    }

    #[test]
    fn operations_of_atomics_are_found() {
        for (opcode, op) in [
            ("RED.E.ADD.STRONG.GPU", AtomicOp::Add),
            ("ATOMG.E.INC.STRONG.GPU", AtomicOp::Add),
            ("RED.E.ADD.F32.FTZ.RN.STRONG.GPU", AtomicOp::Exchange),
            ("REDG.E.ADD.F32x2.RN.STRONG.GPU", AtomicOp::Exchange),
            ("ATOMG.E.MAX.S32.STRONG.GPU", AtomicOp::Max),
            ("ATOMG.E.MAX.STRONG.GPU", AtomicOp::UMax),
            ("ATOMG.E.CAS.STRONG.GPU", AtomicOp::Exchange),
        ] {
            let line = parse(&format!("0010 00000001 0 {opcode} 2 R2 R4 4 0 0x1000"));
            assert_eq!((line.what, line.addrs.len()), (What::Atomic(op), 1), "{opcode}");
        }
    }

    #[test]
    fn a_warp_without_active_lanes_meets_no_other() {
        assert_eq!(parse("0010 00000001 0 BAR.SYNC 0 0").what, What::Barrier);
        assert_eq!(parse("0010 00000000 0 BAR.SYNC 0 0").what, What::Other);
    }

    #[test]
    fn what_is_left_out_keeps_its_name() {
        let line = parse("0010 ffffffff 1 R4 LDGSTS.E.BYPASS.LTC128B.128 1 R2 16 1 0x1000 16");
        assert_eq!((line.what, line.name, line.lanes().count()), (What::LeftOut, "LDGSTS", 32));
    }

    #[test]
    fn an_immediate_may_follow() {
        let text = "0010 00000001 0 STG.E 2 R2 R4 4 0 0x10";
        assert_eq!(parse(&format!("{text} -16")), parse(text));
        // The lanes of a masked load have no addresses.
        let masked = parse("0010 00000000 1 R4 LDG.E 1 R2 0 0");
        assert_eq!((masked.mask, masked.addrs.len()), (0, 0));
    }

    #[test]
    fn units_follow_from_opcodes_and_addresses_of_shared_memory() {
        for (line, expected) in [
            ("1 R4 FADD 2 R2 R3 0", Unit::Arithmetic),
            ("1 R4 DADD 2 R2 R6 0", Unit::Arithmetic),
            ("1 R4 HMMA.16816.F32 3 R8 R12 R4 0", Unit::Arithmetic),
            ("1 R4 MUFU.RCP 1 R2 0", Unit::Special),
            ("1 R4 LDS 1 R2 4 1 0x0 4", Unit::Local { passes: 1 }),
            ("0 STS 2 R2 R4 4 1 0x0 128", Unit::Local { passes: 32 }),
            ("0 STS.64 2 R2 R4 8 1 0x0 8", Unit::Local { passes: 2 }),
            ("1 R4 ATOMS.ADD 2 R2 R5 4 1 0x0 8", Unit::Local { passes: 2 }),
            ("1 R4 LDSM.16.M88.2 1 R2 16 1 0x0 16", Unit::Local { passes: 2 }),
            ("1 R4 LDSM.16.M88.4 1 R2 16 1 0x0 128", Unit::Local { passes: 32 }),
            // No addresses.
            ("1 R4 LDS.128 1 R2 0", Unit::Local { passes: 4 }),
            // Not those of shared memory.
            ("0 STL.64 2 R2 R4 8 1 0x0 128", Unit::Local { passes: 2 }),
            ("1 R4 LDC 1 R2 4 1 0x0 4", Unit::Arithmetic),
        ] {
            assert_eq!(unit(&format!("0010 ffffffff {line}")), expected, "{line}");
        }
        assert_eq!(unit("0010 000000ff 1 R4 LDS.64 1 R2 0"), Unit::Local { passes: 1 });
    }

    #[test]
    fn lines_of_the_source_are_skipped_where_they_are() {
        let text = "0010 00000001 0 EXIT 0 0";
        assert_eq!(Line::parse(&format!("12 {text}"), true).unwrap().0, parse(text));
        assert_eq!(parse(text).what, What::Other);
    }

    #[test]
    fn bad_lines_are_refused() {
        for (text, expected) in [
            ("", "a program counter"),
            ("0010", "a mask of lanes"),
            ("xyz 00000001 0 EXIT 0 0", "a program counter, found xyz"),
            ("100000000 00000001 0 EXIT 0 0", "a program counter of 32 bits, found 0x100000000"),
            ("0010 100000000 0 EXIT 0 0", "a mask of lanes of 32 bits, found 0x100000000"),
            ("0010 00000001 -1 EXIT 0 0", "a number of registers, 0 to 64, found -1"),
            ("0010 00000001 1 EXIT 0 0", "a register, as R4, RZ, UR4 or P0, found EXIT"),
            ("0010 00000001 1 R256 EXIT 0 0", "a register, as R4, RZ, UR4 or P0, found R256"),
            ("0010 00000001 1 R4 FADD 2 R2 R0x4 0", "UR4 or P0, found R0x4"),
            ("0010 00000001 1 R4 FADD 2 R2", "a register"),
            ("0010 00000001 1 R4 LDS 1 R2 4 7 0x0 4", "a form of addresses, 0 to 2, found 7"),
            ("0010 00000001 1 R4 LDS 1 R2 4 0 0x0 4 4", "an address of each lane, found 4"),
            ("0010 00000001 0 EXIT 0", "a width of the access"),
            ("0010 00000003 0 LDG.E 1 R4 4 0 0x10", "an address"),
            ("0010 00000003 0 LDG.E 1 R4 4 3 0x10 0x20", "a form of addresses, 0 to 2, found 3"),
            ("0010 00000003 0 LDG.E 1 R4 4 1 0x10", "a stride"),
            ("0010 00000003 0 LDG.E 1 R4 4 2 0x10", "a distance from the last lane's address"),
            ("0010 00000003 0 LDG.E 1 R4 4 1 0x10 -32", "below 2^62, found 0xfffffffffffffff0"),
            (
                "0010 00000001 0 LDG.E 1 R4 4 0 0x10 0x20",
                "after an address of each lane, found 0x20",
            ),
            ("0010 00000001 0 LDG.E 1 R4 4 0 0x10 16 4", "after an address of each lane, found 16"),
            ("0010 0000000f 0 LDG.E 1 R4 0", "addresses of the active lanes 0000000f of LDG.E"),
            ("0010 0000000f 0 STG.E 1 R4 0 0", "addresses of the active lanes 0000000f of STG.E"),
            ("0010 00000001 0 BARRIER 0 0", "table of SASS opcodes has, found BARRIER"),
            ("0010 00000001 0 LDQ.E 1 R4 4 0 0x10", "table of SASS opcodes has, found LDQ.E"),
            ("0010 00000001 0 TEX.LL 1 R4 0", "the import reads, found TEX.LL (texture memory"),
            ("0010 00000001 0 UTMALDG.2D 0 0", "the import reads, found UTMALDG.2D (a bulk copy"),
            (
                "0010 00000001 0 LDG.E.96 1 R4 4 0 0x10",
                "a width that is known, found 96 in LDG.E.96",
            ),
            ("0010 00000001 0 LDG.E.256 1 R4 4 0 0x10", "at most 16 bytes, found LDG.E.256 of 32"),
            (
                "0010 00000001 0 REDG.E.ADD.F32x4.RN 1 R4 4 0 0x10",
                "an atomic of 4 or 8 bytes, found REDG.E.ADD.F32x4.RN of 16",
            ),
        ] {
            let error = Line::parse(text, false).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
