//! Files that are no image of the firmware.

use super::{Case, case};

/// A part of an ELF file: type, address, bytes in the file, bytes in memory.
type Segment = (u32, u32, u32, u32);

const LOAD: u32 = 1;

/// An ELF file of 32 bits for RISC-V, which begins at `entry`.
fn elf(entry: u32, segments: &[Segment]) -> Vec<u8> {
    let mut file = b"\x7fELF\x01\x01\x01".to_vec();
    file.resize(52, 0);
    let mut put = |at: usize, bytes: &[u8]| file[at..at + bytes.len()].copy_from_slice(bytes);
    // Executable, machine, version, entry, program headers behind this one, sizes.
    put(16, &2u16.to_le_bytes());
    put(18, &243u16.to_le_bytes());
    put(20, &1u32.to_le_bytes());
    put(24, &entry.to_le_bytes());
    put(28, &52u32.to_le_bytes());
    put(40, &52u16.to_le_bytes());
    put(42, &32u16.to_le_bytes());
    put(44, &(segments.len() as u16).to_le_bytes());
    let mut at = 52 + 32 * segments.len() as u32;
    for &(kind, addr, bytes, memory) in segments {
        let words = [kind, at, addr, addr, bytes, memory, 5, 4];
        file.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        at += bytes;
    }
    file.resize(at as usize, 0x13);
    file
}

/// With some bytes replaced.
fn patched(mut file: Vec<u8>, at: usize, bytes: &[u8]) -> Vec<u8> {
    file[at..at + bytes.len()].copy_from_slice(bytes);
    file
}

pub fn cases() -> Vec<Case> {
    let code = (LOAD, 0, 256, 256);
    let good = || elf(0x80, &[code]);
    let data = 0x0800_0000;
    let files: Vec<(Vec<u8>, &[&str])> = vec![
        (Vec::new(), &["not an ELF file of 32 bits"]),
        (b"no image".to_vec(), &["not an ELF file of 32 bits"]),
        (good()[..40].to_vec(), &["not an ELF file of 32 bits"]),
        (patched(good(), 4, &[2]), &["not an ELF file of 32 bits"]),
        (patched(good(), 5, &[2]), &["not an ELF file of 32 bits"]),
        (patched(good(), 18, &[3, 0]), &["machine 3: must be 243, RISC-V"]),
        (patched(good(), 16, &[1, 0]), &["ELF type 1: must be 2, an executable"]),
        (patched(good(), 16, &[3, 0]), &["ELF type 3: must be 2"]),
        (patched(good(), 28, &[0, 0, 1, 0]), &["not an ELF file of 32 bits"]),
        (good()[..90].to_vec(), &["a segment is cut off"]),
        (patched(good(), 42, &[7, 0]), &["not an ELF file of 32 bits"]),
        (elf(0x80, &[]), &["entry 0x80", "in the code"]),
        (elf(0, &[code]), &["entry 0x0: must be 0x80"]),
        (elf(0x84, &[code]), &["entry 0x84: must be 0x80"]),
        (elf(data, &[code, (LOAD, data, 0, 64)]), &["entry 0x8000000: must be 0x80"]),
        (elf(0x80, &[(LOAD, 0x100, 64, 64)]), &["entry 0x80", "in the code"]),
        (elf(0x80, &[(6, 0, 256, 256)]), &["entry 0x80", "in the code"]),
        (
            elf(0x80, &[code, (LOAD, 0xfff0, 32, 32)]),
            &["0xfff0 to 0x10010", "the instruction memory, 0x0 to 0x10000"],
        ),
        (elf(0x80, &[(LOAD, 0, 256, 0xffff_ffff)]), &["0x0 to 0xffffffff", "0x10000"]),
        (
            elf(0x80, &[code, (LOAD, 0xffff_fff0, 32, 32)]),
            &["0xfffffff0 to 0x100000010", "the instruction memory"],
        ),
        (
            elf(0x80, &[code, (LOAD, data, 4, 4)]),
            &["0x8000000 to 0x8000004", "the instruction memory"],
        ),
        (
            elf(0x80, &[code, (LOAD, data, 0, 0x4001)]),
            &["0x8000000 to 0x8004001", "fast memory, 0x8000000 to 0x8004000"],
        ),
        (elf(0x80, &[code, (LOAD, 0x200, 0, 64)]), &["0x200 to 0x240", "fast memory"]),
        (elf(0x80, &[code, (LOAD, data, 0, 0xffff_0000)]), &["0x107ff0000", "fast memory"]),
        (elf(0x80, &[code, (LOAD, 0xfc, 64, 64)]), &["0xfc to 0x13c", "must not overlap"]),
        (
            elf(0x80, &[code, (LOAD, data, 0, 64), (LOAD, data + 60, 0, 8)]),
            &["0x800003c to 0x8000044", "must not overlap"],
        ),
    ];
    let words = "run --system cpelide-4-small --workload copy --cp iss --firmware %.elf";
    let file = |(bytes, message): (Vec<u8>, &[&str])| {
        let mut all = vec!["--firmware", ".elf"];
        all.extend(message);
        case(2, words, &all).file(".elf", bytes)
    };
    let run = "run --system cpelide-4-small --workload copy";
    let mut cases: Vec<_> = files.into_iter().map(file).collect();
    cases.extend([
        case(2, &format!("{run} --cp iss --firmware none.elf"), &["none.elf", "No such file"]),
        case(2, &format!("{run} --cp iss --firmware folder"), &["folder", "directory"]),
        case(2, &format!("{run} --firmware paper"), &["--cp native calls the firmware directly"]),
        case(2, &format!("{run} --cp native --firmware indexed"), &["needs iss, rtl or lockstep"]),
    ]);
    cases
}
