//! Counters of blocks, which wrap.

/// Adds the events of a cycle.
#[inline(always)]
pub(crate) fn count(counter: &mut u32, events: impl Into<u32>) {
    *counter = counter.wrapping_add(events.into());
}
