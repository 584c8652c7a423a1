//! First uses and work of small kernels, worked out by hand.

use super::cases::{imported, kernel};
use super::tests::run;
use crate::trace::FirstUse::{self, After, Never, Unknown};
use crate::trace::{Chain, Instr, InstrKind, Work};

const LIST: &str = "MemcpyHtoD,0x00007f3a00000000,4096\nkernel-1.traceg\n";
/// The end of a line: addresses of 32 lanes.
const AT: &str = "1 0x00007f3a00000000 16";

/// The lines of all 32 lanes, with a program counter each. `@` stands for addresses, and
/// `MASK: LINE` for a line of other lanes.
fn lines(texts: &[&str]) -> Vec<String> {
    let number = |(at, text): (usize, &&str)| {
        let (mask, text) = text.split_once(": ").unwrap_or(("ffffffff", text));
        format!("{:04x} {mask} {}", 16 * at, text.replace('@', AT))
    };
    texts.iter().enumerate().map(number).collect()
}

fn kernel_of(texts: &[&str]) -> String {
    let lines = lines(texts);
    kernel(&lines.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Kind, work and first use of each instruction of the trace's first warp.
fn instrs(kernel: &str) -> Vec<(InstrKind, Work, FirstUse)> {
    let (mut reader, _) = imported("first-uses", LIST, kernel);
    let group = reader.group(0, 0).unwrap();
    let (mut cursor, mut instr, mut found) = (group.cursor(0), Instr::default(), Vec::new());
    while cursor.next(&group, &mut instr).unwrap() {
        found.push((instr.kind, instr.work, instr.first_use));
    }
    found
}

/// First use of each access, of what the first warp executes.
fn first_uses(texts: &[&str]) -> Vec<FirstUse> {
    let all = instrs(&kernel_of(texts)).into_iter();
    let accesses = all.filter(|found| !matches!(found.0, InstrKind::Barrier | InstrKind::Fence));
    accesses.map(|found| found.2).collect()
}

/// Work before a store behind these lines.
fn work(texts: &[&str]) -> Work {
    let all = [texts, &["0 STG.E 2 R2 R60 4 @"]].concat();
    instrs(&kernel_of(&all)).last().unwrap().1
}

fn chain(arithmetic: u32, special: u32, local: u32) -> Chain {
    Chain { arithmetic, special, local }
}

const LOAD: &str = "1 R4 LDG.E 1 R2 4 @";
const OTHER: &str = "1 R8 MOV 1 R9 0";
const READ: &str = "1 R5 FADD 2 R9 R4 0";

#[test]
fn the_first_instruction_that_reads_the_register_counts() {
    assert_eq!(first_uses(&[LOAD, READ]), [After(1)]);
    assert_eq!(first_uses(&[LOAD, OTHER, OTHER, READ, READ]), [After(3)]);
    assert_eq!(first_uses(&[OTHER, LOAD, OTHER, OTHER]), [Never]);
    // Two loads in flight; the second is the first one's second instruction.
    let other = "1 R6 LDG.E 1 R2 4 @";
    assert_eq!(first_uses(&[LOAD, OTHER, other, READ, "1 R5 FADD 1 R6 0"]), [After(3), After(2)]);
    // The value may go on: what reads it is the first use.
    assert_eq!(first_uses(&[LOAD, "1 R5 MOV 1 R4 0", "1 R6 FADD 1 R5 0"]), [After(1)]);
    // An instruction that writes what it reads.
    assert_eq!(first_uses(&[LOAD, OTHER, "1 R4 FADD 2 R4 R4 0", READ]), [After(2)]);
}

#[test]
fn wide_loads_write_several_registers() {
    let [two, four] = ["1 R4 LDG.E.64 1 R2 8 @", "1 R4 LDG.E.128 1 R2 16 @"];
    let third = "1 R10 FADD 2 R6 R9 0";
    assert_eq!(first_uses(&[four, OTHER, third, READ]), [After(2)]);
    assert_eq!(first_uses(&[two, OTHER, third, "1 R10 FADD 1 R5 0"]), [After(3)]);
    assert_eq!(first_uses(&[LOAD, "1 R10 FADD 1 R5 0"]), [Never]);
    assert_eq!(first_uses(&[four, "1 R10 FADD 1 R8 0"]), [Never]);
    // A part that is overwritten leaves the others.
    assert_eq!(first_uses(&[four, "1 R4 MOV 1 R9 0", READ, "1 R10 FADD 1 R7 0"]), [After(3)]);
    // Operands of 64 bits.
    assert_eq!(first_uses(&[LOAD, "1 R10 DADD 2 R8 R3 0"]), [After(1)]);
    assert_eq!(first_uses(&[LOAD, "1 R3 DADD 2 R8 R12 0", READ]), [Never]);
    assert_eq!(first_uses(&[LOAD, "1 R10 IMAD.WIDE 3 R8 R9 R3 0"]), [After(1)]);
    assert_eq!(first_uses(&[LOAD, "1 R10 IMAD.HI 3 R8 R9 R3 0"]), [After(1)]);
    assert_eq!(first_uses(&[LOAD, "1 R3 IMAD.HI 3 R8 R9 R6 0", READ]), [After(2)]);
    assert_eq!(first_uses(&[LOAD, "1 R10 F2F.BF16.F64 1 R3 0"]), [After(1)]);
    assert_eq!(first_uses(&[LOAD, "1 R3 F2F.BF16.F64 1 R8 0", READ]), [After(2)]);
    // Of two sources the last may be the sum.
    assert_eq!(first_uses(&[LOAD, "1 R10 IMAD.WIDE 2 R8 R3 0"]), [After(1)]);
    assert_eq!(first_uses(&[LOAD, "1 R10 IMAD.WIDE 2 R3 R8 0"]), [Never]);
}

#[test]
fn a_value_that_is_overwritten_before_it_is_read_is_not_used() {
    assert_eq!(first_uses(&[LOAD, "1 R4 MOV 1 R9 0", READ]), [Never]);
    assert_eq!(first_uses(&[LOAD, LOAD, READ]), [Never, After(1)]);
    for zero in ["RZ", "R255"] {
        let load = LOAD.replace("R4", zero);
        assert_eq!(first_uses(&[&load, &READ.replace("R4", zero)]), [Never], "{zero}");
    }
    // A destination that a line does not name.
    assert_eq!(first_uses(&["0 LDG.E 1 R2 4 @", READ]), [Never]);
}

#[test]
fn accesses_read_their_data_and_address() {
    let store = "0 STG.E 2 R2 R4 4 @";
    assert_eq!(first_uses(&[LOAD, OTHER, store]), [After(2), Unknown]);
    // R6 is data of 16 bytes at R3.
    let wide = "0 STG.E.128 2 R10 R3 16 @";
    assert_eq!(first_uses(&[LOAD, wide]), [After(1), Unknown]);
    assert_eq!(first_uses(&[LOAD, "0 STS 2 R8 R4 4 @"]), [After(1)]);
    let of_address = |name| format!("1 R6 {name} 1 R4 4 @");
    assert_eq!(first_uses(&[LOAD, &of_address("LDG.E")]), [After(1), Never]);
    // An address of 64 bits is a pair, one of 32 bits is not.
    let upper = |name| format!("1 R6 {name} 1 R3 4 @");
    assert_eq!(first_uses(&[LOAD, &upper("LDG.E")]), [After(1), Never]);
    assert_eq!(first_uses(&[LOAD, &upper("LDG")]), [Never, Never]);
}

#[test]
fn atomics_return_a_value_or_none() {
    let atomic = "1 R4 ATOMG.E.ADD.STRONG.GPU 2 R2 R6 4 @";
    // The tracer's line: a predicate stands before the destination.
    let traced = "0 ATOMG.E.ADD.STRONG.GPU 3 R4 R2 R6 4 @";
    let reduction = "0 REDG.E.ADD.STRONG.GPU 2 R2 R4 4 @";
    for line in [atomic, traced] {
        let text = line.replace("0x00007f3a00000000 16", "0x00007f3a00000000 4");
        assert_eq!(first_uses(&[&text, OTHER, READ]), [After(2)], "{line}");
        assert_eq!(first_uses(&[&text, OTHER]), [Never], "{line}");
    }
    assert_eq!(first_uses(&[reduction, READ]), [Never]);
    assert_eq!(first_uses(&[LOAD, OTHER, reduction]), [After(2), Never]);
    assert_eq!(first_uses(&[LOAD, &atomic.replace("R6", "R4")]), [After(1), Never]);
}

#[test]
fn what_is_read_before_a_barrier_is_needed_there() {
    let barrier = "0 BAR.SYNC 0 0";
    // The import places the instructions before a barrier behind it.
    let used = |texts: &[&str]| first_uses(texts)[0];
    assert_eq!(used(&[LOAD, OTHER, OTHER, READ, barrier, OTHER]), After(1));
    assert_eq!(used(&[LOAD, barrier, READ]), After(2));
    assert_eq!(used(&[LOAD, OTHER, barrier, OTHER, READ]), After(4));
    // A store between: the instructions before it keep their place.
    let store = "0 STG.E 2 R2 R12 4 @";
    assert_eq!(used(&[LOAD, OTHER, READ, store, OTHER, barrier]), After(2));
    assert_eq!(used(&[LOAD, OTHER, store, OTHER, READ, barrier]), After(3));
    assert_eq!(used(&[LOAD, OTHER, store, barrier, OTHER, READ]), After(5));
    // A barrier that one lane stands for is all lanes'.
    assert_eq!(used(&[LOAD, "00000001: 0 BAR.SYNC 0 0", READ]), After(2));
    assert_eq!(used(&[LOAD, "00000000: 0 BAR.SYNC 0 0", READ]), After(1));
    // The barrier reads.
    assert_eq!(used(&[LOAD, OTHER, "0 BAR.SYNC 1 R4 0"]), After(1));
    // A store at an address in a uniform register: R8 and R9 are the data.
    let [low, high] = ["1 R8 LDG.E 1 R2 4 @", "1 R9 LDG.E 1 R2 4 @"];
    let store = "0 STS.64 1 R8 8 @";
    let other = "1 R12 MOV 1 R13 0";
    assert_eq!(first_uses(&[low, high, other, store, barrier]), [After(2), After(1)]);
    assert_eq!(first_uses(&[low, high, other, store]), [After(3), After(2)]);
    // A fence counts as itself and as an instruction of the gap.
    let fence = "0 MEMBAR.SC.GPU 0 0";
    assert_eq!(used(&[LOAD, OTHER, READ, fence]), After(1));
    assert_eq!(used(&[LOAD, fence, READ]), After(3));
}

#[test]
fn lanes_read_what_they_have_loaded() {
    let of = |mask: &str, text: &str| format!("{mask}: {text}");
    let (low, high) = ("0000ffff", "ffff0000");
    assert_eq!(first_uses(&[LOAD, OTHER, &of(low, READ)]), [After(2)]);
    // No lane is active.
    assert_eq!(first_uses(&[LOAD, &of("00000000", READ), OTHER, READ]), [After(2)]);
    // The lanes that execute another path count its instructions.
    let overwrite = of(high, "1 R4 MOV 1 R9 0");
    assert_eq!(first_uses(&[&of(low, LOAD), &overwrite, READ]), [After(1)]);
    assert_eq!(first_uses(&[LOAD, &overwrite, &of(high, READ)]), [Never]);
    assert_eq!(first_uses(&[LOAD, &overwrite, READ]), [After(1)]);
    // Each half loads to the same register.
    let halves = [of(low, LOAD), of(high, OTHER), of(high, LOAD), READ.to_string()];
    let halves: Vec<&str> = halves.iter().map(String::as_str).collect();
    assert_eq!(first_uses(&halves), [After(1), After(1)]);
}

#[test]
fn lanes_of_one_line_may_differ() {
    // Lane 0 comes twice to the place to which lane 2 comes once: it is alone the second time.
    let load = |mask: &str, of: &str| format!("0000 {mask} 1 R4 LDG.E 1 R2 4 {of}");
    let both = "0 0x7f3a00000000 0x7f3a00000000";
    let [once, twice] = [load("00000001", "0 0x7f3a00000000"), load("00000005", both)];
    let other = "0010 00000001 1 R8 MOV 1 R9 0";
    let texts = [&once, other, &twice, "0020 00000004 1 R5 FADD 1 R4 0"];
    let found = instrs(&kernel(&texts));
    let step = Work { chain: chain(1, 0, 0), ..Work::of(1) };
    let load = InstrKind::Load;
    assert_eq!(found, [(load, Work::default(), After(1)), (load, step, Never)]);
    // A lane that is not the first has more to do.
    assert_eq!(work(&["ffff0000: 1 R8 MOV 1 R9 0", "80000000: 1 R8 MOV 1 R8 0"]).instructions, 2);
}

#[test]
fn predicates_are_registers_of_their_own() {
    let set = "1 P0 ISETP.GE.AND 2 R4 R9 0";
    assert_eq!(first_uses(&[LOAD, OTHER, set, READ]), [After(2)]);
    // P4 and UR4 are not R4.
    assert_eq!(first_uses(&[LOAD, "1 P4 PLOP3 1 UR4 0", "1 UR4 UMOV 1 P4 0", READ]), [After(3)]);
    assert_eq!(work(&[set, "1 R5 SEL 2 R8 P0 0"]).chain, chain(2, 0, 0));
    assert_eq!(work(&["1 PT ISETP 1 R4 0", "1 R5 SEL 2 R8 PT 0"]).chain, chain(1, 0, 0));
}

#[test]
fn warps_have_registers_of_their_own() {
    let kernel = |first: &[&str], second: &[&str]| {
        let warp = |number: u32, texts: &[&str]| {
            let lines = lines(texts);
            format!("warp = {number}\ninsts = {}\n{}\n", lines.len(), lines.join("\n"))
        };
        let one = kernel_of(&[]).replace("block dim = (32", "block dim = (64");
        one.replace("warp = 0\ninsts = 0\n", &(warp(0, first) + &warp(1, second)))
    };
    let uses = |first: &[&str], second: &[&str]| -> Vec<FirstUse> {
        instrs(&kernel(first, second)).into_iter().map(|found| found.2).collect()
    };
    assert_eq!(uses(&[LOAD], &[READ]), [Never]);
    assert_eq!(uses(&[LOAD, OTHER, READ], &[]), [After(2)]);
    // Both are one warp of the trace: the earlier use, and the most work.
    assert_eq!(uses(&[LOAD, OTHER, OTHER, READ], &[LOAD, OTHER, READ]), [After(2)]);
    assert_eq!(uses(&[LOAD, READ], &[LOAD]), [After(1)]);
    let store = "0 STG.E 2 R2 R12 4 @";
    let both = kernel(&[OTHER, OTHER, store], &[OTHER, "1 R8 MUFU.RCP 1 R8 0", store]);
    let found = instrs(&both);
    let expected = Work { instructions: 2, special: 1, chain: chain(1, 1, 0), ..Work::default() };
    assert_eq!(found, [(InstrKind::Store, expected, Unknown)]);
}

#[test]
fn work_counts_instructions_by_class() {
    let special = "1 R5 MUFU.RSQ 1 R4 0";
    let load = "1 R4 LDS 1 R2 4 1 0x0 4";
    let conflicts = "0 STS 2 R2 R5 4 1 0x0 8";
    let all = work(&[load, special, "1 R6 FADD 2 R5 R5 0", conflicts, OTHER]);
    let chain = chain(0, 1, 2);
    assert_eq!(all, Work { instructions: 5, special: 1, local: 2, passes: 3, chain });
    // Matrices and numbers of 64 bits are arithmetic.
    let all = work(&["1 R4 HMMA.16816.F32 3 R8 R12 R4 0", "1 R6 DADD 2 R16 R16 0"]);
    assert_eq!(all, Work { instructions: 2, chain: self::chain(1, 0, 0), ..Work::default() });
    // What the import leaves out, and lines without active lanes, as before.
    let all = work(&["1 R6 LDC 1 R2 4 @", "0 LDGSTS.E.128 2 R2 R8 16 @", "00000000: 0 NOP 0 0"]);
    assert_eq!(all, Work { instructions: 2, chain: self::chain(1, 0, 0), ..Work::default() });
}

#[test]
fn the_longest_chain_of_a_stretch_counts() {
    let of = |texts: &[&str]| work(texts).chain;
    let add = |to: &str, from: &str| format!("1 {to} FADD 2 {from} R50 0");
    let [a, b, c] = [add("R5", "R4"), add("R6", "R5"), add("R7", "R6")];
    assert_eq!(of(&[&a, &b, &c]), chain(3, 0, 0));
    assert_eq!(of(&[&c, &b, &a]), chain(1, 0, 0));
    assert_eq!(of(&[&a, OTHER, &b, OTHER]), chain(2, 0, 0));
    // Of two chains the one of more cycles.
    let special = "1 R10 MUFU.RCP 1 R9 0";
    assert_eq!(of(&[&a, &b, &c, special]), chain(0, 1, 0));
    assert_eq!(of(&[&a, &b, &c, special, "1 R11 FADD 2 R7 R10 0"]), chain(1, 1, 0));
    // An access ends the stretch, and begins none: its value has no chain.
    assert_eq!(of(&[&a, LOAD, &b, &c]), chain(2, 0, 0));
    assert_eq!(of(&[&a, &b, "1 R6 LDG.E 1 R6 4 @", &c]), chain(1, 0, 0));
    // A barrier and a fence end none, as the gap goes on.
    assert_eq!(of(&[&a, "0 BAR.SYNC 0 0", &b]), chain(2, 0, 0));
    assert_eq!(of(&[&a, "0 MEMBAR.SC.GPU 0 0", &b]), chain(2, 0, 0));
    assert_eq!(work(&[&a, "0 MEMBAR.SC.GPU 0 0", &b]).instructions, 3);
    // The upper half of a product is read.
    assert_eq!(of(&["1 R4 IMAD.WIDE 2 R8 R9 0", "1 R5 FADD 1 R5 0"]), chain(2, 0, 0));
    // Without registers: no instruction waits for another.
    assert_eq!(of(&["0 NOP 0 0", "0 BRA 0 0"]), chain(1, 0, 0));
}

#[test]
fn lanes_in_windows_are_no_accesses_but_read_registers() {
    // 16 lanes access shared memory, 16 global memory.
    let addrs: Vec<String> = (0u64..32)
        .map(|lane| [0x7f39_0000_0000, 0x7f3a_0000_0000][lane as usize / 16] + 4 * lane)
        .map(|addr| format!("{addr:#x}"))
        .collect();
    let generic = format!("1 R6 LD.E 1 R4 4 0 {}", addrs.join(" "));
    let found = instrs(&kernel_of(&[LOAD, OTHER, &generic, "1 R5 FADD 1 R6 0", READ]));
    let uses: Vec<FirstUse> = found.iter().map(|found| found.2).collect();
    assert_eq!(uses, [After(2), After(1)]);
    assert_eq!(found[1].1, Work { chain: chain(1, 0, 0), ..Work::of(1) });
    // All lanes access shared memory: the line is none of the trace's instructions.
    let shared = "1 R6 LD.E 1 R12 4 1 0x7f3900000000 4";
    assert_eq!(first_uses(&[LOAD, shared, READ]), [After(1)]);
    assert_eq!(work(&[OTHER, shared, OTHER]).instructions, 2);
    assert_eq!(first_uses(&[LOAD, &shared.replace("R12", "R4"), READ]), [After(1)]);
}

#[test]
fn stores_with_a_destination_return_nothing() {
    assert_eq!(first_uses(&["1 R4 STG.E 2 R2 R6 4 @", READ]), [Unknown]);
}

#[test]
fn registers_that_are_none_are_refused_where_they_stand() {
    for (text, expected) in [
        ("1 X4 LDG.E 1 R2 4 @", "a register, as R4, RZ, UR4 or P0, found X4"),
        ("1 R4 LDG.E 1 R999 4 @", "a register, as R4, RZ, UR4 or P0, found R999"),
        ("2 R4 LDG.E 1 R2 4 @", "a register, as R4, RZ, UR4 or P0, found LDG.E"),
        ("65 R4 LDG.E 1 R2 4 @", "a number of registers, 0 to 64, found 65"),
        ("1 R4 FADD 2 R\u{e9} R4 0", "a register, as R4, RZ, UR4 or P0, found R\u{e9}"),
    ] {
        let kernel = kernel_of(&[OTHER, text]);
        let files = [("kernelslist.g", LIST.as_bytes()), ("kernel-1.traceg", kernel.as_bytes())];
        let error = run("registers", &files).err().unwrap().to_string();
        let expected = format!("kernel-1.traceg:23: expected {expected}");
        assert!(error.ends_with(&expected), "{text}: {error}");
    }
}
