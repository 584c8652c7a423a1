//! Snapshots of a machine in a state that is known.

use super::*;
use crate::statistics::probe::{Awaited, Probe, QUEUES, Wait};

fn named(probe: &Probe, id: Option<u32>) -> &str {
    id.map_or("DRAM", |id| &probe.facts().components[id as usize].name)
}

/// A wait as text.
fn text(probe: &Probe, wait: &Wait) -> String {
    let (from, to) = (named(probe, Some(wait.from)), named(probe, wait.to));
    match wait.awaited {
        Awaited::Replies => format!("{from} -> {to}: replies"),
        Awaited::Entry { queue, .. } => format!("{from} -> {to}: {}", QUEUES[usize::from(queue)]),
    }
}

/// The link to the other chiplet stands still. The CU waits for its bank, the bank for the slice,
/// the slice for the link, each behind a full queue; nothing waits for memory.
#[test]
fn waits_lead_to_the_link_that_stands_still() {
    let set = [
        ("network.queue", "1"),
        ("l2.misses", "1024"),
        ("l2.banks", "1"),
        ("machine.chiplets", "2"),
        ("placement.policy", "interleave"),
        ("l2.policy", "private"),
        ("l1.design", "none"),
    ];
    let mut machine = machine("stc-8cu-small", &set, program("stream", 4096));
    let probe = machine.probe();
    stop(&mut machine, |part| matches!(part, Part::Link(_)));
    deadlock(&mut machine);
    let snapshot = probe.last().expect("the end of a run is published");
    let waits: Vec<_> = snapshot.waits.iter().map(|wait| text(&probe, wait)).collect();
    for wanted in [
        "gpu0.chiplet0.cu0 -> gpu0.chiplet0.l2.bank0: replies",
        "gpu0.chiplet0.cu0 -> gpu0.chiplet0.l2.bank0: requests to L2",
        "gpu0.chiplet0.l2.bank0 -> gpu0.chiplet0.l3.slice0: requests to L3",
        "gpu0.chiplet0.l3.slice0 -> link.chiplet0_to_chiplet1: answers of L3",
        "gpu0.chiplet0.l2.bank0 -> gpu0.chiplet1.l3.slice0: replies",
    ] {
        assert!(waits.iter().any(|wait| wait == wanted), "{wanted} in {waits:#?}");
    }
    assert!(!waits.iter().any(|wait| wait.contains("DRAM")), "{waits:#?}");
    for wait in &snapshot.waits {
        if let Awaited::Entry { of, .. } = wait.awaited {
            assert_eq!(wait.number, of, "a queue that is waited for is full");
        }
    }
    let resident: u32 = snapshot.waves.iter().sum();
    assert!(resident > 0 && resident <= probe.facts().waves, "{:?}", snapshot.waves);
    // Those of the first chiplet cannot issue; some have issued all and wait.
    assert!(snapshot.waves[1] > 0 && snapshot.waves[3] > 0, "{:?}", snapshot.waves);
    assert_eq!(snapshot.waves[0], 0, "{:?}", snapshot.waves);
}

/// A work-item loads one line that is in no cache: the CU waits for its bank, the bank for the
/// slice, and the slice for its memory channel, for one reply each.
#[test]
fn a_load_that_misses_waits_down_to_memory() {
    let set = [("machine.chiplets", "1"), ("l1.design", "none")];
    let mut machine = machine("cpelide-4-small", &set, super::watchdog::loads(100_000));
    let probe = machine.probe();
    machine.options.max_cycles = 1;
    assert!(matches!(machine.run(), Err(RunError::CycleLimit(_))));
    let mut deepest = Vec::new();
    while deepest.len() < 3 {
        machine.options.max_cycles += 1;
        assert!(matches!(machine.simulate("k"), Err(RunError::CycleLimit(_))), "{deepest:?}");
        machine.publish();
        let snapshot = probe.last().expect("it was just published");
        assert_eq!(snapshot.running, ["k"]);
        deepest = snapshot.waits;
    }
    let waits: Vec<_> = deepest.iter().map(|wait| (text(&probe, wait), wait.number)).collect();
    let (_, bank) = waits[0].0.split_once(" -> ").expect("a wait");
    let bank = bank.strip_suffix(": replies").expect("a reply");
    let (_, slice) = waits[2].0.split_once(" -> ").expect("a wait");
    let slice = slice.strip_suffix(": replies").expect("a reply");
    assert!(bank.starts_with("gpu0.chiplet0.l2.bank"), "{waits:?}");
    assert!(slice.starts_with("gpu0.chiplet0.l3.slice"), "{waits:?}");
    let expected = [
        ("gpu0.chiplet0.cu0".to_string(), bank.to_string()),
        (slice.to_string(), "DRAM".to_string()),
        (bank.to_string(), slice.to_string()),
    ];
    let expected = expected.map(|(from, to)| (format!("{from} -> {to}: replies"), 1));
    assert_eq!(waits, expected);
}
