//! Raw captures that are damaged: the message names their file and the place in it.

use super::{Case, case, crc32};

/// Address of the one buffer, number 1.
const BUFFER: u64 = 1 << 48;
const META: &str = "alloc 0 addr 0x1000000000000 bytes 64 flags 0x1 init 0 blob 0\n\
    kernel 0 K dim 1 global 2 1 1 local 2 1 1 offset 0 0 0 groups 1 1 1 lmem 0 args 1\n\
    arg 0 0 name a type uint* space global const 0 llvm_readonly 0 ptr 0x1000000000000 buf 1\n";

/// A record: launch, work-group, work-item, kind, size, flags, address, value.
type Raw = (u32, u32, u16, u8, u8, u16, u64, u64);

fn record(&(launch, group, item, kind, size, aux, addr, value): &Raw) -> Vec<u8> {
    let mut bytes = Vec::new();
    bytes.extend(launch.to_le_bytes());
    bytes.extend(group.to_le_bytes());
    bytes.extend(item.to_le_bytes());
    bytes.extend(1u16.to_le_bytes());
    bytes.extend([kind, size]);
    bytes.extend(aux.to_le_bytes());
    bytes.extend(addr.to_le_bytes());
    bytes.extend(value.to_le_bytes());
    bytes.resize(40, 0);
    bytes
}

const ALLOC: Raw = (0, 0, 0, 36, 0, 0, BUFFER, 64);
const BEGIN: Raw = (0, 0, 0, 16, 0, 0, 0, 0);
const GROUP: Raw = (0, 0, 0, 18, 0, 0, 0, 0);
const STORE: Raw = (0, 0, 0, 1, 4, 0, BUFFER, 7);
const LOAD: Raw = (0, 0, 0, 0, 4, 0, BUFFER, 7);
const END_GROUP: Raw = (0, 0, 0, 19, 0, 0, 0, 0);
const END: Raw = (0, 0, 0, 17, 0, 0, 0, 0);
/// A whole capture.
const GOOD: [Raw; 7] = [ALLOC, BEGIN, GROUP, STORE, LOAD, END_GROUP, END];

fn bytes(records: &[Raw]) -> Vec<u8> {
    records.iter().flat_map(record).collect()
}

/// The good one with another record at a place.
fn with(at: usize, record: Raw) -> Vec<u8> {
    let mut records = GOOD;
    records[at] = record;
    bytes(&records)
}

/// With one more record before a place.
fn more(at: usize, record: Raw) -> Vec<u8> {
    let mut records = GOOD.to_vec();
    records.insert(at, record);
    bytes(&records)
}

/// Without the record of a place.
fn less(at: usize) -> Vec<u8> {
    let mut records = GOOD.to_vec();
    records.remove(at);
    bytes(&records)
}

const CONVERT: &str = "trace convert % -o %.trace";

/// A capture that is refused.
fn capture(status: i32, bin: Vec<u8>, meta: &str, message: &[&str]) -> Case {
    let files = case(status, CONVERT, message).file(".bin", bin);
    files.file(".meta", meta).file(".blob", "")
}

/// Records, and the words behind `.bin, offset `.
fn records() -> Vec<(Vec<u8>, &'static str)> {
    let store = |change: fn(&mut Raw)| {
        let mut record = STORE;
        change(&mut record);
        with(3, record)
    };
    let place = |kind, addr, value| (0, 0, 0, kind, 0, 0, addr, value);
    let good = bytes(&GOOD);
    vec![
        (good[..good.len() - 7].to_vec(), "240: expected a whole record of 40 bytes"),
        ([&good[..], b"x"].concat(), "280: expected a whole record of 40 bytes"),
        (store(|r| r.3 = 99), "120: expected a kind of record, found 99"),
        (store(|r| r.4 = 0), "120: expected an access of 1 to 16 bytes, found 0"),
        (store(|r| r.4 = 17), "120: expected an access of 1 to 16 bytes, found 17"),
        (store(|r| (r.3, r.4) = (2, 16)), "120: expected an access of 1 to 8 bytes, found 16"),
        (store(|r| (r.3, r.5) = (2, 77)), "120: expected an atomic operation, found 77"),
        (store(|r| (r.3, r.6) = (2, BUFFER + 2)), "120: an atomic of 4 bytes"),
        (store(|r| (r.3, r.4) = (2, 2)), "120: "),
        (store(|r| r.6 = 9 << 48), "120: expected an address in a live buffer"),
        (store(|r| r.0 = 1), "120: expected an access of launch 0, found 1"),
        (store(|r| r.1 = 5), "120: expected an access of the open work-group, found 5"),
        (store(|r| r.2 = 2), "120: work-item 2 of a work-group of 2"),
        (with(1, (7, 0, 0, 16, 0, 0, 0, 0)), "40: expected a kernel that .meta describes"),
        (more(2, BEGIN), "80: expected the end of the kernel before another begins"),
        (more(3, GROUP), "120: expected the end of a work-group before another begins"),
        (more(5, END), "200: "),
        (less(6), "240: expected the end of the last kernel"),
        (less(5), "200: "),
        (less(2), "80: expected an access of the open work-group"),
        (less(1), "40: expected work-groups inside a kernel"),
        (less(0), "80: expected an address in a live buffer"),
        (more(6, GROUP), "280: expected 1 work-groups in the kernel, found 2"),
        (more(0, END), "0: "),
        (more(0, END_GROUP), "0: expected the begin of a work-group before its end"),
        (more(1, ALLOC), "40: expected no more buffers than .meta names"),
        (
            with(0, place(36, BUFFER, 0)),
            "0: expected 64 bytes at 0x1000000000000 as .meta says, found 0 ",
        ),
        (
            with(0, place(36, BUFFER, 1 << 60)),
            "0: expected 64 bytes at 0x1000000000000 as .meta says, found 1152921504606846976",
        ),
        (
            with(0, place(36, BUFFER, u64::MAX)),
            "0: expected 64 bytes at 0x1000000000000 as .meta says, found 18446744073709551615",
        ),
        (with(0, place(36, BUFFER, 128)), "0: expected 64 bytes at 0x1000000000000 as .meta says"),
        (more(1, place(37, 9 << 48, 0)), "40: expected a live buffer to free"),
        (more(1, place(32, BUFFER, 65)), "40: expected 65 bytes inside a live buffer"),
        (more(1, place(33, BUFFER + 60, 8)), "40: expected 8 bytes inside a live buffer"),
        (more(3, place(33, BUFFER, 0)), "120: expected the end of the kernel before the host"),
        (more(3, place(32, BUFFER, 4)), "120: expected the end of the kernel before the host"),
        (more(3, place(37, BUFFER, 0)), "120: expected the end of the kernel before the host"),
    ]
}

/// Changes of `.meta`: what is there, what stands in its place, and words of the message.
const TEXTS: &[(&str, &str, &str)] = &[
    ("alloc 0 addr 0x1000000000000", "alloc 0 addr 12", "%.meta:1: expected a buffer's address"),
    ("alloc 0 addr", "alloc 0 at", "%.meta:1: expected the fields of an alloc"),
    ("bytes 64", "bytes -1", "%.meta:1: expected a buffer's size below 2^64 bytes"),
    ("bytes 64", "bytes 18446744073709551616", "%.meta:1: expected a buffer's size below 2^64"),
    (
        "bytes 64",
        "bytes 18446744073709551615",
        "%.bin, offset 0: expected 18446744073709551615 bytes at 0x1000000000000 as .meta says, \
         found 64",
    ),
    (
        "addr 0x1000000000000",
        "addr 0x2000000000000",
        "%.bin, offset 0: expected 64 bytes at 0x2000000000000 as .meta says, found 64",
    ),
    ("kernel 0", "kernel 1", "%.meta:2: expected launches numbered from 0"),
    ("kernel 0", "kernel x", "%.meta:2: expected launches numbered from 0"),
    ("global 2 1 1", "global 2 1", "%.meta:2: expected three numbers each"),
    ("local 2 1 1", "", "%.meta:2: expected three numbers each"),
    ("groups 1 1 1", "groups 1 -1 1", "%.meta:2: expected three numbers each"),
    ("arg 0 0", "arg 3 0", "%.meta:3: expected a launch that was named before"),
    ("arg 0 0", "arg x 0", "%.meta:3: expected a launch's number"),
    ("space global", "", "%.meta:3: expected an argument's space"),
    ("ptr 0x1000000000000", "ptr 12", "%.meta:3: expected a pointer"),
    ("local 2 1 1", "local 2000000 1 1", "%.bin, offset 40: a work-group of 2000000"),
    ("local 2 1 1", "local 0 1 1", "%.bin, offset 40: a work-group of 0"),
    ("groups 1 1 1", "groups 2 1 1", "%.bin, offset 240: expected 2 work-groups"),
];

/// What `.sum` says of the good capture, with other lines.
fn sums(change: impl Fn(&mut Vec<String>)) -> Vec<u8> {
    let files = [("bin", bytes(&GOOD)), ("meta", META.into()), ("blob", Vec::new())];
    let line =
        |(name, text): &(&str, Vec<u8>)| format!("{name} {} {:08x}", text.len(), crc32(text));
    let mut lines = vec!["duet capture 2".to_string()];
    lines.extend(files.iter().map(line));
    change(&mut lines);
    lines.iter().flat_map(|line| format!("{line}\n").into_bytes()).collect()
}

pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (bin, place) in records() {
        cases.push(capture(2, bin, META, &[&format!("%.bin, offset {place}")]));
    }
    for (before, after, message) in TEXTS {
        assert!(META.contains(before), "{before}");
        let meta = META.replacen(before, after, 1);
        cases.push(capture(2, bytes(&GOOD), &meta, &[message]));
    }
    // A load of bytes that were not stored.
    let wrong = with(4, (0, 0, 0, 0, 4, 0, BUFFER, 8));
    cases.push(capture(4, wrong, META, &["captured values do not follow from its stores"]));
    cases.push(capture(2, Vec::new(), META, &["no work-group in 0 kernels: nothing ran"]));
    let none = bytes(&[ALLOC, BEGIN, END]);
    let meta = META.replace("groups 1 1 1", "groups 0 1 1");
    cases.push(capture(2, none, &meta, &["no work-group in 1 kernels: nothing ran"]));
    // Data of the host that is not there.
    let write = more(1, (0, 0, 0, 33, 0, 0, BUFFER, 8));
    cases.push(capture(2, write, META, &["%.blob, offset 0: expected 8 bytes of host data"]));
    // Files beside the records: too little and too much for two accesses.
    for (ending, bytes_each) in [(".iter", 16), (".gap", 4)] {
        for (len, what) in [(bytes_each, "numbers for each access"), (3 * bytes_each, "the end")] {
            let message = format!("%{ending}, offset ");
            let capture = capture(2, bytes(&GOOD), META, &[&message, "expected ", what]);
            cases.push(capture.file(ending, vec![0; len]));
        }
    }
    let good = || bytes(&GOOD);
    cases.push(case(2, CONVERT, &["%.bin", "No such file"]).file(".meta", META));
    cases.push(case(2, CONVERT, &["%.blob", "No such file"]).file(".bin", good()));
    cases.push(case(2, CONVERT, &["%.meta", "No such"]).file(".bin", good()).file(".blob", ""));
    let text = case(2, CONVERT, &["%.meta:1: expected text in UTF-8"]);
    cases.push(text.file(".bin", good()).file(".blob", "").file(".meta", b"\xff\n"));
    // Any bit of a capture with checksums.
    for (at, bit) in [(0, 1), (8, 2), (147, 128), (184, 16), (279, 1)] {
        let mut bin = good();
        bin[at] ^= bit;
        let message = ["%.bin, offset 0: expected bytes with the checksum"];
        cases.push(capture(2, bin, META, &message).file(".sum", sums(|_| {})));
    }
    let other = META.replace("uint*", "int*2");
    let message = ["%.meta, offset 0: expected bytes with the checksum"];
    cases.push(capture(2, good(), &other, &message).file(".sum", sums(|_| {})));
    let short = good()[..240].to_vec();
    let message = ["%.bin, offset 240: expected 280 bytes, found 240"];
    cases.push(capture(2, short, META, &message).file(".sum", sums(|_| {})));
    let long = [good(), record(&END)].concat();
    let message = ["%.bin, offset 280: expected 280 bytes, found 320"];
    cases.push(capture(2, long, META, &message).file(".sum", sums(|_| {})));
    let damaged: [(Vec<u8>, &str); 7] = [
        (Vec::new(), "%.sum:1: expected \"duet capture 1\" or \"duet capture 2\""),
        (
            sums(|l| l[0] = "duet capture 3".into()),
            "%.sum:1: expected \"duet capture 1\" or \"duet capture 2\"",
        ),
        (sums(|l| l[1] = "bin 280".into()), "%.sum:2: expected the ending of a file"),
        (sums(|l| l[1] = "bin x 00000000".into()), "%.sum:2: expected the ending of a file"),
        (sums(|l| l[2] = "meat 3 00000000".into()), "%.sum:3: expected the ending of a file"),
        (sums(|l| drop(l.pop())), "expected a line of the file .blob, which is there"),
        (sums(|l| l.push("gap 0 00000000".into())), "%.gap: No such file"),
    ];
    for (sum, message) in damaged {
        cases.push(capture(2, good(), META, &[message]).file(".sum", sum));
    }
    cases
}

/// The captures that the cases damage are good.
#[test]
fn captures_that_are_whole_convert_with_checksums_and_with_a_warning_without() {
    let desk = crate::desk::Desk::on_any_build("captures-good");
    let write = |name: &str, bytes: &[u8]| std::fs::write(desk.file(name), bytes).unwrap();
    write("c.bin", &bytes(&GOOD));
    write("c.meta", META.as_bytes());
    write("c.blob", b"");
    let left = desk.duet("trace convert c -o old.trace");
    assert_eq!(left.status, 0, "{}", left.stderr);
    assert!(left.stderr.contains("warning: c.sum: not there"), "{}", left.stderr);
    write("c.sum", &sums(|_| {}));
    let left = desk.passes("trace convert c -o new.trace");
    assert!(left.last_line().contains("1 kernels, 1 work-groups, 1 loads"), "{}", left.stdout);
}
