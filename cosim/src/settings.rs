//! From a named configuration and `KEY=VALUE`s to a family's parameters.

use ports::{ConfigError, Field, known_names};

use crate::catalog::{Family, RANDOM};
use crate::draw::draw;

/// A static input that can be fixed: its port, and the largest value.
pub type StaticInput = (&'static str, u32);

/// Static inputs that the user fixes instead of the seed, by port name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statics(Vec<(&'static str, u32)>);

impl Statics {
    /// Fixes one.
    pub fn fix(&mut self, name: &'static str, value: u32) {
        self.0.push((name, value));
    }

    /// The value to which one is fixed last.
    pub fn get(&self, name: &str) -> Option<u32> {
        self.0.iter().rfind(|(fixed, _)| *fixed == name).map(|(_, value)| *value)
    }
}

/// Why a configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SettingError {
    /// No configuration of this name.
    #[error("--config {config}: must be one of {known}")]
    Config {
        /// The name.
        config: String,
        /// Those that are.
        known: String,
    },
    /// A setting without `=`.
    #[error("--set {setting}: must be KEY=VALUE")]
    Form {
        /// The setting.
        setting: String,
    },
    /// No such parameter.
    #[error("--set {key}: must be one of {known}")]
    Key {
        /// The key.
        key: String,
        /// Those that are.
        known: String,
    },
    /// Not a value for this key.
    #[error("--set {key}={value}: must be {limit}")]
    Value {
        /// The key.
        key: String,
        /// The value.
        value: String,
        /// What would do.
        limit: String,
    },
    /// An illegal parameter.
    #[error("{source}, in configuration {config}")]
    Parameter {
        /// Name of the configuration.
        config: String,
        /// The parameter.
        source: ConfigError,
    },
    /// No legal parameters were drawn.
    #[error("--config random: none of {tries} draws is legal; in the last one {source}")]
    Draws {
        /// How many were tried.
        tries: u32,
        /// What was wrong with the last one.
        source: ConfigError,
    },
}

/// Parameters of a family, and what they are called.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// The named configuration that has these parameters, else the one that they were made of and
    /// what was set.
    pub name: String,
    /// What was drawn, as `KEY=VALUE`s: with these set, every seed gives the same parameters.
    pub drawn: Vec<String>,
    parameters: toml::Table,
}

impl Chosen {
    /// The parameters. Panics where they are another family's.
    pub fn parameters<F: Family>(&self) -> F {
        self.parameters.clone().try_into().expect("parameters of this family")
    }

    /// All parameters, as TOML.
    pub fn text(&self) -> String {
        toml::to_string(&self.parameters).expect("parameters are numbers and names")
    }
}

/// The parameters that `--config` and `--set`s mean. A configuration may be drawn where there is a
/// seed. The last are keys of something else, which an error names, too.
type Resolve = fn(&str, Option<u64>, &[(String, String)], &[&str]) -> Result<Chosen, SettingError>;

/// What a command can ask of a family, whichever it is.
#[derive(Clone, Copy)]
pub struct FamilyEntry {
    /// Names of its configurations.
    pub configs: fn() -> Vec<String>,
    resolve: Resolve,
}

impl FamilyEntry {
    /// Of a family's type.
    pub const fn of<F: Family>() -> Self {
        Self { configs: || F::named().into_keys().collect(), resolve: resolve::<F> }
    }

    /// Takes `KEY=VALUE`s apart: those of static inputs, and the parameters that the others make of
    /// a named configuration.
    pub fn apply(
        &self,
        config: &str,
        settings: &[String],
        inputs: &[StaticInput],
    ) -> Result<(Chosen, Statics), SettingError> {
        self.choose(config, None, settings, inputs)
    }

    /// Likewise; the configuration may be `random`: what is not set is drawn from the seed.
    pub fn apply_or_draw(
        &self,
        config: &str,
        seed: u64,
        settings: &[String],
        inputs: &[StaticInput],
    ) -> Result<(Chosen, Statics), SettingError> {
        self.choose(config, Some(seed), settings, inputs)
    }

    fn choose(
        &self,
        config: &str,
        seed: Option<u64>,
        settings: &[String],
        inputs: &[StaticInput],
    ) -> Result<(Chosen, Statics), SettingError> {
        let (mut statics, mut parameters) = (Statics::default(), Vec::new());
        for setting in settings {
            let form = || SettingError::Form { setting: setting.clone() };
            let (key, value) = setting.split_once('=').ok_or_else(form)?;
            match inputs.iter().find(|(name, _)| *name == key) {
                Some((name, most)) => statics.fix(name, number(key, value, *most)?),
                None => parameters.push((key.to_string(), value.to_string())),
            }
        }
        let inputs: Vec<_> = inputs.iter().map(|(name, _)| *name).collect();
        Ok(((self.resolve)(config, seed, &parameters, &inputs)?, statics))
    }
}

/// A named configuration.
pub fn named<F: Family>(config: &str) -> Result<F, SettingError> {
    let mut named = F::named();
    named.remove(config).ok_or_else(|| unknown(config, named.keys().map(String::as_str)))
}

fn unknown<'a>(config: &str, all: impl Iterator<Item = &'a str>) -> SettingError {
    let known = known_names(config, all, Some("duet list blocks"));
    SettingError::Config { config: config.to_string(), known }
}

fn number(key: &str, value: &str, most: u32) -> Result<u32, SettingError> {
    let (key, limit) = (key.to_string(), format!("a number, 0 to {most}"));
    let parsed = value.parse().ok().filter(|number| *number <= most);
    parsed.ok_or_else(|| SettingError::Value { key, value: value.to_string(), limit })
}

fn resolve<F: Family>(
    config: &str,
    seed: Option<u64>,
    settings: &[(String, String)],
    others: &[&str],
) -> Result<Chosen, SettingError> {
    let named = F::named();
    let random = seed.filter(|_| config == RANDOM);
    // Where the others are drawn, it only says which type each has.
    let base = if random.is_some() { named.values().next() } else { named.get(config) };
    let configs = || named.keys().map(String::as_str).chain(seed.map(|_| RANDOM));
    let base = base.ok_or_else(|| unknown(config, configs()))?;
    let mut table = toml::Table::try_from(base).expect("parameters are numbers and names");
    for (key, value) in settings {
        let keys = || table.keys().map(String::as_str).chain(others.iter().copied());
        let known = || known_names(key, keys(), None);
        let unknown = || SettingError::Key { key: key.clone(), known: known() };
        let before = table.get(key).ok_or_else(unknown)?;
        let new = match before {
            toml::Value::Integer(_) => i64::from(number(key, value, u32::MAX)?).into(),
            toml::Value::Boolean(_) if let Ok(switch) = value.parse::<bool>() => switch.into(),
            _ => toml::Value::from(value.as_str()),
        };
        table.insert(key.clone(), new);
        // One setting at a time: what is refused is this one.
        if let Err(error) = table.clone().try_into::<F>() {
            let limit = error.message().to_string();
            return Err(SettingError::Value { key: key.clone(), value: value.clone(), limit });
        }
    }
    if let Some(seed) = random {
        let is_set = |field: &&Field| settings.iter().any(|(key, _)| key == field.key);
        let free: Vec<_> = F::fields().iter().filter(|field| !is_set(field)).collect();
        draw::<F>(seed, &free, &mut table)?;
        let drawn = free.iter().map(|field| format!("{}={}", field.key, text(&table[field.key])));
        let drawn = drawn.collect();
        return Ok(Chosen { name: config.to_string(), drawn, parameters: table });
    }
    let parameters: F = table.clone().try_into().expect("each setting was accepted");
    let same = named.iter().find(|(_, of_name)| **of_name == parameters);
    let name = same.map(|(name, _)| name.clone()).unwrap_or_else(|| {
        let set = settings.iter().map(|(key, value)| format!(",{key}={value}"));
        set.fold(config.to_string(), |name, set| name + &set)
    });
    let error = |source| SettingError::Parameter { config: name.clone(), source };
    parameters.check().map_err(error)?;
    Ok(Chosen { name, drawn: Vec::new(), parameters: table })
}

/// A value as `--set` takes it.
fn text(value: &toml::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_string)
}
