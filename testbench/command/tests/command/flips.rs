//! `duet run --flip`: the report of a difference, and the waveform around it.

use crate::desk::Desk;
use crate::two_gpus::{CLOCK_MHZ, REUSE, TWO_GPUS, on, read_wave};

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
        let again = desk.duet(&left.rerun());
        assert_eq!((again.status, again.line("MISMATCH")), (1, left.line("MISMATCH")));
        let (_, times) = read_wave(&desk.file("out.vcd"));
        assert!(times.contains(&(1000 * at)), "{field}");
    }
    let model = format!("{run} --flip packetizer.tlp@1");
    desk.refuses(2, &model, &["not in lockstep", "--impl packetizer=lockstep"]);
    let late = format!("{run} {} --flip packetizer.tlp@900000000", on("lockstep"));
    desk.refuses(2, &late, &["900000000", "must be before the last cycle"]);
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
            ["rsp[20]", "req_ready", "counters[5]"],
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
            let again = desk.duet(&left.rerun());
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
