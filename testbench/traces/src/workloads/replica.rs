//! A GPU's copy of the shared arrays: the in-order store machine.

use std::ops::Range;

use ports::common::finepack_types::{Req, op};

use super::{BlockCopy, Kernel};

/// First address of the shared arrays, the same in each GPU.
pub const BASE: u64 = 0x4000_0000;

/// Memory from [`BASE`] on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replica {
    bytes: Vec<u8>,
    line: u64,
}

impl Replica {
    /// `bytes` zero bytes, lines of `line` bytes.
    pub fn new(bytes: usize, line: u32) -> Self {
        Self { bytes: vec![0; bytes.next_multiple_of(line as usize)], line: line.into() }
    }

    /// All bytes, the first at [`BASE`]; a multiple of a line.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Addresses of all bytes.
    pub fn range(&self) -> Range<u64> {
        BASE..BASE + self.bytes.len() as u64
    }

    /// The bytes at these addresses.
    pub fn slice(&self, range: Range<u64>) -> &[u8] {
        &self.bytes[(range.start - BASE) as usize..(range.end - BASE) as usize]
    }

    /// `N` bytes from `addr`.
    pub fn read<const N: usize>(&self, addr: u64) -> [u8; N] {
        self.slice(addr..addr + N as u64).try_into().expect("N bytes")
    }

    /// Writes bytes from `addr`.
    pub fn write(&mut self, addr: u64, bytes: &[u8]) {
        let at = (addr - BASE) as usize;
        self.bytes[at..at + bytes.len()].copy_from_slice(bytes);
    }

    /// Performs a STORE; other operations change nothing.
    pub fn apply(&mut self, req: &Req) {
        if req.op != op::STORE {
            return;
        }
        let line = (req.addr & !(self.line - 1)) - BASE;
        let mut mask = req.mask;
        while mask != 0 {
            let k = mask.trailing_zeros() as usize;
            self.bytes[line as usize + k] = req.data.0[k];
            mask &= mask - 1;
        }
    }
}

/// Performs the copies of the DMA paradigm on `memory`, where each GPU's own block is up to date in
/// `owners` (the workload's memory). An oracle for runs that copy instead of storing.
pub fn apply_copies(kernels: &[Kernel], owners: &[Replica], memory: &mut [Replica]) {
    for (gpu, kernel) in kernels.iter().enumerate() {
        for BlockCopy { dest, range } in &kernel.copies {
            let bytes = owners[gpu].slice(range.clone());
            memory[usize::from(*dest)].write(range.start, bytes);
            memory[gpu].write(range.start, bytes);
        }
    }
}
