//! What the host writes between kernels is seen, in whichever L2 a line lies (CPElide
//! specification, 5.9).

use machine::Options;
use traces::trace::{
    Access, AccessKind, Arg, ArgKind, KernelSpec, Key, Mode, Reader, Record, Recorder,
    ScheduleRange, Work,
};

use super::{run, system};

const PAGES: u64 = 8;
const PAGE: u64 = 4096;
const LINES: u64 = 16;
/// Of four chiplets, each with one work-group, these read all pages; the others have no label and
/// touch nothing.
const READERS: [u32; 2] = [2, 3];

/// Three kernels read what the host has written before each.
fn program() -> Reader {
    let mut recorder = Recorder::in_memory("host").unwrap();
    let bytes = PAGES * PAGE;
    let addr = recorder.alloc("data", bytes).unwrap();
    let places = || (0..PAGES).flat_map(|page| (0..LINES).map(move |l| page * PAGE + l * 64));
    for kernel in 0..3u32 {
        let word = |at: u64| (kernel << 24 | at as u32).to_le_bytes();
        places().for_each(|at| recorder.host_write(addr + at, &word(at)).unwrap());
        let range = |group| ScheduleRange { first_group: group, last_group: group, addr, bytes };
        let ranges = READERS.map(range).to_vec();
        let kind = ArgKind::Buffer { addr, bytes, mode: Mode::Read, ranges };
        let args = vec![Arg { name: "data".to_string(), kind }];
        let (grid, local) = ([4, 1, 1], [1, 1, 1]);
        let name = format!("k{kernel}");
        recorder
            .begin_kernel(KernelSpec { name, grid, local, args, ..KernelSpec::default() })
            .unwrap();
        for group in 0..4 {
            recorder.begin_group().unwrap();
            for (pc, at) in (0..).zip(places().filter(|_| READERS.contains(&group))) {
                let key = Key { pc, ..Key::default() };
                let (kind, bytes) = (AccessKind::Load, &word(at)[..]);
                let access = Access {
                    item: 0,
                    key,
                    kind,
                    addr: addr + at,
                    bytes,
                    work: Work::of(1),
                    ..Access::default()
                };
                recorder.access(&access).unwrap();
            }
            recorder.end_group().unwrap();
        }
        recorder.end_kernel().unwrap();
    }
    Reader::from_bytes(recorder.into_bytes().unwrap(), "host").unwrap()
}

#[test]
fn host_writes_are_seen_where_others_have_asked_for_the_line() {
    let program = program();
    for (gpus, chiplets) in [("1", "4"), ("2", "2"), ("4", "1")] {
        for design in ["cpelide", "software"] {
            for policy in ["home-forward", "private"] {
                let set = [
                    ("machine.gpus", gpus),
                    ("machine.chiplets", chiplets),
                    ("l2.design", design),
                    ("l2.policy", policy),
                    ("placement.policy", "interleave"),
                ];
                let system = system("cpelide-4-small", &set);
                run(&system, &program, Options::default())
                    .unwrap_or_else(|e| panic!("{gpus} GPUs, {design}, {policy}: {e}"));
            }
        }
    }
}
