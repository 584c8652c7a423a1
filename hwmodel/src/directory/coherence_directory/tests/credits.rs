//! `req_ready` and the credits (specification 5.1, README rules 3 and 4).

use super::*;

#[test]
fn requests_without_jobs_flow_at_full_rate() {
    for config in variants() {
        let mut b = Bench::new(&Config { responses: 3, jobs: 2, ..config });
        assert_eq!(b.offer(100, |_| lrd(0)).len(), 100);
    }
}

#[test]
fn one_line_jobs_flow_at_full_rate_with_three_credits() {
    for config in [rec(), baseline(), ideal()] {
        let accepted = |jobs| {
            let mut b = Bench::new(&Config { jobs, ..config.clone() });
            b.run(rrd(1, 0));
            // Each write invalidates the last writer's copy.
            b.offer(100, |n| rwr(2 + n as u8 % 2, 0)).len()
        };
        assert_eq!(accepted(3), 100);
        assert!(accepted(2) < 100);
    }
}

#[test]
fn as_many_requests_are_taken_as_responses_fit() {
    for responses in 3..=16 {
        let mut b = Bench::new(&Config { responses, ..rec() });
        b.next.rsp_ready = false;
        assert!(b.offer(40, |_| lrd(0)).iter().copied().eq(0..responses as usize));
        // A response's credit is usable in the cycle after it is taken.
        b.next.rsp_ready = true;
        let taken = b.cycle();
        b.next.rsp_ready = false;
        assert!(!b.out[taken].req_ready && b.at(taken + 1).req_ready);
        assert_eq!(b.offer(20, |_| lrd(0)).len(), 1);
    }
}

#[test]
fn as_many_requests_with_jobs_are_taken_as_jobs_fit() {
    for config in variants() {
        for jobs in [2, 3, 8, 64] {
            let mut b = Bench::new(&Config { jobs, ..config.clone() });
            b.run(rrd(1, 0));
            b.next.inv_ready = false;
            let start = b.out.len();
            // Each write invalidates the last writer's copy.
            let write = |n: usize| rwr(2 + n as u8 % 2, 0);
            let accepted = b.offer(100, write);
            assert!(accepted.iter().copied().eq(start..start + jobs as usize));
            // The credit comes back with the last line of a job, and not before.
            let lines = if config.variant == Variant::Hmg { 4 } else { 1 };
            for line in 1..=lines {
                b.next.inv_ready = true;
                let taken = b.cycle();
                b.next.inv_ready = false;
                assert!(!b.out[taken].req_ready);
                assert_eq!(b.at(taken + 1).req_ready, line == lines);
            }
            assert_eq!(b.offer(20, |n| write(jobs as usize + n)).len(), 1);
        }
    }
}

#[test]
fn request_in_s1_holds_a_job_credit_until_it_makes_none() {
    let mut b = Bench::new(&Config { jobs: 2, ..rec() });
    b.next.inv_ready = false;
    b.send(fence(0));
    b.cycles(3);
    // One credit is left. LRD takes it in t, is in S1 in t+1 and gives it back for t+2.
    let t = b.send(lrd(0));
    b.cycles(2);
    assert_eq!([t, t + 1, t + 2].map(|cycle| b.out[cycle].req_ready), [true, false, true]);
}

#[test]
fn credit_of_a_job_and_credit_of_a_request_without_one_return_together() {
    let mut b = Bench::new(&Config { jobs: 2, ..rec() });
    b.next.inv_ready = false;
    b.send(fence(0));
    b.cycles(3);
    let t = b.send(lrd(0));
    b.next.inv_ready = true;
    b.at(t + 1);
    b.next.inv_ready = false;
    // Both are back: two jobs fit.
    assert!(b.offer(10, |_| fence(0)).iter().copied().eq(t + 2..t + 4));
}

#[test]
fn request_offered_without_ready_is_ignored() {
    let mut b = Bench::new(&Config { responses: 3, ..rec() });
    b.next.rsp_ready = false;
    b.offer(20, |_| rrd(1, 0x40));
    b.next.req = Some(rrd(2, 0x40));
    let refused = b.cycle();
    assert!(!b.out[refused].req_ready);
    b.next.rsp_ready = true;
    b.cycles(10);
    assert_eq!(b.dir.sharers(0x40), Some(0b10));
    assert_eq!(b.dir.outputs().counters.req_rrd, 3);
}

#[test]
fn credits_return_after_a_request_with_an_error() {
    let mut b = Bench::new(&Config { jobs: 2, responses: 3, ..rec() });
    assert_eq!(b.offer(50, |n| req(6 + n as u8 % 2, 0, 0)).len(), 50);
}
