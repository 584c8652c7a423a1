//! The statements of a block's RTL, read as text: what assigns a signal.
//!
//! It reads the conventions of `rtl/` and no more of SystemVerilog: one module after the other,
//! instances `u_x`, registers `x_q` with the next value `x_d`, outputs `_o` and inputs `_i`. What
//! it does not understand gives no answer.

mod parse;

use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;

use bodies::{Source, Sources};

pub use parse::{without_comments, without_indices, words};

use parse::{Instance, Statement, blanked, constants_of, instance, parse};

/// Instances within each other, from a signal down to the statement that assigns it.
const DEEPEST: usize = 6;
/// A place in a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// `<folder>/<name>`.
    pub path: String,
    /// From 1.
    pub line: usize,
}

/// A statement that assigns a signal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// Where its target stands.
    pub place: Place,
    /// Its lines, with the conditions directly before it.
    pub lines: RangeInclusive<usize>,
    /// It sets the value at reset.
    is_reset: bool,
    /// It only holds a register, or passes its next value on.
    pub is_hold: bool,
    module: String,
    /// The signals whose values it reads, and what else it names.
    names: Vec<String>,
}

impl Assignment {
    /// The signals that its statement reads, and what else it names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }
}

struct Module {
    path: String,
    statements: Vec<Statement>,
}

/// The modules of a block and of `common`, by name.
pub struct Rtl {
    modules: HashMap<String, Module>,
    /// The lines of the files, by path.
    files: HashMap<String, Vec<String>>,
    /// Names of enumerations and parameters, and their values.
    constants: HashMap<String, u64>,
}

/// A signal of a module, with its field.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Signal {
    module: String,
    name: String,
}

impl Rtl {
    /// Of a block; none where there are no sources of it.
    pub fn of_block(sources: &Sources, block: &str) -> Option<Self> {
        sources.of_block(block).ok().map(|files| Self::of_files(&files))
    }

    pub(super) fn of_files(files: &[Source]) -> Self {
        let (mut modules, mut lines) = (HashMap::new(), HashMap::new());
        let mut constants = HashMap::new();
        for source in files {
            let text = String::from_utf8_lossy(&source.content);
            lines.insert(source.path.clone(), text.lines().map(str::to_string).collect());
            let text = blanked(&text, true);
            constants.extend(constants_of(&text));
            for (name, statements) in parse(&text) {
                let path = source.path.clone();
                modules.insert(name, Module { path, statements });
            }
        }
        let names: HashSet<String> = modules.keys().cloned().collect();
        for statement in modules.values_mut().flat_map(|module| &mut module.statements) {
            statement.instance = instance(statement, &names);
        }
        Self { modules, files: lines, constants }
    }

    /// The value of a name of an enumeration, or of a parameter that is a number.
    pub fn constant(&self, name: &str) -> Option<u64> {
        self.constants.get(name).copied()
    }

    /// The lines of a file, with comments.
    pub fn lines(&self, path: &str) -> &[String] {
        self.files.get(path).map_or(&[], Vec::as_slice)
    }

    /// The module of an instance in another.
    pub fn module_of(&self, module: &str, instance: &str) -> Option<&str> {
        let mut instances = self.modules.get(module)?.statements.iter();
        let found = instances.find_map(|s| s.instance.as_ref().filter(|i| i.name == instance));
        found.map(|instance| instance.module.as_str())
    }

    /// Where the instances of a path stand, the innermost first: names of instances, then others.
    pub fn instances<'a>(&self, block: &str, path: impl Iterator<Item = &'a str>) -> Vec<Place> {
        let (mut module, mut found) = (block, Vec::new());
        for part in path {
            let Some(of_module) = self.modules.get(module) else { break };
            let is_meant = |s: &&Statement| s.instance.as_ref().is_some_and(|i| i.name == part);
            let Some(statement) = of_module.statements.iter().find(is_meant) else { continue };
            let line = statement.instance.as_ref().map_or(statement.line, |i| i.line);
            found.push(Place { path: of_module.path.clone(), line });
            module = statement.instance.as_ref().map_or("", |instance| &instance.module);
        }
        found.reverse();
        found
    }

    /// What drives a signal of a module, the likeliest first: statements, and instances with the
    /// port that is connected to it.
    pub fn driven(&self, module: &str, name: &str) -> Vec<(Assignment, Option<(String, String)>)> {
        let signal = Signal { module: module.into(), name: name.into() };
        let Some(of_module) = self.modules.get(module) else { return Vec::new() };
        let base = name.split('.').next().unwrap_or(name);
        let drivers = self.ranked(&signal).into_iter().map(|(at, line)| {
            let instance = of_module.statements[at].instance.as_ref();
            let port = instance.and_then(|i| Some((i.name.clone(), inner(i, base, "")?.name)));
            (self.assignment(&signal, at, line), port)
        });
        let (reset, others): (Vec<_>, Vec<_>) = drivers.partition(|(a, _)| a.is_reset);
        if others.is_empty() { reset } else { others }
    }

    /// What is connected to an input of an instance in a module.
    pub fn connected(&self, module: &str, name: &str, port: &str) -> Option<(Assignment, String)> {
        let statements = &self.modules.get(module)?.statements;
        let is_meant = |s: &Statement| s.instance.as_ref().is_some_and(|i| i.name == name);
        let at = statements.iter().position(is_meant)?;
        let mut ports = statements[at].instance.as_ref()?.ports.iter();
        let (_, connected) = ports.find(|(of_instance, _)| of_instance == port)?;
        let signal = Signal { module: module.into(), name: String::new() };
        let line = statements[at].instance.as_ref()?.line;
        Some((self.assignment(&signal, at, line), connected.clone()))
    }

    /// The statements that assign a register, the likeliest first, by its path below the block's
    /// top, such as `u_fifo.count_q` or `regs_q.state`. Those of the reset only where there are no
    /// others.
    pub fn register(&self, block: &str, path: &str) -> Vec<Assignment> {
        let Some(stages) = self.stages(block, path) else { return Vec::new() };
        not_of_reset(stages.iter().flat_map(|signal| self.assignments(signal)).collect())
    }

    /// The next value of a register, and the register.
    fn stages(&self, block: &str, path: &str) -> Option<[Signal; 2]> {
        let mut signal = Signal { module: block.into(), name: String::new() };
        let mut parts = path.split('.').map(|part| part.split('[').next().unwrap_or(part));
        let register = loop {
            let part = parts.next()?;
            if part.ends_with("_q") {
                break part;
            }
            let module = self.modules.get(&signal.module)?;
            let is_meant = |s: &Statement| s.instance.as_ref().is_some_and(|i| i.name == part);
            // A generate block is no instance.
            if let Some(at) = module.statements.iter().position(is_meant) {
                signal.module = module.statements[at].instance.as_ref()?.module.clone();
            }
        };
        let fields: String = parts.map(|field| format!(".{field}")).collect();
        let stem = register.strip_suffix("_q")?;
        let named = |end: &str| Signal { name: format!("{stem}{end}{fields}"), ..signal.clone() };
        Some([named("_d"), named("_q")])
    }

    /// The same for an output of the block: `tlp_o.hdr`.
    pub fn output(&self, block: &str, field: &str) -> Vec<Assignment> {
        self.assignments(&Signal { module: block.into(), name: without_indices(field) })
    }

    /// The statements that assign what an assignment reads.
    pub fn sources(&self, assignment: &Assignment) -> Vec<Assignment> {
        let Assignment { module, names, .. } = assignment;
        let signals =
            names.iter().map(|name| Signal { module: module.clone(), name: name.clone() });
        signals.flat_map(|signal| not_of_reset(self.assignments(&signal))).collect()
    }

    /// Where a signal gets its value, the likeliest first: through instances down to statements.
    fn assignments(&self, signal: &Signal) -> Vec<Assignment> {
        let mut found = Vec::new();
        self.collect(signal, DEEPEST, &mut HashSet::new(), &mut found);
        found
    }

    fn collect(
        &self,
        signal: &Signal,
        depth: usize,
        seen: &mut HashSet<Signal>,
        found: &mut Vec<Assignment>,
    ) {
        let Some(module) = self.modules.get(&signal.module) else { return };
        if !seen.insert(signal.clone()) {
            return;
        }
        let (base, field) = signal.name.split_once('.').unwrap_or((&signal.name, ""));
        for (at, line) in self.ranked(signal) {
            let before = found.len();
            if let Some(instance) = &module.statements[at].instance {
                if depth == 0 {
                    continue;
                }
                if let Some(inner) = inner(instance, base, field) {
                    self.collect(&inner, depth - 1, seen, found);
                }
            }
            if found.len() == before {
                found.push(self.assignment(signal, at, line));
            }
        }
    }

    /// A statement of a signal's module as what assigns the signal in this line.
    fn assignment(&self, signal: &Signal, at: usize, line: usize) -> Assignment {
        let module = &self.modules[&signal.module];
        let Statement { line: first, text, is_reset, .. } = &module.statements[at];
        let base = signal.name.split('.').next().unwrap_or_default();
        Assignment {
            place: Place { path: module.path.clone(), line },
            lines: *first..=first + text.trim().matches('\n').count(),
            is_reset: *is_reset,
            is_hold: is_hold(text, base),
            module: signal.module.clone(),
            names: words(text).filter(|word| *word != base).map(String::from).collect(),
        }
    }

    /// The drivers of a signal, the likeliest first.
    fn ranked(&self, signal: &Signal) -> Vec<(usize, usize)> {
        let Some(module) = self.modules.get(&signal.module) else { return Vec::new() };
        let (base, field) = signal.name.split_once('.').unwrap_or((&signal.name, ""));
        let last = field.rsplit('.').next().unwrap_or_default();
        // The field itself, then a statement that names it, then any; not one that only holds it.
        let rank = |statement: &(usize, usize)| {
            let Statement { text, targets, .. } = &module.statements[statement.0];
            let is_whole = targets.iter().any(|(target, _)| *target == signal.name);
            let names_it = !last.is_empty() && words(text).any(|word| word == last);
            let is_hold = is_hold(text, base);
            (is_hold, !is_whole || field.is_empty() && is_hold, !names_it)
        };
        let mut drivers = self.drivers(signal);
        drivers.sort_by_key(rank);
        drivers
    }

    /// Statements of a signal's module that assign it, and the lines where they do.
    fn drivers(&self, signal: &Signal) -> Vec<(usize, usize)> {
        let Some(module) = self.modules.get(&signal.module) else { return Vec::new() };
        let (base, _) = signal.name.split_once('.').unwrap_or((&signal.name, ""));
        let mut found = Vec::new();
        for (at, statement) in module.statements.iter().enumerate() {
            let is_meant = |target: &str| {
                target.split('.').next() == Some(base)
                    && (target.starts_with(&signal.name) || signal.name.starts_with(target))
            };
            match &statement.instance {
                Some(instance) => {
                    let drives = |(port, value): &(String, String)| {
                        port.ends_with("_o") && words(value).any(|word| word == base)
                    };
                    if instance.ports.iter().any(drives) {
                        found.push((at, instance.line));
                    }
                }
                None => {
                    let targets = statement.targets.iter().filter(|(target, _)| is_meant(target));
                    found.extend(targets.map(|(_, line)| (at, *line)));
                }
            }
        }
        found
    }
}

/// Whether a statement gives a register's next value the register's own, or the register its next
/// value.
fn is_hold(text: &str, base: &str) -> bool {
    let value = text.rsplit('=').next().unwrap_or_default().trim();
    let other = match base.strip_suffix("_d") {
        Some(stem) => Some(format!("{stem}_q")),
        None => base.strip_suffix("_q").map(|stem| format!("{stem}_d")),
    };
    value.split('.').next() == other.as_deref()
}

/// All assignments, without those of the reset where there are others.
fn not_of_reset(all: Vec<Assignment>) -> Vec<Assignment> {
    let (reset, others): (Vec<_>, Vec<_>) = all.into_iter().partition(|a| a.is_reset);
    if others.is_empty() { reset } else { others }
}

/// The signal of an instance's module that drives this one, through a port.
fn inner(instance: &Instance, base: &str, field: &str) -> Option<Signal> {
    let drives = |(port, value): &&(String, String)| {
        port.ends_with("_o") && words(value).any(|word| word == base)
    };
    let (port, _) = instance.ports.iter().find(drives)?;
    let name = if field.is_empty() { port.clone() } else { format!("{port}.{field}") };
    Some(Signal { module: instance.module.clone(), name })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines of a register's assignments in a module `m`.
    fn lines(text: &str, register: &str) -> Vec<usize> {
        let file = Source { path: "m/m.sv".into(), content: text.as_bytes().to_vec() };
        let found = Rtl::of_files(&[file]).register("m", register);
        found.iter().map(|assignment| assignment.place.line).collect()
    }

    #[test]
    fn a_reset_is_named_only_where_nothing_else_assigns() {
        let text = "\
module m (input logic clk_i, input logic rst_ni, input logic go_i);
  logic [3:0] count_q, idle_q, old_q, last_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0;
      idle_q  <= 4'd1;
    end else begin
      if (go_i) count_q <= count_q + 1;
      old_q <= count_q;
    end
  end
  always_ff @(posedge clk_i)
    if ( ~ rst_ni ) last_q <= '0;
    else last_q <= old_q;
endmodule
";
        assert_eq!(lines(text, "count_q"), [8]);
        assert_eq!(lines(text, "old_q"), [9]);
        assert_eq!(lines(text, "idle_q"), [6]);
        assert_eq!(lines(text, "last_q"), [14]);
    }

    #[test]
    fn next_values_come_before_the_register_and_before_what_holds_it() {
        let text = "\
module m;
  always_comb begin
    state_d = state_q;
    if (a)
      state_d = b;
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) state_q <= '0;
    else state_q <= state_d;
  end
endmodule
";
        assert_eq!(lines(text, "state_q"), [5, 3, 9]);
    }
}
