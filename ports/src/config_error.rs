//! Parameters that no block can have.

use std::ops::RangeInclusive;

use crate::Limit;

/// An illegal parameter: its name, its value and the limit it breaks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name} = {value}: must be {limit}")]
pub struct ConfigError {
    /// Parameter name, `snake_case`.
    pub name: &'static str,
    /// The offending value.
    pub value: u64,
    /// The rule, completing the sentence "must be …".
    pub limit: String,
}

impl ConfigError {
    /// Passes where `ok` holds.
    pub fn check(
        ok: bool,
        name: &'static str,
        value: u64,
        limit: impl Into<String>,
    ) -> Result<(), Self> {
        if ok { Ok(()) } else { Err(Self { name, value, limit: limit.into() }) }
    }

    /// Passes where a value is in its range.
    pub fn range(name: &'static str, value: u32, range: RangeInclusive<u32>) -> Result<(), Self> {
        let limit = format!("{} to {}", range.start(), range.end());
        Self::check(range.contains(&value), name, value.into(), limit)
    }

    /// Passes where a limit allows a value.
    pub fn limit(name: &'static str, value: u32, limit: &Limit) -> Result<(), Self> {
        Self::check(limit.allows(value.into()), name, value.into(), limit.to_string())
    }
}
