//! What a memory channel is made of, from the sections `[memory]` and `[dram]`.

use dram::{Mapping, Organization, Parameters, Policy, SETS, Timing};
use ports::Limit::{Names, Range, Text};
use ports::{Fields, fields};

use crate::config::decimal::in_lowest_terms;
use crate::config::resolved::Resolved;
use crate::config::section::{Section, defaults};
use crate::config::{ConfigError, System, choose, error};
use crate::context::pages::PAGE;
use crate::context::places::Placement;
use crate::engine::{Cycle, Rate};

/// The model with banks and rows.
pub const DRAM: &str = "dram";

/// What `memory.model` may say.
pub fn models() -> Vec<String> {
    ["simple", DRAM].map(String::from).to_vec()
}

fn sets() -> Vec<String> {
    SETS.map(|(name, _)| name.to_string()).to_vec()
}

fields! {
    /// What the section has beside the parameters of a channel.
    struct Choice of Self {
        /// Set of parameters. Fields of organization and timing that are missing have its values.
        set: String = Names(sets), "", "testbench/dram/src/sets.rs";
        /// DRAM channels of an L3 slice.
        channels: u32 = Range(1, 16), "channels", "chosen";
        /// Address mapping: fields from the most to the least significant, above the offset in a
        /// burst. `column*4` is a part of a field, `^row` a hash with bits of the row.
        mapping: String = Text, "", "GPGPU-Sim's A100; hash: Zhang et al., MICRO 2000";
    }
}

/// Section `[dram]`.
pub const SECTION: Section = Section {
    name: "dram",
    about: "DRAM channels of an L3 slice, with `memory.model` = `dram`. Cycles are those of the \
            command clock, `clock_khz`.",
    fields: &[Choice::FIELDS, Organization::FIELDS, Timing::FIELDS, Policy::FIELDS],
    fixed: &[],
    default: |system| {
        let given = system.given(&SECTION).and_then(|given| given.get("set")?.as_str());
        let set = given.unwrap_or("HBM3");
        let Parameters { organization, timing } = choose("dram.set", set, &SETS)?;
        let mapping = Mapping::GPU.to_string();
        let mut table = defaults(&Choice { set: set.to_string(), channels: 1, mapping });
        table.extend(defaults(&organization));
        table.extend(defaults(&timing));
        table.extend(defaults(&Policy::GPU));
        Ok(table)
    },
};

/// A memory channel.
#[derive(Clone, Debug)]
pub struct ChannelSpec {
    /// Its model.
    pub model: ModelSpec,
    /// Cycles from the last byte's transfer to the data.
    pub latency: u32,
    /// Bytes of a line, and of a granule.
    pub line: u32,
    pub granule: u32,
}

/// What transfers the bytes.
#[derive(Clone, Debug)]
pub enum ModelSpec {
    /// A port of this bandwidth.
    Simple(Rate),
    /// DRAM channels.
    Dram(Box<DramSpec>),
}

/// DRAM channels of a slice.
#[derive(Clone, Debug)]
pub struct DramSpec {
    pub parameters: Parameters,
    pub policy: Policy,
    pub mapping: Mapping,
    pub channels: u32,
    /// Cycles of the command clock, and the GPU's cycles that take as long.
    pub clock: (u64, u64),
    /// Slices of a chiplet, which take turns line by line.
    pub slices: u64,
    /// Chiplets that take turns page by page.
    pub chiplets: u64,
}

/// Refuses what a channel cannot have.
pub fn check(resolved: &Resolved) -> Result<(), ConfigError> {
    ChannelSpec::of(resolved).map(|_| ())
}

impl ChannelSpec {
    /// That of the slices of a system.
    pub fn of(resolved: &Resolved) -> Result<Self, ConfigError> {
        let system = resolved.system;
        let (memory, line) = (&system.memory, system.machine.line);
        let model = match choose("memory.model", &memory.model, &[("simple", false), (DRAM, true)])?
        {
            false => ModelSpec::Simple(rate(system)),
            true => ModelSpec::Dram(Box::new(DramSpec::of(resolved)?)),
        };
        let granule = if memory.granule == 0 { line } else { memory.granule };
        Ok(Self { model, latency: memory.latency, line, granule })
    }

    /// Cycles in which a port transfers so many lines; none of DRAM, which has queues.
    pub fn cycles_of(&self, lines: u32) -> Cycle {
        match &self.model {
            ModelSpec::Simple(rate) => rate.cycles_of(u64::from(lines) * u64::from(self.line)),
            ModelSpec::Dram(_) => 0,
        }
    }
}

fn rate(system: &System) -> Rate {
    Rate { bytes: system.memory.bytes, cycles: system.memory.cycles }
}

fn parameters(system: &System) -> Result<Parameters, ConfigError> {
    let organization = system.parameters(&SECTION)?;
    Ok(Parameters { organization, timing: system.parameters(&SECTION)? })
}

impl DramSpec {
    fn of(resolved: &Resolved) -> Result<Self, ConfigError> {
        let system = resolved.system;
        let parameters = parameters(system)?;
        let policy: Policy = system.parameters(&SECTION)?;
        let checked = parameters.check().and_then(|()| policy.check_fields());
        checked.map_err(|e| {
            error(&format!("dram.{}", e.name), format!("{}: must be {}", e.value, e.limit))
        })?;
        let (burst, granule) = (parameters.organization.access_bytes, system.memory.granule);
        let line = system.machine.line;
        if !line.is_multiple_of(burst) {
            let problem = format!("{burst}: must be a divisor of machine.line = {line}");
            return Err(error("dram.access_bytes", problem));
        }
        if !granule.is_multiple_of(burst) {
            let problem = format!("{granule}: must be a multiple of dram.access_bytes = {burst}");
            return Err(error("memory.granule", problem));
        }
        let Choice { channels, mapping: text, .. } = system.parameters(&SECTION)?;
        let mapping = Mapping::parse(&text, &parameters.organization, channels)
            .map_err(|e| error("dram.mapping", format!("{text:?}: {e}")))?;
        let m = &system.machine;
        let chiplets = match resolved.placement {
            Placement::Interleave => m.gpus * m.chiplets,
            Placement::Owner => m.chiplets,
            Placement::FirstTouch | Placement::Replicated(_) => 1,
        };
        let (on, of) = (u64::from(parameters.timing.clock_khz), 1000 * u64::from(m.clock_mhz));
        Ok(Self {
            parameters,
            policy,
            mapping,
            channels,
            clock: in_lowest_terms(on, of),
            slices: system.l3.slices.into(),
            chiplets: chiplets.into(),
        })
    }

    /// A line's address in the channels: without the lines of other slices, and the pages of other
    /// chiplets.
    pub fn local(&self, addr: u64, line: u32) -> u64 {
        let (page, line) = (addr / PAGE / self.chiplets, u64::from(line));
        (page * PAGE + addr % PAGE) / line / self.slices * line
    }
}

impl System {
    /// The parameters of a DRAM channel, if the model has any. A check refuses what cannot be read.
    pub fn dram(&self) -> Option<Parameters> {
        (self.memory.model == DRAM).then(|| parameters(self).ok())?
    }

    /// Bytes that the memory of an L3 slice transfers at most, and in how many cycles.
    pub fn memory_rate(&self) -> (u64, u64) {
        let Some(Parameters { organization, timing }) = self.dram() else {
            return (self.memory.bytes, self.memory.cycles);
        };
        let channels = self.parameters(&SECTION).map_or(1, |choice: Choice| choice.channels);
        let bytes = channels * organization.pseudo_channels * organization.access_bytes;
        let cycles = u64::from(timing.bl) * 1000 * u64::from(self.machine.clock_mhz);
        in_lowest_terms(u64::from(bytes) * u64::from(timing.clock_khz), cycles)
    }
}

/// Cycles of the GPU in which an idle channel transfers a line.
pub fn line_cycles(system: &System) -> Cycle {
    let line = system.machine.line;
    let Some(Parameters { organization, timing: t }) = system.dram() else {
        return rate(system).cycles_of(line.into());
    };
    let bursts = line.div_ceil(organization.access_bytes);
    let cycles = t.rcd_rd + t.cl + (bursts - 1) * t.ccd_l + t.bl;
    let (on, of) = (u64::from(t.clock_khz), 1000 * u64::from(system.machine.clock_mhz));
    (u64::from(cycles) * of).div_ceil(on)
}
