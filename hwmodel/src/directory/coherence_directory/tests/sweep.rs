//! The initial sweep (specification 5.1, README rule 14).

use super::*;

/// Ticks a new directory; the first cycle (counted from 1) in which a request can be taken.
fn first_ready(config: &Config) -> usize {
    let mut dir = CoherenceDirectory::new(config).unwrap();
    let inputs = In { req: Some(rrd(1, 0)), rsp_ready: true, inv_ready: true, ..In::default() };
    for cycle in 1.. {
        let idle = dir.is_idle();
        let out = dir.tick(&inputs);
        assert_eq!(idle, out.req_ready);
        if out.req_ready {
            assert_eq!(Out { req_ready: true, idle: true, ..Out::default() }, out);
            return cycle;
        }
        assert_eq!(Out::default(), out, "nothing is shown, and low cycles do not count");
    }
    unreachable!()
}

#[test]
fn requests_are_taken_after_one_cycle_for_each_set() {
    for config in with_entries() {
        assert_eq!(first_ready(&config), 5);
        assert_eq!(first_ready(&Config { entries: 8, ..config.clone() }), 2);
        assert_eq!(first_ready(&Config { entries: 8192, ..config }), 1025);
    }
    assert_eq!(first_ready(&Config { entries: 12 * 1024, ways: 12, ..hmg() }), 1025);
}

#[test]
fn requests_are_taken_after_one_cycle_for_64_lines_in_ideal() {
    assert_eq!(first_ready(&ideal()), 2);
    assert_eq!(first_ready(&Config { ideal_lines: 65536, ..ideal() }), 1025);
}

#[test]
fn requests_during_the_sweep_are_ignored() {
    let mut dir = CoherenceDirectory::new(&rec()).unwrap();
    let inputs = In { req: Some(rrd(1, 0)), ..In::default() };
    (0..4).for_each(|_| _ = dir.tick(&inputs));
    assert!(dir.outputs().req_ready && dir.is_idle());
    assert_eq!(dir.sharers(0), None);
}

#[test]
fn nothing_is_tracked_after_the_sweep() {
    for config in variants() {
        let b = Bench::new(&config);
        assert!((0..1024).all(|line| b.dir.sharers(64 * line).is_none()));
    }
}

#[test]
fn corrupt_array_has_two_entries_of_base_0_in_each_set() {
    for config in with_entries() {
        for (self_id, sharer) in [(0, 0b10), (2, 0b01)] {
            let mut b = Bench::corrupt(&config, self_id);
            assert_eq!(b.dir.sharers(0), Some(sharer));
            // Eight allocations in set 1 evict its two corrupt entries, which invalidates line 0 of
            // base 0 twice.
            let other = if self_id == 3 { 1 } else { 3 };
            let mut evicted = Vec::new();
            for n in 0..8 {
                let addr = u64::from(config.range) * (1 + 4 * n);
                evicted.extend(b.run(rrd(other, addr)).1);
            }
            let whole = if config.variant == Variant::Hmg { 4 } else { 1 };
            assert_eq!(evicted.len(), 2 * whole);
            assert!(evicted.iter().all(|inv| inv.addr < 256 && inv.dest == sharer));
        }
    }
}

#[test]
fn way_0_of_a_corrupt_array_is_the_oldest() {
    for config in with_entries() {
        let config = Config { entries: 2, ways: 2, ..config };
        let range = u64::from(config.range);
        for (replacement, expected) in
            [(Replacement::Fifo, [0b110, 0b010]), (Replacement::Lru, [0b010, 0b110])]
        {
            let mut b = Bench::corrupt(&Config { replacement, ..config.clone() }, 0);
            // Way 0 gets a second sharer; in lru it becomes the newest by that.
            b.run(rrd(2, 0));
            let evicted = [1, 2].map(|base| b.run(rrd(3, base * range)).1[0].dest);
            assert_eq!(evicted, expected);
        }
    }
}
