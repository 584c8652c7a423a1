//! The command with the block.

use std::process::{Command, Output};

fn run(line: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_word-fifo"));
    // A difference leaves a bundle and waveforms in `out/`.
    command.args(line.split_whitespace()).current_dir(env!("CARGO_TARGET_TMPDIR"));
    command.output().unwrap()
}

/// False, with a notice, where Verilator is not found.
fn has_rtl() -> bool {
    let has = run("bodies build word_fifo --config small").status.success();
    if !has {
        eprintln!("skipped: no RTL (word-fifo doctor lists what is missing)");
    }
    has
}

#[test]
fn model_and_rtl_agree_in_every_configuration() {
    if has_rtl() {
        for parameters in
            ["--config small", "--config paper", "--set depth=1", "--config random --seed 7"]
        {
            let line = format!("cosim word_fifo --cycles 100000 {parameters}");
            let output = run(&line);
            let text = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success(), "{line}: {text}");
        }
    }
}

/// A bit of an RTL output is inverted once: the comparison must find it.
#[test]
fn a_difference_is_found() {
    if has_rtl() {
        let output = run("cosim word_fifo --cycles 10000 --flip pop[0]@500 --brief");
        assert_eq!(output.status.code(), Some(1));
    }
}

/// Registers of the RTL that the model has in another form, and so does not show.
const ONLY_RTL: [&str; 3] = ["read_q", "word_q", "write_q"];

/// Reports compare registers that model and RTL name alike: a wrong name in `show_state` is on one
/// side only.
#[test]
fn registers_of_model_and_rtl_have_the_same_names() {
    if has_rtl() {
        let output = run("cosim word_fifo --cycles 10000 --flip pop[0]@500");
        let text = String::from_utf8_lossy(&output.stdout);
        let names = |side: &str| -> Vec<String> {
            let list = text.split_once(&format!("only in the {side}: "));
            let line = list.and_then(|(_, rest)| rest.lines().next()).unwrap_or_default();
            let mut names: Vec<_> = line.split(", ").map(String::from).collect();
            names.sort();
            names
        };
        assert_eq!(names("RTL"), ONLY_RTL, "{text}");
        assert!(!text.contains("only in the model"), "{text}");
    }
}
