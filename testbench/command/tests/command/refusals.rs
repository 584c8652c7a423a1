//! `duet run` and `duet compare` where they are asked for what cannot be: exit status and message,
//! before anything runs.

use std::collections::BTreeSet;
use std::fs;

use crate::desk::Desk;
use crate::two_gpus::{REUSE, TWO_GPUS, kept_trace, on};

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
        (
            format!("run {one} --workload copy --set workload.shift=100"),
            vec!["workload.shift=100", "128"],
        ),
        (format!("run {one} --workload copy --set workload.shift=4096"), vec!["below 4096"]),
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
fn a_name_that_is_nearly_right_is_answered_with_the_one_that_is() {
    let desk = Desk::on_any_build("run-near");
    let one = "run --system stc-8cu-small --workload copy";
    for (words, meant) in [
        ("run --system stc-8cu-smal --workload copy".to_string(), "stc-8cu-small"),
        ("run --system stc-8cu-small --workload cpoy".into(), "copy"),
        (format!("{one} --set l2.way=4"), "l2.ways"),
        (format!("{one} --set machin.cus=4"), "machine"),
        (format!("{one} --set finepack.beet=4"), "beat"),
        (format!("{one} --set l1.design=stc-mp"), "stc-mb"),
        (format!("{one} --set l2.policy=privat"), "private"),
        (format!("{one} --set workload.sise=4"), "workload.size"),
        (format!("{one} --impl cp_crosbar=rtl"), "cp_crossbar"),
        (format!("{one} --impl cp_crossbar=rlt"), "rtl"),
        (format!("{one} --cp lokstep"), "lockstep"),
        (format!("{one} --wave w.vcd --wave-of gpu0/cp_crosbar"), "gpu0/cp_crossbar"),
        ("cosim packetiser".into(), "packetizer"),
        ("cosim packetizer --config papr".into(), "paper"),
        ("cosim packetizer --set beet=8".into(), "beat"),
        ("cosim packetizer --flip tpl@3 --cycles 9".into(), "tlp"),
        ("bodies build packetiser".into(), "packetizer"),
        ("reproduce finepak".into(), "finepack"),
        ("controls rat-gpu-link".into(), "rate-gpu-link"),
    ] {
        let left = desk.duet(&words);
        assert_eq!(left.status, 2, "{words}: {}", left.stderr);
        let meant = format!("did you mean {meant}?");
        assert!(left.stderr.contains(&meant), "{words}: no {meant:?} in: {}", left.stderr);
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
fn rtl_without_verilator_ends_with_status_5_and_says_how_to_get_it() {
    let desk = Desk::on_any_build("run-no-rtl");
    let none = [("VERILATOR", "nosuch")];
    for words in ["compare".to_string(), format!("run{}", on("rtl"))] {
        let words = format!("{words} {TWO_GPUS} {REUSE}");
        desk.refuses_in(&none, 5, &words, &["no RTL body", "VERILATOR = nosuch: does not run"]);
    }
}
