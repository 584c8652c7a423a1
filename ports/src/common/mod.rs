//! Types that two or more blocks use, mirroring `rtl/common`.

mod command_parameters;
mod command_pkg;
pub mod command_types;
mod finepack_header;
mod finepack_parameters;
mod finepack_pkg;
pub mod finepack_types;
mod race_parameters;
pub mod race_types;
mod sharing_parameters;
pub mod sharing_types;
mod stc_parameters;
pub mod stc_types;
mod timestamp_parameters;
pub mod timestamp_types;
