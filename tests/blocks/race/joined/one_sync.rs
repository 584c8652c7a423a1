//! One synchronisation from end to end: an access validation unit and a speculative load queue
//! (specification 5.5 and worked example 8 of 10.1).

use ports::race::types::Rsp;

use super::*;
use crate::race::hash::chunks;

/// The bodies that are tested, wired to each other, and what they have shown.
struct Pair {
    avu: Body<AccessValidationUnit>,
    slq: Body<SpeculativeLoadQueue>,
    out: Vec<(avu::Out, slq::Out)>,
}

impl Pair {
    /// One cycle; replays are taken.
    fn cycle(&mut self, rsp: Option<Rsp>, inc: bool, alloc: Option<Alloc>) {
        let (a, s) = (self.avu.outputs(), self.slq.outputs());
        let a_in =
            avu::In { rsp, q_valid: s.q_valid, q: s.q, slq_busy: s.busy, ..avu::In::default() };
        let (done, q_member) = (a.done, a.q_member);
        let s_in = slq::In { inc, done, alloc, q_member, replay_ready: true };
        self.out.push((self.avu.tick(&a_in), self.slq.tick(&s_in)));
        assert!(!self.avu.failed() && !self.slq.failed(), "an assertion of the RTL fails");
    }

    fn cycles(&self, of: impl Fn(&(avu::Out, slq::Out)) -> bool) -> Vec<usize> {
        (0..self.out.len()).filter(|&n| of(&self.out[n])).collect()
    }
}

#[test]
fn signature_is_received_tested_and_only_then_replaced() {
    on_both(|bodies| {
        // Two queries in a cycle; a granule is four lines.
        let config = named("small-half-page");
        let mut sm = Pair {
            avu: (bodies.avu)(&(&config).into()),
            slq: (bodies.slq)(&(&config).into()),
            out: Vec::new(),
        };
        // The granule of load 4 is key 1, which has 3 chunks: so the header comes in 9, not in 10.
        let race = Rsp { hdr: true, kind: rsp_kind::RACE, epoch: 1, sync: true, ..Rsp::default() };
        let mut beats = vec![race];
        for (chunk, data) in chunks(config.m, &[1]) {
            beats.push(Rsp { hdr: false, last: chunk == 3, chunk, data, ..race });
        }
        assert_eq!(beats.len(), 4);
        beats.push(Rsp { last: true, kind: rsp_kind::NORACE, sync: false, ..race });
        let mut beats = beats.into_iter().peekable();
        for cycle in 0..30 {
            let load = |tag| Alloc { warp: tag as u8, tag, size: 2, addr: (tag as u32 ^ 5) << 9 };
            let alloc = (2..7).contains(&cycle).then(|| load(cycle));
            let rsp = beats.peek().copied().filter(|_| cycle >= 9);
            if rsp.is_some() && sm.avu.outputs().rsp_ready {
                beats.next();
            }
            sm.cycle(rsp, cycle < 2, alloc);
        }
        assert_eq!(sm.cycles(|(avu, _)| !avu.lk_ready), [10, 11, 12]);
        assert_eq!(sm.cycles(|(avu, _)| !avu.rsp_ready), [13, 14, 15, 16, 17, 18]);
        assert_eq!(sm.cycles(|(avu, _)| avu.done.is_some()), [13, 20]);
        assert_eq!(sm.cycles(|(avu, _)| avu.epoch == 1)[0], 13);
        assert_eq!(sm.cycles(|(_, slq)| slq.q_valid != 0), [14, 15, 16]);
        assert_eq!(sm.cycles(|(_, slq)| slq.busy), [14, 15, 16, 17]);
        let commits: Vec<_> = sm.out.iter().filter_map(|(_, slq)| slq.commit).collect();
        assert_eq!(sm.cycles(|(_, slq)| slq.commit.is_some()), [21, 22, 24, 25]);
        assert_eq!(commits.iter().map(|load| load.tag).collect::<Vec<_>>(), [2, 3, 5, 6]);
        assert_eq!(sm.cycles(|(_, slq)| slq.replay.is_some()), [23]);
        assert_eq!(sm.out[23].1.replay.expect("it is shown").tag, 4);
        assert!(sm.out.iter().all(|(avu, slq)| avu.err.is_none() && slq.err.is_none()));
    });
}
