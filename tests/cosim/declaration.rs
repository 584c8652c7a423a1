//! The build's check of the RTL against the Rust port declaration, proved by tampering with the
//! RTL: whatever is changed on one side only must be refused, with its name.

use std::fs;
use std::path::{Path, PathBuf};

use bodies::{Origin, Request, Sources, Variant, VerilatedError, lint};
use cosim::blocks;
use duet_tests::{Scratch, has_rtl};

pub fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in the workspace")
}

/// A copy of `rtl/` that may be changed.
struct Copy(Scratch);

impl Copy {
    /// `None`, with a notice, where there is no Verilator.
    fn new(test: &str) -> Option<Self> {
        if !has_rtl() {
            return None;
        }
        let scratch = Scratch::new(test);
        copy_rtl(&workspace().join("rtl"), scratch.path());
        Some(Self(scratch))
    }

    /// Replaces `from` by `to` in all files of these folders; it must stand there.
    fn replace(&self, folders: &[&str], from: &str, to: &str) -> &Self {
        let mut found = 0;
        for folder in folders {
            for file in sources(&self.0.path().join(folder)) {
                let text = fs::read_to_string(&file).unwrap();
                found += text.matches(from).count();
                fs::write(&file, text.replace(from, to)).unwrap();
            }
        }
        assert!(found > 0, "{from:?} is not in {folders:?}");
        self
    }

    /// Reads a block in configuration `small` as for a body. Errors: what Verilator says. Accepts a
    /// block whose third-party core is missing.
    fn lint(&self, block: &str) -> Result<(), String> {
        let entry = blocks::find(block).expect("a block of this name");
        let (chosen, _) = entry.family.apply("small", &[], &[]).unwrap();
        let block = (entry.describe)(&chosen);
        let request = Request { block, variant: Variant::default() };
        match lint(&request, &Sources::of_folder(self.0.path().to_path_buf(), Origin::Own)) {
            Err(VerilatedError::Ibex { block, problem }) => {
                println!("skipped: {block}: {problem}");
                Ok(())
            }
            result => result.map_err(|error| error.to_string()),
        }
    }

    /// Checks that a block is refused, and that one line of the message holds all of these.
    fn refused(&self, block: &str, words: &[&str]) {
        let message = self.lint(block).expect_err("the change must be refused");
        let named = message.lines().any(|line| words.iter().all(|word| line.contains(word)));
        assert!(named, "no line has {words:?}:\n{message}");
    }
}

/// The SystemVerilog files of a folder, by name.
fn sources(folder: &Path) -> Vec<PathBuf> {
    files(folder, &["sv", "svh"])
}

/// Copies the RTL of a folder and of those in it.
pub fn copy_rtl(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for file in files(from, &["sv", "svh", "f", "vlt"]) {
        fs::copy(&file, to.join(file.file_name().unwrap())).unwrap();
    }
    let entries = fs::read_dir(from).unwrap().map(|entry| entry.unwrap().path());
    for folder in entries.filter(|path| path.is_dir()) {
        copy_rtl(&folder, &to.join(folder.file_name().unwrap()));
    }
}

/// The files of a folder that end so, by name.
pub fn files(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let ends = |p: &PathBuf| p.extension().is_some_and(|e| endings.iter().any(|of| e == *of));
    let mut files: Vec<_> = files.filter(ends).collect();
    files.sort();
    files
}

#[test]
fn untouched_copy_is_accepted() {
    if let Some(copy) = Copy::new("untouched") {
        for block in blocks::all().into_iter().map(|block| block.name) {
            copy.lint(block).unwrap_or_else(|message| panic!("{block}: {message}"));
        }
    }
}

#[test]
fn swapped_fields_of_one_width_are_refused() {
    if let Some(copy) = Copy::new("swapped") {
        let (sop, eop) = ("logic                   sop; \\\n", "logic                   eop; \\\n");
        let (before, after) = (format!("{sop}    {eop}"), format!("{eop}    {sop}"));
        copy.replace(&["finepack"], &before, &after);
        copy.refused("packetizer", &["FINEPACK_DRAIN_T", "field sop is not at"]);
        copy.refused("packetizer", &["FINEPACK_TLP_T", "field eop is not at"]);
        copy.refused("remote_write_queue", &["FINEPACK_DRAIN_T", "field eop is not at"]);
    }
}

#[test]
fn swapped_fields_of_a_message_without_parameters_are_refused() {
    if let Some(copy) = Copy::new("swapped_command") {
        copy.replace(&["cpelide"], "logic [3:0]  chiplet;", "logic [3:0] second;");
        copy.replace(&["cpelide"], "logic [3:0]  kind;", "logic [3:0]  chiplet;");
        copy.replace(&["cpelide"], "logic [3:0] second;", "logic [3:0]  kind;");
        copy.refused("local_command_processor", &["COMMAND_MSG_T", "field kind is not at"]);
        copy.refused("cp_crossbar", &["COMMAND_MSG_T", "field chiplet is not at"]);
    }
}

#[test]
fn field_of_another_width_is_refused() {
    if let Some(copy) = Copy::new("wider_field") {
        copy.replace(
            &["finepack"],
            "logic [7:0]             overwritten;",
            "logic [8:0] overwritten;",
        );
        copy.refused("remote_write_queue", &["FINEPACK_EVT_T", "field overwritten is not at"]);
        copy.refused("remote_write_queue", &["FINEPACK_EVT_T", "bits in SystemVerilog"]);
    }
}

#[test]
fn renamed_field_is_refused() {
    if let Some(copy) = Copy::new("renamed_field") {
        // The RTL itself is whole: only the declaration knows the old name.
        copy.replace(&["finepack"], "logic [15:0]            src;", "logic [15:0] source;");
        copy.replace(&["finepack/depacketizer"], "src: {", "source: {");
        copy.refused("depacketizer", &["depacketizer_top.sv", "src"]);
    }
}

#[test]
fn renamed_port_is_refused() {
    if let Some(copy) = Copy::new("renamed_port") {
        copy.replace(&["finepack/packetizer"], "drain_ready_o", "drain_take_o");
        copy.refused("packetizer", &["packetizer_top.sv", "drain_ready_o"]);
    }
}

#[test]
fn port_of_another_width_is_refused() {
    if let Some(copy) = Copy::new("wider_port") {
        let (before, after) = ("logic [3:0] err_code_o", "logic [4:0] err_code_o");
        copy.replace(&["finepack/depacketizer"], before, after);
        copy.replace(&["finepack/depacketizer"], "= code_q;", "= 5'(code_q);");
        copy.refused("depacketizer", &["depacketizer_top.sv", "err_code_o"]);
    }
}

#[test]
fn dropped_port_is_refused() {
    if let Some(copy) = Copy::new("dropped_port") {
        let block = "remote_write_queue";
        copy.replace(
            &[&format!("finepack/{block}")],
            "  output logic [7:0]             rel_id_o,\n",
            "",
        );
        copy.replace(&[&format!("finepack/{block}")], "    .rel_id_o,\n", "    .rel_id_o(),\n");
        copy.refused(block, &["remote_write_queue_top.sv", "rel_id_o"]);
    }
}

#[test]
fn port_that_only_the_rtl_has_is_refused() {
    if let Some(copy) = Copy::new("extra_port") {
        let clock = "  input  logic       clk_i,\n";
        let extra = "  input  logic       clk_i,\n  input  logic       extra_i,\n";
        copy.replace(&["finepack/packetizer"], clock, extra);
        copy.refused("packetizer", &["packetizer_top.sv", "extra_i"]);
    }
}
