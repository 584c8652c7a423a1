//! A small trace of two kernels, as text.

use std::fs;
use std::path::PathBuf;

use super::import;
use crate::trace::{ArgKind, Error, Event, Mode, Reader, Recorder, Totals, verify};

const LIST: &str = "MemcpyHtoD,0x00007f0000000000,256\nkernel-1.traceg\nkernel-2.traceg\n";

const HEADER: &str = "-kernel name = copy\n-kernel id = 1\n-grid dim = (2,1,1)\n\
    -block dim = (64,1,1)\n-shmem = 0\n-nregs = 8\n-binary version = 70\n-cuda stream id = 0\n\
    -shmem base_addr = 0x00007e0000000000\n-local mem base_addr = 0x00007e1000000000\n\
    -nvbit version = 1.5\n-accelsim tracer version = 3\n\n#traces format = ...\n\n";

/// Loads 256 bytes, meets, stores them to the second page of a far buffer; a load of shared memory
/// by a generic address; an atomic; a fence.
fn block(number: u32) -> String {
    let mut text = format!("#BEGIN_TB\n\nthread block = {number},0,0\n\n");
    for warp in 0..2 {
        let base = 0x7f00_0000_0000u64 + warp * 128;
        let far = 0x7f20_0000_1000u64 + warp * 128;
        text += &format!(
            "warp = {warp}\ninsts = 9\n\
             0000 ffffffff 1 R1 MOV 1 R2 0\n\
             0010 ffffffff 1 R1 LDG.E.SYS 1 R2 4 1 {base:#018x} 4\n\
             0018 ffffffff 1 R1 LDS.U 1 R2 4 1 0x00000010 4\n\
             0020 ffffffff 0 BAR.SYNC 0 0\n\
             0028 00000003 1 R1 LD.E 1 R2 4 0 0x00007e0000000010 0x00007f0000000004\n\
             0030 0000000f 0 STG.E.64 2 R2 R3 8 2 {far:#018x} 8 8 -24\n\
             0038 00000001 0 RED.E.ADD.STRONG.GPU 2 R2 R3 4 0 0x00007f2000000000\n\
             0040 ffffffff 0 MEMBAR.SC.GPU 0 0\n\
             0050 ffffffff 0 EXIT 0 0\n\n"
        );
    }
    text + "#END_TB\n\n"
}

/// A folder of its own for each test.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("duet-accel-sim-{}-{name}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn run(name: &str, files: &[(&str, &[u8])]) -> Result<Reader, Error> {
    let folder = folder(name);
    for (file, text) in files {
        fs::write(folder.join(file), text).unwrap();
    }
    let mut recorder = Recorder::in_memory("test").unwrap();
    let result = import(&folder.join("kernelslist.g"), &mut recorder);
    fs::remove_dir_all(&folder).unwrap();
    result?;
    Reader::from_bytes(recorder.into_bytes()?, "test")
}

fn kernel() -> String {
    HEADER.to_string() + &block(0) + &block(1)
}

#[test]
fn a_trace_without_values_becomes_one_that_verifies() {
    let kernel = kernel();
    let files: [(&str, &[u8]); 3] = [
        ("kernelslist.g", LIST.as_bytes()),
        ("kernel-1.traceg", kernel.as_bytes()),
        ("kernel-2.traceg", kernel.as_bytes()),
    ];
    let mut reader = run("whole", &files).unwrap();
    let Totals { kernels, groups, loads, stores, atomics, barriers, .. } = *reader.totals();
    // In each of 4 blocks of 2 warps: 32 loads and one of the generic loads, 4 stores, 1 atomic.
    assert_eq!((kernels, groups, loads, stores, atomics, barriers), (2, 4, 264, 32, 8, 4));
    verify(&mut reader).unwrap().expect_right();
    reader.rewind();
    let mut heads = Vec::new();
    while let Some(event) = reader.next_event().unwrap() {
        if let Event::Kernel(head) = event {
            heads.push(head);
        }
    }
    let head = &heads[0];
    assert_eq!((head.name.as_str(), head.grid, head.local), ("copy", [128, 1, 1], [64, 1, 1]));
    let modes: Vec<Mode> = head
        .args
        .iter()
        .filter_map(|arg| match &arg.kind {
            ArgKind::Buffer { mode, .. } => Some(*mode),
            ArgKind::Plain => None,
        })
        .collect();
    assert_eq!(modes, [Mode::Read, Mode::ReadWrite]);
    assert_eq!(head.atomics.len(), 1);
}

#[test]
fn compressed_kernels_are_the_same() {
    let kernel = kernel();
    let list = LIST.replace("traceg", "tracez");
    let packed = zstd::bulk::compress(kernel.as_bytes(), 1).unwrap();
    let plain: [(&str, &[u8]); 3] = [
        ("kernelslist.g", LIST.as_bytes()),
        ("kernel-1.traceg", kernel.as_bytes()),
        ("kernel-2.traceg", kernel.as_bytes()),
    ];
    let files: [(&str, &[u8]); 3] = [
        ("kernelslist.g", list.as_bytes()),
        ("kernel-1.tracez", &packed),
        ("kernel-2.tracez", &packed),
    ];
    let sums = [run("plain", &plain), run("packed", &files)].map(|r| r.unwrap().checksum());
    assert_eq!(sums[0], sums[1]);
}

#[test]
fn errors_name_file_and_line() {
    let check = |name: &str, kernel: &str, expected: &str| {
        let files: [(&str, &[u8]); 2] =
            [("kernelslist.g", b"kernel-1.traceg\n"), ("kernel-1.traceg", kernel.as_bytes())];
        let Err(error) = run(name, &files) else { panic!("{name}: no error") };
        let error = error.to_string();
        assert!(error.contains(expected), "{error}");
    };
    check("cut", &kernel()[..kernel().len() - 9], "expected #END_TB");
    check("header", "-grid dim = (1,2)\n", "kernel-1.traceg:1: expected a header line");
    check("empty", "", "\"#traces format\"");
    let line = kernel().replace("LDG.E.SYS 1 R2 4 1", "LDG.E.SYS 1 R2 4 7");
    check("line", &line, "kernel-1.traceg:23: expected a form of addresses");
    let warp = kernel().replace("warp = 1", "warp = 5");
    check("warp", &warp, "work-item 160 of a work-group of 64");
}
