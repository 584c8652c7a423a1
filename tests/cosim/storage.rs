//! The storage of each coherence directory, from the RTL's own declaration of an entry, against the
//! directory specification (section 4.2: REC, table 1 and section 4.3).

use std::fmt::Write;
use std::fs;
use std::path::Path;

use bodies::verilator::Verilator;
use duet_tests::{Scratch, has_rtl};

/// A directory: `Variant`, GPUs, line, range, and bits of an entry's groups, base and valid.
struct Row {
    name: &'static str,
    variant: u32,
    gpus: u32,
    line: u32,
    range: u32,
    bits: [u32; 3],
    /// kB of 8192 entries, as the paper says.
    kilobytes: u32,
}

const fn row(
    name: &'static str,
    [variant, gpus, line, range]: [u32; 4],
    bits: [u32; 3],
    kilobytes: u32,
) -> Row {
    Row { name, variant, gpus, line, range, bits, kilobytes }
}

/// Specification 4.1 and 4.2.
const ROWS: [Row; 9] = [
    row("baseline", [0, 4, 64, 64], [3, 48, 1], 52),
    row("hmg", [1, 4, 64, 256], [3, 40, 1], 44),
    row("rec_128", [2, 4, 64, 128], [8, 41, 1], 50),
    row("rec_256", [2, 4, 64, 256], [16, 40, 1], 57),
    row("rec_1k", [2, 4, 64, 1024], [64, 38, 1], 103),
    row("rec_4k", [2, 4, 64, 4096], [256, 36, 1], 293),
    row("rec_8_gpus", [2, 8, 64, 1024], [128, 38, 1], 167),
    row("rec_16_gpus", [2, 16, 64, 1024], [256, 38, 1], 295),
    row("rec_128_byte_lines", [2, 4, 128, 2048], [64, 37, 1], 102),
];

/// A module that cannot be elaborated unless each entry has these fields, from bit 0 up.
fn module(rows: &[Row]) -> String {
    let mut sv = String::from(
        "`include \"coherence_directory_entry.svh\"\nmodule storage;\n  import \
         coherence_directory_pkg::*;\n",
    );
    for Row { name, variant, gpus, line, range, bits: [groups, base, valid], .. } in rows {
        let total = groups + base + valid;
        writeln!(
            sv,
            "  typedef `DIRECTORY_ENTRY_T(base_bits({variant}, 48, {range}), group_bits({variant}, \
             {gpus}, {})) {name}_t;\n  if ($bits({name}_t) != {total}) $error(\"{name}: %0d \
             bits\", $bits({name}_t));",
            range / line
        )
        .unwrap();
        for (field, first, width) in
            [("groups", 0, groups), ("base", *groups, base), ("valid", groups + base, valid)]
        {
            writeln!(
                sv,
                "  localparam {name}_t {name}_{field} = '{{{field}: '1, default: '0}};\n  \
                 if ({name}_{field} != {total}'({{{width}{{1'b1}}}}) << {first}) $error(\"{name}: \
                 {field} is elsewhere\");"
            )
            .unwrap();
        }
    }
    sv + "endmodule\n"
}

/// What Verilator says of the module. Errors: its message.
fn elaborate(scratch: &Scratch, rows: &[Row]) -> Result<(), String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate is in the tree");
    let folder = root.join("rtl/directory/coherence_directory");
    let top = scratch.path().join("storage.sv");
    fs::write(&top, module(rows)).unwrap();
    let verilator = Verilator::find().unwrap().expect("bodies are built with one");
    let output = verilator
        .command()
        .args(["--lint-only", "--top-module", "storage"])
        .arg(format!("-I{}", folder.display()))
        .arg(folder.join("coherence_directory_pkg.sv"))
        .arg(&top)
        .output()
        .unwrap();
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() { Ok(()) } else { Err(message) }
}

#[test]
fn entries_have_the_bits_that_the_paper_counts() {
    if !has_rtl() {
        return;
    }
    let scratch = Scratch::new("storage");
    elaborate(&scratch, &ROWS).unwrap_or_else(|message| panic!("{message}"));
    for row in &ROWS {
        // 8192 entries of b bits are b kB.
        let bits: u32 = row.bits.iter().sum();
        assert_eq!(bits * 8192 / 8 / 1024, row.kilobytes, "{}", row.name);
    }
}

#[test]
fn entry_of_another_width_or_order_is_found() {
    if !has_rtl() {
        return;
    }
    let scratch = Scratch::new("storage_wrong");
    let wide = row("rec_1k", [2, 4, 64, 1024], [64, 39, 1], 104);
    let message = elaborate(&scratch, &[wide]).expect_err("one bit too many");
    assert!(message.contains("rec_1k: 103 bits"), "{message}");
    let shifted = row("baseline", [0, 4, 64, 64], [4, 47, 1], 52);
    let message = elaborate(&scratch, &[shifted]).expect_err("the base stands elsewhere");
    assert!(message.contains("baseline: base is elsewhere"), "{message}");
}
