//! The rules of a block's README that speak of a port or a register.

/// Sections that define names or describe something other than the block's behavior in a cycle.
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

/// A name that differs, and its weight in the ranking of rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// As the RTL writes it, without direction and `_q`.
    pub name: String,
    /// Points of a rule that has it.
    pub weight: u32,
}

/// The rules that speak of these terms, the best first, at most `most`.
pub fn about(readme: &str, terms: &[Term], most: usize) -> Vec<Rule> {
    let mut scored: Vec<_> = statements(readme)
        .into_iter()
        .filter_map(|rule| {
            let section = rule.section.to_lowercase();
            if section.is_empty() || NO_RULES.iter().any(|name| section.starts_with(name)) {
                return None;
            }
            let words = code_words(&rule.text);
            let points: u32 =
                terms.iter().filter(|t| words.contains(&t.name)).map(|t| t.weight).sum();
            // A long statement speaks of everything.
            let length = rule.text.len() as u32 / 400;
            let points = if is_definition(&rule) { points } else { 3 * points };
            (points > 0).then_some((points.saturating_sub(length).max(1), rule))
        })
        .collect();
    // Stable: of equal ones the first in the README.
    scored.sort_by_key(|(points, _)| std::cmp::Reverse(*points));
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

/// A name of the RTL without the ending for its direction or for a register.
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
        about(README, &[Term { name: name.into(), weight: 2 }], 3)
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
