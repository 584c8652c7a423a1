//! The command with the design and the block.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

/// Folder of the results, empty at first.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("request-limiter");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
});

fn run(line: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_request-limiter"));
    command.args(line.split_whitespace()).current_dir(&*FOLDER);
    command.output().unwrap()
}

fn passes(line: &str) -> String {
    let output = run(line);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{line}: {text}{}", String::from_utf8_lossy(&output.stderr));
    text
}

/// False, with a notice, where Verilator is not found.
fn has_rtl() -> bool {
    let has = run("bodies build request_limiter --config small").status.success();
    if !has {
        eprintln!("skipped: no RTL (request-limiter doctor lists what is missing)");
    }
    has
}

const MACHINE: &str = "--system cpelide-2-small --set machine.chiplets=3 --set l3.bytes=196608 \
                       --set machine.cus=4 --set l1.design=src-limited";

#[test]
fn design_and_block_are_listed_like_others() {
    let all = passes("list");
    assert!(all.contains("src-limited "), "{all}");
    assert!(all.contains("request_limiter "), "{all}");
}

#[test]
fn model_and_rtl_agree_in_every_configuration() {
    if has_rtl() {
        for set in [
            "--config small",
            "--config paper",
            "--set burst=3",
            "--set period=1",
            "--config random",
        ] {
            passes(&format!("cosim request_limiter --cycles 200000 {set}"));
        }
    }
}

#[test]
fn model_rtl_and_lockstep_give_the_same_result() {
    if !has_rtl() {
        return;
    }
    for program in ["reuse", "pagerank", "bfs"] {
        for limits in ["", "--set request_limiter.period=40 --set request_limiter.burst=2"] {
            let result = |implementation| {
                let json = format!("{program}-{implementation}.json");
                passes(&format!(
                    "run {MACHINE} --workload {program} {limits} \
                     --impl request_limiter={implementation} --json {json}"
                ));
                let path = FOLDER.join(json);
                let text = std::fs::read_to_string(path).unwrap();
                // Only the implementation may differ.
                text.lines().filter(|line| !line.contains("\"impl\": ")).collect::<String>()
            };
            let [model, rtl, both] = ["model", "rtl", "lockstep"].map(result);
            assert_eq!(model, rtl);
            assert_eq!(model, both);
        }
    }
}

/// A CU sends at most `burst` requests, and then one in a period.
#[test]
fn the_limit_holds() {
    let cycles = |period: u64| {
        let json = format!("limit-{period}.json");
        passes(&format!(
            "run {MACHINE} --workload stream --set workload.size=4096 --json {json} \
             --set request_limiter.burst=1 --set request_limiter.period={period}"
        ));
        let path = FOLDER.join(json);
        let text = std::fs::read_to_string(path).unwrap();
        let number = |key: &str| {
            let (_, rest) = text.split_once(&format!("\"{key}\": ")).unwrap();
            let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
            digits.parse::<u64>().unwrap()
        };
        (number("cycles"), number("l1.limited_requests"), number("cu.accesses"))
    };
    let (free, ..) = cycles(1);
    let (limited, requests, accesses) = cycles(200);
    assert_eq!(requests, accesses);
    // 3 chiplets of 4 CUs.
    let of_busiest = requests / 12;
    assert!(limited >= of_busiest * 200, "{limited} cycles for {of_busiest} requests of a CU");
    assert!(limited > 2 * free, "{limited} and {free} cycles");
}
