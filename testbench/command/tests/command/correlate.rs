//! `duet correlate` as a command: on a kept capture of `copy1 16384`, and on measurements that are
//! made up.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use traces::opencl::Tools;

use crate::desk::Desk;
use crate::schema::keeps;

/// The programs, measurements and kept traces.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../correlation");
/// A small machine, with all that counts as a GPU does.
const SYSTEM: &str = "--system cpelide-4-small --set cu.issue=scoreboard --set l1.sector=32 \
                      --set l2.sector=32";
/// Counters of a measurement, and the machine's names of them.
const COUNTERS: [(&str, &str); 7] = [
    ("l1_load_requests", "cu.load_instructions"),
    ("l1_load_sectors", "l1.load_sectors"),
    ("l1_load_sector_hits", "l1.sector_hits"),
    ("l2_read_sectors", "l2.read_sectors"),
    ("l2_write_sectors", "l2.write_sectors"),
    ("dram_read", "memory.bytes_read"),
    ("warp_instructions", "cu.warp_instructions"),
];

/// A legal measurement of a launch of `copy1 16384`, under the name of any program.
fn record(program: &str, cycles: u64) -> Value {
    json!({
        "program": program, "n": 16384, "m": 0, "launch": 0, "kernel": "copy1", "grid": 64,
        "block": 256, "cycles": cycles, "time": cycles as f64 / 1000.0,
        "l1_load_requests": 512.0, "l1_load_sectors": 2048, "l1_load_sector_hits": 0,
        "l2_read_sectors": 60_000, "l2_write_sectors": 2048, "dram_read": 65_536,
        "warp_instructions": 8192,
    })
}

/// A desk with traces of these programs, all of them the kept one.
fn desk(test: &str, programs: &[&str]) -> Desk {
    let desk = Desk::on_any_build(test);
    let kept = Path::new(FOLDER).join("traces/copy1-16384-0.trace");
    fs::create_dir(desk.file("traces")).unwrap();
    for program in programs {
        fs::copy(&kept, desk.file(&format!("traces/{program}-16384-0.trace"))).unwrap();
    }
    desk
}

fn write(desk: &Desk, name: &str, records: &[Value]) {
    fs::write(desk.file(name), serde_json::to_vec(records).unwrap()).unwrap();
}

#[test]
fn measurements_that_cannot_be_are_refused_with_place_and_values() {
    let desk = desk("correlate-refused", &["copy1"]);
    let place = "m.json: record 0 (copy1-16384-0, launch 0): ";
    for (field, value, message) in [
        ("cycles", json!("5457"), "cycles = \"5457\": must be a number above 0"),
        ("cycles", json!(0), "cycles = 0: must be a number above 0"),
        ("cycles", Value::Null, "cycles is missing"),
        ("time", json!(5457.0), "cycles = 5457, time = 5457: a clock of 1.0 MHz"),
        ("time", json!(0.0005), "time must be in microseconds"),
        ("kernel", json!(1), "kernel = 1: must be a text"),
        ("grid", json!([64, 1, 1]), "grid = [64,1,1]: must be a whole number from 0 on"),
        ("block", json!(-1), "block = -1: must be a whole number from 0 on"),
        ("l1_load_requests", json!(512.5), "l1_load_requests = 512.5: must be a whole number"),
        ("l1_load_requests", json!(31), "l1_load_sectors = 2048, l1_load_requests = 31: at most"),
        ("l1_load_sector_hits", json!(2049), "2049: more than l1_load_sectors = 2048"),
        ("l2_read_sectors", Value::Null, "l2_read_sectors is missing"),
        ("l2_write_sectors", json!(true), "l2_write_sectors = true: must be a whole number"),
        ("dram_read", json!(66.75), "dram_read = 66.75: must be a whole number"),
        ("dram_read", json!(2049), "dram_read = 2049: must be in bytes, a multiple of 32"),
        ("warp_instructions", Value::Null, "warp_instructions is missing"),
        ("launch", json!(1), "(copy1-16384-0, launch 1): launch = 1: must be 0"),
        ("n", json!(1u64 << 32), "n = 4294967296: must be below 2^32"),
        ("program", json!("../x"), "program = \"../x\": must be letters, digits and underscores"),
    ] {
        let mut wrong = record("copy1", 5457);
        match value {
            Value::Null => drop(wrong.as_object_mut().unwrap().remove(field)),
            value => wrong[field] = value,
        }
        write(&desk, "m.json", &[wrong]);
        let words = format!("correlate m.json {SYSTEM} --traces traces");
        let parts = [message, if ["launch", "n", "program"].contains(&field) { "" } else { place }];
        desk.refuses(2, &words, &parts);
    }
    for (text, message) in [
        ("{}", "m.json: must be an array of objects"),
        ("[1]", "m.json: must be an array of objects"),
        ("[]", "m.json: no launch"),
        ("", "m.json: must be an array of objects"),
    ] {
        fs::write(desk.file("m.json"), text).unwrap();
        desk.refuses(2, &format!("correlate m.json {SYSTEM} --traces traces"), &[message]);
    }
    write(&desk, "m.json", &[record("a", 5000), record("b", 5000), record("a", 5000)]);
    let follow = "record 2 (a-16384-0, launch 0): the launches of a case must follow one another";
    desk.refuses(2, &format!("correlate m.json {SYSTEM} --traces traces"), &[follow]);
    desk.refuses(2, &format!("correlate none.json {SYSTEM}"), &["none.json: "]);
}

#[test]
fn launches_that_are_not_the_traces_are_refused_with_both_values() {
    let desk = desk("correlate-other", &["copy1"]);
    let second = {
        let mut second = record("copy1", 5457);
        second["launch"] = 1.into();
        second
    };
    let with = |field: &str, value: Value| {
        let mut other = record("copy1", 5457);
        other[field] = value;
        other
    };
    let trace = "traces/copy1-16384-0.trace has ";
    for (records, message) in [
        (vec![with("kernel", json!("copy2"))], "launch 0: kernel = copy2: % copy1"),
        (vec![with("grid", json!(65))], "launch 0: grid = 65: % 64"),
        (vec![with("block", json!(128))], "launch 0: block = 128: % 256"),
        (vec![record("copy1", 5457), second], "launch 1: launches = 2: % 1"),
    ] {
        write(&desk, "m.json", &records);
        let words = format!("correlate m.json {SYSTEM} --traces traces");
        let message = format!("m.json: copy1-16384-0, {}", message.replace("% ", trace));
        desk.refuses(2, &words, &[&message]);
    }
    write(&desk, "m.json", &[record("mine", 5000)]);
    let words = format!("correlate m.json {SYSTEM} --traces traces");
    let message = "program = mine: is none of suite.h, and traces/mine-16384-0.trace is missing";
    desk.refuses(2, &words, &[message]);
    let words = format!("correlate {SYSTEM} --traces traces --case copy2");
    desk.refuses(2, &words, &["--case copy2: must be one of copy1-16384-0, "]);
    let words = format!("correlate {SYSTEM} --set machine.gpus=2 --case copy1-16384-0");
    desk.refuses(2, &words, &["machine.gpus = 2: must be 1: measurements are of one GPU"]);
}

#[test]
fn without_a_trace_and_oclgrind_the_way_to_install_it_is_shown() {
    let desk = desk("correlate-tools", &[]);
    write(&desk, "m.json", &[record("copy1", 5457)]);
    let path = desk.file("traces").display().to_string();
    let words = format!("correlate m.json {SYSTEM} --traces traces");
    let message = ["a trace is missing in traces, and oclgrind is missing", "apt-get install"];
    desk.refuses_in(&[("PATH", &path)], 5, &words, &message);
}

/// Ours are those of `duet run --cold`; means are computed here.
#[test]
fn the_result_has_both_sides_and_their_means() {
    let desk = desk("correlate-result", &["copy1", "twice", "fourth"]);
    let trace = "traces/copy1-16384-0.trace";
    desk.passes(&format!("run {SYSTEM} --workload {trace} --cold --json run.json"));
    let counters = desk.json("run.json")["counters"].clone();
    let cycles = counters["launch.cycles.kernel"].as_u64().unwrap();
    let known = COUNTERS.iter().filter(|(_, name)| counters[*name].is_u64());
    assert!(known.count() >= 6, "{counters}");
    // Ours over measured: 1/2 and 1/4; what the cost is fitted to does not count.
    let measured = [("copy1", 7 * cycles), ("twice", 2 * cycles), ("fourth", 4 * cycles)];
    write(&desk, "m.json", &measured.map(|(program, cycles)| record(program, cycles)));
    let files = "--json c.json --report c.html";
    let left = desk.passes(&format!("correlate m.json {SYSTEM} --traces traces --jobs 2 {files}"));
    keeps(&desk, "correlate", "c.json");
    let result = desk.json("c.json");
    let summary = &result["summary"];
    assert_eq!(summary["cases"], 2);
    assert_eq!(summary["error"].as_f64(), Some((0.5 + 0.75) / 2.0));
    let mean = summary["ratio"].as_f64().unwrap();
    assert!((mean - (0.5f64 * 0.25).sqrt()).abs() < 1e-12, "{mean}");
    // Ours do not vary.
    assert_eq!((&summary["pearson"], &summary["spearman"]), (&Value::Null, &Value::Null));
    for (at, (program, cycles_measured)) in measured.iter().enumerate() {
        let case = &result["cases"][at];
        assert_eq!((&case["program"], &case["fitted"]), (&json!(program), &json!(at == 0)));
        let launch = &case["launches"][0];
        for sides in [&case["cycles"], &launch["cycles"]] {
            let sides = [&sides["ours"], &sides["measured"]].map(|side| side.as_f64().unwrap());
            assert_eq!(sides, [cycles as f64, *cycles_measured as f64]);
        }
        for (field, name) in COUNTERS {
            let (ours, measured) = (counters[name].as_f64(), record("a", 1)[field].as_f64());
            let sides = &launch["counters"][field];
            assert_eq!((sides["ours"].as_f64(), sides["measured"].as_f64()), (ours, measured));
        }
    }
    assert_eq!(left.line("mean absolute error"), "62.5 % of 2 cases");
    let last = "PASS correlate cpelide-4-small: 3 cases, mean absolute error 62.5 %";
    assert_eq!(left.last_line(), last);
    let page = desk.read("c.html");
    assert_eq!(
        (page.matches("<circle").count(), page.matches("<circle class=\"fitted\"").count()),
        (3, 1)
    );
    assert!(page.contains("<td class=\"n\">0.25</td><td class=\"n\">75.0 %</td>"), "{page}");
    // The number of jobs changes nothing.
    desk.passes(&format!("correlate m.json {SYSTEM} --traces traces --jobs 1 --json d.json"));
    assert_eq!(desk.read("c.json"), desk.read("d.json"));
    // A measurement of our own numbers has no error.
    let mut own = record("twice", cycles);
    for (field, name) in COUNTERS.iter().filter(|(_, name)| counters[*name].is_u64()) {
        own[*field] = counters[*name].clone();
    }
    write(&desk, "own.json", &[own]);
    desk.passes(&format!("correlate own.json {SYSTEM} --traces traces --json o.json"));
    let summary = desk.json("o.json")["summary"].clone();
    assert_eq!((summary["error"].as_f64(), summary["ratio"].as_f64()), (Some(0.0), Some(1.0)));
    for (field, within) in summary["counters"].as_object().unwrap() {
        assert_eq!(within["within"], within["of"], "{field}");
    }
}

#[test]
fn the_table_fits_the_terminal() {
    let desk = desk("correlate-terminal", &["copy1"]);
    let words = format!("correlate {SYSTEM} --traces traces --case copy1-16384-0 --launches");
    for (columns, shown) in [("120", true), ("80", false)] {
        let Some(text) = desk.on_terminal_of(Some(columns), &[("NO_COLOR", "1")], &words) else {
            return;
        };
        let table = text.lines().find(|line| line.starts_with("case ")).unwrap();
        assert_eq!(table.contains("instr."), shown, "{text}");
        let wide = text.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(wide <= columns.parse().unwrap(), "{wide}:\n{text}");
        assert!(text.contains("copy1 16384 0: the cold launch cost is fitted to it"), "{text}");
    }
}

/// Latencies of the L1 and the L2 of `h100` follow from fields of the system file.
#[test]
fn microbenchmarks_follow_the_system_file() {
    let desk = Desk::on_any_build("correlate-micro");
    let words = "correlate --micro --case chase-ca-kb-4 --case chase-cg-kb-4";
    let measure = |set: &str| {
        desk.passes(&format!("{words} {set} --json m.json"));
        let result = desk.json("m.json");
        [0, 1].map(|at| result["lines"][at]["ours"].as_f64().unwrap())
    };
    let [l1, l2] = measure("");
    keeps(&desk, "correlate-micro", "m.json");
    assert_eq!(desk.json("m.json")["lines"][0]["measured"], 39.68);
    // A latency path of the L1 lies on loads that bypass it, too.
    let [more_l1, same] = measure("--set l1.hit_latency=46");
    assert_eq!((more_l1 - l1, same), (10.0, l2));
    let [same, more_l2] = measure("--set l2.latency=266");
    assert_eq!((same, more_l2 - l2), (l1, 100.0));
}

#[test]
fn output_of_micro_that_cannot_be_is_refused() {
    let desk = Desk::on_any_build("correlate-micro-refused");
    for (text, message) in [
        ("chase ca kb 4 cycles -3", "m.txt:1: cycles = -3: must be above 0"),
        ("chase ca kb 0 cycles 3", "m.txt:1: kb = 0: must be a whole number from 1 to 1048576"),
        ("device A sms 108 l2 9", "m.txt:1: sms = 108: the programs are those of 132 SMs"),
        ("\nbandwidth mb 3", "m.txt:2: no line that micro.cu prints"),
        ("", "no line of micro.cu's output"),
    ] {
        fs::write(desk.file("m.txt"), text).unwrap();
        desk.refuses(2, "correlate --micro m.txt", &[message]);
    }
    desk.refuses(2, "correlate --micro none.txt", &["none.txt: "]);
    desk.refuses(2, "correlate --micro --case chas", &["--case chas: must be one of"]);
    let gpus = "correlate --micro --system cpelide-4-small --case atomic_chain";
    desk.refuses(2, gpus, &["cpelide-4-small: must have one GPU and 132 CUs"]);
    desk.refuses(2, "correlate --micro --report a.html", &["--report"]);
}

#[test]
fn programs_are_written_as_they_lie_in_the_tree() {
    let desk = Desk::on_any_build("correlate-programs");
    desk.passes("correlate --programs measure");
    let written = fs::read_dir(desk.file("measure")).unwrap().count();
    assert_eq!(
        desk.read("measure/suite.h"),
        fs::read_to_string(format!("{FOLDER}/suite.h")).unwrap()
    );
    assert_eq!(written, 10);
}

/// What `measure.py` makes of Nsight Compute's output is a measurement file.
#[test]
fn nsight_computes_output_becomes_a_measurement_file() {
    let desk = desk("correlate-ncu", &["copy1"]);
    let tool = |name: &str, text: &str| {
        fs::write(desk.file(name), format!("#!/bin/sh\ncat <<'E'\n{text}\nE\n")).unwrap();
        fs::set_permissions(desk.file(name), fs::Permissions::from_mode(0o755)).unwrap();
    };
    tool("programs", "copy1 16384 0");
    let names = [
        ("gpc__cycles_elapsed.max", "cycle", "5,457"),
        ("gpu__time_duration.sum", "ns", "2784"),
        ("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "", "512"),
        ("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "sector", "2,048"),
        ("l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", "sector", "0"),
        ("lts__t_sectors_op_read.sum", "sector", "3,992"),
        ("lts__t_sectors_op_write.sum", "sector", "3,112"),
        ("dram__bytes_read.sum", "byte", "68,352"),
        ("smsp__inst_executed.sum", "inst", "8,192"),
    ];
    let line = |first: &str, of: fn(&(&str, &str, &str)) -> String| {
        names.iter().fold(first.to_string(), |line, name| format!("{line},\"{}\"", of(name)))
    };
    let head = "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\"";
    let row = "\"0\",\"copy1\",\"(256, 1, 1)\",\"(64, 1, 1)\"";
    let lines = [
        "==PROF== Connected to process 1".to_string(),
        line(head, |name| name.0.to_string()),
        line("\"\",\"\",\"block\",\"\"", |name| name.1.to_string()),
        line(row, |name| name.2.to_string()),
    ];
    tool("ncu", &lines.join("\n"));
    let path = format!("{}:{}", desk.file(".").display(), std::env::var("PATH").unwrap());
    let mut python = Command::new("python3");
    python.arg(format!("{FOLDER}/measure.py")).arg(desk.file("programs")).env("PATH", path);
    let Ok(output) = python.output() else {
        println!("skipped: no python3");
        return;
    };
    assert!(output.status.success(), "{output:?}");
    fs::write(desk.file("m.json"), &output.stdout).unwrap();
    desk.passes(&format!("correlate m.json {SYSTEM} --traces traces --json c.json"));
    // The same launch as in the file of the H100.
    desk.passes(&format!("correlate {SYSTEM} --traces traces --case copy1-16384-0 --json h.json"));
    assert_eq!(desk.json("c.json"), desk.json("h.json"));
}

#[test]
fn a_missing_trace_is_captured_and_kept() {
    let tools = match Tools::find() {
        Ok(tools) => tools,
        Err(error) => return println!("skipped: {error}"),
    };
    let desk = desk("correlate-capture", &[]);
    let words = format!("correlate {SYSTEM} --traces new/folder --case copy1-16384-0");
    let left = desk.duet(&words);
    if left.stderr.contains("is missing") {
        return println!("skipped: {}", left.stderr);
    }
    assert_eq!(left.status, 0, "{}", left.stderr);
    let captured = fs::read(desk.file("new/folder/copy1-16384-0.trace")).unwrap();
    if tools.oclgrind == "Oclgrind 21.10" && tools.llvm == "14" {
        let kept = fs::read(format!("{FOLDER}/traces/copy1-16384-0.trace")).unwrap();
        assert!(captured == kept, "the kept trace is not what a capture gives");
    }
    // It is not captured again.
    desk.passes(&words);
}
