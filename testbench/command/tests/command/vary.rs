//! `duet compare --vary`: designs and settings side by side.

use serde_json::Value;

use crate::desk::Desk;

const REUSE: &str = "--workload reuse --set workload.size=4096";
const SMALL: &str = "compare --system cpelide-4-small";

/// The run of `duet run` with these settings.
fn cycles(desk: &Desk, words: &str) -> u64 {
    desk.passes(&format!("run --system cpelide-4-small {words} --json one.json"));
    desk.json("one.json")["cycles"].as_u64().unwrap()
}

#[test]
fn cycles_speedups_and_ranges_are_those_of_the_single_runs() {
    let desk = Desk::on_any_build("vary");
    let words = format!("{SMALL} {REUSE} --vary l2.design=software,hmg --perturbed 2");
    let left = desk.passes(&format!("{words} --json c.json --csv c.csv"));
    let json = desk.json("c.json");
    assert_eq!(json["verdict"], "PASS");
    let mut of = Vec::new();
    for design in ["software", "hmg"] {
        let words = format!("{REUSE} --set l2.design={design}");
        let seeds = ["", " --perturb 1", " --perturb 2"];
        of.push(seeds.map(|perturb| cycles(&desk, &format!("{words}{perturb}"))));
    }
    let runs = json["runs"].as_array().unwrap();
    for (run, expected) in runs.iter().zip(&of) {
        assert_eq!(run["cycles"], expected[0]);
        assert_eq!(run["perturbed_cycles"], Value::from(&expected[1..]));
        for (at, speedup) in run["speedup"].as_array().unwrap().iter().enumerate() {
            let expected = of[0][at] as f64 / expected[at] as f64;
            assert!((speedup.as_f64().unwrap() - expected).abs() < 1e-12, "{speedup} {expected}");
        }
    }
    let speedup = of[0][0] as f64 / of[1][0] as f64;
    let row = left.stdout.lines().find(|line| line.starts_with("hmg ")).unwrap();
    assert!(row.contains(&format!("  {speedup:.2}  ")), "{row}");
    // A line for each run, below the head.
    let csv = desk.read("c.csv");
    let lines: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(lines.len(), 1 + 6);
    assert!(lines.iter().all(|line| line.len() == lines[0].len()));
    let cycles = lines[0].iter().position(|name| *name == "cycles").unwrap();
    let all: Vec<u64> = lines[1..].iter().map(|line| line[cycles].parse().unwrap()).collect();
    assert_eq!(all, of.concat());
}

#[test]
fn several_programs_have_a_row_each_and_a_geometric_mean() {
    let desk = Desk::on_any_build("vary-programs");
    let words = "--workload reuse --workload copy --set workload.size=4096 --perturbed 0";
    let words = format!("{SMALL} {words} --vary l2.bytes=34816,139264 --seed 1 --seed 2");
    let left = desk.passes(&format!("{words} --json c.json"));
    let json = desk.json("c.json");
    assert_eq!(json["runs"].as_array().unwrap().len(), 8);
    let product: f64 = json["runs"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|run| run["variant"] == 1)
        .map(|run| run["speedup"][0].as_f64().unwrap())
        .product();
    let mean = json["variants"][1]["speedup"][0].as_f64().unwrap();
    assert!((mean - product.powf(0.25)).abs() < 1e-12, "{mean}");
    for row in ["program ", "reuse ", "copy ", "geometric mean "] {
        assert!(left.stdout.lines().any(|line| line.starts_with(row)), "{row}{}", left.stdout);
    }
    let row = left.stdout.lines().find(|line| line.starts_with("geometric mean")).unwrap();
    assert!(row.trim_end().ends_with(&format!("{mean:.2}")), "{row}");
}

#[test]
fn a_page_shows_the_runs_by_what_varies() {
    let desk = Desk::on_any_build("vary-page");
    let words = format!("{SMALL} {REUSE} --vary l2.bytes=34816,139264 --perturbed 1");
    desk.passes(&format!("{words} --report page.html --json c.json"));
    let (page, json) = (desk.read("page.html"), desk.json("c.json"));
    for name in ["34816", "139264"] {
        assert!(page.contains(&format!("<b>{name}</b>")), "{name}");
    }
    let speedup = json["runs"][1]["speedup"][0].as_f64().unwrap();
    assert!(page.contains(&format!(">{speedup:.2}<")), "{speedup}");
}

/// A design as its paper ran it sets several fields and the program's size; a field that the
/// command line sets counts for more.
#[test]
fn a_papers_design_sets_all_fields_that_it_ran_with() {
    let desk = Desk::on_any_build("vary-design");
    let words = format!("{SMALL} --workload copy --set workload.size=4096");
    let vary = "--vary design=software,hmg,cpelide --perturbed 0";
    let left =
        desk.passes(&format!("{words} {vary} --set command_processor.ahead=false --json c.json"));
    let json = desk.json("c.json");
    let set = &json["variants"][2]["set"];
    for (field, value) in [
        ("l2.design", "cpelide"),
        ("l2.policy", "home-forward"),
        ("command_processor.home_aware", "true"),
        ("command_processor.ahead", "false"),
        ("command_processor.host", "core"),
    ] {
        assert_eq!(set[field], value, "{field}");
    }
    assert_eq!(json["variants"][1]["set"]["directory.writes"], "through");
    let same = "--set l2.design=cpelide --set l2.policy=home-forward \
                --set command_processor.home_aware=true --cp iss";
    let size = "--workload copy --set workload.size=4096 --set workload.iterations=10";
    assert_eq!(json["runs"][2]["cycles"], cycles(&desk, &format!("{size} {same}")));
    assert!(left.stdout.contains("cpelide sets l2.design=cpelide"), "{}", left.stdout);
    let lost = "cpelide is not in its published configuration: other settings override \
                command_processor.ahead=true";
    assert!(left.stdout.replace("\n  ", " ").contains(lost), "{}", left.stdout);
}

#[test]
fn notes_name_constants_unpublished_configurations_and_variation() {
    let desk = Desk::on_any_build("vary-notes");
    let left = desk.passes(&format!("{SMALL} {REUSE} --vary l2.design=software,cpelide"));
    let text = left.stdout.replace("\n  ", " ");
    for note in [
        "cpelide is not in its published configuration, which has l2.policy=home-forward",
        "launch latency 1 % of the time; a packet takes 3602 cycles",
        "this system is scaled by 1/60, launches are not",
    ] {
        assert!(text.contains(note), "{note}: {text}");
    }
    assert!(left.stdout.lines().all(|line| line.chars().count() <= 100), "{}", left.stdout);
    // Nothing of this machine has a misses' limit that this program reaches, so both are the same.
    let same = format!("{SMALL} {REUSE} --vary l2.misses=448,449 --perturbed 1");
    assert!(!desk.passes(&same).stdout.contains("run-to-run"));
}

#[test]
fn what_cannot_vary_is_refused_before_anything_runs() {
    let desk = Desk::on_any_build("vary-refused");
    let base = format!("{SMALL} {REUSE} --json c.json");
    let many: Vec<_> = (1..=300).map(|n| (n * 4096).to_string()).collect();
    let many = format!("l3.bytes={}", many.join(","));
    for (vary, expected) in [
        ("l2.design", &["--vary l2.design", "must be FIELD=A,B,..."][..]),
        ("l2.design=", &["must be FIELD=A,B,..."]),
        ("l2.design=software,", &["must be FIELD=A,B,..."]),
        ("l2.design=software,software", &["a value is named twice"]),
        ("l2.desgin=software", &["l2.desgin", "did you mean l2.design?"]),
        ("l2.design=softwar", &["softwar", "software"]),
        ("design=cpelid", &["software, hmg, cpelide", "did you mean cpelide?"]),
        ("impl=model,rtk", &["rtk is not model, rtl or lockstep; did you mean rtl?"]),
        // A directory has a policy of its own.
        ("design=hmg --vary l2.policy=private,home-forward", &["l2.policy", "of its own"]),
        ("l2.bytes=1000", &["l2.bytes: 1000: must be"]),
        (&many, &["1200 runs; at most 1000"]),
    ] {
        desk.refuses(2, &format!("{base} --vary {vary}"), expected);
        assert!(!desk.file("c.json").exists(), "{vary}");
    }
    for (words, expected) in [
        ("--vary l2.design=software --vary l2.design=hmg", "the field is varied already"),
        ("--vary l2.design=software,hmg --perturb 1", "it is --perturbed N"),
        ("--csv c.csv", "only with --vary"),
        ("--workload copy", "only with --vary"),
        // No combination reads it.
        ("--vary l2.design=software,cpelide --set directory.entries=64", "has no directory"),
    ] {
        desk.refuses(2, &format!("{base} {words}"), &[expected]);
    }
    // One of them reads it.
    desk.passes(&format!(
        "{base} --vary l2.design=software,hmg --set directory.entries=3072 --perturbed 0"
    ));
}

#[test]
fn a_failed_run_fails_the_comparison_with_its_status() {
    let desk = Desk::on_any_build("vary-failed");
    let words = format!("{SMALL} {REUSE} --vary l2.design=software,none --perturbed 0");
    let left = desk.duet(&format!("{words} --json c.json"));
    assert_eq!(left.status, 4, "{}", left.stderr);
    assert!(left.stderr.contains("1 of 2 runs failed"), "{}", left.stderr);
    assert!(left.stdout.lines().any(|line| line.starts_with("none ") && line.ends_with("failed")));
    let json = desk.json("c.json");
    assert_eq!((&json["verdict"], &json["runs"][1]["cycles"]), (&"FAIL".into(), &Value::Null));
}

#[test]
fn models_and_rtl_in_a_table_have_the_same_cycles() {
    let Some(desk) = Desk::new("vary-impl") else { return };
    let words = "compare --system cpelide-2-small --workload reuse --set workload.size=1024";
    desk.passes(&format!("{words} --vary impl=model,lockstep --perturbed 1 --json c.json"));
    let json = desk.json("c.json");
    assert_eq!(json["runs"][0]["cycles"], json["runs"][1]["cycles"]);
    assert_eq!(json["runs"][0]["counters"], json["runs"][1]["counters"]);
}
