//! Rows of the specification's tables, by which tests and stimuli see what a cycle was.

/// Declares the rows of a block, of which a cycle may be several, with their names.
macro_rules! rows {
    ($(#[$meta:meta])* pub enum Row { $($row:ident = $name:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Row {
            $(#[doc = concat!("`", $name, "`.")] $row),+
        }

        impl Row {
            /// The names of all rows, in their order.
            pub const NAMES: &[&str] = &[$($name),+];

            /// The bit that stands for it.
            pub fn bit(self) -> u128 {
                1 << self as u32
            }
        }
    };
}
pub(crate) use rows;
