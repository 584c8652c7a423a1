//! The statements of a block's RTL, read as text: what assigns a signal.
//!
//! It reads the conventions of `rtl/` and no more of SystemVerilog: one module after the other,
//! instances `u_x`, registers `x_q` with the next value `x_d`, outputs `_o` and inputs `_i`. What
//! it does not understand gives no answer.

use std::collections::{HashMap, HashSet};
use std::ops::{Range, RangeInclusive};

use bodies::{Source, Sources};

use super::active::literal;

/// Instances within each other, from a signal down to the statement that assigns it.
const DEEPEST: usize = 6;
/// Words that name nothing of a block.
const WORDS: [&str; 34] = [
    "always_comb",
    "always_ff",
    "and",
    "assign",
    "automatic",
    "begin",
    "bit",
    "case",
    "default",
    "else",
    "end",
    "endcase",
    "endfunction",
    "endgenerate",
    "endmodule",
    "for",
    "function",
    "generate",
    "genvar",
    "if",
    "int",
    "integer",
    "localparam",
    "logic",
    "negedge",
    "or",
    "packed",
    "parameter",
    "posedge",
    "return",
    "signed",
    "struct",
    "unique",
    "unsigned",
];

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

/// A statement, with the conditions directly before it.
struct Statement {
    line: usize,
    text: String,
    /// It stands in the branch of a reset.
    is_reset: bool,
    /// What it assigns, with fields and without indices: `regs_d.count`.
    targets: Vec<(String, usize)>,
    instance: Option<Instance>,
}

/// A module within another.
struct Instance {
    /// Where its module is named.
    line: usize,
    name: String,
    module: String,
    /// Port and what is connected to it.
    ports: Vec<(String, String)>,
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

/// The names in a text.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$' || c == '\'';
    let words = text.split(move |c| !is_part(c));
    let is_name = |word: &&str| {
        word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && !word.contains('\'')
    };
    words
        .map(|word| word.split('\'').next().unwrap_or(word))
        .filter(is_name)
        .filter(|word| !WORDS.contains(word))
}

/// A text without what stands in brackets.
pub fn without_indices(text: &str) -> String {
    let mut depth = 0u32;
    let outside = |c: &char| {
        depth += u32::from(*c == '[');
        let is_outside = depth == 0;
        depth = depth.saturating_sub(u32::from(*c == ']'));
        is_outside
    };
    text.chars().filter(outside).collect()
}

/// The same text with blanks in place of comments.
pub fn without_comments(text: &str) -> String {
    blanked(text, false)
}

/// The same text with blanks in place of comments; in statements also of strings and macros.
fn blanked(text: &str, is_of_statements: bool) -> String {
    let mut left = String::with_capacity(text.len());
    let mut rest = text;
    // What is taken out keeps its line ends.
    let blank = |left: &mut String, gone: &str| {
        left.extend(gone.chars().filter(|c| *c == '\n'));
        left.push(' ');
    };
    while let Some(at) = rest.find(['/', '"', '`']) {
        left += &rest[..at];
        rest = &rest[at..];
        let end = match rest.as_bytes() {
            [b'/', b'/', ..] => rest.find('\n').unwrap_or(rest.len()),
            [b'/', b'*', ..] => rest.find("*/").map_or(rest.len(), |end| end + 2),
            [b'"', ..] => rest[1..].find('"').map_or(rest.len(), |end| end + 2),
            [b'`', ..] if is_of_statements => macro_end(rest),
            [b'`', ..] => 1,
            _ => {
                left.push('/');
                rest = &rest[1..];
                continue;
            }
        };
        match is_of_statements || rest.starts_with('/') {
            true => blank(&mut left, &rest[..end]),
            false => left += &rest[..end],
        }
        rest = &rest[end..];
    }
    left + rest
}

/// Where a macro or a directive ends.
fn macro_end(text: &str) -> usize {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '`';
    let name = text.find(|c| !is_name(c)).unwrap_or(text.len());
    if ["`define", "`include", "`ifdef", "`ifndef"].contains(&&text[..name]) {
        return text.find('\n').unwrap_or(text.len());
    }
    if !text[name..].starts_with('(') {
        return name;
    }
    let mut depth = 0u32;
    for (at, c) in text[name..].char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 1 => return name + at + 1,
            ')' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

/// The modules of a text, and their statements.
fn parse(text: &str) -> Vec<(String, Vec<Statement>)> {
    let mut modules: Vec<(String, Vec<Statement>)> = Vec::new();
    let (mut begin, mut depth, mut line) = (0, 0i32, 1);
    let resets = resets(text);
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ';' if depth <= 0 => {
                let statement = &text[begin..at];
                let header = words(statement).skip_while(|word| *word != "module").nth(1);
                match (header, modules.last_mut()) {
                    (Some(name), _) => modules.push((name.to_string(), Vec::new())),
                    (None, Some((_, statements))) => {
                        let is_reset = resets.iter().any(|reset| reset.contains(&at));
                        statements.push(Statement { is_reset, ..of_text(statement, line) });
                    }
                    (None, None) => {}
                }
                line += statement.matches('\n').count();
                (begin, depth) = (at + 1, 0);
            }
            _ => {}
        }
    }
    modules
}

/// The names of enumerations, and of parameters that are numbers, with their values.
fn constants_of(text: &str) -> Vec<(String, u64)> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("enum ") {
        let inner = text[at..].split_once('{').and_then(|(_, rest)| rest.split_once('}'));
        let mut next = 0;
        for name in inner.map_or("", |(inner, _)| inner).split(',') {
            let (name, value) = name.split_once('=').unwrap_or((name, ""));
            next = literal(value.trim()).unwrap_or(next);
            found.push((name.trim().to_string(), next));
            next += 1;
        }
    }
    for (at, word) in text.match_indices("localparam ") {
        let statement = text[at + word.len()..].split(';').next().unwrap_or_default();
        if let Some((name, value)) = statement.split_once('=') {
            let name = name.split_whitespace().last().unwrap_or_default();
            found.extend(literal(value.trim()).map(|value| (name.to_string(), value)));
        }
    }
    found
}

/// A statement that begins in this line.
fn of_text(text: &str, line: usize) -> Statement {
    let blanks = text.len() - text.trim_start().len();
    let first = line + text[..blanks].matches('\n').count();
    let targets = assigned(text)
        .into_iter()
        .map(|(name, at)| (name, line + text[..at].matches('\n').count()));
    let (targets, text) = (targets.collect(), text.to_string());
    Statement { line: first, targets, text, is_reset: false, instance: None }
}

/// The branches of a text that `!rst_ni` selects.
fn resets(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("rst_ni") {
        let before = text[..at].trim_end().strip_suffix(['!', '~']);
        let before = before.and_then(|before| before.trim_end().strip_suffix('('));
        let after = text[at + "rst_ni".len()..].trim_start().strip_prefix(')');
        let (Some(before), Some(after)) = (before, after) else { continue };
        if !before.trim_end().ends_with("if") {
            continue;
        }
        let begin = text.len() - after.len();
        found.push(begin..begin + branch_end(after));
    }
    found
}

/// Where the statement, or the block, ends with which a text begins.
fn branch_end(text: &str) -> usize {
    let semicolon = text.find(';').map_or(text.len(), |end| end + 1);
    let mut depth = 0u32;
    let mut at = 0;
    for word in text.split_inclusive(|c: char| !(c.is_ascii_alphanumeric() || c == '_')) {
        at += word.len();
        match word.trim_end_matches(|c: char| !(c.is_ascii_alphanumeric() || c == '_')) {
            "begin" => depth += 1,
            "end" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && at >= semicolon {
            return at;
        }
    }
    text.len()
}

/// What a statement assigns, and where in its text that stands.
fn assigned(text: &str) -> Vec<(String, usize)> {
    let bytes = text.as_bytes();
    let mut depth = 0i32;
    for at in 0..bytes.len() {
        match bytes[at] {
            b'(' => depth += 1,
            b')' => depth -= 1,
            b'=' if depth == 0 && bytes.get(at + 1) != Some(&b'=') => {
                let before = at.checked_sub(1).map(|before| bytes[before]);
                let end = match before {
                    Some(b'=' | b'!' | b'>') => continue,
                    Some(b'<' | b'|' | b'&' | b'+' | b'-' | b'^') => at - 1,
                    _ => at,
                };
                return targets(text[..end].trim_end());
            }
            _ => {}
        }
    }
    Vec::new()
}

/// The names at the end of a text that stands before `=`.
fn targets(text: &str) -> Vec<(String, usize)> {
    if let Some(inner) = text.strip_suffix('}') {
        let begin = inner.rfind('{').map_or(0, |at| at + 1);
        let names = words(&inner[begin..]);
        return names.map(|name| (name.to_string(), begin)).collect();
    }
    let mut depth = 0i32;
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_.$".contains(c);
    let begin = text.char_indices().rev().take_while(|(_, c)| {
        depth += i32::from(*c == ']') - i32::from(*c == '[');
        depth > 0 || *c == '[' || is_part(*c)
    });
    let Some((begin, _)) = begin.last() else { return Vec::new() };
    vec![(without_indices(&text[begin..]), begin)]
}

/// The instance that a statement puts into its module.
fn instance(statement: &Statement, modules: &HashSet<String>) -> Option<Instance> {
    let text = &statement.text;
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let module = words(text).find(|word| modules.contains(*word))?;
    let at = text.find(module)?;
    let blanks = text.len() - text.trim_start().len();
    let line = statement.line + text[blanks..at].matches('\n').count();
    let mut rest = text[at + module.len()..].trim_start();
    if let Some(parameters) = rest.strip_prefix('#') {
        let parameters = parameters.trim_start();
        rest = parameters[closing(parameters)?..].trim_start();
    }
    let name = &rest[..rest.find(|c| !is_part(c))?];
    let list = rest[name.len()..].trim_start();
    if name.is_empty() || !list.starts_with('(') {
        return None;
    }
    let list = &list[1..closing(list)? - 1];
    let mut ports = Vec::new();
    let mut rest = list;
    while let Some(at) = rest.find('.') {
        rest = &rest[at + 1..];
        let port = &rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())];
        rest = rest[port.len()..].trim_start();
        let end = if rest.starts_with('(') { closing(rest)? } else { 0 };
        let value = if end == 0 { port } else { &rest[1..end - 1] };
        ports.push((port.to_string(), value.to_string()));
        rest = &rest[end..];
    }
    Some(Instance { line, name: name.to_string(), module: module.to_string(), ports })
}

/// Behind the bracket that closes the one with which a text begins.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0i32;
    for (at, c) in text.char_indices() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        if depth == 0 {
            return (at > 0).then_some(at + 1);
        }
    }
    None
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
