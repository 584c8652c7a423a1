//! No request is accepted 96 or more numbers after the oldest unsent job (specification 6.2, README
//! rule 3).

use super::*;

/// Sends `before` LRDs and a FENCE whose line is not taken, then offers LRD.
fn held(before: usize) -> (Bench, Vec<usize>) {
    let mut b = Bench::new(&rec());
    assert_eq!(b.offer(before, |_| lrd(0)).len(), before);
    b.cycles(3);
    b.next.inv_ready = false;
    b.send(fence(0));
    let accepted = b.offer(300, |_| lrd(0));
    (b, accepted)
}

#[test]
fn job_that_is_not_sent_stops_requests_when_it_is_96_old() {
    // For any request number of the FENCE.
    for before in [0, 1, 100, 160, 200, 255] {
        let (b, accepted) = held(before);
        assert_eq!(accepted.len(), 95, "the job's own request is the first of 96");
        let low = b.out.iter().rev().take_while(|out| !out.req_ready).count();
        assert_eq!(low, 300 - 95);
    }
}

#[test]
fn requests_go_on_in_the_cycle_after_the_job_has_left() {
    let (mut b, _) = held(0);
    b.next.inv_ready = true;
    let taken = b.cycle();
    assert!(!b.out[taken].req_ready && b.at(taken + 1).req_ready);
}

#[test]
fn line_that_is_not_the_last_of_its_job_does_not_help() {
    let mut b = Bench::new(&rec());
    [0, 0x40].iter().for_each(|&addr| _ = b.run(rrd(1, addr)));
    b.next.inv_ready = false;
    b.send(evict(0));
    assert_eq!(b.offer(200, |_| lrd(0)).len(), 95);
    b.next.inv_ready = true;
    let first = b.cycle();
    assert!(!b.at(first + 1).req_ready, "one of two lines was taken");
    assert!(b.at(first + 2).req_ready);
}

#[test]
fn next_job_has_its_own_age() {
    let mut b = Bench::new(&rec());
    b.next.inv_ready = false;
    b.send(fence(0));
    b.offer(10, |_| lrd(0));
    b.send(fence(0));
    assert_eq!(b.offer(200, |_| lrd(0)).len(), 95 - 11);
    b.next.inv_ready = true;
    b.cycle();
    b.next.inv_ready = false;
    assert_eq!(b.offer(200, |_| lrd(0)).len(), 11);
}
