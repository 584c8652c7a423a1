//! The rules of a block's README: that a tag of the RTL names, or that speak of a port or a
//! register.

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

/// Of a heading, the beginning: the section of the numbered rules.
const NUMBERED: &str = "Cycle rules";

/// A statement of a README: an entry of a list, a row of a table, or a paragraph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The headings that it stands under.
    pub section: String,
    /// Its line, from 1.
    pub line: usize,
    /// What it says, in one line.
    pub text: String,
    /// It stands under the numbered rules.
    is_numbered: bool,
    /// It belongs to the list or the table of another.
    is_nested: bool,
}

/// All statements of a README.
fn statements(readme: &str) -> Vec<Rule> {
    let mut found: Vec<Rule> = Vec::new();
    let (mut section, mut is_numbered) = (String::new(), false);
    let (mut in_code, mut open) = (false, false);
    for (number, raw) in readme.lines().enumerate() {
        let text = raw.trim();
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
            is_numbered = section.starts_with(NUMBERED) || is_numbered && name.starts_with('#');
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
                let (section, line, text) = (section.clone(), number + 1, text.to_string());
                let is_nested = raw.starts_with(' ') && (is_entry || is_row);
                found.push(Rule { section, line, text, is_numbered, is_nested });
            }
        }
        open = !is_row;
    }
    found
}

/// The statement that a tag names, and what its list or table has: `7`, the entry of this number
/// under `Cycle rules`; `States IDLE`, of a section the first statement that begins with a text, or
/// else has it; `Errors`, the first of a section.
pub fn named(readme: &str, key: &str) -> Option<(Rule, Vec<Rule>)> {
    let all = statements(readme);
    let at = match key.parse::<u32>() {
        Ok(number) => {
            all.iter().position(|rule| rule.is_numbered && number_of(&rule.text) == Some(number))
        }
        Err(_) => in_section(&all, key),
    }?;
    let nested = match all[at].text.ends_with(':') {
        true => all[at + 1..].iter().take_while(|rule| rule.is_nested).cloned().collect(),
        false => Vec::new(),
    };
    Some((all[at].clone(), nested))
}

/// The statement that a heading's first words, and a text in its section, name.
fn in_section(all: &[Rule], key: &str) -> Option<usize> {
    let words: Vec<_> = key.split_whitespace().collect();
    let common = |rule: &Rule| {
        let heading = rule.section.split_whitespace();
        heading.zip(&words).take_while(|(heading, word)| heading == *word).count()
    };
    let most = all.iter().map(common).max().filter(|most| *most > 0)?;
    let section = &all.iter().find(|rule| common(rule) == most)?.section;
    let text = words[most..].join(" ");
    let find = |is_it: &dyn Fn(String) -> bool| {
        all.iter().position(|rule| rule.section == *section && is_it(plain(&rule.text)))
    };
    find(&|of_rule| of_rule.starts_with(&text)).or_else(|| find(&|of_rule| of_rule.contains(&text)))
}

/// A statement without the marks of Markdown.
fn plain(text: &str) -> String {
    let text = text.strip_prefix("- ").unwrap_or(text).replace(['`', '*', '\\'], "");
    text.replace('|', " ").split_whitespace().collect::<Vec<_>>().join(" ")
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
    fn a_tag_names_a_rule_by_its_number_or_its_section() {
        let readme = "\
# block

1. no rule

## Cycle rules where the paper is silent

The paper holds.

1. `a` is b:

   - if c

   | of | a table |
   |---|---|
   | d | e |

2. f

### More

3. g

## States

| State | To |
|---|---|
| IDLE | `RUN` |
| RUN | IDLE |

1. none
";
        let line = |key: &str| named(readme, key).map(|(rule, nested)| (rule.line, nested.len()));
        for (key, expected) in [
            ("1", Some((9, 3))),
            ("2", Some((17, 0))),
            ("3", Some((21, 0))),
            ("4", None),
            ("Cycle rules", Some((7, 0))),
            ("Cycle rules 2. f", Some((17, 0))),
            ("States", Some((25, 0))),
            ("States IDLE", Some((27, 0))),
            ("States RUN", Some((28, 0))),
            ("States none", Some((30, 0))),
            ("States DONE", None),
            ("Errors", None),
        ] {
            assert_eq!(line(key), expected, "{key}");
        }
    }

    #[test]
    fn a_rule_has_all_its_lines() {
        let [rule] = &find("drain_ready")[..] else { panic!("one rule") };
        assert_eq!(rule.text, "1. `drain_ready_o` = nothing is held, or the last run leaves.");
        assert_eq!(find("nothing_of_it"), []);
    }
}
