//! Where in the RTL a difference comes about: file and line.

use std::cmp::Reverse;

use bodies::Sources;
use cosim::Mismatch;
use cosim::inspect::Inspected;
use cosim::registers::model_name;

use super::super::files_of_rtl::{lines, shown};
use super::changes::{self, Hunk};
use super::line;
use super::rtl::{Assignment, Place, Rtl};
use super::rules::stem;

/// Changes that are listed.
const MOST_CHANGES: usize = 5;

/// Shows which line assigns what differs first, and before it which lines the user has changed.
pub fn tell(mismatch: &Mismatch, block: &str) {
    let Ok(sources) = Sources::current() else { return };
    let mut hunks = changes::of_block(&sources, block);
    let place = Rtl::of_block(&sources, block).and_then(|rtl| {
        let found = found(&rtl, mismatch, block);
        likeliest(&rtl, &found, &hunks)
    });
    sort(&mut hunks, &names(mismatch), place.as_ref());
    for (i, hunk) in hunks.iter().take(MOST_CHANGES).enumerate() {
        let label = if i == 0 { "changed" } else { "" };
        line(label, &shown(&sources, block, &hunk.path, hunk.line, &hunk.text()));
    }
    if hunks.len() > MOST_CHANGES {
        line("", &format!("and {} more", hunks.len() - MOST_CHANGES));
    }
    if let Some(place) = place {
        let text = lines(&sources, block, &place.path).and_then(|l| l.get(place.line - 1).cloned());
        let text = text.unwrap_or_default();
        line("source", &shown(&sources, block, &place.path, place.line, text.trim()));
    }
}

/// What assigns each register that differs first, or the port's field where none does.
fn found(rtl: &Rtl, mismatch: &Mismatch, block: &str) -> Vec<Vec<Assignment>> {
    let registers = mismatch.first.iter().flat_map(|first| &first.registers);
    let paths = registers.filter_map(|(name, ..)| path_of(mismatch, name));
    let mut found: Vec<_> = paths.map(|path| rtl.register(block, path)).collect();
    found.retain(|assignments| !assignments.is_empty());
    if let (true, Some(first)) = (found.is_empty(), mismatch.differences.first()) {
        found.push(rtl.output(block, &first.field));
    }
    found
}

/// Where the difference comes about, in view of what is changed: an assignment that is, else what
/// one reads, else the first assignment. The assignments of each signal are in order.
fn likeliest(rtl: &Rtl, found: &[Vec<Assignment>], hunks: &[Hunk]) -> Option<Place> {
    let is_changed = |assignment: &&Assignment| {
        hunks.iter().any(|hunk| hunk.is_in(&assignment.place.path, &assignment.lines))
    };
    let all = || found.iter().flatten();
    if let Some(assignment) = all().find(is_changed) {
        return Some(assignment.place.clone());
    }
    if !hunks.is_empty() {
        let sources = all().flat_map(|assignment| rtl.sources(assignment));
        if let Some(source) = sources.into_iter().find(|source| is_changed(&source)) {
            return Some(source.place);
        }
    }
    all().next().map(|assignment| assignment.place.clone())
}

/// The RTL's path of a register that both implementations have.
fn path_of<'a>(mismatch: &'a Mismatch, name: &str) -> Option<&'a str> {
    let Some(Inspected::Registers { rtl, .. }) = &mismatch.inside else { return None };
    rtl.iter().map(|(path, _)| path.as_str()).find(|path| model_name(path) == name)
}

/// What the RTL may call what differs first: a register, or a port and its field.
fn names(mismatch: &Mismatch) -> Vec<String> {
    let registers: Vec<_> = mismatch.first.iter().flat_map(|first| &first.registers).collect();
    let paths = registers.iter().filter_map(|(name, ..)| name.rsplit('.').next());
    let ports = mismatch.differences.first().filter(|_| registers.is_empty());
    let ports = ports.iter().flat_map(|first| first.field.split('.'));
    paths.chain(ports).map(|name| stem(name.split('[').next().unwrap_or(name))).collect()
}

/// The nearest first: those that name what differs, then those of the file of `place`.
fn sort(hunks: &mut [Hunk], names: &[String], place: Option<&Place>) {
    hunks.sort_by_cached_key(|hunk| {
        let names_it = names.iter().any(|name| hunk.names(name));
        let is_in_file = place.is_some_and(|place| place.path == hunk.path);
        Reverse((names_it, is_in_file))
    });
}

#[cfg(test)]
mod tests {
    use bodies::Source;

    use super::changes::hunks;
    use super::*;

    const BEFORE: &str = "\
module m (input logic clk_i, input logic rst_ni);
  logic [3:0] step;
  assign step = big_i ? 4'd2 : 4'd1;
  always_comb begin
    sum_d = sum_q;
    if (add_i) sum_d = sum_q + step;
    if (clear_i)
      sum_d = '0;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      sum_q <= '0;
    end else begin
      sum_q <= sum_d;
    end
  end
  assign ready_o = !full_i;
endmodule
";

    /// The line that is named for `sum_q` in a text, and the order of the changes.
    fn told(now: &str) -> (usize, Vec<usize>) {
        let source = Source { path: "m/m.sv".into(), content: now.as_bytes().to_vec() };
        let rtl = Rtl::of_files(&[source]);
        let mut hunks = hunks("m/m.sv", now, BEFORE);
        let place = likeliest(&rtl, &[rtl.register("m", "sum_q")], &hunks).expect("a place");
        sort(&mut hunks, &["sum".to_string()], Some(&place));
        (place.line, hunks.iter().map(|hunk| hunk.line).collect())
    }

    #[test]
    fn source_is_an_assignment_that_is_changed_or_what_it_reads() {
        for (old, new, expected) in [
            // Nothing: the first that does more than hold.
            ("", "", (6, vec![])),
            ("sum_d = '0;", "sum_d = 4'd1;", (8, vec![8])),
            // A condition before it.
            ("if (clear_i)", "if (clear_i && add_i)", (8, vec![7])),
            ("    if (clear_i)\n", "", (7, vec![7])),
            ("sum_d = sum_q;", "sum_d = '0;", (5, vec![5])),
            ("sum_q <= sum_d", "sum_q <= sum_d + 1", (14, vec![14])),
            ("4'd2 : 4'd1", "4'd3 : 4'd1", (3, vec![3])),
            // The reset and what has nothing to do with it say nothing.
            ("sum_q <= '0", "sum_q <= '1", (6, vec![12])),
            ("!full_i", "full_i", (6, vec![17])),
        ] {
            assert_eq!(told(&BEFORE.replacen(old, new, 1)), expected, "{new}");
        }
    }

    #[test]
    fn changes_that_name_what_differs_come_first() {
        let now = BEFORE.replace("4'd2", "4'd3").replace("!full_i", "full_i");
        let now = now.replace("sum_q <= sum_d", "sum_q <= sum_d + 1");
        assert_eq!(told(&now), (14, vec![14, 3, 17]));
        let mut all = hunks("a/a.sv", "other;\n", "");
        all.extend(hunks("m/m.sv", &now, BEFORE));
        all.extend(hunks("z/z.sv", "x <= sum_q;\n", ""));
        let place = Place { path: "m/m.sv".into(), line: 14 };
        sort(&mut all, &["sum".to_string()], Some(&place));
        let order: Vec<_> = all.iter().map(|hunk| (&hunk.path[..1], hunk.line)).collect();
        assert_eq!(order, [("m", 14), ("z", 1), ("m", 3), ("m", 17), ("a", 1)]);
    }
}
