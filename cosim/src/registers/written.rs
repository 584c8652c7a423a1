//! The names that SystemVerilog assigns in `always_ff`, whatever they end in.

use std::collections::HashSet;

/// Words that begin an item of a module: an `always_ff` has ended by then.
const ITEMS: [&str; 9] = [
    "always_ff",
    "always_comb",
    "always_latch",
    "always",
    "assign",
    "initial",
    "final",
    "function",
    "endmodule",
];

/// Adds the names that this text assigns.
pub fn add(text: &str, names: &mut HashSet<String>) {
    let text = without_comments(text);
    let tokens = tokens(&text);
    let mut rest = &tokens[..];
    while let Some(at) = rest.iter().position(|token| *token == "always_ff") {
        rest = &rest[at + 1..];
        let end = rest.iter().position(|token| ITEMS.contains(token)).unwrap_or(rest.len());
        assigned(&rest[..end], names);
    }
}

/// The targets of the nonblocking assignments among these tokens.
fn assigned(tokens: &[&str], names: &mut HashSet<String>) {
    // Whether a statement can begin here, and whether this one has had its assignment. In
    // parentheses and indices `<=` compares.
    let (mut is_start, mut has_target, mut depth) = (false, false, 0);
    for (at, token) in tokens.iter().enumerate() {
        if is_start && !has_target {
            let targets = targets(&tokens[at..]);
            has_target = !targets.is_empty();
            names.extend(targets.into_iter().map(String::from));
        }
        match *token {
            "(" | "[" => depth += 1,
            ")" | "]" => depth -= 1,
            ";" | "begin" | "end" => has_target = false,
            _ => {}
        }
        is_start = depth == 0 && matches!(*token, ";" | "begin" | "end" | "else" | ")" | ":");
    }
}

/// The names that an assignment at the beginning of these tokens writes; none where there is none.
fn targets<'a>(tokens: &[&'a str]) -> Vec<&'a str> {
    let (mut names, mut brackets, mut braces, mut is_field) = (Vec::new(), 0, 0, false);
    for token in tokens {
        match *token {
            "[" => brackets += 1,
            "]" => brackets -= 1,
            _ if brackets > 0 => {}
            "{" => braces += 1,
            "}" => braces -= 1,
            "," if braces > 0 => {}
            "." => {
                is_field = true;
                continue;
            }
            "<=" if braces == 0 => return names,
            word if word.starts_with(|c: char| c.is_alphabetic() || c == '_') => {
                if !is_field {
                    names.push(word);
                }
                if names.len() > 1 && braces == 0 {
                    return Vec::new();
                }
            }
            _ => return Vec::new(),
        }
        is_field = false;
    }
    Vec::new()
}

fn without_comments(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("//").into_iter().chain(rest.find("/*")).min() {
        kept.push_str(&rest[..at]);
        kept.push(' ');
        let (end, length) = if rest[at..].starts_with("//") { ("\n", 0) } else { ("*/", 2) };
        rest = rest[at + 2..].find(end).map_or("", |to| &rest[at + 2 + to + length..]);
    }
    kept + rest
}

/// Words, `<=`, and all other characters one by one.
fn tokens(text: &str) -> Vec<&str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            first if is_word(first) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            _ if rest.starts_with("<=") => 2,
            first => first.len_utf8(),
        };
        let (token, after) = rest.split_at(length);
        found.push(token);
        rest = after.trim_start();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_of_nonblocking_assignments_are_found() {
        let text = "
            module m (input logic clk_i, output logic pop_o);
              logic [3:0] count, next, old, a, b, state, c, x, wide; // always_ff never <= 1;
              always_comb begin next = (count <= 3) ? 1 : x; end
              always_ff @(posedge clk_i or negedge rst_ni) begin : main
                if (!rst_ni) count <= '0;
                else if (next <= old) begin
                  count <= next; /* hidden <= 1; */
                  memory[count <= 2 ? 0 : 1].valid[3] <= x <= c;
                  {a, b[1:0]} <= {c, x};
                end
                for (int i = 0; i <= 3; i++) part[i] <= c[i];
                case (x) 0: state.part <= c ? x : wide <= old; default: ; endcase
              end
              always_ff @(posedge clk_i) if (x) old <= count; else pop_o <= 1'b1;
              child u_child (.x_i(x <= c), .y_i(wide));
              assign wide = x <= c;
            endmodule";
        let mut names = HashSet::new();
        add(text, &mut names);
        let mut names: Vec<_> = names.into_iter().collect();
        names.sort();
        assert_eq!(names, ["a", "b", "count", "memory", "old", "part", "pop_o", "state"]);
    }
}
