//! The header of a kernel's file: fields, one a line, up to a line that begins with `#`.

use super::line::{Line, WARP};

/// Bytes of a window onto shared or local memory.
const WINDOW: u64 = 1 << 24;
/// Versions of the tracer whose files are read. Before 3 each instruction began with the number of
/// its thread block.
const VERSIONS: std::ops::RangeInclusive<u32> = 3..=6;

/// Most fields of a header.
const MOST_FIELDS: usize = 64;

/// What stands before the thread blocks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// Name.
    pub name: String,
    /// Thread blocks.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// Bytes of shared memory of a block.
    pub group_memory: u32,
    /// CUDA stream.
    pub stream: u64,
    /// Instructions begin with the line of the source.
    pub numbered: bool,
    /// Fields that are not known.
    pub unknown: Vec<String>,
    /// Start of the window onto shared memory, 0 for none.
    shared: u64,
    /// Start of the window onto local memory, 0 for none.
    local: u64,
    /// Fields that were read.
    seen: Vec<String>,
}

/// Fields without which nothing can be read.
const NEEDED: [&str; 5] =
    ["kernel name", "grid dim", "block dim", "shmem", "accelsim tracer version"];

impl Header {
    /// Reads a field. Errors: what is expected.
    pub fn field(&mut self, line: &str) -> Result<(), String> {
        let field = line.strip_prefix('-').and_then(|line| line.split_once('='));
        let Some((key, value)) = field else {
            return Err("a header line, -FIELD = VALUE".to_string());
        };
        let (key, value) = (key.trim(), value.trim());
        if self.seen.len() == MOST_FIELDS {
            return Err(format!("at most {MOST_FIELDS} header lines"));
        }
        if self.seen.iter().any(|seen| seen == key) {
            return Err(format!("-{key} once"));
        }
        let known = match key {
            "kernel name" => set(&mut self.name, Some(value.to_string())),
            "grid dim" => set(&mut self.grid, sizes(value)?),
            "block dim" => set(&mut self.block, sizes(value)?),
            "shmem" => set(&mut self.group_memory, value.parse().ok()),
            "cuda stream id" => set(&mut self.stream, value.parse().ok()),
            "shmem base_addr" => set(&mut self.shared, hexadecimal(value)),
            "local mem base_addr" => set(&mut self.local, hexadecimal(value)),
            "enable lineinfo" if !matches!(value, "0" | "1") => false,
            "enable lineinfo" => set(&mut self.numbered, Some(value == "1")),
            "accelsim tracer version" => {
                if !value.parse().is_ok_and(|version: u32| VERSIONS.contains(&version)) {
                    let (first, last) = (VERSIONS.start(), VERSIONS.end());
                    return Err(format!(
                        "an accelsim tracer version {first} to {last}, found {value}"
                    ));
                }
                true
            }
            // What a trace has no place for.
            "kernel id" | "nregs" | "binary version" => value.parse::<u32>().is_ok(),
            "cluster dim" => dimensions(value).is_some(),
            "nvbit version" => true,
            _ => {
                self.unknown.push(key.to_string());
                true
            }
        };
        if !known {
            return Err(format!("a header line with its value, found {line}"));
        }
        self.seen.push(key.to_string());
        Ok(())
    }

    /// A field that is needed and missing.
    pub fn missing(&self) -> Option<&'static str> {
        NEEDED.into_iter().find(|needed| !self.seen.iter().any(|seen| seen == needed))
    }

    /// Threads in each dimension. None: 2^32 or more.
    pub fn threads(&self) -> Option<[u32; 3]> {
        let mut threads = self.grid;
        for (threads, block) in threads.iter_mut().zip(self.block) {
            *threads = threads.checked_mul(block)?;
        }
        Some(threads)
    }

    /// Thread blocks. None: 2^64 or more.
    pub fn blocks(&self) -> Option<u64> {
        self.grid.into_iter().map(u64::from).try_fold(1, u64::checked_mul)
    }

    /// Number of the thread block at a place of the grid, x fastest.
    pub fn number(&self, at: [u32; 3]) -> Option<u64> {
        let inside = at.iter().zip(&self.grid).all(|(at, size)| at < size);
        let ([x, y, z], [width, height, _]) = (at.map(u64::from), self.grid.map(u64::from));
        inside.then(|| (z * height + y) * width + x)
    }

    /// Threads of a thread block.
    pub fn block_threads(&self) -> u64 {
        self.block.into_iter().map(u64::from).fold(1, u64::saturating_mul)
    }

    /// Warps of a thread block.
    pub fn warps(&self) -> u64 {
        self.block_threads().div_ceil(WARP as u64)
    }

    /// Lanes and addresses of a line's accesses to global memory.
    pub fn global_lanes(&self, line: &Line) -> impl Iterator<Item = (usize, u64)> {
        let pairs = line.lanes().zip(line.addrs.iter().copied());
        pairs.filter(|&(_, addr)| !line.generic || self.is_global(addr))
    }

    /// True when a generic address is one of global memory. A window that begins at 0 is none. That
    /// onto shared memory ends where that onto local memory begins.
    pub fn is_global(&self, addr: u64) -> bool {
        let window = |from: u64, end: u64| from != 0 && (from..end).contains(&addr);
        let local_end = self.local.saturating_add(WINDOW);
        let shared_end = match self.local {
            local if local > self.shared => local,
            _ => self.shared.saturating_add(WINDOW),
        };
        !window(self.shared, shared_end) && !window(self.local, local_end)
    }
}

/// False when there is no value.
fn set<T>(field: &mut T, value: Option<T>) -> bool {
    value.map(|value| *field = value).is_some()
}

/// `(x,y,z)`
fn dimensions(text: &str) -> Option<[u32; 3]> {
    triple(text.strip_prefix('(')?.strip_suffix(')')?)
}

/// Dimensions of which none is 0.
fn sizes(text: &str) -> Result<Option<[u32; 3]>, String> {
    match dimensions(text) {
        Some(sizes) if sizes.contains(&0) => {
            Err(format!("a grid dim and a block dim of at least 1 in each dimension, found {text}"))
        }
        sizes => Ok(sizes),
    }
}

/// `x,y,z`
pub fn triple(text: &str) -> Option<[u32; 3]> {
    let mut numbers = text.split(',').map(|n| n.trim().parse().ok());
    let sizes = [numbers.next()??, numbers.next()??, numbers.next()??];
    numbers.next().is_none().then_some(sizes)
}

/// With or without `0x`.
pub fn hexadecimal(text: &str) -> Option<u64> {
    u64::from_str_radix(text.strip_prefix("0x").unwrap_or(text), 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(fields: &[&str]) -> Header {
        let mut header = Header::default();
        fields.iter().for_each(|field| header.field(field).unwrap());
        header
    }

    #[test]
    fn windows_are_no_global_memory() {
        let shared = "-shmem base_addr = 0x00007f3900000000";
        let local = "-local mem base_addr = 0x00007f3901000000";
        let both = header(&[shared, local]);
        for (addr, global) in [
            (0x7f38_ffff_ffff, true),
            (0x7f39_0000_0000, false),
            (0x7f39_00ff_ffff, false),
            (0x7f39_0100_0000, false),
            (0x7f39_01ff_ffff, false),
            (0x7f39_0200_0000, true),
        ] {
            assert_eq!(both.is_global(addr), global, "{addr:#x}");
        }
        let zero = header(&["-shmem base_addr = 0x0", "-local mem base_addr = 0x0"]);
        assert!(zero.is_global(0) && zero.is_global(0x1000) && header(&[]).is_global(0x1000));
        let one = header(&["-shmem base_addr = 0x0", local]);
        assert!(one.is_global(0x1000) && !one.is_global(0x7f39_0100_0000));
        let other = header(&[shared, "-local mem base_addr = 0x0"]);
        assert!(other.is_global(0x1000) && !other.is_global(0x7f39_0000_0000));
    }

    #[test]
    fn thread_blocks_are_numbered_with_x_fastest() {
        let header = header(&["-grid dim = (4,3,2)"]);
        assert_eq!((header.number([1, 0, 0]), header.number([3, 2, 1])), (Some(1), Some(23)));
        assert_eq!((header.number([0, 1, 0]), header.number([0, 0, 1])), (Some(4), Some(12)));
        assert_eq!((header.number([4, 0, 0]), header.number([0, 0, 2])), (None, None));
    }

    #[test]
    fn bad_fields_are_refused_with_their_value() {
        for (field, expected) in [
            ("shmem = 1", "a header line, -FIELD = VALUE"),
            ("-shmem", "a header line, -FIELD = VALUE"),
            ("-shmem = -1", "a header line with its value, found -shmem = -1"),
            ("-nregs = x", "a header line with its value, found -nregs = x"),
            ("-kernel id = x", "found -kernel id = x"),
            ("-binary version = ", "found -binary version ="),
            ("-cuda stream id = default", "found -cuda stream id = default"),
            ("-cluster dim = 1", "found -cluster dim = 1"),
            ("-enable lineinfo = yes", "found -enable lineinfo = yes"),
            ("-grid dim = (1,1)", "found -grid dim = (1,1)"),
            ("-block dim = (0,1,1)", "a grid dim and a block dim of at least 1"),
            ("-accelsim tracer version = 2", "an accelsim tracer version 3 to 6, found 2"),
            ("-accelsim tracer version = 7", "an accelsim tracer version 3 to 6, found 7"),
            ("-accelsim tracer version = 1.2", "an accelsim tracer version 3 to 6, found 1.2"),
        ] {
            let error = Header::default().field(field).unwrap_err();
            assert!(error.contains(expected), "{field}: {error}");
        }
        let mut twice = header(&["-shmem = 0"]);
        assert_eq!(twice.field("-shmem = 8").unwrap_err(), "-shmem once");
        let mut many = Header::default();
        let refused = (0..65).map(|n| many.field(&format!("-field{n} = 0"))).find_map(Result::err);
        assert_eq!((refused.as_deref(), many.seen.len()), (Some("at most 64 header lines"), 64));
        let unknown = header(&["-colour = 1"]);
        assert_eq!((unknown.unknown, unknown.seen.len()), (vec!["colour".to_string()], 1));
    }
}
