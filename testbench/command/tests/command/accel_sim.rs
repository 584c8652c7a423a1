//! `duet trace import accel-sim` as other programs see it.

use std::fs;
use std::path::Path;

use crate::desk::Desk;

const HEADER: &str = "-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-shmem = 0\n\
    -cuda stream id = 7\n-accelsim tracer version = 3\n#\n";
const LINES: &[&str] = &[
    "0000 00000001 1 R4 LDG.E 1 R2 4 0 0x7f3a00000000",
    "0010 ffffffff 1 R4 LDGSTS.E.BYPASS.128 1 R2 16 1 0x7f3a00000000 16",
    "0020 0000000f 1 R4 LDS 1 R2 4 1 0x0 4",
];

fn kernel(header: &str) -> String {
    let block = "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\n";
    format!("{header}{block}insts = {}\n{}\n#END_TB\n", LINES.len(), LINES.join("\n"))
}

#[test]
fn the_last_line_counts_what_is_left_out() {
    let desk = Desk::on_any_build("accel-sim-left-out");
    fs::write(desk.file("kernelslist.g"), "kernel-1.traceg\n").unwrap();
    fs::write(desk.file("kernel-1.traceg"), kernel(HEADER)).unwrap();
    let left = desk.duet("trace import accel-sim kernelslist.g -o out.trace");
    assert_eq!((left.status, left.stderr.as_str()), (0, ""));
    assert!(left.last_line().contains(" 1 loads "), "{}", left.stdout);
    assert!(left.last_line().ends_with(", left out: 32 LDGSTS, 4 LDS"), "{}", left.stdout);
}

#[test]
fn what_an_import_changes_is_a_warning() {
    let desk = Desk::on_any_build("accel-sim-warning");
    fs::write(desk.file("kernelslist.g"), "kernel-1.traceg\nkernel-2.traceg\n").unwrap();
    fs::write(desk.file("kernel-1.traceg"), kernel(HEADER)).unwrap();
    let other = HEADER.replace("stream id = 7", "stream id = 8\n-colour = blue");
    fs::write(desk.file("kernel-2.traceg"), kernel(&other)).unwrap();
    let left = desk.duet("trace import accel-sim kernelslist.g -o out.trace");
    assert_eq!(left.status, 0, "{}", left.stderr);
    for words in ["kernels of 2 CUDA streams run one after another", "`-colour` is not known"] {
        assert!(left.stderr.contains(words), "{}", left.stderr);
    }
}

/// Cases in a folder beside the tree: exit status, and words of the last line. Their shapes stand
/// in the tests of `traces`, too.
const CASES: &[(&str, i32, &str)] = &[
    ("a-active-width0", 2, "kernel-1.traceg:22: expected addresses of the active lanes"),
    ("a-blank-only", 2, "kernel-1.traceg:2: expected a header that ends"),
    ("a-block-huge", 2, "a work-group of 131200 work-items; 1 to 65536"),
    ("a-block-twice", 2, "kernel-1.traceg:28: expected thread block 0,0,0 once"),
    ("a-blocks-swapped", 0, "2 work-groups, 0 loads (1.000 determined), 2 stores, 0 atomics"),
    ("a-cluster-lines", 0, COPYING),
    ("a-copy-1g", 0, "1 loads (1.000 determined), 0 stores"),
    ("a-copy-huge", 0, COPYING),
    ("a-copy-only", 2, "no work-group in 0 kernels: nothing ran"),
    ("a-crlf", 0, COPYING),
    ("a-ctx-name", 0, COPYING),
    ("a-empty-list", 2, "no work-group in 0 kernels: nothing ran"),
    ("a-grid-huge", 2, "kernel-1.traceg:14: expected a grid of less than 2^32 threads"),
    ("a-header-comment", 0, COPYING),
    ("a-immediate", 0, COPYING),
    ("a-lineinfo", 0, COPYING),
    ("a-memcpy-dtod", 2, "kernelslist.g:1: expected MemcpyHtoD"),
    ("a-memcpy-dtoh", 2, "kernelslist.g:3: expected MemcpyHtoD"),
    ("a-misaligned", 0, "1 loads (1.000 determined), 0 stores"),
    ("a-missing-file", 2, "kernel-2.traceg: No such file"),
    ("a-more-insts", 2, "kernel-1.traceg:23: expected thread block, warp, insts or #END_TB"),
    ("a-negative-shmem", 2, "kernel-1.traceg:5: expected a header line with its value"),
    ("a-no-end", 2, "kernel-1.traceg:27: expected #END_TB"),
    ("a-no-format-line", 2, "kernel-1.traceg:14: expected a line that begins with #"),
    ("a-no-windows", 0, "1 loads (1.000 determined), 0 stores"),
    ("a-partial-grid", 2, "kernel-1.traceg:40: expected 3 thread blocks, the product of grid dim"),
    ("a-plain-hash", 0, COPYING),
    ("a-predicate-off", 0, "0 loads (1.000 determined), 0 stores"),
    ("a-predicate-off-stride", 0, "0 loads (1.000 determined), 0 stores"),
    ("a-predicate-off-width0", 0, "0 loads (1.000 determined), 0 stores"),
    ("a-raw-list", 2, "kernelslist.g:2: expected MemcpyHtoD"),
    ("a-stride-gaps", 0, "2 loads (1.000 determined), 2 stores"),
    ("a-traceg-xz", 0, COPYING),
    ("a-uppercase-hex", 2, "kernel-1.traceg:22: expected a program counter"),
    ("a-warp-outside", 2, "work-item 160 of a work-group of 32"),
    ("a-zero-address", 0, "1 loads (1.000 determined), 0 stores"),
    ("a-zero-windows", 0, "1 loads (1.000 determined), 0 stores"),
    ("o-atom-e-add-64", 0, ATOMIC),
    ("o-atom-e-dec", 0, ATOMIC),
    ("o-atom-e-inc", 0, ATOMIC),
    ("o-atomg-e-add-f64-rn", 0, ATOMIC),
    ("o-atomg-e-cas-64", 0, ATOMIC),
    ("o-atomg-e-exch", 0, ATOMIC),
    ("o-bar-red-popc", 0, COPYING),
    ("o-bar-sync-defer_blocking", 0, COPYING),
    ("o-barrier", 2, "kernel-1.traceg:23: expected an opcode that the table of SASS opcodes has"),
    ("o-cctl-ivall", 0, COPYING),
    ("o-errbar", 0, COPYING),
    ("o-fence-view-async", 0, COPYING),
    ("o-ld-e-128", 0, "1 loads (1.000 determined), 0 stores"),
    ("o-ldg-e-128-constant-sys", 0, "1 loads (1.000 determined), 0 stores"),
    ("o-ldg-e-256", 2, "kernel-1.traceg:22: expected an access of at most 16 bytes"),
    ("o-ldg-e-64-constant", 0, "1 loads (1.000 determined), 0 stores"),
    ("o-ldg-e-ltc128b-128", 0, "1 loads (1.000 determined), 0 stores"),
    ("o-ldg-e-s8", 0, "1 loads (1.000 determined), 0 stores"),
    ("o-ldg-e-u16", 0, "1 loads (1.000 determined), 0 stores"),
    ("o-ldgsts-e-bypass-ltc128b-128", 0, ", left out: 1 LDGSTS"),
    ("o-membar-sc-gpu", 0, COPYING),
    ("o-red-e-add-64", 0, ATOMIC),
    ("o-red-e-add-f16x2-rn", 0, ATOMIC),
    ("o-red-e-add-f64-rn", 0, ATOMIC),
    ("o-red-e-max-s64", 0, ATOMIC),
    ("o-redg-e-add", 0, ATOMIC),
    ("o-redg-e-add-f32x2-rn", 0, ATOMIC),
    ("o-syncs-arrive", 0, ", left out: 32 SYNCS"),
    ("o-ucgabar_wait", 0, ", left out: 32 UCGABAR_WAIT"),
];
const COPYING: &str = "32 loads (1.000 determined), 32 stores, 0 atomics";
const ATOMIC: &str = "0 loads (1.000 determined), 0 stores, 1 atomics";

#[test]
fn cases_beside_the_tree_end_as_they_should() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/cases");
    if !folder.is_dir() {
        eprintln!("skipped: there is no {}", folder.display());
        return;
    }
    let desk = Desk::on_any_build("accel-sim-cases");
    let sums = CASES.iter().filter(|(name, ..)| folder.join(name).is_dir()).map(|case| {
        let &(name, status, words) = case;
        let copy = desk.file(name);
        fs::create_dir(&copy).unwrap();
        for entry in fs::read_dir(folder.join(name)).unwrap().map(Result::unwrap) {
            fs::write(copy.join(entry.file_name()), fs::read(entry.path()).unwrap()).unwrap();
        }
        let command = format!("trace import accel-sim {name}/kernelslist.g -o {name}.trace");
        let left = desk.duet(&command);
        assert_eq!(left.status, status, "{name}: {}{}", left.stdout, left.stderr);
        assert!(left.last_line().contains(words), "{name}: {}", left.stdout);
        if let Ok(trace) = fs::metadata(desk.file(&format!("{name}.trace"))) {
            assert!(trace.len() < 1 << 16, "{name}: {} bytes", trace.len());
        }
        let sum = left.last_line().split_once("checksum ").map(|(_, sum)| sum[..16].to_string());
        (name, sum)
    });
    let sums: Vec<(&str, Option<String>)> = sums.collect();
    let sum = |name| sums.iter().find(|found| found.0 == name).and_then(|found| found.1.clone());
    // The same kernel, compressed.
    assert_eq!(sum("a-traceg-xz"), sum("a-immediate"));
}
