//! What an instruction reads and writes. A line names the first register of each operand; how many
//! more belong to it follows from the opcode.

use super::opcodes::width;
use super::registers::{Register, wide};

/// Opcodes whose first operand is a predicate. The tracer takes the first operand alone for the
/// destination, so that it names that of these as the first source. Least number of sources then.
const PREDICATE_FIRST: [(&str, usize); 7] =
    [("ATOM", 3), ("ATOMG", 3), ("LDSLK", 2), ("LOP3", 2), ("MATCH", 2), ("QSPC", 2), ("SHFL", 2)];

/// Opcodes that write memory: the address comes first, then the data.
const WRITES: [&str; 11] =
    ["ATOM", "ATOMG", "ATOMS", "RED", "REDG", "ST", "STG", "STL", "STS", "STSCUL", "STSM"];

/// Registers that an instruction reads and writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Operands {
    /// Sources.
    pub read: Vec<Register>,
    /// Destinations.
    pub written: Vec<Register>,
}

impl Operands {
    /// From the registers that a line names, none where one holds a constant. `name` is the
    /// opcode's in the table.
    pub fn new(
        opcode: &str,
        name: &str,
        written: &[Option<Register>],
        read: &[Option<Register>],
    ) -> Self {
        let least = PREDICATE_FIRST.iter().find(|(found, _)| *found == name).map(|found| found.1);
        let (written, read) = match least {
            Some(least) if written.is_empty() && read.len() >= least => read.split_at(1),
            _ => (written, read),
        };
        let widths = Widths::of(opcode, name).with_sources(opcode, name, read.len());
        let written = written.iter().flatten().flat_map(|&first| wide(first, widths.written));
        let read = read.iter().enumerate().filter_map(|(at, &first)| Some((at, first?)));
        let read = read.flat_map(|(at, first)| wide(first, widths.read[at.min(3)]));
        Self { read: read.collect(), written: written.collect() }
    }
}

/// How many registers each operand has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Widths {
    written: u16,
    /// Of the first, second and third source, and of all behind.
    read: [u16; 4],
}

impl Widths {
    const ONE: Self = Self::all(1);

    const fn all(registers: u16) -> Self {
        Self { written: registers, read: [registers; 4] }
    }

    fn of(opcode: &str, name: &str) -> Self {
        let has = |modifier: &str| modifiers(opcode).any(|found| found == modifier);
        let pair_if = |pair: bool| 1 + u16::from(pair);
        match name {
            "LDG" | "LD" | "STG" | "ST" | "ATOM" | "ATOMG" | "RED" | "REDG" => {
                Self::access(opcode, pair_if(has("E")))
            }
            "LDS" | "LDSLK" | "LDL" | "LDC" | "STS" | "STSCUL" | "STL" | "ATOMS" => {
                Self::access(opcode, 1)
            }
            "LDSM" | "STSM" => {
                let data = matrices(opcode);
                Self { written: data, read: [1, data, data, data] }
            }
            // Addresses in shared memory and in global memory.
            "LDGSTS" => Self { written: 1, read: [1, pair_if(has("E")), 1, 1] },
            "DADD" | "DFMA" | "DMNMX" | "DMUL" | "DSETP" => Self::all(2),
            "DSET" => Self { written: 1, ..Self::all(2) },
            "FADD2" | "FFMA2" | "FMUL2" => Self::all(2),
            "F2F" | "FRND" | "F2I" | "I2F" | "I2I" => Self::conversion(opcode, name),
            "IMAD" if has("WIDE") => Self { written: 2, read: [1, 1, 2, 1] },
            "IMAD" if has("HI") => Self { written: 1, read: [1, 1, 2, 1] },
            "MATCH" => Self { written: 1, read: [pair_if(has("U64")); 4] },
            "CS2R" => Self { written: pair_if(!has("32")), ..Self::ONE },
            "BMMA" | "DMMA" | "HMMA" | "IMMA" | "OMMA" | "QMMA" => {
                Self::matrix(opcode, name).unwrap_or(Self::ONE)
            }
            _ => Self::all(pair_if(has("64"))),
        }
    }

    /// Of a line that may not name all sources: it names no `UR` and no constants. A register too
    /// many makes a use too early, one too few makes it too late.
    fn with_sources(mut self, opcode: &str, name: &str, sources: usize) -> Self {
        let [first, second, third, _] = &mut self.read;
        // A comparison has two words of data.
        let data = 1 + usize::from(modifiers(opcode).any(|found| found.starts_with("CAS")));
        match sources {
            // The data, or the address of data that the line does not name.
            n if n <= data && WRITES.contains(&name) => *first = (*first).max(*second),
            // A factor or the sum.
            2 if name == "IMAD" => *second = (*second).max(*third),
            _ => {}
        }
        self
    }

    /// An access of memory: the address comes first.
    fn access(opcode: &str, address: u16) -> Self {
        // Of memory that the import leaves out, a width that is not known is that of a register.
        let data = u16::from(width(opcode).unwrap_or(4).div_ceil(4));
        Self { written: data, read: [address, data, data, data] }
    }

    /// `F2F.F64.F32` names destination and source; `F2I` and `I2F` one type of each kind.
    fn conversion(opcode: &str, name: &str) -> Self {
        let of = |kinds: &[&str], nth: usize| {
            let bits = |found: &str| -> Option<u32> {
                let number = kinds.iter().find_map(|kind| found.strip_prefix(kind))?;
                number.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
            };
            modifiers(opcode).filter_map(bits).nth(nth) == Some(64)
        };
        let (to, from) = match name {
            "F2I" => (of(&["S", "U"], 0), of(&["F"], 0)),
            "I2F" => (of(&["F"], 0), of(&["S", "U"], 0)),
            "FRND" => (of(&["F"], 0), of(&["F"], 0)),
            _ => (of(&["F", "BF", "S", "U"], 0), of(&["F", "BF", "S", "U"], 1)),
        };
        Self { written: 1 + u16::from(to), read: [1 + u16::from(from); 4] }
    }

    /// D = A B + C of a warp: a register holds 32 bits of each lane. None: the shape is not known.
    fn matrix(opcode: &str, name: &str) -> Option<Self> {
        let shape = modifiers(opcode).find(|m| m.bytes().all(|c| c.is_ascii_digit()))?;
        if (name, shape) == ("HMMA", "884") {
            // A step of four.
            return Some(Self::all(2));
        }
        let (m, k) = match (shape.strip_prefix("168"), shape.strip_prefix("88")) {
            (Some(k), _) => (16, k),
            (_, Some(k)) => (8, k),
            _ => return None,
        };
        let k: u32 = k.parse().ok().filter(|k| (1..=512).contains(k))?;
        let has = |part: &str| modifiers(opcode).any(|found| found == part);
        let (factor, sum) = match name {
            "DMMA" => (64, 64),
            "BMMA" => (1, 32),
            "IMMA" if has("S4") || has("U4") => (4, 32),
            "IMMA" | "QMMA" => (8, 32),
            "OMMA" => (4, 32),
            _ if has("TF32") => (32, 32),
            _ if has("F32") => (16, 32),
            _ => (16, 16),
        };
        let registers = |elements: u32, bits: u32| (elements * bits).div_ceil(32 * 32) as u16;
        let d = registers(m * 8, sum);
        Some(Self { written: d, read: [registers(m * k, factor), registers(8 * k, factor), d, 1] })
    }
}

/// Matrices of `LDSM` and `STSM`, each in a register.
pub fn matrices(opcode: &str) -> u16 {
    let numbers = modifiers(opcode).filter_map(|found| match found {
        "2" => Some(2),
        "4" => Some(4),
        _ => None,
    });
    numbers.last().unwrap_or(1)
}

fn modifiers(opcode: &str) -> impl Iterator<Item = &str> {
    opcode.split('.').skip(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(opcode: &str) -> (u16, [u16; 4]) {
        let name = opcode.split('.').next().unwrap();
        let Widths { written, read } = Widths::of(opcode, name);
        (written, read)
    }

    #[test]
    fn widths_of_operands_follow_from_the_opcode() {
        for (opcode, written, read) in [
            ("FADD", 1, [1, 1, 1, 1]),
            ("LDG.E.U8", 1, [2, 1, 1, 1]),
            ("LDG.E.64.CONSTANT", 2, [2, 2, 2, 2]),
            ("LDG.128", 4, [1, 4, 4, 4]),
            ("STG.E.128", 4, [2, 4, 4, 4]),
            ("REDG.E.ADD.F64.RN.STRONG.GPU", 2, [2, 2, 2, 2]),
            ("ATOMG.E.CAS.64.STRONG.GPU", 2, [2, 2, 2, 2]),
            ("LDS.U.128", 4, [1, 4, 4, 4]),
            ("ATOMS.CAST.SPIN", 1, [1, 1, 1, 1]),
            ("LDSM.16.M88", 1, [1, 1, 1, 1]),
            ("LDSM.16.MT88.4", 4, [1, 4, 4, 4]),
            ("LDGSTS.E.BYPASS.128", 1, [1, 2, 1, 1]),
            ("DFMA.RM", 2, [2, 2, 2, 2]),
            ("DSETP.GT.AND", 2, [2, 2, 2, 2]),
            ("DSET.BF.GT", 1, [2, 2, 2, 2]),
            ("F2F.F64.F32", 2, [1, 1, 1, 1]),
            ("F2F.F32.F64", 1, [2, 2, 2, 2]),
            ("F2F.BF16.F64", 1, [2, 2, 2, 2]),
            ("F2F.BF16_V2.F64", 1, [2, 2, 2, 2]),
            ("F2F.F64.BF16", 2, [1, 1, 1, 1]),
            ("F2F.FTZ.BF16.F32", 1, [1, 1, 1, 1]),
            ("F2I.S64.TRUNC", 2, [1, 1, 1, 1]),
            ("F2I.F64.TRUNC", 1, [2, 2, 2, 2]),
            ("I2F.F64", 2, [1, 1, 1, 1]),
            ("I2F.U64.RP", 1, [2, 2, 2, 2]),
            ("FRND.F64.FLOOR", 2, [2, 2, 2, 2]),
            ("IMAD.WIDE.U32", 2, [1, 1, 2, 1]),
            ("IMAD.HI.U32", 1, [1, 1, 2, 1]),
            ("IMAD.MOV.U32", 1, [1, 1, 1, 1]),
            ("MATCH.ANY", 1, [1, 1, 1, 1]),
            ("MATCH.ANY.U64", 1, [2, 2, 2, 2]),
            ("SHF.R.U64", 1, [1, 1, 1, 1]),
            ("CS2R", 2, [1, 1, 1, 1]),
            ("CS2R.32", 1, [1, 1, 1, 1]),
            ("IADD.64", 2, [2, 2, 2, 2]),
            ("HMMA.884.F32.F32.STEP0", 2, [2, 2, 2, 2]),
            ("HMMA.1688.F32", 4, [2, 1, 4, 1]),
            ("HMMA.16816.F32", 4, [4, 2, 4, 1]),
            ("HMMA.16816.F16", 2, [4, 2, 2, 1]),
            ("HMMA.1688.F32.TF32", 4, [4, 2, 4, 1]),
            ("IMMA.8816.S8.S8", 2, [1, 1, 2, 1]),
            ("IMMA.16832.S8.S8.SAT", 4, [4, 2, 4, 1]),
            ("DMMA.884", 4, [2, 2, 4, 1]),
            ("HMMA.8", 1, [1, 1, 1, 1]),
            ("HMMA.F32", 1, [1, 1, 1, 1]),
        ] {
            assert_eq!(of(opcode), (written, read), "{opcode}");
        }
    }

    #[test]
    fn widths_of_sources_follow_from_their_number() {
        let [a, b, c] = [Some(4), Some(8), Some(12)];
        let read = |opcode: &str, read: &[Option<Register>]| {
            let name = opcode.split('.').next().unwrap();
            Operands::new(opcode, name, &[], read).read
        };
        for store in ["ST", "STG", "STL", "STS", "STSCUL"] {
            assert_eq!(read(&format!("{store}.128"), &[a]), [4, 5, 6, 7], "{store}");
            assert_eq!(read(&format!("{store}.64"), &[a, b]), [4, 8, 9], "{store}");
            assert_eq!(read(store, &[a]), [4], "{store}");
        }
        assert_eq!(read("STSM.16.M88.4", &[a]), [4, 5, 6, 7]);
        // Atomics at an address of no register.
        assert_eq!(read("ATOMS.CAS.64", &[a, b]), [4, 5, 8, 9]);
        assert_eq!(read("ATOMS.CAS.64", &[a, b, c]), [4, 8, 9, 12, 13]);
        assert_eq!(read("ATOMS.ADD.64", &[a, b]), [4, 8, 9]);
        assert_eq!(read("RED.ADD.64", &[a]), [4, 5]);
        // An address may be the source.
        assert_eq!(read("STG.E", &[a]), [4, 5]);
        assert_eq!(read("LDS.64", &[a]), [4]);
        for product in ["IMAD.WIDE", "IMAD.HI.U32"] {
            assert_eq!(read(product, &[a]), [4], "{product}");
            assert_eq!(read(product, &[a, b]), [4, 8, 9], "{product}");
            assert_eq!(read(product, &[a, b, c]), [4, 8, 12, 13], "{product}");
        }
        assert_eq!(read("IMAD", &[a, b]), [4, 8]);
    }

    #[test]
    fn the_destination_behind_a_predicate_is_the_first_source() {
        let [a, b, c] = [Some(4), Some(6), Some(8)];
        let operands = |opcode: &str, read: &[Option<Register>]| {
            let name = opcode.split('.').next().unwrap();
            let Operands { read, written } = Operands::new(opcode, name, &[], read);
            (written, read)
        };
        assert_eq!(operands("SHFL.IDX", &[a, b]), (vec![4], vec![6]));
        let returning = operands("ATOMG.E.ADD", &[a, b, c]);
        assert_eq!(returning, (vec![4], vec![6, 7, 8]));
        // Without a destination, as a tool may write it.
        assert_eq!(operands("ATOMG.E.ADD", &[b, c]), (vec![], vec![6, 7, 8]));
        assert_eq!(operands("REDG.E.ADD", &[b, c]), (vec![], vec![6, 7, 8]));
        assert_eq!(operands("ATOMG.E.ADD", &[None, b, c]), (vec![], vec![6, 7, 8]));
        assert_eq!(operands("ISETP.GE.AND", &[a, b]), (vec![], vec![4, 6]));
    }
}
