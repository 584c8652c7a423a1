//! What the blocks of timestamp coherence have in common.

pub(crate) mod l1;
