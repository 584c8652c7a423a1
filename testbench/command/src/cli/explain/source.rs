//! Where in the RTL a difference comes about: file and line.

use std::cmp::Reverse;

use bodies::Sources;
use cosim::Mismatch;
use cosim::deviation::Deviation;
use cosim::inspect::Inspected;
use cosim::registers::model_name;

use super::super::files_of_rtl::{lines, shown};
use super::changes::{self, Hunk};
use super::line;
use super::origin::{self, Origin};
use super::rtl::{Assignment, Place, Rtl};
use super::rules::stem;
use super::tags;

/// Changes that are listed.
const MOST_CHANGES: usize = 5;

/// Shows which line assigns what differs first, and before it which lines the user has changed.
/// Returns the keys of the tags there, the likeliest first.
pub fn report(mismatch: &Mismatch, block: &str, deviation: Option<&Deviation>) -> Vec<String> {
    let Ok(sources) = Sources::current() else { return Vec::new() };
    let mut hunks = changes::of_block(&sources, block);
    let rtl = Rtl::of_block(&sources, block);
    let place = rtl.as_ref().and_then(|rtl| {
        let found = found(rtl, mismatch, block);
        likeliest(rtl, &found, &hunks)
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
        line("source", &shown(&sources, block, &place.path, place.line, code(&text)));
    }
    let mut keys = Vec::new();
    let built_in = Rtl::of_block(&Sources::built_in(), block);
    if let (Some(deviation), Some(rtl)) = (deviation, &built_in) {
        keys = report_deviation(rtl, deviation, block);
    }
    if let Some(rtl) = rtl.filter(|_| hunks.len() <= MOST_CHANGES) {
        let tags = |hunk: &Hunk| tags::nearest(rtl.lines(&hunk.path), hunk.line);
        keys.extend(hunks.iter().flat_map(tags));
        keys.extend(keys_of(&rtl, mismatch, block));
    }
    if let Some(rtl) = built_in.filter(|_| !hunks.is_empty()) {
        keys.extend(keys_of(&rtl, mismatch, block));
    }
    keys
}

/// Shows at which signal the insides begin to differ from those of the RTL in this program, and
/// what assigns it there. Returns the keys of the tags of that.
fn report_deviation(rtl: &Rtl, deviation: &Deviation, block: &str) -> Vec<String> {
    let Deviation { cycle, is_first_seen, .. } = deviation;
    let origins = origin::of_deviation(rtl, block, deviation);
    if let Some(Origin { signal, assignment: Assignment { place, .. } }) = origins.first() {
        let or_earlier = if *is_first_seen { " or earlier" } else { "" };
        let text = rtl.lines(&place.path).get(place.line - 1).map_or("", |line| code(line));
        let Place { path, line: number } = place;
        let what =
            format!("{signal} is the first signal that differs from that of the RTL in duet");
        line(
            "inside",
            &format!("{what}, from cycle {cycle}{or_earlier} on: {path}:{number}: {text}"),
        );
    }
    let keys = origins.iter().flat_map(|origin| {
        let path = origin.signal.split('.');
        keys_at(rtl, block, &origin.assignment.place, path)
    });
    keys.collect()
}

/// The keys of the tags about a place, else about the instance that it is in.
fn keys_at<'a>(
    rtl: &Rtl,
    block: &str,
    place: &Place,
    path: impl Iterator<Item = &'a str>,
) -> Vec<String> {
    let places = [place.clone()].into_iter().chain(rtl.instances(block, path));
    let mut keys = places.map(|place| tags::nearest(rtl.lines(&place.path), place.line));
    keys.find(|keys| !keys.is_empty()).unwrap_or_default()
}

/// The keys of the tags about what assigns the registers that differ first, else the port.
fn keys_of(rtl: &Rtl, mismatch: &Mismatch, block: &str) -> Vec<String> {
    let registers = mismatch.first.iter().flat_map(|first| &first.registers);
    let paths: Vec<_> = registers.filter_map(|(name, ..)| path_of(mismatch, name)).collect();
    let assigned = paths.iter().flat_map(|path| {
        rtl.register(block, path).into_iter().map(|assignment| (*path, assignment))
    });
    let assigned: Vec<_> = assigned.collect();
    let of_port = mismatch.differences.first().filter(|_| assigned.is_empty());
    let of_port = of_port.into_iter().flat_map(|first| {
        rtl.output(block, &first.field).into_iter().map(|assignment| ("", assignment))
    });
    let all = assigned.into_iter().chain(of_port);
    all.flat_map(|(path, a)| keys_at(rtl, block, &a.place, path.split('.'))).collect()
}

/// A line without its comment.
fn code(line: &str) -> &str {
    line.split("//").next().unwrap_or_default().trim()
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
