//! What `duet list` shows beside the blocks: everything that a system file, `--workload` or a
//! block's name may say, from the lists that the program itself chooses from.

use machine::egress_path::PathKind;
use machine::systems;
use serde::Serialize;
use traces::kernels;

/// Something that has a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// Name.
    pub name: String,
    /// One line.
    pub about: String,
    /// Commands or field of a system file in which the name has this meaning.
    #[serde(rename = "for")]
    pub used_in: &'static str,
}

fn entry(name: &str, about: &str, used_in: &'static str) -> Entry {
    Entry { name: name.to_string(), about: about.to_string(), used_in }
}

/// Whole systems.
pub fn systems() -> Vec<Entry> {
    systems::presets().map(|(name, about)| entry(&name, &about, "--system")).collect()
}

/// Designs and policies, by the field of the system file that names them.
pub fn protocols() -> Vec<Entry> {
    let mut all: Vec<_> = machine::design_names()
        .into_iter()
        .map(|(field, name)| entry(name, &design(field, name), field))
        .collect();
    let paths = PathKind::ALL.map(|kind| entry(kind.name(), path(kind), "egress.design"));
    all.extend(paths);
    all
}

/// A design as its paper ran it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Design {
    /// First system of its paper.
    pub system: &'static str,
    /// Name.
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
    /// What the machine guarantees with it.
    pub guarantees: &'static str,
    /// Where its paper reports a gain, or what the paper compares it with.
    pub published: &'static str,
    /// Fields of the system that it sets.
    pub set: std::collections::BTreeMap<&'static str, &'static str>,
}

/// All designs as their papers ran them.
pub fn designs() -> Vec<Design> {
    let design = |(system, variant): (&'static str, &systems::Variant)| {
        let set = [(systems::DESIGN.to_string(), variant.name.to_string())];
        let guarantees = systems::load(system, &set).ok().and_then(|s| machine::promises(&s).ok());
        Design {
            system,
            name: variant.name,
            about: variant.about,
            guarantees: guarantees.map_or("", |guarantees| guarantees.name()),
            published: variant.published,
            set: variant.set.iter().copied().collect(),
        }
    };
    systems::all_variants().into_iter().map(design).collect()
}

/// A program and its parameters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Workload {
    /// Name, line, use.
    #[serde(flatten)]
    pub entry: Entry,
    /// By key of `--set`.
    pub parameters: Vec<Parameter>,
    /// Bytes of device memory, in terms of `workload.size` (n) and `workload.iterations`.
    pub footprint_bytes: &'static str,
}

/// A parameter of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Parameter {
    /// Key of `--set`.
    pub key: &'static str,
    /// What it counts.
    pub meaning: &'static str,
    /// Value unless stated.
    pub default: u32,
    /// Least legal value.
    pub least: u32,
    /// Greatest legal value.
    pub most: u32,
}

/// What may be set of a built-in program.
pub const WORKLOAD_KEYS: [&str; 3] = ["workload.size", "workload.iterations", "workload.shift"];

/// The built-in programs.
pub fn workloads() -> Vec<Workload> {
    let programs = kernels::all();
    let workload = |program: &kernels::Program| {
        let parameter = |key, knob: kernels::Knob| {
            let kernels::Knob { meaning, default, min: least, max: most } = knob;
            Parameter { key, meaning, default, least, most }
        };
        let [size, iterations, _] = WORKLOAD_KEYS;
        Workload {
            entry: entry(program.name, program.about, "--workload"),
            parameters: vec![
                parameter(size, program.size),
                parameter(iterations, program.iterations),
            ],
            footprint_bytes: program.footprint,
        }
    };
    programs.map(workload).collect()
}

fn path(kind: PathKind) -> &'static str {
    match kind {
        PathKind::P2p => "sends each store at once, as one write TLP per run of bytes",
        PathKind::WriteCombine => {
            "combines stores in a buffer of 64 lines; one write TLP per run of bytes"
        }
        PathKind::FinePack => {
            "packs stores to one window into one TLP: remote write queue and \
                               packetizer"
        }
        PathKind::Dma => "copies whole blocks at the end of a kernel",
        PathKind::ConfigPacket => {
            "a packet announces the window of the stores after it (FinePack, \
                                   section VI-B)"
        }
        PathKind::Infinite => "no link: bytes take no time",
    }
}

/// One line for each design or policy; a test sees that none is missing.
fn design(field: &str, name: &str) -> String {
    if let Some((about, promises)) = machine::about(field, name) {
        return format!("{about} (guarantees {})", promises.name());
    }
    let about = match (field, name) {
        ("l2.policy", "private") => "an L2 caches the lines that its chiplet's CUs access",
        ("l2.policy", "home-forward") => {
            "an L2 caches the lines whose home is its chiplet, for \
                                          all chiplets"
        }
        ("placement.policy", "first-touch") => {
            "the home of a page is the chiplet that touches it \
                                                first"
        }
        ("placement.policy", "interleave") => "pages rotate over all chiplets",
        ("placement.policy", "owner") => {
            "each buffer lies on one GPU; buffers rotate over the \
                                          GPUs"
        }
        ("placement.policy", "replicated") => {
            "each GPU has a copy of each page; stores are pushed \
                                               to all copies"
        }
        ("placement.policy", "replicated-by-page") => {
            "only GPUs that read a page have a copy of \
                                                       it; stores are pushed to these"
        }
        ("placement.policy", "replicated-by-line") => {
            "only GPUs that read a line have a copy of \
                                                       it; stores are pushed to these"
        }
        (field, name) => machine::about_policy(field, name).unwrap_or_default(),
    };
    about.to_string()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_design_of_a_paper_is_a_machine_with_a_guarantee() {
        for Design { system, name, guarantees, .. } in designs() {
            let set = [("design".to_string(), name.to_string())];
            systems::load(system, &set).unwrap_or_else(|e| panic!("{system} {name}: {e}"));
            assert!(!guarantees.is_empty(), "{system} {name}");
        }
    }

    #[test]
    fn every_entry_has_its_line_and_no_two_have_the_same_name_for_the_same_use() {
        let workloads = workloads().into_iter().map(|workload| workload.entry).collect();
        for list in [systems(), protocols(), workloads] {
            let names: BTreeSet<_> = list.iter().map(|e| (e.used_in, e.name.clone())).collect();
            assert_eq!(names.len(), list.len());
            for entry in &list {
                let Entry { name, about, used_in } = entry;
                assert!(!about.is_empty(), "{used_in} = {name}: its line is missing in catalog.rs");
            }
        }
    }
}
