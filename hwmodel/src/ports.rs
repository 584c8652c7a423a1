//! Ports declared once: what the bits of a block's ports mean, in Rust, with everything that the
//! bridge, the comparison, the reports and the waveforms need derived from the one declaration.
//!
//! - [`Signal`]: a value that travels as bits (`bool`, integers, byte arrays, messages).
//! - [`message!`]: a SystemVerilog `struct packed` and the Rust struct of the same fields.
//! - [`ports!`]: one direction of a block's ports.
//!
//! All ports of one direction form an *image*: each port in declaration order, starting at a new
//! 32-bit word, bit 0 in bit 0 of the first word. That is how Verilator stores wide ports.

/// Appends bits to an image, least significant first.
pub struct Writer<'a> {
    words: &'a mut [u32],
    pos: usize,
}

impl<'a> Writer<'a> {
    /// Writes from bit 0 of `words`.
    pub fn new(words: &'a mut [u32]) -> Self {
        Self { words, pos: 0 }
    }

    /// Appends the low `bits` (0..=64) bits of `value`.
    #[inline(always)]
    pub fn put(&mut self, value: u64, bits: u32) {
        let value = if bits < 64 { value & ((1 << bits) - 1) } else { value };
        let (word, shift) = (self.pos / 32, self.pos % 32);
        let wide = u128::from(value) << shift;
        let used = shift + bits as usize;
        let keep = (1u32 << shift) - 1;
        if bits > 0 {
            self.words[word] = (self.words[word] & keep) | wide as u32;
        }
        if used > 32 {
            self.words[word + 1] = (wide >> 32) as u32;
        }
        if used > 64 {
            self.words[word + 2] = (wide >> 64) as u32;
        }
        self.pos += bits as usize;
    }

    fn align(&mut self) {
        self.pos = self.pos.next_multiple_of(32);
    }

    fn skip_port(&mut self, bits: u32) {
        self.pos += bits.next_multiple_of(32) as usize;
    }
}

/// Takes bits from an image, least significant first.
pub struct Reader<'a> {
    words: &'a [u32],
    pos: usize,
}

impl<'a> Reader<'a> {
    /// Reads from bit 0 of `words`.
    pub fn new(words: &'a [u32]) -> Self {
        Self { words, pos: 0 }
    }

    /// The next `bits` (0..=64) bits.
    #[inline(always)]
    pub fn get(&mut self, bits: u32) -> u64 {
        let (word, shift) = (self.pos / 32, self.pos % 32);
        self.pos += bits as usize;
        let used = shift + bits as usize;
        let mut wide = if bits > 0 { u128::from(self.words[word]) } else { 0 };
        if used > 32 {
            wide |= u128::from(self.words[word + 1]) << 32;
        }
        if used > 64 {
            wide |= u128::from(self.words[word + 2]) << 64;
        }
        let value = (wide >> shift) as u64;
        if bits < 64 { value & ((1 << bits) - 1) } else { value }
    }

    fn align(&mut self) {
        self.pos = self.pos.next_multiple_of(32);
    }

    fn skip_port(&mut self, bits: u32) {
        self.pos += bits.next_multiple_of(32) as usize;
    }
}

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
pub trait Signal: Sized {
    /// What the width depends on.
    type Shape: Copy;
    /// Width in bits.
    fn width(shape: Self::Shape) -> u32;
    /// Appends this value, least significant bit first.
    fn put(&self, shape: Self::Shape, to: &mut Writer);
    /// Takes a value.
    fn get(shape: Self::Shape, from: &mut Reader) -> Self;
    /// Names the runs of bits, least significant first, the first at bit `lsb`.
    fn leaves(shape: Self::Shape, name: &str, lsb: u32, into: &mut Vec<Leaf>) {
        into.push(Leaf { name: name.to_string(), width: Self::width(shape), lsb });
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
            fn width(bits: u32) -> u32 {
                bits
            }
            #[inline(always)]
            fn put(&self, bits: u32, to: &mut Writer) {
                to.put(u64::from(*self), bits);
            }
            #[inline(always)]
            fn get(bits: u32, from: &mut Reader) -> Self {
                from.get(bits) as $t
            }
        }
    )*};
}
integer_signal!(u8, u16, u32, u64);

impl Signal for bool {
    type Shape = u32;
    fn width(_one: u32) -> u32 {
        1
    }
    #[inline(always)]
    fn put(&self, _one: u32, to: &mut Writer) {
        to.put(u64::from(*self), 1);
    }
    #[inline(always)]
    fn get(_one: u32, from: &mut Reader) -> Self {
        from.get(1) != 0
    }
}

impl Signal for u128 {
    type Shape = u32;
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
    fn get(bits: u32, from: &mut Reader) -> Self {
        let low = u128::from(from.get(bits.min(64)));
        if bits > 64 { low | u128::from(from.get(bits - 64)) << 64 } else { low }
    }
}

/// Up to `N` bytes, byte 0 lowest. The shape is the number of bytes in use, a multiple of 8; the
/// rest is zero.
#[derive(Clone, Copy, PartialEq, Eq)]
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
    fn width(bytes: u32) -> u32 {
        8 * bytes
    }
    #[inline(always)]
    fn put(&self, bytes: u32, to: &mut Writer) {
        for chunk in self.0[..bytes as usize].chunks_exact(8) {
            to.put(u64::from_le_bytes(chunk.try_into().expect("8 bytes")), 64);
        }
    }
    #[inline(always)]
    fn get(bytes: u32, from: &mut Reader) -> Self {
        let mut value = Self::default();
        for chunk in value.0[..bytes as usize].chunks_exact_mut(8) {
            chunk.copy_from_slice(&from.get(64).to_le_bytes());
        }
        value
    }
}

/// Up to `N` values of one kind, element 0 lowest. The shape is (each element's shape, count).
impl<T: Signal + Copy + Default, const N: usize> Signal for [T; N] {
    type Shape = (T::Shape, u32);
    fn width((shape, count): Self::Shape) -> u32 {
        T::width(shape) * count
    }
    #[inline(always)]
    fn put(&self, (shape, count): Self::Shape, to: &mut Writer) {
        self[..count as usize].iter().for_each(|v| v.put(shape, to));
    }
    fn leaves((shape, count): Self::Shape, name: &str, lsb: u32, into: &mut Vec<Leaf>) {
        for i in 0..count {
            T::leaves(shape, &format!("{name}[{i}]"), lsb + i * T::width(shape), into);
        }
    }
    #[inline(always)]
    fn get((shape, count): Self::Shape, from: &mut Reader) -> Self {
        let mut value = [T::default(); N];
        value[..count as usize].iter_mut().for_each(|v| *v = T::get(shape, from));
        value
    }
}

/// Which way a port points, seen from the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dir {
    /// An input: RTL suffix `_i`.
    In,
    /// An output: RTL suffix `_o`.
    Out,
}

/// One RTL port as declared in Rust.
#[derive(Clone, Debug)]
pub struct Port {
    /// RTL name, suffix included.
    pub name: String,
    /// Name of the field in the Rust struct.
    pub field: &'static str,
    /// Direction.
    pub dir: Dir,
    /// Bits.
    pub width: u32,
    /// First 32-bit word in the image.
    pub word: usize,
    /// Named runs of bits, least significant first.
    pub leaves: Vec<Leaf>,
    /// Struct type, if it has one.
    pub sv_type: Option<SvType>,
    /// Index of the valid bit's port, when this port is a payload.
    pub valid: Option<usize>,
}

/// Collects ports in declaration order and gives each its words in the image.
pub struct Declare {
    dir: Dir,
    ports: Vec<Port>,
    words: usize,
}

impl Declare {
    /// Starts a list of ports of one direction.
    pub fn new(dir: Dir) -> Self {
        Self { dir, ports: Vec::new(), words: 0 }
    }

    /// Adds a port that is always compared.
    pub fn port<T: Signal>(&mut self, name: &'static str, shape: T::Shape) {
        self.add::<T>(name, name, shape, None);
    }

    /// Adds a valid bit and the payload that means something while it is 1.
    pub fn channel<T: Signal>(
        &mut self, field: &'static str, valid: &str, payload: &str, shape: T::Shape,
    ) {
        self.add::<bool>(field, valid, 1, None);
        self.add::<T>(field, payload, shape, Some(self.ports.len() - 1));
    }

    fn add<T: Signal>(
        &mut self, field: &'static str, name: &str, shape: T::Shape, valid: Option<usize>,
    ) {
        let suffix = match self.dir {
            Dir::In => "i",
            Dir::Out => "o",
        };
        let mut leaves = Vec::new();
        T::leaves(shape, "", 0, &mut leaves);
        let width = T::width(shape);
        self.ports.push(Port {
            name: format!("{name}_{suffix}"),
            field,
            dir: self.dir,
            width,
            word: self.words,
            leaves,
            sv_type: T::sv_type(shape),
            valid,
        });
        self.words += width.div_ceil(32) as usize;
    }

    /// The finished list.
    pub fn finish(self) -> Vec<Port> {
        self.ports
    }
}

/// Number of 32-bit words in the image of these ports.
pub fn image_words(ports: &[Port]) -> usize {
    ports.last().map_or(0, |p| p.word + p.width.div_ceil(32) as usize)
}

/// All ports of a block in one direction. Made by [`ports!`].
pub trait Ports: Copy + Default + PartialEq + std::fmt::Debug {
    /// The block's parameters: widths depend on them.
    type Config;
    /// Names, widths and order.
    fn declare(config: &Self::Config) -> Vec<Port>;
    /// Writes the image. The payload words of an absent channel keep what they held.
    fn store(&self, config: &Self::Config, image: &mut [u32]);
    /// Reads an image.
    fn load(config: &Self::Config, image: &[u32]) -> Self;
}

#[doc(hidden)]
#[inline(always)]
pub fn store_port<T: Signal>(value: &T, shape: T::Shape, to: &mut Writer) {
    value.put(shape, to);
    to.align();
}

#[doc(hidden)]
#[inline(always)]
pub fn load_port<T: Signal>(shape: T::Shape, from: &mut Reader) -> T {
    let value = T::get(shape, from);
    from.align();
    value
}

#[doc(hidden)]
#[inline(always)]
pub fn store_channel<T: Signal>(value: &Option<T>, shape: T::Shape, to: &mut Writer) {
    store_port(&value.is_some(), 1, to);
    match value {
        Some(payload) => store_port(payload, shape, to),
        None => to.skip_port(T::width(shape)),
    }
}

#[doc(hidden)]
#[inline(always)]
pub fn load_channel<T: Signal>(shape: T::Shape, from: &mut Reader) -> Option<T> {
    if load_port::<bool>(1, from) {
        Some(load_port(shape, from))
    } else {
        from.skip_port(T::width(shape));
        None
    }
}

/// Declares a message: a Rust struct and the SystemVerilog `struct packed` of the same field names,
/// given as a macro of `rtl/common`. Fields stand in the SystemVerilog order, **most significant
/// first**; each has its shape after `=`, which may use the message's parameters.
///
/// ```
/// hwmodel::message! {
///     /// A store to one line.
///     pub struct Store: "EXAMPLE_STORE_T" in "example_types.svh" (line: u32) {
///         /// Byte enables.
///         pub mask: u128 = line,
///         /// Byte address.
///         pub addr: u64 = 64,
///     }
/// }
/// use hwmodel::ports::Signal;
/// assert_eq!(Store::width((16,)), 80);
/// ```
#[macro_export]
macro_rules! message {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident : $sv:literal in $header:literal $params:tt {
            $( $(#[$fmeta:meta])* $fvis:vis $field:ident : $ft:ty = $shape:expr ),* $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        $vis struct $name { $( $(#[$fmeta])* $fvis $field: $ft ),* }

        $crate::message!(@reverse ($name $sv $header $params) [] $( ($field, $ft, $shape) )*);
    };

    // Bits are appended least significant first: turn the fields around.
    (@reverse $head:tt [$($done:tt)*] $first:tt $($rest:tt)*) => {
        $crate::message!(@reverse $head [$first $($done)*] $($rest)*);
    };
    (@reverse ($name:ident $sv:literal $header:literal ($($param:ident : $pt:ty),*))
        [$( ($field:ident, $ft:ty, $shape:expr) )*]
    ) => {
        impl $crate::ports::Signal for $name {
            type Shape = ($($pt,)*);
            #[allow(unused_variables)]
            fn width(($($param,)*): Self::Shape) -> u32 {
                0 $( + <$ft as $crate::ports::Signal>::width($shape) )*
            }
            #[inline(always)]
            #[allow(unused_variables)]
            fn put(&self, ($($param,)*): Self::Shape, to: &mut $crate::ports::Writer) {
                $( $crate::ports::Signal::put(&self.$field, $shape, to); )*
            }
            #[inline(always)]
            #[allow(unused_variables)]
            fn get(($($param,)*): Self::Shape, from: &mut $crate::ports::Reader) -> Self {
                Self { $( $field: $crate::ports::Signal::get($shape, from) ),* }
            }
            #[allow(unused_variables, unused_assignments)]
            fn leaves(
                ($($param,)*): Self::Shape, name: &str, mut lsb: u32, into: &mut Vec<$crate::ports::Leaf>,
            ) {
                $(
                    let dot = if name.is_empty() { "" } else { "." };
                    let path = format!("{name}{dot}{}", stringify!($field));
                    <$ft as $crate::ports::Signal>::leaves($shape, &path, lsb, into);
                    lsb += <$ft as $crate::ports::Signal>::width($shape);
                )*
            }
            fn sv_type(($($param,)*): Self::Shape) -> Option<$crate::ports::SvType> {
                Some($crate::ports::SvType { header: $header, name: $sv, args: vec![$($param),*] })
            }
        }
    };
}

/// Declares the ports of one direction of a block, in RTL port order. A channel is
/// `name: Option<T> as (valid_port, payload_port) = shape`; anything else is `name: T = shape`.
/// RTL names carry `_i` or `_o` in addition.
#[macro_export]
macro_rules! ports {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident: $dir:ident ($c:ident : $config:ty) { $($body:tt)* }
    ) => {
        $crate::ports!(@munch ($(#[$meta])* $vis $name $dir $c $config) [] [] [] [] $($body)*);
    };

    // A channel.
    (@munch $head:tt [$($f:tt)*] [$($d:tt)*] [$($s:tt)*] [$($l:tt)*]
        $(#[$fm:meta])* $fvis:vis $field:ident : Option<$t:ty> as ($valid:ident, $payload:ident) = $shape:expr
        $(, $($rest:tt)*)?
    ) => {
        $crate::ports!(@munch $head
            [$($f)* $(#[$fm])* $fvis $field: Option<$t>,]
            [$($d)* (channel $t, stringify!($field), stringify!($valid), stringify!($payload), $shape)]
            [$($s)* (store_channel $field, $shape)]
            [$($l)* (load_channel $field, $shape)]
            $($($rest)*)?);
    };
    // A port that is always compared.
    (@munch $head:tt [$($f:tt)*] [$($d:tt)*] [$($s:tt)*] [$($l:tt)*]
        $(#[$fm:meta])* $fvis:vis $field:ident : $t:ty = $shape:expr
        $(, $($rest:tt)*)?
    ) => {
        $crate::ports!(@munch $head
            [$($f)* $(#[$fm])* $fvis $field: $t,]
            [$($d)* (port $t, stringify!($field), $shape)]
            [$($s)* (store_port $field, $shape)]
            [$($l)* (load_port $field, $shape)]
            $($($rest)*)?);
    };
    // The end: everything collected.
    (@munch ($(#[$meta:meta])* $vis:vis $name:ident $dir:ident $c:ident $config:ty)
        [$($f:tt)*]
        [$(($dm:ident $dt:ty, $($da:expr),*))*]
        [$(($sm:ident $sf:ident, $ss:expr))*]
        [$(($lm:ident $lf:ident, $ls:expr))*]
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        $vis struct $name { $($f)* }

        impl $crate::ports::Ports for $name {
            type Config = $config;
            #[allow(unused_variables)]
            fn declare($c: &$config) -> Vec<$crate::ports::Port> {
                let mut ports = $crate::ports::Declare::new($crate::ports::Dir::$dir);
                $( ports.$dm::<$dt>($($da),*); )*
                ports.finish()
            }
            #[inline]
            #[allow(unused_variables)]
            fn store(&self, $c: &$config, image: &mut [u32]) {
                let mut to = $crate::ports::Writer::new(image);
                $( $crate::ports::$sm(&self.$sf, $ss, &mut to); )*
            }
            #[inline]
            #[allow(unused_variables)]
            fn load($c: &$config, image: &[u32]) -> Self {
                let mut from = $crate::ports::Reader::new(image);
                Self { $( $lf: $crate::ports::$lm($ls, &mut from) ),* }
            }
        }
    };
}
