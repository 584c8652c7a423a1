//! What is drawn together.

/// Declares a struct that is drawn: its fields one after the other, each as it says.
#[macro_export]
macro_rules! draws {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident($($given:ident: $type:ty),+) {
            $( $(#[$of_field:meta])* $seen:vis $field:ident: $kind:ty = $draw:expr ),+ $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default)]
        $vis struct $name {
            $( $(#[$of_field])* $seen $field: $kind, )+
        }

        impl $name {
            /// Draws one.
            $vis fn draw($($given: $type),+) -> Self {
                Self { $( $field: $draw, )+ }
            }
        }
    };
}

/// Declares what one phase draws, as [`draws!`]. Its field `left` is its length in cycles.
#[macro_export]
macro_rules! phase {
    ($(#[$meta:meta])* pub struct $name:ident $($rest:tt)+) => {
        $crate::draws! { $(#[$meta])* pub struct $name $($rest)+ }

        impl $crate::stimulus::Phase for $name {
            fn left(&mut self) -> &mut u32 {
                &mut self.left
            }
        }
    };
}

/// Declares an enum without fields, and the list of its variants.
macro_rules! variants {
    ($(#[$meta:meta])* $vis:vis enum $name:ident { $($(#[$of_one:meta])* $one:ident),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $vis enum $name {
            $($(#[$of_one])* $one),+
        }

        impl $name {
            /// All of them.
            $vis const ALL: &[Self] = &[$(Self::$one),+];
        }
    };
}
pub(crate) use variants;
