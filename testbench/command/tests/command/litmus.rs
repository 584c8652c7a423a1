//! `duet litmus` as a command.

use std::collections::BTreeSet;
use std::fs;

use crate::desk::Desk;
use crate::schema::keeps;

const FILE: &str = "PTX file
{ x=0; y=0; }
 P0@cta 0,gpu 0      | P1@cta 1,gpu 0      ;
 st.weak x, 1        | ld.acquire.gpu r0, y ;
 st.release.gpu y, 1 | ld.weak r1, x        ;
exists (P1:r0 == 1 /\\ P1:r1 == 0)
";

const OPENCL: &str = "OPENCL MP
{ [x]=0; [y]=0; }
P0 (global int* x, global atomic_int* y) {
  *x = 1;
  atomic_store_explicit(y, 1, memory_order_release, memory_scope_device);
}
P1 (global int* x, global atomic_int* y) {
  int r0 = atomic_load_explicit(y, memory_order_acquire); int r1 = *x;
}
exists (1:r0=1 /\\ 1:r1=0)
";

/// Files of other suites: PTX with plain accesses and several texts, OpenCL C.
#[test]
fn other_dialects_run() {
    let desk = Desk::on_any_build("litmus-dialects");
    let plain = FILE.replace(".weak", "").replace("{", "\"one\"\n\"two\"\n{");
    fs::write(desk.file("plain.litmus"), plain.replace("PTX file", "PTX plain")).unwrap();
    fs::write(desk.file("mp.litmus"), OPENCL).unwrap();
    let left = desk.passes("litmus plain.litmus mp.litmus --runs 10 --design none/software");
    assert!(left.last_line().starts_with("PASS litmus: 2 tests on 1 design, 20 runs"));
}

#[test]
fn outcomes_are_counted_and_keep_to_their_schema() {
    let desk = Desk::on_any_build("litmus");
    fs::write(desk.file("file.litmus"), FILE).unwrap();
    let words = "litmus file.litmus SB MP+narrow --design gtsc-rc --design none/software";
    let left = desk.passes(&format!("{words} --runs 100 --json l.json"));
    keeps(&desk, "litmus", "l.json");
    let report = desk.json("l.json");
    assert_eq!((&report["runs"], &report["forbidden"]), (&600.into(), &0.into()));
    let rows = report["rows"].as_array().unwrap();
    for row in rows {
        let seen: u64 =
            row["seen"].as_object().unwrap().values().map(|n| n.as_u64().unwrap()).sum();
        assert_eq!(seen, row["runs"], "{row}");
        let never = row["never"].as_array().unwrap().len() as u64;
        let kinds = row["seen"].as_object().unwrap().len() as u64;
        assert_eq!(row["allowed"], never + kinds, "{row}");
        for field in ["test", "design", "promise"] {
            assert!(left.stdout.contains(row[field].as_str().unwrap()), "{row}");
        }
    }
    let tests: BTreeSet<_> = rows.iter().map(|row| row["test"].as_str().unwrap()).collect();
    assert_eq!(tests, BTreeSet::from(["file", "SB", "MP+narrow"]));
    assert_eq!(
        left.last_line(),
        "PASS litmus: 3 tests on 2 designs, 600 runs, no forbidden outcome"
    );
    // The same with another number of threads.
    let again = desk.passes(&format!("{words} --runs 100 --threads 1 --json m.json"));
    assert_eq!((&again.stdout, desk.json("m.json")), (&left.stdout, report));
}

#[test]
fn a_forbidden_outcome_is_a_failure_with_its_first_run() {
    let desk = Desk::on_any_build("litmus-forbidden");
    let words = "litmus MP+fences --design tc-weak --set timestamp.without=tc-fence --runs 2000";
    let left = desk.duet(&format!("{words} --json l.json"));
    assert_eq!(left.status, 4, "{}{}", left.stdout, left.stderr);
    assert!(left.stdout.contains("  forbidden P1:r0=1 P1:r1=0, "), "{}", left.stdout);
    assert!(left.stdout.contains("kernel "), "{}", left.stdout);
    assert!(left.last_line().starts_with("FAIL litmus: 1 test on 1 design, 2000 runs, "));
    keeps(&desk, "litmus", "l.json");
    assert_eq!(desk.json("l.json")["verdict"], "FAIL");
    desk.passes(&words.replace("--set timestamp.without=tc-fence ", ""));
}

#[test]
fn shapes_are_shown_as_files() {
    let desk = Desk::on_any_build("litmus-show");
    let names = desk.duet("litmus all --show").stdout;
    assert!(names.lines().any(|name| name == "IRIW+fences"), "{names}");
    let text = desk.duet("litmus MP+fences --show").stdout;
    assert!(text.starts_with("PTX MP+fences\n") && text.contains("fence.sc.gpu"), "{text}");
}

#[test]
fn what_is_wrong_is_named() {
    let desk = Desk::on_any_build("litmus-refused");
    fs::write(desk.file("word.litmus"), FILE.replace("st.release.gpu", "st.releese.gpu")).unwrap();
    let wrong = ["word.litmus:5: \"releese\": must be one of weak, relaxed, release", "release?"];
    desk.refuses(2, "litmus word.litmus", &wrong);
    fs::write(desk.file("gpus.litmus"), FILE.replace("cta 1,gpu 0", "cta 0,gpu 1")).unwrap();
    desk.passes("litmus gpus.litmus --runs 10 --design none");
    let alone = ["file: threads on several GPUs: none of the designs runs on several GPUs"];
    desk.refuses(2, "litmus gpus.litmus --design stc-mb", &alone);
    fs::write(desk.file("spin.litmus"), FILE.replace(" st.weak x, 1       ", " L0:")).unwrap();
    let label =
        ["spin.litmus:4: \"L0\": labels and branches are refused: a trace holds the values"];
    desk.refuses(2, "litmus spin.litmus", &label);
    fs::write(desk.file("if.litmus"), OPENCL.replace("int r1 = *x;", "if (r0) r1 = *x;")).unwrap();
    let branch = ["if.litmus:8: \"if\": labels and branches are refused: a trace holds the values"];
    desk.refuses(2, "litmus if.litmus", &branch);
    desk.refuses(
        2,
        "litmus MP+fence",
        &["MP+fence: must be a litmus file, or one of", "MP+fences"],
    );
    desk.refuses(2, "litmus MP MP", &["there is a test MP already"]);
    desk.refuses(2, "litmus MP --design gtsc", &["--design gtsc: must be one of", "gtsc-rc"]);
    desk.refuses(2, "litmus MP --design src/own", &["--design src/own: must be one of"]);
    desk.refuses(2, "litmus MP --impl nothing=rtl", &["--impl nothing=rtl: no design has such"]);
    desk.refuses(2, "litmus MP --impl timestamp_l1", &["must be PLACES=model|rtl|lockstep"]);
    desk.refuses(2, "litmus MP --set l1.ways=many", &["l1.ways"]);
    desk.refuses(2, "litmus MP --runs 0", &["--runs"]);
    desk.refuses(2, "litmus", &["FILE|NAME|all"]);
}

#[test]
fn rtl_takes_the_place_of_models() {
    let Some(desk) = Desk::new("litmus-rtl") else { return };
    let words = "litmus MP+fences SB --runs 100 --impl gtsc_rst=rtl";
    let left = desk.passes(&format!("{words} --json l.json"));
    assert!(left.last_line().contains("2 tests on 2 designs, 400 runs"), "{}", left.stdout);
    let models = words.replace("=rtl", "=model");
    desk.passes(&format!("{models} --json m.json"));
    assert_eq!(desk.json("l.json"), desk.json("m.json"));
}
