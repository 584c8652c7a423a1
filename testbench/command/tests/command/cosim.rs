//! `duet cosim` as other programs see it: exit status, last line, messages, files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use crate::bodies::{copy_of, replace};
use crate::desk::{Desk, Left};

#[test]
fn settings_that_are_a_named_configuration_run_as_that_one() {
    let Some(desk) = Desk::new("named") else { return };
    let left = desk.passes("cosim packetizer --set entries=4 --cycles 100");
    assert!(left.stdout.starts_with("packetizer  config small  seed 1\n"), "{}", left.stdout);
    desk.passes("cosim remote_write_queue --set timeout=9 --set acct=1 --cycles 1000");
}

#[test]
fn random_parameters_are_drawn_from_the_seed_shown_and_run_again_when_set() {
    let Some(desk) = Desk::new("random") else { return };
    let run = |words: &str, json: &str| {
        let words = format!("cosim test_queue --cycles 2000 {words} --json {json}.json");
        (desk.passes(&words), desk.read(&format!("{json}.config.toml")))
    };
    let (left, resolved) = run("--config random --seed 5", "a");
    let drawn = left.stdout.lines().nth(1).and_then(|line| line.strip_prefix("drawn  "));
    let drawn: Vec<_> = drawn.expect("the second line").split("  ").collect();
    let as_toml = drawn.iter().map(|set| set.replace('=', " = ") + "\n").collect::<String>();
    assert!(resolved.ends_with(&as_toml), "{resolved}{as_toml}");
    assert_eq!(desk.json("a.json")["config"], "random");
    let (again, same) = run("--config random --seed 5", "b");
    assert_eq!((&again.stdout, &same), (&left.stdout, &resolved));
    let (other, _) = run("--config random --seed 6", "c");
    assert_ne!(other.stdout.lines().nth(1), left.stdout.lines().nth(1));
    // All of it set: the same cycles.
    let set = drawn.iter().map(|set| format!(" --set {set}")).collect::<String>();
    let (again, same) = run(&format!("--config small --seed 5{set}"), "d");
    assert_eq!(same, resolved);
    let cycles = |left: &Left| {
        left.stdout
            .lines()
            .skip_while(|l| !l.starts_with("transfers"))
            .map(str::to_string)
            .collect::<Vec<_>>()
    };
    assert_eq!(cycles(&again), cycles(&left));
    // A failure leaves words that draw nothing.
    let failed = desk.duet("cosim test_queue --config random --seed 5 --flip item_ready@500");
    assert_eq!(failed.status, 1, "{}", failed.stdout);
    let rerun = format!("cosim test_queue --config random --seed 5{set} --flip");
    assert!(failed.rerun().starts_with(&rerun), "{}", failed.stdout);
    desk.passes("cosim finepack --cycles 1 --config random --set num_gpus=2 --set line=128");
}

/// A TLP is `data` (64 bits), `nbytes` (8), `hdr` (128) and what follows: bit 140 of the port is
/// bit 68 of the header.
#[test]
fn flip_takes_a_field_of_a_port_by_its_name() {
    let Some(desk) = Desk::new("flip_field") else { return };
    for (block, flips) in [
        ("packetizer", ["tlp[140]", "tlp_o[140]", "tlp.hdr[68]", "tlp_o.hdr[68]"]),
        ("finepack", ["packetizer.tlp[140]", "packetizer.tlp.hdr[68]", "tlp[140]", "tlp.hdr[68]"]),
    ] {
        let field = if block == "finepack" { "packetizer.tlp" } else { "tlp" };
        for flip in flips {
            let left = desk.duet(&format!("cosim {block} --cycles 4000 --flip {flip}@500"));
            let (status, mismatch) = (left.status, left.line("MISMATCH"));
            assert_eq!(status, 1, "{flip}: {}", left.stderr);
            assert!(mismatch.contains("packetizer.tlp_o.hdr at cycle "), "{flip}: {mismatch}");
            assert!(left.stdout.contains("differs in bit 68\n"), "{flip}: {}", left.stdout);
            let named = format!(" --flip {field}.hdr[68]@500 ");
            assert!(left.rerun().contains(&named), "{flip}: {}", left.stdout);
            let wide = left.stdout.lines().skip_while(|line| !line.starts_with("MISMATCH"));
            let wide: Vec<_> = wide.filter(|line| line.chars().count() > 100).collect();
            assert_eq!(wide, [""; 0], "{flip}");
        }
    }
    let run = |flip: &str, message: &str| {
        desk.refuses(2, &format!("cosim packetizer --cycles 1000 --flip {flip}"), &[message]);
    };
    run("tlp.hdr[128]@5", "--flip bit = 128: must be below 128, the width of tlp_o.hdr");
    run("tlp.hd@5", "--flip field = tlp.hd: must be one of tlp.data, ");
    run("tlp.hd@5", "; did you mean tlp.hdr?");
}

/// Cycle 500 of a block alone begins at 5000 ns.
#[test]
fn viewers_show_the_differing_port_first_with_a_marker_at_the_mismatch() {
    let Some(desk) = Desk::new("flip_viewers") else { return };
    for (words, waves) in [
        ("--flip tlp.hdr[68]@500", "out/packetizer-small-1"),
        ("--flip tlp.hdr[68]@500 --wave all.fst", "all"),
    ] {
        let left = desk.duet(&format!("cosim packetizer --cycles 4000 {words}"));
        assert_eq!(
            left.line("MISMATCH"),
            "packetizer.tlp_o.hdr at cycle 500 (config small, seed 1)"
        );
        let save = desk.read(&format!("{waves}.gtkw"));
        let (_, shown) = save.split_once("@28\nclk_i\n").expect("the clock");
        let first = "@800200\n-packetizer.tlp\n@22\n+{model tlp_o hdr} \
                     model.packetizer.tlp_o.hdr[127:0]\n";
        assert!(shown.starts_with(first), "{save}");
        let marker = save.lines().find(|line| line.starts_with('*')).expect("zoom and marker");
        assert_eq!(marker.split(' ').nth(1), Some("5000"), "{save}");
        let start = save.lines().find_map(|line| line.strip_prefix("[timestart] "));
        let start: u64 = start.expect("a start").parse().unwrap();
        // About 60 cycles are visible.
        assert!((4400..5000).contains(&start), "{save}");
        let surfer = desk.read(&format!("{waves}.sucl"));
        let first = "# written beside the waveform\nvariable_add clk_i\ndivider_add \
                     packetizer_tlp\nvariable_add model.packetizer.tlp_o.hdr\nvariable_add \
                     rtl.packetizer.tlp_o.hdr\nvariable_add diff.packetizer.tlp_o.hdr\n";
        assert!(surfer.starts_with(first), "{surfer}");
        assert!(surfer.ends_with("\ncursor_set 5000\ngoto_cursor\n"), "{surfer}");
    }
    // Where nothing differs there is no marker, and a file of the user's own stays.
    fs::write(desk.file("own.sucl"), "zoom_fit\n").unwrap();
    desk.passes("cosim packetizer --cycles 300 --wave own.vcd");
    assert_eq!(desk.read("own.sucl"), "zoom_fit\n");
    let save = desk.read("own.gtkw");
    assert!(save.lines().any(|line| line.starts_with('*') && line.ends_with(" -1")), "{save}");
}

#[test]
fn flip_that_never_happens_is_not_a_pass() {
    // It once was: nothing was inverted, and the run passed.
    let Some(desk) = Desk::new("flip_never") else { return };
    // Without a timeout, completions or faults in the last cycle there is no error code to invert.
    let words = "cosim remote_write_queue --cycles 40 --flip err_code@39";
    desk.refuses(
        2,
        words,
        &["--flip cycle = 39: must be before the last cycle that shows err_code"],
    );
}

#[test]
fn files_that_cannot_be_written_are_the_environment() {
    let Some(desk) = Desk::new("files") else { return };
    fs::write(desk.file("plain"), "").unwrap();
    let run = |words: &str| desk.refuses(5, &format!("cosim {words}"), &["duet: "]);
    run("packetizer --cycles 100 --wave plain/out.vcd");
    run("packetizer --cycles 100 --wave .");
    run("finepack --cycles 100 --wave plain/out.vcd");
    run("packetizer --cycles 100 --json plain/out.json");
    run("finepack --cycles 100 --dump-tlp plain/tlps.txt");
}

#[test]
fn tlp_dump_of_a_block_without_a_link_is_wrong_use() {
    let Some(desk) = Desk::new("no_link") else { return };
    let words = "cosim packetizer --cycles 100 --dump-tlp tlps.txt";
    desk.refuses(2, words, &["--dump-tlp: packetizer has no link; use finepack"]);
    assert!(!desk.file("tlps.txt").exists());
}

#[test]
fn good_run_passes_and_leaves_the_documented_json() {
    let Some(desk) = Desk::new("good") else { return };
    let left = desk.passes("cosim packetizer --cycles 20000 --json result.json");
    assert_eq!(left.last_line(), "PASS packetizer: 20000 cycles, 0 mismatches");
    let json = desk.json("result.json");
    assert_eq!(json["block"], "packetizer");
    assert_eq!(json["config"], "small");
    assert_eq!((json["seed"].as_u64(), json["cycles"].as_u64()), (Some(1), Some(20000)));
    assert_eq!(json["mismatches"], 0);
    for (key, names) in [("transfers", ["drain", "tlp"]), ("coverage", ["kind_pack", "tlp_held"])] {
        for name in names {
            assert!(json[key][name].as_u64().is_some_and(|count| count > 0), "{key}.{name}");
        }
    }
    // The resolved configuration stands beside the result.
    assert!(desk.read("result.config.toml").contains("line = 16\n"));
    // Nothing else was left behind.
    let names = fs::read_dir(desk.file(".")).unwrap().map(|e| e.unwrap().file_name());
    let names: BTreeSet<_> = names.map(|n| n.into_string().unwrap()).collect();
    assert_eq!(names, BTreeSet::from(["result.config.toml".into(), "result.json".into()]));
}

#[test]
fn failed_assertion_is_the_verdict_and_a_brief_run_leaves_nothing() {
    let Some(desk) = Desk::new("assertion") else { return };
    let block = copy_of(&desk, &["common", "timestamp", "timestamp/gtsc_rst"])
        .join("timestamp/gtsc_rst/gtsc_rst.sv");
    replace(&block, "KendLasts, !kend_done_o || !halt_o,", "KendLasts, !kend_done_o,");
    let words = "cosim gtsc_rst --cycles 2000 --rtl rtl";
    let brief = desk.duet(&format!("{words} --brief"));
    assert_eq!(brief.status, 1, "{}", brief.stderr);
    let verdict = "FAIL gtsc_rst: assertion KendLasts of the RTL failed at cycle ";
    assert!(brief.last_line().starts_with(verdict), "{}", brief.stdout);
    assert!(!brief.stdout.contains("\n  waves "), "{}", brief.stdout);
    assert!(!desk.file("out").exists());
    let whole = desk.duet(words);
    assert_eq!((whole.status, whole.last_line()), (1, brief.last_line()));
    assert!(desk.file(whole.line("waves ")).exists(), "{}", whole.stdout);
    // Both reports name the line of the assertion in the user's file.
    let text = fs::read_to_string(&block).unwrap();
    let number = 1 + text.lines().position(|line| line.contains("(KendLasts,")).unwrap();
    let place = format!("rtl/timestamp/gtsc_rst/gtsc_rst.sv:{number}: Assertion failed in");
    let told = desk.duet("explain");
    for left in [&whole, &told] {
        assert!(left.line("assertion ").starts_with(&place), "{place}: {}", left.stdout);
    }
}

#[test]
fn flipped_bit_fails_the_run_with_a_report() {
    let Some(desk) = Desk::new("flip") else { return };
    let left = desk.duet("cosim packetizer --cycles 20000 --flip drain_ready@100 --json f.json");
    assert_eq!(left.status, 1, "{}", left.stderr);
    assert_eq!(left.last_line(), "FAIL packetizer: model and RTL differ at cycle 100");
    let place = "packetizer.drain_ready_o at cycle 100 (config small, seed 1)";
    assert_eq!(left.line("MISMATCH "), place);
    assert!(left.line("model ").ends_with("differs in bit 0"));
    let json = desk.json("f.json");
    assert_eq!((json["mismatches"].as_u64(), json["cycles"].as_u64()), (Some(1), Some(101)));
    assert!(json["mismatch"].as_str().is_some_and(|text| text.contains(place)));
    assert!(desk.file(left.line("waves ")).exists());
}

/// Everything of a report but the names of files and commands.
fn report(left: &Left) -> Vec<&str> {
    let lines = left.stdout.lines().skip_while(|line| !line.starts_with("MISMATCH "));
    lines.take_while(|line| !line.starts_with("  waves ")).collect()
}

#[test]
fn command_in_a_report_shows_the_same_mismatch_again() {
    let Some(desk) = Desk::new("rerun") else { return };
    for words in [
        "cosim packetizer --cycles 20000 --seed 3 --flip tlp[70]@5000",
        "cosim remote_write_queue --cycles 70000 --set acct=1 --flip evt@66000",
        "cosim finepack --cycles 3000 --flip remote_write_queue.req_ready@1500",
        // Shown only after the last request: a rerun once stopped the requests later.
        "cosim finepack --cycles 3000 --flip rel_id@2990",
    ] {
        let first = desk.duet(words);
        assert_eq!(first.status, 1, "{words}: {}{}", first.stdout, first.stderr);
        let command = first.rerun();
        assert!(command.ends_with(" --wave out.vcd --wave-internals"), "{command}");
        let again = desk.duet(&command);
        assert_eq!(again.status, 1, "{command}: {}{}", again.stdout, again.stderr);
        assert_eq!(report(&again), report(&first), "{words}\n{command}");
        assert!(!report(&again).is_empty());
        assert!(desk.file("out.vcd").exists());
    }
}

/// A crate with blocks of its own is another program.
#[test]
fn commands_in_a_report_have_the_name_by_which_the_program_is_called() {
    let Some(desk) = Desk::new("called") else { return };
    for (called, shown) in [("../own-block", "../own-block"), ("own block; x", "duet")] {
        let mut program = Command::new(env!("CARGO_BIN_EXE_duet"));
        let words = "cosim packetizer --cycles 2000 --flip drain_ready@100";
        program.arg0(called).args(words.split(' ')).current_dir(desk.file("."));
        let stdout = String::from_utf8(program.output().unwrap().stdout).unwrap();
        for line in [
            format!("  rerun  {shown} cosim packetizer "),
            format!("bundle  out/cosim-packetizer-1.bundle: {shown} explain says more"),
        ] {
            assert!(stdout.lines().any(|real| real.starts_with(&line)), "{line}: {stdout}");
        }
    }
}

#[test]
fn same_command_gives_the_same_bytes() {
    let Some(desk) = Desk::new("twice") else { return };
    for words in [
        "remote_write_queue --cycles 80000",
        "depacketizer --config paper --seed 9 --cycles 20000",
        "finepack --cycles 20000 --dump-tlp tlps-N.txt",
        "packetizer --cycles 20000 --flip tlp@15000",
    ] {
        let run = |n: &str| {
            let words =
                format!("cosim {words} --json result-{n}.json").replace("-N", &format!("-{n}"));
            desk.duet(&words).stdout
        };
        assert_eq!(run("1"), run("2"), "{words}");
        assert_eq!(desk.read("result-1.json"), desk.read("result-2.json"), "{words}");
    }
    let dump = desk.read("tlps-1.txt");
    assert!(dump == desk.read("tlps-2.txt") && !dump.is_empty());
}

/// Each row in each configuration.
#[test]
fn full_gpus_agree_and_reach_every_case() {
    let Some(desk) = Desk::new("gpus") else { return };
    for config in ["paper", "paper-2gpu", "single-bank", "small"] {
        let mut reached = BTreeMap::<String, u64>::new();
        for seed in [1, 2] {
            let words = format!("cosim finepack --config {config} --seed {seed} --cycles 200000");
            desk.passes(&format!("{words} --json result.json"));
            let json = desk.json("result.json");
            for key in ["coverage", "transfers"] {
                for (row, count) in json[key].as_object().unwrap() {
                    *reached.entry(row.clone()).or_default() += count.as_u64().unwrap();
                }
            }
        }
        let missed: Vec<_> = reached.iter().filter(|(_, count)| **count == 0).collect();
        assert!(reached.len() > 30 && missed.is_empty(), "{config}: never reached: {missed:?}");
    }
}

#[test]
fn flipped_bit_is_found_in_each_block_of_full_gpus() {
    let Some(desk) = Desk::new("gpus_flip") else { return };
    for (block, field) in [
        ("remote_write_queue", "req_ready"),
        ("packetizer", "drain_ready"),
        ("depacketizer", "tlp_ready"),
    ] {
        let words = format!("cosim finepack --cycles 9000 --flip {block}.{field}@7900");
        let left = desk.duet(&words);
        assert_eq!(left.status, 1, "{words}: {}{}", left.stdout, left.stderr);
        let place = format!("gpu0/{block}.{field}_o at cycle 7900 (config small, seed 1)");
        assert_eq!(left.line("MISMATCH "), place);
        assert!(desk.file(left.line("waves ")).exists());
    }
}

fn bytes(hex: &str) -> Vec<u8> {
    let byte = |i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap_or_else(|e| panic!("{hex}: {e}"));
    (0..hex.len()).step_by(2).map(byte).collect()
}

#[test]
fn dumped_tlps_have_the_length_that_their_header_says() {
    let Some(desk) = Desk::new("dump") else { return };
    for (config, gpus) in [("small", 3), ("paper", 4), ("single-bank", 2)] {
        desk.passes(&format!(
            "cosim finepack --config {config} --cycles 100000 --dump-tlp tlps.txt"
        ));
        let mut types = BTreeSet::new();
        let mut last = 0;
        for line in desk.read("tlps.txt").lines() {
            let words: Vec<_> = line.split(' ').collect();
            let [cycle, source, dest, header, payload] = words[..] else { panic!("{line}") };
            let [cycle, source, dest] = [cycle, source, dest].map(|w| w.parse::<u64>().unwrap());
            assert!(source < gpus && dest < gpus && source != dest, "{line}");
            assert!(cycle >= last, "{line}: after cycle {last}");
            last = cycle;
            let header = bytes(header);
            assert_eq!(header.len(), 16, "{line}");
            // PCIe base specification 4.0, section 2.2.1: Fmt, Length in DWs, 1024 coded as 0.
            let dw = usize::from(header[2] & 3) << 8 | usize::from(header[3]);
            let dw = if dw == 0 { 1024 } else { dw };
            let has_data = header[0] & 0x40 != 0;
            let payload = if payload == "-" { Vec::new() } else { bytes(payload) };
            assert_eq!(payload.len(), if has_data { 4 * dw } else { 0 }, "{line}");
            // Requester id: device number = GPU.
            assert_eq!([header[4], header[5]], [0, (source as u8) << 4], "{line}");
            types.insert(header[0]);
        }
        // FinePack packets, reads and marks, atomics.
        for expected in [0x6f, 0x20, 0x6c, 0x6d] {
            assert!(types.contains(&expected), "{config}: no TLP of type {expected:#x}");
        }
    }
}

/// Dotted names and widths below a scope.
fn variables(items: &[vcd::ScopeItem], path: &str, into: &mut BTreeSet<(String, u32)>) {
    for item in items {
        match item {
            vcd::ScopeItem::Var(var) => {
                into.insert((format!("{path}.{}", var.reference), var.size));
            }
            vcd::ScopeItem::Scope(scope) => {
                variables(&scope.items, &format!("{path}.{}", scope.identifier), into);
            }
            _ => {}
        }
    }
}

/// Checks the scopes of a waveform; returns its time stamps.
fn check_wave(path: &Path, blocks: &[&str]) -> Vec<u64> {
    let file = fs::File::open(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut parser = vcd::Parser::new(std::io::BufReader::new(file));
    let header = parser.parse_header().unwrap();
    let below = |scope: &str| {
        let mut found = BTreeSet::new();
        let scope = header.find_scope(&[scope]).unwrap_or_else(|| panic!("no scope {scope}"));
        variables(&scope.items, "", &mut found);
        found
    };
    let (model, rtl, diff) = (below("model"), below("rtl"), below("diff"));
    assert!(model == rtl && model == diff);
    let scopes: BTreeSet<_> =
        model.iter().map(|(name, _)| name.split('.').nth(1).unwrap()).collect();
    assert_eq!(scopes, blocks.iter().copied().collect());
    let commands =
        parser.map(|command| command.unwrap_or_else(|e| panic!("{}: {e}", path.display())));
    let times = commands.filter_map(|command| match command {
        vcd::Command::Timestamp(time) => Some(time),
        _ => None,
    });
    times.collect()
}

#[test]
fn waveform_has_the_same_names_in_the_scopes_model_rtl_and_diff() {
    let Some(desk) = Desk::new("wave") else { return };
    for block in ["remote_write_queue", "packetizer", "depacketizer", "coherence_directory"] {
        desk.passes(&format!("cosim {block} --cycles 300 --wave waves/{block}.vcd"));
        let times = check_wave(&desk.file("waves").join(format!("{block}.vcd")), &[block]);
        // Both clock levels of each cycle.
        let expected: Vec<_> = (0..600).map(|half| 5 * half).collect();
        assert_eq!(times[..600], expected);
        assert!(desk.read(&format!("waves/{block}.gtkw")).contains(&format!("{block}.vcd")));
    }
    // Over several machines, one after the other.
    desk.passes("cosim finepack --cycles 6000 --wave gpus.vcd");
    let blocks = ["remote_write_queue", "packetizer", "depacketizer"];
    let times = check_wave(&desk.file("gpus.vcd"), &blocks);
    assert!(times.is_sorted() && *times.last().unwrap() >= 60_000);
}
