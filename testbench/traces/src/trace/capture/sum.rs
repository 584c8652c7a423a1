//! `PREFIX.sum`: bytes and checksum of each file of a capture.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use super::with_ending;
use crate::trace::Error;
use crate::trace::lines::{Compression, Lines};

/// The first line: the version of a capture's files.
const VERSIONS: [&str; 2] = ["duet capture 1", "duet capture 2"];
/// Files of a capture; the last three may be missing.
const FILES: [&str; 6] = ["bin", "meta", "blob", "iter", "work", "gap"];

/// Takes the checksum of what is written to it.
#[derive(Default)]
struct Checksum(crc32fast::Hasher);

impl Write for Checksum {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Compares the files with what is said of them; false where nothing is. Errors: one is not what it
/// was.
pub fn check(prefix: &Path) -> Result<bool, Error> {
    let path = with_ending(prefix, ".sum");
    if !path.exists() {
        return Ok(false);
    }
    let mut lines = Lines::open(&path, Compression::None)?;
    let expected = VERSIONS.map(|version| format!("{version:?}")).join(" or ");
    if !lines.next()? || !VERSIONS.contains(&lines.line().trim_end()) {
        return Err(lines.error(&expected));
    }
    let mut named = Vec::new();
    while lines.next()? {
        let words: Vec<_> = lines.line().split_whitespace().collect();
        let read = |[name, bytes, checksum]: [&str; 3]| {
            let name = FILES.into_iter().find(|file| *file == name)?;
            Some((name, bytes.parse().ok()?, u32::from_str_radix(checksum, 16).ok()?))
        };
        let line = <[&str; 3]>::try_from(words).ok().and_then(read);
        let (name, bytes, checksum) =
            line.ok_or_else(|| lines.error("the ending of a file, bytes and checksum"))?;
        compare(&with_ending(prefix, &format!(".{name}")), bytes, checksum)?;
        named.push(name);
    }
    let is_there = |name: &&str| with_ending(prefix, &format!(".{name}")).exists();
    match FILES.into_iter().filter(is_there).find(|name| !named.contains(name)) {
        Some(name) => Err(lines.error(&format!("a line of the file .{name}, which is there"))),
        None => Ok(true),
    }
}

fn compare(path: &Path, bytes: u64, checksum: u32) -> Result<(), Error> {
    let name = path.display().to_string();
    let mut found = Checksum::default();
    let read = File::open(path).and_then(|mut file| io::copy(&mut file, &mut found));
    let read = read.map_err(Error::io(&name))?;
    if read != bytes {
        return Err(Error::damaged(&name, read.min(bytes), format!("{bytes} bytes, found {read}")));
    }
    let found = found.0.finalize();
    if found != checksum {
        let expected = format!("bytes with the checksum {checksum:08x}, found {found:08x}");
        return Err(Error::damaged(&name, 0, expected));
    }
    Ok(())
}
