//! Sections of the system file that designs have of their own: what may stand there, and what holds
//! where a file is silent.

use ports::{Field, Fields, known_names};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::config::{ALL_FIELDS, ConfigError, System, check_limit, error};

/// A section of a design, which submits it with its name: files are checked by these fields, and
/// `duet systems` shows them.
#[derive(Clone, Copy, Debug)]
pub struct Section {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
    /// Its fields, as `FIELDS` of the structs that they come from.
    pub fields: &'static [&'static [Field]],
    /// Those of them that follow from the machine: they may not stand in a file.
    pub fixed: &'static [&'static str],
    /// All of them, for a machine whose file says nothing of them ([`defaults`]).
    pub default: fn(&System) -> Result<toml::Table, ConfigError>,
}

impl Section {
    /// The fields that may stand in a file.
    pub fn free(&self) -> impl Iterator<Item = &'static Field> + Clone {
        let fixed = self.fixed;
        self.fields.iter().copied().flatten().filter(move |field| !fixed.contains(&field.key))
    }
}

/// A struct's fields and their values.
pub fn defaults(of: &impl Serialize) -> toml::Table {
    toml::Table::try_from(of).expect("parameters are numbers and names")
}

impl System {
    /// What the file says in a section.
    pub fn given(&self, section: &Section) -> Option<&toml::Table> {
        self.sections.get(section.name)?.as_table()
    }

    /// The parameters of a section that a struct has: those that are not given are the default's.
    /// Errors name the field.
    pub fn parameters<T: Fields + DeserializeOwned>(
        &self,
        section: &Section,
    ) -> Result<T, ConfigError> {
        let mut table = self.section(section)?;
        table.retain(|key, _| T::FIELDS.iter().any(|field| field.key == key));
        let refused = |e: toml::de::Error| error(section.name, e.message().to_string());
        table.try_into().map_err(refused)
    }

    /// All parameters of a section.
    pub fn section(&self, section: &Section) -> Result<toml::Table, ConfigError> {
        let mut table = (section.default)(self)?;
        let given = match self.sections.get(section.name) {
            None => return Ok(table),
            Some(given) => given
                .as_table()
                .ok_or_else(|| error(section.name, format!("{given} is no section")))?,
        };
        for (key, value) in given {
            let path = format!("{}.{key}", section.name);
            let field = section.free().find(|field| field.key == key);
            let place = field.and_then(|field| Some((field, table.get_mut(key)?)));
            let Some((field, place)) = place else {
                let known = section.free().map(|field| field.key);
                let known = known_names(key, known, Some(ALL_FIELDS));
                let problem = format!("there is no such field; must be {known}");
                return Err(error(&path, problem));
            };
            if !place.same_type(value) {
                let problem =
                    format!("{value} is no {}, but a {}", place.type_str(), value.type_str());
                return Err(error(&path, problem));
            }
            if let Some(number) = value.as_integer() {
                let number = u64::try_from(number)
                    .map_err(|_| error(&path, format!("{number} is not {}", field.limit)))?;
                check_limit(section.name, field, number)?;
            }
            *place = value.clone();
        }
        Ok(table)
    }
}
