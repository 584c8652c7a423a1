//! Types that two or more blocks use, mirroring `rtl/common`.

pub mod finepack_types;
