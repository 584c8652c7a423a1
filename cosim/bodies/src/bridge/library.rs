//! The shared object of a body, loaded.
#![allow(unsafe_code)]

use std::path::Path;

use cxx::UniquePtr;
use libloading::{Library, Symbol};

use super::ffi::{self, Body};

/// The number of the interface in `body.h`.
pub const INTERFACE: u32 = 2;

/// A loaded shared object. It stays loaded until the process ends: bodies come from it.
#[derive(Clone, Copy, Debug)]
pub struct BodyLibrary {
    make: usize,
    floor: usize,
    evaluations: u32,
}

impl BodyLibrary {
    /// Loads a file that this crate has built. Errors: it cannot be loaded, or has another
    /// interface.
    pub fn load(path: &Path) -> Result<Self, String> {
        let text = |error: libloading::Error| error.to_string();
        // SAFETY: the file is a shared object of our own making, by its checksum. Its initialisers
        // are those of Verilator's runtime, which keeps to itself.
        let library = unsafe { Library::new(path) }.map_err(text)?;
        let number = |name: &[u8]| -> Result<u32, String> {
            // SAFETY: the type is that of `duet_interface` and `duet_evaluations` in
            // `verilated_body.h`.
            let call: Symbol<extern "C" fn() -> u32> =
                unsafe { library.get(name) }.map_err(text)?;
            Ok(call())
        };
        let found = number(b"duet_interface")?;
        if found != INTERFACE {
            return Err(format!("interface {found}, must be {INTERFACE}"));
        }
        let address = |name: &[u8]| -> Result<usize, String> {
            // SAFETY: only the address is taken; the calls go through `body.h`, which both sides
            // have compiled.
            let symbol: Symbol<*const ()> = unsafe { library.get(name) }.map_err(text)?;
            Ok(*symbol as usize)
        };
        let (make, floor) = (address(b"duet_make_body")?, address(b"duet_run_floor")?);
        let evaluations = number(b"duet_evaluations")?;
        std::mem::forget(library);
        Ok(Self { make, floor, evaluations })
    }

    /// How often a body is evaluated in a cycle: 1, or 2 where its RTL needs it.
    pub fn evaluations(&self) -> u32 {
        self.evaluations
    }

    /// A new body. All its registers are 0 before a reset, or random where `seed` is not 0.
    pub fn make(&self, seed: i32) -> UniquePtr<Body> {
        // SAFETY: the address is that of the loaded object's `duet_make_body`.
        unsafe { ffi::make_body(self.make, seed) }
    }

    /// Runs the plain C++ harness over `cycles` images; returns its nanoseconds.
    pub fn run_floor(&self, stimulus: &[u32], cycles: usize) -> usize {
        // SAFETY: the address is that of the loaded object's `duet_run_floor`.
        unsafe { ffi::run_floor(self.floor, stimulus, cycles) }
    }
}
