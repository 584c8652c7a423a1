//! Device memory as a kernel sees it: typed arrays at addresses of the trace.

use std::cell::Cell;

/// What a buffer is made of: 1 to 16 bytes, a power of 2 of them, little-endian as on the GPU. The
/// default value is all zeros, as fresh device memory is.
pub trait Element: Copy + Default {
    /// Size.
    const BYTES: usize;

    /// The value in the first [`Self::BYTES`] bytes.
    fn encode(self) -> [u8; 16];
}

/// Elements on which atomic arithmetic works; it wraps.
pub trait Integer: Element + Ord {
    /// Tells signed from unsigned minimum.
    const SIGNED: bool;

    /// The sum, wrapped.
    fn plus(self, other: Self) -> Self;
}

macro_rules! elements {
    ($($type:ty),*) => {$(
        impl Element for $type {
            const BYTES: usize = size_of::<$type>();

            #[inline]
            fn encode(self) -> [u8; 16] {
                let mut bytes = [0; 16];
                bytes[..Self::BYTES].copy_from_slice(&self.to_le_bytes());
                bytes
            }
        }
    )*};
}

macro_rules! integers {
    ($($type:ty),*) => {$(
        impl Integer for $type {
            const SIGNED: bool = <$type>::MIN != 0;

            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
        }
    )*};
}

elements!(u8, u32, i32, i64, f32);
integers!(u32, i32, i64);

/// Vectors, loaded and stored whole: `float2` and `float4`.
impl<const N: usize> Element for [f32; N]
where
    [f32; N]: Default,
{
    const BYTES: usize = {
        assert!(N == 2 || N == 4);
        4 * N
    };

    fn encode(self) -> [u8; 16] {
        let mut bytes = [0; 16];
        for (lane, bytes) in self.iter().zip(bytes.chunks_exact_mut(4)) {
            bytes.copy_from_slice(&lane.to_le_bytes());
        }
        bytes
    }
}

/// An array in device memory. Cells, because work-items share it; they run one after another.
pub struct Buffer<T> {
    addr: u64,
    cells: Vec<Cell<T>>,
}

impl<T: Element> Buffer<T> {
    pub(super) fn new(addr: u64, len: usize) -> Self {
        // Zeroed memory that the operating system provides when it is touched: of a gigabyte, a
        // program may access a part.
        let zeros = vec![T::default(); len];
        Self { addr, cells: zeros.into_iter().map(Cell::new).collect() }
    }

    /// Elements.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Address of an element, or of the end.
    pub(super) fn addr(&self, index: usize) -> u64 {
        self.addr + (index * T::BYTES) as u64
    }

    /// The element. A kernel that leaves its buffer is broken: panics.
    pub(super) fn cell(&self, index: usize) -> &Cell<T> {
        &self.cells[index]
    }

    pub(super) fn cells(&self) -> &[Cell<T>] {
        &self.cells
    }
}
