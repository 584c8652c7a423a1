//! Parameters of blocks: the RTL's, their limits, and the family that they are taken from.

use std::fmt::Debug;

use crate::ConfigError;

/// The parameters of a block, one field for each RTL parameter.
pub trait Parameters: Clone + Debug + PartialEq {
    /// Checks every limit.
    fn validate(&self) -> Result<(), ConfigError> {
        Ok(())
    }

    /// RTL parameters: `UpperCamelCase` name and value, in the order of the fields.
    fn rtl_parameters(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }
}

/// Declares a block's parameters: those that it takes from its family, each with its name in the
/// RTL, and its type where that is not `u32`. The limits are the family's, of which the parameters
/// of other blocks are legal.
#[macro_export]
macro_rules! parameters {
    (@type) => { u32 };
    (@type $ty:ty) => { $ty };
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident: $family:ident {
            $( $(#[$fmeta:meta])* $fvis:vis $field:ident $(: $ty:ty)? $(= $rtl:literal)? ),* $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        $vis struct $name { $( $(#[$fmeta])* $fvis $field: $crate::parameters!(@type $($ty)?) ),* }

        impl From<&$family> for $name {
            fn from(family: &$family) -> Self {
                Self { $( $field: family.$field ),* }
            }
        }

        impl $crate::Parameters for $name {
            fn validate(&self) -> Result<(), $crate::ConfigError> {
                $family { $( $field: self.$field, )* ..$family::LEGAL }.validate()
            }

            fn rtl_parameters(&self) -> Vec<(&'static str, u64)> {
                vec![$( $(($rtl, u64::from(self.$field)),)? )*]
            }
        }
    };
}
