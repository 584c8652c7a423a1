//! What is drawn together.

/// Declares a struct that is drawn: its fields one after the other, each as it says.
macro_rules! draws {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident($($given:ident: $type:ty),+) {
            $( $(#[$of_field:meta])* $seen:vis $field:ident: $kind:ty = $draw:expr ),+ $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug)]
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
pub(crate) use draws;
