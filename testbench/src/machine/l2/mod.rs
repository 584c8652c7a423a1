//! L2 designs: what sits between a network and the home of a line.

mod bank;

pub use bank::{Bank, Policy, Ports};
