//! Parts that models of several families use.

pub(crate) mod bits;
pub(crate) mod counter;
pub(crate) mod fifo;
#[cfg(test)]
pub(crate) mod random;
pub(crate) mod rules;
pub mod test_queue;
