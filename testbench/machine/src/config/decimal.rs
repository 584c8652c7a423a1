//! A number of a system file with decimals.

use std::fmt;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Parts of 1.
const PARTS: u64 = 1_000_000;

/// A number with up to six decimals, kept exactly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Decimal {
    millionths: u64,
}

impl Decimal {
    /// The nearest to `value / by`, at least a millionth.
    pub fn divided(self, by: u64) -> Self {
        Self { millionths: ((self.millionths + by / 2) / by).max(1) }
    }

    /// As a fraction: so many millionths.
    pub fn millionths(self) -> u64 {
        self.millionths
    }

    /// The nearest number of a computer's.
    pub fn to_f64(self) -> f64 {
        self.millionths as f64 / PARTS as f64
    }

    fn whole(self) -> Option<u64> {
        self.millionths.is_multiple_of(PARTS).then_some(self.millionths / PARTS)
    }
}

/// The same fraction in lowest terms; neither may be 0.
pub fn in_lowest_terms(value: u64, of: u64) -> (u64, u64) {
    let (mut a, mut b) = (value, of);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    (value / a, of / a)
}

impl From<u32> for Decimal {
    fn from(whole: u32) -> Self {
        Self { millionths: u64::from(whole) * PARTS }
    }
}

impl ports::FieldValue for Decimal {
    fn number(&self) -> Option<u64> {
        Some(self.millionths)
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.to_f64().fmt(f)
    }
}

impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self.whole() {
            Some(whole) => to.serialize_u64(whole),
            None => to.serialize_f64(self.to_f64()),
        }
    }
}

impl<'a> Deserialize<'a> for Decimal {
    fn deserialize<D: Deserializer<'a>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "a number was expected")]
        enum Number {
            Whole(u32),
            Real(f64),
        }
        match Number::deserialize(from)? {
            Number::Whole(whole) => Ok(whole.into()),
            Number::Real(real) => {
                let parts = (real * PARTS as f64).round();
                let is_exact = (0.0..=u64::MAX as f64).contains(&parts)
                    && (parts / PARTS as f64 - real).abs() <= real.abs() * 1e-15;
                match is_exact {
                    true => Ok(Self { millionths: parts as u64 }),
                    false => {
                        let problem = format!("{real} is negative or has more than six decimals");
                        Err(D::Error::custom(problem))
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Section {
        rate: Decimal,
    }

    fn read(text: &str) -> Result<Section, String> {
        toml::from_str(&format!("rate = {text}")).map_err(|e| e.to_string())
    }

    #[test]
    fn numbers_are_kept_exactly_and_shown_as_they_were() {
        for (text, millionths) in [
            ("150", 150_000_000),
            ("2.34375", 2_343_750),
            ("0.000001", 1),
            ("1024.1", 1_024_100_000),
        ] {
            let section = read(text).unwrap();
            assert_eq!(section.rate.millionths(), millionths);
            assert_eq!(section.rate.to_string(), text);
            assert_eq!(toml::to_string(&section).unwrap(), format!("rate = {text}\n"));
        }
    }

    #[test]
    fn other_numbers_are_refused() {
        assert!(read("true").unwrap_err().contains("a number was expected"));
        for text in ["-1", "-1.5", "0.0000001", "nan", "inf"] {
            assert!(read(text).unwrap_err().contains("more than six decimals"), "{text}");
        }
    }

    #[test]
    fn division_rounds_to_the_nearest_millionth() {
        let parts = |by| Decimal::from(150).divided(by).millionths();
        assert_eq!((parts(64), parts(7), parts(1 << 60)), (2_343_750, 21_428_571, 1));
    }
}
