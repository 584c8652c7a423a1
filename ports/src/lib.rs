//! Ports declared once: what the bits of a block's ports mean, in Rust, with everything that the
//! bridge, the comparison, the reports and the waveforms need derived from the one declaration.
//!
//! - [`Signal`]: a value that travels as bits (`bool`, integers, byte arrays, messages).
//! - [`message!`]: a SystemVerilog `struct packed` and the Rust struct of the same fields.
//! - [`ports!`]: one direction of a block's ports.
//!
//! All ports of one direction form an *image*: each port in declaration order, starting at a new
//! 32-bit word, bit 0 in bit 0 of the first word. That is how Verilator stores wide ports.

mod bits;
pub mod common;
mod config_error;
pub mod cpelide;
mod declare;
mod description;
pub mod directory;
mod field;
pub mod finepack;
mod hidden;
mod image;
mod macros;
mod near;
mod parameters;
pub mod race;
pub mod sharing;
mod signal;
pub mod stc;
#[cfg(test)]
mod tests;
pub mod timestamp;
mod unique;

pub use bits::{Reader, Writer};
pub use config_error::ConfigError;
pub use declare::{Declare, Dir, Port, Ports, image_words};
pub use description::Description;
pub use field::{Field, FieldValue, Fields, Limit, Rule};
#[doc(hidden)]
pub use hidden::is_hidden;
pub use image::{
    equals_channel, equals_port, handshake, load_channel, load_port, store_channel, store_port,
};
pub use near::{did_you_mean, known_names, nearest_names};
pub use parameters::Parameters;
pub use signal::{Bytes, Leaf, Signal, SvType};
pub use unique::check_unique;
