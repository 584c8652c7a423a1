//! The two declaration macros.

/// Declares a message: a Rust struct and the SystemVerilog `struct packed` of the same field names,
/// given as a macro of `rtl/common`; without it where no RTL sees the message. Fields stand in the
/// SystemVerilog order, **most significant first**; each has its shape after `=`, which may use the
/// message's parameters.
///
/// ```
/// ports::message! {
///     /// A store to one line.
///     pub struct Store: "EXAMPLE_STORE_T" in "example_types.svh" (line: u32) {
///         /// Byte enables.
///         pub mask: u128 = line,
///         /// Byte address.
///         pub addr: u64 = 64,
///     }
/// }
/// use ports::Signal;
/// assert_eq!(Store::width((16,)), 80);
/// ```
#[macro_export]
macro_rules! message {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident : $sv:literal in $header:literal $params:tt $fields:tt
    ) => {
        $crate::message!(@struct $(#[$meta])* $vis $name ($sv, $header) $params $fields);
    };
    ($(#[$meta:meta])* $vis:vis struct $name:ident $params:tt $fields:tt) => {
        $crate::message!(@struct $(#[$meta])* $vis $name () $params $fields);
    };
    (@struct
        $(#[$meta:meta])*
        $vis:vis $name:ident $sv:tt $params:tt {
            $( $(#[$fmeta:meta])* $fvis:vis $field:ident : $ft:ty = $shape:expr ),* $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        $vis struct $name { $( $(#[$fmeta])* $fvis $field: $ft ),* }

        $crate::message!(@reverse ($name $sv $params) [] $( ($field, $ft, $shape) )*);
    };

    // Bits are appended least significant first: turn the fields around.
    (@reverse $head:tt [$($done:tt)*] $first:tt $($rest:tt)*) => {
        $crate::message!(@reverse $head [$first $($done)*] $($rest)*);
    };
    (@reverse ($name:ident $sv:tt ($($param:ident : $pt:ty),*))
        [$( ($field:ident, $ft:ty, $shape:expr) )*]
    ) => {
        impl $crate::Signal for $name {
            type Shape = ($($pt,)*);
            #[allow(unused_variables)]
            #[inline]
            fn width(($($param,)*): Self::Shape) -> u32 {
                0 $( + <$ft as $crate::Signal>::width($shape) )*
            }
            #[inline(always)]
            #[allow(unused_variables)]
            fn put(&self, ($($param,)*): Self::Shape, to: &mut $crate::Writer) {
                $( $crate::Signal::put(&self.$field, $shape, to); )*
            }
            #[inline(always)]
            #[allow(unused_variables)]
            fn get(&mut self, ($($param,)*): Self::Shape, from: &mut $crate::Reader) {
                $( $crate::Signal::get(&mut self.$field, $shape, from); )*
            }
            #[inline(always)]
            #[allow(unused_variables)]
            fn equals(&self, ($($param,)*): Self::Shape, from: &mut $crate::Reader) -> bool {
                true $( && $crate::Signal::equals(&self.$field, $shape, from) )*
            }
            #[allow(unused_variables, unused_assignments)]
            fn leaves(
                ($($param,)*): Self::Shape, name: &str, mut lsb: u32,
                into: &mut Vec<$crate::Leaf>,
            ) {
                $(
                    let dot = if name.is_empty() { "" } else { "." };
                    let path = format!("{name}{dot}{}", stringify!($field));
                    <$ft as $crate::Signal>::leaves($shape, &path, lsb, into);
                    lsb += <$ft as $crate::Signal>::width($shape);
                )*
            }
            #[allow(unused_variables)]
            fn sv_type(($($param,)*): Self::Shape) -> Option<$crate::SvType> {
                $crate::message!(@sv_type $sv ($($param),*))
            }
        }
    };

    (@sv_type () $params:tt) => { None };
    (@sv_type ($sv:literal, $header:literal) ($($param:ident),*)) => {
        Some($crate::SvType { header: $header, name: $sv, args: vec![$($param),*] })
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
        $crate::ports!(@munch ($(#[$meta])* $vis $name $dir $c $config) [] [] [] [] [] $($body)*);
    };

    // A channel.
    (@munch $head:tt [$($f:tt)*] [$($d:tt)*] [$($s:tt)*] [$($l:tt)*] [$($e:tt)*]
        $(#[$fm:meta])* $fvis:vis $field:ident :
            Option<$t:ty> as ($valid:ident, $payload:ident) = $shape:expr
        $(, $($rest:tt)*)?
    ) => {
        $crate::ports!(@munch $head
            [$($f)* $(#[$fm])* $fvis $field: Option<$t>,]
            [$($d)*
             (channel $t, stringify!($field), stringify!($valid), stringify!($payload), $shape)]
            [$($s)* (store_channel $field, $shape)]
            [$($l)* (load_channel $field, $shape)]
            [$($e)* (equals_channel $field, $shape)]
            $($($rest)*)?);
    };
    // A port that is always compared.
    (@munch $head:tt [$($f:tt)*] [$($d:tt)*] [$($s:tt)*] [$($l:tt)*] [$($e:tt)*]
        $(#[$fm:meta])* $fvis:vis $field:ident : $t:ty = $shape:expr
        $(, $($rest:tt)*)?
    ) => {
        $crate::ports!(@munch $head
            [$($f)* $(#[$fm])* $fvis $field: $t,]
            [$($d)* (port $t, stringify!($field), $shape)]
            [$($s)* (store_port $field, $shape)]
            [$($l)* (load_port $field, $shape)]
            [$($e)* (equals_port $field, $shape)]
            $($($rest)*)?);
    };
    // The end: everything collected.
    (@munch ($(#[$meta:meta])* $vis:vis $name:ident $dir:ident $c:ident $config:ty)
        [$($f:tt)*]
        [$(($dm:ident $dt:ty, $($da:expr),*))*]
        [$(($sm:ident $sf:ident, $ss:expr))*]
        [$(($lm:ident $lf:ident, $ls:expr))*]
        [$(($em:ident $ef:ident, $es:expr))*]
    ) => {
        $(#[$meta])*
        // Ports are copied in every cycle, in vector moves, which are slow across cache lines.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        #[repr(align(64))]
        $vis struct $name { $($f)* }

        impl $crate::Ports for $name {
            type Config = $config;
            #[allow(unused_variables)]
            fn declare($c: &$config) -> Vec<$crate::Port> {
                let mut ports = $crate::Declare::new($crate::Dir::$dir);
                $( ports.$dm::<$dt>($($da),*); )*
                ports.finish()
            }
            #[inline(always)]
            #[allow(unused_variables)]
            fn store(&self, $c: &$config, image: &mut [u32]) {
                let mut to = $crate::Writer::new(image);
                $( $crate::$sm(&self.$sf, $ss, &mut to); )*
            }
            #[inline(always)]
            #[allow(unused_assignments)]
            fn handshakes(&self) -> u32 {
                let (mut set, mut at) = (0, 0);
                $(
                    set |= u32::from($crate::handshake::$sm(&self.$sf)) << at;
                    at += 1;
                )*
                set
            }
            #[inline(always)]
            #[allow(unused_variables)]
            fn equals(&self, $c: &$config, image: &[u32]) -> bool {
                let mut from = $crate::Reader::new(image);
                true $( && $crate::$em(&self.$ef, $es, &mut from) )*
            }
            #[inline(always)]
            #[allow(unused_variables)]
            fn load($c: &$config, image: &[u32]) -> Self {
                let mut from = $crate::Reader::new(image);
                let mut ports = Self::default();
                $( $crate::$lm(&mut ports.$lf, $ls, &mut from); )*
                ports
            }
        }
    };
}
