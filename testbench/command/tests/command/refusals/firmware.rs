//! Files that are no image of the firmware.

use super::{Case, case};

/// A part of an ELF file: type, address, bytes in the file, bytes in memory.
type Segment = (u32, u32, u32, u32);

const LOAD: u32 = 1;

/// What runs the image of a case.
const RUN: &str = "run --system cpelide-4-small --workload copy --cp iss --firmware %.elf";

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

/// An image of these instructions, from its entry on.
fn instructions(words: &[u32]) -> Vec<u8> {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut file = elf(0x80, &[(LOAD, 0x80, bytes.len() as u32, bytes.len() as u32)]);
    let at = file.len() - bytes.len();
    file[at..].copy_from_slice(&bytes);
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
    // Instructions, and what must be said of them.
    let lost: [(&[u32], &[&str]); 16] = [
        // Half of the word is an instruction: `c.unimp`.
        (
            &[0],
            &["traps at pc 0x80", "mcause 2, illegal instruction", "word 0x0000", "no instruct"],
        ),
        (&[!0], &["traps at pc 0x80", "mcause 2, illegal instruction", "word 0xffffffff"]),
        // addi t0, t0, 1; csrr t0, 0x8ff
        (&[0x0012_8293, 0x8ff0_22f3], &["at pc 0x84: mcause 2", "word 0x8ff022f3", "pc 0x80"]),
        (&[0x73], &["mcause 11, environment call from machine mode", "word 0x00000073"]),
        // mret into user mode, at mepc = 0, where there is no instruction.
        (&[0x3020_0073], &["traps at pc 0x0: mcause 2", "last retired: pc 0x80"]),
        (&[0x0010_0073], &["mcause 3, breakpoint", "word 0x00100073"]),
        // c.nop; c.ebreak
        (&[0x9002_0001], &["at pc 0x82: mcause 3, breakpoint", "word 0x9002"]),
        // lui t0, 0x10; jr t0
        (&[0x0001_02b7, 0x0002_8067], &["at pc 0x10000: mcause 1, instruction access fault"]),
        // lui t0, 0x90000; lw t1, 4(t0)
        (
            &[0x9000_02b7, 0x0042_a303],
            &["halts at pc 0x84: load of a word at 0x90000004, outside", "word 0x0042a303"],
        ),
        // lui t0, 0x90000; sb t1, -1(t0)
        (&[0x9000_02b7, 0xfe62_8fa3], &["store of a byte at 0x8fffffff, outside the memory map"]),
        // lui t0, 0x40000; sw t1, 1(t0): across two words
        (&[0x4000_02b7, 0x0062_a0a3], &["store of a word at 0x40000001, which is no access that"]),
        (&[0x2023], &["halts at pc 0x80: store of a word at 0x0, the instruction memory"]),
        // lui t0, 0x20000; sw x0, 0(t0)
        (&[0x2000_02b7, 0x0002_a023], &["store of a word at 0x20000000, a packet slot"]),
        // auipc ra, 0; jalr ra, 12(ra); j .; sw x0, 0(x0)
        (&[0x97, 0x00c0_80e7, 0x6f, 0x2023], &["halts at pc 0x8c: store", "last retired: pc 0x84"]),
        // beq x0, x0, 8; j .; sw x0, 0(x0)
        (&[0x0000_0463, 0x6f, 0x2023], &["halts at pc 0x88: store", "last retired: pc 0x80"]),
        // j .
        (&[0x6f], &["does not wait for a packet within 100000 cycles", "last retired: pc 0x80"]),
    ];
    let lost = lost.map(|(words, message)| (instructions(words), message));
    let file = |(bytes, message): (Vec<u8>, &[&str])| case(2, RUN, message).file(".elf", bytes);
    let run = "run --system cpelide-4-small --workload copy";
    let named = |(bytes, message): (Vec<u8>, &[&'static str])| {
        let all = [&["--firmware", ".elf"], message].concat();
        case(2, RUN, &all).file(".elf", bytes)
    };
    let mut cases: Vec<_> = files.into_iter().map(named).collect();
    cases.extend(lost.into_iter().map(file));
    cases.extend([
        case(2, &format!("{run} --cp iss --firmware none.elf"), &["none.elf", "No such file"]),
        case(2, &format!("{run} --cp iss --firmware folder"), &["folder", "directory"]),
        case(2, &format!("{run} --firmware paper"), &["--cp native calls the firmware directly"]),
        case(2, &format!("{run} --cp native --firmware indexed"), &["needs iss, rtl or lockstep"]),
    ]);
    cases
}

/// Images that wait for a packet, and cannot go on behind it.
pub fn behind_a_packet() -> Vec<Case> {
    let cases: [(i32, &[u32], &[&str]); 4] = [
        (2, &[0x73], &["the firmware of GPU 0 traps at pc 0x88: mcause 11"]),
        // lui t0, 0x90000; lw t1, 4(t0)
        (2, &[0x9000_02b7, 0x0042_a303], &["GPU 0 halts at pc 0x8c: load of a word at 0x90000004"]),
        // j .
        (3, &[0x6f], &["executes 4194304 instructions without an access", "pc 0x88"]),
        // sw x0, 0x60(t0)
        (4, &[0x0602_a023], &["GPU 0 has halted with status 0", "last retired: pc 0x84"]),
    ];
    let case = |(status, then, message): (i32, &[u32], &[&str])| {
        // lui t0, 0x40000; lw t1, 0x58(t0)
        let image = [&[0x4000_02b7, 0x0582_a303], then].concat();
        case(status, RUN, message).file(".elf", instructions(&image))
    };
    cases.into_iter().map(case).collect()
}
