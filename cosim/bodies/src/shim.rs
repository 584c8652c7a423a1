//! Writes the C++ of a body: the port map, and everything that is compiled with it.

use std::fmt::Write;

use ports::Description;
use ports::Port;

/// Class prefix of a Verilated body.
pub const PREFIX: &str = "Vbody";

/// What is read before Verilator's runtime.
pub const PRELUDE: &str = "verilated_prelude.h";
/// What is read before a body.
pub const ALL: &str = "verilated_all.h";

/// The files that a body is compiled with, by name.
pub const HEADERS: [(&str, &str); 6] = [
    ("body.h", include_str!("bridge/body.h")),
    ("verilated_body.h", include_str!("bridge/verilated_body.h")),
    ("verilated_coverage.h", include_str!("bridge/verilated_coverage.h")),
    ("verilated_runtime.h", include_str!("bridge/verilated_runtime.h")),
    (PRELUDE, include_str!("bridge/verilated_prelude.h")),
    (ALL, include_str!("bridge/verilated_all.h")),
];

/// What is compiled with Verilator's runtime, once for all bodies.
pub const RUNTIME: (&str, &str) =
    ("verilated_runtime.cpp", include_str!("bridge/verilated_runtime.cpp"));

/// One C++ file: the Verilated `classes`, which are files of it, and the port map between an image
/// and a top. In one file the compiler sees all at once, and reads Verilator's headers once.
/// `last_level`: the variable with the clock's last level, where one evaluation makes a cycle.
pub fn shim(block: &Description, classes: &[String], last_level: Option<&str>) -> String {
    let mut cpp = String::from("#include \"verilated_body.h\"\n");
    classes.iter().for_each(|file| writeln!(cpp, "#include \"{file}\"").unwrap());
    cpp.push_str("namespace {\nstruct Ports {\n");
    writeln!(cpp, "  static void drive({PREFIX}& top, const uint32_t* in) {{").unwrap();
    block.inputs.iter().for_each(|p| copy(&mut cpp, p, "drive_port", "in"));
    writeln!(cpp, "  }}\n  static void read(const {PREFIX}& top, uint32_t* out) {{").unwrap();
    block.outputs.iter().for_each(|p| copy(&mut cpp, p, "read_port", "out"));
    cpp.push_str("  }\n");
    cpp.push_str(&evaluations(last_level));
    writeln!(cpp, "}};\n}}  // namespace\nDUET_EXPORT_BODY({PREFIX}, Ports)").unwrap();
    cpp
}

/// How a body is evaluated, and how a cycle is. One evaluation calls Verilator's function itself:
/// the call around it serves threads and objects, of which there are none.
fn evaluations(last_level: Option<&str>) -> String {
    let (count, evaluate, cycle) = match last_level {
        Some(last) => (
            1,
            format!("{PREFIX}___024root___eval(top.rootp)"),
            format!("top.rootp->{last} = 0; top.clk_i = 1; evaluate(top)"),
        ),
        None => (2, "top.eval()".to_string(), "duet::fall(top); duet::rise(top)".to_string()),
    };
    format!(
        "  static constexpr uint32_t kEvaluations = {count};\n  \
         static void evaluate({PREFIX}& top) {{ {evaluate}; }}\n  \
         static void cycle({PREFIX}& top) {{ {cycle}; }}\n"
    )
}

fn copy(cpp: &mut String, port: &Port, function: &str, image: &str) {
    writeln!(cpp, "    duet::{function}(top.{}, {image} + {});", port.name, port.word).unwrap();
}
