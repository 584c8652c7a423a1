//! Registers, as lines name them.

/// A register that instructions write: its place among those of all files.
pub type Register = u16;

/// Files of registers: prefix, name of the register that holds a constant, its number, and place of
/// register 0. The tracer writes general registers only, and `RZ` as `R255`.
const FILES: [(&str, &str, u16, Register); 4] =
    [("R", "RZ", 255, 0), ("UR", "URZ", 255, 256), ("P", "PT", 7, 512), ("UP", "UPT", 7, 520)];

/// The register of a name; none for one that holds a constant. Errors: it names no register.
pub fn register(name: &str) -> Result<Option<Register>, String> {
    let found = FILES.iter().find_map(|&(prefix, constant, last, first)| {
        if name == constant {
            return Some(None);
        }
        let digits = name.strip_prefix(prefix)?;
        let number = digits.bytes().all(|c| c.is_ascii_digit()).then_some(digits)?;
        let number = number.parse().ok().filter(|&number: &u16| number <= last)?;
        Some((number < last).then_some(first + number))
    });
    found.ok_or_else(|| format!("a register, as R4, RZ, UR4 or P0, found {name}"))
}

/// A register and those behind it that hold the rest of a value. Those beyond the file's end are
/// left out.
pub fn wide(first: Register, registers: u16) -> impl Iterator<Item = Register> {
    let ends = FILES.iter().map(|&(_, _, last, of_file)| of_file + last);
    let end = ends.filter(|&end| end > first).min().unwrap_or(first);
    first..end.min(first + registers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_registers_or_constants() {
        for (name, place) in [
            ("R0", Some(0)),
            ("R254", Some(254)),
            ("R255", None),
            ("RZ", None),
            ("UR0", Some(256)),
            ("UR62", Some(318)),
            ("URZ", None),
            ("P0", Some(512)),
            ("P6", Some(518)),
            ("PT", None),
            ("UP0", Some(520)),
            ("UPT", None),
        ] {
            assert_eq!(register(name), Ok(place), "{name}");
        }
        for name in ["", "R", "R256", "R-1", "R+1", "r4", "4", "P8", "UR256", "Z", "R99999999"] {
            let expected = format!("a register, as R4, RZ, UR4 or P0, found {name}");
            assert_eq!(register(name), Err(expected));
        }
    }

    #[test]
    fn wide_values_end_with_their_file() {
        let all = |first, registers| wide(first, registers).collect::<Vec<_>>();
        assert_eq!(all(4, 1), [4]);
        assert_eq!(all(4, 4), [4, 5, 6, 7]);
        assert_eq!(all(253, 4), [253, 254]);
        assert_eq!(all(510, 2), [510]);
        assert_eq!(all(518, 2), [518]);
    }
}
