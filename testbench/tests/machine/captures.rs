//! captures
