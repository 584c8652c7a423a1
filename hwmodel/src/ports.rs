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
    at: usize,
    /// Bits that do not fill a word yet: fewer than 32.
    acc: u64,
    have: u32,
}

impl<'a> Writer<'a> {
    /// Writes from bit 0 of `words`.
    pub fn new(words: &'a mut [u32]) -> Self {
        Self { words, at: 0, acc: 0, have: 0 }
    }

    /// Appends the low `bits` (0..=32) bits of `value`.
    #[inline(always)]
    fn short(&mut self, value: u64, bits: u32) {
        self.acc |= (value & ((1 << bits) - 1)) << self.have;
        self.have += bits;
        if self.have >= 32 {
            self.words[self.at] = self.acc as u32;
            self.at += 1;
            self.acc >>= 32;
            self.have -= 32;
        }
    }

    /// Appends the low `bits` (0..=64) bits of `value`.
    #[inline(always)]
    pub fn put(&mut self, value: u64, bits: u32) {
        if bits == 64 {
            // Whole words: no test for how many are full.
            let wide = u128::from(self.acc) | u128::from(value) << self.have;
            let [low, high] = &mut self.words[self.at..][..2] else { unreachable!("two words") };
            (*low, *high) = (wide as u32, (wide >> 32) as u32);
            self.at += 2;
            self.acc = (wide >> 64) as u64;
            return;
        }
        self.short(value, bits.min(32));
        if bits > 32 {
            self.short(value >> 32, bits - 32);
        }
    }

    /// Appends bytes, a multiple of 4 of them. One shift serves all, so that the loop is vectorised.
    #[inline(always)]
    fn put_bytes(&mut self, bytes: &[u8]) {
        let to = &mut self.words[self.at..][..bytes.len() / 4];
        self.at += bytes.len() / 4;
        if self.have == 0 {
            to.iter_mut().zip(bytes.chunks_exact(4)).for_each(|(to, word)| *to = le_word(word));
            return;
        }
        let (up, down) = (self.have, 32 - self.have);
        let [first, to @ ..] = to else { return };
        *first = self.acc as u32 | le_word(&bytes[..4]) << up;
        let pairs = bytes.chunks_exact(4).zip(bytes[4..].chunks_exact(4));
        for (to, (low, high)) in to.iter_mut().zip(pairs) {
            *to = le_word(low) >> down | le_word(high) << up;
        }
        self.acc = u64::from(le_word(&bytes[bytes.len() - 4..]) >> down);
    }

    #[inline(always)]
    fn align(&mut self) {
        if self.have > 0 {
            self.words[self.at] = self.acc as u32;
            self.at += 1;
            (self.acc, self.have) = (0, 0);
        }
    }

    #[inline(always)]
    fn skip_port(&mut self, bits: u32) {
        self.at += bits.div_ceil(32) as usize;
    }
}

/// Takes bits from an image, least significant first.
pub struct Reader<'a> {
    words: &'a [u32],
    at: usize,
    /// Bits that were read and not taken: fewer than 32.
    acc: u64,
    have: u32,
}

impl<'a> Reader<'a> {
    /// Reads from bit 0 of `words`.
    pub fn new(words: &'a [u32]) -> Self {
        Self { words, at: 0, acc: 0, have: 0 }
    }

    #[inline(always)]
    fn short(&mut self, bits: u32) -> u64 {
        if self.have < bits {
            self.acc |= u64::from(self.words[self.at]) << self.have;
            self.at += 1;
            self.have += 32;
        }
        let value = self.acc & ((1 << bits) - 1);
        self.acc >>= bits;
        self.have -= bits;
        value
    }

    /// The next `bits` (0..=64) bits.
    #[inline(always)]
    pub fn get(&mut self, bits: u32) -> u64 {
        if bits == 64 {
            let [low, high] = self.words[self.at..][..2] else { unreachable!("two words") };
            self.at += 2;
            let next = u64::from(low) | u64::from(high) << 32;
            let wide = u128::from(self.acc) | u128::from(next) << self.have;
            self.acc = (wide >> 64) as u64;
            return wide as u64;
        }
        let low = self.short(bits.min(32));
        if bits > 32 { low | self.short(bits - 32) << 32 } else { low }
    }

    /// Takes bytes, a multiple of 4 of them. One shift serves all, so that the loop is vectorised.
    #[inline(always)]
    fn get_bytes(&mut self, bytes: &mut [u8]) {
        let from = &self.words[self.at..][..bytes.len() / 4];
        self.at += from.len();
        if self.have == 0 {
            let words = bytes.chunks_exact_mut(4).zip(from);
            words.for_each(|(to, word)| to.copy_from_slice(&word.to_le_bytes()));
            return;
        }
        let (up, down) = (self.have, 32 - self.have);
        let [first, .., last] = from else { return self.get_one_word(bytes, from) };
        bytes[..4].copy_from_slice(&(self.acc as u32 | first << up).to_le_bytes());
        for (to, pair) in bytes[4..].chunks_exact_mut(4).zip(from.windows(2)) {
            to.copy_from_slice(&(pair[0] >> down | pair[1] << up).to_le_bytes());
        }
        self.acc = u64::from(last >> down);
    }

    #[inline(always)]
    fn get_one_word(&mut self, bytes: &mut [u8], from: &[u32]) {
        if let [word] = from {
            bytes.copy_from_slice(&(self.acc as u32 | word << self.have).to_le_bytes());
            self.acc = u64::from(word >> (32 - self.have));
        }
    }

    #[inline(always)]
    fn align(&mut self) {
        (self.acc, self.have) = (0, 0);
    }

    #[inline(always)]
    fn skip_port(&mut self, bits: u32) {
        self.at += bits.div_ceil(32) as usize;
    }
}

#[inline(always)]
fn le_word(bytes: &[u8]) -> u32 {
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
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

/// Up to `N` bytes, byte 0 lowest. The shape is the number of bytes in use, a multiple of 4; the
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
        to.put_bytes(&self.0[..bytes as usize]);
    }
    #[inline(always)]
    fn get(bytes: u32, from: &mut Reader) -> Self {
        let mut value = Self::default();
        from.get_bytes(&mut value.0[..bytes as usize]);
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
    fn get((shape, count): Self::Shape, from: &mut Reader) -> Self {
        let mut value = [T::default(); N];
        for value in &mut value[..count as usize] {
            *value = T::get(shape, from);
        }
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
        &mut self,
        field: &'static str,
        valid: &str,
        payload: &str,
        shape: T::Shape,
    ) {
        self.add::<bool>(field, valid, 1, None);
        self.add::<T>(field, payload, shape, Some(self.ports.len() - 1));
    }

    fn add<T: Signal>(
        &mut self,
        field: &'static str,
        name: &str,
        shape: T::Shape,
        valid: Option<usize>,
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
        // Ports are copied in every cycle, in vector moves: these are slow across cache lines.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        #[repr(align(32))]
        $vis struct $name { $($f)* }

        impl $crate::ports::Ports for $name {
            type Config = $config;
            #[allow(unused_variables)]
            fn declare($c: &$config) -> Vec<$crate::ports::Port> {
                let mut ports = $crate::ports::Declare::new($crate::ports::Dir::$dir);
                $( ports.$dm::<$dt>($($da),*); )*
                ports.finish()
            }
            #[inline(always)]
            #[allow(unused_variables)]
            fn store(&self, $c: &$config, image: &mut [u32]) {
                let mut to = $crate::ports::Writer::new(image);
                $( $crate::ports::$sm(&self.$sf, $ss, &mut to); )*
            }
            #[inline(always)]
            #[allow(unused_variables)]
            fn load($c: &$config, image: &[u32]) -> Self {
                let mut from = $crate::ports::Reader::new(image);
                Self { $( $lf: $crate::ports::$lm($ls, &mut from) ),* }
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    message! {
        struct Message: "EXAMPLE_T" in "example.svh" (line: u32) {
            high: u8 = 5,
            data: Bytes<16> = line,
            mask: u128 = line,
            addr: u64 = 64,
            low: bool = 1,
        }
    }

    struct Config {
        line: u32,
    }

    ports! {
        struct Example: Out (c: Config) {
            message: Option<Message> as (message_valid, message) = (c.line,),
            list: [u16; 4] = (13, 3),
            flag: bool = 1,
        }
    }

    fn example() -> Example {
        let mut data = Bytes::default();
        (0..16).for_each(|i| data.0[i] = 0xa0 + i as u8);
        let message =
            Message { high: 0x15, data, mask: 0x8001, addr: 0xfedc_ba98_7654_3210, low: true };
        Example { message: Some(message), list: [1, 2, 0x1fff, 0], flag: true }
    }

    #[test]
    fn image_round_trip_keeps_every_field() {
        let config = Config { line: 16 };
        let mut image = vec![0xffff_ffff; image_words(&Example::declare(&config))];
        example().store(&config, &mut image);
        assert_eq!(Example::load(&config, &image), example());
    }

    #[test]
    fn fields_stand_at_their_bits_from_the_last_declared_up() {
        let config = Config { line: 16 };
        let mut image = vec![0; image_words(&Example::declare(&config))];
        example().store(&config, &mut image);
        // valid, then low at bit 0, addr at 1, mask at 65, data at 81, high at 209 of the payload.
        assert_eq!(image[0], 1);
        assert_eq!(image[1], (0x7654_3210 << 1) | 1);
        assert_eq!(image[3] >> 1 & 0xffff, 0x8001);
        assert_eq!(image[7] >> 17 & 0x1f, 0x15);
        // The next port starts at a new word: 3 * 13 bits in two words, then the flag.
        assert_eq!(image[8], 1 | 2 << 13 | 0x1fff << 26);
        assert_eq!(image[9], 0x1fff >> 6);
        assert_eq!(image[10], 1);
    }

    #[test]
    fn absent_channel_keeps_the_payload_words_and_shows_none() {
        let config = Config { line: 16 };
        let mut image = vec![7; image_words(&Example::declare(&config))];
        Example::default().store(&config, &mut image);
        assert_eq!((image[0], image[1]), (0, 7));
        assert_eq!(Example::load(&config, &image).message, None);
    }

    #[test]
    fn leaves_name_every_bit_once() {
        let ports = Example::declare(&Config { line: 16 });
        for port in &ports {
            let mut next = 0;
            for leaf in &port.leaves {
                assert_eq!(leaf.lsb, next, "{}.{}", port.name, leaf.name);
                next += leaf.width;
            }
            assert_eq!(next, port.width);
        }
        assert_eq!(ports[1].name, "message_o");
        assert_eq!(ports[1].valid, Some(0));
    }
}
