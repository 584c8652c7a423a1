//! Which statement of the RTL a deviation begins at: a signal that differs though all that it is
//! made of agrees.

use std::cmp::Reverse;
use std::collections::HashSet;

use cosim::deviation::Deviation;

use super::active::{Scope, Values};
use super::rtl::{Assignment, Rtl, without_indices, words};
use super::tags;

/// A signal of an instance.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Node {
    /// The path of the instance as the trace has it, with a dot behind it; empty at the top.
    prefix: String,
    /// Path of the instance, without scopes of `generate`.
    instance: Vec<String>,
    /// The block, and the modules of these instances.
    modules: Vec<String>,
    /// The signal, with its fields.
    name: String,
}

impl Node {
    fn module(&self) -> &str {
        self.modules.last().map_or("", String::as_str)
    }

    fn path(&self) -> String {
        let names = self.instance.iter().chain([&self.name]);
        names.map(String::as_str).collect::<Vec<_>>().join(".")
    }

    /// The signal without its fields.
    fn base(&self) -> &str {
        self.name.split('.').next().unwrap_or(&self.name)
    }
}

/// A statement that makes a signal differ.
pub struct Origin {
    /// The signal's path.
    pub signal: String,
    pub assignment: Assignment,
}

/// The statements that make the signals of a block deviate, the likeliest first: those of signals
/// whose sources agree. Of several that assign a signal the one that is in force comes first.
pub fn of_deviation(rtl: &Rtl, block: &str, deviation: &Deviation) -> Vec<Origin> {
    let paths = &deviation.signals;
    let nodes: Vec<_> = paths.iter().filter_map(|path| node(rtl, block, path)).collect();
    let differing: HashSet<_> =
        nodes.iter().map(|node| (node.instance.clone(), node.base().to_string())).collect();
    let differs = |instance: &[String], base: &str| {
        differing.contains(&(instance.to_vec(), base.to_string()))
    };
    let (registers, others): (Vec<_>, Vec<_>) =
        nodes.iter().partition(|node| node.base().ends_with("_q"));
    let of_node = |node: &Node, assignments: Vec<Assignment>, values: &Values| {
        let scope = Scope { rtl, values, prefix: node.prefix.clone() };
        let is_active = |a: &Assignment| scope.is_active(&a.place.path, a.place.line);
        let mut ranked: Vec<_> = assignments.into_iter().map(|a| (is_active(&a), a)).collect();
        // The last one that is in force holds. Where a register would be left as it is, another
        // statement has acted.
        ranked.sort_by_key(|(is_active, a)| match (a.is_hold, is_active) {
            (false, Some(true)) => (0, Reverse(a.place.line)),
            (false, None) => (1, Reverse(0)),
            (false, Some(false)) => (2, Reverse(0)),
            (true, _) => (3, Reverse(0)),
        });
        let signal = node.path();
        let origins = ranked.into_iter();
        origins.map(move |(_, assignment)| Origin { signal: signal.clone(), assignment })
    };
    let of_registers = || {
        let origins = registers.iter().flat_map(|node| {
            of_node(node, rtl.register(node.module(), &node.name), &deviation.before)
        });
        origins.collect()
    };
    // What differs in a register has come about before the edge.
    if !deviation.is_first_seen && !registers.is_empty() {
        return of_registers();
    }
    let origins = others.iter().flat_map(|node| {
        let drivers = drivers(rtl, node);
        let begins = !drivers.iter().any(|driver| driver.reads(rtl, node, &differs));
        let drivers = drivers.into_iter().filter(|_| begins).map(|driver| driver.assignment);
        of_node(node, drivers.collect(), &deviation.values)
    });
    let origins: Vec<_> = origins.collect();
    if origins.is_empty() { of_registers() } else { origins }
}

/// What gives a signal its value.
struct Driver {
    assignment: Assignment,
    source: Source,
}

enum Source {
    /// A statement of the same instance.
    Here,
    /// An instance below, through its port.
    Below { instance: String, port: String },
    /// The instance around, through the port that it is: what is connected to it.
    Around { connected: String },
}

impl Driver {
    fn reads(&self, rtl: &Rtl, node: &Node, differs: &impl Fn(&[String], &str) -> bool) -> bool {
        match &self.source {
            Source::Below { instance, port } => {
                let below: Vec<_> = node.instance.iter().chain([instance]).cloned().collect();
                differs(&below, port)
            }
            Source::Around { connected } => {
                let around = &node.instance[..node.instance.len() - 1];
                words(connected).any(|word| differs(around, word))
            }
            Source::Here => {
                let lines = rtl.lines(&self.assignment.place.path);
                let enclosing = tags::enclosing(lines, self.assignment.place.line);
                let code = |line: &usize| lines[line - 1].split("//").next().unwrap_or_default();
                // The head of a module has ports and no condition.
                let heads = enclosing.iter().map(code).filter(|text| !text.starts_with("module"));
                let conditions = heads.flat_map(words);
                let mut read = self.assignment.names().chain(conditions);
                read.any(|word| word != node.base() && differs(&node.instance, word))
            }
        }
    }
}

/// The signal of a path such as `gen_sm[3].u_fifo.head_o.addr`.
fn node(rtl: &Rtl, block: &str, path: &str) -> Option<Node> {
    let (instance, modules) = (Vec::new(), vec![block.to_string()]);
    let mut node = Node { prefix: String::new(), instance, modules, name: String::new() };
    let mut parts = path.split('.').peekable();
    while let Some(part) = parts.peek() {
        let name = part.split('[').next().unwrap_or(part);
        match rtl.module_of(node.module(), name).map(str::to_string) {
            Some(module) => {
                node.instance.push(name.to_string());
                node.modules.push(module);
            }
            None if name.starts_with("gen_") => {}
            None => break,
        }
        node.prefix += part;
        node.prefix.push('.');
        parts.next();
    }
    node.name = without_indices(&parts.collect::<Vec<_>>().join("."));
    (!node.name.is_empty()).then_some(node)
}

fn drivers(rtl: &Rtl, node: &Node) -> Vec<Driver> {
    let own = rtl.driven(node.module(), &node.name).into_iter().map(|(assignment, below)| {
        let source = match below {
            Some((instance, port)) => Source::Below { instance, port },
            None => Source::Here,
        };
        Driver { assignment, source }
    });
    let mut found: Vec<_> = own.collect();
    if let (true, Some(instance), [.., around, _]) =
        (found.is_empty(), node.instance.last(), &node.modules[..])
    {
        let connected = rtl.connected(around, instance, node.base());
        found.extend(connected.map(|(assignment, connected)| Driver {
            assignment,
            source: Source::Around { connected },
        }));
    }
    found
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use bodies::Source;

    use super::*;

    const TOP: &str = "\
module m (input logic go_i);
  logic busy_d, busy_q;
  logic [1:0] head, sum_d, sum_q;
  gen_part u_none ();
  p #(
    .A(1)
  ) u_p (
    .in_i (go_i && ready),
    .out_o(head)
  );
  always_comb begin
    sum_d = sum_q;
    if (go_i) sum_d = head;
    if (busy_q) begin
      sum_d = '0;
    end
  end
  always_ff @(posedge clk_i) sum_q <= sum_d;
endmodule
";
    const PART: &str = "\
module p (input logic in_i, output logic [1:0] out_o);
  logic inner;
  assign inner = in_i;
  assign out_o = {inner, in_i};
endmodule
";

    /// The signal, file and line of the origins where these signals deviate.
    fn origins(signals: &[&str], values: &[(&str, &str)], is_first_seen: bool) -> Vec<String> {
        let files = [("m/m.sv", TOP), ("m/p.sv", PART)];
        let files = files.map(|(path, text)| Source { path: path.into(), content: text.into() });
        let held = values.iter().map(|(name, bits)| (name.to_string(), bits.as_bytes().to_vec()));
        let deviation = Deviation {
            cycle: 3,
            is_first_seen,
            signals: signals.iter().map(|signal| signal.to_string()).collect(),
            values: held.clone().collect(),
            before: if is_first_seen { HashMap::new() } else { held.collect() },
        };
        let found = of_deviation(&Rtl::of_files(&files), "m", &deviation);
        let found =
            found.into_iter().map(|Origin { signal, assignment: Assignment { place, .. } }| {
                format!("{signal} {}:{}", place.path, place.line)
            });
        found.collect()
    }

    #[test]
    fn a_deviation_begins_where_all_sources_agree() {
        // Behind the port of a part, in the part, and at what is connected to it.
        let all = ["head", "u_p.out_o", "sum_d"];
        assert_eq!(origins(&all, &[], true), ["u_p.out_o m/p.sv:4"]);
        let all = ["head", "u_p.out_o", "u_p.inner", "sum_d"];
        assert_eq!(origins(&all, &[], true), ["u_p.inner m/p.sv:3"]);
        let all = ["head", "u_p.out_o", "u_p.inner", "u_p.in_i"];
        assert_eq!(origins(&all, &[], true), ["u_p.in_i m/m.sv:5"]);
        assert_eq!(origins(&["head", "sum_d"], &[], true), ["head m/m.sv:5"]);
    }

    #[test]
    fn the_statement_in_force_comes_first_and_one_that_holds_last() {
        for (values, expected) in [
            ([("go_i", "1"), ("busy_q", "0")], [13, 15, 12]),
            ([("go_i", "1"), ("busy_q", "1")], [15, 13, 12]),
            ([("go_i", "0"), ("busy_q", "0")], [13, 15, 12]),
        ] {
            let expected = expected.map(|line| format!("sum_d m/m.sv:{line}"));
            assert_eq!(origins(&["sum_d"], &values, true), expected, "{values:?}");
        }
    }

    #[test]
    fn a_register_deviates_by_what_was_in_force_before_the_edge() {
        let values = [("go_i", "1"), ("busy_q", "1")];
        let found = origins(&["sum_q", "sum_d"], &values, false);
        let expected = [15, 13, 12, 18].map(|line| format!("sum_q m/m.sv:{line}"));
        assert_eq!(found, expected);
    }
}
