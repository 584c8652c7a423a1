//! Sets of bytes: of one line, and of all lines that a kernel touches.

/// Bytes of one line, one bit each.
pub type Mask = u128;

/// The bytes `first` to `last` of a line.
pub fn span(first: usize, last: usize) -> Mask {
    (Mask::MAX >> (127 - (last - first))) << first
}

/// The numbers of the bytes in a mask.
pub fn each(mut mask: Mask) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let byte = mask.trailing_zeros() as usize;
        mask &= mask.wrapping_sub(1);
        (byte < 128).then_some(byte)
    })
}

/// The touched bytes of a line.
#[derive(Clone, Copy, Debug, Default)]
pub struct Touched {
    pub read: Mask,
    pub written: Mask,
}

impl Touched {
    pub fn add(&mut self, mask: Mask, write: bool) {
        let to = if write { &mut self.written } else { &mut self.read };
        *to |= mask;
    }

    /// Both touch a byte, and one of them writes it.
    pub fn conflicts(&self, other: &Self) -> bool {
        self.written & (other.read | other.written) != 0 || self.read & other.written != 0
    }
}

/// What a kernel touches, by spot.
#[derive(Clone, Debug, Default)]
pub struct Footprint(Vec<Touched>);

impl Footprint {
    pub fn new(spots: usize) -> Self {
        Self(vec![Touched::default(); spots])
    }

    pub fn add(&mut self, spot: usize, mask: Mask, write: bool) {
        self.0[spot].add(mask, write);
    }

    pub fn at(&self, spot: usize) -> &Touched {
        &self.0[spot]
    }

    pub fn conflicts(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a.conflicts(b))
    }
}
