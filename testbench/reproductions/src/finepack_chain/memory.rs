//! The bytes of one GPU's memory that other GPUs reach: a few ranges, each held whole.

use ports::common::finepack_types::{LineData, aop};

/// An access to a byte that no range holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("address {0:#x} lies outside every range of the memory")]
pub struct OutOfRange(pub u64);

/// One range of addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Range {
    base: u64,
    bytes: Vec<u8>,
}

/// Memory of one GPU. All bytes are 0 at first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    ranges: Vec<Range>,
}

impl Memory {
    /// Adds the addresses `base` to `base + bytes - 1`. Ranges must not overlap.
    pub fn add_range(&mut self, base: u64, bytes: usize) {
        self.ranges.push(Range { base, bytes: vec![0; bytes] });
    }

    /// First byte in which two memories of the same ranges differ, in those ranges whose base is
    /// meant: address, ours, theirs.
    pub fn first_difference(
        &self,
        other: &Self,
        is_meant: impl Fn(u64) -> bool,
    ) -> Option<(u64, u8, u8)> {
        let pairs = self.ranges.iter().zip(&other.ranges);
        pairs.filter(|(a, b)| is_meant(a.base) && a.bytes != b.bytes).find_map(|(a, b)| {
            let i = a.bytes.iter().zip(&b.bytes).position(|(x, y)| x != y)?;
            Some((a.base + i as u64, a.bytes[i], b.bytes[i]))
        })
    }

    /// Writes the bytes of a line whose enable is 1. `line` is the address of byte 0.
    pub fn write(&mut self, line: u64, mask: u128, data: &LineData) -> Result<(), OutOfRange> {
        runs(mask).try_for_each(|run| {
            let place = self.slice(line + run.start as u64, run.len())?;
            place.copy_from_slice(&data.0[run]);
            Ok(())
        })
    }

    /// The bytes of a line whose enable is 1; the others are 0.
    pub fn read(&mut self, line: u64, mask: u128) -> Result<LineData, OutOfRange> {
        let mut data = LineData::default();
        runs(mask).try_for_each(|run| {
            let place = self.slice(line + run.start as u64, run.len())?;
            data.0[run].copy_from_slice(place);
            Ok(())
        })?;
        Ok(data)
    }

    /// Atomic read-modify-write of the 4 or 8 bytes that `mask` enables, with the operands in the
    /// first bytes of `operands`; returns the old bytes in their places.
    pub fn atomic(
        &mut self,
        line: u64,
        mask: u128,
        op: u8,
        operands: &LineData,
    ) -> Result<LineData, OutOfRange> {
        let old = self.read(line, mask)?;
        let (at, size) = (mask.trailing_zeros() as usize, mask.count_ones() as usize);
        let word = |bytes: &[u8]| {
            let mut wide = [0; 8];
            wide[..size].copy_from_slice(&bytes[..size]);
            u64::from_le_bytes(wide)
        };
        let now = word(&old.0[at..]);
        let new =
            apply_atomic(op, 8 * size as u32, now, word(&operands.0), word(&operands.0[size..]));
        self.slice(line + at as u64, size)?.copy_from_slice(&new.to_le_bytes()[..size]);
        Ok(old)
    }

    fn slice(&mut self, addr: u64, len: usize) -> Result<&mut [u8], OutOfRange> {
        self.ranges
            .iter_mut()
            .find_map(|r| {
                let at = usize::try_from(addr.checked_sub(r.base)?).ok()?;
                r.bytes.get_mut(at..at.checked_add(len)?)
            })
            .ok_or(OutOfRange(addr))
    }
}

/// The runs of ones, lowest first.
fn runs(mut left: u128) -> impl Iterator<Item = std::ops::Range<usize>> {
    std::iter::from_fn(move || {
        (left != 0).then(|| {
            let first = left.trailing_zeros();
            let len = (left >> first).trailing_ones();
            left &= left.wrapping_add(1 << first);
            first as usize..(first + len) as usize
        })
    })
}

/// The new value of an atomic of `bits` (32 or 64) bits.
fn apply_atomic(op: u8, bits: u32, old: u64, first: u64, second: u64) -> u64 {
    let signed = |v: u64| (v << (64 - bits)) as i64 >> (64 - bits);
    match op {
        aop::ADD => old.wrapping_add(first),
        aop::SWAP => first,
        aop::CAS if old == first => second,
        aop::MIN if signed(first) < signed(old) => first,
        aop::MAX if signed(first) > signed(old) => first,
        aop::CAS | aop::MIN | aop::MAX => old,
        aop::AND => old & first,
        aop::OR => old | first,
        _ => old ^ first,
    }
}

#[cfg(test)]
mod tests {
    use ports::Bytes;

    use super::*;

    fn line(bytes: &[u8]) -> LineData {
        let mut data = Bytes::default();
        data.0[..bytes.len()].copy_from_slice(bytes);
        data
    }

    #[test]
    fn write_touches_enabled_bytes_only() {
        let mut memory = Memory::default();
        memory.add_range(0x100, 16);
        memory.write(0x100, 0b1010, &line(&[1, 2, 3, 4])).unwrap();
        assert_eq!(memory.read(0x100, 0x1f).unwrap().0[..5], [0, 2, 0, 4, 0]);
    }

    #[test]
    fn access_outside_every_range_names_the_address() {
        let mut memory = Memory::default();
        memory.add_range(0x100, 16);
        assert_eq!(memory.write(0x108, 1 << 8, &line(&[])), Err(OutOfRange(0x110)));
    }

    #[test]
    fn atomics_give_the_old_value_and_store_the_new_one() {
        let mut memory = Memory::default();
        memory.add_range(0, 16);
        memory.write(0, 0xf, &line(&5i32.to_le_bytes())).unwrap();
        let minus_two = line(&(-2i32).to_le_bytes());
        let old = memory.atomic(0, 0xf, aop::MIN, &minus_two).unwrap();
        assert_eq!(old.0[..4], 5i32.to_le_bytes());
        assert_eq!(memory.read(0, u128::MAX >> 112).unwrap().0[..4], (-2i32).to_le_bytes());
        let mut operands = [0; 8];
        operands[..4].copy_from_slice(&(-2i32).to_le_bytes());
        operands[4..].copy_from_slice(&9i32.to_le_bytes());
        memory.atomic(0, 0xf, aop::CAS, &line(&operands)).unwrap();
        assert_eq!(memory.read(0, u128::MAX >> 112).unwrap().0[..4], 9i32.to_le_bytes());
        memory.atomic(0, 0xf, aop::ADD, &line(&[255; 4])).unwrap();
        assert_eq!(memory.read(0, u128::MAX >> 112).unwrap().0[..8], [8, 0, 0, 0, 0, 0, 0, 0]);
    }
}
