//! FinePack (HPCA 2023): the egress paths.

pub mod egress_path;
mod systems;
