//! The SystemVerilog top that is verilated around a block, written from the Rust port declaration.
//!
//! It instantiates the block with signals of the declared widths and checks, while it is
//! elaborated, that each message type has the declared fields at the declared bits. Verilator's
//! warnings are errors, so a port with another name or width, a missing port, a missing field,
//! another width of a field or another order stops the build. The checks are plain SystemVerilog:
//! any tool can run them.

use std::collections::BTreeSet;
use std::fmt::Write;

use ports::Description;
use ports::Port;

/// Name of the wrapper module of a block.
pub fn top_name(block: &Description) -> String {
    format!("{}_top", block.name)
}

/// Text of the wrapper module.
pub fn wrapper(block: &Description) -> String {
    let ports: Vec<&Port> = block.inputs.iter().chain(&block.outputs).collect();
    let headers: BTreeSet<_> =
        ports.iter().filter_map(|p| Some(p.sv_type.as_ref()?.header)).collect();
    let mut sv = String::from("// Written by the build from the Rust port declaration.\n");
    for header in headers {
        writeln!(sv, "`include \"{header}\"").unwrap();
    }
    writeln!(sv, "module {} (\n  input logic clk_i,\n  input logic rst_ni", top_name(block))
        .unwrap();
    for port in &block.inputs {
        writeln!(sv, "  , input logic [{}:0] {}", port.width - 1, port.name).unwrap();
    }
    for port in &block.outputs {
        writeln!(sv, "  , output logic [{}:0] {}", port.width - 1, port.name).unwrap();
    }
    sv.push_str(");\n");
    for port in &ports {
        check_type(&mut sv, port);
    }
    writeln!(sv, "  {} #(", block.name).unwrap();
    let parameters: Vec<_> =
        block.parameters.iter().map(|(name, value)| format!("    .{name}({value})")).collect();
    writeln!(sv, "{}\n  ) i_block (", parameters.join(",\n")).unwrap();
    sv.push_str("    .clk_i,\n    .rst_ni");
    for port in &ports {
        write!(sv, ",\n    .{}", port.name).unwrap();
    }
    sv.push_str("\n  );\nendmodule\n");
    sv
}

/// Elaboration-time checks of one port's struct type: its width, and the place of each field.
fn check_type(sv: &mut String, port: &Port) {
    let Some(ty) = &port.sv_type else { return };
    let args: Vec<_> = ty.args.iter().map(u32::to_string).collect();
    let (name, width) = (&port.name, port.width);
    let args = if args.is_empty() { String::new() } else { format!("({})", args.join(", ")) };
    writeln!(sv, "  typedef `{}{args} {name}_t;", ty.name).unwrap();
    writeln!(
        sv,
        "  if ($bits({name}_t) != {width}) begin : gen_{name}_width\n    \
         $error(\"{}: %0d bits in SystemVerilog, {width} in Rust\", $bits({name}_t));\n  end",
        ty.name
    )
    .unwrap();
    for (field, lsb, bits) in fields(port) {
        let id = format!("{name}_{field}");
        writeln!(
            sv,
            "  localparam {name}_t Is_{id} = '{{{field}: '1, default: '0}};\n  \
             localparam logic [{top}:0] At_{id} = {width}'({{{bits}{{1'b1}}}}) << {lsb};\n  \
             if (Is_{id} != At_{id}) begin : gen_{id}\n    \
             $error(\"{ty}: field {field} is not at [{high}:{lsb}] as in Rust\");\n  end",
            top = width - 1,
            ty = ty.name,
            high = lsb + bits - 1,
        )
        .unwrap();
    }
}

/// The fields of a struct port: name, lowest bit, bits. Elements of an array count as one
/// field, and so does a struct inside.
fn fields(port: &Port) -> Vec<(&str, u32, u32)> {
    let mut fields: Vec<(&str, u32, u32)> = Vec::new();
    for leaf in &port.leaves {
        let name = leaf.name.split(['[', '.']).next().unwrap_or(&leaf.name);
        match fields.last_mut() {
            Some((last, _, bits)) if *last == name => *bits += leaf.width,
            _ => fields.push((name, leaf.lsb, leaf.width)),
        }
    }
    fields
}
