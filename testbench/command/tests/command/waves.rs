//! `duet run --wave`: which blocks a waveform shows, and when.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::desk::Desk;
use crate::two_gpus::{BLOCKS, CLOCK_MHZ, REUSE, TWO_GPUS, read_wave};

/// Time stamps of the link cycles that begin in these cycles of the machine, both levels of the
/// clock.
fn link_times(cycles: std::ops::Range<u64>) -> Vec<u64> {
    let ended = |cycle: u64| cycle * 1000 / CLOCK_MHZ;
    (ended(cycles.start)..ended(cycles.end)).flat_map(|n| [1000 * n, 1000 * n + 500]).collect()
}

#[test]
fn waveform_has_the_cycles_that_were_asked_for() {
    let desk = Desk::on_any_build("run-wave");
    let wave = |words: &str| {
        desk.passes(&format!("run {TWO_GPUS} {REUSE} --wave w.vcd {words}"));
        // Found from any folder: both lie in one.
        let places = "[dumpfile] \"/w.vcd\"\n[savefile] \"/w.gtkw\"\n";
        assert!(desk.read("w.gtkw").contains(places));
        read_wave(&desk.file("w.vcd"))
    };
    let of = "--wave-of gpu0/*";
    let (scopes, times) = wave(&format!("{of} --wave-from 7000 --wave-to 7400"));
    let command = (0..4).map(|i| format!("chiplet{i}.local_command_processor"));
    let all = BLOCKS.map(String::from).into_iter().chain(["cp_crossbar".into()]).chain(command);
    assert_eq!(scopes, all.map(|block| format!("model.gpu0.{block}")).collect::<Vec<_>>());
    assert!(link_times(7000..7400).iter().all(|time| times.contains(time)));
    let of = "--wave-of gpu0/packetizer";
    let (_, times) = wave(&format!("{of} --wave-from 7000 --wave-to 7400"));
    assert_eq!(times, link_times(7000..7400));
    let (_, times) = wave(&format!("{of} --wave-from 7001"));
    assert_eq!(times, link_times(7001..9001));
    // From the first TLP that is at GPU 0 on.
    let (_, times) = wave(&format!("{of} --dump-tlp t.txt"));
    let first: u64 = desk.read("t.txt").split(' ').next().unwrap().parse().unwrap();
    assert!(times[0] / 1000 <= first + 500, "{} {first}", times[0]);
    assert!(times.len().abs_diff(link_times(0..2000).len()) <= 2, "{}", times.len());
    assert!(times.windows(2).all(|t| t[1] == t[0] + 500));
}

/// Changes of each variable of a waveform by its dotted name: times, and bits as characters.
fn changes(path: &Path) -> BTreeMap<String, Vec<(u64, String)>> {
    let file = fs::File::open(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut parser = vcd::Parser::new(std::io::BufReader::new(file));
    let header = parser.parse_header().unwrap();
    assert_eq!(header.timescale, Some((1, vcd::TimescaleUnit::PS)));
    fn walk(items: &[vcd::ScopeItem], path: &str, into: &mut Vec<(vcd::IdCode, String)>) {
        for item in items {
            match item {
                vcd::ScopeItem::Var(var) => into.push((var.code, path.to_owned() + &var.reference)),
                vcd::ScopeItem::Scope(scope) => {
                    walk(&scope.items, &format!("{path}{}.", scope.identifier), into);
                }
                _ => {}
            }
        }
    }
    let mut names = Vec::new();
    walk(&header.items, "", &mut names);
    let mut found: BTreeMap<_, Vec<_>> = BTreeMap::new();
    let mut now = 0;
    for command in parser {
        let (code, bits) = match command.unwrap() {
            vcd::Command::Timestamp(time) => {
                assert!(now < time);
                now = time;
                continue;
            }
            vcd::Command::ChangeScalar(code, bit) => (code, bit.to_string()),
            vcd::Command::ChangeVector(code, bits) => {
                (code, bits.iter().map(|bit| bit.to_string()).collect())
            }
            _ => continue,
        };
        for (_, name) in names.iter().filter(|(of, _)| *of == code) {
            found.entry(name.clone()).or_default().push((now, bits.clone()));
        }
    }
    found
}

/// Blocks between GPUs, a directory and the command processors in one file: each clock has its own
/// edges, and whatever a block has changes at the falling edge of its clock, in the cycle in which
/// it happens.
#[test]
fn waveform_shows_blocks_of_two_clocks_at_their_true_times() {
    let desk = Desk::on_any_build("run-clocks");
    let machine = "cpelide-4-small --set machine.gpus=2 --set l2.design=rec";
    let words = "--workload reuse --set workload.iterations=1";
    desk.passes(&format!("run --system {machine} {words} --wave w.vcd"));
    let found = changes(&desk.file("w.vcd"));
    // When the cycles of a clock begin: of some the file has no more than the end.
    let begins = |clock: &str, begin: fn(u64) -> u64| -> BTreeSet<u64> {
        let falls = found[clock].iter().filter(|(_, bit)| bit == "0").map(|(time, _)| *time);
        let falls: BTreeSet<u64> = falls.collect();
        let first = (0..).find(|&n| begin(n) >= *falls.first().unwrap()).unwrap();
        let cycles: BTreeSet<u64> = falls.range(begin(first)..).copied().collect();
        assert!(cycles.iter().copied().eq((first..).map(begin).take(cycles.len())), "{clock}");
        assert!(falls.len() - cycles.len() < 2, "{clock}");
        cycles
    };
    let links = begins("link_clk", |n| 1000 * n);
    let gpu = begins("gpu_clk", |n| n * 1_000_000 / CLOCK_MHZ);
    assert!(links.len() > 1000 && gpu.len() > 1990);
    let mut moved = BTreeMap::new();
    for (name, changes) in &found {
        if !name.starts_with("model.") {
            continue;
        }
        let of = |part: &&str| !["model", "gpu0", "chiplet0", "l2_bank0"].contains(part);
        let block = name.split('.').find(of).unwrap();
        let clock = if BLOCKS.contains(&block) { &links } else { &gpu };
        assert!(changes.iter().all(|(time, _)| clock.contains(time)), "{name}: {changes:?}");
        *moved.entry(block).or_insert(0) += changes.len() - 1;
    }
    let blocks = ["depacketizer", "coherence_directory", "local_command_processor"];
    for block in blocks {
        assert!(moved[block] > 0, "{block}: {moved:?}");
    }
}

/// Registers of RTL and models, the blocks beside one another; refused where no RTL is shown.
#[test]
fn waveform_has_internals_of_the_rtl_that_is_shown() {
    let Some(desk) = Desk::new("run-internals") else { return };
    let run = format!("run {TWO_GPUS} {REUSE} --wave w.vcd --wave-internals");
    desk.refuses(2, &run, &["--wave-internals", "packetizer", "--impl"]);
    let bodies = "--impl remote_write_queue=lockstep --impl packetizer=rtl";
    desk.refuses(2, &format!("{run} {bodies} --wave-of cp_crossbar"), &["--wave-internals"]);
    desk.passes(&format!("{run} {bodies} --wave-of gpu0/* --wave-from 7000 --wave-to 12000"));
    let text = desk.read("w.vcd");
    for expected in ["$scope module u_accumulator", "$scope module state", " count_q "] {
        assert!(text.contains(expected), "{expected}");
    }
    // One group of the save file for each instance, closed.
    let save = desk.read("w.gtkw");
    assert!(save.contains("@c00200\n-gpu0/packetizer.u_accumulator registers\n"), "{save}");
    assert!(save.contains("@c00200\n-gpu0/depacketizer registers of the model\n"));
}

#[test]
fn waveform_of_rtl_and_lockstep_bodies_has_their_scopes() {
    let Some(desk) = Desk::new("run-scopes") else { return };
    let bodies = "--impl remote_write_queue=rtl --impl packetizer=lockstep";
    // The order is the machine's.
    let of = "--wave-of gpu0/depacketizer --wave-of gpu0/*ketizer";
    desk.passes(&format!("run {TWO_GPUS} {REUSE} {bodies} --wave w.vcd --wave-to 9000 {of}"));
    let expected = [
        "model.gpu0.packetizer",
        "model.gpu0.depacketizer",
        "rtl.gpu0.packetizer",
        "diff.gpu0.packetizer",
    ];
    assert_eq!(read_wave(&desk.file("w.vcd")).0, expected);
}

#[test]
fn directory_of_one_gpu_is_shown_in_a_waveform() {
    let Some(desk) = Desk::new("run-wave-directory") else { return };
    let run = "run --system cpelide-4-small --set l2.design=rec --workload copy --wave w.vcd";
    let plain = desk.passes(run);
    let (scopes, first) = read_wave(&desk.file("w.vcd"));
    let shown = [
        "chiplet0.l2_bank0.coherence_directory",
        "chiplet0.local_command_processor",
        "cp_crossbar",
    ];
    assert_eq!(scopes, shown.map(|block| format!("model.gpu0.{block}")));
    let windowed = desk.passes(&format!("{run} --wave-from 9000 --wave-to 9100"));
    assert_eq!(plain.last_line(), windowed.last_line(), "looking changes nothing");
    let (_, times) = read_wave(&desk.file("w.vcd"));
    // A sample for each edge of each cycle.
    assert_eq!((times[0], times.len()), (9000 * 1_000_000 / CLOCK_MHZ, 200));
    assert!(first.len() > 1000);
}

/// Warned of gigabytes before the run; the estimate is that of real files to a factor of 4.
#[test]
fn large_waveforms_are_warned_of_with_a_size_that_holds() {
    let Some(desk) = Desk::new("wave-size") else { return };
    let estimate = |words: &str| -> f64 {
        let left = desk.duet(words);
        let (_, rest) = left.stderr.split_once("likely to take some ").expect(words);
        rest.split_once(" GB").unwrap().0.parse::<f64>().unwrap() * 1e9
    };
    let compare = |words: &str, expected: f64, bytes: u64| {
        let ratio = expected / bytes as f64;
        assert!((0.25..=4.0).contains(&ratio), "{words}: {expected:e} for {bytes}");
    };
    let cycles = 10_000;
    for (block, ending) in ["packetizer", "coherence_directory", "epoch_agent", "finepack"]
        .map(|b| (b, "vcd"))
        .into_iter()
        .chain([("packetizer", "fst"), ("epoch_agent", "fst")])
    {
        let field = if block == "coherence_directory" { "rsp_valid" } else { "st_ready" };
        let field = if block.contains("pack") { "tlp" } else { field };
        // It ends at once.
        let flip = format!("--flip {field}@5");
        let words = format!("cosim {block} --cycles 1000000000 --wave w.{ending} {flip}");
        let expected = estimate(&words) / 1e9 * cycles as f64;
        desk.passes(&format!("cosim {block} --cycles {cycles} --wave s.{ending}"));
        let bytes = std::fs::metadata(desk.file(&format!("s.{ending}"))).unwrap().len();
        compare(&words, expected, bytes);
    }
    let one = format!("run {TWO_GPUS} {REUSE} --wave-from 0");
    let words = format!("{one} --wave-to 1000000000 --wave r.vcd");
    let expected = estimate(&words) / 1e9;
    let bytes = std::fs::metadata(desk.file("r.vcd")).unwrap().len();
    desk.passes(&format!("run {TWO_GPUS} {REUSE} --json r.json"));
    let cycles = desk.json("r.json")["cycles"].as_u64().unwrap() as f64;
    compare(&words, expected * cycles, bytes);
}
