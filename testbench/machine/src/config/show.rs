//! Systems for a person: a file with comments, and the reference of all fields. Both are made from
//! the declarations by which files are checked.

use std::fmt::{self, Write};

use ports::Field;

use crate::build::{all_sections, own_sections};
use crate::config::registry;
use crate::config::section::Section;
use crate::config::system_file::comment_of;
use crate::config::{System, TOP};
use crate::l1;

/// Columns of a comment.
const COLUMNS: usize = 100;
/// Where the source of a value stands.
const SOURCE: usize = 28;

/// The source of a value that a file leaves out.
const SILENT: &str = "default";

/// Where the values of a system come from.
pub struct Origin<'a> {
    /// The file that it was made of, or its preset.
    pub name: &'a str,
    /// Its text.
    pub text: &'a str,
    /// What it says.
    pub plain: &'a System,
    /// What was set since.
    pub set: &'a [(String, String)],
}

impl Origin<'_> {
    /// Of the value of a dotted path.
    fn source(&self, system: &toml::Table, path: &str) -> String {
        let own = values(self.plain);
        match (at(&own, path), at(system, path)) {
            _ if self.set.iter().any(|(key, _)| key == path) => "set".to_string(),
            (Some(plain), Some(value)) if plain == value => {
                comment_of(self.text, path).unwrap_or(SILENT.to_string())
            }
            _ => format!("derived from {} (docs/systems.md)", self.name),
        }
    }
}

/// A system's fields and their values.
fn values(system: &System) -> toml::Table {
    toml::Table::try_from(system).expect("a system is numbers and names")
}

/// The value of a dotted path.
fn at<'a>(table: &'a toml::Table, path: &str) -> Option<&'a toml::Value> {
    let mut words = path.split('.');
    let first = table.get(words.next()?)?;
    words.try_fold(first, |value, word| value.get(word))
}

/// The system as a file: above each field what it means and what is legal, behind it where its
/// value comes from. The file loads, and says the same.
pub fn commented(system: &System, origin: &Origin) -> String {
    let all = values(system);
    let mut text = comment(
        "A system file: duet run --system FILE. The comment above a field describes its meaning, \
         unit and legal values; the comment after it names the source of its value. Times are \
         cycles of the GPU's clock, sizes bytes. A field after #, such as \"#key = 1\", is \
         optional; the value shown is its default.",
    );
    let put = |text: &mut String, field: &Field, path: &str, value: &toml::Value, off: bool| {
        *text += &comment(&describe(field));
        let line = format!("{}{} = {value}", if off { "#" } else { "" }, field.key);
        let source = if off { SILENT.into() } else { origin.source(&all, path) };
        let _ = match source.is_empty() {
            true => writeln!(text, "{line}"),
            false => writeln!(text, "{line:<0$}# {source}", SOURCE.max(line.len() + 1)),
        };
    };
    for field in &TOP {
        text.push('\n');
        put(&mut text, field, field.key, &all[field.key], false);
    }
    for section in System::OWN {
        let _ = write!(text, "\n{}[{}]\n", comment(section.about), section.name);
        for field in section.fields {
            let path = format!("{}.{}", section.name, field.key);
            let value = at(&all, &path).expect("a section has its fields");
            put(&mut text, field, &path, value, false);
        }
    }
    for section in own_sections(system) {
        // Its machine has been checked with it.
        let Ok(table) = system.section(section) else { continue };
        let given = system.given(section);
        let off = if given.is_some() { "" } else { "#" };
        let _ = write!(text, "\n{}{off}[{}]\n", comment(section.about), section.name);
        for field in section.free() {
            let is_given = given.is_some_and(|given| given.contains_key(field.key));
            let path = format!("{}.{}", section.name, field.key);
            put(&mut text, field, &path, &table[field.key], !is_given);
        }
    }
    text
}

/// What a field means, its unit and its legal values.
fn describe(field: &Field) -> String {
    let about = field.about.trim().trim_end_matches('.');
    let is_told = about.to_lowercase().contains(&field.unit.to_lowercase());
    let unit = if is_told { String::new() } else { format!(" [{}]", field.unit) };
    format!("{about}{unit}: must be {}", legal(field))
}

/// The legal values of a field.
fn legal(field: &Field) -> String {
    field.also.iter().fold(field.limit.to_string(), |legal, also| format!("{legal}; {also}"))
}

/// Lines of a comment.
fn comment(text: &str) -> String {
    let mut lines = vec!["#".to_string()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is one");
        if line.len() + 1 + word.len() > COLUMNS {
            lines.push(format!("# {word}"));
        } else {
            line.push(' ');
            line.push_str(word);
        }
    }
    lines.join("\n") + "\n"
}

/// All fields of system files, as Markdown.
pub struct Reference<'a> {
    /// Any system: whether a field may be left out is tried on it.
    pub example: &'a System,
}

impl Reference<'_> {
    /// The value that a field has where a file leaves it out; none where it may not.
    fn default(&self, path: &str) -> Option<toml::Value> {
        let (section, key) = path.split_once('.')?;
        let mut table = values(self.example);
        table.get_mut(section)?.as_table_mut()?.remove(key)?;
        let without: System = table.clone().try_into().ok().or_else(|| {
            table.remove(section);
            table.try_into().ok()
        })?;
        at(&values(&without), path).cloned()
    }

    fn row(&self, f: &mut fmt::Formatter, section: &str, field: &Field) -> fmt::Result {
        let path = format!("{section}.{}", field.key);
        let default = self.default(&path).map_or(String::new(), |value| value.to_string());
        let (unit, about) = (field.unit, field.about.trim());
        let legal = legal(field);
        writeln!(
            f,
            "| `{}` | {unit} | {legal} | {default} | {about} | {} |",
            field.key, field.source
        )
    }
}

const HEAD: &str = "| field | unit | legal values | default | meaning | source |\n\
                    | --- | --- | --- | --- | --- | --- |";

impl fmt::Display for Reference<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        writeln!(
            f,
            "# The system file\n\n\
             `duet systems reference` writes this page from the declarations that files are \
             checked with.\n\
             A system file is TOML. `duet systems new FILE --from NAME` writes one with these \
             descriptions as comments;\n\
             `--set SECTION.FIELD=VALUE` sets a field for one run. Times are cycles of the GPU's \
             clock. A field\n\
             with a value under \"default\" is optional. `any text` is a name.\n\n\
             ## Before the first section\n\n{HEAD}"
        )?;
        TOP.iter().try_for_each(|field| self.row(f, "", field))?;
        for section in System::OWN {
            writeln!(f, "\n## `[{}]`\n\n{}\n\n{HEAD}", section.name, section.about.trim())?;
            section.fields.iter().try_for_each(|field| self.row(f, section.name, field))?;
        }
        writeln!(
            f,
            "\n# Sections of designs\n\nA file can have these sections only with the design. All \
             fields are optional;\n`duet systems show SYSTEM --set l1.design=DESIGN` shows the \
             defaults after `#`."
        )?;
        for section in all_sections() {
            writeln!(f, "\n## `[{}]`\n\n{}{}", section.name, section.about, owners(section))?;
            writeln!(
                f,
                "\n| field | unit | legal values | meaning | source |\n\
                 | --- | --- | --- | --- | --- |"
            )?;
            for field in section.free() {
                let (unit, about, legal) = (field.unit, field.about.trim(), legal(field));
                writeln!(f, "| `{}` | {unit} | {legal} | {about} | {} |", field.key, field.source)?;
            }
        }
        Ok(())
    }
}

/// The designs that a section belongs to.
fn owners(section: &Section) -> String {
    let owns = |design: &&&l1::Design| design.sections.iter().any(|own| own.name == section.name);
    let all = registry::all::<l1::Design>();
    let names: Vec<_> =
        all.iter().filter(owns).map(|design| format!("`{}`", design.name)).collect();
    match names.is_empty() {
        true => String::new(),
        false => format!(" With `l1.design` = {}.", names.join(", ")),
    }
}
