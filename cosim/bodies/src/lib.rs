//! Verilated bodies, made when they are asked for.
//!
//! A body is a shared object that Verilator and the C++ compiler make of a block's SystemVerilog, a
//! set of parameters and a [`Variant`]. It is kept in a cache under the hash of everything that it
//! depends on, so that a change of any of it makes another body, and nothing else does.

mod bridge;
mod cache;
pub mod compiler;
mod error;
mod evaluation;
mod foreign;
pub mod ibex;
mod key;
mod make;
pub mod netlist;
mod owned;
mod plan;
mod request;
mod shim;
mod sources;
mod step;
pub mod tools;
mod toolset;
pub mod verilator;
pub mod wrapper;

pub use bridge::library::BodyLibrary;
pub use cache::{Cache, Kept};
pub use error::VerilatedError;
pub use key::{Key, checksum};
pub use make::{body, build, lint, ready};
pub use request::{Request, Variant};
pub use sources::{
    Embedded, Origin, Source, Sources, edited, embed, embed_beside, replace_sources, with_built_in,
};
pub use step::{Step, on_step};
pub use toolset::versions;

/// A body, and what can be asked of it.
pub mod ffi {
    pub use crate::bridge::ffi::{
        Body, errors, reset, set_trace, settle, take_messages, take_trace, tick,
    };
}
