//! Which machines run on how many threads, and that what a thread finds ends the run.

use super::*;

/// The machine of a run that passed, and how many threads it had.
fn run_on(preset: &str, set: &[(&str, &str)], threads: u8) -> (Machine, u8) {
    let mut machine = machine(preset, set, program("stream", 1024));
    machine.options.threads = threads;
    let threads = machine.threads();
    machine.run().unwrap();
    assert_eq!(machine.team.is_some(), threads > 1);
    (machine, threads)
}

#[test]
fn a_machine_has_as_many_threads_as_pieces() {
    let two_gpus = [("machine.gpus", "2")];
    for (preset, set, pieces) in [
        ("cpelide-4-small", &[][..], 4),
        ("rec-4gpu-small", &[], 4),
        ("cpelide-2-small", &two_gpus, 4),
        // CUs have wires to their GPU's unit.
        ("stc-8cu-small", &[], 1),
        ("stc-8cu-small", &[("l1.design", "src")], 1),
    ] {
        let (machine, all) = run_on(preset, set, 64);
        assert_eq!((machine.all_pieces(), all), (pieces, pieces as u8), "{preset}");
        assert_eq!(run_on(preset, set, 2).1, 2.min(all), "{preset}");
        assert_eq!(run_on(preset, set, 0).1, 1, "{preset}");
    }
}

/// What a message takes from one GPU to another at least: half of a way in each of its ends, and
/// from the array of an L3 slice half of a shorter way. Threads that share a GPU meet in every
/// cycle.
#[test]
fn threads_meet_once_in_a_window() {
    let ways = [("network.latency", "40"), ("network.memory_latency", "30")];
    let arrays = [("l3.latency", "11"), ("command_processor.unicast_latency", "200")];
    let set = [&ways[..], &arrays].concat();
    let system = |more: &[(&str, &str)]| {
        machine("finepack-4gpu-small", &[&set[..], more].concat(), program("stream", 1024))
    };
    // From the gate to a bank that waits for an answer: 20 and 15. From a slice to the gate: 11 and
    // 15, and 20.
    assert_eq!(system(&[]).lookahead(2), 35);
    assert_eq!(system(&[("l3.latency", "1"), ("network.memory_latency", "26")]).lookahead(4), 33);
    assert_eq!(system(&[("command_processor.unicast_latency", "7")]).lookahead(2), 7);
    let chiplets = [("machine.chiplets", "2"), ("machine.gpus", "2"), ("l3.bytes", "262144")];
    assert_eq!(system(&chiplets).lookahead(3), 1);

    let set = [("machine.gpus", "2")];
    let mut machine = machine("finepack-4gpu-small", &set, program("pagerank", 1024));
    machine.options.threads = 2;
    let cycles = machine.run().unwrap();
    let meetings = machine.team.expect("two threads have run it").meetings;
    assert!(4 * meetings < cycles, "{meetings} meetings in {cycles} cycles");
}

#[test]
fn observers_of_the_whole_machine_need_one_thread() {
    let looks: [fn(&mut Machine); 7] = [
        |machine| machine.options.watch = Some(0),
        |machine| machine.options.visit_all = true,
        |machine| machine.options.order = Order::Shuffled(1),
        |machine| machine.options.compare_lines = 1,
        Machine::record,
        |machine| machine.on_tlp(|_| ()),
        |machine| machine.on_packet(|_| ()),
    ];
    for look in looks {
        let mut machine = machine("cpelide-4-small", &[], program("stream", 1024));
        machine.options.threads = 2;
        assert_eq!(machine.threads(), 2);
        look(&mut machine);
        assert_eq!(machine.threads(), 1);
    }
}

/// The parts of each shard: whole chiplets, in order, and what a GPU has once with its first.
#[test]
fn pieces_are_chiplets_with_what_stands_beside_them() {
    let machine = machine("cpelide-2-small", &[("machine.gpus", "3")], program("stream", 1024));
    let per_chiplet = machine.ctx.layout.parts_per_chiplet();
    let in_chiplets = (0..6).flat_map(|chiplet| vec![chiplet; per_chiplet]);
    // Command processors; links from each chiplet to the other of its GPU; the gate.
    let rest = [0, 2, 4, 0, 1, 2, 3, 4, 5, 0];
    assert_eq!(machine.pieces, in_chiplets.chain(rest).collect::<Vec<_>>());
}

/// The machine of one thread stands still, and the others wait for it. Built again it is sound.
#[test]
fn a_run_that_fails_on_threads_alone_is_an_error() {
    let mut machine = machine("cpelide-4-small", &[], program("stream", 1024));
    machine.options.threads = 2;
    stop(&mut machine, |part| matches!(part, Part::Local(_)));
    assert!(matches!(machine.run(), Err(RunError::Threads)));
    assert!(machine.team.is_none());
}
