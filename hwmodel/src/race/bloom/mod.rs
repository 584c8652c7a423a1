//! Signatures of the race detection blocks: sets of granules as Bloom filters with 6 hashes
//! (Tabbakh's thesis, section 4.3.3; specification 5.1 of race detection).
//!
//! A *granule* is an aligned piece of memory, its *key* the number of it. A signature of `m` bits
//! has 8 banks; the bits of a key lie in 6 of them.

mod granules;
mod hash;
mod signature;
#[cfg(test)]
mod tests;

pub use granules::{Granules, Keys};
pub use hash::{Hash, Indices};
pub use signature::Signature;
