//! States and their cycles (specification 5.1, 5.8).

use super::*;

#[test]
fn reset_shows_band_0_and_nothing_else() {
    on_both(|body| {
        let epoch = Epoch { seb: 4, gvec: 1 };
        let expected = Out { chg_info: epoch, ..Out::default() };
        assert_eq!(Bench::new(body, &small(Variant::Es)).shown(), expected);
    });
}

#[test]
fn epoch_lasts_wakeup_cycles_behind_its_transition() {
    on_both(|body| {
        let mut b = Bench::new(body, &small(Variant::Nv));
        b.run_to(60);
        let rises = |level: fn(&Out) -> bool| {
            let pairs = b.out.windows(2).enumerate();
            pairs
                .filter(|(_, o)| !level(&o[0]) && level(&o[1]))
                .map(|(n, _)| n + 1)
                .collect::<Vec<_>>()
        };
        // W 15; ready in 17; CHG 18; done in 19; REL 20; both low in 21; IDLE 22; W 37.
        assert_eq!(rises(|o| o.prep), [16, 38]);
        assert_eq!(rises(|o| o.chg), [18, 40]);
        assert_eq!(rises(|o| !o.prep), [20, 42]);
    });
}

#[test]
fn each_state_waits_for_all_agents() {
    on_both(|body| {
        let mut b = Bench::new(body, &small(Variant::Nv));
        b.follow = false;
        b.run_to(16);
        for ready in [0b00, 0b01, 0b10, 0b00] {
            b.next.ready = ready;
            assert!(b.cycle().prep && !b.shown().chg);
        }
        b.next.ready = 0b11;
        b.cycle();
        assert!(b.shown().prep && b.shown().chg);
        for done in [0b00, 0b10, 0b01] {
            b.next.done = done;
            b.cycle();
            assert!(b.shown().chg);
        }
        b.next.done = 0b11;
        b.cycle();
        assert!(!b.shown().prep && !b.shown().chg);
        for (ready, done) in [(0b11, 0b11), (0b10, 0b10), (0b01, 0b00)] {
            (b.next.ready, b.next.done) = (ready, done);
            b.run_to(b.now() + 30);
            assert!(!b.shown().prep, "the epoch begins when all have let go");
        }
        (b.next.ready, b.next.done) = (0, 0);
        b.cycle();
        let idle = b.now();
        b.run_to(idle + 16);
        assert!(b.shown().prep && !b.out[idle + 15].prep);
        assert!(b.out.iter().all(|out| out.err.is_none()));
    });
}

#[test]
fn new_epoch_is_shown_from_the_first_cycle_of_chg_on() {
    on_both(|body| {
        let mut b = Bench::new(body, &small(Variant::Nv));
        b.run_to(30);
        let gvecs = |cycle: usize| b.out[cycle].chg_info.gvec;
        assert_eq!([17, 18, 29].map(gvecs), [0b0001, 0b0010, 0b0010]);
    });
}

#[test]
fn wake_with_nothing_demanded_starts_another_period() {
    on_both(|body| {
        let mut b = Bench::new(body, &small(Variant::Es));
        b.run_to(20);
        b.demands(&[0x20]);
        b.run_to(40);
        assert!(b.out[31].counters.wakes == 1 && !b.out[31].prep && b.out[32].prep);
    });
}
