//! Results of lookups, and what meets in one cycle (specification 5.3).

use ports::race::types::result::*;

use super::*;

#[test]
fn line_that_the_l1_does_not_hold_is_a_cold_miss() {
    on_both(|body| {
        let mut bench = Bench::new(body, &config());
        bench.fill(3);
        assert_eq!(bench.look(Lookup { tag_hit: false, ..lookup(3, 0) }), MISS_COLD);
        assert_eq!(bench.look(Lookup { tag_hit: false, ..lookup(200, 0) }), MISS_COLD);
        bench.cycle();
        assert_eq!(bench.shown().rs, None, "no lookup, no result");
        assert_eq!((bench.counters().miss_cold, bench.shown().err), (2, None));
    });
}

#[test]
fn line_that_was_not_filled_has_expired() {
    on_both(|body| {
        let mut bench = Bench::new(body, &config());
        assert_eq!(bench.look(lookup(3, 0)), MISS_EXPIRED);
        assert_eq!(bench.counters().miss_expired, 1);
    });
}

#[test]
fn hits_are_granted_as_many_as_there_are() {
    on_both(|body| {
        for config in ["least", "small", "paper", "wide"] {
            let config: Config = (&named(config)).into();
            let hits = config.hits;
            let mut bench = Bench::new(body, &config);
            bench.fill(0);
            let granted = vec![HIT; hits as usize];
            assert_eq!(bench.looks(0, 0, hits as usize), granted);
            assert_eq!(bench.looks(0, 0, 3), [HIT_NEEDCHK; 3], "the count stays");
            bench.next.hc_clr = Some(0);
            bench.cycle();
            assert_eq!(bench.looks(0, 0, hits as usize), granted);
            assert_eq!(bench.looks(0, 0, 1), [HIT_NEEDCHK]);
            let Counters { hit_age0, needchk, signature_tests, .. } = bench.counters();
            assert_eq!((hit_age0, needchk, signature_tests), (2 * hits, 4, 0));
        }
    });
}

#[test]
fn line_of_the_epoch_before_is_asked_of_the_signature() {
    on_both(|body| {
        let mut bench = Bench::new(body, &config());
        bench.fill(1);
        bench.fill(2);
        bench.sync(&[0x10]);
        assert_eq!(bench.look(lookup(1, 0x10 << 7)), MISS_AVU);
        assert_eq!(bench.look(lookup(2, 0x11 << 7)), HIT);
        assert_eq!(bench.look(lookup(3, 0x10 << 7)), MISS_EXPIRED);
        bench.fill(1);
        assert_eq!(bench.look(lookup(1, 0x10 << 7)), HIT, "age 0");
        bench.sync(&[]);
        assert_eq!(bench.look(lookup(2, 0x11 << 7)), MISS_EXPIRED);
        assert_eq!(bench.look(lookup(1, 0x10 << 7)), HIT, "the signature is another");
        let Counters { hit_age0, hit_age1, miss_avu, miss_expired, signature_tests, syncs, .. } =
            bench.counters();
        assert_eq!((hit_age0, hit_age1, miss_avu, miss_expired), (1, 2, 1, 2));
        assert_eq!((signature_tests, syncs), (3, 2));
    });
}

#[test]
fn member_is_a_miss_though_its_hits_are_used_up() {
    on_both(|body| {
        let mut bench = Bench::new(body, &config());
        bench.fill(1);
        bench.looks(1, 0, 2);
        assert_eq!(bench.look(lookup(1, 0x10 << 7)), HIT_NEEDCHK);
        bench.sync(&[0x10]);
        assert_eq!(bench.look(lookup(1, 0x10 << 7)), MISS_AVU);
        assert_eq!(bench.look(lookup(1, 0x11 << 7)), HIT_NEEDCHK, "hits stay over a sync");
    });
}

#[test]
fn lookup_sees_the_line_as_before_a_fill_or_a_clear_of_its_cycle() {
    on_both(|body| {
        let mut bench = Bench::new(body, &config());
        bench.next.fill = Some(Fill { line: 1, epoch: 0 });
        assert_eq!(bench.look(lookup(1, 0)), MISS_EXPIRED);
        assert_eq!(bench.looks(1, 0, 2), [HIT; 2]);
        bench.next.hc_clr = Some(1);
        assert_eq!(bench.look(lookup(1, 0)), HIT_NEEDCHK);
        assert_eq!(bench.look(lookup(1, 0)), HIT);
        bench.next.hc_clr = Some(1);
        assert_eq!(bench.look(lookup(1, 0)), HIT);
        assert_eq!(bench.looks(1, 0, 3), [HIT, HIT, HIT_NEEDCHK], "a clear beats a hit");
        bench.next.hc_clr = Some(1);
        bench.cycle();
        (bench.next.fill, bench.next.hc_clr) = (Some(Fill { line: 1, epoch: 0 }), Some(1));
        assert_eq!(bench.look(lookup(1, 0)), HIT);
        assert_eq!(bench.looks(1, 0, 3), [HIT, HIT, HIT_NEEDCHK], "a fill beats both");
    });
}

#[test]
fn old_line_never_looks_new_again() {
    on_both(|body| {
        // Worked example 7 of 10.2: a fill in epoch 2 and eight epochs more.
        let mut bench = Bench::new(body, &config());
        bench.sync(&[]);
        bench.sync(&[]);
        bench.fill(5);
        for age in 1..=20 {
            bench.sync(&[]);
            let expected = if age == 1 { HIT } else { MISS_EXPIRED };
            assert_eq!(bench.look(lookup(5, 0)), expected, "age {age}");
            assert_eq!(bench.counters().wrapped, u32::from(age >= 8));
        }
    });
}

#[test]
fn fill_of_the_cycle_of_a_sync_wins() {
    on_both(|body| {
        let mut bench = Bench::new(body, &config());
        bench.fill(5);
        bench.fill(6);
        (0..7).for_each(|_| _ = bench.sync(&[]));
        // Both lines were filled in epoch 0, which begins again; 5 is filled with that of its
        // header.
        while !bench.shown().rsp_ready {
            bench.cycle();
        }
        bench.next.fill = Some(Fill { line: 5, epoch: 0 });
        bench.sync(&[]);
        assert_eq!([bench.look(lookup(5, 0)), bench.look(lookup(6, 0))], [HIT, MISS_EXPIRED]);
        assert_eq!(bench.counters().wrapped, 1);
    });
}

#[test]
fn granules_of_an_access_are_all_asked() {
    on_both(|body| {
        for (config, key) in
            [("small-byte", 0x87), ("small-word", 0x86 / 4), ("small-half-page", 0)]
        {
            let config: Config = (&named(config)).into();
            let gran = config.gran;
            let mut bench = Bench::new(body, &config);
            bench.fill(1);
            bench.sync(&[key]);
            let of = |size, addr| Lookup { size, ..lookup(1, addr) };
            assert_eq!(bench.look(of(3, 0x80)), MISS_AVU, "granules of {gran} bytes");
            assert_eq!(bench.look(of(7, 0xFF)), MISS_AVU);
            let near = if gran == 512 { MISS_AVU } else { HIT };
            assert_eq!(bench.look(of(1, 0x80)), near);
        }
    });
}

#[test]
fn lookup_is_judged_by_what_holds_in_its_cycle() {
    on_both(|body| {
        let mut bench = Bench::new(body, &config());
        bench.fill(1);
        // A sync without chunks: the lookup of the cycle of its header is still in the old epoch.
        bench.next.lk = Some(lookup(1, 0));
        let sync = bench.sync(&[]);
        assert_eq!(bench.out[sync - 1].epoch, 0);
        assert_eq!((bench.shown().rs, bench.counters().hit_age0), (Some(HIT), 1));
        bench.look(lookup(1, 0));
        assert_eq!(bench.counters().hit_age1, 1);
    });
}

#[test]
fn lookups_are_taken_in_each_cycle() {
    on_both(|body| {
        for name in ["small", "small-byte", "paper", "wide"] {
            let config: Config = (&named(name)).into();
            let mut bench = Bench::new(body, &config);
            bench.fill(3);
            bench.sync(&[0x10]);
            let start = bench.now();
            // Hits of age 1 until they are used up, members, and places that were never filled.
            let member = Lookup { size: 0, ..lookup(3, 0x10 * config.gran) };
            for n in 0..300 {
                let other = Lookup { size: 0, ..lookup(3, 0x11 * config.gran) };
                bench.next.lk = Some([other, member, lookup(5, 0)][n % 3]);
                assert!(bench.cycle().lk_ready, "{name}");
            }
            bench.cycle();
            for (n, out) in bench.out[start + 1..].iter().enumerate() {
                let granted = n / 3 < config.hits as usize;
                let expected = [if granted { HIT } else { HIT_NEEDCHK }, MISS_AVU, MISS_EXPIRED];
                assert_eq!(out.rs, Some(expected[n % 3]), "{name}, lookup {n}");
            }
        }
    });
}
