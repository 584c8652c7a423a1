//! Traces of GPU programs, and programs that make them: the format, captures of real programs, and
//! what is built in.

pub mod kernels;
pub mod opencl;
pub mod trace;
pub mod workloads;
