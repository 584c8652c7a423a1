//! Small traces in the shapes that tracers and scripts write, and one opcode each.

use super::Imported;
use super::tests::{run, xz};
use crate::trace::{AtomicOp, Instr, InstrKind, PAGE, Reader, Totals, verify};

const COPY: &str = "MemcpyHtoD,0x00007f3a00000000,4096\n";
const LIST: &str = "MemcpyHtoD,0x00007f3a00000000,4096\nkernel-1.traceg\n";
const HEADER: &str = "-kernel name = k\n-kernel id = 1\n-grid dim = (1,1,1)\n\
    -block dim = (32,1,1)\n-shmem = 0\n-nregs = 8\n-binary version = 70\n-cuda stream id = 0\n\
    -shmem base_addr = 0x00007f3900000000\n-local mem base_addr = 0x00007f3901000000\n\
    -nvbit version = 1.7.6\n-accelsim tracer version = 3\n\n\
    #traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width\n\n";
/// A load and a store of each lane.
const COPYING: &[&str] = &[
    "0000 ffffffff 1 R4 LDG.E.SYS 1 R2 4 1 0x00007f3a00000000 4",
    "0010 ffffffff 0 STG.E.SYS 2 R2 R4 4 1 0x00007f3a00000080 4",
    "0020 ffffffff 0 EXIT 0 0",
];

/// A thread block of one warp.
fn block(at: &str, lines: &[&str]) -> String {
    let lines = format!("insts = {}\n{}", lines.len(), lines.join("\n"));
    format!("#BEGIN_TB\n\nthread block = {at}\n\nwarp = 0\n{lines}\n\n#END_TB\n\n")
}

/// A kernel of one warp.
pub fn kernel(lines: &[&str]) -> String {
    HEADER.to_string() + &block("0,0,0", lines)
}

/// With one text replaced.
fn with(text: &str, before: &str, after: &str) -> String {
    assert!(text.contains(before), "{before}");
    text.replace(before, after)
}

/// Imports one kernel.
pub fn imported(case: &str, list: &str, kernel: &str) -> (Reader, Imported) {
    let files = [("kernelslist.g", list.as_bytes()), ("kernel-1.traceg", kernel.as_bytes())];
    let (mut reader, imported) = run(case, &files).unwrap_or_else(|e| panic!("{case}: {e}"));
    verify(&mut reader).unwrap().expect_right();
    (reader, imported)
}

/// Kind, active lanes, size and first address of each instruction of a group's first warp.
fn instrs(reader: &mut Reader, group: u32) -> Vec<(InstrKind, u32, u8, u64)> {
    let group = reader.group(0, group).unwrap();
    let (mut cursor, mut instr, mut found) = (group.cursor(0), Instr::default(), Vec::new());
    while cursor.next(&group, &mut instr).unwrap() {
        let lane = instr.lanes.trailing_zeros() as usize % 64;
        found.push((instr.kind, instr.lanes.count_ones(), instr.size, instr.addrs[lane]));
    }
    found
}

/// Where the first buffer begins in a trace.
const BASE: u64 = 1 << 20;

#[test]
fn the_shapes_of_a_file_make_the_same_trace() {
    let plain = kernel(COPYING);
    let cluster =
        "thread block = 0,0,0\ncluster id = 0,0,0\ncluster cta = 0,0,0\ncluster rank = 0\n";
    let cluster = with(&plain, "thread block = 0,0,0\n", cluster);
    let cluster = with(
        &cluster,
        "version = 3\n",
        "version = 6\n-enable lineinfo = 0\n-cluster dim = (1,1,1)\n",
    );
    let numbered = with(&plain, "\n00", "\n12 00");
    let immediate = with(&with(&plain, "000 4\n", "000 4 16\n"), "080 4\n", "080 4 0\n");
    let cases = [
        ("plain", plain.clone()),
        ("a-crlf", with(&plain, "\n", "\r\n")),
        ("a-ctx-name", with(&plain, "version = 3\n", "version = 5\n-enable lineinfo = 0\n")),
        ("a-header-comment", format!("# made by a script\n\n{plain}")),
        ("a-immediate", with(&immediate, "version = 3\n", "version = 5\n-enable lineinfo = 0\n")),
        ("a-lineinfo", with(&numbered, "version = 3\n", "version = 5\n-enable lineinfo = 1\n")),
        ("a-cluster-lines", cluster),
        (
            "a-plain-hash",
            with(
                &plain,
                "#traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width",
                "#",
            ),
        ),
    ];
    let (mut reader, _) = imported("plain", LIST, &plain);
    let sum = reader.checksum();
    let expected = [(InstrKind::Load, 32, 4, BASE), (InstrKind::Store, 32, 4, BASE + 0x80)];
    assert_eq!(instrs(&mut reader, 0), expected);
    for (case, text) in cases {
        let list = if case == "a-crlf" { with(LIST, "\n", "\r\n") } else { LIST.to_string() };
        assert_eq!(imported(case, &list, &text).0.checksum(), sum, "{case}");
    }
    // a-traceg-xz and a-ctx-name: names as tracers give them.
    let packed = xz(plain.as_bytes());
    for (file, bytes) in
        [("kernel-1-ctx_0x55aa.traceg", plain.as_bytes()), ("kernel-1.traceg.xz", &packed)]
    {
        let list = format!("{COPY}{file}\n");
        let (reader, _) =
            run("names", &[("kernelslist.g", list.as_bytes()), (file, bytes)]).unwrap();
        assert_eq!(reader.checksum(), sum, "{file}");
    }
}

#[test]
fn bad_files_are_refused_where_they_are_bad() {
    let plain = kernel(COPYING);
    let format =
        "#traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width\n\n";
    let two = with(HEADER, "grid dim = (1", "grid dim = (2");
    let three = with(HEADER, "grid dim = (1", "grid dim = (3");
    let store = ["0000 00000001 0 STG.E 2 R2 R4 4 0 0x7f3a00000000"];
    let twice = two + &block("0,0,0", &store) + &block("0,0,0", &store);
    let partial = three + &block("0,0,0", COPYING) + &block("2,0,0", COPYING);
    let one = |line: &str| kernel(&[line]);
    let more = with(&one(store[0]), store[0], &format!("{0}\n{0}", store[0]));
    for (case, text, expected) in [
        (
            "a-active-width0",
            one("0000 ffffffff 1 R4 LDG.E 1 R2 0 0"),
            "kernel-1.traceg:22: expected addresses of the active lanes ffffffff of LDG.E",
        ),
        ("a-blank-only", "\n".into(), "kernel-1.traceg:2: expected a header that ends with"),
        (
            "a-block-huge",
            with(&plain, "block dim = (32,1,1)", "block dim = (1025,64,2)"),
            "a work-group of 131200 work-items; 1 to 65536",
        ),
        ("a-block-twice", twice, "kernel-1.traceg:28: expected thread block 0,0,0 once"),
        (
            "a-grid-huge",
            with(&plain, "grid dim = (1,1,1)", "grid dim = (2147483647,1,1)"),
            "kernel-1.traceg:14: expected a grid of less than 2^32 threads",
        ),
        ("a-more-insts", more, "kernel-1.traceg:23: expected thread block, warp, insts or #END_TB"),
        (
            "a-negative-shmem",
            with(&plain, "shmem = 0", "shmem = -1"),
            "kernel-1.traceg:5: expected a header line with its value, found -shmem = -1",
        ),
        ("a-no-end", with(&plain, "#END_TB", ""), "kernel-1.traceg:28: expected #END_TB"),
        (
            "a-no-format-line",
            with(&plain, format, ""),
            "kernel-1.traceg:14: expected a line that begins with # before #BEGIN_TB",
        ),
        (
            "a-partial-grid",
            partial,
            "kernel-1.traceg:40: expected 3 thread blocks, the product of grid dim, found 2",
        ),
        (
            "a-uppercase-hex",
            one("0X0000 FFFFFFFF 0 EXIT 0 0"),
            "kernel-1.traceg:22: expected a program counter",
        ),
        (
            "a-warp-outside",
            with(&plain, "warp = 0", "warp = 5"),
            "kernel-1.traceg:20: expected a warp's number below 1, found 5: work-item 160 of a \
             work-group of 32",
        ),
        (
            "version",
            with(&plain, "version = 3", "version = 2"),
            "kernel-1.traceg:12: expected an accelsim tracer version 3 to 6, found 2",
        ),
    ] {
        let files = [("kernelslist.g", LIST.as_bytes()), ("kernel-1.traceg", text.as_bytes())];
        let error = run(case, &files).err().unwrap_or_else(|| panic!("{case}")).to_string();
        assert!(error.contains(expected), "{case}: {error}");
    }
    for (case, list, expected) in [
        (
            "a-memcpy-dtod",
            "MemcpyDtoD,0x7f3a00000000,0x7f3a00001000,4096\n",
            "kernelslist.g:1: expected MemcpyHtoD",
        ),
        (
            "a-memcpy-dtoh",
            "kernel-1.traceg\nMemcpyDtoH,0x00007f3a00000000,4096\n",
            "kernelslist.g:2: expected MemcpyHtoD",
        ),
        ("a-missing-file", "kernel-2.traceg\n", "kernel-2.traceg: No such file"),
        (
            "a-raw-list",
            "MemcpyHtoD,0x00007f3a00000000,4096\nkernel-1.trace\n",
            "kernelslist.g:2: expected MemcpyHtoD",
        ),
    ] {
        let files = [("kernelslist.g", list.as_bytes()), ("kernel-1.traceg", plain.as_bytes())];
        let error = run(case, &files).err().unwrap_or_else(|| panic!("{case}")).to_string();
        assert!(error.contains(expected), "{case}: {error}");
    }
}

#[test]
fn lists_without_kernels_are_empty_traces() {
    for (case, list) in [("a-copy-only", COPY), ("a-empty-list", "\n")] {
        let (reader, _) = imported(case, list, &kernel(COPYING));
        assert_eq!((reader.kernels(), reader.totals().allocated_bytes), (0, 0), "{case}");
    }
}

#[test]
fn thread_blocks_stand_at_their_number() {
    let two = with(HEADER, "grid dim = (1", "grid dim = (2");
    let store = |at: &str| format!("0000 00000001 0 STG.E 2 R2 R4 4 0 {at}");
    let (first, second) = (store("0x7f3a00000000"), store("0x7f3a00001000"));
    let (first, second) = (block("0,0,0", &[&first]), block("1,0,0", &[&second]));
    let (mut swapped, _) = imported("a-blocks-swapped", LIST, &format!("{two}{second}{first}"));
    let expected = |at| [(InstrKind::Store, 1, 4, BASE + at)];
    assert_eq!(instrs(&mut swapped, 0), expected(0));
    assert_eq!(instrs(&mut swapped, 1), expected(0x1000));
    let (ordered, _) = imported("ordered", LIST, &format!("{two}{first}{second}"));
    assert_eq!(swapped.checksum(), ordered.checksum());
}

#[test]
fn copies_that_no_kernel_accesses_take_nothing() {
    let load = kernel(&["0000 00000001 1 R4 LDG.E 1 R2 4 0 0x7f3a00000000"]);
    let gigabyte = 1 << 30;
    let copy = |bytes: u64| format!("MemcpyHtoD,0x7f3a00000000,{bytes}\nkernel-1.traceg\n");
    for (case, bytes) in [("a-copy-1g", gigabyte), ("a-copy-huge", 99_999_999_999)] {
        let (reader, _) = imported(case, &copy(bytes), &load);
        let Totals { loads, allocated_bytes, host_written_bytes, .. } = *reader.totals();
        let pages = bytes.next_multiple_of(PAGE);
        assert_eq!((loads, allocated_bytes, host_written_bytes), (1, pages, PAGE), "{case}");
    }
    // No part of a copy is accessed: no buffer.
    let list = format!("MemcpyHtoD,0x7e0000000000,{gigabyte}\n{LIST}");
    let (reader, _) = imported("elsewhere", &list, &load);
    assert_eq!(reader.totals().allocated_bytes, PAGE);
    // What is accessed is copied, from the first to the last byte.
    let store = "0000 00000001 0 STG.E 2 R2 R4 4 0 0x7f3a00002ffc";
    let list = "MemcpyHtoD,0x7f3a00000010,12272\nkernel-1.traceg\n";
    let (reader, _) = imported("parts", list, &kernel(&[store]));
    assert_eq!(reader.totals().host_written_bytes, PAGE);
    let files = [("kernelslist.g", copy(1 << 45)), ("kernel-1.traceg", load)];
    let files = files.each_ref().map(|(name, text)| (*name, text.as_bytes()));
    let error = run("too huge", &files).err().unwrap().to_string();
    assert!(
        error.contains("kernelslist.g: a buffer of 35184372088832 bytes; 1 to 2^44"),
        "{error}"
    );
}

#[test]
fn single_accesses_have_the_width_and_lanes_that_they_should() {
    let windows =
        "-shmem base_addr = 0x00007f3900000000\n-local mem base_addr = 0x00007f3901000000\n";
    let zero = "-shmem base_addr = 0x0\n-local mem base_addr = 0x0\n";
    let load = kernel(&["0000 00000001 1 R4 LD.E 1 R2 4 0 0x1000"]);
    let far = kernel(&["0000 00000001 1 R4 LD.E 1 R2 4 0 0x7f3a00000000"]);
    let at = |line: &str| kernel(&[line]);
    let one = |addr| vec![(InstrKind::Load, 1, 4, addr)];
    for (case, text, expected) in [
        ("a-zero-windows", with(&load, windows, zero), one(BASE)),
        ("a-no-windows", with(&far, windows, ""), one(BASE)),
        ("a-zero-address", at("0000 00000001 1 R4 LDG.E 1 R2 4 0 0x0"), one(BASE)),
        ("a-misaligned", at("0000 00000001 1 R4 LDG.E 1 R2 4 0 0x7f3a00000003"), one(BASE + 3)),
        ("a-predicate-off", at("0000 00000000 1 R4 LDG.E 1 R2 4 0"), vec![]),
        ("a-predicate-off-stride", at("0000 00000000 1 R4 LDG.E 1 R2 4 1 0x0 0"), vec![]),
        ("a-predicate-off-width0", at("0000 00000000 1 R4 LDG.E 1 R2 0"), vec![]),
        (
            "a-stride-gaps",
            kernel(&[
                "0000 00000005 1 R4 LDG.E 1 R2 4 1 0x7f3a00000000 4",
                "0010 00000005 0 STG.E 1 R2 4 1 0x7f3a00000080 4",
            ]),
            vec![(InstrKind::Load, 2, 4, BASE), (InstrKind::Store, 2, 4, BASE + 0x80)],
        ),
    ] {
        let (mut reader, imported) = imported(case, "kernel-1.traceg\n", &text);
        assert_eq!(instrs(&mut reader, 0), expected, "{case}");
        assert!(imported.left_out.is_empty(), "{case}");
    }
}

#[test]
fn opcodes_have_their_class_and_width() {
    let atomic = InstrKind::Atomic;
    for (case, opcode, kind, size) in [
        ("o-atom-e-add-64", "ATOM.E.ADD.64.STRONG.GPU", atomic(AtomicOp::Add), 8),
        ("o-atom-e-dec", "ATOM.E.DEC.STRONG.GPU", atomic(AtomicOp::Add), 4),
        ("o-atom-e-inc", "ATOM.E.INC.STRONG.GPU", atomic(AtomicOp::Add), 4),
        ("o-atomg-e-add-f64-rn", "ATOMG.E.ADD.F64.RN.STRONG.GPU", atomic(AtomicOp::Exchange), 8),
        ("o-atomg-e-cas-64", "ATOMG.E.CAS.64.STRONG.SYS", atomic(AtomicOp::Exchange), 8),
        ("o-atomg-e-exch", "ATOMG.E.EXCH.STRONG.GPU", atomic(AtomicOp::Exchange), 4),
        ("o-red-e-add-64", "RED.E.ADD.64.STRONG.GPU", atomic(AtomicOp::Add), 8),
        ("o-red-e-add-f16x2-rn", "RED.E.ADD.F16x2.RN.STRONG.GPU", atomic(AtomicOp::Exchange), 4),
        ("o-red-e-add-f64-rn", "RED.E.ADD.F64.RN.STRONG.GPU", atomic(AtomicOp::Exchange), 8),
        ("o-red-e-max-s64", "RED.E.MAX.S64.STRONG.GPU", atomic(AtomicOp::Max), 8),
        ("o-redg-e-add", "REDG.E.ADD.STRONG.GPU", atomic(AtomicOp::Add), 4),
        ("o-redg-e-add-f32x2-rn", "REDG.E.ADD.F32x2.RN.STRONG.GPU", atomic(AtomicOp::Exchange), 8),
        ("o-ld-e-128", "LD.E.128", InstrKind::Load, 16),
        ("o-ldg-e-128-constant-sys", "LDG.E.128.CONSTANT.SYS", InstrKind::Load, 16),
        ("o-ldg-e-64-constant", "LDG.E.64.CONSTANT", InstrKind::Load, 8),
        ("o-ldg-e-ltc128b-128", "LDG.E.LTC128B.128", InstrKind::Load, 16),
        ("o-ldg-e-s8", "LDG.E.S8", InstrKind::Load, 1),
        ("o-ldg-e-u16", "LDG.E.U16", InstrKind::Load, 2),
    ] {
        let line = format!("0000 00000001 0 {opcode} 2 R2 R4 4 0 0x7f3a00000000");
        let (mut reader, imported) = imported(case, LIST, &kernel(&[&line]));
        assert_eq!(instrs(&mut reader, 0), [(kind, 1, size, BASE)], "{case}");
        assert!(imported.left_out.is_empty(), "{case}");
    }
    for (case, opcode, expected) in [
        ("o-ldg-e-256", "LDG.E.256", "an access of at most 16 bytes, found LDG.E.256 of 32"),
        ("o-barrier", "BARRIER", "an opcode that the table of SASS opcodes has, found BARRIER"),
    ] {
        let line = format!("0000 00000001 0 {opcode} 2 R2 R4 4 0 0x7f3a00000000");
        let text = kernel(&[&line]);
        let files = [("kernelslist.g", LIST.as_bytes()), ("kernel-1.traceg", text.as_bytes())];
        let error = run(case, &files).err().unwrap().to_string();
        assert!(
            error.contains(&format!("kernel-1.traceg:22: expected {expected}")),
            "{case}: {error}"
        );
    }
}

#[test]
fn what_stands_between_accesses_orders_them_or_is_counted() {
    let (store, load) = ((InstrKind::Store, 32, 4, BASE), (InstrKind::Load, 32, 4, BASE));
    let barrier = Some(InstrKind::Barrier);
    for (case, opcode, between, left_out) in [
        ("o-bar-red-popc", "BAR.RED.POPC", barrier, None),
        ("o-bar-sync-defer_blocking", "BAR.SYNC.DEFER_BLOCKING", barrier, None),
        ("o-membar-sc-gpu", "MEMBAR.SC.GPU", Some(InstrKind::Fence), None),
        ("o-cctl-ivall", "CCTL.IVALL", None, None),
        ("o-errbar", "ERRBAR", None, None),
        ("o-fence-view-async", "FENCE.VIEW.ASYNC", None, None),
        ("o-syncs-arrive", "SYNCS.ARRIVE", None, Some("SYNCS")),
        ("o-ucgabar_wait", "UCGABAR_WAIT", None, Some("UCGABAR_WAIT")),
        ("bar-arv", "BAR.ARV", None, Some("BAR.ARV")),
        ("o-ldgsts-e-bypass-ltc128b-128", "LDGSTS.E.BYPASS.LTC128B.128", None, Some("LDGSTS")),
    ] {
        let between_line = format!("0010 ffffffff 0 {opcode} 0 0");
        let text = kernel(&[
            "0000 ffffffff 0 STG.E 2 R2 R4 4 1 0x7f3a00000000 4",
            &between_line,
            "0020 ffffffff 1 R4 LDG.E 1 R2 4 1 0x7f3a00000000 4",
        ]);
        let (mut reader, imported) = imported(case, LIST, &text);
        let found = instrs(&mut reader, 0);
        let kinds: Vec<InstrKind> = found.iter().map(|instr| instr.0).collect();
        let expected: Vec<InstrKind> =
            [Some(store.0), between, Some(load.0)].into_iter().flatten().collect();
        assert_eq!(kinds, expected, "{case}");
        assert_eq!((found[0], *found.last().unwrap()), (store, load), "{case}");
        let expected = left_out.map(|name| (name.to_string(), 32));
        assert_eq!(imported.left_out, expected.into_iter().collect(), "{case}");
    }
}

#[test]
fn fields_that_are_not_known_and_streams_are_reported() {
    let text = with(&kernel(COPYING), "stream id = 0\n", "stream id = 94\n-colour = blue\n");
    let (_, imported) = imported("notes", LIST, &text);
    assert_eq!(imported.unknown, ["colour".to_string()].into());
    assert_eq!(imported.streams, [94].into());
}
