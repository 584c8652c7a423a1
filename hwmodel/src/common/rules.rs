//! Rules that tests take away from a model, to see that they find it.

/// Declares the rules of a block: the enum, and all of them.
macro_rules! rules {
    (
        $(#[$about:meta])*
        pub enum Rule {
            $($(#[$what:meta])* $rule:ident,)+
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
        }
    };
}

pub(crate) use rules;
