//! What two or more models use.

pub(crate) mod bits;
pub(crate) mod bloom;
pub(crate) mod fifo;
pub(crate) mod message;
#[cfg(test)]
pub(crate) mod race;
#[cfg(test)]
pub(crate) mod random;
pub(crate) mod rules;
#[cfg(test)]
pub(crate) mod stc;
pub(crate) mod timestamp;
pub(crate) mod use_order;
