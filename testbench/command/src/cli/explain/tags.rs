//! The tags of RTL: comments that end in `rule: KEY; KEY`, each of which names a statement of a
//! README (`rules::named`).
//!
//! A tag at the end of a line is about that line's statement, or about all that the line opens; one
//! in a comment of its own about the statements below it, up to the next blank line. `rtl/tags.py`
//! checks that what they name is there.

const MARK: &str = "rule: ";
/// Lines of a statement behind the first that may have its tag.
const LONGEST: usize = 5;

/// The keys of the tag of a line.
fn keys(line: &str) -> Vec<String> {
    let comment = line.split_once("//").map_or("", |(_, comment)| comment);
    let tag =
        comment.split_once(MARK).filter(|(before, _)| !before.ends_with(char::is_alphanumeric));
    let Some((_, keys)) = tag else { return Vec::new() };
    keys.split(';').map(|key| key.trim().to_string()).collect()
}

/// The keys of the nearest tag about a line, from 1: of its statement, else of what encloses it.
pub fn nearest(lines: &[String], number: usize) -> Vec<String> {
    let Some(line) = number.checked_sub(1).and_then(|at| lines.get(at)) else { return Vec::new() };
    let found = of_statement(&lines[number - 1..]);
    if !found.is_empty() {
        return found;
    }
    let (mut lowest, mut is_together) = (level(line), true);
    for line in lines[..number - 1].iter().rev() {
        if line.trim().is_empty() {
            is_together = false;
        } else if line.trim_start().starts_with("//") {
            let found = keys(line);
            if is_together && indent(line) <= lowest && !found.is_empty() {
                return found;
            }
        } else if indent(line) < lowest {
            let found = keys(line);
            if !found.is_empty() {
                return found;
            }
            (lowest, is_together) = (level(line), true);
        }
    }
    Vec::new()
}

/// The lines that enclose a line, from 1, the nearest first: conditions, loops, the process, the
/// module.
pub fn enclosing(lines: &[String], number: usize) -> Vec<usize> {
    let Some(line) = number.checked_sub(1).and_then(|at| lines.get(at)) else { return Vec::new() };
    let (mut lowest, mut found) = (level(line), Vec::new());
    for (at, line) in lines[..number - 1].iter().enumerate().rev() {
        let is_code = !line.trim().is_empty() && !line.trim_start().starts_with("//");
        if is_code && indent(line) < lowest {
            lowest = level(line);
            found.push(at + 1);
        }
    }
    found
}

/// The keys on the first line, or on the lines that continue its statement.
fn of_statement(lines: &[String]) -> Vec<String> {
    let ends = |line: &str| {
        let code = line.split("//").next().unwrap_or_default().trim_end();
        code.ends_with(';') || code.ends_with("begin") || code.ends_with('(')
    };
    for (at, line) in lines.iter().take(1 + LONGEST).enumerate() {
        if at > 0 && (line.trim().is_empty() || indent(line) <= indent(&lines[0])) {
            break;
        }
        let found = keys(line);
        if !found.is_empty() || ends(line) {
            return found;
        }
    }
    Vec::new()
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Lines of a lower indent enclose this one; the head of what it goes on with does as well.
fn level(line: &str) -> usize {
    let text = line.trim_start();
    let begins = |word: &str| {
        text.strip_prefix(word)
            .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    };
    let goes_on = text.starts_with([')', '(', '#']) || begins("end") || begins("else");
    indent(line) + usize::from(goes_on)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RTL: &str = "\
/// A module.
module m #(  // rule: Cycle rules
  parameter int unsigned A = 1
) (
  input logic a_i
);
  // What is held. rule: 1
  assign b = a_i;
  assign c = a_i
             && b;  // rule: 2

  assign d = a_i;
  always_comb begin : next  // rule: States
    e = '0;
    if (a_i) begin  // not yet; rule: 3; States IDLE
      e = b;
    end else if (b) begin
      e = c;  // overrule: none
    end
    f = b;
  end
  x #(
    .A(1)
  ) u_x (  // rule: 4
    .a_i(b)
  );
endmodule
";

    fn at(text: &str) -> String {
        let lines: Vec<_> = RTL.lines().map(str::to_string).collect();
        let number = lines.iter().position(|line| line.contains(text)).expect("a line") + 1;
        nearest(&lines, number).join("; ")
    }

    #[test]
    fn a_line_has_the_tag_of_its_statement_or_of_what_encloses_it() {
        for (line, expected) in [
            ("assign b", "1"),
            ("assign c", "2"),
            ("&& b;", "2"),
            ("assign d", "Cycle rules"),
            ("e = '0", "States"),
            ("e = b", "3; States IDLE"),
            ("e = c", "3; States IDLE"),
            ("f = b", "States"),
            (".a_i(b)", "4"),
            ("module m", "Cycle rules"),
            ("/// A module", ""),
        ] {
            assert_eq!(at(line), expected, "{line}");
        }
    }

    #[test]
    fn conditions_enclose_a_line() {
        let lines: Vec<_> = RTL.lines().map(str::to_string).collect();
        let number = lines.iter().position(|line| line.contains("e = c")).expect("a line") + 1;
        let found = enclosing(&lines, number);
        assert_eq!(found, [17, 15, 13, 6, 4, 2]);
    }
}
