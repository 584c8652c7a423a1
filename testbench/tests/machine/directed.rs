//! directed
