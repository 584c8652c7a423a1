//! Rules that tests take away from a model, to see that they find it.

/// Declares the rules of a block: the enum, all of them, and their names.
macro_rules! rules {
    (
        $(#[$about:meta])*
        pub enum Rule {
            $($(#[$what:meta])* $rule:ident = $name:literal,)+
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Rule {
            $($(#[$what])* $rule,)+
        }

        impl Rule {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$rule),+];

            /// What it is called.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$rule => $name,)+
                }
            }
        }
    };
}

pub(crate) use rules;
