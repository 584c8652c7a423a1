//! Parameters that no block can have.

use std::ops::RangeInclusive;

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

    /// Passes where a value is a power of 2 in its range.
    pub fn power_of_two(
        name: &'static str,
        value: u32,
        range: RangeInclusive<u32>,
    ) -> Result<(), Self> {
        let limit = format!("a power of 2, {} to {}", range.start(), range.end());
        Self::check(value.is_power_of_two() && range.contains(&value), name, value.into(), limit)
    }
}
