//! `duet run` and `duet compare` as other programs see them: exit status, last line, messages,
//! files.

mod desk;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use desk::Desk;
use serde_json::Value;

/// Two GPUs whose blocks are those of configuration `paper-2gpu`, with a clock that is not the
/// links'.
const TWO_GPUS: &str =
    "--system cpelide-4-small --set machine.gpus=2 --set placement.policy=interleave";
/// A short program in which the GPUs talk to each other.
const REUSE: &str = "--workload reuse --set workload.size=16384 --set workload.iterations=1";
const BLOCKS: [&str; 3] = ["remote_write_queue", "packetizer", "depacketizer"];
/// What the machine's cycle is multiplied with and divided by for nanoseconds.
const CLOCK_MHZ: u64 = 1801;

fn on(body: &str) -> String {
    BLOCKS.iter().map(|block| format!(" --impl {block}={body}")).collect()
}

fn kept_trace() -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces/workloads/bfs.trace");
    fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

#[test]
fn wrong_use_is_refused_with_a_message_that_names_what_would_do() {
    let desk = Desk::on_any_build("run-use");
    let one = "--system stc-8cu-small";
    for (words, message) in [
        ("run --system nothing --workload copy".to_string(), vec!["nothing", "cpelide-4"]),
        ("run --system none.toml --workload copy".into(), vec!["none.toml"]),
        (format!("run {one} --workload nothing"), vec!["nothing", "stream"]),
        (format!("run {one} --workload none.trace"), vec!["none.trace"]),
        (format!("run {one} --workload copy --set l2"), vec!["--set l2", "KEY=VALUE"]),
        (format!("run {one} --workload copy --set l2.color=3"), vec!["l2.color"]),
        (format!("run {one} --workload copy --set l2.ways=x"), vec!["ways"]),
        (format!("run {one} --workload copy --set l2.ways=0"), vec!["l2.ways", "1 to 64"]),
        (format!("run {one} --workload copy --set l1.design=x"), vec!["l1.design", "src"]),
        (format!("run {one} --workload copy --set workload.color=1"), vec!["workload.size"]),
        (format!("run {one} --workload copy --set workload.size=-1"), vec!["number"]),
        (format!("run {one} --workload copy --impl packetizer"), vec!["PLACES=model|rtl|lockstep"]),
        (format!("run {one} --workload copy --impl packetizer=c"), vec!["not model, rtl or"]),
        (format!("run {one} --workload copy --impl l2=rtl"), vec!["this machine has gpu*/cp_"]),
        (
            format!("run {one} --workload copy --impl packetizer=model"),
            vec!["this machine has gpu*/cp_crossbar, gpu*/chiplet*/local_command_processor"],
        ),
        (format!("run {one} --workload copy --cp core"), vec!["native, iss, rtl or lockstep"]),
        (format!("run {one} --workload copy --dump-tlp t.txt"), vec!["one GPU"]),
        (
            format!("run {one} --workload copy --wave w.vcd --wave-of packetizer"),
            vec!["--wave-of packetizer", "this machine has gpu*/cp_crossbar"],
        ),
        (format!("run {one} --workload copy --wave-from 3"), vec!["--wave"]),
        (format!("run {one} --workload copy --max-cycles 0"), vec!["--max-cycles"]),
        (format!("run {one} --workload copy --flip tlp@3"), vec!["PLACES.FIELD"]),
        (
            format!("run {TWO_GPUS} {REUSE} --impl gpu2/*=model"),
            vec!["--impl gpu2/*=model", "this machine has gpu*/remote_write_queue"],
        ),
        (
            format!("run {TWO_GPUS} {REUSE} --wave w.vcd --wave-from 9 --wave-to 9"),
            vec!["--wave-to 9", "above 9"],
        ),
        (
            format!("run {TWO_GPUS} {REUSE} --set egress.design=p2p --impl packetizer=model"),
            vec!["this machine has gpu*/depacketizer"],
        ),
    ] {
        desk.refuses(2, &words, &message);
        assert!(!words.contains("run ") || !desk.file("w.vcd").exists());
    }
}

#[test]
fn damaged_traces_are_refused() {
    let desk = Desk::on_any_build("run-damaged");
    let whole = kept_trace();
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 0x10;
    for (name, bytes) in [
        ("empty.trace", &[][..]),
        ("head.trace", &whole[..20]),
        ("cut.trace", &whole[..whole.len() - 9]),
        ("flipped.trace", &flipped),
    ] {
        fs::write(desk.file(name), bytes).unwrap();
        desk.refuses(2, &format!("run --system stc-8cu-small --workload {name}"), &[name]);
    }
}

/// Images that are none, and one of another machine, are refused before anything runs.
#[test]
fn files_that_are_no_image_are_refused() {
    let desk = Desk::on_any_build("run-firmware");
    // An ELF header of 32 bits, little-endian: an executable for machine 3, version 1, no segments.
    let mut i386 = b"\x7fELF\x01\x01\x01".to_vec();
    i386.resize(52, 0);
    (i386[16], i386[18], i386[20], i386[40]) = (2, 3, 1, 52);
    let mut wide = i386.clone();
    wide[4] = 2;
    for (name, bytes, message) in [
        ("text.elf", b"no image".to_vec(), "not an ELF file of 32 bits"),
        ("wide.elf", wide, "not an ELF file of 32 bits"),
        ("i386.elf", i386, "machine 3: must be 243, RISC-V"),
    ] {
        fs::write(desk.file(name), bytes).unwrap();
        let words = format!("run --system cpelide-4-small {REUSE} --cp iss --firmware {name}");
        desk.refuses(2, &words, &[name, message]);
    }
    for (words, message) in
        [("--cp iss --firmware nothing.elf", "nothing.elf"), ("--firmware paper", "--cp native")]
    {
        desk.refuses(2, &format!("run --system cpelide-4-small {REUSE} {words}"), &[message]);
    }
}

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
fn wrong_value_ends_with_status_4_and_tells_the_life_of_the_byte() {
    let desk = Desk::on_any_build("run-wrong");
    let words = "run --system cpelide-4-small --workload reuse --set l2.design=none --json r.json";
    desk.refuses(4, words, &["life of byte", "wrong value"]);
    assert_eq!(desk.json("r.json")["values"]["mismatches"], 1);
}

#[test]
fn files_that_cannot_be_written_end_with_status_5_before_the_run() {
    let desk = Desk::on_any_build("run-unwritable");
    fs::write(desk.file("file"), "").unwrap();
    fs::create_dir(desk.file("folder")).unwrap();
    for option in ["json", "dump-tlp", "audit", "wave"] {
        for path in ["file/x", "folder"] {
            let words = format!("run {TWO_GPUS} {REUSE} --{option} {path}");
            desk.refuses(5, &words, &[path]);
        }
    }
    assert!(fs::read_dir(desk.file("folder")).unwrap().next().is_none());
    let left: BTreeSet<_> = fs::read_dir(desk.file("."))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(left, BTreeSet::from(["file".to_string(), "folder".to_string()]));
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
fn second_thread_changes_no_byte_of_results_and_messages() {
    let desk = Desk::on_any_build("run-threads");
    let same = |words: &str, status: i32| {
        let [one, two] = [1, 2].map(|threads| {
            let json = desk.file("r.json");
            let _ = fs::remove_file(&json);
            let left = desk.duet(&format!("{words} --threads {threads} --json r.json"));
            assert_eq!(left.status, status, "{words}: {}", left.stderr);
            (left.stdout, left.stderr, fs::read(json).unwrap())
        });
        assert!(one == two, "{words}:\n{one:?}\n{two:?}");
        String::from_utf8(one.2).unwrap()
    };
    same(&format!("run {TWO_GPUS} {REUSE}"), 0);
    same(&format!("run {TWO_GPUS} --workload pagerank_push --set workload.size=256"), 0);
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
    desk.refuses(2, &format!("run {TWO_GPUS} {REUSE} --threads 3"), &["--threads"]);
}

/// A paragraph of an audit log: its lines without their indentation, runs of spaces as one.
fn paragraphs(log: &str) -> Vec<Vec<String>> {
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let all = log.split("\n\n").filter(|paragraph| !paragraph.trim().is_empty());
    all.map(|paragraph| paragraph.lines().map(words).collect()).collect()
}

/// The lines of rules, with the name of the buffer in place of its address.
fn rules(paragraph: &[String]) -> Vec<String> {
    let asks = ["-", "release", "acquire", "both"];
    let rules = paragraph.iter().filter(|line| asks.contains(&line.split(' ').next().unwrap()));
    let named = rules.map(|line| match line.split_once(" 0x") {
        Some((rule, place)) => format!("{rule}: {}", place.split_once(' ').unwrap().1),
        None => line.clone(),
    });
    named.collect()
}

/// Two kernels of two chiplets over arrays of 32 lines: `b` is made of `constant` and `a`, then `a`
/// of `constant` and `b`, and in the second kernel each chiplet has the half that was the other's.
/// By the table of section 5.2: what was only read stays V; `b` is D and read by the other chiplet,
/// which releases; `a` is V and written by the other chiplet, so S, and written here, which
/// acquires. An acquire takes everything from an L2, so in the end each has what the second kernel
/// has touched.
#[test]
fn audit_log_has_operations_and_rules_of_each_launch() {
    let desk = Desk::on_any_build("run-audit");
    let run = "run --system cpelide-2-small --set l2.design=cpelide --workload reuse";
    let words = format!("{run} --set workload.size=512 --set workload.iterations=2 --audit a.txt");
    desk.passes(&words);
    let [first, second, end] = paragraphs(&desk.read("a.txt")).try_into().unwrap();
    assert_eq!(first[0], "gpu 0 packet 0: kernel 0 mix, tag 0, chiplets 0-1");
    // A broadcast takes so long (section 2).
    assert_eq!(first[2], "cost critical path 100, firmware 0");
    assert_eq!(first[3], "sent releases 0, acquires 0; elided 2 and 2");
    assert_eq!(first[4], "before release - acquire -");
    let expected =
        ["- 0-1 NP + local R: constant", "- 0-1 NP + local R: a", "- 0-1 NP + local R/W: b"];
    assert_eq!(rules(&first), expected);
    assert_eq!(second[3], "sent releases 2, acquires 2; elided 0 and 0");
    assert_eq!(second[4], "before release 0-1 acquire 0-1 32 lines written back");
    let expected = [
        "- 0-1 V + remote R: constant",
        "- 0-1 V + local R: constant",
        "- 0-1 V + remote R/W: a",
        "acquire 0-1 S + local R/W: a",
        "release 0-1 D + remote R: b",
        "- 0-1 V + local R: b",
    ];
    assert_eq!(rules(&second), expected);
    assert_eq!(end[0], "gpu 0 packet 2: barrier");
    assert_eq!(end[4], "before release 0-1 acquire 0-1 32 lines written back");
    let expected = [
        "both 0-1 V + end of program: constant",
        "both 0-1 D + end of program: a",
        "both 0-1 V + end of program: b",
    ];
    assert_eq!(rules(&end), expected);

    // The moments of a launch follow each other, and the path's formula of section 5.7 bounds it
    // from below.
    let number = |line: &str, word: &str| -> u64 {
        let mut words = line.split(' ').skip_while(|w| *w != word).skip(1);
        words.next().unwrap().trim_end_matches(',').parse().unwrap()
    };
    let moments = ["submitted", "sync_req", "ack", "launch_en", "done"];
    let moments = moments.map(|word| number(&second[1], word));
    assert!(moments.is_sorted(), "{moments:?}");
    let path = number(&second[2], "path");
    assert_eq!(path, moments[3] - moments[1]);
    assert!(path > 65 + 65 + 100, "{path}");
}

/// The baseline has no table and no reasons: it acquires all before a kernel and releases all after
/// it.
#[test]
fn audit_log_without_a_table_has_operations_only() {
    let desk = Desk::on_any_build("run-audit-software");
    desk.passes(&format!("run {TWO_GPUS} {REUSE} --audit a.txt"));
    let all = paragraphs(&desk.read("a.txt"));
    assert_eq!(all.len(), 2, "a packet for each GPU");
    for packet in all {
        assert_eq!(packet[3], "sent releases 4, acquires 4; elided 0 and 0");
        assert_eq!(packet[4], "before release - acquire 0-3");
        assert!(packet[5].starts_with("after release 0-3 acquire - "), "{packet:?}");
        assert_eq!(packet.len(), 6);
    }
}

/// The scopes of the blocks in a waveform, and its time stamps in picoseconds.
fn read_wave(path: &Path) -> (Vec<String>, Vec<u64>) {
    let file = fs::File::open(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut parser = vcd::Parser::new(std::io::BufReader::new(file));
    let header = parser.parse_header().unwrap();
    let (unit, vcd::TimescaleUnit::PS) = header.timescale.unwrap() else { panic!("not in ps") };
    // A block is the outermost scope with variables of its own.
    fn blocks(items: &[vcd::ScopeItem], path: &str, into: &mut Vec<String>) {
        for item in items {
            let vcd::ScopeItem::Scope(scope) = item else { continue };
            let path = format!("{path}{}", scope.identifier);
            match scope.items.iter().any(|item| matches!(item, vcd::ScopeItem::Var(_))) {
                true => into.push(path),
                false => blocks(&scope.items, &(path + "."), into),
            }
        }
    }
    let mut scopes = Vec::new();
    blocks(&header.items, "", &mut scopes);
    let commands = parser.map(|command| command.unwrap());
    let times = commands.filter_map(|command| match command {
        vcd::Command::Timestamp(time) => Some(time * u64::from(unit)),
        _ => None,
    });
    (scopes, times.collect())
}

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
        assert!(desk.read("w.gtkw").contains("w.vcd"));
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
    desk.passes(&format!(
        "run {TWO_GPUS} {REUSE} {bodies} --wave w.vcd --wave-to 9000 --wave-of gpu0/*ketizer"
    ));
    let expected = [
        "model.gpu0.packetizer",
        "model.gpu0.depacketizer",
        "rtl.gpu0.packetizer",
        "diff.gpu0.packetizer",
    ];
    assert_eq!(read_wave(&desk.file("w.vcd")).0, expected);
}

#[test]
fn flipped_bit_ends_with_status_1_a_report_and_the_waves_around_it() {
    let Some(desk) = Desk::new("run-flip") else { return };
    let run = format!("run {TWO_GPUS} {REUSE}");
    for (field, cycle) in [
        ("remote_write_queue.req_ready", 7000),
        ("packetizer.tlp[140]", 7000),
        ("depacketizer.tlp_ready", 9001),
    ] {
        let (block, _) = field.split_once('.').unwrap();
        let left = desk.duet(&format!("{run} {} --flip {field}@{cycle}", on("lockstep")));
        assert_eq!(left.status, 1, "{field}: {}", left.stderr);
        assert!(left.line("MISMATCH").starts_with(&format!("gpu0/{block}.")), "{field}");
        assert!(left.last_line().starts_with(&format!("FAIL gpu0/{block}: model and RTL")));
        let waves = left.line("waves").to_string();
        assert_eq!(waves, format!("out/run-{block}-1.vcd"));
        let (scopes, times) = read_wave(&desk.file(&waves));
        assert_eq!(scopes, ["model", "rtl", "diff"].map(|side| format!("{side}.{block}")));
        let at = left.line("MISMATCH").split_once("at cycle ").unwrap().1;
        let at: u64 = at.split(' ').next().unwrap().parse().unwrap();
        let end = 1000 * at + 4000;
        assert!(times[0] < 1000 * at && times.ends_with(&[end, end + 500]), "{field}");
        assert!(
            left.stdout.contains("\n  state  model: ") && left.stdout.contains("\n  state  rtl: ")
        );
        // The command that the report gives shows it again.
        let rerun = left.line("rerun").strip_prefix("duet ").unwrap();
        let again = desk.duet(rerun);
        assert_eq!((again.status, again.line("MISMATCH")), (1, left.line("MISMATCH")));
        let (_, times) = read_wave(&desk.file("out.vcd"));
        assert!(times.contains(&(1000 * at)), "{field}");
    }
    let model = format!("{run} --flip packetizer.tlp@1");
    desk.refuses(2, &model, &["not in lockstep", "--impl packetizer=lockstep"]);
    let late = format!("{run} {} --flip packetizer.tlp@900000000", on("lockstep"));
    desk.refuses(2, &late, &["900000000", "early enough"]);
}

#[test]
fn flipped_bit_in_one_gpu_ends_with_status_1_a_report_and_waves() {
    let Some(desk) = Desk::new("run-flip-one") else { return };
    let directory = "--set l2.design=rec --workload locks --impl coherence_directory=lockstep";
    let command = "--set l2.design=cpelide --workload reuse --cp lockstep --impl \
                   cp_crossbar=lockstep --impl local_command_processor=lockstep";
    for (words, place, fields) in [
        (
            directory,
            "gpu0/chiplet0/l2.bank0/coherence_directory",
            ["rsp[20]", "req_ready", "cnt[5]"],
        ),
        (command, "gpu0/command_processor", ["aql_ready", "trace[100]", "tx[3]"]),
        (command, "gpu0/cp_crossbar", ["tx_ready", "down[5]", "up_ready"]),
        (command, "gpu0/chiplet2/local_command_processor", ["rx_ready", "l1_inv", "tx[0]"]),
    ] {
        let (above, block) = place.rsplit_once('/').unwrap();
        let above = above.replace('.', "_").replace('/', ".");
        let run = format!("run --system cpelide-4-small --set workload.size=64 {words}");
        for field in fields {
            let left = desk.duet(&format!("{run} --flip {place}.{field}@3000"));
            assert_eq!(left.status, 1, "{place}.{field}: {}", left.stderr);
            assert!(left.line("MISMATCH").starts_with(&format!("{place}.")), "{field}");
            let failed = format!("FAIL {place}: model and RTL");
            assert!(left.last_line().starts_with(&failed));
            let (shown, _) = read_wave(&desk.file(left.line("waves")));
            assert_eq!(shown, ["model", "rtl", "diff"].map(|side| format!("{side}.{block}")));
            // The command that the report gives shows it again.
            let again = desk.duet(left.line("rerun").strip_prefix("duet ").unwrap());
            assert_eq!((again.status, again.line("MISMATCH")), (1, left.line("MISMATCH")));
            let (shown, times) = read_wave(&desk.file("out.vcd"));
            let sides = ["model", "rtl", "diff"];
            assert_eq!(shown, sides.map(|side| format!("{side}.{above}.{block}")));
            let at = left.line("MISMATCH").split_once("at cycle ").unwrap().1;
            let at: u64 = at.split(' ').next().unwrap().parse().unwrap();
            assert!(times.contains(&(at * 1_000_000 / CLOCK_MHZ)), "{block}.{field}");
        }
    }
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

#[test]
fn rtl_without_verilator_ends_with_status_5_and_says_how_to_get_it() {
    let desk = Desk::on_any_build("run-no-rtl");
    let none = [("VERILATOR", "nosuch")];
    for words in ["compare".to_string(), format!("run{}", on("rtl"))] {
        let words = format!("{words} {TWO_GPUS} {REUSE}");
        desk.refuses_in(&none, 5, &words, &["no RTL body", "VERILATOR = nosuch: does not run"]);
    }
}
