//! The presets: systems of the papers, and their scaled-down twins (`docs/systems.md`).

mod scale;
mod shape;
mod variants;

use std::fs;
use std::io::{self, Read};
use std::ops::Deref;
use std::path::Path;
use std::sync::LazyLock;

use crate::System;
use crate::SystemError;
use crate::config::registry::Registered;
use crate::config::show::{Origin, Reference, commented};
use crate::config::system_file::{MOST_BYTES, too_long};
use ports::known_names;

pub use scale::{with_chiplets, with_cus, with_gpus};
pub use shape::Shape;
pub use variants::Variant;
pub(crate) use variants::{KEPT, kept};

/// A paper's machine. It is registered by `inventory::submit! { registered(PRESET) }`.
#[derive(Debug)]
pub struct Preset {
    /// One line.
    pub about: &'static str,
    /// What the twins divide by. It divides the CUs of a chiplet evenly and leaves an L2 of 128 to
    /// 480 KB: footprints of captured programs are 16 to 400 KB.
    pub twin: u32,
    /// System file of its first member.
    pub text: &'static str,
    /// What its members have in other numbers.
    pub grows: fn(System, &str, u16) -> System,
    /// Members: names and that number.
    pub members: &'static [(&'static str, u16)],
    /// The paper's designs as it ran them.
    pub variants: &'static [Variant],
}

inventory::collect!(Registered<Preset>);

/// All presets, by the names of their first members.
static PRESETS: LazyLock<Vec<&'static Preset>> = LazyLock::new(|| {
    let all = inventory::iter::<Registered<Preset>>.into_iter();
    let mut all: Vec<&Preset> = all.map(Deref::deref).collect();
    all.sort_by_key(|preset| preset.members[0].0);
    all
});

/// The first member of each, read once: a sweep asks for it again and again.
static FIRST: LazyLock<Vec<Result<System, SystemError>>> = LazyLock::new(|| {
    let first = PRESETS.iter().map(|preset| System::parse(preset.members[0].0, preset.text, &[]));
    first.collect()
});

/// What the name of a twin ends in.
const SMALL: &str = "-small";

/// What a setting is called that stands for all fields of a variant.
pub const DESIGN: &str = "design";

/// Between a family's first system and the name of one of its variants.
const OF: char = ':';

/// What a setting of a preset is called that divides its full system.
pub const SCALE: &str = "scale";

/// The preset or system file that `name` is, with some values replaced. A setting `design` stands
/// for the fields of a variant; later settings replace them. A setting `scale` of a preset gives
/// its full system, scaled down by that.
pub fn load(name: &str, set: &[(String, String)]) -> Result<System, SystemError> {
    let set = expand(name, set)?;
    let Some(system) = preset(name) else {
        return System::parse(name, &read(name)?, &set);
    };
    let (scale, set): (Vec<_>, Vec<_>) = set.into_iter().partition(|(key, _)| key == SCALE);
    match scale.last() {
        None => system?.with(name, &set),
        Some((_, by)) => scaled(name, by)?.with(name, &set),
    }
}

/// The full system of a preset, divided by `by`. Errors: its CUs are no multiple of that.
fn scaled(name: &str, by: &str) -> Result<System, SystemError> {
    let full = name.strip_suffix(SMALL).unwrap_or(name);
    let system = preset(full).expect("a preset has a full system")?;
    let cus = u32::from(system.machine.cus);
    match by.parse() {
        Ok(1) => Ok(system),
        Ok(by) if by > 1 && cus.is_multiple_of(by) => {
            Ok(System { name: format!("{full}-{by}th"), ..scale::twin(&system, by) })
        }
        _ => Err(SystemError::Setting {
            key: SCALE.to_string(),
            value: by.to_string(),
            limit: format!("a number that divides the {cus} CUs of a chiplet of {full}"),
        }),
    }
}

/// The first system of a preset's family.
pub fn family(name: &str) -> Option<&'static str> {
    member(name).map(|(family, _)| family.members[0].0)
}

/// The variants that a system can have by their own names: those of a preset's family, or of all
/// families for a system file, each with the first system of its family.
pub fn variants(name: &str) -> Vec<(&'static str, &'static Variant)> {
    match member(name) {
        Some((family, _)) => {
            family.variants.iter().map(|variant| (family.members[0].0, variant)).collect()
        }
        None => all_variants(),
    }
}

/// All variants, each with the first system of its family.
pub fn all_variants() -> Vec<(&'static str, &'static Variant)> {
    let mut all = Vec::new();
    for family in PRESETS.iter() {
        // Two families of one paper share their variants.
        let own = family.variants.iter().filter(|variant| {
            !all.iter().any(|(_, other): &(_, &Variant)| std::ptr::eq(*other, *variant))
        });
        let own: Vec<_> = own.map(|variant| (family.members[0].0, variant)).collect();
        all.extend(own);
    }
    all
}

/// The variant of a name, which may begin with the first system of its family. Errors: there is
/// none, or several.
pub fn variant(system: &str, name: &str) -> Result<&'static Variant, SystemError> {
    let refused = |limit| {
        Err(SystemError::Setting { key: DESIGN.to_string(), value: name.to_string(), limit })
    };
    let (of, own) = name.split_once(OF).map_or((system, name), |(of, own)| (of, own));
    let known = variants(of);
    let found: Vec<_> = known.iter().filter(|(_, variant)| variant.name == own).collect();
    match found[..] {
        [(_, variant)] => Ok(variant),
        [] => {
            let names = known.iter().map(|(_, variant)| variant.name);
            refused(format!("one of {}", known_names(own, names, Some("duet list designs"))))
        }
        _ => {
            let names =
                found.iter().map(|(family, variant)| format!("{family}{OF}{}", variant.name));
            refused(format!("one of {}", names.collect::<Vec<_>>().join(", ")))
        }
    }
}

/// The same settings with the fields of variants in their place.
pub fn expand(name: &str, set: &[(String, String)]) -> Result<Vec<(String, String)>, SystemError> {
    let mut all = Vec::new();
    for (key, value) in set {
        if key == DESIGN {
            let own = variant(name, value)?.set.iter();
            all.extend(own.map(|(key, value)| (key.to_string(), value.to_string())));
        } else {
            all.push((key.clone(), value.clone()));
        }
    }
    Ok(all)
}

/// The same as a system file with comments: what each field means, what is legal, and where its
/// value comes from.
pub fn show(name: &str, set: &[(String, String)]) -> Result<String, SystemError> {
    let set = &expand(name, set)?;
    let system = load(name, set)?;
    let (name, text) = match member(name) {
        Some((family, _)) => (family.members[0].0, family.text.to_string()),
        None => (name, read(name)?),
    };
    let plain = System::parse(name, &text, &[])?;
    Ok(commented(&system, &Origin { name, text: &text, plain: &plain, set }))
}

/// All fields of system files, as Markdown: `docs/system-file.md`.
pub fn reference() -> String {
    let first = PRESETS[0];
    let example = System::parse(first.members[0].0, first.text, &[]);
    Reference { example: &example.expect("presets are tested") }.to_string()
}

/// The text of a system file.
fn read(name: &str) -> Result<String, SystemError> {
    let syntax = |message: String| SystemError::Syntax { file: name.to_string(), message };
    let unread = |e: io::Error| syntax(e.to_string());
    let what = match fs::metadata(name) {
        Ok(what) => what,
        Err(e) if Path::new(name).extension().is_some() => return Err(unread(e)),
        Err(_) => {
            let known = names();
            let known = known.iter().map(String::as_str);
            let known = known_names(name, known, Some("duet list systems"));
            return Err(syntax(format!("is neither a file nor one of {known}")));
        }
    };
    if what.is_dir() {
        return Err(syntax("is a folder; a system file is a TOML file".into()));
    }
    // Reading others may never end.
    if !what.is_file() {
        return Err(syntax(
            "is a special file, such as a device or pipe; a system file is a regular \
                           file"
                .into(),
        ));
    }
    if what.len() > MOST_BYTES as u64 {
        return Err(syntax(too_long(what.len())));
    }
    let mut text = String::new();
    let file = fs::File::open(name).map_err(unread)?;
    file.take(1 + MOST_BYTES as u64).read_to_string(&mut text).map_err(unread)?;
    match text.trim().is_empty() {
        true => Err(syntax("is empty; `duet systems new` writes a system file".into())),
        false => Ok(text),
    }
}

/// A system divided by a factor of the caller's choice, as a preset's twin is by the family's.
pub fn twin(full: &System, by: u32) -> System {
    scale::twin(full, by)
}

/// Names of all presets: the full systems, then their twins.
pub fn names() -> Vec<String> {
    presets().map(|(name, _)| name).collect()
}

/// Names of all presets, with one line each.
pub fn presets() -> impl Iterator<Item = (String, String)> {
    let members = || PRESETS.iter().flat_map(|f| f.members.iter().map(move |m| (f, m.0)));
    let full = members().map(|(f, name)| (name.to_string(), f.about.to_string()));
    let twins = members().map(|(f, name)| {
        (
            small(name),
            format!(
                "{name} with sizes and bandwidths scaled by \
                                           1/{}",
                f.twin
            ),
        )
    });
    full.chain(twins)
}

/// The name of a preset's scaled-down system.
pub fn small(name: &str) -> String {
    format!("{name}{SMALL}")
}

/// The family of a preset, and how many units it has.
fn member(name: &str) -> Option<(&'static Preset, u16)> {
    let full = name.strip_suffix(SMALL).unwrap_or(name);
    PRESETS.iter().find_map(|family| {
        let (_, units) = family.members.iter().find(|(member, _)| *member == full)?;
        Some((*family, *units))
    })
}

fn preset(name: &str) -> Option<Result<System, SystemError>> {
    let full = name.strip_suffix(SMALL).unwrap_or(name);
    let (family, units) = member(name)?;
    let at = PRESETS.iter().position(|other| std::ptr::eq(*other, family))?;
    Some(FIRST[at].clone().map(|system| {
        let system = (family.grows)(system, full, units);
        if full == name { system } else { scale::twin(&system, family.twin) }
    }))
}
