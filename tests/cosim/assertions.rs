//! A rule that the RTL asserts and an input breaks becomes an ordinary report; the process goes on.

use cosim::Lockstep;
use cosim::report::RunName;
use duet_tests::{has_rtl, model, ones, parameters, rtl};
use hwmodel::finepack::packetizer::Packetizer;
use hwmodel::finepack::remote_write_queue::RemoteWriteQueue;
use hwmodel::{Block, Model};
use ports::finepack::packetizer::{self, Config};
use ports::finepack::remote_write_queue;
use ports::finepack::types::FinePack;
use ports::finepack::types::{Drain, Req, drain_kind, op};

/// A packet of one entry with two bytes: 3 + 2 bytes of payload in configuration `small`.
fn legal() -> Drain {
    Drain {
        sop: true,
        eop: true,
        kind: drain_kind::PACK,
        dest: 1,
        base: 1 << 14,
        plen: 5,
        line: 1 << 10,
        mask: ones(0, 2),
        ..Drain::default()
    }
}

/// Input of cycle `cycle`: the packet in cycle 2, nothing else.
fn input(packet: Drain, cycle: u64) -> packetizer::In {
    let drain = (cycle == 2).then_some(packet);
    packetizer::In { drain, tlp_ready: true, self_id: 0 }
}

/// The messages of the RTL after a packet. Also checks that outputs are still there.
fn messages(packet: Drain) -> String {
    let mut body = rtl::<Packetizer>("small");
    let mut sent = 0;
    for cycle in 0..12 {
        sent += usize::from(body.tick(&input(packet, cycle)).tlp.is_some());
    }
    assert_eq!(sent, 1, "the block goes on");
    assert_eq!(body.failed(), !body.messages().is_empty());
    let mut report = String::new();
    body.write_failure(&mut report).unwrap();
    assert_eq!(report, body.messages());
    body.messages().to_string()
}

#[test]
fn input_that_breaks_a_rule_fails_the_body_with_the_rules_message() {
    if !has_rtl() {
        return;
    }
    assert_eq!(messages(legal()), "");
    let broken = [
        (Drain { plen: 6, ..legal() }, "EmittedIsPlen", "emitted bytes differ from plen"),
        (Drain { plen: 0, ..legal() }, "DrainPlen", "packet payload is not 1..4096 bytes"),
        (Drain { base: 1, ..legal() }, "BaseAligned", "base is not aligned to the window"),
        (Drain { base: 0, ..legal() }, "OffsetsFit", "line outside the packet's window"),
    ];
    for (packet, rule, why) in broken {
        let messages = messages(packet);
        assert!(messages.contains(rule) && messages.contains(why), "{rule}: {messages}");
    }
}

/// A rule about inputs sees those of its cycle in both kinds of cycles: in the first ones the RTL
/// is evaluated before the edge too, later mostly at the edge alone.
#[test]
fn rule_is_broken_in_the_same_cycle_whether_or_not_inputs_settle_before_the_edge() {
    if !has_rtl() {
        return;
    }
    let fails_after = |packet: Drain, idle: u64| {
        let mut body = rtl::<Packetizer>("small");
        for _ in 0..idle {
            body.tick(&input(packet, 0));
        }
        let mut failed = (0..12).skip_while(|&cycle| {
            body.tick(&input(packet, cycle));
            !body.failed()
        });
        failed.next()
    };
    let broken = [
        Drain { plen: 6, ..legal() },
        Drain { plen: 0, ..legal() },
        Drain { base: 1, ..legal() },
        Drain { base: 0, ..legal() },
    ];
    for packet in broken {
        let early = fails_after(packet, 0);
        assert!(early.is_some());
        assert_eq!(fails_after(packet, 5000), early, "{packet:?}");
    }
    assert_eq!([0, 5000].map(|idle| fails_after(legal(), idle)), [None; 2]);
}

#[test]
fn failed_assertion_is_a_mismatch_without_differences() {
    if !has_rtl() {
        return;
    }
    let config = Config::from(&parameters::<FinePack>("small"));
    let run = RunName { config: "small".into(), seed: 0 };
    let (model, rtl) = (model::<Packetizer>("small"), rtl::<Packetizer>("small"));
    let mut pair = Lockstep::new(run, &config, model, rtl, 0);
    let mut failed_at = None;
    for cycle in 0..20 {
        pair.tick(&input(Drain { plen: 6, ..legal() }, cycle));
        if pair.failed() {
            failed_at.get_or_insert(cycle);
        }
    }
    let found = pair.mismatch().expect("the rule is broken");
    // The entry is taken in cycle 2, its one beat in cycle 4.
    assert_eq!((found.cycle, failed_at), (4, Some(4)));
    assert_eq!(found.differences, []);
    assert!(found.assertions.contains("emitted bytes differ from plen"), "{}", found.assertions);
    // One line, without a count of cycles or words of Verilator's own.
    let text = &found.assertions;
    assert!(text.starts_with("%Error: packetizer.sv:"), "{text}");
    assert_eq!(text.lines().count(), 1, "{text}");
    let report = found.to_string();
    assert!(report.starts_with("ASSERTION of packetizer at cycle 4 (config small, seed 0)\n"));
    assert!(report.contains("\n  assertion  %Error: "), "{report}");
    assert!(
        report.contains("PACK first last for GPU 1, id 0, line 0x400, bytes 0-1, "),
        "{report}"
    );
    // The window goes on for four cycles.
    let window: Vec<_> =
        pair.window().expect("a difference").cycles.iter().map(|w| w.cycle).collect();
    assert_eq!(window, (0..=8).collect::<Vec<_>>());
}

#[test]
fn static_input_above_its_limit_is_reported_by_the_remote_write_queue() {
    if !has_rtl() {
        return;
    }
    let mut body = rtl::<RemoteWriteQueue>("small");
    for _ in 0..3 {
        body.tick(&remote_write_queue::In { self_id: 3, ..Default::default() });
    }
    assert!(body.failed());
    assert!(body.messages().contains("self_id_i must be below NumGpus"), "{}", body.messages());
}

#[test]
fn assertion_of_one_body_is_not_another_bodys() {
    // It once was: Verilator counted it for the body that was made last, even after its end.
    if !has_rtl() {
        return;
    }
    let mut broken = rtl::<Packetizer>("small");
    let mut sound = rtl::<Packetizer>("small");
    let mut queue = rtl::<RemoteWriteQueue>("small");
    drop(rtl::<RemoteWriteQueue>("small"));
    for cycle in 0..12 {
        broken.tick(&input(Drain { plen: 6, ..legal() }, cycle));
        sound.tick(&input(legal(), cycle));
        queue.tick(&Default::default());
    }
    assert!(broken.failed() && !sound.failed() && !queue.failed());
    drop(broken);
    // The next run in this process is a good one.
    let mut next = rtl::<RemoteWriteQueue>("small");
    let store = Req { op: op::STORE, dest: 1, mask: 1, ..Req::default() };
    for _ in 0..20 {
        let inputs = remote_write_queue::In { req: Some(store), ..Default::default() };
        next.tick(&inputs);
    }
    assert!(!next.failed(), "{}", next.messages());
}

#[test]
fn path_of_two_bodies_fails_with_either() {
    // `FinePackPath` once said that nothing was wrong whatever its two blocks reported.
    use hwmodel::finepack::egress::FinePackPath;
    use ports::finepack::egress::In;
    if !has_rtl() {
        return;
    }
    let (queue, packetizer) = (rtl::<RemoteWriteQueue>("small"), rtl::<Packetizer>("small"));
    let mut path = FinePackPath::new(queue, packetizer, 0, 0);
    for _ in 0..3 {
        path.tick(&In { self_id: 3, ..In::default() });
    }
    assert!(path.queue().failed() && path.failed());
    let mut report = String::new();
    path.write_failure(&mut report).unwrap();
    assert!(report.contains(RemoteWriteQueue::NAME) && report.contains("self_id_i"), "{report}");
}
