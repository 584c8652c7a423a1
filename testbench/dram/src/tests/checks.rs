//! The checker detects each constraint's violation; bad parameters are refused.

use ports::Fields;

use super::*;

/// Changes parameters.
type Change = fn(&mut Parameters);
/// One span of a set.
type Span = (&'static str, fn(&mut Timing) -> &mut u32);

const SPANS: [Span; 22] = [
    ("tRCDRD", |t| &mut t.rcd_rd),
    ("tRCDWR", |t| &mut t.rcd_wr),
    ("tRP", |t| &mut t.rp),
    ("tRAS", |t| &mut t.ras),
    ("tRC", |t| &mut t.rc),
    ("tRRDS", |t| &mut t.rrd_s),
    ("tRRDL", |t| &mut t.rrd_l),
    ("tFAW", |t| &mut t.faw),
    ("tCCDS", |t| &mut t.ccd_s),
    ("tCCDL", |t| &mut t.ccd_l),
    ("tCCDR", |t| &mut t.ccd_r),
    ("tRTW", |t| &mut t.rtw),
    ("tWTRS", |t| &mut t.wtr_s),
    ("tWTRL", |t| &mut t.wtr_l),
    ("tRTP", |t| &mut t.rtp),
    ("tWR", |t| &mut t.wr),
    ("tRFC", |t| &mut t.rfc),
    ("tRFCpb", |t| &mut t.rfc_pb),
    ("tRREFD", |t| &mut t.rrefd),
    ("data bus", |t| &mut t.bl),
    ("data bus", |t| &mut t.cl),
    ("command bus", |t| &mut t.act_cycles),
];

/// A controller whose spans are one cycle short of the checker's is caught, span by span.
#[test]
fn the_checker_detects_each_span_that_is_one_cycle_short() {
    let mut p = Parameters::named("HBM3").unwrap();
    // Each span decides in some place: no other one hides it.
    p.timing = Timing { rrd_s: 3, rrd_l: 5, faw: 16, rtp: 30, rtw: 15, refi: 1500, ..p.timing };
    for (name, span) in SPANS {
        let mut strict = p;
        *span(&mut strict.timing) += 1;
        let found = [Refresh::AllBank, Refresh::PerBank].into_iter().any(|refresh| {
            [STREAM, "row:column:bank:group:rank:pseudo"].into_iter().any(|mapping| {
                [(2, 6), (4, 6), (4, 0)].into_iter().any(|(write_high, writes)| {
                    let policy = Policy { refresh, write_high, write_low: 1, ..PLAIN };
                    let mut bench = Bench::new(p, policy, mapping);
                    bench.checker = Checker::new(&strict, refresh);
                    let requests = noise(5).take(4000).zip(0..).map(|(at, id)| {
                        let address = at % (1 << 16);
                        Request { id, address, is_write: at >> 60 < writes }
                    });
                    let violation = bench.judge(requests).err();
                    violation.is_some_and(|violation| violation.constraint == name)
                })
            })
        });
        assert!(found, "{name}");
    }
}

#[test]
fn the_checker_knows_rows_buses_and_refresh() {
    let p = Parameters::named("GDDR6").unwrap();
    let place = Place::default();
    let at = |cycle, command, row| Issued { cycle, command, place: Place { row, ..place } };
    let judge = |commands: &[Issued]| {
        let mut checker = Checker::new(&p, Refresh::AllBank);
        commands.iter().find_map(|command| checker.see(*command).err().map(|v| v.constraint))
    };
    let act = at(0, Command::Activate, 1);
    assert_eq!(judge(&[act, at(26, Command::Read, 1)]), None);
    assert_eq!(judge(&[act, at(26, Command::Read, 2)]), Some("row state"));
    assert_eq!(judge(&[at(0, Command::Read, 0)]), Some("row state"));
    assert_eq!(judge(&[act, at(90, Command::Activate, 1)]), Some("row state"));
    assert_eq!(judge(&[act, at(90, Command::RefreshAll, 0)]), Some("row state"));
    assert_eq!(judge(&[act, at(0, Command::PrechargeAll, 0)]), Some("tRAS"));
    let mut other = at(0, Command::PrechargeAll, 0);
    assert_eq!(judge(&[other, other]), Some("command bus"));
    other.place.rank = 1;
    assert_eq!(judge(&[other]), Some("organization"));
    let late = 9 * u64::from(p.timing.refi);
    assert_eq!(judge(&[at(late, Command::Activate, 0)]), None);
    assert_eq!(judge(&[at(late + 1, Command::Activate, 0)]), Some("9 tREFI"));
    let mut checker = Checker::new(&p, Refresh::Off);
    checker.see(act).unwrap();
    let said = checker.see(at(25, Command::Read, 1)).unwrap_err().to_string();
    assert!(said.starts_with("Read in cycle 25 to Place { channel: 0, "), "{said}");
    assert!(said.ends_with(" violates tRCDRD: not before cycle 26"), "{said}");
}

#[test]
fn contradictions_are_refused_by_name() {
    let refused = |change: Change| {
        let mut p = Parameters::named("HBM3").unwrap();
        change(&mut p);
        p.check().unwrap_err().to_string()
    };
    let cases: [(Change, &str); 14] = [
        // The tRC of the preset that the set comes from.
        (|p| p.timing.rc = 63, "rc = 63: must be at least ras + rp, where ras = 45, rp = 19"),
        (|p| p.timing.ras = 18, "ras = 18: must be at least rcd_rd, where rcd_rd = 19"),
        (|p| p.timing.rrd_l = 1, "rrd_l = 1: must be at least rrd_s, where rrd_s = 2"),
        (|p| p.timing.faw = 1, "faw = 1: must be at least rrd_s, where rrd_s = 2"),
        (|p| p.timing.ccd_s = 1, "ccd_s = 1: must be at least bl, where bl = 2"),
        (|p| p.timing.ccd_l = 1, "ccd_l = 1: must be at least ccd_s, where ccd_s = 2"),
        (|p| p.timing.ccd_r = 1, "ccd_r = 1: must be at least bl, where bl = 2"),
        (
            |p| p.timing.rtw = 14,
            "rtw = 14: must be at least cl + bl - cwl, where cl = 19, bl = 2, cwl = 6",
        ),
        (|p| p.timing.wtr_l = 7, "wtr_l = 7: must be at least wtr_s, where wtr_s = 8"),
        (|p| p.timing.rfc = 261, "rfc = 261: must be at least rfc_pb, where rfc_pb = 262"),
        (
            |p| p.timing.refi = 586,
            "refi = 586: must be at least 2 rc + rfc, where rc = 64, rfc = 459",
        ),
        (
            |p| p.timing.rrefd = 160,
            "refi = 5107: must be at least 2 rrefd x groups x banks, where rrefd = 160, groups = \
             4, banks = 4",
        ),
        (|p| p.timing.cl = 0, "cl = 0: must be 1 to 1048576"),
        (
            |p| p.organization.banks = 16,
            "pseudo_channels = 2: must be at most 64 / ranks / groups / banks, where ranks = 2, \
             groups = 4, banks = 16",
        ),
    ];
    for (change, said) in cases {
        assert_eq!(refused(change), said);
    }
    for (policy, said) in [
        (Policy { write_high: 65, ..PLAIN }, "write_high = 65: must be at most write_queue, "),
        (Policy { write_low: 56, ..PLAIN }, "write_low = 56: must be less than write_high, "),
        (Policy { read_queue: 0, ..PLAIN }, "read_queue = 0: must be 1 to 256"),
    ] {
        let error = policy.check_fields().unwrap_err().to_string();
        assert!(error.starts_with(said), "{error}");
    }
    SETS.iter().for_each(|(_, set)| assert_eq!(set.check(), Ok(())));
    assert_eq!(Policy::GPU.check_fields(), Ok(()));
}

#[test]
fn a_full_queue_refuses_requests_of_its_kind() {
    let p = Parameters::named("HBM2").unwrap();
    let mut controller = Bench::new(p, Policy { read_queue: 2, ..PLAIN }, STREAM).controller;
    assert_eq!(controller.next_event(), None);
    assert_eq!(controller.enqueue(0, read(0, 0)), Ok(()));
    assert_eq!(controller.enqueue(0, read(1, 0)), Ok(()));
    assert_eq!(controller.enqueue(0, read(2, 0)), Err(Full));
    assert_eq!(controller.enqueue(0, write(3, 0)), Ok(()));
    assert_eq!(controller.next_event(), Some(0));
}
