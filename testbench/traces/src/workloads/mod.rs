//! What the inputs of programs are made of: random numbers, and graphs. And programs as data, for
//! random draws.

mod graph;
pub mod program;
mod rng;

pub use graph::{Edge, Graph};
pub use rng::SplitMix64;
