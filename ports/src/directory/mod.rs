//! Directories: baseline, HMG (HPCA 2020), REC (JSA 2025), ideal: parameters, ports, messages.

pub mod coherence_directory;
