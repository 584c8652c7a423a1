//! Types that two or more blocks use, mirroring `rtl/common`.

mod finepack_header;
mod finepack_parameters;
mod finepack_pkg;
pub mod finepack_types;
