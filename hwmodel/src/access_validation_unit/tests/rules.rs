//! Without a rule, what it is for happens.

use ports::common::race_types::result::*;

use super::*;

fn without(config: &Config, rule: Rule) -> Bench {
    let unit = AccessValidationUnit::without(config, rule).expect("legal parameters");
    Bench::of(Box::new(unit), config)
}

#[test]
fn without_expires_a_line_of_age_2_is_used() {
    let mut bench = without(&config(), Rule::Expires);
    bench.fill(1);
    bench.sync(&[1]);
    bench.sync(&[2]);
    assert_eq!(bench.look(lookup(1, 1 << 7)), HIT);
    assert_eq!(bench.look(lookup(1, 2 << 7)), MISS_AVU);
}

#[test]
fn without_live_cleared_an_old_line_looks_new() {
    let mut bench = without(&config(), Rule::LiveCleared);
    bench.fill(1);
    (0..8).for_each(|_| _ = bench.sync(&[]));
    assert_eq!(bench.look(lookup(1, 0)), HIT);
}

#[test]
fn without_lookup_waits_half_a_signature_judges() {
    let mut bench = without(&config(), Rule::LookupWaits);
    bench.sync(&[]);
    bench.fill(1);
    bench.sync(&[0x10]);
    bench.beat(sync(rsp_kind::RACE, 1, 3, 256, &[0x10])[0]);
    assert_eq!(bench.look(lookup(1, 0x10 << 7)), HIT);
}

#[test]
fn without_response_waits_the_next_signature_comes_during_a_validation() {
    let mut bench = without(&config(), Rule::ResponseWaits);
    bench.next.slq_busy = true;
    bench.sync(&[1]);
    bench.run(2);
    assert!(bench.shown().rsp_ready);
}

#[test]
fn without_all_granules_the_others_are_not_asked() {
    let mut bench = without(&Config { gran: 4, m: 1024, ..config() }, Rule::AllGranules);
    bench.fill(1);
    bench.sync(&[0x21]);
    assert_eq!(bench.look(Lookup { size: 3, ..lookup(1, 0x80) }), HIT);
    (bench.next.q_valid, bench.next.q[0]) = (1, Query { size: 3, addr: 0x84 });
    bench.cycle();
    assert_eq!(bench.shown().q_member, 0);
}

#[test]
fn without_hits_there_is_no_end_of_them() {
    let mut bench = without(&config(), Rule::Hits);
    bench.fill(1);
    assert_eq!(bench.looks(1, 0, 20), [HIT; 20]);
}
