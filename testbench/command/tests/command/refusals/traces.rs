//! Traces that are damaged or hold nothing, and traces of Accel-Sim.

use traces::trace::{Record, Recorder};

use super::{Case, case, crc32};
use crate::two_gpus::kept_trace;

/// A trace whose first bytes are these, with the checksum that they should have.
fn headed(magic: &[u8; 8], version: u32) -> Vec<u8> {
    let mut trace = kept_trace();
    trace[..8].copy_from_slice(magic);
    trace[8..12].copy_from_slice(&version.to_le_bytes());
    let sum = crc32(&trace[..12]);
    trace[12..16].copy_from_slice(&sum.to_le_bytes());
    trace
}

/// With one bit inverted; from the end where `at` is negative.
fn flipped(at: isize) -> Vec<u8> {
    let mut trace = kept_trace();
    let at = if at < 0 { trace.len() - at.unsigned_abs() } else { at as usize };
    trace[at] ^= 1;
    trace
}

/// Whole, but nothing runs in them.
fn idle() -> [(&'static str, Vec<u8>); 2] {
    let nothing = Recorder::in_memory("nothing").unwrap();
    let mut buffer = Recorder::in_memory("buffer").unwrap();
    let addr = buffer.alloc("a", 64).unwrap();
    buffer.host_write(addr, &[1; 64]).unwrap();
    [("nothing", nothing.into_bytes().unwrap()), ("buffer", buffer.into_bytes().unwrap())]
}

fn damaged() -> Vec<(Vec<u8>, &'static str)> {
    let whole = kept_trace();
    let n = whole.len();
    vec![
        (Vec::new(), "offset 0: expected a trace, of at least 16 bytes"),
        (whole[..15].to_vec(), "offset 15: expected a trace, of at least 16 bytes"),
        (whole[..20].to_vec(), "expected a trailer; the file is cut off"),
        (whole[..n / 2].to_vec(), "expected"),
        (whole[..n - 1].to_vec(), "expected"),
        (whole[..n - 32].to_vec(), "expected"),
        ([&whole[..], b"\n"].concat(), "expected"),
        ([&whole[..16], &whole[n - 32..]].concat(), "expected"),
        (vec![0; 4096], "begins with"),
        (b"a text that is somewhat longer than a head\n".to_vec(), "begins with"),
        (flipped(0), "offset 0: expected a trace, which begins with"),
        (flipped(8), "offset 12: expected the checksum of magic and version"),
        (flipped(12), "offset 12: expected the checksum of magic and version"),
        (headed(b"DUETTRC\n", 1), "expected format version 2 to 5, the file has version 1"),
        (headed(b"DUETTRC\n", 6), "expected format version 2 to 5, the file has version 6"),
        (headed(b"duettrc\n", 2), "offset 0: expected a trace, which begins with"),
        (flipped(16), "expected"),
        (flipped(20), "expected"),
        (flipped(28), "expected"),
        (flipped(40), "expected"),
        (flipped(n as isize / 3), "expected a chunk whose checksum is right"),
        (flipped(-1), "expected"),
        (flipped(-32), "expected"),
        (flipped(-40), "expected"),
    ]
}

/// A kernel's file of Accel-Sim.
const KERNEL: &str = include_str!("../../data/vector_sum/kernel-1.traceg");

/// Lists and changes of the kernel that they name, and the place and words of the message.
const ACCEL_SIM: &[(&str, (&str, &str), &[&str])] = &[
    ("%.traceg\n", ("-grid dim = (2,1,1)", "-grid dim = (2,1)"), &["%.traceg:", "expected"]),
    ("%.traceg\n", ("-grid dim = (2,1,1)", "-grid dim = (x,1,1)"), &["%.traceg:", "expected"]),
    (
        "%.traceg\n",
        ("-block dim = (64,1,1)", "-block dim = (0,1,1)"),
        &["%.traceg:", "a grid dim and a block dim"],
    ),
    ("%.traceg\n", ("-block dim = (64,1,1)", ""), &["%.traceg:", "expected"]),
    ("%.traceg\n", ("-block dim = (64,1,1)", "-block dim = (65537,1,1)"), &["%.traceg", "65537"]),
    ("%.traceg\n", ("warp = 0", "warp = x"), &["%.traceg:", "expected"]),
    ("%.traceg\n", ("insts = 10", "insts = 11"), &["%.traceg:", "expected"]),
    ("%.traceg\n", ("insts = 10", "insts = x"), &["%.traceg:", "expected"]),
    (
        "%.traceg\n",
        ("-grid dim = (2,1,1)", "-grid dim = (3,1,1)"),
        &["the product of grid dim, found 2"],
    ),
    (
        "%.traceg\n",
        ("-grid dim = (2,1,1)", "-grid dim = (1,1,1)"),
        &["%.traceg:", "a thread block of grid dim (1,1,1), found 1,0,0"],
    ),
    ("%.traceg\n", ("0010 ffffffff", "0010 xfffffff"), &["%.traceg:", "expected"]),
    ("%.traceg\n", ("0x00007f3a00000400 4", "0x7 x"), &["%.traceg:", "expected"]),
    ("%.traceg\n", ("1 R4 LDG", "1 X4 LDG"), &["%.traceg:", "expected a register", "found X4"]),
    ("%.traceg\n", ("#END_TB", "#END"), &["%.traceg:", "expected"]),
    ("other%.traceg\n", ("", ""), &["other%.traceg", "No such file"]),
    ("MemcpyHtoD,x,4\n%.traceg\n", ("", ""), &["%.g:1: expected MemcpyHtoD,ADDRESS,BYTES"]),
    ("MemcpyHtoD,0x10\n%.traceg\n", ("", ""), &["%.g:1: expected MemcpyHtoD,ADDRESS,BYTES"]),
    (
        "\nMemcpyHtoD,0x7fffffffffffffff,4\n%.traceg\n",
        ("", ""),
        &["%.g:2: expected an address and a size below 2^62"],
    ),
    ("%.traceg\nnothing\n", ("", ""), &["%.g:2: expected MemcpyHtoD"]),
    ("", ("", ""), &["no work-group in 0 kernels: nothing ran"]),
    ("# only a comment\n", ("", ""), &["no work-group in 0 kernels: nothing ran"]),
    ("MemcpyHtoD,0x1000,64\n", ("", ""), &["no work-group in 0 kernels: nothing ran"]),
];

pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (bytes, message) in damaged() {
        let message = ["%.trace", message];
        cases.push(case(2, "trace verify %.trace", &message).file(".trace", bytes));
    }
    // The same message whichever command reads it.
    for words in [
        "trace info %.trace",
        "run --system stc-8cu-small --workload %.trace",
        "compare --system stc-8cu-small --workload %.trace",
    ] {
        let whole = kept_trace();
        let cut = whole[..20].to_vec();
        cases.push(case(2, words, &["%.trace", "the file is cut off"]).file(".trace", cut));
    }
    for (name, bytes) in idle() {
        for words in [
            format!("trace verify %{name}"),
            format!("run --system stc-8cu-small --workload ./%{name}"),
            format!("compare --system stc-8cu-small --workload ./%{name}"),
        ] {
            let message = ["no work-group in 0 kernels: nothing ran"];
            cases.push(case(2, &words, &message).file(name, bytes.clone()));
        }
    }
    let recorded = "run --system stc-8cu-small --workload %.trace";
    for (words, message) in [
        ("--seed 1", "--seed 1: %.trace is a recorded trace"),
        ("--set workload.size=4", "--set workload.size=4: %.trace is a recorded trace"),
        ("--set workload.shift=128", "--set workload.shift=128: %.trace is a recorded trace"),
        ("--json %.trace", "it would replace what --workload names"),
        ("--dump-tlp ./%.trace", "it would replace what --workload names"),
        ("--set cu.waves=1", "cu.waves"),
    ] {
        let words = format!("{recorded} {words}");
        cases.push(case(2, &words, &[message]).file(".trace", kept_trace()));
    }
    let import = "trace import accel-sim %.g -o %.trace";
    for (list, (before, after), message) in ACCEL_SIM {
        assert!(KERNEL.contains(before), "{before}");
        let kernel = KERNEL.replacen(before, after, usize::from(!before.is_empty()));
        cases.push(case(2, import, message).file(".g", *list).file(".traceg", kernel));
    }
    let text = case(2, import, &["%.g:1: expected text in UTF-8"]).file(".g", b"\xff\xfe\n");
    cases.push(text);
    cases
}
