//! What rules are for, and that without them it happens.

use ports::timestamp::types::rsp_op;

use super::*;

/// What is seen with all rules, and without this one.
fn with_and_without<T>(rule: Rule, see: impl Fn(&mut Bench) -> T) -> (T, T) {
    let all = TimestampL2::new(&config()).expect("legal parameters");
    let without = TimestampL2::without(&config(), rule).expect("legal parameters");
    (see(&mut Bench::new(all)), see(&mut Bench::new(without)))
}

#[test]
fn ok_tells_that_a_copy_is_old() {
    // Example 4.
    let seen = with_and_without(Rule::Ok, |bench| {
        assert_eq!(bench.lease_of(read(X, 0, 1)), (1, 6));
        assert_eq!(bench.lease_of(write(X, 0, 1)), (7, 12));
        let answer = bench.ask(write(X, 1, 1)).expect("it fits");
        assert_eq!((answer.wts, answer.rts), (13, 18));
        answer.ok
    });
    assert_eq!(seen, (false, true));
}

#[test]
fn a_write_comes_behind_all_leases() {
    let seen = with_and_without(Rule::AfterLease, |bench| {
        assert_eq!(bench.lease_of(read(X, 0, 1)), (1, 6));
        bench.lease_of(write(X, 0, 1))
    });
    assert_eq!(seen, ((7, 12), (6, 11)));
}

#[test]
fn a_write_comes_not_before_its_warp() {
    let seen = with_and_without(Rule::AboveWarp, |bench| {
        assert_eq!(bench.lease_of(read(X, 0, 1)), (1, 6));
        bench.lease_of(write(X, 0, 20))
    });
    assert_eq!(seen, ((20, 25), (7, 12)));
}

#[test]
fn a_line_that_comes_back_is_not_older_than_its_leases() {
    // Example 5.
    let seen = with_and_without(Rule::Remembered, |bench| {
        bench.lease_of(write(X, 0, 1));
        assert_eq!(bench.lease_of(read(X, 0, 12)), (7, 17));
        OTHERS.iter().for_each(|&line| assert!(bench.ask(read(line, 0, 1)).is_some()));
        (bench.lease_of(read(X, 0, 1)), bench.lease_of(write(X, 0, 1)).0)
    });
    assert_eq!(seen, (((17, 22), 23), ((1, 6), 7)));
}

#[test]
fn only_a_copy_as_new_as_the_line_is_renewed() {
    let seen = with_and_without(Rule::Compared, |bench| {
        bench.lease_of(read(X, 0, 1));
        bench.lease_of(write(X, 0, 1));
        let [old, new] = [1, 7].map(|wts| bench.ask(read(X, wts, 12)).expect("it fits").op);
        (old, new)
    });
    assert_eq!(seen, ((rsp_op::FILL, rsp_op::RNW), (rsp_op::RNW, rsp_op::RNW)));
}

#[test]
fn requests_of_an_old_generation_have_no_timestamps() {
    // Example 6; then a read whose copy seems to be as new as the line.
    let seen = with_and_without(Rule::OldGeneration, |bench| {
        assert_eq!(bench.lease_of(read(X, 0, 55)), (1, 60));
        assert_eq!(bench.ask(write(X, 0, 58)), None);
        bench.restart();
        bench.answer().map(|answer| (answer.rep, answer.wts, answer.rts))
    });
    assert_eq!(seen, (Some((1, 6, 11)), None));
    let seen = with_and_without(Rule::OldGeneration, |bench| {
        bench.lease_of(read(X, 0, 1));
        bench.restart();
        bench.ask(read(X, 1, 1)).expect("it fits").op
    });
    assert_eq!(seen, (rsp_op::FILL, rsp_op::RNW));
}

#[test]
fn a_timestamp_that_does_not_fit_is_refused() {
    let seen = with_and_without(Rule::Overflow, |bench| {
        assert_eq!(bench.lease_of(read(X, 0, 57)), (1, 62));
        bench.ask(read(X, 0, 58)).is_some()
    });
    assert_eq!(seen, (false, true));
    let seen = with_and_without(Rule::Overflow, |bench| {
        bench.lease_of(read(X, 0, 55));
        bench.ask(write(X, 0, 1)).map(|answer| (answer.wts, answer.rts))
    });
    // 61 + 5 of 64.
    assert_eq!(seen, (None, Some((61, 2))));
}
