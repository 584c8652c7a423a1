//! RTL from elsewhere, such as a bundle's, is data: what it simulates may be wrong, but a body of
//! it runs no program and opens no file.
//!
//! Verilator's preprocessor expands each file, and the body is built from the expanded text, which
//! is what is checked. So neither a macro nor the order of files can compose what the check does
//! not see.

use std::collections::BTreeSet;

use super::sources::{self, Source};

/// System functions and tasks that may be called: they compute values, or report a failure.
const CALLS: [&str; 21] = [
    "$bits",
    "$changed",
    "$clog2",
    "$countbits",
    "$countones",
    "$dimensions",
    "$error",
    "$fatal",
    "$fell",
    "$high",
    "$isunknown",
    "$left",
    "$low",
    "$onehot",
    "$onehot0",
    "$past",
    "$right",
    "$rose",
    "$signed",
    "$size",
    "$unsigned",
];
/// Comments that Verilator obeys, and that may stand there.
const PRAGMAS: [&str; 8] = [
    "inline_module",
    "lint_off",
    "lint_on",
    "lint_restore",
    "lint_save",
    "no_inline_module",
    "unroll_disable",
    "unroll_full",
];
/// How Verilator's preprocessor marks the place of the text below.
const MARK: &str = "`line ";
/// How the specification of an import or export of C functions begins.
const C_FUNCTIONS: &str = "\"DPI";

/// What a file may not hold, with its place.
#[derive(Debug, PartialEq, Eq)]
pub struct Refused {
    /// `<folder>/<name>:<line>`.
    pub place: String,
    /// What stands there, and what may.
    pub problem: String,
}

/// True for a file that is read as SystemVerilog.
pub fn is_verilog(path: &str) -> bool {
    [".sv", ".svh"].iter().any(|ending| path.ends_with(ending))
}

/// Checks what is no SystemVerilog: lists of files and options can have Verilator do anything. They
/// must be those of this program.
pub fn check_lists(sources: &[Source]) -> Result<(), Refused> {
    let mut lists = sources.iter().filter(|source| !is_verilog(&source.path));
    match lists.find(|list| sources::embedded(&list.path) != Some(&list.content)) {
        Some(list) => Err(Refused {
            place: list.path.clone(),
            problem: "must be the file of this program, because it holds options of \
                      Verilator"
                .into(),
        }),
        None => Ok(()),
    }
}

/// Checks a file before the preprocessor reads it: the files that it includes are the bundle's own,
/// by their names alone. So the preprocessor opens no other.
pub fn check_includes(source: &Source) -> Result<(), Refused> {
    let text = String::from_utf8_lossy(&source.content);
    for (number, line) in text.lines().enumerate() {
        for (at, directive) in line.match_indices("`include") {
            let named = line[at + directive.len()..].trim_start().strip_prefix('"');
            let name = named.and_then(|rest| rest.split_once('"')).map(|(name, _)| name);
            if !name.is_some_and(is_file_name) {
                let problem = "`include must have the quoted name of a file of this RTL, without \
                               its folder";
                let place = format!("{}:{}", source.path, number + 1);
                return Err(Refused { place, problem: problem.into() });
            }
        }
    }
    Ok(())
}

fn is_file_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.chars().all(is_plain)
}

/// Checks what the preprocessor has made of a file. `files` are those that it may have read.
pub fn check(path: &str, expanded: &[u8], files: &BTreeSet<&str>) -> Result<(), Refused> {
    let mut place = (path.to_string(), 0);
    let refused = |(path, line): &(String, u64), problem: String| {
        Err(Refused { place: format!("{path}:{line}"), problem })
    };
    let Ok(text) = std::str::from_utf8(expanded) else {
        return refused(&place, "must be UTF-8".into());
    };
    for line in text.split('\n') {
        if let Some(mark) = line.strip_prefix(MARK) {
            match marked(mark) {
                Some((file, at)) if files.contains(file) => place = (file.to_string(), at),
                _ => return refused(&place, format!("{line}: names no file of this RTL")),
            }
            continue;
        }
        if let Some(problem) = problem(line) {
            return refused(&place, problem);
        }
        place.1 += 1;
    }
    Ok(())
}

/// File and line of a mark: `12 "common/duet_fifo.sv" 0`.
fn marked(mark: &str) -> Option<(&str, u64)> {
    let mut words = mark.trim_end().split(' ');
    let (number, file, level) = (words.next()?, words.next()?, words.next()?);
    let file = file.strip_prefix('"')?.strip_suffix('"')?;
    let is_whole = words.next().is_none() && matches!(level, "0" | "1" | "2");
    Some((file, number.parse().ok()?)).filter(|_| is_whole)
}

/// What a line holds that it may not, whether in a comment or not.
fn problem(line: &str) -> Option<String> {
    let word = |at: usize| {
        let rest = &line[at + 1..];
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '$'));
        &line[at..at + 1 + end.unwrap_or(rest.len())]
    };
    for (at, c) in line.char_indices() {
        match c {
            '$' if !CALLS.contains(&word(at)) => {
                return Some(format!("{}: may call {} only", word(at), CALLS.join(", ")));
            }
            '`' => return Some(format!("{}: this directive is not allowed", word(at))),
            '\\' => return Some("\\: escaped names and characters are not allowed".into()),
            _ => {}
        }
    }
    if line.contains(C_FUNCTIONS) {
        return Some("\"DPI-C\": import and export of C functions are not allowed".into());
    }
    for (at, name) in line.match_indices("verilator") {
        let mut words = line[at + name.len()..].split(|c: char| c != '_' && !c.is_alphanumeric());
        let pragma = words.nth(1).unwrap_or_default();
        if !PRAGMAS.contains(&pragma) {
            return Some(format!("verilator {pragma}: this comment is not allowed"));
        }
    }
    None
}
