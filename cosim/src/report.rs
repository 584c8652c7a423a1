//! What a person needs to act on a difference between two bodies of a block.

use std::fmt::{self, Write};
use std::path::PathBuf;

use ports::Port;

use crate::fold::{Style, fold};
use crate::inspect::{Differing, Inspected};
use crate::value::{Value, full_name, is_shown};

/// Columns of a label and the blanks around it.
const LABEL: usize = 9;
/// What is said of a payload without a bit that is 1.
pub const ALL_0: &str = "all fields 0";
/// Registers that a report shows of those that differed first.
const MOST_FIRST: usize = 4;

/// One field of the output ports that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// RTL port and field, such as `drain_o.mask`.
    pub field: String,
    /// What the model shows.
    pub model: Value,
    /// What the RTL shows.
    pub rtl: Value,
}

/// A payload that was handed over on a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// The cycle in which valid (and ready, if the channel has one) was 1.
    pub cycle: u64,
    /// Payload port.
    pub port: String,
    /// Its fields that are not 0.
    pub fields: Vec<(String, Value)>,
    /// What it says, where the fields alone do not.
    pub meaning: Option<String>,
}

/// Which run a report is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunName {
    /// Named configuration.
    pub config: String,
    /// Seed of the stimulus.
    pub seed: u64,
}

/// The first cycle in which two bodies of a block differ, or in which an assertion of the RTL
/// failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Where the block stands: its name in a system of one.
    pub place: String,
    /// Configuration and seed.
    pub run: RunName,
    /// Rising edges since the end of reset.
    pub cycle: u64,
    /// Every output field that differs; empty when only an assertion failed.
    pub differences: Vec<Difference>,
    /// What the channel of the first difference carries: in the model, in the RTL. Where a ready
    /// differs, what is offered.
    pub carried: [Option<Transfer>; 2],
    /// Inputs of the cycle: fields that are not 0.
    pub inputs: Vec<(String, Value)>,
    /// The model's registers after the edge that ends the cycle, as it prints them.
    pub model_state: String,
    /// The last transfers before the difference, channel by channel, oldest first in each.
    pub past: Vec<Transfer>,
    /// What failed assertions printed.
    pub assertions: String,
    /// The registers of both bodies in the cycle of the difference, once they were read.
    pub inside: Option<Inspected>,
    /// The registers that differed first, likewise.
    pub first: Option<Differing>,
    /// The waveform window, once it is written.
    pub waves: Option<PathBuf>,
    /// The command that shows it again.
    pub rerun: Option<String>,
}

/// Fields of all shown ports whose value is not 0.
pub(crate) fn shown_fields(ports: &[Port], image: &[u32]) -> Vec<(String, Value)> {
    let shown = ports.iter().filter(|p| is_shown(ports, p, image));
    shown
        .flat_map(|p| p.leaves.iter().map(move |l| (full_name(p, l), Value::of(p, l, image))))
        .filter(|(_, value)| value.words.iter().any(|&w| w != 0))
        .collect()
}

/// All differences between two output images. A payload is compared while both show it.
pub(crate) fn differences(ports: &[Port], model: &[u32], rtl: &[u32]) -> Vec<Difference> {
    let mut found = Vec::new();
    for port in ports.iter().filter(|p| is_shown(ports, p, model) && is_shown(ports, p, rtl)) {
        for leaf in &port.leaves {
            let (m, r) = (Value::of(port, leaf, model), Value::of(port, leaf, rtl));
            if m != r {
                found.push(Difference { field: full_name(port, leaf), model: m, rtl: r });
            }
        }
    }
    found
}

fn write_fields(f: &mut String, fields: &[(String, Value)]) -> fmt::Result {
    if fields.is_empty() {
        return write!(f, " {ALL_0}");
    }
    for (name, value) in fields {
        match name.is_empty() {
            true => write!(f, " {value}")?,
            false => write!(f, " {name}={value}")?,
        }
    }
    Ok(())
}

impl Mismatch {
    /// Takes what a second run up to the same difference has seen inside.
    pub fn take_inside(&mut self, again: Self) {
        (self.inside, self.first, self.past) = (again.inside, again.first, again.past);
    }

    /// What is wrong, in a few words: that outputs differ, or the first assertion where they do
    /// not, or that the RTL has ended.
    pub fn verdict(&self) -> String {
        let cycle = self.cycle;
        if !self.differences.is_empty() {
            return format!("model and RTL differ at cycle {cycle}");
        }
        // `Assertion failed in TOP.block.Name: 'assert' failed.`
        let path = self.assertions.split("Assertion failed in ").nth(1);
        let path = path.and_then(|path| path.split([':', '\n']).next());
        match path.and_then(|path| path.rsplit('.').next()) {
            Some(name) => format!("assertion {name} of the RTL failed at cycle {cycle}"),
            None => format!("the RTL ended at cycle {cycle}"),
        }
    }

    /// The registers that differed before the ports did.
    fn write_first(&self, f: &mut String) -> fmt::Result {
        let before = self.first.as_ref().filter(|first| first.cycle < self.cycle);
        let Some(Differing { cycle, is_first_seen, registers }) = before else { return Ok(()) };
        let since = if *is_first_seen { "or before" } else { "on" };
        for (i, (name, model, rtl)) in registers.iter().take(MOST_FIRST).enumerate() {
            match i {
                0 => write!(f, "  first   from cycle {cycle} {since}: ")?,
                _ => f.write_str("          ")?,
            }
            writeln!(f, "{name}  model {model}  rtl {rtl}")?;
        }
        Ok(())
    }

    /// Of each channel the last transfers: what they say, and of the last one all fields.
    fn write_past(&self, f: &mut String) -> fmt::Result {
        for (i, channel) in self.past.chunk_by(|a, b| a.port == b.port).enumerate() {
            write!(f, "\n  {} {}", if i == 0 { "past  " } else { "      " }, channel[0].port)?;
            for (n, Transfer { cycle, fields, meaning, .. }) in channel.iter().enumerate() {
                write!(f, "\n         {cycle}")?;
                if let Some(meaning) = meaning {
                    write!(f, "  {meaning}")?;
                }
                let is_last = n + 1 == channel.len();
                if is_last && meaning.is_some() {
                    write!(f, "\n          ")?;
                }
                if is_last || meaning.is_none() {
                    write_fields(f, fields)?;
                }
            }
        }
        Ok(())
    }

    /// The report in lines of any length.
    fn write(&self, f: &mut String) -> fmt::Result {
        let Self { place, run: RunName { config, seed }, cycle, .. } = self;
        match self.differences.first() {
            Some(first) => {
                writeln!(
                    f,
                    "MISMATCH {place}.{} at cycle {cycle} (config {config}, seed {seed})",
                    first.field
                )?;
                let bits = first.model.differing_bits(&first.rtl);
                let shown: Vec<_> = bits.iter().take(8).map(u32::to_string).collect();
                writeln!(
                    f,
                    "  model  {}   rtl  {}   differs in bit{} {}{}",
                    first.model,
                    first.rtl,
                    if bits.len() > 1 { "s" } else { "" },
                    shown.join(", "),
                    if bits.len() > 8 { ", ..." } else { "" }
                )?;
            }
            None => {
                writeln!(f, "ASSERTION of {place} at cycle {cycle} (config {config}, seed {seed})")?
            }
        }
        for (i, other) in self.differences.iter().skip(1).enumerate() {
            let label = if i == 0 { "also " } else { "     " };
            writeln!(f, "  {label}  {}  model {}  rtl {}", other.field, other.model, other.rtl)?;
        }
        for (i, line) in self.assertions.lines().enumerate() {
            writeln!(f, "  {:<9}  {line}", if i == 0 { "assertion" } else { "" })?;
        }
        self.write_first(f)?;
        f.write_str("  in    ")?;
        write_fields(f, &self.inputs)?;
        match &self.inside {
            Some(inside) => write!(f, "{inside}")?,
            None if self.model_state.is_empty() => {}
            None => write!(f, "\n  state  model after the edge: {}", self.model_state)?,
        }
        self.write_past(f)?;
        if let Some(waves) = &self.waves {
            write!(f, "\n  waves  {}", waves.display())?;
        }
        if let Some(rerun) = &self.rerun {
            write!(f, "\n  rerun  {rerun}")?;
        }
        writeln!(f)
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.write(&mut text)?;
        for line in text.lines() {
            let blanks = line.len() - line.trim_start().len();
            // Lines with a label go on below what it is about.
            let indent = if blanks == 2 { LABEL + 2 } else { blanks + 2 };
            let is_command = line.starts_with("  rerun ");
            let style = if is_command { Style::Command } else { Style::Text };
            writeln!(f, "{}", fold(line, indent, style))?;
        }
        Ok(())
    }
}
