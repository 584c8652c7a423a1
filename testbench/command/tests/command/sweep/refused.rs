//! Sweep files that cannot be: wrong use before anything runs, in the words of `duet run`.

use super::desk;

/// What stands in the grid beside a system and a program, and what the message says.
const CASES: &[(&str, &[&str])] = &[
    ("sets = 1", &["line 5", "unknown field `sets`", "`systems`"]),
    ("set.l2.desing = ['rec']", &["--set l2.desing: there is no such field", "l2.design?"]),
    ("set.l2.design = ['rec', 'hgm']", &["l2.design: \"hgm\" is none of", "did you mean hmg?"]),
    ("set.l2.ways = [0, 16]", &["l2.ways: 0 is not 1 to 64"]),
    ("set.l2.ways = []", &["set.l2.ways: must have at least one value"]),
    ("set.l2.ways = [[1]]", &["set.l2.ways: [1] must be a number, a name, true or false"]),
    ("set.workload.sise = 64", &["--set workload.sise: must be one of", "workload.size?"]),
    ("set.workload.size = [64, 'x']", &["--set workload.size=x: must be a number below 2^32"]),
    ("set.workload.size = 0", &["size = 0 for copy: must be"]),
    ("set.scale = 7", &["--set scale=7: must be a number that divides the 64 CUs of a chiplet"]),
    ("impl = ['coherence_directory=rlt']", &["--impl coherence_directory=rlt", "rtl?"]),
    ("impl = ['coherence_dirctory=rtl']", &["--impl coherence_dirctory=rtl: this machine has"]),
    ("cp = ['navite']", &["--cp navite: must be native", "did you mean native?"]),
    ("seeds = [-1]", &["line 5"]),
    ("seeds = 'one'", &["line 5"]),
];

/// Whole files.
const FILES: &[(&str, &[&str])] = &[
    ("", &["missing field `sweep`"]),
    ("[sweep]\nname = 'x'", &["missing field `grid`"]),
    ("grid = []\n[sweep]\nname = 'x'", &["grid: must have at least one"]),
    ("[sweep]\nname = 'x'\n[[grid]]\nsystems = []\nworkloads = ['copy']", &["systems: must name"]),
    (
        "[sweep]\nname = 'x'\n[[grid]]\nsystems = ['rec-4gpu-smal']\nworkloads = ['copy']",
        &["rec-4gpu-smal: is neither a file nor one of", "rec-4gpu-small?"],
    ),
    (
        "[sweep]\nname = 'x'\n[[grid]]\nsystems = ['rec-4gpu-small']\nworkloads = ['copi']",
        &["no program \"copi\"", "copy?"],
    ),
    (
        "[sweep]\nname = 'x'\n[[grid]]\nsystems = ['rec-4gpu-small']\nworkloads = ['no.trace']",
        &["no.trace", "No such file"],
    ),
];

#[test]
fn sweep_files_that_cannot_be() {
    let desk = desk("refused", &[]);
    let head = "[sweep]\nname = 'x'\n[[grid]]\nsystems = ['rec-4gpu-small']\n";
    let grids = CASES
        .iter()
        .map(|(line, message)| (format!("{head}{line}\nworkloads = ['copy', 'reuse']"), *message));
    let files = FILES.iter().map(|(text, message)| (text.to_string(), *message));
    for (text, message) in grids.chain(files) {
        std::fs::write(desk.file("s.toml"), &text).unwrap();
        let left = desk.duet("sweep s.toml");
        assert_eq!(left.status, 2, "{text}: {}", left.stderr);
        for part in ["s.toml"].iter().chain(message) {
            assert!(left.stderr.contains(part), "{text}: no {part:?} in: {}", left.stderr);
        }
        assert!(left.last_line().starts_with("FAIL s.toml: "), "{text}: {}", left.stdout);
        assert!(!desk.file("s.sqlite").exists(), "{text}");
    }
    desk.refuses(2, "sweep none.toml", &["none.toml", "No such file"]);
    desk.refuses(2, "sweep s.toml --chunk 4", &["--chunk: only --engine slurm has chunks"]);
    desk.refuses(2, "sweep s.toml --jobs 0", &["--jobs"]);
    desk.refuses(2, "sweep s.toml --part 3/2 --points p", &["must be K/N"]);
}
