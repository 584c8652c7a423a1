//! Splits SystemVerilog text into modules and statements.

use std::collections::HashSet;
use std::ops::Range;

use crate::cli::explain::active::literal;

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

/// A statement, with the conditions directly before it.
pub struct Statement {
    pub line: usize,
    pub text: String,
    /// It stands in the branch of a reset.
    pub is_reset: bool,
    /// What it assigns, with fields and without indices: `regs_d.count`.
    pub targets: Vec<(String, usize)>,
    pub instance: Option<Instance>,
}

/// A module within another.
pub struct Instance {
    /// Where its module is named.
    pub line: usize,
    pub name: String,
    pub module: String,
    /// Port and what is connected to it.
    pub ports: Vec<(String, String)>,
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
pub fn blanked(text: &str, is_of_statements: bool) -> String {
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
pub fn parse(text: &str) -> Vec<(String, Vec<Statement>)> {
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
pub fn constants_of(text: &str) -> Vec<(String, u64)> {
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
pub fn instance(statement: &Statement, modules: &HashSet<String>) -> Option<Instance> {
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
