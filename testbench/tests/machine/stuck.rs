//! stuck
