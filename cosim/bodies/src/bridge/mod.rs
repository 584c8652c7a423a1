//! The boundary to C++. `cxx` writes the calls of a body; [`library`] loads the shared object that
//! it comes from.

pub mod library;

/// The calls of a body, as `body.h` has them.
#[cxx::bridge(namespace = "duet")]
pub mod ffi {
    unsafe extern "C++" {
        include!("host.h");

        /// A Verilated block.
        type Body;
        /// Holds the reset for two edges while `input` is driven; `out` gets the outputs after it.
        fn reset(body: Pin<&mut Body>, input: &[u32], out: &mut [u32]);
        /// Drives `input`, then raises the clock; `out` gets the outputs after the edge. True when
        /// there are messages.
        fn tick(body: Pin<&mut Body>, input: &[u32], out: &mut [u32]) -> bool;
        /// Drives `input` without an edge; `out` gets the outputs.
        fn settle(body: Pin<&mut Body>, input: &[u32], out: &mut [u32]);
        /// Assertions that have failed.
        fn errors(body: &Body) -> usize;
        /// What the block has printed since the last call.
        fn take_messages(body: Pin<&mut Body>) -> String;
        /// From now on each tick adds the values of all signals to the trace, or no longer. False
        /// in a body that was built without them.
        fn set_trace(body: Pin<&mut Body>, on: bool) -> bool;
        /// The text of a VCD since the last call.
        fn take_trace(body: Pin<&mut Body>) -> String;

        /// A new body. `make` is the address of a shared object's `duet_make_body`.
        unsafe fn make_body(make: usize, seed: i32) -> UniquePtr<Body>;
        /// Runs the plain C++ harness. `run` is the address of a shared object's `duet_run_floor`.
        unsafe fn run_floor(run: usize, stimulus: &[u32], cycles: usize) -> usize;
    }
}
