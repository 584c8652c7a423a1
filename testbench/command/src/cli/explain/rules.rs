//! The rules of a block's README that speak of a port or a register.

use std::collections::HashSet;

/// Sections that define names or tell of something else than what the block does in a cycle.
const NO_RULES: [&str; 8] = [
    "block diagram",
    "parameters",
    "synthesis",
    "parts",
    "tests",
    "differences from the paper",
    "where model and rtl differ",
    "files",
];
/// Sections that have everything once: where each port or register has its row, and assertions.
const DEFINITIONS: [&str; 5] =
    ["ports", "registers", "parts and registers", "checks", "invariants"];

/// A statement of a README: an entry of a list, a row of a table, or a paragraph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The headings that it stands under.
    pub section: String,
    /// Its line, from 1.
    pub line: usize,
    /// What it says, in one line.
    pub text: String,
}

/// All statements of a README.
fn statements(readme: &str) -> Vec<Rule> {
    let mut found: Vec<Rule> = Vec::new();
    let (mut section, mut in_code, mut open) = (String::new(), false, false);
    for (number, line) in readme.lines().enumerate() {
        let text = line.trim();
        if text.starts_with("```") {
            (in_code, open) = (!in_code, false);
            continue;
        }
        if in_code {
            continue;
        }
        if let Some(heading) = text.strip_prefix('#') {
            // Below the title stands what the block is, not what it does in a cycle.
            let name = heading.strip_prefix('#').unwrap_or_default();
            (section, open) = (name.trim_start_matches('#').trim().to_string(), false);
            continue;
        }
        let is_row = text.starts_with('|');
        let is_entry = text.starts_with("- ") || number_of(text).is_some();
        if text.is_empty() || is_row && text.chars().all(|c| "|-: ".contains(c)) {
            open = false;
            continue;
        }
        match found.last_mut() {
            Some(rule) if open && !is_entry && !is_row => {
                rule.text.push(' ');
                rule.text += text;
            }
            _ => {
                found.push(Rule { section: section.clone(), line: number + 1, text: text.into() });
            }
        }
        open = !is_row;
    }
    found
}

/// The number of an entry such as `4. text`.
fn number_of(text: &str) -> Option<u32> {
    let (number, _) = text.split_once(". ")?;
    number.parse().ok()
}

/// What somebody asks about, and how much it says where a rule has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// As the RTL writes it, without direction and `_q`.
    pub name: String,
    /// How much it tells of the matter.
    pub weight: f64,
}

/// The rules that speak of these terms, the best first, at most `most`. A name tells the more, the
/// fewer statements have it.
pub fn about(readme: &str, terms: &[Term], most: usize) -> Vec<Rule> {
    let is_rule = |rule: &Rule| {
        let section = rule.section.to_lowercase();
        !section.is_empty() && NO_RULES.iter().all(|name| !section.starts_with(name))
    };
    let rules: Vec<_> = statements(readme).into_iter().filter(is_rule).collect();
    let names: Vec<HashSet<_>> =
        rules.iter().map(|rule| code_words(&rule.text).into_iter().collect()).collect();
    let value = |term: &Term| {
        let with = names.iter().filter(|names| names.contains(&term.name)).count();
        term.weight * (rules.len() as f64 / with.max(1) as f64).ln_1p()
    };
    let values: Vec<_> = terms.iter().map(|term| (&term.name, value(term))).collect();
    let mut scored: Vec<_> = rules
        .iter()
        .zip(&names)
        .filter_map(|(rule, names)| {
            let has = |(name, _): &&(&String, f64)| names.contains(*name);
            let points: f64 = values.iter().filter(has).map(|(_, value)| value).sum();
            let points = if is_definition(rule) { points } else { 3.0 * points };
            // A long statement speaks of everything.
            let length = 1.0 + rule.text.len() as f64 / 400.0;
            (points > 0.0).then_some((points / length, rule.clone()))
        })
        .collect();
    // Stable: of equal ones the first in the README.
    scored.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    // One says what the port is; the others, what the block does.
    let mut definitions = 0;
    let rules = scored.into_iter().map(|(_, rule)| rule).filter(|rule| {
        definitions += u32::from(is_definition(rule));
        !is_definition(rule) || definitions == 1
    });
    rules.take(most).collect()
}

fn is_definition(rule: &Rule) -> bool {
    let section = rule.section.to_lowercase();
    DEFINITIONS.iter().any(|name| section.starts_with(name))
}

/// The names that a statement has, without direction and `_q`.
fn code_words(text: &str) -> Vec<String> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.split(|c| !is_name(c)).filter(|word| !word.is_empty()).map(stem).collect()
}

/// A name of the RTL without what tells its direction or that it is a register.
pub fn stem(name: &str) -> String {
    let suffix = ["_o", "_i", "_q", "_d"].into_iter().find_map(|end| name.strip_suffix(end));
    suffix.unwrap_or(name).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    const README: &str = "\
# block

What it is: `drain_ready_o` and more.

## Cycle rules

1. `drain_ready_o` = nothing is held, or
   the last run leaves.
2. `append` needs `acc_q` < 8.

```text
drain_ready_o in a picture
```

## Registers

| Register | Meaning |
|---|---|
| `acc_q` | bytes |

## Synthesis

`acc_q` is a flip-flop.
";

    fn find(name: &str) -> Vec<Rule> {
        about(README, &[Term { name: name.into(), weight: 2.0 }], 3)
    }

    #[test]
    fn rules_come_before_definitions_and_nothing_else_is_one() {
        let rules = find("acc");
        let lines: Vec<_> = rules.iter().map(|rule| (rule.section.as_str(), rule.line)).collect();
        assert_eq!(lines, [("Cycle rules", 9), ("Registers", 19)]);
    }

    #[test]
    fn a_rule_has_all_its_lines() {
        let [rule] = &find("drain_ready")[..] else { panic!("one rule") };
        assert_eq!(rule.text, "1. `drain_ready_o` = nothing is held, or the last run leaves.");
        assert_eq!(find("nothing_of_it"), []);
    }
}
