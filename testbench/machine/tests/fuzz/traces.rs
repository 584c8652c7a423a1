//! Traces in parts, changed, and put together again with right checksums.

use traces::kernels::{self, KernelError, Params};
use traces::trace::{Error, Event, Instr, InstrKind, Reader, Recorder, verify};
use traces::workloads::SplitMix64;

use super::{Came, mangle, pick};

const EVENTS: u32 = 1;
const INDEX: u32 = 4;
const PLACES: u32 = 5;
/// Bytes of a file's head, and of a chunk's.
const HEAD: usize = 16;
const TRAILER: usize = 32;
/// Work-groups that are read of a trace.
const MOST_GROUPS: u32 = 300;

/// A chunk.
#[derive(Clone)]
struct Chunk {
    kind: u32,
    contents: Vec<u8>,
    /// Numbers behind `contents`: they say where chunks stand.
    numbers: Vec<Number>,
}

#[derive(Clone, Copy)]
enum Number {
    Plain(u64),
    /// Where a chunk stands.
    Of(usize),
}

/// A trace in parts.
#[derive(Clone)]
pub struct Parts(Vec<Chunk>);

/// Traces of small programs.
pub fn seeds() -> Vec<Parts> {
    let programs = [
        ("kmeans", 64),
        ("locks", 16),
        ("bfs", 64),
        ("pagerank_push", 32),
        ("lu", 32),
        ("stream_jobs", 32),
    ];
    let record = |&(name, size): &(&str, u32)| {
        let params =
            Params { size, iterations: 1, ..kernels::program::<()>(name).unwrap().params() };
        let mut recorder = Recorder::in_memory(name).unwrap();
        let run: Result<(), KernelError<_>> = kernels::run(name, &params, &mut recorder);
        run.unwrap();
        Parts::of(&recorder.into_bytes().unwrap())
    };
    let seeds: Vec<Parts> = programs.iter().map(record).collect();
    for parts in &seeds {
        let reader = Reader::from_bytes(parts.assemble(&mut SplitMix64::new(0), 0), "seed");
        assert!(verify(&mut reader.unwrap()).unwrap().wrong == 0);
    }
    seeds
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

fn put_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn numbers(bytes: &[u8]) -> Vec<u64> {
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |n, &b| n << 7 | u64::from(b & 0x7f));
    bytes.split_inclusive(|&byte| byte < 0x80).map(number).collect()
}

impl Parts {
    /// The chunks of a valid file, in its order.
    fn of(file: &[u8]) -> Self {
        let (mut chunks, mut offsets) = (Vec::new(), Vec::new());
        let mut at = HEAD;
        while at < file.len() - TRAILER {
            let (kind, packed, len) = (word(file, at), word(file, at + 4), word(file, at + 8));
            let payload = &file[at + 16..at + 16 + packed as usize];
            let contents = zstd::bulk::decompress(payload, len as usize).unwrap();
            offsets.push(at as u64);
            chunks.push(Chunk { kind, contents, numbers: Vec::new() });
            at += 16 + packed as usize;
        }
        let place = |offset: u64| match offsets.iter().position(|&o| o == offset) {
            Some(chunk) => Number::Of(chunk),
            None => Number::Plain(offset),
        };
        for chunk in &mut chunks {
            // The index begins with a name and 15 totals; small numbers are no offsets.
            let start = match chunk.kind {
                INDEX => 1 + usize::from(chunk.contents[0]),
                PLACES => 0,
                _ => continue,
            };
            let list = numbers(&chunk.contents.split_off(start)).into_iter().enumerate();
            let totals = if chunk.kind == INDEX { 15 } else { 0 };
            let number =
                |(i, n): (usize, u64)| if i < totals { Number::Plain(n) } else { place(n) };
            chunk.numbers = list.map(number).collect();
        }
        Self(chunks)
    }

    /// The file. Of the chunks, `damage` frames are wrong in themselves.
    fn assemble(&self, random: &mut SplitMix64, damage: u64) -> Vec<u8> {
        let mut file = b"DUETTRC\n\x02\0\0\0".to_vec();
        file.extend(crc32fast::hash(&file).to_le_bytes());
        let damaged: Vec<u64> = (0..damage).map(|_| random.below(self.0.len() as u64)).collect();
        let mut offsets = vec![0; self.0.len()];
        // What tells places comes last.
        for last in [false, true] {
            for (number, chunk) in self.0.iter().enumerate() {
                if matches!(chunk.kind, INDEX | PLACES) != last {
                    continue;
                }
                offsets[number] = file.len() as u64;
                let mut contents = chunk.contents.clone();
                for number in &chunk.numbers {
                    put_number(
                        &mut contents,
                        match *number {
                            Number::Plain(number) => number,
                            Number::Of(chunk) => offsets.get(chunk).copied().unwrap_or(0),
                        },
                    );
                }
                let mut packed = zstd::bulk::compress(&contents, -7).unwrap();
                let mut head = [chunk.kind, packed.len() as u32, contents.len() as u32];
                if damaged.contains(&(number as u64)) {
                    match random.below(3) {
                        0 => mangle(random, &mut packed, &contents),
                        1 => head[2] = head[2].wrapping_add(1 << random.below(32)),
                        _ => head[random.below(2) as usize] ^= 1 << random.below(32),
                    }
                }
                let mut frame: Vec<u8> = head.iter().flat_map(|word| word.to_le_bytes()).collect();
                let mut sum = crc32fast::Hasher::new();
                sum.update(&frame);
                sum.update(&packed);
                frame.extend(sum.finalize().to_le_bytes());
                file.extend(frame);
                file.extend(packed);
            }
        }
        let index = self.0.iter().position(|chunk| chunk.kind == INDEX).map_or(0, |i| offsets[i]);
        let mut trailer = index.to_le_bytes().to_vec();
        trailer.extend([0; 12]);
        trailer.extend(crc32fast::hash(&trailer).to_le_bytes());
        file.extend(trailer);
        file.extend(b"\nTRCEND\n");
        file
    }

    /// Changes one thing.
    fn change(&mut self, random: &mut SplitMix64, others: &[Parts]) {
        let chunks = self.0.len() as u64;
        let at = random.below(chunks) as usize;
        let other = pick(random, others);
        let same_kind: Vec<_> = other.0.iter().filter(|c| c.kind == self.0[at].kind).collect();
        match random.below(10) {
            0..6 => {
                let piece = same_kind.first().map(|_| *pick(random, &same_kind));
                let piece = piece.map_or(&[][..], |chunk| &chunk.contents);
                mangle(random, &mut self.0[at].contents, piece);
            }
            6 | 7 => {
                let tells = |chunk: &&mut Chunk| !chunk.numbers.is_empty();
                let mut tell: Vec<_> = self.0.iter_mut().filter(tells).collect();
                if tell.is_empty() {
                    return;
                }
                let which = random.below(tell.len() as u64) as usize;
                let numbers = &mut tell[which].numbers;
                let at = random.below(numbers.len() as u64) as usize;
                let absurd = [0, 1, 4096, 4097, 1 << 22, u64::from(u32::MAX), 1 << 40, u64::MAX];
                match random.below(4) {
                    0 => numbers[at] = Number::Of(random.below(chunks) as usize),
                    1 => numbers[at] = Number::Plain(*pick(random, &absurd)),
                    2 => drop(numbers.remove(at)),
                    _ => numbers.insert(at, numbers[at]),
                }
            }
            8 => self.0[at].kind = random.below(7) as u32,
            _ => {
                if let Some(chunk) = same_kind.first().map(|_| *pick(random, &same_kind)) {
                    self.0[at].contents.clone_from(&chunk.contents);
                }
            }
        }
    }
}

/// A kernel's head with a table as large as its contents justify; it shrinks to a few kilobytes.
fn large_head(random: &mut SplitMix64) -> Vec<u8> {
    let mut head = vec![4, 0, 1, 1, 1, 1, 1, 1, 1, 0];
    let entries = 1 << (10 + random.below(15));
    let table = |head: &mut Vec<u8>, entries: usize, entry: &[u8]| {
        put_number(head, entries as u64);
        head.extend(std::iter::repeat_n(entry, entries).flatten());
    };
    let buffer = [0, 1, 0, 0];
    match random.below(6) {
        0 => table(&mut head, entries, &[0, 0]),
        1 => {
            // Arguments with as many ranges in all.
            let args = 4096.min(entries);
            put_number(&mut head, args as u64);
            for _ in 0..args {
                head.extend(buffer);
                table(&mut head, entries / args, &[0; 4]);
            }
        }
        which => {
            head.push(0);
            for (number, entry) in [&[1, 0, 0][..], &[8, 8, 0, 0, 0], &[0, 0]].iter().enumerate() {
                let all = which == 5 || which as usize == 2 + number;
                table(&mut head, if all { entries } else { 0 }, entry);
            }
        }
    }
    head
}

/// Changes a trace, and reads all of it.
pub fn try_one(random: &mut SplitMix64, seeds: &[Parts]) -> Came {
    let mut parts = pick(random, seeds).clone();
    let mut bytes = match random.below(10) {
        0 => {
            let bomb = random.below(parts.0.len() as u64) as usize;
            match parts.0[bomb].kind {
                EVENTS => parts.0[bomb].contents = large_head(random),
                INDEX | PLACES => {
                    let many = Number::Plain(random.below(3));
                    parts.0[bomb].numbers.resize(1 << (10 + random.below(13)), many);
                }
                _ => {
                    let contents = &mut parts.0[bomb].contents;
                    let keep = random.below(contents.len() as u64 + 1) as usize;
                    contents.truncate(keep);
                    put_number(contents, *pick(random, &[1 << 10, 1 << 20, 1 << 24]));
                    let value = *pick(random, &[0, 1, 0x20, 0x82, 0xff]);
                    contents.resize(contents.len() + (1 << (16 + random.below(9))), value);
                }
            }
            parts.assemble(random, 0)
        }
        1 => parts.assemble(random, 1),
        _ => {
            (0..=random.halvings().min(5)).for_each(|_| parts.change(random, seeds));
            parts.assemble(random, 0)
        }
    };
    if random.below(16) == 0 {
        let copy = bytes.clone();
        mangle(random, &mut bytes, &copy);
    }
    match Reader::from_bytes(bytes, "fuzz").and_then(|reader| read_all(reader, random)) {
        Ok(()) => Came::Accepted,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            Came::Refused
        }
    }
}

/// Reads events and work-groups, and replays the trace. What is read keeps the promises of
/// `docs/trace-format.md`.
fn read_all(mut reader: Reader, random: &mut SplitMix64) -> Result<(), Error> {
    let (mut buffer_bytes, mut streams) = (0u64, 1);
    while let Some(event) = reader.next_event()? {
        match event {
            Event::Alloc { addr, bytes, .. } => {
                assert!(addr % 4096 == 0 && bytes > 0 && addr + bytes <= 1 << 44);
                buffer_bytes = buffer_bytes.saturating_add(bytes);
            }
            Event::HostWrite { addr, data } => assert!(addr + data.len() as u64 <= 1 << 44),
            Event::HostRead { addr, bytes } => assert!(addr + bytes <= 1 << 44),
            Event::Free { .. } => {}
            Event::Streams(bound) => {
                streams = bound.len();
                assert!(bound.iter().all(|bound| bound.chiplets(16) != 0));
            }
            Event::Wait { stream, of } => {
                assert!(stream != of && usize::from(stream.max(of)) < streams);
            }
            Event::Kernel(head) => {
                assert!(streams == 1 || usize::from(head.stream) < streams);
                assert_eq!(reader.kernel().map(|kernel| reader.groups(kernel)), Some(head.groups));
                assert!(head.racy.is_sorted_by_key(|byte| byte.addr));
                assert!(head.atomics.is_sorted_by_key(|cell| cell.addr));
                assert!(head.first_touches.iter().all(|touch| touch.group < head.groups));
                let some = head.racy.first().map_or(4096, |byte| byte.addr);
                head.may_hold(some, &[0; 16]);
            }
        }
    }
    let kernels = reader.kernels().min(MOST_GROUPS);
    let mut instr = Instr::default();
    let ahead = random.below(8) == 0;
    if ahead {
        reader.read_ahead()?;
    }
    let groups: u64 = (0..kernels).map(|kernel| u64::from(reader.groups(kernel))).sum();
    for kernel in 0..kernels {
        let groups = reader.groups(kernel);
        for number in (0..groups).rev().take((MOST_GROUPS / kernels) as usize) {
            let group = reader.group(kernel, number)?;
            for warp in 0..group.warps() {
                let mut cursor = group.cursor(warp);
                cursor.gap(&group);
                while cursor.next(&group, &mut instr)? {
                    check(&instr);
                    cursor.gap(&group);
                }
            }
        }
    }
    if groups <= u64::from(MOST_GROUPS) && !ahead {
        verify(&mut reader)?;
    }
    Ok(())
}

fn check(instr: &Instr) {
    assert!(instr.lanes != 0 && instr.racy & !instr.lanes == 0);
    let atomic = matches!(instr.kind, InstrKind::Atomic(_));
    let access = atomic || matches!(instr.kind, InstrKind::Load | InstrKind::Store);
    assert_eq!(access, instr.size > 0);
    for lane in (0..64).filter(|lane| access && instr.lanes >> lane & 1 == 1) {
        let addr = instr.addrs[lane];
        assert!(addr < 1 << 44);
        assert!(!atomic || addr.is_multiple_of(u64::from(instr.size)), "an atomic at {addr:#x}");
    }
}
