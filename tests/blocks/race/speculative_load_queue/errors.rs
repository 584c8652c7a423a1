//! Error codes (specification 12).

use super::*;

fn code(bench: &mut Bench) -> Option<u8> {
    bench.cycle();
    bench.shown().err
}

#[test]
fn answer_to_no_request() {
    on_both(|body| {
        let mut bench = Bench::new(body, &config());
        bench.next.done = Some(done(rsp_kind::NORACE));
        assert_eq!(code(&mut bench), Some(err::DONE));
        assert_eq!((bench.shown().out, code(&mut bench)), (0, None));
        (bench.next.done, bench.next.inc) = (Some(done(rsp_kind::NORACE)), true);
        assert_eq!(code(&mut bench), Some(err::DONE));
        assert_eq!(bench.shown().out, 1, "the request counts");
        bench.next.done = Some(done(rsp_kind::FORCED));
        assert_eq!(code(&mut bench), None);
        assert_eq!(bench.shown().out, 1);
    });
}

#[test]
fn one_request_too_many() {
    on_both(|body| {
        let mut bench = Bench::new(body, &config());
        bench.requests(255);
        assert_eq!(bench.shown().out, 255);
        (bench.next.done, bench.next.inc) = (Some(done(rsp_kind::NORACE)), true);
        assert_eq!((code(&mut bench), bench.shown().out), (None, 255));
        (bench.next.done, bench.next.inc) = (Some(done(rsp_kind::FORCED)), true);
        assert_eq!((code(&mut bench), bench.shown().out), (Some(err::REQUEST), 255));
        assert_eq!(code(&mut bench), None);
    });
}

#[test]
fn signature_while_the_last_is_tested() {
    on_both(|body| {
        let mut bench = Bench::new(body, &config());
        bench.requests(3);
        bench.loads(&[(0, 1), (1, 2)]);
        let s = bench.answer(rsp_kind::RACE);
        bench.next.done = Some(done(rsp_kind::RACE));
        assert_eq!(code(&mut bench), Some(err::SYNC));
        assert_eq!(bench.shown().out, 1, "it counts as ever");
        bench.next.done = Some(done(rsp_kind::NORACE));
        assert_eq!(code(&mut bench), None);
        bench.run_to(s + 8);
        assert_eq!(bench.cycles(|out| out.busy), Vec::from_iter(s + 1..=s + 3));
        assert_eq!(bench.commits(), [(s + 4, 1), (s + 5, 2)]);
    });
}

#[test]
fn lowest_code_of_a_cycle_is_shown() {
    on_both(|body| {
        let mut bench = Bench::new(body, &config());
        bench.requests(1);
        bench.loads(&[(0, 1)]);
        bench.answer(rsp_kind::RACE);
        bench.next.done = Some(done(rsp_kind::RACE));
        assert_eq!(code(&mut bench), Some(err::DONE));
    });
}
