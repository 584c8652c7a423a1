//! Error codes (specification 5.5 and 12, README rules 8 and 9).

use super::*;

/// Sends one request to a directory in which another GPU shares the line at 0x40; checks that it is
/// refused and returns its error code.
fn refused(config: &Config, self_id: u8, req: Req) -> u8 {
    let mut b = Bench::of_gpu(config, self_id);
    let sharer = if self_id == 1 { 2 } else { 1 };
    b.run(rrd(sharer, 0x40));
    let before = b.out.last().unwrap().counters;
    let t = b.send(Req { id: 0x5A, ..req });
    b.cycles(6);
    let rsp = Rsp { id: 0x5A, seq: 1, err: true, ..Rsp::default() };
    assert_eq!(b.at(t + 2).rsp, Some(rsp));
    assert_eq!(b.invalidations(), []);
    assert_eq!(b.dir.sharers(0x40), Some(1 << sharer));
    assert_eq!(b.dir.outputs().counters, before, "it counts nothing");
    let codes: Vec<_> = b.out.iter().enumerate().filter_map(|(n, o)| Some((n, o.err?))).collect();
    assert_eq!(codes.len(), 1, "one pulse of one cycle");
    assert_eq!(codes[0].0, t + 2);
    codes[0].1
}

#[test]
fn address_that_ideal_does_not_cover_is_code_3() {
    for line in [64, 128] {
        let config = Config { line, range: line, ..ideal() };
        let end = 64 * u64::from(line);
        for (op, src) in [(0, 0), (1, 1), (2, 0), (3, 1), (4, 0), (4, 1)] {
            for addr in [end, end + 1, 0xFFFF_FFFF_FFFF] {
                assert_eq!(refused(&config, 0, req(op, src, addr)), err::ADDR);
            }
        }
        assert_eq!(refused(&config, 0, rrd(0, end)), err::SRC, "code 1 wins");
        let mut b = Bench::new(&config);
        assert!(b.run(rrd(1, end - 1)).0.alloc);
        assert_eq!(b.dir.sharers(end - 1), Some(0b10));
    }
}

/// A directory whose ways 0 and 1 of every set have base 0, with the first slot a sharer of line 0.
fn corrupt(config: &Config, self_id: u8) -> Bench {
    Bench::corrupt(&Config { entries: 2, ways: 2, ..config.clone() }, self_id)
}

fn code_of(b: &mut Bench, req: Req) -> (Option<u8>, Rsp, Vec<Inv>) {
    let t = b.send(req);
    b.cycles(16);
    let sent = b.invalidations().into_iter().filter(|(n, _)| *n >= t + 2).map(|(_, inv)| inv);
    let err = b.out[t + 2..].iter().filter_map(|out| out.err).collect::<Vec<_>>();
    assert!(err.is_empty() || (err.len() == 1 && b.out[t + 2].err.is_some()));
    (b.out[t + 2].err, b.out[t + 2].rsp.expect("a response"), sent.collect())
}

#[test]
fn two_ways_with_one_base_are_code_4_and_the_request_is_executed() {
    for config in with_entries() {
        for (self_id, sharer) in [(0, 0b10), (1, 0b01), (3, 0b01)] {
            let mut b = corrupt(&config, self_id);
            let (err, rsp, sent) = code_of(&mut b, req(op::LRD, self_id, 0));
            assert_eq!((err, rsp.err, rsp.hit), (Some(err::DUPLICATE), false, true));
            assert_eq!((rsp.sharers, sent.len()), (sharer, 0));

            let other = if self_id == 2 { 3 } else { 2 };
            let (err, rsp, _) = code_of(&mut b, rrd(other, 0));
            assert_eq!((err, rsp.err, rsp.alloc), (Some(err::DUPLICATE), false, false));
            assert_eq!(b.dir.sharers(0), Some(sharer | 1 << other), "in the lower way");

            let (err, _, sent) = code_of(&mut b, rwr(other, 0));
            assert_eq!((err, sent[0].dest), (Some(err::DUPLICATE), sharer));
            assert_eq!(b.out.last().unwrap().counters.req_rwr, 1, "it counts");
        }
    }
}

#[test]
fn write_and_evict_remove_the_lower_of_two_ways() {
    for config in with_entries() {
        for op in [op::LWR, op::EVICT] {
            let mut b = corrupt(&config, 0);
            let (err, rsp, sent) = code_of(&mut b, req(op, 0, 0));
            assert_eq!((err, rsp.sharers, sent[0].dest), (Some(err::DUPLICATE), 0b10, 0b10));
            // The upper way is left.
            let (err, rsp, sent) = code_of(&mut b, req(op, 0, 0));
            assert_eq!((err, rsp.sharers, sent[0].dest), (None, 0b10, 0b10));
            let (err, rsp, sent) = code_of(&mut b, req(op, 0, 0));
            assert_eq!((err, rsp.hit, sent.len()), (None, false, 0));
        }
    }
}

#[test]
fn untracked_line_of_two_ways_is_code_4_too() {
    let mut b = corrupt(&rec(), 0);
    let (err, rsp, _) = code_of(&mut b, lrd(0x40));
    assert_eq!((err, rsp.hit), (Some(err::DUPLICATE), false));
}

#[test]
fn fence_and_refused_requests_do_not_see_two_ways() {
    let mut b = corrupt(&rec(), 0);
    assert_eq!(code_of(&mut b, fence(1)).0, None);
    assert_eq!(code_of(&mut b, rrd(0, 0)).0, Some(err::SRC));
    assert_eq!(code_of(&mut b, req(6, 0, 0)).0, Some(err::OP));
    assert_eq!(code_of(&mut b, lrd(0x400)).0, None, "another base");
}
