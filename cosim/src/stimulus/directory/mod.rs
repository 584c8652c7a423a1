//! Directories: baseline, HMG (HPCA 2020), REC (JSA 2025), ideal: stimuli.

pub mod coherence_directory;
