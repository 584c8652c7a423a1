//! The checker detects each constraint's violation; bad parameters are refused.

use super::*;

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
    let p = Parameters::named("HBM3").unwrap();
    let refused = |change: &dyn Fn(&mut Parameters)| {
        let mut p = p;
        change(&mut p);
        p.check().unwrap_err().to_string()
    };
    // The tRC of the preset that the set comes from.
    assert_eq!(refused(&|p| p.timing.rc = 63), "tRC = 63: must be at least tRAS + tRP = 64");
    for (change, said) in [
        (
            &(|p: &mut Parameters| p.timing.ras = 18) as &dyn Fn(&mut Parameters),
            "tRAS = 18: must be at least tRCDRD = 19",
        ),
        (&|p| p.timing.rrd_l = 1, "tRRDL = 1: must be at least tRRDS = 2"),
        (&|p| p.timing.faw = 1, "tFAW = 1: must be at least tRRDS = 2"),
        (&|p| p.timing.ccd_s = 1, "tCCDS = 1: must be at least BL = 2"),
        (&|p| p.timing.ccd_l = 1, "tCCDL = 1: must be at least tCCDS = 2"),
        (&|p| p.timing.ccd_r = 1, "tCCDR = 1: must be at least BL = 2"),
        (&|p| p.timing.rtw = 14, "tRTW = 14: must be at least CL + BL - CWL = 15"),
        (&|p| p.timing.wtr_l = 7, "tWTRL = 7: must be at least tWTRS = 8"),
        (&|p| p.timing.rfc = 261, "tRFC = 261: must be at least tRFCpb = 262"),
        (&|p| p.timing.refi = 586, "tREFI = 586: must be at least 2 tRC + tRFC = 587"),
        (
            &|p| p.timing.rrefd = 160,
            "tREFI = 5107: must be at least banks of a rank * 2 tRREFD = 5120",
        ),
        (&|p| p.timing.cl = 0, "CL = 0: must be at least 1 = 1"),
        (&|p| p.timing.wr = 1 << 21, "tWR = 2097152: must be from 1 to 1048576"),
        (&|p| p.organization.banks = 0, "banks = 0: must be from 1 to 64"),
        (&|p| p.organization.banks = 16, "banks of the channel = 256: must be from 1 to 64"),
    ] {
        assert_eq!(refused(change), said);
    }
    let policy = |policy: Policy| policy.check().unwrap_err().to_string();
    assert_eq!(policy(Policy { write_high: 65, ..PLAIN }), "write_high = 65: must be from 1 to 64");
    assert_eq!(policy(Policy { write_low: 56, ..PLAIN }), "write_low = 56: must be from 0 to 55");
    assert_eq!(policy(Policy { read_queue: 0, ..PLAIN }), "read_queue = 0: must be from 1 to 256");
    let names = SETS.map(|set| set.name).join(", ");
    let said = Parameters::named("HBM9").unwrap_err().to_string();
    assert_eq!(said, format!("\"HBM9\": must be one of {names}"));
    SETS.iter().for_each(|set| assert_eq!(set.check(), Ok(())));
    assert_eq!(Policy::GPU.check(), Ok(()));
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
