//! What the L1s of G-TSC and of TC have in common (specification 5.1 to 5.3).

pub(crate) mod cache;
pub(crate) mod channels;
pub(crate) mod misses;
pub(crate) mod policy;
pub(crate) mod request;
pub(crate) mod rows;
pub(crate) mod stores;
#[cfg(test)]
pub(crate) mod tests;

/// Counts an event.
pub(crate) fn count(counter: &mut u32) {
    *counter = counter.wrapping_add(1);
}
