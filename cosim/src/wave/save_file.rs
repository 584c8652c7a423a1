//! GTKWave's save file: which variables are shown, in groups.
//!
//! A group for each channel, and in it for each field the model, the RTL and the difference.
//! Registers stand in groups that are closed at first: one of the model's, and of the RTL's one for
//! each instance.

use std::fmt::Write as _;
use std::path::Path;
use std::{fs, io};

use files::PartFile;
use ports::{Dir, Leaf, Port};

use super::internals::{Internals, Variable};
use super::scopes::variable_name;
use super::timeline::{self, Clock};
use super::{SCOPES, STATE, Shown, place, scopes};
use crate::registers;
use crate::value::full_name;

/// Elements of an array that are shown; the others are in the file.
const ELEMENTS: usize = 16;

/// What the file's name ends in.
pub const ENDING: &str = "gtkw";
/// How it begins. One that GTKWave has saved begins otherwise.
pub const MARK: &str = "[*] written beside the waveform";

/// Creates the file beside `waves`. None where somebody has saved one of his own there, and where
/// the waveform goes to a device.
pub fn create(waves: &Path) -> io::Result<Option<PartFile>> {
    let path = waves.with_extension(ENDING);
    let is_foreign = fs::read(&path).is_ok_and(|text| !text.starts_with(MARK.as_bytes()));
    match is_foreign || files::is_stream(waves) {
        true => Ok(None),
        false => PartFile::create(&path).map(Some),
    }
}

/// The text for the file `waves`. `first`: the time of its first change, once it is known.
pub fn text(
    waves: &Path,
    clocks: &[Clock],
    blocks: &[(&Shown, &Internals)],
    first: Option<u64>,
) -> String {
    let name = waves.file_name().map_or_else(Default::default, |n| n.to_string_lossy());
    let zoom = zoom(clocks);
    let start =
        first.map_or(String::new(), |time| format!("[timestart] {}\n", scaled(clocks, time)));
    let mut save = SaveFile(format!(
        "{MARK}\n[dumpfile] \"{name}\"\n{start}[size] 1600 1000\n\
         [signals_width] 390\n\
         [sst_expanded] 0\n*{zoom:.6} 0\n@28\n"
    ));
    clocks.iter().for_each(|clock| writeln!(save.0, "{}", clock.name).unwrap());
    for (shown, internals) in blocks {
        save.ports(shown);
        save.registers(shown);
        save.instances(shown, internals);
    }
    save.0
}

/// GTKWave counts in ns or ps: units of 100 and 10 ps are ps to it.
fn scaled(clocks: &[Clock], time: u64) -> u64 {
    match timeline::exponent(clocks) {
        -9 => time,
        exponent => time * 10u64.pow((exponent + 12) as u32),
    }
}

/// Shows some 60 cycles of the slowest clock: -6 where a cycle has 10 units, and a step is a factor
/// of 2.
fn zoom(clocks: &[Clock]) -> f64 {
    let slowest = clocks.iter().map(|clock| clock.megahertz).min().unwrap_or(100);
    let per_second = if timeline::exponent(clocks) == -9 { 1e9 } else { 1e12 };
    -6.0 - (per_second / (f64::from(slowest) * 1e6) / 10.0).log2()
}

/// How a group begins and ends: open, or closed.
#[derive(Clone, Copy)]
enum Group {
    Open,
    Closed,
}

impl Group {
    fn marks(self) -> [&'static str; 2] {
        match self {
            Self::Open => ["@800200", "@1000200"],
            Self::Closed => ["@c00200", "@1401200"],
        }
    }
}

/// The text so far.
struct SaveFile(String);

impl SaveFile {
    fn group(&mut self, group: Group, name: &str, inner: impl FnOnce(&mut Self)) {
        let [begin, end] = group.marks();
        writeln!(self.0, "{begin}\n-{name}").unwrap();
        inner(self);
        writeln!(self.0, "{end}\n-{name}").unwrap();
    }

    /// One variable, by the path of its scope.
    fn variable(&mut self, label: &str, scope: &str, name: &str, width: u32) {
        let (format, range) = match width {
            1 => ("@28", String::new()),
            width => ("@22", format!("[{}:0]", width - 1)),
        };
        // GTKWave shows what follows the last dot of a label.
        let label = label.replace('.', " ");
        let name = variable_name(name);
        writeln!(self.0, "{format}\n+{{{label}}} {scope}.{name}{range}").unwrap();
    }

    fn ports(&mut self, shown: &Shown) {
        let (block, place) = (&shown.block, &shown.place);
        for ports in [&block.inputs, &block.outputs] {
            for channel in ports.chunk_by(|a, b| a.field == b.field) {
                let lines = channel.iter().map(|p| p.leaves.len()).sum::<usize>();
                let all = |save: &mut Self| {
                    for port in channel {
                        port.leaves.iter().for_each(|leaf| save.leaf(shown, port, leaf));
                    }
                };
                if lines > 1 || channel[0].dir == Dir::Out {
                    self.group(Group::Open, &format!("{place}.{}", channel[0].field), all);
                } else {
                    all(self);
                }
            }
        }
    }

    /// An output has one line for each scope; an input is the same for both bodies and has one.
    fn leaf(&mut self, shown: &Shown, port: &Port, leaf: &Leaf) {
        let all = scopes(shown.body);
        let scopes = if port.dir == Dir::Out { all } else { &all[..1] };
        let (inner, name) = place(port, leaf);
        let inner = inner.map_or(String::new(), |inner| format!(".{inner}"));
        for scope in scopes.iter().map(|&scope| SCOPES[scope]) {
            let label = if port.dir == Dir::Out { format!("{scope} ") } else { String::new() };
            let path = format!("{scope}.{}{inner}", shown.scopes().join("."));
            self.variable(&format!("{label}{}", full_name(port, leaf)), &path, &name, leaf.width);
        }
    }

    /// The model's registers.
    fn registers(&mut self, shown: &Shown) {
        if shown.inside.registers.is_empty() {
            return;
        }
        let (place, block) = (&shown.place, shown.scopes().join("."));
        self.group(Group::Closed, &format!("{place} registers of the model"), |save| {
            for (path, width) in &shown.inside.registers {
                let (inner, name) = path.rsplit_once('.').unwrap_or(("", path));
                let dot = if inner.is_empty() { "" } else { "." };
                let scope = format!("{}.{block}.{STATE}{dot}{inner}", SCOPES[0]);
                save.variable(path, &scope, name, *width);
            }
        });
    }

    /// The RTL's registers, a group for each instance that has some.
    fn instances(&mut self, shown: &Shown, internals: &Internals) {
        let (place, block) = (&shown.place, shown.scopes().join("."));
        let mut groups: Vec<(String, Vec<&Variable>)> = Vec::new();
        for variable in internals.variables.iter().filter(|v| registers::is_register(&v.path())) {
            if elements_before(&variable.path()) >= ELEMENTS {
                continue;
            }
            // A struct's fields stand with its instance.
            let is_instance = |part: &&String| !registers::is_register(part);
            let scope: Vec<_> = variable.scope.iter().take_while(is_instance).cloned().collect();
            let instance = scope.join(".");
            match groups.iter_mut().find(|(name, _)| *name == instance) {
                Some((_, variables)) => variables.push(variable),
                None => groups.push((instance, vec![variable])),
            }
        }
        for (instance, variables) in groups {
            let dot = if instance.is_empty() { "" } else { "." };
            self.group(Group::Closed, &format!("{place}{dot}{instance} registers"), |save| {
                for variable in variables {
                    let path = variable.path();
                    let label = path.strip_prefix(&format!("{instance}{dot}")).unwrap_or(&path);
                    let inner = variable.scope.join(".");
                    let dot = if inner.is_empty() { "" } else { "." };
                    let scope = format!("{}.{block}{dot}{inner}", SCOPES[1]);
                    let width = internals.bits(variable.signal).len() as u32;
                    save.variable(label, &scope, &variable.name, width);
                }
            });
        }
    }
}

/// The highest index in a path: elements of an array that come before this one.
fn elements_before(path: &str) -> usize {
    let registers = path.split('.').skip_while(|part| !registers::is_register(part));
    let indices = registers.flat_map(|part| part.split('[').skip(1));
    indices.filter_map(|index| index.split(']').next()?.parse().ok()).max().unwrap_or(0)
}
