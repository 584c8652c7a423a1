//! `duet mutate` as a command.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::thread;

use serde_json::Value;

use crate::bodies::{copy_of, replace};
use crate::desk::Desk;
use crate::schema::keeps;

/// Twelve mutants of the smallest block, some cheap ones of which any lockstep must find.
const WORDS: &str = "mutate gtsc_rst --count 12 --cycles 20000 --proof 5";

/// Where yosys is.
fn desk(test: &str) -> Option<Desk> {
    let tools = bodies::tools::folder().ok().flatten();
    if !tools.is_some_and(|(folder, _)| folder.join("python/pyosys").is_dir()) {
        println!("skipped: no pyosys");
        return None;
    }
    Desk::new(test)
}

#[test]
fn mutants_are_killed_or_listed_with_their_lines() {
    let Some(desk) = desk("mutate") else { return };
    let left = desk.passes(&format!("{WORDS} --json m.json"));
    keeps(&desk, "mutate", "m.json");
    let report = desk.json("m.json");
    let mutants = report["mutants"].as_array().unwrap();
    assert_eq!(mutants.len(), 12);
    let mut killed = 0;
    for mutant in mutants {
        let source = mutant["source"].as_str().unwrap();
        let (file, line) = source.rsplit_once(':').unwrap();
        assert!(file.starts_with("rtl/") && line.parse::<u32>().is_ok(), "{mutant}");
        match &mutant["fate"]["killed"] {
            fate if fate.is_object() => {
                let said = fate["said"].as_str().unwrap();
                let by_lockstep = said.starts_with("model and RTL differ at cycle ");
                let by_assertion = said.starts_with("assertion ") && said.contains(" at cycle ");
                let by = fate["by"].as_str().unwrap();
                assert_eq!((by_lockstep, by_assertion), (by == "lockstep", by == "assertion"));
                killed += 1;
            }
            _ => {
                let line = format!("{source}  {}", mutant["change"].as_str().unwrap());
                assert!(left.stdout.contains(&line), "{mutant}");
            }
        }
    }
    assert!(killed >= 9, "{}", left.stdout);
    assert!(left.last_line().contains(&format!("{killed} of ")), "{}", left.stdout);
    // The same again, and in one process at a time.
    let again = desk.passes(&format!("{WORDS} --jobs 1 --json n.json"));
    assert_eq!((&again.stdout, desk.json("n.json")), (&left.stdout, report));
    // With parameters of the seed, which its own runs do not draw again.
    let words = "mutate gtsc_rst --config random --seed 3 --count 3 --cycles 2000 --proof 0";
    let random = desk.passes(words);
    let second = random.stdout.lines().nth(1).unwrap();
    assert!(second.starts_with("drawn  n_sm="), "{}", random.stdout);
    let all = format!("{WORDS} --require 100").replace("20000 --proof 5", "3 --proof 0");
    desk.refuses(4, &all, &["must be 100 %"]);
}

/// Mutants of a run so short that proofs have nearly all of them.
#[test]
fn mutant_that_lockstep_kills_is_never_proven_equivalent() {
    let Some(desk) = desk("mutate-proofs") else { return };
    for (cycles, file) in [(1, "proven.json"), (20_000, "killed.json")] {
        let proof = if cycles == 1 { 20 } else { 0 };
        let words = format!("--count 40 --cycles {cycles} --proof {proof} --json {file}");
        desk.passes(&format!("mutate gtsc_rst {words}"));
    }
    let [proven, killed] = ["proven.json", "killed.json"].map(|file| desk.json(file));
    let pairs =
        proven["mutants"].as_array().unwrap().iter().zip(killed["mutants"].as_array().unwrap());
    let (mut equivalent, mut shown) = (0, 0);
    for (proven, killed) in pairs {
        assert_eq!(proven["change"], killed["change"]);
        let is_killed = killed["fate"]["killed"].is_object();
        let is_equivalent = proven["fate"] == "equivalent";
        assert!(!(is_killed && is_equivalent), "{proven}");
        equivalent += usize::from(is_equivalent);
        shown += usize::from(is_killed && proven["fate"]["survived"]["shown"].is_u64());
    }
    assert!(equivalent > 0 && shown > 0, "{equivalent} equivalent, {shown} shown");
}

/// `rtl/mutants.py` on results that are there: what it says, and its exit status.
fn reasons(desk: &Desk, fates: &str) -> (String, Option<i32>) {
    let report = format!("{{\"cycles\": 7, \"proof\": 60, \"mutants\": [{fates}]}}");
    fs::write(desk.file("gtsc_rst.json"), report).unwrap();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../rtl/mutants.py");
    let left = Command::new("python3")
        .args([script, "--count", "2", "--cycles", "7", "gtsc_rst", "--out"])
        .arg(desk.file("."))
        .env("DUET", env!("CARGO_BIN_EXE_duet"))
        .output()
        .unwrap();
    (String::from_utf8([left.stdout, left.stderr].concat()).unwrap(), left.status.code())
}

#[test]
fn survivor_without_a_reason_and_too_few_killed_are_reported() {
    let Some(desk) = Desk::new("mutate-reasons") else { return };
    let fate =
        |fate: &str| format!("{{\"source\": \"a.sv:1\", \"change\": \"inv b\", \"fate\": {fate}}}");
    let killed = fate("{\"killed\": {\"by\": \"lockstep\", \"cycles\": 7}}");
    let equivalent = fate("\"equivalent\"");
    let survived = fate("{\"survived\": {\"shown\": null}}");
    let (said, status) = reasons(&desk, &format!("{killed}, {equivalent}"));
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("1 of    1 killed (100.0 %),   1 equivalent"), "{said}");
    let (said, status) = reasons(&desk, &format!("{killed}, {survived}"));
    assert_eq!(status, Some(1), "{said}");
    for message in ["gtsc_rst | a.sv:1 | inv b | NO REASON", "50.0 % killed; must be 95 %"] {
        assert!(said.contains(message), "{said}");
    }
}

/// What has no mutants: one has Ibex inside, the other is a chain of blocks.
const LEFT_OUT: [&str; 2] = ["command_processor", "finepack"];
/// What takes longest to build, the longest last.
const LONG: [&str; 4] =
    ["timestamp_l2", "access_validation_unit", "remote_write_queue", "race_detection_unit"];

/// Whether `assertion NAME of ...` names one that the project's RTL has.
fn names_an_assertion(said: &Value) -> bool {
    let name = said.as_str().unwrap().split(' ').nth(1).unwrap();
    // A macro makes two assertions of one name.
    let name = name.trim_end_matches("Valid").trim_end_matches("Data");
    let mut files = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rtl")];
    let mut texts = Vec::new();
    while let Some(path) = files.pop() {
        match path.is_dir() {
            true => files.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path())),
            false if path.extension().is_some_and(|end| end == "sv") => {
                texts.push(fs::read_to_string(path).unwrap());
            }
            false => {}
        }
    }
    let declares = |line: &str| {
        let is_one = line.contains("_ASSERT") || line.contains("_ASSUME");
        is_one && line.contains(&format!("({name}"))
    };
    texts.into_iter().any(|text| text.lines().any(declares))
}

/// Ten mutants of each block in short runs, and no proofs: of those that are left, many are
/// equivalent (`make mutate` tells them apart).
#[test]
fn short_runs_kill_most_mutants_of_a_block() {
    const COUNT: usize = 10;
    let Some(desk) = desk("mutate-each") else { return };
    let names = cosim::blocks::all().into_iter().map(|block| block.name);
    let mut names: Vec<_> = names.filter(|name| !LEFT_OUT.contains(name)).collect();
    // The last one is taken first.
    names.sort_by_key(|name| LONG.iter().position(|long| long == name));
    let blocks = names.len();
    assert!(blocks >= 18, "{names:?}");
    let (next, killed, asserted) = (Mutex::new(names), Mutex::new(0), Mutex::new(0));
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(block) = { next.lock().unwrap().pop() } {
                    let json = format!("{block}.json");
                    let mut words = format!("--count {COUNT} --cycles 5000 --proof 0 --jobs 1");
                    if block == "race_detection_unit" {
                        // A signature for each SM: half the cells of `small`.
                        words += " --set n_sm=2";
                    }
                    desk.passes(&format!("mutate {block} {words} --json {json}"));
                    let report = desk.json(&json);
                    let mutants = report["mutants"].as_array().unwrap();
                    assert_eq!(mutants.len(), COUNT, "{block}");
                    let of_block = mutants.iter().filter(|m| m["fate"]["killed"].is_object());
                    let of_block = of_block.count();
                    assert!(of_block >= COUNT / 2, "{block}: {of_block} of {COUNT}");
                    *killed.lock().unwrap() += of_block;
                    let asserts = |m: &&Value| m["fate"]["killed"]["by"] == "assertion";
                    for mutant in mutants.iter().filter(asserts) {
                        assert!(names_an_assertion(&mutant["fate"]["killed"]["said"]), "{mutant}");
                        *asserted.lock().unwrap() += 1;
                    }
                }
            });
        }
    });
    let (killed, all) = (killed.into_inner().unwrap(), blocks * COUNT);
    assert!(killed * 10 >= all * 8, "{killed} of {all}");
    let asserted = asserted.into_inner().unwrap();
    assert!(asserted > 0 && asserted < killed / 2, "{asserted} by assertions");
}

#[test]
fn what_cannot_have_mutants_is_refused() {
    let Some(desk) = desk("mutate-refused") else { return };
    desk.refuses(2, "mutate gtsc_rts", &["block gtsc_rts: must be one of", "gtsc_rst"]);
    desk.refuses(2, "mutate gtsc_rst --config none", &["none"]);
    desk.refuses(2, "mutate gtsc_rst --count 0", &["--count"]);
    desk.refuses(2, "mutate command_processor", &["it contains Ibex"]);
    fs::create_dir(desk.file("empty")).unwrap();
    let empty = desk.file("empty");
    let tools = [("DUET_TOOLS", empty.to_str().unwrap())];
    desk.refuses_in(&tools, 5, WORDS, &["no pyosys was found", "make setup"]);
    // RTL that yosys does not read.
    for folder in ["rtl/common", "rtl/timestamp/gtsc_rst"] {
        fs::create_dir_all(desk.file(folder)).unwrap();
    }
    fs::write(
        desk.file("rtl/timestamp/gtsc_rst/gtsc_rst.sv"),
        "module gtsc_rst (input nosuch_t a);",
    )
    .unwrap();
    let message = ["gtsc_rst: yosys rejects the RTL", "nosuch_t"];
    desk.refuses(2, &format!("{WORDS} --rtl rtl"), &message);
}

/// Such RTL would have all mutants count as killed.
#[test]
fn rtl_that_differs_without_a_mutant_is_refused_even_where_only_a_longer_run_shows_it() {
    let Some(desk) = desk("mutate-differs") else { return };
    let block = copy_of(&desk, &["common", "timestamp", "timestamp/gtsc_rst"])
        .join("timestamp/gtsc_rst/gtsc_rst.sv");
    // More cycles than the shortest run has in this state.
    replace(
        &block,
        "if (halt_o) counters_d",
        "if (halt_o && counters_q.halt_cycles != 32'd1500) counters_d",
    );
    let message = ["gtsc_rst: without a mutant: model and RTL differ at cycle "];
    desk.refuses(1, &format!("{WORDS} --rtl rtl"), &message);
}
