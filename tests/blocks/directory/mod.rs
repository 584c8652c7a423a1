//! Directories (baseline, HMG, REC, ideal): the block by itself, and in random systems of GPUs.

mod coherence_directory;
mod systems;
