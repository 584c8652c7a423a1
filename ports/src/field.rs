//! Fields of a configuration, each declared once: what a check lets pass and what a person reads
//! about a field are the same text and the same numbers.

use std::fmt;

use crate::ConfigError;

/// A field: what may stand there, what it means, and where it comes from.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Name.
    pub key: &'static str,
    /// What it counts; empty for names.
    pub unit: &'static str,
    /// Values that are legal whatever else is set.
    pub limit: Limit,
    /// What must hold besides, completing the sentence "must be …".
    pub also: &'static [&'static str],
    /// What it means.
    pub about: &'static str,
    /// Paper and section, or who decided.
    pub source: &'static str,
}

/// Legal values.
#[derive(Clone, Copy, Debug)]
pub enum Limit {
    /// A number between these, both included.
    Range(u64, u64),
    /// A power of 2 between these.
    PowerOfTwo(u64, u64),
    /// One of these numbers.
    OneOf(&'static [u64]),
    /// A number with decimals between so many millionths.
    Millionths(u64, u64),
    /// One of these names.
    Names(fn() -> Vec<String>),
    /// `true` or `false`.
    Switch,
    /// Any text.
    Text,
}

impl Limit {
    /// Whether a number is legal; of a field of [`Limit::Millionths`] its millionths.
    pub fn allows(&self, number: u64) -> bool {
        match *self {
            Self::Range(least, most) | Self::Millionths(least, most) => {
                (least..=most).contains(&number)
            }
            Self::PowerOfTwo(least, most) => {
                number.is_power_of_two() && (least..=most).contains(&number)
            }
            Self::OneOf(numbers) => numbers.contains(&number),
            Self::Names(_) | Self::Switch | Self::Text => true,
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match *self {
            Self::Range(least, most) if least + 1 == most => write!(f, "{least} or {most}"),
            Self::Range(least, most) => write!(f, "{least} to {most}"),
            Self::PowerOfTwo(least, most) => write!(f, "a power of 2, {least} to {most}"),
            Self::OneOf(numbers) => {
                let (last, others) = numbers.split_last().expect("a limit allows something");
                let others: Vec<_> = others.iter().map(u64::to_string).collect();
                write!(f, "{} or {last}", others.join(", "))
            }
            Self::Millionths(least, most) => {
                let decimal = |millionths: u64| millionths as f64 / 1e6;
                write!(f, "{} to {}, up to six decimals", decimal(least), decimal(most))
            }
            Self::Names(names) => f.write_str(&names().join(", ")),
            Self::Switch => f.write_str("true or false"),
            Self::Text => f.write_str("any text"),
        }
    }
}

/// What must hold between fields of `T`.
#[derive(Debug)]
pub struct Rule<T> {
    /// The field that breaks it.
    pub key: &'static str,
    /// As in [`Field::also`].
    pub limit: &'static str,
    /// Whether it holds.
    pub holds: fn(&T) -> bool,
}

impl<T> Rule<T> {
    /// The limit, with the values of the fields that it names.
    pub fn limit_with(&self, value: impl Fn(&str) -> Option<u64>) -> String {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
        let mut words: Vec<&str> = self.limit.split(|c| !is_part(c)).collect();
        words.dedup();
        let known = words.iter().filter_map(|word| Some(format!("{word} = {}", value(word)?)));
        let known: Vec<_> = known.collect();
        match known.is_empty() {
            true => self.limit.to_string(),
            false => format!("{}, where {}", self.limit, known.join(", ")),
        }
    }
}

/// A struct whose fields are declared with [`fields!`](crate::fields).
pub trait Fields: Sized {
    /// What its rules look at: itself, or what it is a part of.
    type Whole: 'static;

    /// Its fields, in their order.
    const FIELDS: &'static [Field];
    /// What must hold between them, and other fields of the whole.
    const RULES: &'static [Rule<Self::Whole>];

    /// The numbers of the fields; none for a name.
    fn numbers(&self) -> Vec<Option<u64>>;

    /// The number of a field.
    fn number(&self, key: &str) -> Option<u64> {
        let at = Self::FIELDS.iter().position(|field| field.key == key)?;
        self.numbers()[at]
    }

    /// Checks each limit, then each rule.
    fn check_fields(&self) -> Result<(), ConfigError>
    where
        Self: Fields<Whole = Self>,
    {
        for (field, number) in Self::FIELDS.iter().zip(self.numbers()) {
            let value = number.unwrap_or_default();
            let is_legal = number.is_none_or(|number| field.limit.allows(number));
            ConfigError::check(is_legal, field.key, value, field.limit.to_string())?;
        }
        if let Some(rule) = Self::RULES.iter().find(|rule| !(rule.holds)(self)) {
            let (name, value) = (rule.key, self.number(rule.key).unwrap_or_default());
            let limit = rule.limit_with(|key| self.number(key));
            return Err(ConfigError { name, value, limit });
        }
        Ok(())
    }
}

/// What can stand in a field.
pub trait FieldValue {
    /// It as a number.
    fn number(&self) -> Option<u64> {
        None
    }
}

macro_rules! numbers {
    ($($ty:ty),*) => {$(
        impl FieldValue for $ty {
            fn number(&self) -> Option<u64> {
                Some((*self).into())
            }
        }
    )*};
}
numbers!(u16, u32, u64);
impl FieldValue for bool {}
impl FieldValue for String {}

/// Declares a struct of a configuration: of each field what it means (its comment), type, limit,
/// unit, source, and rules of a whole that it must keep to.
///
/// ```
/// use ports::Limit::Range;
///
/// ports::fields! {
///     /// Parameters of a queue.
///     pub struct Queue of Self {
///         /// Items that it holds.
///         pub depth: u32 = Range(1, 16), "items", "chosen";
///         /// Items above which it pushes back.
///         pub high: u32 = Range(1, 16), "items", "chosen",
///             where "at most depth": |queue| queue.high <= queue.depth;
///     }
/// }
///
/// use ports::Fields;
/// let error = Queue { depth: 4, high: 5 }.check_fields().unwrap_err();
/// assert_eq!(error.to_string(), "high = 5: must be at most depth, where depth = 4");
/// ```
#[macro_export]
macro_rules! fields {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident of $whole:ty {
            $(
                $(#[doc = $about:literal])+
                $(#[serde($($serde:tt)*)])?
                $fvis:vis $field:ident: $ty:ty = $limit:expr, $unit:literal, $source:literal
                    $(, where $also:literal: $holds:expr)*;
            )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq, ::serde::Serialize, ::serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        $vis struct $name {
            $( $(#[doc = $about])+ $(#[serde($($serde)*)])? $fvis $field: $ty, )*
        }

        impl $crate::Fields for $name {
            type Whole = $whole;

            const FIELDS: &'static [$crate::Field] = &[$($crate::Field {
                key: stringify!($field),
                unit: $unit,
                limit: $limit,
                also: &[$($also),*],
                about: concat!($($about),+),
                source: $source,
            }),*];
            const RULES: &'static [$crate::Rule<$whole>] = &[$($($crate::Rule {
                key: stringify!($field),
                limit: $also,
                holds: $holds,
            },)*)*];

            fn numbers(&self) -> Vec<Option<u64>> {
                vec![$( $crate::FieldValue::number(&self.$field) ),*]
            }
        }
    };
}
