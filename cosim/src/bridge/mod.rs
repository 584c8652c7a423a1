//! The boundary to C++: all `unsafe` of the crate is what `cxx` writes for this module.

#[cxx::bridge(namespace = "duet")]
pub(crate) mod ffi {
    unsafe extern "C++" {
        include!("body.h");

        type Body;
        fn reset(self: Pin<&mut Body>, out: &mut [u32]);
        fn tick(self: Pin<&mut Body>, input: &[u32], out: &mut [u32]) -> bool;
        fn settle(self: Pin<&mut Body>, input: &[u32], out: &mut [u32]);
        fn errors(self: &Body) -> usize;

        fn has_body(block: &str, config: &str) -> bool;
        fn make_body(block: &str, config: &str) -> UniquePtr<Body>;
        fn run_floor(block: &str, config: &str, stimulus: &[u32], cycles: usize) -> usize;
        fn take_messages() -> String;
    }
}
