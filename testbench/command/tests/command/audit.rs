//! `duet run --audit`: the log of what each launch released and acquired.

use crate::desk::Desk;
use crate::two_gpus::{REUSE, TWO_GPUS};

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
/// acquires. After the second kernel the program ends: what is dirty is released, which is `a`.
#[test]
fn audit_log_has_operations_and_rules_of_each_launch() {
    let desk = Desk::on_any_build("run-audit");
    let run = "run --system cpelide-2-small --set l2.design=cpelide --workload reuse";
    let words = format!("{run} --set workload.size=512 --set workload.iterations=2 --audit a.txt");
    let shown = desk.passes(&words).stdout;
    // They are the whole run.
    let line = shown.lines().find(|line| line.starts_with("2 packets; cycles: ")).unwrap();
    let number = |word: &str| word.trim_end_matches(',').parse().ok();
    let parts: Vec<u64> = line.split(' ').skip(1).filter_map(number).collect();
    let cycles = shown.lines().last().unwrap().split(' ').find_map(number);
    assert_eq!((parts.len(), Some(parts.iter().sum())), (4, cycles), "{shown}");
    let [first, second] = paragraphs(&desk.read("a.txt")).try_into().unwrap();
    assert_eq!(first[0], "gpu 0 packet 0: kernel 0 mix, tag 0, chiplets 0-1");
    // A broadcast takes so long (section 2).
    assert_eq!(first[2], "cost critical path 100, firmware 0");
    assert_eq!(first[3], "sent releases 0, acquires 0; elided 2 and 2");
    assert_eq!(first[4], "before release - acquire -");
    let expected =
        ["- 0-1 NP + local R: constant", "- 0-1 NP + local R: a", "- 0-1 NP + local R/W: b"];
    assert_eq!(rules(&first), expected);
    assert_eq!(second[3], "sent releases 4, acquires 2; elided -2 and 0");
    assert_eq!(second[4], "before release 0-1 acquire 0-1 32 lines written back");
    let expected = [
        "- 0-1 V + remote R: constant",
        "- 0-1 V + local R: constant",
        "- 0-1 V + remote R/W: a",
        "acquire 0-1 S + local R/W: a",
        "release 0-1 D + remote R: b",
        "- 0-1 V + local R: b",
        "release 0-1 D + release scope system: a",
    ];
    assert_eq!(rules(&second), expected);
    assert_eq!(second[11], "after release 0-1 acquire - 32 lines written back");

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

/// Four jobs, each on its chiplet, and a kernel on the first that reads what all have written:
/// their chiplets are released before it (D + remote R), and no kernel of a job asks for anything.
#[test]
fn kernels_of_streams_overlap_and_join_in_the_audit_log() {
    let desk = Desk::on_any_build("run-audit-streams");
    // Decisions, one after another, are shorter than kernels.
    let run = "run --system cpelide-4-small --workload stream_jobs --set l2.design=cpelide --set \
               command_processor.packet_cycles=50 --set command_processor.elide_cycles=50";
    for ahead in ["false", "true"] {
        let words = format!("{run} --set command_processor.ahead={ahead} --audit a.txt");
        desk.passes(&words);
        let all = paragraphs(&desk.read("a.txt"));
        // Three rounds of four kernels of four jobs.
        assert_eq!(all.len(), 3 * 4 * 4 + 1);
        let (sum, jobs) = all.split_last().unwrap();
        for packet in jobs {
            let chiplets = packet[0].split_once("chiplets ").unwrap().1;
            assert!(["0", "1", "2", "3"].contains(&chiplets), "{}", packet[0]);
            // The host has written before the first; nothing was held then.
            assert!(packet[3].starts_with("sent releases 0, acquires 0;"), "{packet:?}");
        }
        assert!(sum[0].contains(" sum, ") && sum[0].ends_with("chiplets 0"), "{}", sum[0]);
        assert!(sum[4].starts_with("before release 1-3 acquire - "), "{}", sum[4]);
        let moment = |packet: &[String], word: &str| -> u64 {
            let mut words = packet[1].split(' ').skip_while(|w| *w != word).skip(1);
            words.next().unwrap().parse().unwrap()
        };
        // They are listed in the order in which they end.
        let overlap =
            jobs.windows(2).filter(|two| moment(&two[1], "launch_en") < moment(&two[0], "done"));
        assert!(overlap.count() > jobs.len() / 2, "{jobs:?}");
    }
}

/// All launches but the first are decided while the kernel before runs, on every host of the
/// firmware. Where the table knows that lines have one copy it asks for nothing between kernels.
#[test]
fn launches_decided_ahead_are_sooner_and_say_so() {
    let Some(desk) = Desk::new("run-audit-ahead") else { return };
    let run = "run --system cpelide-4-small --workload stream --set l2.design=cpelide";
    let aware = "--cp iss --set l2.policy=home-forward --set command_processor.home_aware=true";
    let ahead = "--set command_processor.ahead=true --audit ahead.txt";
    let cycles = |words: &str| -> u64 {
        let last = desk.passes(&format!("{run} {words}")).last_line().to_string();
        last.split(' ').find_map(|word| word.parse().ok()).unwrap()
    };
    for cp in ["native", "iss"] {
        let in_turn = cycles(&format!("--cp {cp}"));
        let ahead = cycles(&format!("--cp {cp} {ahead}"));
        assert!(ahead <= in_turn && (cp != "iss" || ahead < in_turn), "{cp}: {ahead}, {in_turn}");
        let log = paragraphs(&desk.read("ahead.txt"));
        for (number, packet) in log.iter().enumerate() {
            assert_eq!(packet[2].ends_with(", decided ahead"), number > 0, "{packet:?}");
        }
    }
    let in_turn = cycles("--cp iss --set l2.policy=home-forward");
    assert!(cycles(&format!("{aware} {ahead}")) < in_turn);
    let log = paragraphs(&desk.read("ahead.txt"));
    for packet in &log[..log.len() - 1] {
        assert!(packet[3].starts_with("sent releases 0, acquires 0;"), "{packet:?}");
    }
    let on = |cp: &str| cycles(&format!("--cp {cp} --set command_processor.ahead=true"));
    assert_eq!(on("iss"), on("rtl"));
    assert_eq!(on("iss"), on("lockstep"));
}
