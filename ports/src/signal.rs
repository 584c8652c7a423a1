//! Values that travel as bits.

use super::bits::{Reader, Writer};

/// One named run of bits inside a port, for reports, waveforms and the check against the RTL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// Dotted name below the port; empty when the port is one plain value.
    pub name: String,
    /// Bits.
    pub width: u32,
    /// Lowest bit within the port.
    pub lsb: u32,
}

/// The SystemVerilog name of a message type: a macro in `rtl/common`, and its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SvType {
    /// Header that defines the macro.
    pub header: &'static str,
    /// Macro name.
    pub name: &'static str,
    /// Macro arguments.
    pub args: Vec<u32>,
}

/// A value that travels as bits. `Shape` is what its width depends on: the number of bits of an
/// integer, the parameters of a message.
pub trait Signal: Default + PartialEq {
    /// What the width depends on.
    type Shape: Copy;
    /// Arrays of it are compared whole, in wide loads, and not value by value.
    const IS_PLAIN: bool = false;
    /// Width in bits.
    fn width(shape: Self::Shape) -> u32;
    /// Appends this value, least significant bit first.
    fn put(&self, shape: Self::Shape, to: &mut Writer);
    /// Takes a value. `self` is the default value before. It is filled where it lies: bytes that
    /// were just stored one by one are slow to move in a wider load.
    fn get(&mut self, shape: Self::Shape, from: &mut Reader);
    /// Takes a value, and compares this one with it.
    #[inline(always)]
    fn equals(&self, shape: Self::Shape, from: &mut Reader) -> bool {
        let mut taken = Self::default();
        taken.get(shape, from);
        *self == taken
    }
    /// Names the runs of bits, least significant first, the first at bit `lsb`.
    fn leaves(shape: Self::Shape, name: &str, lsb: u32, into: &mut Vec<Leaf>) {
        into.push(Leaf { name: name.to_string(), width: Self::width(shape), lsb });
    }
    /// True in a valid, a ready or another plain bit that is 1.
    #[inline(always)]
    fn is_set(&self) -> bool {
        false
    }
    /// The SystemVerilog type that must have these fields, if it is a struct.
    fn sv_type(_shape: Self::Shape) -> Option<SvType> {
        None
    }
}

macro_rules! integer_signal {
    ($($t:ty),*) => {$(
        impl Signal for $t {
            type Shape = u32;
            const IS_PLAIN: bool = true;
            #[inline]
            fn width(bits: u32) -> u32 {
                bits
            }
            #[inline(always)]
            fn put(&self, bits: u32, to: &mut Writer) {
                to.put(u64::from(*self), bits);
            }
            #[inline(always)]
            fn get(&mut self, bits: u32, from: &mut Reader) {
                *self = from.get(bits) as $t;
            }
        }
    )*};
}
integer_signal!(u8, u16, u32, u64);

impl Signal for bool {
    type Shape = u32;
    #[inline(always)]
    fn is_set(&self) -> bool {
        *self
    }
    #[inline]
    fn width(_one: u32) -> u32 {
        1
    }
    #[inline(always)]
    fn put(&self, _one: u32, to: &mut Writer) {
        to.put(u64::from(*self), 1);
    }
    #[inline(always)]
    fn get(&mut self, _one: u32, from: &mut Reader) {
        *self = from.get(1) != 0;
    }
}

impl Signal for u128 {
    type Shape = u32;
    #[inline]
    fn width(bits: u32) -> u32 {
        bits
    }
    #[inline(always)]
    fn put(&self, bits: u32, to: &mut Writer) {
        to.put(*self as u64, bits.min(64));
        if bits > 64 {
            to.put((*self >> 64) as u64, bits - 64);
        }
    }
    #[inline(always)]
    fn get(&mut self, bits: u32, from: &mut Reader) {
        *self = u128::from(from.get(bits.min(64)));
        if bits > 64 {
            *self |= u128::from(from.get(bits - 64)) << 64;
        }
    }
}

/// Up to `N` bytes, byte 0 lowest. The shape is the number of bytes in use, a multiple of 4; the
/// rest is zero.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Bytes<const N: usize>(pub [u8; N]);

impl<const N: usize> Default for Bytes<N> {
    fn default() -> Self {
        Self([0; N])
    }
}

impl<const N: usize> std::fmt::Debug for Bytes<N> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let used = self.0.iter().rposition(|&b| b != 0).map_or(0, |i| i + 1);
        f.write_str("[")?;
        self.0[..used].iter().try_for_each(|b| write!(f, "{b:02x}"))?;
        f.write_str("]")
    }
}

impl<const N: usize> Signal for Bytes<N> {
    type Shape = u32;
    #[inline]
    fn width(bytes: u32) -> u32 {
        8 * bytes
    }
    #[inline(always)]
    fn put(&self, bytes: u32, to: &mut Writer) {
        to.put_bytes(&self.0[..bytes as usize]);
    }
    #[inline(always)]
    fn get(&mut self, bytes: u32, from: &mut Reader) {
        from.get_bytes(&mut self.0[..bytes as usize]);
    }
}

/// Up to `N` values of one kind, element 0 lowest. The shape is (each element's shape, count).
impl<T: Signal, const N: usize> Signal for [T; N]
where
    [T; N]: Default,
{
    type Shape = (T::Shape, u32);
    #[inline]
    fn width((shape, count): Self::Shape) -> u32 {
        T::width(shape) * count
    }
    #[inline(always)]
    fn put(&self, (shape, count): Self::Shape, to: &mut Writer) {
        for value in &self[..count as usize] {
            value.put(shape, to);
        }
    }
    fn leaves((shape, count): Self::Shape, name: &str, lsb: u32, into: &mut Vec<Leaf>) {
        for i in 0..count {
            T::leaves(shape, &format!("{name}[{i}]"), lsb + i * T::width(shape), into);
        }
    }
    #[inline(always)]
    fn get(&mut self, (shape, count): Self::Shape, from: &mut Reader) {
        for value in &mut self[..count as usize] {
            value.get(shape, from);
        }
    }
    #[inline(always)]
    fn equals(&self, (shape, count): Self::Shape, from: &mut Reader) -> bool {
        if T::IS_PLAIN {
            let mut taken = Self::default();
            taken.get((shape, count), from);
            return *self == taken;
        }
        let (used, rest) = self.split_at(count as usize);
        let mut equal = true;
        for value in used {
            equal &= value.equals(shape, from);
        }
        for value in rest {
            equal &= *value == T::default();
        }
        equal
    }
}
