//! What a failure leaves, that it is the same elsewhere, and how it is reported.

use std::fs;

use crate::bodies::{copy_of, copy_of_rtl, replace};
use crate::desk::{Desk, Left};

const BUNDLE: &str = "out/cosim-packetizer-1.bundle";

/// Copies a file to another desk.
fn hand_over(from: &Desk, name: &str, to: &Desk) -> String {
    fs::copy(from.file(name), to.file("handed.bundle")).unwrap();
    "handed.bundle".to_string()
}

#[test]
fn a_difference_of_a_block_is_the_same_elsewhere_and_its_rule_is_quoted() {
    let Some(desk) = Desk::new("bundle_block") else { return };
    // The program's own RTL, not the folder that cargo names.
    let own = [("DUET_RTL", "")];
    let left = desk.duet_in(&own, "cosim packetizer --cycles 20000 --flip drain_ready@900");
    assert_eq!(left.status, 1);
    assert!(left.stdout.contains(BUNDLE), "{}", left.stdout);
    let other = Desk::new("bundle_block_other").unwrap();
    let handed = hand_over(&desk, BUNDLE, &other);
    let again = other.duet(&format!("replay {handed}"));
    assert_eq!((again.status, again.last_line()), (1, left.last_line()));
    // What it writes lies in a folder of its own.
    let mut entries = fs::read_dir(other.file("out")).unwrap().map(|e| e.unwrap().file_name());
    assert_eq!(entries.next().unwrap(), "replay-handed");
    assert_eq!(entries.next(), None);
    let told = other.duet_in(&own, &format!("explain {handed}"));
    assert_eq!(told.status, 0, "{}", told.stderr);
    assert_eq!(told.line("block"), "packetizer, cycle 900");
    assert!(told.line("flip").starts_with("--flip drain_ready[0]@900 planted"), "{}", told.stdout);
    // No register differs: the line that sets the port.
    let entry = include_str!("../../../../rtl/finepack/packetizer/packetizer_entry.sv");
    let sets = 1 + entry.lines().position(|line| line.contains("assign drain_ready_o =")).unwrap();
    let source = format!("finepack/packetizer/packetizer_entry.sv:{sets}: assign drain_ready_o =");
    assert!(told.line("source").starts_with(&source), "{}", told.stdout);
    assert!(told.line("port").starts_with("drain_ready_o "), "{}", told.stdout);
    // The rule that says what it is.
    assert!(told.stdout.contains("1. A drain beat accepted in cycle c"), "{}", told.stdout);
}

/// RTL of one's own goes with the bundle.
#[test]
fn a_bug_in_rtl_is_found_elsewhere_with_its_first_register() {
    let Some(desk) = Desk::new("bundle_rtl") else { return };
    let entry = copy_of_rtl(&desk).join("finepack/packetizer/packetizer_accumulator.sv");
    // Each beat is a packet's first.
    replace(&entry, "first_q <= first_d;", "first_q <= first_d || acc_q != 0;");
    let left = desk.duet("cosim packetizer --cycles 20000 --rtl rtl");
    assert_eq!(left.status, 1, "{}", left.stdout);
    let other = Desk::new("bundle_rtl_other").unwrap();
    let handed = hand_over(&desk, BUNDLE, &other);
    let again = other.duet(&format!("replay {handed}"));
    assert_eq!((again.status, again.last_line()), (1, left.last_line()));
    let told = other.duet(&format!("explain {handed}"));
    assert!(told.line("registers").contains("first"), "{}", told.stdout);
    // The line that was changed, which sets the register: in the files of the user where they are,
    // else in the bundle.
    let text = fs::read_to_string(&entry).unwrap();
    let is_changed = |line: &str| line.contains("first_q <= first_d");
    let number = 1 + text.lines().position(is_changed).unwrap();
    let file = "finepack/packetizer/packetizer_accumulator.sv";
    let place = |told: &Left, label: &str, place: String| {
        assert!(told.line(label).starts_with(&place), "no {place}: {}", told.stdout);
    };
    let what = "first_q <= first_d";
    place(&told, "changed", format!("{file}:{number} in the bundle: {what}"));
    place(&told, "source", format!("{file}:{number} in the bundle: {what}"));
    let told = desk.duet("explain");
    place(&told, "changed", format!("rtl/{file}:{number}: {what}"));
    place(&told, "source", format!("rtl/{file}:{number}: {what}"));
    let [before, after] = ["changed ", "source "].map(|label| told.stdout.find(label).unwrap());
    assert!(before < after, "{}", told.stdout);
    assert!(told.stdout.lines().all(|line| line.chars().count() <= 100), "{}", told.stdout);
}

/// Of several changes the one that matters is found beside the program's RTL.
#[test]
fn the_statement_where_a_difference_begins_is_reported_with_its_rule() {
    let Some(desk) = Desk::new("bundle_inside") else { return };
    let block = copy_of(&desk, &["common", "timestamp", "timestamp/gtsc_rst"])
        .join("timestamp/gtsc_rst/gtsc_rst.sv");
    replace(&block, "= (state_q == StIdle);", "= ({state_q} == StIdle);");
    replace(&block, "rep_d   = rep_q + 2'd1;", "rep_d   = rep_q + 2'd2;");
    let left = desk.duet("cosim gtsc_rst --cycles 20000 --rtl rtl");
    assert_eq!(left.status, 1, "{}", left.stdout);
    let told = desk.duet("explain");
    let what = "rep_d is the first signal that differs from that of the RTL in duet";
    assert!(told.line("inside").starts_with(what), "{}", told.stdout);
    let readme = include_str!("../../../../rtl/timestamp/gtsc_rst/README.md");
    let number = 1 + readme.lines().position(|line| line.starts_with("| Sweep |")).unwrap();
    let rule = format!("timestamp/gtsc_rst/README.md:{number}, States");
    assert_eq!(told.line("rule  "), rule, "{}", told.stdout);
}

const STALE: &str = "run --system cpelide-4-small --workload reuse --set l2.design=none";

#[test]
fn a_wrong_value_is_the_same_elsewhere_in_fewer_kernels_and_its_store_is_reported() {
    let desk = Desk::on_any_build("bundle_value");
    let left = desk.duet(STALE);
    assert_eq!(left.status, 4);
    let other = Desk::on_any_build("bundle_value_other");
    let handed = hand_over(&desk, "out/run-reuse-1.bundle", &other);
    let again = other.duet(&format!("replay {handed}"));
    assert_eq!((again.status, again.last_line()), (4, left.last_line()));
    assert_eq!(again.line("kernels"), "0 to 2 of 10", "{}", again.stdout);
    // A kernel before stores what is not seen.
    other.refuses(2, &format!("replay {handed} --short"), &["--short: has no shorter program"]);
    // More arguments are the run's.
    let more = other.duet(&format!("replay {handed} -- --json again.json"));
    assert_eq!(more.status, 4);
    assert_eq!(other.json("again.json")["verdict"], "FAIL");
    let told = other.duet(&format!("explain {handed}"));
    assert_eq!(told.status, 0, "{}", told.stderr);
    for part in ["stored by a work-item", "wave 0, work-group", "no RTL took part"] {
        assert!(told.stdout.contains(part), "{part}: {}", told.stdout);
    }
}

/// Where RTL alone gives a wrong value, the block that differs first is found beside its model.
#[test]
fn a_bug_that_shows_as_a_wrong_value_is_reported_by_block_and_side() {
    let Some(desk) = Desk::new("bundle_side") else { return };
    let chunk = copy_of_rtl(&desk).join("finepack/packetizer");
    let run = "run --system cpelide-2-small --set machine.gpus=2 --workload reuse";
    // Runs begin at odd bytes alone.
    let file = chunk.join("packetizer_run.sv");
    replace(&file, "|(first & IndexRows[b])", "b == 0 || |(first & IndexRows[b])");
    let left = desk.duet(&format!("{run} --rtl rtl --impl packetizer=rtl"));
    assert!([1, 3, 4].contains(&left.status), "{}", left.stdout);
    let told = desk.duet("explain");
    assert_eq!(told.status, 0, "{}{}", told.stdout, told.stderr);
    let (_, cycle) = told.line("block").split_once("/packetizer, cycle ").unwrap();
    let both = told.line("cycle");
    assert!(both.ends_with(&format!(" of the GPU, {cycle} of link_clk")), "{}", told.stdout);
    assert!(told.stdout.contains("packetizer/README.md:"), "{}", told.stdout);
}

#[test]
fn a_failure_in_a_later_kernel_is_the_same_without_those_before() {
    let Some(desk) = Desk::new("bundle_short") else { return };
    let run = copy_of_rtl(&desk).join("finepack/packetizer/packetizer_run.sv");
    replace(&run, "|(first & IndexRows[b])", "b == 0 || |(first & IndexRows[b])");
    let machine = "--system cpelide-2-small --set machine.gpus=2 --workload lu";
    let left = desk.duet(&format!("run {machine} --rtl rtl --impl packetizer=lockstep"));
    assert_eq!(left.status, 1, "{}", left.stdout);
    assert!(left.stdout.contains("--short: the same from kernel 1 on"), "{}", left.stdout);
    assert!(left.rerun().contains(" --rtl rtl "), "{}", left.stdout);
    let other = Desk::new("bundle_short_other").unwrap();
    let handed = hand_over(&desk, "out/run-lu-1.bundle", &other);
    let whole = other.duet(&format!("replay {handed}"));
    assert_eq!((whole.status, whole.last_line()), (1, left.last_line()));
    let short = other.duet(&format!("replay {handed} --short"));
    assert_eq!((short.status, short.line("kernels")), (1, "1 to 2 of 16"), "{}", short.stdout);
    let place = |line: &str| line.split(" at cycle ").next().map(String::from);
    assert_eq!(place(short.last_line()), place(left.last_line()));
    assert!(short.rerun().contains(&format!("replay {handed} --short")), "{}", short.stdout);
    let told = other.duet(&format!("explain {handed} --short"));
    assert!(told.stdout.contains("packetizer/README.md:"), "{}", told.stdout);
}

/// Bodies that are never at the same ports differ in what comes of it.
#[test]
fn a_comparison_that_fails_is_the_same_elsewhere_and_explained_in_lockstep() {
    let Some(desk) = Desk::new("bundle_compare") else { return };
    let rtl = copy_of(
        &desk,
        &[
            "common",
            "finepack",
            "finepack/packetizer",
            "finepack/remote_write_queue",
            "finepack/depacketizer",
            "cpelide",
            "cpelide/cp_crossbar",
            "cpelide/local_command_processor",
        ],
    );
    let accumulator = rtl.join("finepack/packetizer/packetizer_accumulator.sv");
    replace(&accumulator, "first_q <= first_d;", "first_q <= first_d || acc_q != 0;");
    let machine = "--system cpelide-2-small --set machine.gpus=2 --workload reuse";
    let left = desk.duet(&format!("compare {machine} --rtl rtl"));
    assert!([1, 3, 4].contains(&left.status), "{}", left.stdout);
    let other = Desk::new("bundle_compare_other").unwrap();
    let handed = hand_over(&desk, "out/compare-reuse-1.bundle", &other);
    let again = other.duet(&format!("replay {handed}"));
    assert_eq!((again.status, again.last_line()), (left.status, left.last_line()));
    let told = other.duet(&format!("explain {handed}"));
    assert_eq!(told.status, 0, "{}", told.stderr);
    assert!(told.line("block").contains("/packetizer, cycle "), "{}", told.stdout);
    // Nothing need be wrong, at the limit.
    fs::remove_dir_all(desk.file("out")).unwrap();
    let limit = desk.duet(&format!("compare {machine} --max-cycles 100"));
    assert!(limit.status == 3 && !desk.file("out").exists(), "{}", limit.stdout);
}

/// RTL that answers an id without a request: models hold that for impossible.
#[test]
fn rtl_at_which_the_machine_stops_leaves_a_bundle_that_names_it() {
    let Some(desk) = Desk::new("bundle_stop") else { return };
    let rtl = copy_of(&desk, &["common", "race", "race/race_detection_unit"]);
    let response = rtl.join("race/race_detection_unit/race_detection_unit_response.sv");
    replace(&response, "id: id_q,", "id: id_q ^ 8'h1,");
    let machine = "--system fermi-16sm-small --set l1.design=race-spec --workload reuse";
    let left = desk.duet(&format!("run {machine} --impl race_detection_unit=rtl --rtl rtl"));
    assert_eq!(left.status, 4, "{}", left.stdout);
    assert!(left.last_line().contains("the machine cannot go on"), "{}", left.stdout);
    let told = desk.duet("explain out/run-reuse-1.bundle");
    assert!(told.line("block").contains("/race_detection_unit, cycle "), "{}", told.stdout);
    assert!(told.line("port").contains("id"), "{}", told.stdout);
}

#[test]
fn what_is_no_bundle_is_refused() {
    let desk = Desk::on_any_build("bundle_none");
    desk.refuses(2, "explain", &["no bundle in out"]);
    desk.refuses(2, "replay nosuch.bundle", &["nosuch.bundle: No such file"]);
    fs::write(desk.file("bad.bundle"), b"bad").unwrap();
    desk.refuses(2, "replay bad.bundle", &["bad.bundle: is no bundle of duet"]);
    desk.refuses(2, "explain bad.bundle", &["bad.bundle: is no bundle of duet"]);
}
