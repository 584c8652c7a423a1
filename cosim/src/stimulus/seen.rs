//! What a run has reached: counters that are declared once, with their names in
//! reports.

use super::Count;

/// The counters of a stimulus.
pub trait Reached {
    /// Transfers on each channel.
    fn transfers(&self) -> Vec<Count>;

    /// The rows of the coverage.
    fn rows(&self) -> Vec<Count>;
}

/// A counter, or several that an index tells apart.
pub trait Counters {
    /// All of them.
    fn counts(&self) -> &[u64];
}

impl Counters for u64 {
    fn counts(&self) -> &[u64] {
        std::slice::from_ref(self)
    }
}

impl<const N: usize> Counters for [u64; N] {
    fn counts(&self) -> &[u64] {
        self
    }
}

/// Adds the rows of counters with these names. One without a name has none.
pub fn add_rows(rows: &mut Vec<Count>, names: &[&'static str], counters: &impl Counters) {
    let all = names.iter().copied().zip(counters.counts().iter().copied());
    rows.extend(all.filter(|(name, _)| !name.is_empty()));
}

/// Declares the counters of a stimulus, `Seen`: those of transfers by the names of their channels,
/// and those of the coverage in the order of its rows. A row has the name of its counter; of
/// counters with an index each has its own.
#[macro_export]
macro_rules! seen {
    (
        transfers: $($channel:ident),+;
        rows: $($row:ident $([$($name:literal),+ $(,)?])?),+ $(,)?
    ) => {
        /// What the run has reached so far.
        #[derive(Clone, Debug, Default)]
        pub struct Seen {
            $(pub(super) $channel: u64,)+
            $(pub(super) $row: $crate::seen!(@type $($($name),+)?),)+
        }

        impl $crate::stimulus::Reached for Seen {
            fn transfers(&self) -> Vec<$crate::stimulus::Count> {
                vec![$((stringify!($channel), self.$channel)),+]
            }

            fn rows(&self) -> Vec<$crate::stimulus::Count> {
                let mut rows = Vec::new();
                $({
                    let names = $crate::seen!(@names $row $($($name),+)?);
                    $crate::stimulus::add_rows(&mut rows, names, &self.$row);
                })+
                rows
            }
        }
    };
    (@type) => { u64 };
    (@type $($name:literal),+) => { [u64; [$($name),+].len()] };
    (@names $row:ident) => { &[stringify!($row)] };
    (@names $row:ident $($name:literal),+) => { &[$($name),+] };
}
