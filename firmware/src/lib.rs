//! The firmware of the global command processor: CPElide's chiplet coherence table and the launches
//! around it (CPElide, MICRO 2024, section III).
//!
//! `no_std`, without allocation and without unsafe code. It reaches everything outside itself
//! through [`Bus`], so the same source runs on a host, in the instruction-set simulator and on the
//! RISC-V core; `image/` is the binary for the latter two, and the module `image` reads it on the
//! host. [`Processor::poll`] handles what has happened and returns; the processor's owner calls it
//! again after the next event.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(not(target_os = "none"))]
extern crate std;

pub mod aql;
mod arrivals;
mod at_home;
mod bitmap;
mod bus;
mod coarsen;
mod config;
mod decide;
#[cfg(not(target_os = "none"))]
pub mod image;
mod journal;
mod labels;
mod launch;
mod layout;
pub mod map;
mod packet;
mod plain;
mod processor;
mod record;
mod report;
mod running;
mod shadow;
mod table;
mod unchanged;
mod vector;

pub use bus::Bus;
pub use config::{Config, SyncMode};
pub use layout::{Cached, Indexed, Layout, Paper};
pub use processor::Processor;
