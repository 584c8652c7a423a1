//! Write-back L2s over memory, byte by byte. Of a copy only counts whether it is the newest value
//! of its byte: that is all that a load is compared with, and it keeps the states few however many
//! stores there are.

/// Chiplets.
pub const CHIPLETS: usize = 2;
/// Bytes that there is room for.
pub const BYTES: usize = 4;

/// A byte in an L2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Copy {
    /// It is there.
    pub valid: bool,
    /// It must be written back.
    pub dirty: bool,
    /// It is the newest value.
    pub newest: bool,
}

/// A byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Byte {
    l2: [Copy; CHIPLETS],
    /// Memory has the newest value.
    newest: bool,
}

/// All L2s and memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Memory {
    bytes: [Byte; BYTES],
}

impl Memory {
    /// Empty L2s.
    pub fn new() -> Self {
        Self { bytes: [Byte { l2: [Copy::default(); CHIPLETS], newest: true }; BYTES] }
    }

    /// A byte in an L2.
    pub fn copy(&self, chiplet: usize, byte: usize) -> Copy {
        self.bytes[byte].l2[chiplet]
    }

    /// True where memory has the newest value of the byte.
    pub fn is_newest(&self, byte: usize) -> bool {
        self.bytes[byte].newest
    }

    /// The L2 fetches what it has not of these bytes, a line.
    pub fn fetch(&mut self, chiplet: usize, line: &[usize]) {
        for &byte in line {
            let Byte { l2, newest } = &mut self.bytes[byte];
            if !l2[chiplet].valid {
                l2[chiplet] = Copy { valid: true, dirty: false, newest: *newest };
            }
        }
    }

    /// A store that stays in the L2, or is written through it.
    pub fn store(&mut self, chiplet: usize, byte: usize, through: bool) {
        self.outdate(byte);
        let Byte { l2, newest } = &mut self.bytes[byte];
        l2[chiplet] = Copy { valid: true, dirty: !through, newest: true };
        *newest = through;
    }

    /// The host stores into memory.
    pub fn host_store(&mut self, byte: usize) {
        self.outdate(byte);
        self.bytes[byte].newest = true;
    }

    fn outdate(&mut self, byte: usize) {
        let Byte { l2, newest } = &mut self.bytes[byte];
        *newest = false;
        l2.iter_mut().for_each(|copy| copy.newest = false);
    }

    /// What is dirty of these bytes goes into memory; the copies stay.
    pub fn write_back(&mut self, chiplet: usize, bytes: impl IntoIterator<Item = usize>) {
        for byte in bytes {
            let Byte { l2, newest } = &mut self.bytes[byte];
            if std::mem::take(&mut l2[chiplet].dirty) {
                *newest = l2[chiplet].newest;
            }
        }
    }

    /// All copies of these bytes go. True where one was dirty.
    pub fn drop(&mut self, chiplet: usize, bytes: impl IntoIterator<Item = usize>) -> bool {
        let mut dirty = false;
        for byte in bytes {
            dirty |= std::mem::take(&mut self.bytes[byte].l2[chiplet]).dirty;
        }
        dirty
    }
}
