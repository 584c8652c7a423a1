//! What viewers show of a waveform at first: variables in groups. Where implementations differ, the
//! differing port stands first.
//!
//! A group for each channel, and in it for each field the model, the RTL and the difference.
//! Registers stand in groups that are closed at first: one of the model's, and of the RTL's one for
//! each instance.

use ports::{Description, Dir, Leaf, Port};

use super::internals::{self, Internals};
use super::scopes::variable_name;
use super::timeline::Clock;
use super::{SCOPES, STATE, Shown, place, scopes};
use crate::registers::Registers;
use crate::value::full_name;

/// Elements of an array that are shown; the others are in the file.
const ELEMENTS: usize = 16;
/// Cycles before a mismatch that are visible at first.
const BEFORE: u64 = 40;

/// Where implementations differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The block, by its place among those of the file.
    pub block: usize,
    /// The cycle, in the block's clock and as the file counts it.
    pub cycle: u64,
    /// The output field that differs, as in a report; none where an assertion failed.
    pub field: Option<String>,
}

/// A variable of the file.
#[derive(Debug, PartialEq, Eq)]
pub struct Variable {
    /// What it is called in the list.
    pub label: String,
    /// Scopes and name.
    pub path: String,
    /// Bits.
    pub width: u32,
}

/// Variables that are shown together.
#[derive(Debug, PartialEq, Eq)]
pub struct Group {
    /// Its name; none of a variable that stands alone.
    pub name: Option<String>,
    /// Whether its variables are visible at first.
    pub is_open: bool,
    /// In the order of the list.
    pub variables: Vec<Variable>,
}

/// What is shown.
#[derive(Debug)]
pub struct Layout {
    /// The clocks, which come first.
    pub clocks: Vec<Clock>,
    /// In the order of the list.
    pub groups: Vec<Group>,
    /// The first time that is visible, in units of the file.
    pub start: Option<u64>,
    /// The time of the mismatch, likewise.
    pub mismatch: Option<u64>,
}

impl Layout {
    /// Of a file of these blocks. `first`: the time of its first change, once it is known; `time`
    /// gives that of a cycle of a clock.
    pub fn new(
        clocks: &[Clock],
        blocks: &[(&Shown, &Internals)],
        mark: Option<&Mark>,
        first: Option<u64>,
        time: impl Fn(usize, u64) -> u64,
    ) -> Self {
        let clock = mark.map(|mark| blocks[mark.block].0.clock);
        let at = |before: u64| Some(time(clock?, mark?.cycle.saturating_sub(before)));
        let start = first.map(|first| first.max(at(BEFORE).unwrap_or(0)));
        let mut all = Self { clocks: clocks.to_vec(), groups: Vec::new(), start, mismatch: at(0) };
        let marked = mark.map(|mark| (mark.block, mark.field.as_deref()));
        let others = (0..blocks.len()).filter(|block| marked.is_none_or(|(of, _)| of != *block));
        for block in marked.iter().map(|(block, _)| *block).chain(others) {
            let field = marked.filter(|(of, _)| *of == block).and_then(|(_, field)| field);
            let (shown, internals) = blocks[block];
            all.ports(shown, field);
            all.registers(shown);
            all.instances(shown, internals);
        }
        all
    }

    fn group(&mut self, is_open: bool, name: String, variables: Vec<Variable>) {
        self.groups.push(Group { name: Some(name), is_open, variables });
    }

    /// The channels of the ports; that of the field `first` before all others.
    fn ports(&mut self, shown: &Shown, first: Option<&str>) {
        let Description { inputs, outputs, .. } = &shown.block;
        let is_first = |port: &Port, leaf: &Leaf| {
            port.dir == Dir::Out && first == Some(full_name(port, leaf).as_str())
        };
        let has_first =
            |ports: &[Port]| ports.iter().any(|p| p.leaves.iter().any(|leaf| is_first(p, leaf)));
        let channels = [inputs, outputs]
            .into_iter()
            .flat_map(|ports| ports.chunk_by(|a, b| a.field == b.field));
        let (before, others): (Vec<_>, Vec<_>) = channels.partition(|ports| has_first(ports));
        for channel in before.into_iter().chain(others) {
            let leaves = channel.iter().flat_map(|port| port.leaves.iter().map(move |l| (port, l)));
            let (before, others): (Vec<_>, Vec<_>) = leaves.partition(|(p, l)| is_first(p, l));
            let leaves: Vec<_> = before.into_iter().chain(others).collect();
            let is_group = leaves.len() > 1 || channel[0].dir == Dir::Out;
            let name = is_group.then(|| format!("{}.{}", shown.place, channel[0].field));
            let variables = leaves.into_iter().flat_map(|(port, leaf)| of_leaf(shown, port, leaf));
            self.groups.push(Group { name, is_open: true, variables: variables.collect() });
        }
    }

    /// The model's registers.
    fn registers(&mut self, shown: &Shown) {
        if shown.inside.registers.is_empty() {
            return;
        }
        let block = shown.scopes().join(".");
        let variables = shown.inside.registers.iter().map(|(path, width)| {
            let (inner, name) = path.rsplit_once('.').unwrap_or(("", path));
            let dot = if inner.is_empty() { "" } else { "." };
            let scope = format!("{}.{block}.{STATE}{dot}{inner}", SCOPES[0]);
            variable(path, &scope, name, *width)
        });
        self.group(false, format!("{} registers of the model", shown.place), variables.collect());
    }

    /// The RTL's registers, a group for each instance that has some.
    fn instances(&mut self, shown: &Shown, internals: &Internals) {
        let (place, block) = (&shown.place, shown.scopes().join("."));
        let of_rtl = &shown.inside.of_rtl;
        let mut groups: Vec<(String, Vec<&internals::Variable>)> = Vec::new();
        for variable in internals.variables.iter().filter(|v| of_rtl.has(&v.path())) {
            if elements_before(of_rtl, &variable.path()) >= ELEMENTS {
                continue;
            }
            // A struct's fields stand with its instance.
            let is_instance = |part: &&String| !of_rtl.has(part);
            let scope: Vec<_> = variable.scope.iter().take_while(is_instance).cloned().collect();
            let instance = scope.join(".");
            match groups.iter_mut().find(|(name, _)| *name == instance) {
                Some((_, variables)) => variables.push(variable),
                None => groups.push((instance, vec![variable])),
            }
        }
        for (instance, registers) in groups {
            let dot = if instance.is_empty() { "" } else { "." };
            let variables = registers.into_iter().map(|register| {
                let path = register.path();
                let label = path.strip_prefix(&format!("{instance}{dot}")).unwrap_or(&path);
                let inner = register.scope.join(".");
                let dot = if inner.is_empty() { "" } else { "." };
                let scope = format!("{}.{block}{dot}{inner}", SCOPES[1]);
                let width = internals.bits(register.signal).len() as u32;
                variable(label, &scope, &register.name, width)
            });
            self.group(false, format!("{place}{dot}{instance} registers"), variables.collect());
        }
    }
}

/// An output has one variable for each scope; an input is the same for both implementations and has
/// one.
fn of_leaf(shown: &Shown, port: &Port, leaf: &Leaf) -> Vec<Variable> {
    let all = scopes(shown.body);
    let scopes = if port.dir == Dir::Out { all } else { &all[..1] };
    let (inner, name) = place(port, leaf);
    let inner = inner.map_or(String::new(), |inner| format!(".{inner}"));
    let variables = scopes.iter().map(|&scope| SCOPES[scope]).map(|scope| {
        let label = if port.dir == Dir::Out { format!("{scope} ") } else { String::new() };
        let path = format!("{scope}.{}{inner}", shown.scopes().join("."));
        variable(&format!("{label}{}", full_name(port, leaf)), &path, &name, leaf.width)
    });
    variables.collect()
}

fn variable(label: &str, scope: &str, name: &str, width: u32) -> Variable {
    let path = format!("{scope}.{}", variable_name(name));
    Variable { label: label.to_string(), path, width }
}

/// The highest index in a path: elements of an array that come before this one.
fn elements_before(of_rtl: &Registers, path: &str) -> usize {
    let registers = path.split('.').skip_while(|part| !of_rtl.has(part));
    let indices = registers.flat_map(|part| part.split('[').skip(1));
    indices.filter_map(|index| index.split(']').next()?.parse().ok()).max().unwrap_or(0)
}
