//! RTL from elsewhere: what could run a program or open a file is refused, whatever it is written
//! as. Each of these Verilator itself accepts.

use std::fs;
use std::path::PathBuf;

use bodies::{Origin, Request, Sources, Variant, lint};
use cosim::blocks;
use duet_tests::{Scratch, has_rtl, has_rtl_of};
use hwmodel::cpelide::command_processor::CommandProcessor;

use crate::declaration::{copy_rtl, workspace};

const TOP: &str = "finepack/packetizer/packetizer.sv";

/// A copy of one block's RTL.
struct Copy {
    scratch: Scratch,
    block: &'static str,
}

impl Copy {
    fn new(block: &'static str, test: &str) -> Self {
        let scratch = Scratch::new(test);
        copy_rtl(&workspace().join("rtl"), scratch.path());
        Self { scratch, block }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.scratch.path().join(name)
    }

    /// With `text` before the last line of a file, which is its `endmodule`, or as a new file.
    fn add(&self, name: &str, text: &str) {
        let file = self.file(name);
        let old = fs::read_to_string(&file).unwrap_or_default();
        let (before, end) = old.trim_end().rsplit_once('\n').unwrap_or_default();
        fs::write(file, format!("{before}\n{text}\n{end}\n")).unwrap();
    }

    fn lint(&self, origin: Origin) -> Result<(), String> {
        let entry = blocks::find(self.block).expect("a block of this name");
        let (chosen, _) = entry.family.apply("small", &[], &[]).unwrap();
        let request = Request { block: (entry.describe)(&chosen), variant: Variant::default() };
        let sources = Sources::of_folder(self.scratch.path().to_path_buf(), origin);
        lint(&request, &sources).map_err(|error| error.to_string())
    }
}

/// Files with what is added to them, and a part of the message.
type Attack = (&'static [(&'static str, &'static str)], &'static str);

const ATTACKS: &[Attack] = &[
    (&[(TOP, "initial $system(\"true\");")], "packetizer.sv:178: $system: may call $bits, "),
    (&[(TOP, "int file; initial file = $fopen(\"x\", \"w\"); wire unused_f = ^file;")], "$fopen"),
    (
        &[(TOP, "logic [7:0] m[2]; initial $readmemh(\"x\", m); wire unused_m = ^m[0];")],
        "$readmemh",
    ),
    (&[(TOP, "logic m[2]; assign m = '{0, 1}; initial $writememb(\"x\", m);")], "$writememb"),
    (&[(TOP, "initial $dumpfile(\"x\");")], "$dumpfile"),
    (&[(TOP, "initial $fdisplay(32'h8000_0002, \"x\");")], "$fdisplay"),
    (&[(TOP, "initial $display(\"x\");")], "$display"),
    (&[(TOP, "initial $c(\"system(\\\"true\\\");\");")], "$c:"),
    (&[(TOP, "wire unused_c = $c(\"system(0)\");")], "$c:"),
    (
        &[(
            TOP,
            "import \"DPI-C\" function int system(string s); initial void'(system(\"true\"));",
        )],
        "\"DPI-C\"",
    ),
    (&[(TOP, "function int f; return 1; endfunction export \"DPI-C\" function f;")], "\"DPI-C\""),
    // Bound to a module that does not name it.
    (
        &[
            ("finepack/packetizer/aside.sv", "module aside; initial $system(\"true\"); endmodule"),
            (TOP, "bind packetizer_header aside i_aside();"),
        ],
        "aside.sv:2: $system",
    ),
    // Files of others.
    (&[(TOP, "`include \"../common/duet_assert.svh\"")], "`include must have the quoted name"),
    (
        &[(TOP, "`define FILE \"../common/duet_assert.svh\"\n`include `FILE")],
        "`include must have the quoted name",
    ),
    (
        &[(TOP, "`define I(a) `a \"../../../../../../../../../dev/null\"\n`I(include)")],
        "names no file of this RTL",
    ),
    (&[(TOP, "`line 1 \"/etc/passwd\" 0")], "names no file of this RTL"),
    // C++ of their own.
    (
        &[(TOP, "`systemc_implementation\nint x = system(\"true\");\n`verilog")],
        "`systemc_implementation",
    ),
    (&[(TOP, "`define C(a) `a\n`C(systemc_header)\n`C(verilog)")], "`systemc_header"),
    (&[(TOP, "`begin_keywords \"1800-2017\"\n`end_keywords")], "`begin_keywords"),
    (&[(TOP, "/*verilator tracing_off*/")], "verilator tracing_off"),
    // Words that no file holds as a whole.
    (&[(TOP, "`define CALL(name) $``name\ninitial `CALL(system)(\"true\");")], "$system"),
    (
        &[(
            TOP,
            "`define SIGN $\n`define CALL(a, b) a``b\ninitial `CALL(`SIGN, system)(\"true\");",
        )],
        "$system",
    ),
    (
        &[
            ("finepack/packetizer/aside.svh", "`define CALL $system(\"true\")\n"),
            (TOP, "`include \"aside.svh\"\ninitial `CALL;"),
        ],
        "$system",
    ),
    (&[(TOP, "`define S \"DPI-C\"\nimport `S function int system(string s);")], "\"DPI-C\""),
    (&[(TOP, "wire \\unused_$system = 1'b0;")], "\\: escaped names"),
];

#[test]
fn what_could_run_a_program_or_open_a_file_is_refused() {
    if !has_rtl() {
        return;
    }
    for (at, (files, message)) in ATTACKS.iter().enumerate() {
        let copy = Copy::new("packetizer", &format!("foreign_{at}"));
        files.iter().for_each(|(name, text)| copy.add(name, text));
        copy.lint(Origin::Own).unwrap_or_else(|e| panic!("{files:?} is no attack: {e}"));
        let refused = copy.lint(Origin::Foreign).expect_err(&format!("{files:?}"));
        assert!(refused.contains(message), "{files:?}: no {message:?} in: {refused}");
        assert!(refused.contains("foreign RTL is not built"), "{refused}");
    }
}

/// A macro of one file is not defined in another that does not include it: what stands behind it is
/// not in the body, whichever file Verilator would read first.
#[test]
fn macros_do_not_reach_other_files() {
    if !has_rtl() {
        return;
    }
    let copy = Copy::new("packetizer", "foreign_macros");
    copy.add("finepack/packetizer/aside_pkg.sv", "`define ON\npackage aside_pkg; endpackage\n");
    copy.add(TOP, "`ifdef ON\nnot_declared i_missing();\n`endif");
    assert!(copy.lint(Origin::Own).unwrap_err().contains("not_declared"));
    copy.lint(Origin::Foreign).unwrap();
}

/// Blocks without and with headers of their own, and the one with files of Ibex.
#[test]
fn the_tree_is_accepted_as_if_it_came_from_elsewhere() {
    if !has_rtl_of::<CommandProcessor>() {
        return;
    }
    bodies::embed(&[
        (
            "cpelide/command_processor/ibex.f",
            include_bytes!("../../rtl/cpelide/command_processor/ibex.f"),
        ),
        (
            "cpelide/command_processor/ibex.vlt",
            include_bytes!("../../rtl/cpelide/command_processor/ibex.vlt"),
        ),
    ]);
    for block in ["packetizer", "coherence_directory", "command_processor"] {
        let copy = Copy::new(block, &format!("foreign_{block}"));
        copy.lint(Origin::Foreign).unwrap_or_else(|e| panic!("{e}"));
    }
}

/// Verilator runs the program that this option names.
#[test]
fn options_of_verilator_are_refused() {
    if !has_rtl_of::<CommandProcessor>() {
        return;
    }
    let copy = Copy::new("command_processor", "foreign_options");
    let (seen, script) = (copy.file("seen"), copy.file("script"));
    fs::write(&script, format!("touch {}", seen.display())).unwrap();
    let list = copy.file("cpelide/command_processor/ibex.f");
    let text = fs::read_to_string(&list).unwrap();
    fs::write(&list, format!("--pipe-filter \"sh {}\"\n{text}", script.display())).unwrap();
    let refused = copy.lint(Origin::Foreign).unwrap_err();
    assert!(
        refused.contains("cpelide/command_processor/ibex.f: must be the file of this program"),
        "{refused}"
    );
    assert!(!seen.exists());
    // As RTL of one's own it is an attack that works.
    let _ = copy.lint(Origin::Own);
    assert!(seen.exists());
}
