//! What the inputs of programs are made of: random numbers, and graphs.

mod graph;
mod rng;

pub use graph::{Edge, Graph};
pub use rng::SplitMix64;
