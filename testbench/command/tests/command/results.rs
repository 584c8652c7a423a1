//! Results of `duet run` and `duet compare`: verdict, JSON, the same on all bodies.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::desk::Desk;
use crate::two_gpus::{BLOCKS, REUSE, TWO_GPUS, kept_trace, on};

#[test]
fn cycle_limit_ends_with_status_3_and_says_so_in_the_json() {
    let desk = Desk::on_any_build("run-limit");
    let words = format!("run {TWO_GPUS} {REUSE} --max-cycles 5000 --json r.json");
    desk.refuses(3, &words, &["5000"]);
    let json = desk.json("r.json");
    assert_eq!((&json["verdict"], &json["values"]["mismatches"]), (&"FAIL".into(), &0.into()));
}

/// A machine whose L2s are neither released nor acquired is wrong on purpose.
#[test]
fn wrong_value_ends_with_status_4_and_shows_the_life_of_the_byte() {
    let desk = Desk::on_any_build("run-wrong");
    let words = "run --system cpelide-4-small --workload reuse --set l2.design=none --json r.json";
    desk.refuses(4, words, &["life of byte", "wrong value"]);
    assert_eq!(desk.json("r.json")["values"]["mismatches"], 1);
}

#[test]
fn result_holds_the_blocks_and_the_resolved_system_runs_again_to_the_same_result() {
    let desk = Desk::on_any_build("run-json");
    desk.passes(&format!("run {TWO_GPUS} {REUSE} --json out/r.json"));
    let json = desk.json("out/r.json");
    for key in ["verdict", "system", "workload", "seed", "cycles", "time_ns", "values", "counters"]
    {
        assert!(!json[key].is_null(), "{key}");
    }
    for block in BLOCKS {
        let found = &json["blocks"][block];
        assert_eq!((&found["impl"], &found["instances"]), (&"model".into(), &2.into()), "{block}");
        let moved: u64 =
            found["transfers"].as_object().unwrap().values().map(|n| n.as_u64().unwrap()).sum();
        assert!(moved > 0 && found["cycles"].as_u64().unwrap() > 0, "{block}");
    }
    let blocks = &json["blocks"];
    let sent = &blocks["packetizer"]["transfers"]["tlp"];
    assert_eq!(sent, &blocks["depacketizer"]["transfers"]["tlp"]);
    assert_eq!(
        blocks["remote_write_queue"]["transfers"]["drain"],
        blocks["packetizer"]["transfers"]["drain"]
    );
    desk.passes(&format!("run --system out/r.system.toml {REUSE} --json again.json"));
    assert_eq!(desk.read("out/r.json"), desk.read("again.json"));
}

/// What is printed of kernels adds up to the run.
#[test]
fn shares_of_kernels_and_launches_are_the_whole_run() {
    let desk = Desk::on_any_build("run-shares");
    for words in [
        format!("run {TWO_GPUS} {REUSE}"),
        // Ten kernels by name.
        "run --system cpelide-4-small --workload multigrid".to_string(),
        "run --system stc-8cu-small --workload rnn".to_string(),
    ] {
        let left = desk.passes(&words);
        let table = left.stdout.split_once("launches  kernel\n").expect("a head").1;
        let (mut shares, mut cycles, mut rows) = (0.0, 0, 0);
        for line in table.lines().take_while(|line| line.contains(" % ")) {
            let cells: Vec<_> = line.split_whitespace().collect();
            shares += cells[0].parse::<f64>().unwrap();
            cycles += cells[2].parse::<u64>().unwrap();
            rows += 1;
        }
        assert!(table.contains(" (firmware)\n"), "{table}");
        assert!(table.contains(&format!(": {cycles} cycles, 0 wrong values")), "{words}: {table}");
        assert!((shares - 100.0).abs() < 0.1 * rows as f64, "{words}: {shares} %");
    }
}

/// The text, the JSON and the page say that launches were skipped, and agree; without the option
/// nothing does.
#[test]
fn sampled_result_says_so_everywhere() {
    let desk = Desk::on_any_build("run-sampled");
    let words = "run --system cpelide-4-small --workload pagerank --set workload.size=256 \
                 --set workload.iterations=30 --report r.html --json r.json";
    let full = desk.passes(words);
    let full_json = desk.json("r.json");
    assert!(full_json["sampled"].is_null() && !full.stdout.contains("sampled"));
    assert!(!desk.read("r.html").contains("sampled: this page"));
    let left = desk.passes(&format!("{words} --sample"));
    let (json, first) = (desk.json("r.json"), left.stdout.lines().next().unwrap_or_default());
    assert!(first.ends_with("  sampled"), "{first}");
    let number = |name: &str| json["sampled"][name].as_u64().unwrap();
    let (low, high, cycles) =
        (number("cycles_low"), number("cycles_high"), json["cycles"].as_u64().unwrap());
    let all = full_json["cycles"].as_u64().unwrap();
    assert!(low < cycles && cycles < high && (low..=high).contains(&all), "{low} {all} {high}");
    let launches = (number("simulated_launches"), number("launches"));
    assert_eq!(launches.1, 60);
    assert!(launches.0 < 30 && number("simulated_cycles") < all / 2);
    let pass = format!(": {cycles} cycles (sampled, {low} to {high}), 0 wrong values");
    assert!(left.stdout.contains(&pass), "{}", left.stdout);
    assert!(left.stdout.contains(&format!("{} of 60 launches simulated", launches.0)));
    let page = desk.read("r.html");
    assert!(page.contains(&format!("sampled: this page shows {} of 60 launches", launches.0)));
    // Kernels add up to all launches and cycles.
    let sum = |json: &Value, field: &str| -> u64 {
        json["kernels"].as_array().unwrap().iter().map(|k| k[field].as_u64().unwrap()).sum()
    };
    assert_eq!((sum(&json, "launches"), sum(&json, "cycles")), (60, cycles));
    let accesses = |json: &Value| json["counters"]["cu.accesses"].as_f64().unwrap();
    assert!((accesses(&json) / accesses(&full_json) - 1.0).abs() < 0.02);
}

#[test]
fn counters_of_a_result_are_those_that_list_explains() {
    let desk = Desk::on_any_build("run-counters");
    desk.passes(&format!("run {TWO_GPUS} {REUSE} --json r.json"));
    let list: Value = serde_json::from_str(&desk.duet("list --json").stdout).unwrap();
    let known: Vec<_> =
        list["counters"].as_array().unwrap().iter().map(|c| c["name"].as_str().unwrap()).collect();
    for name in desk.json("r.json")["counters"].as_object().unwrap().keys() {
        let explained = known.iter().any(|k| match k.strip_suffix('*') {
            Some(group) => name.starts_with(group),
            None => k == name,
        });
        assert!(explained, "{name}");
    }
}

/// A gate that slept once took a cycle of the links too early, where the machine's clock is not
/// theirs.
#[test]
fn result_is_the_same_twice_and_on_every_body_but_for_the_bodys_name() {
    let Some(desk) = Desk::new("run-bodies") else { return };
    let dump = "--dump-tlp";
    let run = |name: &str, bodies: &str| {
        let words = format!("run {TWO_GPUS} {REUSE}{bodies} --json {name}.json {dump} {name}.txt");
        desk.passes(&words);
        desk.read(&format!("{name}.json"))
    };
    let model = run("model", &on("model"));
    assert_eq!(model, run("again", ""));
    for body in ["rtl", "lockstep"] {
        let as_model = run(body, &on(body)).replace(&format!("{body:?}"), "\"model\"");
        assert_eq!(as_model, model, "{body}");
        assert_eq!(desk.read(&format!("{body}.txt")), desk.read("model.txt"), "{body}");
    }
    assert!(desk.read("model.txt").lines().count() > 100);
}

#[test]
fn threads_change_no_byte_of_results_and_messages() {
    let desk = Desk::on_any_build("run-threads");
    let same = |words: &str, status: i32| {
        let [one, two, three] = [1, 2, 3].map(|threads| {
            let json = desk.file("r.json");
            let _ = fs::remove_file(&json);
            let left = desk.duet(&format!("{words} --threads {threads} --json r.json"));
            assert_eq!(left.status, status, "{words}: {}", left.stderr);
            // How many threads simulate is said beside the messages of the run.
            let (notes, messages): (Vec<_>, Vec<_>) =
                left.stderr.lines().partition(|line| line.starts_with("duet: note: --threads"));
            assert!(notes.len() <= usize::from(threads > 1), "{words}: {notes:?}");
            let one_chiplet = words.contains("stc-8cu-small") && threads > 1;
            assert!(!one_chiplet || notes.len() == 1, "{words} --threads {threads}");
            (left.stdout, messages.join("\n"), fs::read(json).unwrap())
        });
        assert!(one == two, "{words}:\n{one:?}\n{two:?}");
        assert!(one == three, "{words}:\n{one:?}\n{three:?}");
        String::from_utf8(one.2).unwrap()
    };
    same(&format!("run {TWO_GPUS} {REUSE}"), 0);
    same(&format!("run {TWO_GPUS} --workload pagerank_push --set workload.size=256"), 0);
    same(&format!("run {TWO_GPUS} {REUSE} --set workload.shift=1152"), 0);
    same("run --system cpelide-4-small --workload reuse --set l2.design=none", 4);
    // Damage in the first work-groups, and further on.
    let mut whole = kept_trace();
    for at in [whole.len() / 10, whole.len() / 2] {
        whole[at] ^= 1;
        fs::write(desk.file("bad.trace"), &whole).unwrap();
        let json = same("run --system stc-8cu-small --workload bad.trace", 2);
        assert!(json.contains("FAIL"), "{json}");
        whole[at] ^= 1;
    }
    if bodies::ready("cp_crossbar").is_ok() {
        same(&format!("compare {TWO_GPUS} {REUSE}"), 0);
    }
}

#[test]
fn models_and_rtl_compare_equal() {
    let Some(desk) = Desk::new("compare") else { return };
    let compare = |words: &str| {
        let left = desk.passes(&format!("compare {words} --json c.json"));
        assert!(left.last_line().contains("transfers in the same cycles"), "{}", left.last_line());
        desk.json("c.json")
    };
    let json = compare(&format!("{TWO_GPUS} {REUSE}"));
    assert_eq!(json["cycles"]["model"], json["cycles"]["rtl"]);
    for block in BLOCKS {
        for side in ["model", "rtl"] {
            assert!(json["blocks"][block]["busy_cycles"][side].as_u64() > Some(0), "{block}");
        }
    }
    assert_eq!((&json["counters"], &json["verdict"]), (&serde_json::json!({}), &"PASS".into()));
    // The regular program of the tests hides what a gate that slept did wrong.
    let trace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces/workloads/bfs.trace");
    let machine = "--system cpelide-4-small --set machine.gpus=2";
    compare(&format!("{machine} --workload {}", trace.display()));
    // Other paths have a de-packetizer at their end.
    let json = compare(&format!("{TWO_GPUS} {REUSE} --set egress.design=write-combine"));
    let names: Vec<_> = json["blocks"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["cp_crossbar", "depacketizer", "local_command_processor"]);
    desk.refuses(
        3,
        &format!("compare {TWO_GPUS} {REUSE} --max-cycles 5000"),
        &["on model", "5000"],
    );
}
