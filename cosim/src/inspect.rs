//! The registers of both bodies in the cycle in which they differ, by name.
//!
//! They come from a second run: a body that can be traced is another one than that of the first,
//! and a run is a function of configuration and seed.

use std::collections::{HashMap, HashSet};
use std::fmt;

use crate::registers;
use crate::sample::Inside;
use crate::sample::{HISTORY, WindowCycle};
use crate::value::Value;
use crate::wave::Internals;

/// Registers of each body that a report shows; the others are in the waveform.
const MOST: usize = 40;
/// Bits of the widest register that a report shows.
const WIDEST: u32 = 256;

/// The cycles around a difference, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// What the bodies show besides their ports; empty unless it was requested.
    pub inside: Inside,
    /// The cycles so far.
    pub cycles: Vec<WindowCycle>,
}

impl Window {
    /// Cycles before a difference.
    pub const BEFORE: u64 = HISTORY as u64;

    /// The first cycle up to `cycle` in which registers differ that both bodies have under one
    /// name.
    pub fn first_difference(&self, cycle: u64) -> Option<Differing> {
        let header = self.inside.trace.as_deref()?;
        let mut internals = Internals::new(header);
        let of_rtl: HashMap<_, _> = internals
            .variables
            .iter()
            .map(|variable| (variable.path(), variable.signal))
            .filter(|(path, _)| self.inside.of_rtl.has(path))
            .map(|(path, signal)| (registers::model_name(&path), signal))
            .collect();
        for (at, window) in self.cycles.iter().take_while(|w| w.cycle <= cycle).enumerate() {
            drop(internals.take(&window.trace));
            let named = self.inside.registers.iter().zip(&window.registers);
            let both = named.filter_map(|((name, _), model)| {
                let (model, signal) = (model.as_ref()?, *of_rtl.get(name)?);
                let rtl = value(&internals.bits(signal));
                (model.words != rtl.words).then(|| (name.clone(), model.clone(), rtl))
            });
            let registers: Vec<_> = both.collect();
            if !registers.is_empty() {
                return Some(Differing { cycle: window.cycle, is_first_seen: at == 0, registers });
            }
        }
        None
    }

    /// The registers in `cycle`.
    pub fn inspect(&self, cycle: u64) -> Inspected {
        let Some(at) = self.cycles.iter().position(|window| window.cycle == cycle) else {
            return Inspected::Missing(format!("the second run has not reached cycle {cycle}"));
        };
        let named = self.inside.registers.iter().zip(&self.cycles[at].registers);
        let model: Vec<_> =
            named.filter_map(|((name, _), value)| Some((name.clone(), value.clone()?))).collect();
        let rtl = self.inside.trace.as_deref().map_or_else(Vec::new, |header| {
            let mut internals = Internals::new(header);
            self.cycles[..=at].iter().for_each(|window| drop(internals.take(&window.trace)));
            let paths = internals.variables.iter().map(|v| (v.path(), v.signal));
            let registers = paths.filter(|(path, _)| self.inside.of_rtl.has(path));
            registers.map(|(path, signal)| (path, value(&internals.bits(signal)))).collect()
        });
        let declared = self.inside.registers.iter().map(|(name, _)| name.clone()).collect();
        Inspected::Registers { declared, model, rtl }
    }
}

/// Registers of the same name that differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Differing {
    /// The cycle.
    pub cycle: u64,
    /// It is the first that was looked at: they may have differed before.
    pub is_first_seen: bool,
    /// Name, the model's value, the RTL's.
    pub registers: Vec<(String, Value, Value)>,
}

/// A value from characters, highest bit first.
fn value(bits: &[u8]) -> Value {
    let mut words = vec![0; bits.len().div_ceil(32).max(1)];
    for (bit, character) in bits.iter().rev().enumerate() {
        words[bit / 32] |= u32::from(*character == b'1') << (bit % 32);
    }
    Value { width: bits.len().max(1) as u32, words }
}

/// What was found inside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inspected {
    /// All registers that mean something: names in the model, and paths in the RTL.
    Registers {
        /// The names of the model's, also of those that mean nothing in this cycle.
        declared: Vec<String>,
        /// The model's.
        model: Vec<(String, Value)>,
        /// The RTL's.
        rtl: Vec<(String, Value)>,
    },
    /// Nothing, for this reason.
    Missing(String),
}

impl Inspected {
    /// Registers that both bodies have under one name, and that differ: the model's name, its
    /// value, the RTL's.
    pub fn differing(&self) -> Vec<(&str, &Value, &Value)> {
        let Self::Registers { model, rtl, .. } = self else { return Vec::new() };
        let of_rtl: HashMap<_, _> =
            rtl.iter().map(|(path, value)| (registers::model_name(path), value)).collect();
        let both = model.iter().filter_map(|(name, value)| {
            let other = *of_rtl.get(name)?;
            (value.words != other.words).then_some((name.as_str(), value, other))
        });
        both.collect()
    }

    /// The registers of both bodies by name; the elements of an array are one.
    pub fn names(&self) -> Names {
        let Self::Registers { declared, rtl, .. } = self else { return Names::default() };
        let mut only_model: Vec<_> = declared.iter().map(|name| array(name)).collect();
        only_model.dedup();
        let declared: HashSet<_> = only_model.iter().cloned().collect();
        let (mut seen, mut alike, mut others) = (HashSet::new(), 0, Vec::new());
        let mut named = HashSet::new();
        for path in rtl.iter().map(|(path, _)| array(path)) {
            if !seen.insert(path.clone()) {
                continue;
            }
            let name = registers::model_name(&path);
            match declared.contains(&name) {
                true => alike += 1,
                false => others.push(path),
            }
            named.insert(name);
        }
        only_model.retain(|name| !named.contains(name));
        Names { alike, only_rtl: others, only_model }
    }
}

/// Registers of a difference by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// How many registers of the RTL the model has under the same name.
    pub alike: usize,
    /// Paths of those that it has not.
    pub only_rtl: Vec<String>,
    /// Names of the model's that the RTL has not.
    pub only_model: Vec<String>,
}

impl Names {
    /// What has no counterpart, of each side that has such registers: `most` names of it.
    pub fn notes(&self, most: usize) -> Vec<String> {
        let sides = [("only in the RTL", &self.only_rtl), ("only in the model", &self.only_model)];
        let note = |(side, names): (&str, &Vec<String>)| {
            let (listed, others) = names.split_at(names.len().min(most));
            let more = match others.len() {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            (!names.is_empty()).then(|| format!("{side}: {}{more}", listed.join(", ")))
        };
        sides.into_iter().filter_map(note).collect()
    }
}

/// A name without indices.
fn array(name: &str) -> String {
    name.split('[').map(|part| part.split_once(']').map_or(part, |(_, rest)| rest)).collect()
}

impl fmt::Display for Inspected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (model, rtl) = match self {
            Self::Registers { model, rtl, .. } => (model, rtl),
            Self::Missing(why) => {
                return write!(
                    f,
                    "\n  state  the RTL's registers are not shown: {}",
                    first_line(why)
                );
            }
        };
        for (i, (name, model, rtl)) in self.differing().into_iter().enumerate() {
            let label = if i == 0 { "state " } else { "      " };
            write!(f, "\n  {label} {name}  model {model}  rtl {rtl}   differs")?;
        }
        write_registers(f, "model", model)?;
        write_registers(f, "rtl", rtl)?;
        self.names().notes(MOST).iter().try_for_each(|note| write!(f, "\n  state  {note}"))
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or(text)
}

/// Those that are not 0, in a line; elements of arrays last, because they are many.
fn write_registers(
    f: &mut fmt::Formatter<'_>,
    implementation: &str,
    registers: &[(String, Value)],
) -> fmt::Result {
    let set: Vec<_> = registers.iter().filter(|(_, v)| v.words.iter().any(|&w| w != 0)).collect();
    let mut line = format!("  state  {implementation}:");
    let is_element = |name: &str| name.split('.').any(|part| part.contains("_q["));
    let (elements, whole): (Vec<_>, Vec<_>) =
        set.iter().copied().partition(|(name, _)| is_element(name));
    let shown = whole.into_iter().chain(elements).filter(|(_, value)| value.width <= WIDEST);
    let mut left = set.len();
    for (name, value) in shown.take(MOST) {
        left -= 1;
        line += &format!(" {name}={value}");
    }
    if left > 0 {
        line += &format!(" ... and {left} more in the waveform");
    }
    if set.is_empty() {
        line += " all 0";
    }
    write!(f, "\n{line}")
}
