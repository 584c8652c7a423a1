//! A bundle is data. What one may not do is tried with the command as a whole; `bundled.rs` and
//! `bundle.rs` have the cases of options and archives, `tests/cosim/foreign.rs` those of RTL.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::json;
use traces::kernels;
use traces::trace::Recorder;

use crate::bodies::{copy_of, replace};
use crate::desk::{Desk, pack};

/// Writes a bundle of a failed run with these arguments and files.
fn write(path: &Path, verb: &str, words: &[&str], files: &BTreeMap<String, Vec<u8>>) {
    let facts = json!({
        "format": 2, "duet": "0", "tools": "", "verb": verb, "words": words, "status": 1,
        "message": "", "seed": 1, "subject": "", "kernels": null, "short": null,
    });
    fs::write(path, pack(&facts, files)).unwrap();
}

fn with(desk: &Desk, verb: &str, words: &[&str]) {
    write(&desk.file("x.bundle"), verb, words, &[].into());
}

/// Each would do what its words say, if a bundle might ask for it.
#[test]
fn a_bundle_asks_for_runs_that_leave_bundles_and_for_nothing_else() {
    let desk = Desk::on_any_build("attack_verbs");
    let cache = desk.file("cache");
    fs::create_dir_all(cache.join("1")).unwrap();
    let cosim = ["packetizer", "--cycles", "100", "--json", "made"];
    let from_preset = ["--system", "cpelide-4-small", "--workload", "reuse"];
    let attacks: [(&str, &[&str], &str); 6] = [
        ("bodies", &["clean"], "verb bodies: a bundle may ask for run, cosim, compare only"),
        ("replay", &["x.bundle"], "verb replay: "),
        ("trace", &["capture", "-o", "made", "--", "touch", "made"], "verb trace: "),
        ("systems", &["new", "made"], "verb systems: "),
        ("cosim", &cosim, "cosim --json: a bundle may not give this option"),
        ("run", &from_preset, "run --system cpelide-4-small: must be a file of the bundle"),
    ];
    for (verb, words, message) in attacks {
        with(&desk, verb, words);
        for asked in ["replay", "explain", "replay --trust", "explain --trust"] {
            let variables = [("DUET_CACHE", cache.to_str().unwrap())];
            desk.refuses_in(&variables, 2, &format!("{asked} x.bundle"), &["x.bundle: ", message]);
        }
        assert!(!desk.file("made").exists() && cache.join("1").exists(), "{verb}");
    }
}

#[test]
fn a_bundle_reads_no_file_of_the_reader() {
    let desk = Desk::on_any_build("attack_reads");
    fs::write(desk.file("secret.toml"), "secret = 1").unwrap();
    let outside = desk.file("secret.toml").display().to_string();
    for name in [&outside[..], "bundle:../secret.toml", "bundle:/etc/passwd", "secret.toml"] {
        with(&desk, "run", &["--system", name, "--workload", "bundle:x.trace"]);
        let refused = desk.duet("explain x.bundle");
        assert_eq!(refused.status, 2, "{}", refused.stderr);
        assert!(refused.stderr.contains(&format!("{name}: must be a file of the bundle")));
        assert!(!refused.stderr.contains("secret = 1"), "{}", refused.stderr);
    }
}

/// What a shell would run when the body is loaded.
#[test]
fn rtl_of_a_bundle_runs_no_program_unless_it_is_trusted() {
    let Some(desk) = Desk::new("attack_rtl") else { return };
    let rtl = copy_of(&desk, &["common", "cpelide", "cpelide/cp_crossbar"]);
    let made = desk.file("made");
    let call = format!("initial $system(\"touch {}\");\nendmodule", made.display());
    replace(&rtl.join("cpelide/cp_crossbar/cp_crossbar.sv"), "endmodule", &call);
    let mut files = BTreeMap::new();
    for folder in ["common", "cpelide", "cpelide/cp_crossbar"] {
        let entries = fs::read_dir(rtl.join(folder)).unwrap().map(|entry| entry.unwrap().path());
        for path in entries.filter(|path| path.is_file()) {
            let name = path.strip_prefix(desk.file("")).unwrap().display().to_string();
            files.insert(name, fs::read(&path).unwrap());
        }
    }
    let words = ["cp_crossbar", "--cycles", "100", "--rtl", "bundle:rtl"];
    write(&desk.file("x.bundle"), "cosim", &words, &files);
    for asked in ["explain x.bundle", "replay x.bundle"] {
        desk.refuses(2, asked, &["cpelide/cp_crossbar/cp_crossbar.sv:", "$system: may call $bits"]);
        assert!(!made.exists(), "{asked}");
    }
    let trusted = desk.duet("replay x.bundle --trust");
    assert_eq!(trusted.status, 0, "{}{}", trusted.stdout, trusted.stderr);
    assert!(made.exists());
    // The body is in the cache now, and is not taken from there.
    fs::remove_file(&made).unwrap();
    desk.refuses(2, "replay x.bundle", &["$system: may call $bits"]);
    assert!(!made.exists());
}

/// The name in a trace goes into the names of the files that its run leaves.
#[test]
fn the_name_of_a_program_leads_out_of_no_folder() {
    let desk = Desk::on_any_build("attack_name");
    let path = desk.file("x.trace");
    let mut recorder = Recorder::create(&path, "x/../../../made").unwrap();
    let params = kernels::program::<traces::trace::Error>("reuse").unwrap().params();
    kernels::run("reuse", &params, &mut recorder).unwrap();
    recorder.save().unwrap();
    let left = desk.duet("run --system cpelide-4-small --workload x.trace --set l2.design=none");
    assert_eq!(left.status, 4, "{}", left.stderr);
    let entries = |folder| -> Vec<String> {
        let all = fs::read_dir(desk.file(folder)).unwrap();
        let mut names: Vec<_> =
            all.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    assert_eq!(entries("out"), ["run-x_.._.._.._made-1.bundle"]);
    assert_eq!(entries(""), ["out", "x.trace"]);
    let again = desk.duet("replay out/run-x_.._.._.._made-1.bundle");
    assert_eq!((again.status, again.last_line()), (4, left.last_line()));
}
