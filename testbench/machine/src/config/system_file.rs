//! Reads system files: TOML, replaced values, and what machines must keep to.

use std::ops::Range;

use ports::did_you_mean;

use crate::config::resolved::Resolved;
use crate::config::{ConfigError, System};
use crate::gate;

/// A system file that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SystemError {
    /// Not TOML, or not the fields of a system.
    #[error("{file}: {message}")]
    Syntax {
        /// File or preset.
        file: String,
        /// Line and what was expected.
        message: String,
    },
    /// A value that cannot be.
    #[error("{file}: {error}")]
    Value {
        /// File or preset, and line where the value stands there.
        file: String,
        /// Field and limit.
        error: ConfigError,
    },
    /// `--set` of something that is no field.
    #[error("--set {key}: there is no such field; a key is a dotted path of the system file{near}")]
    Key {
        /// The key.
        key: String,
        /// What may have been meant.
        near: String,
    },
    /// `--set` of a value that the field cannot take.
    #[error("--set {key}={value}: must be {limit}")]
    Setting {
        /// The field.
        key: String,
        /// The value.
        value: String,
        /// What it takes.
        limit: String,
    },
    /// `--set` of a field that the machine does not read.
    #[error("--set {key}={value}: it has no effect: {why}")]
    Idle {
        /// The field.
        key: String,
        /// The value.
        value: String,
        /// Why.
        why: String,
    },
}

/// Largest system file.
pub const MOST_BYTES: usize = 1 << 20;

/// The message about a file of so many bytes.
pub(crate) fn too_long(bytes: u64) -> String {
    format!("{bytes} bytes; at most {MOST_BYTES}")
}

impl System {
    /// Reads a system; `file` names it in errors. Each of `set` replaces the value of a dotted
    /// path.
    pub fn parse(file: &str, text: &str, set: &[(String, String)]) -> Result<Self, SystemError> {
        let syntax = |message: String| SystemError::Syntax { file: file.to_string(), message };
        if text.len() > MOST_BYTES {
            return Err(syntax(too_long(text.len() as u64)));
        }
        // Errors of the file itself name its line; those after `--set` can only name the field.
        let told = |e: toml::de::Error| syntax(spelled(e.to_string().trim_end()) + &near_key(text));
        let plain: Self = toml::from_str(text).map_err(told)?;
        let value = |error: ConfigError| {
            let line = line_of(text, &error.field);
            SystemError::Value { file: format!("{file}:{line}"), error }
        };
        match set.is_empty() {
            true => plain.check().map_err(value).map(|()| plain),
            false => plain.with(file, set),
        }
    }

    /// The same with other values. Each of `set` replaces the value of a dotted path; `file` names
    /// the system in errors.
    pub fn with(&self, file: &str, set: &[(String, String)]) -> Result<Self, SystemError> {
        let syntax = |e: String| SystemError::Syntax { file: file.to_string(), message: e };
        let mut table = toml::Table::try_from(self).map_err(|e| syntax(e.to_string()))?;
        let all: Vec<String> = table.keys().cloned().collect();
        let of_designs = |key: &&String| self.sections.contains_key(*key);
        let own: Vec<&str> =
            all.iter().filter(|key| !of_designs(key)).map(String::as_str).collect();
        let plain = table.clone();
        for (key, value) in set {
            let known = replace(&mut table, &own, key, value);
            known.ok_or_else(|| SystemError::Key { key: key.clone(), near: near_path(key) })?;
        }
        let system: Self = match table.try_into() {
            Ok(system) => system,
            Err(e) => return Err(refused(plain, &own, set).unwrap_or(syntax(e.to_string()))),
        };
        let value = |error| SystemError::Value { file: file.to_string(), error };
        system.check().map_err(value)?;
        Ok(system)
    }

    fn try_from_table(table: &toml::Table) -> Option<Self> {
        table.clone().try_into().ok()
    }

    /// Fields that keep others from what they say, and what is reached: the machine can be built,
    /// but figures from it may mislead.
    pub fn warnings(&self) -> Vec<String> {
        gate::warnings(self)
    }

    /// Every limit that the machine relies on.
    pub fn check(&self) -> Result<(), ConfigError> {
        Resolved::of(self).map(|_| ())
    }
}

/// Of replaced values the first that its field does not take.
fn refused(mut table: toml::Table, own: &[&str], set: &[(String, String)]) -> Option<SystemError> {
    set.iter().find_map(|(key, value)| {
        let before = table.clone();
        replace(&mut table, own, key, value)?;
        if System::try_from_table(&table).is_some() {
            return None;
        }
        let (key, value, limit) = (key.clone(), value.clone(), limit(&before, key));
        Some(SystemError::Setting { key, value, limit })
    })
}

/// Line of a field, by its dotted path: where its value stands, else its section; 1 where neither
/// does.
fn line_of(text: &str, field: &str) -> usize {
    let at = places(text, field).last().map_or(0, |place| place.start);
    1 + text.as_bytes()[..at].iter().filter(|&&byte| byte == b'\n').count()
}

/// What a text says behind the value of a field; where it says nothing there, behind the head of
/// its section. None where the field is not there.
pub(crate) fn comment_of(text: &str, field: &str) -> Option<String> {
    let behind = |place: Range<usize>| {
        let line = text[place.end..].lines().next().unwrap_or_default();
        line.split_once('#').map(|(_, comment)| comment.trim().to_string())
    };
    let places = places(text, field);
    let is_there = places.len() == field.split('.').count();
    is_there.then(|| places.into_iter().rev().find_map(behind).unwrap_or_default())
}

/// Where the section of a field stands, and the field with its value: those of them that do.
fn places(text: &str, field: &str) -> Vec<Range<usize>> {
    let Ok(table) = toml::de::DeTable::parse(text) else { return Vec::new() };
    let mut table = table.get_ref();
    let mut places = Vec::new();
    for word in field.split('.') {
        let Some((key, value)) = table.iter().find(|(key, _)| key.get_ref() == word) else { break };
        let Some(section) = value.get_ref().as_table() else {
            places.push(key.span().start..value.span().end);
            break;
        };
        places.push(key.span());
        table = section;
    }
    places
}

/// The path that may have been meant by one that leads nowhere.
fn near_path(path: &str) -> String {
    let all: Vec<_> = System::OWN
        .iter()
        .flat_map(|s| s.fields.iter().map(move |field| format!("{}.{}", s.name, field.key)))
        .chain(["name", "scale"].map(String::from))
        .collect();
    did_you_mean(path, all.iter().map(String::as_str))
}

/// What may have been meant by the first section or field of a text that there is not.
fn near_key(text: &str) -> String {
    let table: toml::Table = toml::from_str(text).unwrap_or_default();
    let sections = table.iter().flat_map(|(name, value)| {
        let own = System::OWN.iter().find(|section| section.name == name);
        let keys = value.as_table().filter(|_| own.is_some()).into_iter().flatten();
        let fields = own.map_or(&[][..], |section| section.fields);
        keys.map(move |(key, _)| did_you_mean_among(key, fields.iter().map(|field| field.key)))
    });
    let names = System::OWN.iter().map(|section| section.name).chain(["name", "scale"]);
    let own = table.keys().map(|key| did_you_mean_among(key, names.clone()));
    sections.chain(own).find(|near| !near.is_empty()).unwrap_or_default()
}

/// Nothing where the name is one of those that there are.
fn did_you_mean_among(name: &str, known: impl Iterator<Item = &'static str> + Clone) -> String {
    match known.clone().any(|known| known == name) {
        true => String::new(),
        false => did_you_mean(name, known),
    }
}

/// Types of numbers as messages of TOML's reader call them, and as a person does.
const TYPES: [(&str, &str, i64); 3] = [
    ("u16", "a whole number, 0 to 65535", u16::MAX as i64),
    ("u32", "a whole number, 0 to 4294967295", u32::MAX as i64),
    ("u64", "a whole number, 0 to 9223372036854775807", i64::MAX),
];

/// A message of TOML's reader, without names of Rust's types.
fn spelled(message: &str) -> String {
    let message = message.replace("` as i128", "`");
    TYPES.iter().fold(message, |text, (name, meaning, _)| {
        text.replace(&format!("expected {name}"), &format!("expected {meaning}"))
    })
}

/// What the field takes where it has a value of another type: its limits are those that the check
/// names for a number which is too large.
fn limit(table: &toml::Table, key: &str) -> String {
    let (section, field) = key.split_once('.').unwrap_or(("", key));
    let with = |number: i64| {
        let mut table = table.clone();
        let fields = match section {
            "" => Some(&mut table),
            section => table.get_mut(section).and_then(toml::Value::as_table_mut),
        };
        fields?.insert(field.to_string(), number.into());
        System::try_from_table(&table)
    };
    let before = if section.is_empty() { table.get(field) } else { table[section].get(field) };
    let (kind, largest) = match before {
        Some(toml::Value::Boolean(_)) => return "true or false".into(),
        Some(toml::Value::String(_)) => return "a name".into(),
        _ if key == "gpu_link.bytes_per_ns" => ("a number", u32::MAX.into()),
        _ => match TYPES.iter().rev().find(|(.., most)| with(*most).is_some()) {
            Some((_, meaning, most)) => (*meaning, *most),
            None => return "a value of another type".into(),
        },
    };
    let problem = with(largest).and_then(|system| system.check_numbers().err());
    let problem = problem.filter(|error| error.field == key).map(|error| error.problem);
    match problem.as_deref().and_then(|problem| problem.split_once(" is not ")) {
        Some((_, limits)) => {
            let kind = kind.split(',').next().unwrap_or(kind);
            format!("{kind}, {limits}")
        }
        None => kind.to_string(),
    }
}

/// Puts `value` where `key` leads, with the type of what is there. `own`: sections of the system,
/// whose fields are all there.
fn replace(table: &mut toml::Table, own: &[&str], key: &str, value: &str) -> Option<()> {
    let (path, field) = match key.rsplit_once('.') {
        Some((path, field)) => (path.split('.').collect(), field),
        None => (Vec::new(), key),
    };
    let mut table = table;
    // A design's section, and what is not given in it, is not in the table.
    let is_optional = matches!(path[..], [section] if !own.contains(&section));
    if is_optional {
        table.entry(path[0]).or_insert_with(|| toml::Table::new().into());
    }
    for section in path {
        table = table.get_mut(section)?.as_table_mut()?;
    }
    // A value of another type is left for the fields' own types to refuse.
    let text = || toml::Value::String(value.into());
    let number = || {
        let whole = value.parse().map(toml::Value::Integer);
        whole.or_else(|_| value.parse().map(toml::Value::Float)).unwrap_or_else(|_| text())
    };
    if is_optional {
        table.insert(field.to_string(), number());
        return Some(());
    }
    let place = table.get_mut(field)?;
    *place = match place {
        toml::Value::Integer(_) | toml::Value::Float(_) => number(),
        toml::Value::Boolean(_) => value.parse().map_or(text(), toml::Value::Boolean),
        toml::Value::String(_) => text(),
        _ => return None,
    };
    Some(())
}
