//! `--help`, completions and man pages: examples run, exit statuses are documented.

use std::fs;

use crate::desk::Desk;
use crate::two_gpus::kept_trace;

/// Verbs that end with a verdict.
const RUNS: [&str; 13] = [
    "cosim",
    "run",
    "compare",
    "sweep",
    "reproduce",
    "controls",
    "check",
    "mutate",
    "bodies build",
    "trace capture",
    "trace convert",
    "trace verify",
    "trace import",
];
/// Others, whose examples are run but for `bodies clean`.
const OTHERS: [&str; 14] = [
    "list",
    "systems show",
    "systems new",
    "systems reference",
    "schema",
    "new block",
    "new design",
    "bodies list",
    "bodies clean",
    "doctor",
    "trace info",
    "completions",
    "man",
    "plot",
];

fn examples(desk: &Desk, verb: &str) -> Vec<String> {
    let help = desk.duet(&format!("{verb} --help")).stdout;
    let (_, examples) =
        help.split_once("\nExamples:\n").unwrap_or_else(|| panic!("{verb}: {help}"));
    let lines = examples.lines().filter_map(|line| line.strip_prefix("  duet "));
    lines.map(String::from).collect()
}

#[test]
fn exit_statuses_stand_in_the_short_help_of_what_ends_with_a_verdict() {
    let desk = Desk::on_any_build("help-status");
    for verb in RUNS.into_iter().chain([""]) {
        for flag in ["-h", "--help"] {
            let help = desk.duet(&format!("{verb} {flag}")).stdout;
            for status in ["0 pass", "2 wrong use", "3 deadlock", "5 environment"] {
                assert!(help.contains(status), "{verb} {flag}: {help}");
            }
        }
    }
}

#[test]
fn examples_run() {
    let desk = Desk::on_any_build("help-examples");
    let folder = desk.file("testbench/traces/workloads");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("bfs.trace"), kept_trace()).unwrap();
    let mut ran = 0;
    for verb in RUNS.into_iter().chain(OTHERS) {
        let examples = examples(&desk, verb);
        assert!(!examples.is_empty(), "{verb}");
        for words in examples {
            let on_models = !["--impl", "--cp"].iter().any(|word| words.contains(word));
            let is_short = match verb {
                "run" => on_models,
                "trace verify" | "trace info" => true,
                "check" | "controls" => words.contains("--list"),
                // There is no sweep to draw here.
                "bodies clean" | "doctor" | "plot" => false,
                // The example's clone is not there.
                "new block" => !words.contains("../duet"),
                verb => OTHERS.contains(&verb),
            };
            if is_short {
                let left = desk.duet(&words);
                let is_address = |line: &&str| line.starts_with("live page: http://127.0.0.1:");
                let stderr: Vec<_> = left.stderr.lines().filter(|line| !is_address(line)).collect();
                assert_eq!((left.status, &stderr[..]), (0, &[][..]), "{words}: {}", left.stdout);
                ran += 1;
            }
        }
    }
    assert!(ran > 15, "only {ran} examples were run");
}

#[test]
fn completions_have_the_names_of_this_program() {
    let desk = Desk::on_any_build("help-completions");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let text = desk.duet(&format!("completions {shell}")).stdout;
        assert!(text.contains("workload") && text.contains("cosim"), "{shell}");
        // Two of them complete no values, and one only those of options.
        let of_options = !["elvish", "powershell"].contains(&shell);
        let of_words = of_options && shell != "fish";
        for (name, is_there) in [
            ("rec-4gpu-small", of_options),
            ("pagerank_push", of_options),
            ("cp_crossbar", of_words),
            ("race-detection", of_words),
        ] {
            assert_eq!(text.contains(name), is_there, "{shell}: {name}");
        }
    }
}

#[test]
fn man_pages_have_examples_and_exit_statuses() {
    let desk = Desk::on_any_build("help-man");
    assert_eq!(desk.duet("man share/man1").status, 0);
    for verb in RUNS {
        let page = desk.read(&format!("share/man1/duet-{}.1", verb.replace(' ', "-")));
        for part in ["Examples:", "Exit status: 0 pass", ".SH NAME"] {
            assert!(page.contains(part), "{verb}: no {part:?} in: {page}");
        }
    }
    assert!(desk.read("share/man1/duet.1").contains("duet\\-systems"));
    fs::write(desk.file("file"), "").unwrap();
    desk.refuses(5, "man file/x", &["file/x"]);
}
