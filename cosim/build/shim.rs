//! Writes the C++ that copies between an image of 32-bit words and the ports of a Verilated top.

use std::fmt::Write;

use hwmodel::ports::Port;

use crate::catalog::Body;

/// Class prefix of a Verilated body; bodies with the same parameters share a class.
pub fn prefix(body: &Body) -> String {
    format!("V{}_{}", body.block.name, body.built_as.replace('-', "_"))
}

/// One C++ file with a port map for each class and the list of all bodies.
pub fn shims(bodies: &[Body]) -> String {
    let mut cpp = String::from("#include \"verilated_body.h\"\n");
    let classes = || bodies.iter().filter(|body| body.config == body.built_as);
    for body in classes() {
        writeln!(cpp, "#include \"{0}/{0}.h\"", prefix(body)).unwrap();
    }
    cpp.push_str("namespace duet {\nnamespace {\n");
    for body in classes() {
        let prefix = prefix(body);
        writeln!(cpp, "struct {prefix}_ports {{").unwrap();
        writeln!(cpp, "  static void drive({prefix}& top, const uint32_t* in) {{").unwrap();
        body.block.inputs.iter().for_each(|p| copy(&mut cpp, p, "drive_port", "in"));
        writeln!(cpp, "  }}\n  static void read(const {prefix}& top, uint32_t* out) {{").unwrap();
        body.block.outputs.iter().for_each(|p| copy(&mut cpp, p, "read_port", "out"));
        cpp.push_str("  }\n};\n");
    }
    cpp.push_str("}  // namespace\nconst BodyEntry kBodies[] = {\n");
    for body in bodies {
        let prefix = prefix(body);
        writeln!(
            cpp,
            "  {{\"{}\", \"{}\", &make_verilated<{prefix}, {prefix}_ports>, &floor_verilated<{prefix}, {prefix}_ports>}},",
            body.block.name, body.config
        )
        .unwrap();
    }
    writeln!(cpp, "}};\nconst size_t kBodyCount = {};\n}}  // namespace duet", bodies.len())
        .unwrap();
    cpp
}

fn copy(cpp: &mut String, port: &Port, function: &str, image: &str) {
    writeln!(cpp, "    {function}(top.{}, {image} + {});", port.name, port.word).unwrap();
}
