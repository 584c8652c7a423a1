//! The boundary to C++. `cxx` writes the calls of a body; [`library`] loads the shared object that
//! it comes from.

pub mod library;

#[cxx::bridge(namespace = "duet")]
pub(crate) mod ffi {
    unsafe extern "C++" {
        include!("host.h");

        type Body;
        fn reset(body: Pin<&mut Body>, input: &[u32], out: &mut [u32]);
        fn tick(body: Pin<&mut Body>, input: &[u32], out: &mut [u32]) -> bool;
        fn settle(body: Pin<&mut Body>, input: &[u32], out: &mut [u32]);
        fn errors(body: &Body) -> usize;
        fn take_messages(body: Pin<&mut Body>) -> String;
        fn set_trace(body: Pin<&mut Body>, on: bool) -> bool;
        fn take_trace(body: Pin<&mut Body>) -> String;

        unsafe fn make_body(make: usize, seed: i32) -> UniquePtr<Body>;
        unsafe fn run_floor(run: usize, stimulus: &[u32], cycles: usize) -> usize;
    }
}
