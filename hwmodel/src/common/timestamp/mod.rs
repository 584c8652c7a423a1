//! What models of timestamp coherence share.

pub(crate) mod l2;
