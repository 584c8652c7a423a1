//! What models of timestamp coherence share.

pub(crate) mod l1;
pub(crate) mod l2;
#[cfg(test)]
pub(crate) mod small;
