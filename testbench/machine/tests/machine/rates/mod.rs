//! Rates that system files promise are reached, and what keeps them from it is said.

mod gpu_links;
