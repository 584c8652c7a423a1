//! Which granules an access or a line has (specification 5.1).

/// Bytes of a line.
const LINE: u32 = 128;

/// Granules of one size.
#[derive(Clone, Copy, Debug)]
pub struct Granules {
    /// Log2 of their bytes.
    shift: u32,
}

/// Keys that follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keys {
    /// The first.
    pub first: u32,
    /// How many, at least 1.
    pub count: u32,
}

impl Granules {
    /// Granules of 1, 4, 128 or 512 bytes.
    pub fn new(bytes: u32) -> Self {
        Self { shift: bytes.trailing_zeros() }
    }

    /// Those that the aligned `bytes` around `addr` touch; a power of 2.
    #[inline(always)]
    fn around(self, addr: u32, bytes: u32) -> Keys {
        let low = addr & !(bytes - 1);
        let first = low >> self.shift;
        Keys { first, count: ((low | (bytes - 1)) >> self.shift) - first + 1 }
    }

    /// Those of an access to the `2^size` aligned bytes that hold `addr`; `size` is at most 7.
    #[inline(always)]
    pub fn of_access(self, addr: u32, size: u8) -> Keys {
        self.around(addr, 1 << size)
    }

    /// Those of the line that holds `addr`.
    #[inline(always)]
    pub fn of_line(self, addr: u32) -> Keys {
        self.around(addr, LINE)
    }

    /// Bit k: the line's granule k has a byte in `mask`, of which bit b is the line's byte b.
    #[inline(always)]
    pub fn of_mask(self, mask: u128) -> u128 {
        match self.shift {
            0 => mask,
            2 => (0..LINE / 4).map(|k| u128::from(mask >> (4 * k) & 15 != 0) << k).sum(),
            _ => u128::from(mask != 0),
        }
    }
}
