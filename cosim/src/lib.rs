//! Two bodies of one block: the Rust model and the Verilated SystemVerilog, alone or in lockstep,
//! with mismatch reports and waveforms.
//!
//! RTL bodies are built when they are asked for (`bodies`): the crate itself needs no
//! Verilator, and [`Rtl::new`] says what is missing.

pub mod blocks;
pub mod body;
pub mod catalog;
pub mod cpelide;
mod decode;
pub mod deviation;
mod draw;
mod episodes;
pub mod flip;
pub mod fold;
pub mod inspect;
pub mod lockstep;
mod past;
pub mod reach;
pub mod recorder;
pub mod registers;
pub mod renamed;
pub mod report;
pub mod rtl;
pub mod runner;
pub mod sample;
pub mod settings;
pub mod socket;
pub mod stimulus;
mod transfers;
pub mod value;
pub mod wave;

pub use lockstep::Lockstep;
pub use report::Mismatch;
pub use rtl::{Rtl, RtlError, RtlOptions};
