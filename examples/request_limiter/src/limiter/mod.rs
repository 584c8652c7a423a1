//! The block `request_limiter`: `rtl/request_limiter/README.md` has its rules.

mod model;
pub mod ports;
mod stimulus;

pub use model::RequestLimiter;
