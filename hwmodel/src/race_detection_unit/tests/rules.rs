//! Without a rule, what it is for happens.

use super::*;

fn without(config: &Config, rule: Rule) -> Bench {
    let unit = RaceDetectionUnit::without(config, rule).expect("legal parameters");
    Bench::of(Box::new(unit), config)
}

#[test]
fn without_insert_first_a_write_is_lost() {
    let mut bench = without(&Config { n_sat: 1, ..config() }, Rule::InsertFirst);
    bench.send(0, 0, [write(1, 1)]);
    bench.send(1, 1, [write(2, 2)]);
    bench.send(20, 2, [read(3, 2)]);
    bench.finish();
    assert_eq!(bench.signature(2, 0), bits(256, &[1]));
    assert_eq!(bench.answers(2)[1], (rsp_kind::NORACE, 3));
}

#[test]
fn without_copy_apart_a_write_is_lost() {
    let mut bench = without(&Config { m: 1024, ..config() }, Rule::CopyApart);
    bench.send(0, 0, [write(1, 1)]);
    bench.send(1, 1, [read(2, 1)]);
    bench.send(3, 2, [write(3, 2)]);
    bench.send(12, 1, [read(4, 2)]);
    bench.finish();
    assert_eq!(bench.answers(1), [(rsp_kind::RACE, 2), (rsp_kind::NORACE, 4)]);
}

#[test]
fn without_whole_line_the_rest_of_it_is_not_seen() {
    let mut bench = without(&Config { gran: 4, m: 1024, ..config() }, Rule::WholeLine);
    bench.send(0, 0, [Req { mask: 1 << 127, ..write(1, 1) }]);
    bench.send(10, 1, [Req { mask: 1, ..read(2, 1) }]);
    bench.finish();
    assert_eq!(bench.answers(1), [(rsp_kind::NORACE, 2)]);
}

#[test]
fn without_write_syncs_and_atomic_syncs_they_are_answered_as_checks() {
    let requests = [write(1, 1), atomic(2, 2)];
    let run = |rule| {
        let mut bench = without(&config(), rule);
        bench.send(0, 0, requests);
        bench.finish();
        bench.answers(0)
    };
    let (wack, norace) = (rsp_kind::WACK, rsp_kind::NORACE);
    assert_eq!(run(Rule::WriteSyncs), [(norace, 1), (wack, 2)]);
    assert_eq!(run(Rule::AtomicSyncs), [(wack, 1), (norace, 2)]);
    let mut bench = without(&config(), Rule::AtomicSyncs);
    bench.send(0, 0, [write(1, 1)]);
    bench.send(1, 1, [atomic(2, 1)]);
    bench.finish();
    assert_eq!(bench.answers(1), [(wack, 2)], "it races");
}

#[test]
fn without_queue_order_the_youngest_goes_first() {
    let mut bench = without(&Config { rq_n: 4, ..config() }, Rule::QueueOrder);
    bench.send(0, 0, (0..5).map(|id| read(id, 1)));
    bench.finish();
    let ids: Vec<_> = bench.headers(0).iter().map(|(_, rsp)| rsp.id).collect();
    assert_eq!(ids[0], 0);
    assert_ne!(ids, [0, 1, 2, 3, 4]);
}
