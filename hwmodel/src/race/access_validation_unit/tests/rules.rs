//! Units with a rule disabled.

use ports::race::types::Query;
use ports::race::types::result::*;

use super::*;

/// A unit, and inputs of its next cycle.
struct Bench {
    unit: AccessValidationUnit,
    next: In,
}

fn without(config: &Config, rule: Rule) -> Bench {
    let unit = AccessValidationUnit::without(config, rule).expect("legal parameters");
    Bench { unit, next: In::default() }
}

impl Bench {
    /// One cycle; returns what is shown behind it.
    fn cycle(&mut self) -> Out {
        self.unit.tick(&std::mem::take(&mut self.next));
        self.unit.outputs()
    }

    fn beat(&mut self, rsp: Rsp) {
        while !self.unit.outputs().rsp_ready {
            self.cycle();
        }
        self.next.rsp = Some(rsp);
        self.cycle();
    }

    /// The next epoch begins, with these keys in the signature.
    fn sync(&mut self, keys: &[u32]) {
        let Config { m, epoch_w, .. } = self.unit.config;
        let next = (self.unit.epoch + 1) % (1 << epoch_w);
        sync(rsp_kind::RACE, 1, next, m, keys).into_iter().for_each(|beat| self.beat(beat));
    }

    fn fill(&mut self, line: u8) {
        self.next.fill = Some(Fill { line, epoch: self.unit.epoch });
        self.cycle();
    }

    fn look(&mut self, lk: Lookup) -> u8 {
        self.next.lk = Some(lk);
        self.cycle().rs.expect("a result in the next cycle")
    }
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
    (0..8).for_each(|_| bench.sync(&[]));
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
    bench.sync(&[1]);
    for _ in 0..2 {
        bench.next.slq_busy = true;
        bench.cycle();
    }
    assert!(bench.unit.outputs().rsp_ready);
}

#[test]
fn without_all_granules_the_others_are_not_asked() {
    let mut bench = without(&Config { gran: 4, m: 1024, ..config() }, Rule::AllGranules);
    bench.fill(1);
    bench.sync(&[0x21]);
    assert_eq!(bench.look(Lookup { size: 3, ..lookup(1, 0x80) }), HIT);
    (bench.next.q_valid, bench.next.q[0]) = (1, Query { size: 3, addr: 0x84 });
    assert_eq!(bench.cycle().q_member, 0);
}

#[test]
fn without_hits_there_is_no_end_of_them() {
    let mut bench = without(&config(), Rule::Hits);
    bench.fill(1);
    (0..20).for_each(|_| assert_eq!(bench.look(lookup(1, 0)), HIT));
}
