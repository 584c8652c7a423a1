//! A small trace of two kernels, as text.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use lzma_rust2::{XzOptions, XzWriter};

use super::{Imported, import};
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

/// A folder of its own for each import.
fn folder(name: &str) -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let (process, number) = (std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let folder = std::env::temp_dir().join(format!("duet-accel-sim-{process}-{number}-{name}"));
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Imports `kernelslist.g` of these files.
pub fn run(name: &str, files: &[(&str, &[u8])]) -> Result<(Reader, Imported), Error> {
    let folder = folder(name);
    for (file, text) in files {
        fs::write(folder.join(file), text).unwrap();
    }
    let mut recorder = Recorder::in_memory("test").unwrap();
    let result = import(&folder.join("kernelslist.g"), &mut recorder);
    fs::remove_dir_all(&folder).unwrap();
    let imported = result?;
    Ok((Reader::from_bytes(recorder.into_bytes()?, "test")?, imported))
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
    let (mut reader, imported) = run("whole", &files).unwrap();
    // 32 lanes of LDS and one of LD in each warp of 4 blocks of 2.
    let left_out = [("LD (shared or local)".to_string(), 8), ("LDS".to_string(), 256)];
    assert_eq!(imported.left_out, left_out.into());
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

/// What `xz` makes of a text.
pub fn xz(text: &[u8]) -> Vec<u8> {
    let mut writer = XzWriter::new(Vec::new(), XzOptions::with_preset(1)).unwrap();
    writer.write_all(text).unwrap();
    writer.finish().unwrap()
}

#[test]
fn compressed_kernels_are_the_same() {
    let kernel = kernel();
    let zstd = zstd::bulk::compress(kernel.as_bytes(), 1).unwrap();
    // As `xz -T0` writes: several streams may follow one another.
    let (first, second) = kernel.as_bytes().split_at(kernel.len() / 2);
    let streams = [xz(first), xz(second)].concat();
    let sums = [
        ("traceg", kernel.as_bytes()),
        ("tracez", &zstd),
        ("traceg.xz", &xz(kernel.as_bytes())),
        ("traceg.xz", &streams),
    ]
    .map(|(ending, bytes)| {
        let list = LIST.replace("traceg", ending);
        let [first, second] = [1, 2].map(|number| format!("kernel-{number}.{ending}"));
        let files = [("kernelslist.g", list.as_bytes()), (&first, bytes), (&second, bytes)];
        run("packed", &files).unwrap().0.checksum()
    });
    assert_eq!(sums, [sums[0]; 4]);
}

#[test]
fn damaged_compressed_kernels_are_refused() {
    let check = |ending: &str, bytes: &[u8], expected: &str| {
        let (list, file) = (format!("kernel-1.{ending}\n"), format!("kernel-1.{ending}"));
        let files = [("kernelslist.g", list.as_bytes()), (file.as_str(), bytes)];
        let error = run("damaged", &files).err().unwrap().to_string();
        assert!(error.contains(&file) && error.contains(expected), "{error}");
    };
    let kernel = kernel();
    let whole = xz(kernel.as_bytes());
    const XZ: &str = "xz-compressed text with a window of at most 128 MiB, found: ";
    check("traceg.xz", &whole[..whole.len() / 2], XZ);
    check("traceg.xz", &whole[..whole.len() - 1], XZ);
    check("traceg.xz", kernel.as_bytes(), XZ);
    check("traceg.xz", b"", XZ);
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 1;
    check("traceg.xz", &flipped, XZ);
    // A window of 1.5 GiB: the property of the filter, with a checksum that is right.
    let (start, mut large) = (12, whole);
    let size = 4 * (usize::from(large[start]) + 1);
    assert_eq!(large[start + 2..][..2], [0x21, 1], "one filter, LZMA2 with one property");
    large[start + 4] = 37;
    let sum = crc32fast::hash(&large[start..start + size - 4]);
    large[start + size - 4..start + size].copy_from_slice(&sum.to_le_bytes());
    check("traceg.xz", &large, "needed memory too big");
    let zstd = zstd::bulk::compress(kernel.as_bytes(), 1).unwrap();
    check("tracez", &zstd[..zstd.len() / 2], "zstd-compressed text");
    check("tracez", kernel.as_bytes(), "zstd-compressed text");
}

#[test]
fn a_block_is_held_within_a_limit() {
    let line = "0010 ffffffff 1 R1 LDG.E.SYS 1 R2 4 1 0x7f0000000000 4\n";
    let insts = |count: usize| {
        let block = format!("#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = {count}\n");
        let header = HEADER.replace("grid dim = (2", "grid dim = (1");
        header + &block + &line.repeat(count) + "#END_TB\n"
    };
    let import = |count| {
        let packed = xz(insts(count).as_bytes());
        let files: [(&str, &[u8]); 2] =
            [("kernelslist.g", b"kernel-1.traceg.xz\n"), ("kernel-1.traceg.xz", &packed)];
        run("held", &files).map(|(reader, _)| reader.totals().loads)
    };
    assert_eq!(import(1000).unwrap(), 32_000);
    let error = import(10_000).unwrap_err().to_string();
    assert!(error.contains("expected a thread block of at most 1 MiB"), "{error}");
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
    let twice = kernel().replace("warp = 1", "warp = 0");
    check("warp twice", &twice, "kernel-1.traceg:32: expected warp 0 once in a thread block");
    let outside = kernel().replace("thread block = 1,0,0", "thread block = 0,1,0");
    check("outside", &outside, "a thread block of grid dim (2,1,1), found 0,1,0");
    check("no number", &kernel().replace("thread block = 0,0,0", ""), "thread block = X,Y,Z");
    check(
        "no insts",
        &kernel().replace("insts = 9\n", ""),
        "kernel-1.traceg:21: expected insts = N",
    );
    let stray = kernel().replace("#END_TB\n", "#END_TB\nstray\n");
    check("stray", &stray, "expected #BEGIN_TB before more of the kernel");
    let late = kernel().replace(
        "thread block = 0,0,0",
        "thread block = 0,0,0\nwarp = 1\ninsts = 0\ncluster rank = 0",
    );
    check("late", &late, "kernel-1.traceg:21: expected thread block, warp, insts or #END_TB");
    for field in ["kernel name = copy", "grid dim = (2,1,1)", "block dim = (64,1,1)", "shmem = 0"] {
        let (name, _) = field.split_once(" =").unwrap();
        let missing = kernel().replace(&format!("-{field}\n"), "");
        check(
            "missing",
            &missing,
            &format!("kernel-1.traceg:15: expected -{name} before #BEGIN_TB"),
        );
    }
    let huge = kernel().replace("-grid dim = (2,1,1)", "-grid dim = (4294967295,4294967295,2)");
    let huge = huge.replace("-block dim = (64,1,1)", "-block dim = (1,1,1)");
    check("huge", &huge, "expected a grid of less than 2^64 thread blocks");
}
