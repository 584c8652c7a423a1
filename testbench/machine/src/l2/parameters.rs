//! The coherence directory beside each L2 bank: its parameters, and what they allow.

use ports::Parameters;
use ports::directory::coherence_directory::{Config, MAX_GPUS, Replacement, Variant};

use crate::config::resolved::designs;
use crate::config::{ConfigError, DirectorySection, System, choose};
use crate::gate;

const REPLACEMENTS: [(&str, Replacement); 2] =
    [("lru", Replacement::Lru), ("fifo", Replacement::Fifo)];

/// What `directory.replacement` may say.
pub fn replacements() -> Vec<String> {
    REPLACEMENTS.map(|(name, _)| name.to_string()).to_vec()
}

const WRITES: [(&str, bool); 2] = [("back", false), ("through", true)];

/// What `directory.writes` may say.
pub fn writes() -> Vec<String> {
    WRITES.map(|(name, _)| name.to_string()).to_vec()
}

/// Whether banks of coherent L2s send stores of their own GPU on at once.
pub fn are_through(system: &System) -> Result<bool, ConfigError> {
    choose("directory.writes", &system.directory.writes, &WRITES)
}

/// Bytes that an entry covers.
fn range(system: &System, variant: Variant) -> u32 {
    let line = system.machine.line;
    match variant {
        Variant::Baseline | Variant::Ideal => line,
        Variant::Hmg => 4 * line,
        Variant::Rec => system.directory.range,
    }
}

/// Chiplets that may share a line.
fn nodes(system: &System) -> u32 {
    u32::from(system.machine.gpus) * u32::from(system.machine.chiplets)
}

/// Parameters of each slice: the directory's entries shared among the banks.
fn config(system: &System, variant: Variant) -> Result<Config, ConfigError> {
    let d = &system.directory;
    let rec = choose("directory.replacement", &d.replacement, &REPLACEMENTS)?;
    let (banks, ways) = (u32::from(system.l2.banks), d.ways);
    if !d.entries.is_multiple_of(banks) {
        let problem = format!("{}: must be a multiple of l2.banks, {banks}", d.entries);
        return Err(ConfigError { field: "directory.entries".into(), problem });
    }
    // An ideal one has none: with any number it is the same block.
    let (entries, ways) = match variant {
        Variant::Ideal => (DirectorySection::default().entries, DirectorySection::default().ways),
        _ => (d.entries / banks, ways),
    };
    let config = Config {
        variant,
        gpus: nodes(system),
        entries,
        ways,
        line: system.machine.line,
        range: range(system, variant),
        address_width: 48,
        replacement: if variant == Variant::Rec { rec } else { Replacement::Fifo },
        jobs: d.jobs,
        responses: d.responses,
        ideal_lines: d.ideal_lines,
    };
    let field = |name: &str| match name {
        "gpus" => "machine.chiplets".to_string(),
        "line" => "machine.line".to_string(),
        name => format!("directory.{name}"),
    };
    let checked = config.validate();
    checked.map_err(|e| {
        let share = match e.name {
            "entries" => format!(" for each of {banks} L2 banks"),
            "gpus" => format!(" chiplets of {} GPUs", system.machine.gpus),
            _ => String::new(),
        };
        // A machine of one has no directory.
        let limit = match e.name {
            "gpus" => format!("1 to {MAX_GPUS} with l2.design = {}", system.l2.design),
            _ => e.limit,
        };
        let problem = format!("{}{share}: must be {limit}", e.value);
        ConfigError { field: field(e.name), problem }
    })?;
    Ok(config)
}

/// The directory that each L2 bank has, if any: where nothing is shared there is none.
fn variant(system: &System) -> Option<Variant> {
    let (_, l2) = designs(system).ok()?;
    l2.directory.filter(|_| nodes(system) > 1)
}

/// Every limit of a machine whose L2 design has a directory.
pub fn check(system: &System) -> Result<(), ConfigError> {
    let Some(variant) = variant(system) else { return Ok(()) };
    let error = |field: &str, problem: String| Err(ConfigError { field: field.into(), problem });
    let name = &system.l2.design;
    if system.machine.gpus > 1 {
        // A line whose parts are fetched one by one could be invalidated between them.
        let (blocks, line) = (gate::parameters(system)?.line, system.machine.line);
        if blocks < line {
            let problem = format!(
                "{:?} has lines of {blocks} B: at least machine.line, {line}, with l2.design = \
                 {name}",
                system.egress.config
            );
            return error("egress.config", problem);
        }
    }
    // A way of each set is for lines that other chiplets wait for.
    if system.l2.ways < 2 {
        let problem = format!("{}: must be at least 2 with l2.design = {name}", system.l2.ways);
        return error("l2.ways", problem);
    }
    let (Config { range, .. }, interleave) = (config(system, variant)?, system.l2.interleave);
    if interleave < range {
        let problem = format!(
            "{interleave}: must be at least {range}, the bytes that an entry covers with l2.design \
             = {name}"
        );
        return error("l2.interleave", problem);
    }
    Ok(())
}

/// Parameters of each directory of a machine whose L2 design has some, and what reports call them.
pub fn of(system: &System) -> Result<Option<(Config, String)>, ConfigError> {
    let Some(variant) = variant(system) else { return Ok(None) };
    let config = config(system, variant)?;
    let Config { gpus, entries, ways, range, .. } = &config;
    let name = format!("{variant:?}, {gpus} nodes, {entries} entries, {ways} ways, {range} B");
    Ok(Some((config, name.to_lowercase())))
}
