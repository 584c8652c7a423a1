//! Systems of real GPUs.

mod systems;
