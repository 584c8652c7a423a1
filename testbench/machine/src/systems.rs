//! The presets: systems of the papers, and their scaled-down twins (`docs/systems.md`).

mod scale;
mod shape;

use std::fs;
use std::io::{self, Read};
use std::path::Path;
use std::sync::LazyLock;

use crate::show::{Origin, Reference, commented};
use crate::system_file::{MOST_BYTES, too_long};
use crate::{System, SystemError};
use ports::did_you_mean;

pub use shape::Shape;

/// A paper's machine.
struct Family {
    /// One line.
    about: &'static str,
    /// What the twins divide by. It divides the CUs of a chiplet evenly and leaves an L2 of 128 to
    /// 408 KB: footprints of captured programs are 16 to 400 KB.
    twin: u32,
    /// System file of its first member.
    text: &'static str,
    /// What its members have in other numbers.
    grows: fn(System, &str, u16) -> System,
    /// Members: names and that number.
    members: &'static [(&'static str, u16)],
}

static FAMILIES: [Family; 8] = [
    Family {
        about: "CPElide (MICRO'24, table I): chiplets of 60 CUs with an L2 each",
        twin: 60,
        text: include_str!("../systems/cpelide-4.toml"),
        grows: scale::with_chiplets,
        members: &[
            ("cpelide-4", 4),
            ("cpelide-2", 2),
            ("cpelide-6", 6),
            ("cpelide-7", 7),
            ("cpelide-8", 8),
            ("cpelide-16", 16),
        ],
    },
    Family {
        about: "STC (table 3, section 7.4): 8 to 32 CUs with large L1s",
        twin: 4,
        text: include_str!("../systems/stc-8cu.toml"),
        grows: scale::with_cus,
        members: &[("stc-8cu", 8), ("stc-16cu", 16), ("stc-32cu", 32)],
    },
    Family {
        about: "FinePack (HPCA'23, table III): 4 GPUs of 80 SMs on PCIe 4.0, 16 on PCIe 6.0",
        twin: 16,
        text: include_str!("../systems/finepack-4gpu.toml"),
        grows: scale::with_gpus,
        members: &[("finepack-4gpu", 4), ("finepack-16gpu", 16)],
    },
    Family {
        about: "REC (JSA 2025, table 2): 4 GPUs of 64 CUs, links of 150 GB/s",
        twin: 16,
        text: include_str!("../systems/rec-4gpu.toml"),
        grows: scale::with_chiplets,
        members: &[("rec-4gpu", 1)],
    },
    Family {
        about: "Tabbakh's thesis (table 4.1): 16 SMs like a GTX 480",
        twin: 4,
        text: include_str!("../systems/fermi-16sm.toml"),
        grows: scale::with_chiplets,
        members: &[("fermi-16sm", 1)],
    },
    Family {
        about: "Tabbakh's thesis (table 3.3): the same with eight memory partitions",
        twin: 4,
        text: include_str!("../systems/fermi-16sm-8p.toml"),
        grows: scale::with_chiplets,
        members: &[("fermi-16sm-8p", 1)],
    },
    Family {
        about: "Tabbakh's thesis (table 2.1): the same with 15 SMs and room for 8 CTAs on each",
        twin: 3,
        text: include_str!("../systems/fermi-15sm.toml"),
        grows: scale::with_chiplets,
        members: &[("fermi-15sm", 1)],
    },
    Family {
        about: "Tabbakh's thesis (section 2.6.4): like a Kepler, an L2 of 2 MB",
        twin: 5,
        text: include_str!("../systems/kepler-15sm.toml"),
        grows: scale::with_chiplets,
        members: &[("kepler-15sm", 1)],
    },
];

/// The first member of each family, read once: a sweep asks for it again and again.
static FIRST: LazyLock<[Result<System, SystemError>; 8]> = LazyLock::new(|| {
    FAMILIES.each_ref().map(|family| System::parse(family.members[0].0, family.text, &[]))
});

/// What the name of a twin ends in.
const TWIN: &str = "-small";

/// The preset or system file that `name` is, with some values replaced.
pub fn load(name: &str, set: &[(String, String)]) -> Result<System, SystemError> {
    if let Some(system) = preset(name) {
        return system?.with(name, set);
    }
    System::parse(name, &read(name)?, set)
}

/// The same as a system file with comments: what each field means, what is legal, and where its
/// value comes from.
pub fn show(name: &str, set: &[(String, String)]) -> Result<String, SystemError> {
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
    let first = &FAMILIES[0];
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
            let near = did_you_mean(name, known.iter().map(String::as_str));
            let problem = format!("is neither a file nor one of {}{near}", known.join(", "));
            return Err(syntax(problem));
        }
    };
    if what.is_dir() {
        return Err(syntax("is a folder; a system file is a TOML file".into()));
    }
    // Reading others may never end.
    if !what.is_file() {
        return Err(syntax("is a device, pipe or socket; a system file is a regular file".into()));
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
    let members = || FAMILIES.iter().flat_map(|f| f.members.iter().map(move |m| (f, m.0)));
    let full = members().map(|(f, name)| (name.to_string(), f.about.to_string()));
    let twins = members().map(|(f, name)| {
        (format!("{name}{TWIN}"), format!("{name} with sizes and bandwidths divided by {}", f.twin))
    });
    full.chain(twins)
}

/// The family of a preset, and how many units it has.
fn member(name: &str) -> Option<(&'static Family, u16)> {
    let full = name.strip_suffix(TWIN).unwrap_or(name);
    FAMILIES.iter().find_map(|family| {
        let (_, units) = family.members.iter().find(|(member, _)| *member == full)?;
        Some((family, *units))
    })
}

fn preset(name: &str) -> Option<Result<System, SystemError>> {
    let full = name.strip_suffix(TWIN).unwrap_or(name);
    let (family, units) = member(name)?;
    let at = FAMILIES.iter().position(|other| std::ptr::eq(other, family))?;
    Some(FIRST[at].clone().map(|system| {
        let system = (family.grows)(system, full, units);
        if full == name { system } else { scale::twin(&system, family.twin) }
    }))
}
