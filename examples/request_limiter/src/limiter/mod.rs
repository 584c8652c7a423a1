//! The block `request_limiter`: `rtl/request_limiter/README.md` has its cycle rules.

mod model;
pub mod ports;
mod stimulus;

pub use model::RequestLimiter;
