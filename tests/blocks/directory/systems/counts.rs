//! How often a run came to what makes it worth something.

use std::fmt;
use std::ops::AddAssign;

macro_rules! counts {
    ($($(#[$meta:meta])* $name:ident),* $(,)?) => {
        #[derive(Clone, Debug, Default)]
        pub struct Counts {
            $($(#[$meta])* pub $name: u64),*
        }

        impl Counts {
            pub fn rows(&self) -> Vec<(&'static str, u64)> {
                vec![$((stringify!($name), self.$name)),*]
            }
        }

        impl AddAssign for Counts {
            fn add_assign(&mut self, other: Self) {
                $(self.$name += other.$name;)*
            }
        }
    };
}

counts! {
    steps,
    read_hits,
    read_misses,
    /// Of a thread whose line was on its way already.
    read_waits,
    local_reads,
    write_hits,
    /// Into a pending fill.
    write_merges,
    /// Misses that wrote all bytes.
    write_allocates,
    write_misses,
    local_writes,
    atomics,
    fills,
    /// Lines of jobs of each cause.
    write_invs,
    evict_invs,
    inv_hits,
    inv_misses,
    dropped_copies,
    releases,
    /// Reads that showed a release.
    flags_seen,
    /// Words that they showed.
    learned,
    /// Steps in which an invalidation waited for fill data that it must not overtake.
    inv_waits,
    /// Steps in which a request waited because a fill, or a job in the directory, was too old.
    old_fills,
    old_jobs,
    rests,
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let rows: Vec<_> = self.rows().iter().map(|(name, n)| format!("{name} {n}")).collect();
        f.write_str(&rows.join(", "))
    }
}
