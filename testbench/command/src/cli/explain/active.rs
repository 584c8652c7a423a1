//! Which of several statements of a process is in force, by what the signals hold: conditions of
//! the RTL are evaluated as far as they are made of signals, constants and common operators.

use std::collections::HashMap;

use super::rtl::Rtl;
use super::tags;

/// Bits of a signal as characters, highest first, by its path.
pub type Values = HashMap<String, Vec<u8>>;

/// What an instance's signals hold.
pub struct Scope<'a> {
    pub rtl: &'a Rtl,
    pub values: &'a Values,
    /// The path of the instance, with a dot behind it; empty at the top.
    pub prefix: String,
}

impl Scope<'_> {
    /// Whether the conditions about a line of a file hold; none where that is not known.
    pub fn is_active(&self, path: &str, line: usize) -> Option<bool> {
        let lines = self.rtl.lines(path);
        let code = |line: usize| lines[line - 1].split("//").next().unwrap_or_default();
        let mut heads = vec![line];
        heads.extend(tags::enclosing(lines, line));
        let mut all = Some(true);
        // The indent of the branch that was looked at last: heads of its chain do not hold.
        let mut chain = None;
        for (at, &head) in heads.iter().enumerate() {
            let text = code(head);
            let indent = text.len() - text.trim_start().len();
            let holds = match chain == Some(indent) {
                true => self.condition(text).map(|holds| !holds),
                false => {
                    let around = heads[at + 1..].iter().map(|&line| code(line));
                    self.branch(text, around)
                }
            };
            let goes_on = text.trim_start().trim_start_matches("end").trim_start();
            chain = goes_on.starts_with("else").then_some(indent);
            match holds {
                Some(false) => return Some(false),
                Some(true) => {}
                None => all = None,
            }
        }
        all
    }

    /// Whether the branch that a line begins is taken, its own conditions alone.
    fn branch<'t>(&self, text: &str, mut around: impl Iterator<Item = &'t str>) -> Option<bool> {
        let label = text.trim().split_once(": ").or(text.trim().split_once(":"));
        let label = label.filter(|(label, _)| {
            label.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == ',' || c == ' ')
                && *label != "begin"
        });
        let (label, rest) = match label {
            Some((label, rest)) if !text.contains("begin :") => (Some(label), rest),
            _ => (None, text),
        };
        let is_selected = match label {
            None => Some(true),
            Some("default") => None,
            Some(labels) => {
                let case = around.find(|text| text.contains("case ("))?;
                let selector = self.evaluate(case.split_once("case ")?.1)?;
                let values = labels.split(',').map(|label| self.evaluate(label));
                let values: Option<Vec<_>> = values.collect();
                values.map(|values| values.contains(&selector))
            }
        };
        match (is_selected, self.condition(rest)) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), holds) => holds,
            (None, _) => None,
        }
    }

    /// The condition of a line's `if`; true without one.
    fn condition(&self, text: &str) -> Option<bool> {
        match text.split_once("if (") {
            Some((_, condition)) => Some(self.evaluate(&format!("({condition}"))? != 0),
            None => Some(true),
        }
    }

    /// The value of the expression with which a text begins.
    fn evaluate(&self, text: &str) -> Option<u64> {
        Parser { scope: self, rest: text }.operators(0)
    }

    fn value(&self, name: &str) -> Option<u64> {
        let number = |bits: &[u8]| {
            let bits = std::str::from_utf8(bits).ok()?;
            u64::from_str_radix(bits, 2).ok()
        };
        match self.values.get(&format!("{}{name}", self.prefix)) {
            Some(bits) => number(bits),
            None => self.rtl.constant(name),
        }
    }
}

/// Binary operators, those that bind least first.
const OPERATORS: [&[&str]; 5] =
    [&["||"], &["&&"], &["==", "!="], &["<=", ">=", "<", ">"], &["+", "-"]];

struct Parser<'a, 's> {
    scope: &'a Scope<'s>,
    rest: &'a str,
}

impl Parser<'_, '_> {
    /// Of these operators and those that bind more.
    fn operators(&mut self, level: usize) -> Option<u64> {
        let Some(here) = OPERATORS.get(level) else { return self.operand() };
        let mut left = self.operators(level + 1);
        loop {
            self.rest = self.rest.trim_start();
            let Some(operator) = here.iter().find(|o| self.rest.starts_with(**o)) else {
                return left;
            };
            self.rest = &self.rest[operator.len()..];
            let right = self.operators(level + 1);
            left = match (*operator, left, right) {
                ("||", Some(a), Some(b)) => Some(u64::from(a != 0 || b != 0)),
                ("||", Some(a), _) | ("||", _, Some(a)) if a != 0 => Some(1),
                ("&&", Some(a), Some(b)) => Some(u64::from(a != 0 && b != 0)),
                ("&&", Some(0), _) | ("&&", _, Some(0)) => Some(0),
                ("==", Some(a), Some(b)) => Some(u64::from(a == b)),
                ("!=", Some(a), Some(b)) => Some(u64::from(a != b)),
                ("<", Some(a), Some(b)) => Some(u64::from(a < b)),
                ("<=", Some(a), Some(b)) => Some(u64::from(a <= b)),
                (">", Some(a), Some(b)) => Some(u64::from(a > b)),
                (">=", Some(a), Some(b)) => Some(u64::from(a >= b)),
                ("+", Some(a), Some(b)) => a.checked_add(b),
                ("-", Some(a), Some(b)) => a.checked_sub(b),
                _ => None,
            };
        }
    }

    fn operand(&mut self) -> Option<u64> {
        self.rest = self.rest.trim_start();
        if let Some(rest) = self.rest.strip_prefix('!') {
            self.rest = rest;
            return self.operand().map(|value| u64::from(value == 0));
        }
        if let Some(rest) = self.rest.strip_prefix('(') {
            self.rest = rest;
            let value = self.operators(0);
            self.rest = self.rest.trim_start();
            let Some(rest) = self.rest.strip_prefix(')') else {
                // Something that is not understood: up to the bracket that closes this one.
                let mut depth = 1;
                let end = self.rest.find(|c| {
                    depth += i32::from(c == '(') - i32::from(c == ')');
                    depth == 0
                });
                self.rest = end.map_or("", |end| &self.rest[end + 1..]);
                return None;
            };
            self.rest = rest;
            return value;
        }
        let is_part = |c: char| c.is_ascii_alphanumeric() || "_.'[]$".contains(c);
        let end = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        if word.ends_with('\'') && self.rest.starts_with('(') {
            // A cast.
            return self.operand();
        }
        if self.rest.starts_with('(') {
            self.operand();
            return None;
        }
        literal(word).or_else(|| self.scope.value(word))
    }
}

/// A number of the RTL such as `5`, `'0`, `2'd1`, `1'b0`.
pub fn literal(word: &str) -> Option<u64> {
    let Some((_, digits)) = word.split_once('\'') else { return word.parse().ok() };
    let (base, digits) = digits.split_at_checked(1)?;
    let radix = match base {
        "0" => return Some(0),
        "b" => 2,
        "d" => 10,
        "h" => 16,
        _ => return None,
    };
    u64::from_str_radix(&digits.replace('_', ""), radix).ok()
}

#[cfg(test)]
mod tests {
    use bodies::Source;

    use super::*;

    const RTL: &str = "\
module m;
  typedef enum logic [1:0] {StIdle, StRun, StEnd} state_e;
  localparam logic [2:0] OpLd = 3'd5;
  always_comb begin : next
    state_d = state_q;
    unique case (state_q)
      StIdle: if (go) state_d = StRun;
      StRun, StEnd: begin
        if (32'(count) >= 3 && !hold) begin
          state_d = StEnd;
        end else if (op == OpLd) begin
          state_d = StIdle;
        end else if (f(x)) state_d = StRun;
      end
      default: state_d = StEnd;
    endcase
  end
endmodule
";

    #[test]
    fn a_statement_is_in_force_where_the_conditions_about_it_hold() {
        let file = Source { path: "m/m.sv".into(), content: RTL.as_bytes().to_vec() };
        let rtl = Rtl::of_files(&[file]);
        // state_q, go, count, hold, op; of the lines 5, 7, 10, 12, 13, 15.
        let (t, f, u) = (Some(true), Some(false), None);
        for (signals, expected) in [
            (["00", "1", "000", "0", "000"], [t, t, f, f, f, u]),
            (["00", "0", "000", "0", "000"], [t, f, f, f, f, u]),
            (["01", "1", "011", "0", "101"], [t, f, t, f, f, u]),
            (["10", "1", "010", "0", "101"], [t, f, f, t, f, u]),
            (["10", "1", "010", "1", "000"], [t, f, f, f, u, u]),
        ] {
            let names = ["state_q", "go", "count", "hold", "op"];
            let signals = names.iter().zip(signals);
            let values = signals.map(|(name, bits)| (format!("u_m.{name}"), bits.into())).collect();
            let scope = Scope { rtl: &rtl, values: &values, prefix: "u_m.".into() };
            let found = [5, 7, 10, 12, 13, 15].map(|line| scope.is_active("m/m.sv", line));
            assert_eq!(found, expected, "{values:?}");
        }
    }

    #[test]
    fn numbers_of_the_rtl_are_read() {
        for (text, value) in [
            ("5", Some(5)),
            ("'0", Some(0)),
            ("2'd1", Some(1)),
            ("4'b1_01", Some(5)),
            ("8'hff", Some(255)),
            ("'1", None),
            ("name", None),
        ] {
            assert_eq!(literal(text), value, "{text}");
        }
    }
}
