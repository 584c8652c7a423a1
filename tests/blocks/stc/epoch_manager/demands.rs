//! What a demand records, and when (specification 5.2).

use super::*;

#[test]
fn demands_of_all_cus_are_acknowledged_a_cycle_later() {
    on_both(|body| {
        let mut b = Bench::new(body, &small(Variant::Es));
        b.demand(0, 0x10);
        b.demand(1, 0x30);
        b.cycle();
        b.demand(1, 0x30);
        b.cycle();
        b.run_to(5);
        let acks: Vec<_> = b.out.iter().map(|out| out.dmd_ack).collect();
        assert_eq!(acks, [0b00, 0b11, 0b10, 0b00, 0b00]);
    });
}

#[test]
fn conflict_is_not_acknowledged() {
    on_both(|body| {
        let mut b = Bench::new(body, &small(Variant::Ab));
        b.pair(0x10, 0x10);
        b.run_to(4);
        assert_eq!(b.out.iter().map(|out| out.dmd_ack).collect::<Vec<_>>(), [0, 1, 0, 0]);
    });
}

#[test]
fn demand_of_the_last_cycle_waits_for_the_next_selection() {
    on_both(|body| {
        let mut b = Bench::new(body, &small(Variant::Es));
        b.demands(&[0x30]);
        b.run_to(15);
        b.demands(&[0x10]);
        assert_eq!([b.next_epoch().gvec, b.next_epoch().gvec], [0b1000, 0b0010]);
    });
}

#[test]
fn demand_beats_the_clear_of_its_selection() {
    on_both(|body| {
        let mut b = Bench::new(body, &small(Variant::Es));
        b.demands(&[0x10]);
        b.run_to(15);
        b.demands(&[0x10]);
        assert_eq!(b.next_epoch().gvec, 0b0010);
        b.run_to(60);
        assert_eq!(b.shown().counters.skip_same, 1, "it was kept, though granted");
    });
}

/// Up if the address that was recorded is `high`, which has a bit above the band's; none if it is
/// `LOW`, which the conflict reads.
const LOW: u32 = 0x020;
const HIGH: u32 = 0x120;

fn recorded_high(b: &mut Bench) -> bool {
    b.conflict(0, LOW);
    b.cycle();
    let [up, down, stale, dup] = b.verdicts();
    assert_eq!([down, stale, dup], [0; 3]);
    up == 1
}

#[test]
fn address_is_of_the_lowest_cu_of_the_cycle() {
    on_both(|body| {
        for (addrs, high) in [([LOW, HIGH], false), ([HIGH, LOW], true)] {
            let mut b = Bench::new(body, &small(Variant::Ab));
            (0..2).for_each(|cu| b.demand(cu, addrs[cu]));
            b.cycle();
            assert_eq!(recorded_high(&mut b), high);
        }
    });
}

#[test]
fn address_is_of_the_first_demand() {
    on_both(|body| {
        let mut b = Bench::new(body, &small(Variant::Ab));
        b.demand(1, HIGH);
        b.cycle();
        b.demand(0, LOW);
        b.cycle();
        assert!(recorded_high(&mut b));
    });
}

#[test]
fn address_of_a_demand_at_the_selection_replaces_that_which_is_cleared() {
    on_both(|body| {
        let mut b = Bench::new(body, &small(Variant::Ab));
        b.demands(&[LOW]);
        b.run_to(15);
        b.demands(&[HIGH]);
        assert!(recorded_high(&mut b));
        // Nothing is cleared of a band that is not selected.
        let mut b = Bench::new(body, &small(Variant::Ab));
        b.demands(&[LOW, 0x10]);
        b.run_to(15);
        b.demands(&[HIGH]);
        assert!(!recorded_high(&mut b));
    });
}

#[test]
fn demand_at_the_change_has_the_new_band_and_stays() {
    on_both(|body| {
        let mut b = Bench::new(body, &at_every_selection());
        b.pair(0x010, 0x110);
        b.demands(&[0x030]);
        // W 15, PREP 16; the agents are ready in 17. 0x060 is band 2 now and band 3 then.
        b.run_to(17);
        b.demands(&[0x060]);
        assert!(b.shown().chg);
        assert_eq!(b.shown().chg_info, Epoch { seb: 5, gvec: 0b0001 }, "0x010 at 5");
        assert_eq!(b.next_epoch(), Epoch { seb: 5, gvec: 0b1000 });
        b.run_to(100);
        assert_eq!(b.shown().counters.selections, 2, "0x030 was cleared by the move");
    });
}

#[test]
fn bits_above_the_address_are_ignored() {
    on_both(|body| {
        let mut b = Bench::new(body, &Config { seb_init: 12, addr_w: 13, ..small(Variant::Es) });
        b.demands(&[0xFFFF_F000]);
        assert_eq!(b.next_epoch().gvec, 0b0010);
        let mut b = Bench::new(body, &figure_6(1));
        b.pair(0x020, 0xFFFF_F020);
        assert_eq!(b.verdicts(), [0; 4]);
    });
}

#[test]
fn all_of_32_cus_take_part() {
    on_both(|body| {
        let mut b = Bench::new(body, &Config { n_cu: 32, ..small(Variant::Es) });
        (0..32).for_each(|cu| b.demand(cu, 0x10));
        b.cycle();
        assert_eq!(b.shown().dmd_ack, u32::MAX);
        assert_eq!(b.next_epoch().gvec, 0b0010);
    });
}
