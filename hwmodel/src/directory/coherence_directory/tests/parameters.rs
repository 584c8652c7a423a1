//! Parameters, idleness, and the state line.

use super::*;

fn refused(change: fn(&mut Config)) -> Option<&'static str> {
    let mut config = rec();
    change(&mut config);
    CoherenceDirectory::new(&config).err().map(|e| e.name)
}

#[test]
fn illegal_parameters_are_refused_by_name() {
    assert_eq!(refused(|_| ()), None);
    assert_eq!(refused(|c| c.gpus = 1), Some("gpus"));
    assert_eq!(refused(|c| c.gpus = 17), Some("gpus"));
    assert_eq!(refused(|c| c.ways = 0), Some("ways"));
    assert_eq!(refused(|c| c.ways = 17), Some("ways"));
    assert_eq!(refused(|c| c.entries = 24), Some("entries")); // 3 sets
    assert_eq!(refused(|c| c.entries = 0), Some("entries"));
    assert_eq!(refused(|c| c.line = 32), Some("line"));
    assert_eq!(refused(|c| c.range = 512), Some("range")); // 8 lines
    assert_eq!(refused(|c| c.variant = Variant::Hmg), Some("range"));
    assert_eq!(refused(|c| c.variant = Variant::Ideal), Some("range"));
    assert_eq!(refused(|c| c.address_width = 53), Some("address_width"));
    assert_eq!(refused(|c| (c.address_width, c.range) = (16, 4096)), None);
    assert_eq!(refused(|c| (c.address_width, c.entries) = (16, 1024)), Some("entries"));
    assert_eq!(refused(|c| c.jobs = 1), Some("jobs"));
    assert_eq!(refused(|c| c.responses = 2), Some("responses"));
    assert_eq!(refused(|c| c.ideal_lines = 96), Some("ideal_lines"));
}

#[test]
fn rtl_parameters_are_those_of_the_configuration() {
    let expected = [
        ("Variant", 2),
        ("Gpus", 4),
        ("Entries", 32),
        ("Ways", 8),
        ("Line", 64),
        ("Range", 1024),
        ("AddressWidth", 48),
        ("Replacement", 1),
        ("Jobs", 8),
        ("Responses", 4),
        ("IdealLines", 64),
    ];
    assert_eq!(rec().rtl_parameters(), expected);
    let first = |config: &Config| {
        let parameters = config.rtl_parameters();
        (parameters[0].1, parameters[7].1)
    };
    assert_eq!(variants().map(|config| first(&config)), [(2, 1), (1, 0), (0, 0), (3, 1)]);
}

#[test]
fn state_line_names_what_is_held() {
    let mut b = Bench::new(&rec());
    b.next.inv_ready = false;
    b.send(rrd(1, 0x1340));
    b.send(rwr(2, 0x1340));
    b.cycles(2);
    b.send(Req { op: 7, ..rrd(1, 0) });
    b.cycle();
    let mut line = String::new();
    b.dir.write_state(&mut line).unwrap();
    assert_eq!(
        line,
        "table.ready=0x1 seq=0x3 job_credit=0x7 rsp_credit=0x3 err=0x2 responses.fifo.count=0x1 \
         jobs.fifo.count=0x1 jobs.oldest.seq=0x1 jobs.oldest.base=0x4 jobs.oldest.left=0x2000"
    );
}

#[test]
fn sharers_are_seen_without_a_request() {
    let mut b = Bench::new(&rec());
    assert_eq!(b.dir.sharers(0x1340), None);
    b.run(rrd(1, 0x1340));
    b.run(rrd(3, 0x1340));
    assert_eq!(b.dir.sharers(0x1340), Some(0b1010));
    assert_eq!(b.dir.sharers(0x137F), Some(0b1010), "bits below the line are ignored");
    assert_eq!(b.dir.sharers(0x1380), None);
    assert_eq!(Bench::new(&ideal()).dir.sharers(u64::MAX), None);
}

#[test]
fn idle_block_does_not_change() {
    for config in variants() {
        let mut b = Bench::new(&config);
        assert!(b.dir.is_idle());
        let t = b.send(rrd(1, 0));
        assert!(!b.dir.is_idle(), "a request is in S1");
        b.at(t + 1);
        assert!(!b.dir.is_idle(), "a response is held");
        b.at(t + 2);
        assert!(b.dir.is_idle());
        let shown = b.dir.outputs();
        assert!(shown.idle);
        b.next = In::default();
        b.cycles(3);
        assert_eq!(b.dir.outputs(), shown);
    }
}

#[test]
fn error_pulse_keeps_the_block_from_being_idle() {
    let mut b = Bench::new(&rec());
    b.next.rsp_ready = true;
    let t = b.send(Req { op: 6, ..rrd(1, 0) });
    b.at(t + 1);
    assert_eq!(b.dir.outputs().err, Some(err::OP));
    assert!(!b.dir.is_idle());
    b.at(t + 2);
    assert!(b.dir.is_idle());
}

#[test]
fn addresses_beyond_the_port_are_cut() {
    let mut b = Bench::new(&Config { address_width: 20, ..rec() });
    b.run(rrd(1, u64::MAX));
    assert_eq!(b.dir.sharers(0xF_FFC0), Some(0b10));
    let (rsp, invalidations) = b.run(lwr(0xF_FFC0));
    assert!(rsp.hit);
    assert_eq!(lines(&invalidations), [(0xF_FFC0, 0b10, true)]);
}

#[test]
fn no_input_panics() {
    for config in variants() {
        for self_id in [0, 3, 4, 15, 255] {
            let mut b = Bench::of_gpu(&config, self_id);
            for n in 0..=255u8 {
                for addr in [0, u64::MAX, u64::MAX << 12] {
                    b.run(Req { addr, id: n, src: n % 19, op: n / 7 });
                    b.run(Req { addr, id: n, src: n, op: n % 8 });
                }
            }
        }
    }
}
