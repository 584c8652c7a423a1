//! Functions and source lines of addresses, from an ELF file's symbols and line tables.

use std::format;
use std::prelude::rust_2024::*;

use addr2line::Context;
use addr2line::gimli::{Dwarf, EndianSlice, Error, LittleEndian};
use object::{Object, ObjectSection, ObjectSymbol, SectionKind};

/// What an ELF file says of its code.
pub struct Symbols<'a> {
    file: Option<object::File<'a>>,
    lines: Option<Context<EndianSlice<'a, LittleEndian>>>,
}

impl<'a> Symbols<'a> {
    /// Of a file that is an image. Symbols and line tables that it lacks, or that cannot be read,
    /// are left out.
    pub fn of(bytes: &'a [u8]) -> Self {
        let file = object::File::parse(bytes).ok();
        let lines = file.as_ref().and_then(|file| {
            let section = |name: &str| {
                let found = file.section_by_name(name).and_then(|section| section.data().ok());
                EndianSlice::new(found.unwrap_or_default(), LittleEndian)
            };
            let dwarf = Dwarf::load(|id| Ok::<_, Error>(section(id.name()))).ok()?;
            Context::from_dwarf(dwarf).ok()
        });
        Self { file, lines }
    }

    /// `0x84 in main, src/main.rs:12`: what is known of an address.
    pub fn describe(&self, address: u32) -> String {
        let mut text = format!("{address:#x}");
        let frame = self.lines.as_ref().and_then(|lines| {
            lines.find_frames(address.into()).skip_all_loads().ok()?.next().ok().flatten()
        });
        let in_lines = frame.as_ref().and_then(|frame| frame.function.as_ref());
        let in_lines = in_lines.and_then(|function| function.demangle().ok());
        if let Some(function) = in_lines.or_else(|| self.function(address).map(Into::into)) {
            text += &format!(" in {function}");
        }
        let place = frame.and_then(|frame| frame.location);
        if let Some((file, line)) = place.and_then(|place| Some((place.file?, place.line?))) {
            text += &format!(", {file}:{line}");
        }
        text
    }

    /// The function whose symbol an address lies in; else the label before it in its section.
    fn function(&self, address: u32) -> Option<String> {
        let file = self.file.as_ref()?;
        let address = u64::from(address);
        let section = file.sections().find(|section| {
            let from = section.address();
            let to = from.saturating_add(section.size());
            section.kind() == SectionKind::Text && (from..to).contains(&address)
        })?;
        let is_before = |symbol: &object::Symbol| {
            // Those that begin with `$` or `.` are marks of the assembler, and name nothing.
            let is_name = |name: &str| !name.is_empty() && !name.starts_with(['$', '.']);
            let is_here = symbol.section_index() == Some(section.index());
            is_here && symbol.address() <= address && symbol.name().is_ok_and(is_name)
        };
        let symbols = || file.symbols().filter(is_before);
        let is_in = |symbol: &object::Symbol| address - symbol.address() < symbol.size();
        let function = symbols().filter(is_in).max_by_key(|symbol| symbol.address());
        let label = || symbols().max_by_key(|symbol| symbol.address()).filter(|s| s.size() == 0);
        let name = function.or_else(label)?.name().ok()?;
        Some(addr2line::demangle_auto(name.into(), None).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ABBREVIATIONS: &[u8] = &[
        // A unit: name, line table, first address, bytes.
        1, 0x11, 1, 0x03, 0x08, 0x10, 0x17, 0x11, 0x01, 0x12, 0x06, 0, 0, //
        // A function: name, first address, bytes.
        2, 0x2e, 0, 0x03, 0x08, 0x11, 0x01, 0x12, 0x06, 0, 0, 0,
    ];
    /// Version, place of the abbreviations, bytes of an address; the unit, its function.
    const INFO: &[u8] = b"\x04\0\0\0\0\0\x04\
        \x01spin.c\0\0\0\0\0\x80\0\0\0\x08\0\0\0\
        \x02spin\0\x80\0\0\0\x08\0\0\0\0";
    /// What stands behind the header's length: how lines advance, the files.
    const FILES: &[u8] = b"\x01\x01\xfb\x0e\x0a\0\x01\x01\x01\x01\0\0\0\x01\0spin.c\0\0\0\0\0";
    /// Address 0x80 is line 12, 0x84 line 13, 0x88 the end.
    const LINES: &[u8] = b"\0\x05\x02\x80\0\0\0\x03\x0b\x01\x02\x04\x03\x01\x01\x02\x04\0\x01\x01";

    /// With its length in front.
    fn unit(bytes: &[u8]) -> Vec<u8> {
        [&(bytes.len() as u32).to_le_bytes(), bytes].concat()
    }

    /// An ELF file of 32 bits for RISC-V that holds nothing but these sections.
    fn file() -> Vec<u8> {
        let lines = [&[2, 0], &unit(FILES)[..], LINES].concat();
        let sections = [
            (&b"\0"[..], 0, Vec::new()),
            (b".debug_abbrev\0", 1, ABBREVIATIONS.to_vec()),
            (b".debug_info\0", 1, unit(INFO)),
            (b".debug_line\0", 1, unit(&lines)),
            (b".shstrtab\0", 3, Vec::new()),
        ];
        let names: Vec<u8> = sections.iter().flat_map(|section| section.0).copied().collect();
        let mut file = b"\x7fELF\x01\x01\x01".to_vec();
        file.resize(52, 0);
        let (mut headers, mut name) = (Vec::new(), 0);
        for (text, kind, content) in &sections {
            let content = if *kind == 3 { &names } else { content };
            let words = [name, *kind, 0, 0, file.len(), content.len(), 0, 0, 1, 0];
            headers.extend(words.iter().flat_map(|word| (*word as u32).to_le_bytes()));
            file.extend(content);
            name += text.len();
        }
        let at = file.len() as u32;
        file.extend(headers);
        let mut put = |at: usize, bytes: &[u8]| file[at..at + bytes.len()].copy_from_slice(bytes);
        // Executable, machine, version; sections, their count, the one with their names.
        put(16, &[2, 0, 243, 0, 1]);
        put(32, &at.to_le_bytes());
        put(40, &[52, 0, 32, 0, 0, 0, 40, 0, sections.len() as u8, 0, 4, 0]);
        file
    }

    #[test]
    fn line_tables_give_function_and_line() {
        let file = file();
        let symbols = Symbols::of(&file);
        assert_eq!(symbols.describe(0x80), "0x80 in spin, spin.c:12");
        assert_eq!(symbols.describe(0x86), "0x86 in spin, spin.c:13");
        assert_eq!(symbols.describe(0x88), "0x88");
        assert_eq!(Symbols::of(b"").describe(0x80), "0x80");
    }

    /// `_start` is a label; around it stand marks, which name nothing.
    #[test]
    fn symbols_give_the_function() {
        let Some(elf) = crate::image::ELVES.first() else { return };
        let symbols = Symbols::of(elf.bytes);
        assert_eq!(symbols.describe(crate::image::ENTRY), "0x80 in _start");
        assert_eq!(symbols.describe(0x84), "0x84 in _start");
        assert_eq!(symbols.describe(0xfffe), "0xfffe");
        let file = object::File::parse(elf.bytes).unwrap();
        let sized = file.symbols().filter(|symbol| symbol.size() > 4);
        let mut functions = sized.filter(|symbol| symbol.kind() == object::SymbolKind::Text);
        let function = functions.next().expect("it has functions");
        let name = addr2line::demangle_auto(function.name().unwrap().into(), None);
        let last = (function.address() + function.size() - 2) as u32;
        assert_eq!(symbols.describe(last), format!("{last:#x} in {name}"));
    }

    #[test]
    fn damaged_line_tables_are_left_out() {
        let whole = file();
        for at in 0..whole.len() {
            assert!(Symbols::of(&whole[..at]).describe(0x80).starts_with("0x80"));
            for value in [0, 0x7f, 0xff, whole[at] ^ 1] {
                let mut damaged = whole.clone();
                damaged[at] = value;
                assert!(Symbols::of(&damaged).describe(0x84).starts_with("0x84"));
            }
        }
    }
}
