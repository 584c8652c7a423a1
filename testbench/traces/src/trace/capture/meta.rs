//! The text that goes with a raw capture: buffers, kernels, arguments.

use std::collections::HashMap;
use std::path::Path;

use crate::trace::Error;
use crate::trace::lines::{Compression, Lines};

/// A kernel launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Launch {
    /// Name.
    pub name: String,
    /// Work-items.
    pub global: [u32; 3],
    /// Work-items of a work-group.
    pub local: [u32; 3],
    /// Work-groups.
    pub groups: [u32; 3],
    /// Bytes of work-group memory.
    pub group_memory: u32,
    /// Arguments.
    pub args: Vec<LaunchArg>,
}

/// An argument of a launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LaunchArg {
    /// Name in the source.
    pub name: String,
    /// Address in the capture, of memory.
    pub pointer: Option<u64>,
    /// Declared or found to be only read, or not even that.
    pub read_only: bool,
}

/// A buffer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Allocation {
    /// Its number and the offset, as in the records.
    pub addr: u64,
    /// Its size.
    pub bytes: u64,
    /// Name of the first argument that it is passed as.
    pub name: Option<String>,
    /// That argument points to unsigned numbers.
    pub unsigned: bool,
    /// It has no flags, as constants of the source.
    pub is_plain: bool,
}

/// All of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meta {
    /// Launches, in order.
    pub launches: Vec<Launch>,
    /// Buffers, in the order of their allocation.
    pub allocations: Vec<Allocation>,
}

/// Number of the buffer that a capture's address lies in.
pub fn buffer_of(addr: u64) -> u16 {
    (addr >> 48) as u16
}

/// Reads the file.
pub fn read(path: &Path) -> Result<Meta, Error> {
    let mut lines = Lines::open(path, Compression::None)?;
    let mut parser = Parser::default();
    while lines.next()? {
        parser.line(lines.line()).map_err(|expected| lines.error(expected))?;
    }
    Ok(parser.meta)
}

#[derive(Default)]
struct Parser {
    meta: Meta,
    /// Current allocation of each buffer number.
    current: HashMap<u16, usize>,
}

impl Parser {
    fn line(&mut self, line: &str) -> Result<(), &'static str> {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        match words.as_slice() {
            ["alloc", _, "addr", addr, "bytes", bytes, rest @ ..] => self.alloc(addr, bytes, rest),
            ["kernel", number, name, rest @ ..] => self.kernel(number, name, rest),
            ["arg", kernel, _, "name", name, "type", rest @ ..] => self.arg(kernel, name, rest),
            ["alloc" | "kernel" | "arg", ..] => Err("the fields of an alloc, kernel or arg line"),
            // Host accesses stand in the records too; places in the source are not used.
            _ => Ok(()),
        }
    }

    fn alloc(&mut self, addr: &str, bytes: &str, rest: &[&str]) -> Result<(), &'static str> {
        let addr = hexadecimal(addr).ok_or("a buffer's address")?;
        let bytes = bytes.parse().map_err(|_| "a buffer's size below 2^64 bytes")?;
        self.current.insert(buffer_of(addr), self.meta.allocations.len());
        let is_plain = rest.windows(2).any(|pair| pair == ["flags", "0x0"]);
        self.meta.allocations.push(Allocation { addr, bytes, is_plain, ..Allocation::default() });
        Ok(())
    }

    fn kernel(&mut self, number: &str, name: &str, rest: &[&str]) -> Result<(), &'static str> {
        if number.parse() != Ok(self.meta.launches.len()) {
            return Err("launches numbered from 0");
        }
        let sizes = |word: &str| -> Option<[u32; 3]> {
            let at = rest.iter().position(|&w| w == word)?;
            let mut sizes = [0; 3];
            for (size, word) in sizes.iter_mut().zip(rest.get(at + 1..at + 4)?) {
                *size = word.parse().ok()?;
            }
            Some(sizes)
        };
        let (global, local, groups) = (sizes("global"), sizes("local"), sizes("groups"));
        let (Some(global), Some(local), Some(groups)) = (global, local, groups) else {
            return Err("three numbers each after global, local and groups");
        };
        let at = rest.iter().position(|&w| w == "lmem");
        let bytes = at.and_then(|at| rest.get(at + 1)?.parse().ok());
        let group_memory = bytes.ok_or("bytes of work-group memory after lmem")?;
        let (name, args) = (name.to_string(), Vec::new());
        self.meta.launches.push(Launch { name, global, local, groups, group_memory, args });
        Ok(())
    }

    fn arg(&mut self, kernel: &str, name: &str, rest: &[&str]) -> Result<(), &'static str> {
        let number: usize = kernel.parse().map_err(|_| "a launch's number")?;
        // The type may be several words.
        let space = rest.iter().position(|&w| w == "space").ok_or("an argument's space")?;
        let (kind, fields) = rest.split_at(space);
        let field = |word: &str| {
            let at = fields.iter().step_by(2).position(|&w| w == word)?;
            fields.get(2 * at + 1).copied()
        };
        let flag = |word: &str| field(word) == Some("1");
        let pointer = match field("ptr") {
            Some(word) => Some(hexadecimal(word).ok_or("a pointer")?).filter(|&addr| addr != 0),
            None => None,
        };
        let read_only = flag("const")
            || flag("llvm_readonly")
            || flag("llvm_readnone")
            || field("space") == Some("constant");
        let allocation = pointer.and_then(|addr| self.current.get(&buffer_of(addr)));
        if let Some(allocation) = allocation.and_then(|&at| self.meta.allocations.get_mut(at))
            && allocation.name.is_none()
        {
            allocation.name = Some(name.to_string());
            allocation.unsigned = kind.first().is_some_and(|word| word.starts_with('u'));
        }
        let launch = self.meta.launches.get_mut(number).ok_or("a launch that was named before")?;
        launch.args.push(LaunchArg { name: name.to_string(), pointer, read_only });
        Ok(())
    }
}

fn hexadecimal(word: &str) -> Option<u64> {
    u64::from_str_radix(word.strip_prefix("0x")?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Meta, &'static str> {
        let mut parser = Parser::default();
        text.lines().try_for_each(|line| parser.line(line))?;
        Ok(parser.meta)
    }

    const KERNEL: &str = "kernel 0 K dim 1 global 64 2 1 local 32 1 1 offset 0 0 0 groups 2 2 1 \
                          lmem 512 args 2";

    #[test]
    fn launches_and_names_of_buffers_are_found() {
        let arg = "const 0 restrict 0 volatile 0 access 0x1 llvm_readonly 1 llvm_writeonly 0";
        let text = format!(
            "alloc 0 addr 0x1000000000000 bytes 64 flags 0x2 init 0 blob 0\n\
             pc 1 fn K op load as 1 line 2\n{KERNEL}\n\
             arg 0 0 name ptr type unsigned int* space global {arg} ptr 0x1000000000010 buf 1\n\
             arg 0 1 name n type int space private {arg} value_bytes 4 hex 00\n\
             alloc 1 addr 0x1000000000000 bytes 8 flags 0x2 init 0 blob 0\n"
        );
        let meta = parse(&text).unwrap();
        let launch = &meta.launches[0];
        assert_eq!(
            (launch.global, launch.local, launch.groups),
            ([64, 2, 1], [32, 1, 1], [2, 2, 1])
        );
        assert_eq!(launch.group_memory, 512);
        let pointer = Some(0x1_0000_0000_0010);
        assert_eq!((launch.args[0].pointer, launch.args[0].read_only), (pointer, true));
        assert_eq!(launch.args[1].pointer, None);
        assert_eq!(meta.allocations[0].name.as_deref(), Some("ptr"));
        assert!(meta.allocations[0].unsigned);
        let (addr, bytes) = (0x1_0000_0000_0000, 8);
        assert_eq!(meta.allocations[1], Allocation { addr, bytes, ..Allocation::default() });
    }

    #[test]
    fn bad_lines_are_refused() {
        assert!(parse("kernel 1 K").is_err());
        assert!(parse("kernel 0 K global 1 1").is_err());
        assert!(parse(&KERNEL.replace("lmem 512", "lmem x")).is_err());
        assert!(parse("arg 0 0 name a type int space private").is_err());
        assert!(parse("alloc 0 addr 12").is_err());
        assert!(parse("alloc 0 addr 0x1000000000000 bytes").is_err());
        assert!(parse("alloc 0 addr 0x1000000000000 bytes 18446744073709551616").is_err());
        assert!(parse(KERNEL).is_ok());
    }
}
