//! Names come from files of others. What a terminal obeys never gets there, nor into a page.
//! `Desk::duet` checks each command's output, so that these have to lead there only.

use std::fs;

use serde_json::json;

use crate::desk::{Desk, pack};

/// Clears the screen, titles the window, goes back by a character, turns red and turns the text.
const EVIL: &str = "\u{1b}[2J\u{1b}]0;x\u{7}\u{8}\u{9b}31m\u{202e}";
const SHOWN: &str = "\\u{1b}[2J\\u{1b}]0;x\\u{7}\\u{8}\\u{9b}31m\\u{202e}";

#[test]
fn names_of_files_and_of_what_stands_in_them_are_shown_and_not_obeyed() {
    let desk = Desk::on_any_build("names");
    let named = format!("{EVIL}.toml");
    let preset = desk.duet("systems show rec-4gpu-small").stdout;
    let name = preset.lines().find(|line| line.starts_with("name = ")).expect("a system has one");
    fs::write(desk.file(&named), preset.replace(name, "name = 1")).unwrap();
    let evil = serde_json::to_string(EVIL).unwrap();
    let toml = preset.replace(name, &format!("name = {evil}"));
    fs::write(desk.file("name.toml"), &toml).unwrap();
    let forged = "name = \"x\\ncopy: 1 cycles, 0 wrong values\"";
    fs::write(desk.file("forged.toml"), preset.replace(name, forged)).unwrap();
    let run = |system: &str| format!("run --system {system} --workload copy");
    for words in [
        run(&named),
        run(&format!("{EVIL}.none.toml")),
        run(EVIL),
        format!("run --system rec-4gpu-small --workload {EVIL}"),
        format!("run --system rec-4gpu-small --workload {EVIL}.trace"),
        format!("run --system rec-4gpu-small --workload copy --set {EVIL}=1"),
        format!("run --system rec-4gpu-small --workload copy --set l1.design={EVIL}"),
        format!("run --system rec-4gpu-small --workload copy --impl {EVIL}=rtl"),
        format!("run --system rec-4gpu-small --workload copy --cp {EVIL}"),
        format!("cosim {EVIL}"),
        format!("litmus {EVIL}"),
        format!("trace info {EVIL}"),
        format!("replay {EVIL}.bundle"),
    ] {
        let left = desk.duet(&words);
        assert_eq!(left.status, 2, "{words:?}: {}", left.stderr);
        assert!(left.stderr.contains("\\u{1b}"), "{words:?}: {}", left.stderr);
    }
    // In the words of the parser of command lines, which takes some out.
    for words in [
        format!("cosim packetizer --flip {EVIL}@1"),
        format!("replay one {EVIL}"),
        EVIL.to_string(),
        format!("run --{EVIL}"),
    ] {
        assert_eq!(desk.duet(&words).status, 2, "{words:?}");
    }
    desk.refuses(2, &run("name.toml"), &["name: ", SHOWN, "must have no control character"]);
    desk.refuses(2, &run("forged.toml"), &["name: \"x\\ncopy: 1", "no control character"]);
}

#[test]
fn what_a_bundle_says_is_shown_and_not_obeyed() {
    let desk = Desk::on_any_build("names_bundle");
    let facts = json!({
        "format": 2, "duet": "0", "tools": "", "verb": "cosim", "words": ["nosuch"],
        "status": 1, "message": EVIL, "seed": 1, "subject": "", "kernels": null, "short": null,
    });
    fs::write(desk.file("x.bundle"), pack(&facts, &[].into())).unwrap();
    for asked in ["replay", "explain"] {
        let left = desk.duet(&format!("{asked} x.bundle"));
        assert!(left.status == 2 && left.stdout.contains(SHOWN), "{asked}: {}", left.stdout);
    }
}
