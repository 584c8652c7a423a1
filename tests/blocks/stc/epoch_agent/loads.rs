//! Loads (specification 5.5).

use super::*;

fn out(nocache: bool, id: u8, addr: u32) -> Option<LoadOut> {
    Some(LoadOut { nocache, id, addr })
}

#[test]
fn load_passes_in_a_cycle_and_says_whether_its_band_is_granted() {
    on_both(|body| {
        let mut b = Bench::es(body);
        let t = b.load(7, 0xABCD_0004);
        b.load(8, of(1));
        b.run(2);
        assert_eq!(b.out[t + 1].ld, out(true, 7, 4));
        assert_eq!(b.out[t + 2].ld, out(false, 8, of(1)));
        assert_eq!((b.out[t].ld, b.out[t + 3].ld), (None, None));
    });
}

#[test]
fn one_load_passes_in_every_cycle() {
    on_both(|body| {
        let mut b = Bench::es(body);
        (0..20).for_each(|id| _ = b.load(id, 0));
        b.cycle();
        assert!(b.out.iter().all(|out| out.ld_ready));
        let ids: Vec<_> = b.out[1..].iter().map(|out| out.ld.map(|load| load.id)).collect();
        assert_eq!(ids, (0..20).map(Some).collect::<Vec<_>>());
    });
}

#[test]
fn two_loads_wait_and_stay_as_they_were() {
    on_both(|body| {
        let mut b = Bench::es(body);
        b.next.ld_ready = false;
        b.load(1, of(0));
        b.load(2, of(1));
        assert!(!b.shown().ld_ready);
        b.load(3, of(0)); // Not taken.
        b.change(epoch(0b0010));
        b.run(4);
        b.next.ld_ready = true;
        let t = b.now();
        b.run(3);
        assert_eq!(b.out[t].ld, out(true, 1, of(0)));
        assert_eq!(b.out[t + 1].ld, out(false, 2, of(1)));
        assert_eq!(b.out[t + 2].ld, None);
        assert_eq!([b.out[t].ld_ready, b.out[t + 1].ld_ready], [false, true]);
    });
}

#[test]
fn loads_pass_in_every_state() {
    on_both(|body| {
        let mut b = Bench::es(body);
        for cycle in 0..20 {
            b.next.prep = (2..17).contains(&cycle);
            b.next.sweep_done = cycle > 5;
            b.next.chg = (10..17).contains(&cycle);
            b.next.chg_info = epoch(0b0010);
            b.load(cycle, of(1));
        }
        let nocache: Vec<_> = b.out[1..].iter().map(|out| out.ld.unwrap().nocache).collect();
        // DONE from 11 on.
        assert_eq!(nocache, (0..19).map(|cycle| cycle > 10).collect::<Vec<_>>());
    });
}

#[test]
fn load_that_is_not_taken_is_no_conflict() {
    on_both(|body| {
        let mut b = Bench::new(body, &small(Variant::Ab));
        b.next.ld_ready = false;
        b.load(0, of(0));
        b.load(0, of(0));
        b.stores([(0, of(2))]);
        b.run(2);
        b.load(0, of(2));
        b.run(3);
        assert_eq!(b.requests(0).len(), 1, "the demand");
    });
}
