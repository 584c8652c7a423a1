//! Whole files: what goes in comes out, in any order, and damage is found.

use std::fmt::Debug;

use super::limits::ADDRESS_END;
use super::writer::Writer;
use super::{
    Access, AccessKind, Arg, ArgKind, AtomicOp, Bound, ByteSet, Event, Instr, KernelHead,
    KernelSpec, Key, Mode, Reader, Record, Recorder, Work, verify,
};

/// A program with every kind of event and instruction.
fn record(recorder: &mut impl Record<Error: Debug>) {
    let a = recorder.alloc("a", 4096).unwrap();
    let b = recorder.alloc("b", 100).unwrap();
    recorder.host_write(a, &(0..=255).collect::<Vec<u8>>()).unwrap();
    for kernel in 0..2u32 {
        let kind = ArgKind::Buffer { addr: a, bytes: 4096, mode: Mode::Read, ranges: vec![] };
        let args = vec![Arg { name: "a".to_string(), kind }];
        let (name, grid, local) = ("k".to_string(), [160, 1, 1], [80, 1, 1]);
        recorder
            .begin_kernel(KernelSpec { name, grid, local, args, ..KernelSpec::default() })
            .unwrap();
        for group in 0..2 {
            recorder.begin_group().unwrap();
            for item in 0..64u32 {
                let (addr, value) = (a + u64::from(item), [item as u8]);
                let key = Key { pc: 1, ..Key::default() };
                let load = Access {
                    item,
                    key,
                    kind: AccessKind::Load,
                    addr,
                    bytes: &value,
                    work: Work::of(3),
                    ..Access::default()
                };
                recorder.access(&load).unwrap();
            }
            recorder.fence(3, Key { pc: 2, ..Key::default() }).unwrap();
            recorder.barrier().unwrap();
            let value = (100 * kernel + group).to_le_bytes();
            let key = Key { pc: 3, ..Key::default() };
            let kind = AccessKind::Store;
            let store = Access {
                item: 70,
                key,
                kind,
                addr: b,
                bytes: &value,
                work: Work::of(300),
                ..Access::default()
            };
            recorder.access(&store).unwrap();
            let old = (2 * kernel + group).to_le_bytes();
            let kind = AccessKind::Atomic { op: AtomicOp::Add, old: &old };
            let one = 1u32.to_le_bytes();
            let add = Access { item: 1, key, kind, addr: b + 8, bytes: &one, ..Access::default() };
            recorder.access(&add).unwrap();
            recorder.end_group().unwrap();
        }
        recorder.end_kernel().unwrap();
        recorder.host_read(b, 4).unwrap();
    }
    recorder.free(b).unwrap();
}

fn recorded() -> Vec<u8> {
    let mut recorder = Recorder::in_memory("program").unwrap();
    record(&mut recorder);
    recorder.into_bytes().unwrap()
}

/// All that a reader can say, groups from the last to the first.
fn read_all(mut reader: Reader) -> Result<Vec<String>, super::Error> {
    let mut all = vec![reader.name().to_string(), format!("{:?}", reader.totals())];
    let mut events = Vec::new();
    while let Some(event) = reader.next_event()? {
        events.push(format!("{event:?}"));
    }
    let mut groups = Vec::new();
    for kernel in (0..reader.kernels()).rev() {
        for number in (0..reader.groups(kernel)).rev() {
            let group = reader.group(kernel, number)?;
            let mut instr = Instr::default();
            for warp in 0..group.warps() {
                let mut cursor = group.cursor(warp);
                while cursor.next(&group, &mut instr)? {
                    // Inactive lanes hold what the last instruction left: the order is always the
                    // same.
                    groups.push(format!("{kernel} {number} {warp} {instr:?}"));
                }
            }
        }
    }
    all.extend(events);
    all.extend(groups);
    Ok(all)
}

#[test]
fn groups_that_are_read_ahead_are_the_same_and_so_is_what_is_wrong() {
    let whole = recorded();
    let read = |bytes: &[u8], ahead: bool| {
        let mut reader = Reader::from_bytes(bytes.to_vec(), "test").unwrap();
        if ahead {
            reader.read_ahead().unwrap();
        }
        let numbers = [(0, 1), (0, 0), (1, 0), (1, 1), (0, 0), (0, 1), (1, 2), (2, 0)];
        numbers.map(|(kernel, number)| format!("{:?}", reader.group(kernel, number)))
    };
    assert_eq!(read(&whole, true), read(&whole, false));
    // The payload of the first chunk, which is that of work-group 0.
    let mut damaged = whole.clone();
    damaged[40] ^= 1;
    let right = read(&damaged, false);
    assert!(right[1].contains("Damaged") && !right[0].contains("Damaged"), "{right:?}");
    assert_eq!(read(&damaged, true), right);
}

#[test]
fn groups_are_read_in_any_order_and_by_several_readers() {
    let mut reader = Reader::from_bytes(recorded(), "test").unwrap();
    verify(&mut reader).unwrap().expect_right();
    let mut other = reader.reopen().unwrap();
    let group = std::sync::Arc::new(reader.group(1, 1).unwrap());
    assert_eq!((group.kernel(), group.group(), group.warps()), (1, 1, 2));
    let again = other.group(1, 1).unwrap();
    let first = |group: &super::Group| {
        let mut instr = Instr::default();
        group.cursor(0).next(group, &mut instr).unwrap();
        (instr.kind, instr.lanes, instr.work.instructions, instr.addrs)
    };
    assert_eq!(first(&group), first(&again));
    assert!(reader.group(1, 2).is_err() && reader.group(2, 0).is_err());
    reader.rewind();
    let mut kernels = Vec::new();
    while let Some(event) = reader.next_event().unwrap() {
        if let Event::Kernel(head) = event {
            kernels.push((reader.kernel(), head.groups));
        }
    }
    assert_eq!(kernels, [(Some(0), 2), (Some(1), 2)]);
    let totals = reader.totals();
    assert_eq!((totals.loads, totals.stores, totals.atomics, totals.barriers), (256, 4, 4, 4));
    assert_eq!((totals.allocated_bytes, totals.footprint_bytes), (4196, 8192));
}

#[test]
fn the_checksum_depends_on_what_the_trace_says() {
    let checksum = |name: &str, bytes: Vec<u8>| Reader::from_bytes(bytes, name).unwrap().checksum();
    assert_eq!(checksum("one", recorded()), checksum("other", recorded()));
    let mut recorder = Recorder::in_memory("program").unwrap();
    record(&mut recorder);
    recorder.alloc("more", 1).unwrap();
    assert_ne!(checksum("one", recorded()), checksum("one", recorder.into_bytes().unwrap()));
}

#[test]
fn every_flipped_bit_is_an_error_or_changes_nothing() {
    let right = recorded();
    let expected = read_all(Reader::from_bytes(right.clone(), "test").unwrap()).unwrap();
    for at in 0..right.len() {
        for bit in [0, 3, 7] {
            let mut bytes = right.clone();
            bytes[at] ^= 1 << bit;
            match Reader::from_bytes(bytes, "test").and_then(read_all) {
                Ok(all) => assert_eq!(all, expected, "byte {at}"),
                Err(error) => assert!(error.to_string().contains("offset"), "{error}"),
            }
        }
    }
}

#[test]
fn every_cut_file_is_an_error() {
    let right = recorded();
    for len in 0..right.len() {
        let cut = Reader::from_bytes(right[..len].to_vec(), "test").and_then(read_all);
        assert!(cut.is_err(), "{len} bytes");
    }
}

#[test]
fn another_version_is_named() {
    let mut bytes = recorded();
    bytes[8] = 1;
    let sum = crc32fast::hash(&bytes[..12]);
    bytes[12..16].copy_from_slice(&sum.to_le_bytes());
    let error = Reader::from_bytes(bytes, "old.trace").err().unwrap().to_string();
    assert_eq!(
        error,
        "old.trace, offset 8: expected format version 2 to 5, the file has version 1"
    );
}

/// Version 2 had one stream, 3 no private and no work-group memory, 4 no details of gaps and no
/// first uses, and the same chunks.
#[test]
fn files_of_older_versions_are_read() {
    for version in 2..5 {
        let mut bytes = recorded();
        bytes[8] = version;
        let sum = crc32fast::hash(&bytes[..12]);
        bytes[12..16].copy_from_slice(&sum.to_le_bytes());
        let all = |bytes| read_all(Reader::from_bytes(bytes, "test").unwrap()).unwrap();
        assert_eq!(all(bytes), all(recorded()));
    }
}

/// What a reader says of a trace with these events.
fn read_events(events: &[Event]) -> Result<Vec<Event>, String> {
    let mut writer = Writer::new(std::io::Cursor::new(Vec::new()), "test", "program").unwrap();
    for event in events {
        if let Event::Kernel(_) = event {
            writer.begin_kernel();
        }
        writer.event(event).unwrap();
    }
    let bytes = writer.finish().unwrap().into_inner();
    let mut reader = Reader::from_bytes(bytes, "test").unwrap();
    let mut all = Vec::new();
    while let Some(event) = reader.next_event().map_err(|error| error.to_string())? {
        all.push(event);
    }
    Ok(all)
}

#[test]
fn streams_are_there_before_they_are_used() {
    let streams = || Event::Streams(vec![Bound::ALL, Bound { part: 2, of: 3 }]);
    let wait = |stream, of| Event::Wait { stream, of };
    let kernel = |stream| Event::Kernel(KernelHead { stream, ..KernelHead::default() });
    let right = [streams(), kernel(1), wait(0, 1), kernel(0)];
    assert_eq!(read_events(&right).unwrap(), right);
    // Without streams a kernel's number says nothing.
    assert!(read_events(&[kernel(9), kernel(0)]).is_ok());
    let bound = |part, of, number| Event::Streams(vec![Bound { part, of }; number]);
    for (events, expected) in [
        (vec![streams(), kernel(2)], "a kernel of a stream that there is"),
        (vec![kernel(0), streams()], "streams once, and before all kernels"),
        (vec![streams(), streams()], "streams once, and before all kernels"),
        (vec![streams(), wait(0, 2)], "a wait of a stream that there is for another"),
        (vec![streams(), wait(2, 0)], "a wait of a stream that there is for another"),
        (vec![wait(0, 1)], "a wait of a stream that there is for another"),
        (vec![streams(), wait(1, 1)], "a stream that waits for another one"),
        (vec![bound(0, 1, 1)], "2 to 32 streams"),
        (vec![bound(0, 1, 33)], "2 to 32 streams"),
        (vec![bound(0, 0, 2)], "a part of the chiplets that there is"),
        (vec![bound(3, 3, 2)], "a part of the chiplets that there is"),
    ] {
        let error = read_events(&events).unwrap_err();
        assert!(error.starts_with("test, offset 16: expected "), "{error}");
        assert!(error.contains(expected), "{error}: {expected}");
    }
}

#[test]
fn recorder_refuses_streams_that_there_are_not() {
    let spec = |stream| KernelSpec { local: [1; 3], stream, ..KernelSpec::default() };
    let with = |number| {
        let mut recorder = Recorder::in_memory("test").unwrap();
        recorder.streams(&vec![Bound::ALL; number]).map(|()| recorder)
    };
    let refused = |result: Result<(), super::Error>, text: &str| {
        let error = result.unwrap_err().to_string();
        assert!(error.contains(text), "{error}: {text}");
    };
    refused(with(1).map(drop), "1 streams; 2 to 32");
    refused(with(33).map(drop), "33 streams; 2 to 32");
    let two = || with(2).unwrap();
    refused(two().wait(0, 0), "stream 0 waits for stream 0, of 2");
    refused(two().wait(0, 2), "stream 0 waits for stream 2, of 2");
    refused(two().begin_kernel(spec(2)), "a kernel of stream 2, of 2");
    refused(two().streams(&[Bound::ALL; 2]), "streams twice, or behind a kernel");
    let mut one = Recorder::in_memory("test").unwrap();
    refused(one.wait(0, 1), "stream 0 waits for stream 1, of 1");
    refused(one.streams(&[Bound { part: 1, of: 1 }; 2]), "part 1 of 1 of the chiplets");
}

/// Absurd numbers behind right checksums: the reader must not believe them.
#[test]
fn absurd_sizes_are_refused_before_anything_is_allocated() {
    let right = recorded();
    // The first chunk is a work-group's; its declared size is at 16 + 8.
    for len in [u32::MAX, 1 << 30, 1 << 28] {
        let mut bytes = right.clone();
        bytes[24..28].copy_from_slice(&len.to_le_bytes());
        let packed = u32::from_le_bytes(bytes[20..24].try_into().unwrap()) as usize;
        let mut sum = crc32fast::Hasher::new();
        sum.update(&bytes[16..28]);
        sum.update(&bytes[32..32 + packed]);
        let sum = sum.finalize();
        bytes[28..32].copy_from_slice(&sum.to_le_bytes());
        let error = Reader::from_bytes(bytes, "test").unwrap().group(0, 0).err().unwrap();
        assert!(error.to_string().contains("offset 16: expected a chunk of a possible"), "{error}");
    }
}

#[test]
fn a_file_appears_only_when_it_is_complete() {
    let folder = files::Folder::new().unwrap();
    let path = folder.path().join("a.trace");
    let entries = || std::fs::read_dir(folder.path()).unwrap().count();
    let mut recorder = Recorder::create(&path, "program").unwrap();
    record(&mut recorder);
    assert!(!path.exists());
    drop(recorder);
    assert_eq!(entries(), 0);
    let mut recorder = Recorder::create(&path, "program").unwrap();
    record(&mut recorder);
    recorder.save().unwrap();
    assert_eq!(entries(), 1);
    assert_eq!(std::fs::read(&path).unwrap(), recorded());
    assert!(read_all(Reader::open(&path).unwrap()).is_ok());
    drop(folder);
    let error = Reader::open(&path).err().unwrap().to_string();
    assert!(error.contains("a.trace"), "{error}");
}

#[test]
fn what_a_trace_cannot_hold_is_refused() {
    let mut recorder = Recorder::in_memory("program").unwrap();
    assert!(recorder.alloc("nothing", 0).is_err());
    assert!(recorder.alloc("all", ADDRESS_END).is_err());
    assert!(recorder.alloc("more", u64::MAX).is_err());
    let addr = recorder.alloc("buffer", 100).unwrap();
    assert!(recorder.host_write(addr, &[0; 101]).is_err());
    assert!(recorder.host_read(addr + 100, 1).is_err());
    assert!(recorder.free(addr + 1).is_err());
    assert!(recorder.barrier().is_err());
    assert!(recorder.begin_kernel(KernelSpec::default()).is_err());
    let spec = KernelSpec { local: [64, 1, 1], ..KernelSpec::default() };
    recorder.begin_kernel(spec).unwrap();
    recorder.begin_group().unwrap();
    let key = Key::default();
    let kind = AccessKind::Load;
    let right = Access { item: 0, key, kind, addr, bytes: &[0; 4], ..Access::default() };
    let old: &[u8] = &[0; 4];
    let kind = AccessKind::Atomic { op: AtomicOp::Add, old };
    for wrong in [
        Access { item: 64, ..right },
        Access { addr: addr + 97, ..right },
        Access { bytes: &[0; 3], ..right },
        Access { bytes: &[0; 32], ..right },
        Access { bytes: &[], ..right },
        Access { kind, addr: addr + 2, ..right },
        Access { kind, bytes: &[0; 8], ..right },
    ] {
        assert!(recorder.access(&wrong).is_err(), "{wrong:?}");
    }
    recorder.access(&right).unwrap();
    assert!(recorder.alloc("buffer", 1).is_err());
    assert!(recorder.into_bytes().is_err());
}

/// The pages of a freed buffer were forgotten with the one behind them.
#[test]
fn a_freed_buffer_takes_nothing_of_its_neighbour() {
    free_the_neighbour(0);
    free_the_neighbour(1152);
    free_the_neighbour(8192);
}

fn free_the_neighbour(shift: u64) {
    let mut recorder = Recorder::in_memory("program").unwrap().shifted(shift).unwrap();
    let [first, second] = ["first", "second"].map(|name| recorder.alloc(name, 4096).unwrap());
    assert_eq!((first % 4096, second % 4096), (shift % 4096, shift % 4096));
    assert_eq!(second - first, (4096 + shift).next_multiple_of(4096));
    recorder.host_write(second, &[7; 4]).unwrap();
    recorder.free(first).unwrap();
    recorder.begin_kernel(KernelSpec { local: [64, 1, 1], ..KernelSpec::default() }).unwrap();
    recorder.begin_group().unwrap();
    let (kind, key) = (AccessKind::Load, Key::default());
    let load = Access { item: 0, key, kind, addr: second, bytes: &[7; 4], ..Access::default() };
    recorder.access(&load).unwrap();
    recorder.end_group().unwrap();
    recorder.end_kernel().unwrap();
    let bytes = recorder.into_bytes().unwrap();
    verify(&mut Reader::from_bytes(bytes, "test").unwrap()).unwrap().expect_right();
}

#[test]
fn buffers_are_shifted_by_whole_lines_up_to_a_limit() {
    for bytes in [100, 65536, 131_072] {
        let refused = Recorder::in_memory("program").unwrap().shifted(bytes).err().unwrap();
        let place =
            format!("buffers shifted by {bytes} bytes: must be a multiple of 128 below 65536");
        assert!(refused.to_string().contains(&place), "{refused}");
    }
}

#[test]
fn values_of_a_set_are_its_members() {
    let members = [0, 1, 63, 64, 127, 128, 191, 192, 255];
    let mut set = ByteSet::default();
    members.iter().for_each(|&value| set.insert(value));
    assert!(set.values().eq(members));
    assert!(ByteSet::any().values().eq(0..=255) && ByteSet::default().values().next().is_none());
}
