//! Two bodies of one block: the Rust model and the Verilated SystemVerilog, alone or in lockstep,
//! with mismatch reports and waveforms.
//!
//! The RTL bodies are built by this crate's build script (feature `rtl`, on by default); without
//! Verilator the crate still builds, and [`Rtl::new`] says what is missing.

pub mod blocks;
pub mod body;
#[cfg(rtl_bodies)]
mod bridge;
pub mod catalog;
pub mod command_processor;
pub mod ibex;
pub mod lockstep;
pub mod part_file;
pub mod report;
pub mod rtl;
pub mod runner;
pub mod settings;
pub mod stimulus;
mod transfers;
pub mod value;
pub mod verilator;
pub mod wave;
pub mod wrapper;

pub use catalog::Catalog;
pub use lockstep::Lockstep;
pub use report::Mismatch;
pub use rtl::{Rtl, RtlError};

/// True when this build holds RTL bodies.
pub const HAS_RTL: bool = cfg!(rtl_bodies);

/// The configurations for which an RTL body of `block` was built. Empty without Verilator, or without Ibex for a
/// block that has it inside.
pub fn built_configs(block: &str) -> Vec<String> {
    let bodies = Catalog::load().map(|c| c.bodies()).unwrap_or_default();
    let built = |config: &str| {
        #[cfg(rtl_bodies)]
        return bridge::ffi::has_body(block, config);
        #[cfg(not(rtl_bodies))]
        {
            let _ = config;
            false
        }
    };
    let configs = bodies.into_iter().filter(|b| b.block.name == block).map(|b| b.config);
    configs.filter(|config| built(config)).collect()
}

/// Runs the plain C++ harness over the Verilated top: `stimulus` holds one input image for each
/// cycle, from reset on. The floor that the bridge is measured against. Returns the nanoseconds that the loop took.
pub fn run_floor(block: &str, config: &str, stimulus: &[u32], cycles: usize) -> usize {
    #[cfg(rtl_bodies)]
    return bridge::ffi::run_floor(block, config, stimulus, cycles);
    #[cfg(not(rtl_bodies))]
    {
        let _ = (block, config, stimulus, cycles);
        0
    }
}
