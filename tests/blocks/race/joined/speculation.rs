//! Worked examples 5 and 6 of specification 10.2: loads that hit while an answer is outstanding.

use super::result::*;
use super::rsp_kind::*;
use super::*;

/// Tags of the loads that an SM commits, and of those that it must replay.
#[derive(Debug, Default, PartialEq, Eq)]
struct Ends {
    commits: Vec<u16>,
    replays: Vec<u16>,
}

impl System {
    /// Sends a miss, then looks up lines that all hit while its answer is outstanding. A load's tag
    /// is its line's `place`.
    fn speculate(&mut self, sm: usize, miss: u32, hits: &[u32]) {
        assert_eq!(self.look(sm, miss), MISS_COLD);
        self.request(sm, req_kind::RDCHK, miss);
        for &line in hits {
            assert_eq!(self.look(sm, line), HIT);
            // It acts in this cycle.
            assert_eq!(self.slq(sm).out, 1, "an answer is outstanding");
            let tag = place(line).into();
            self.sms[sm].next.alloc = Some(Alloc { warp: 5, tag, size: 2, addr: line << 7 });
        }
        self.cycle();
        assert_eq!(self.slq(sm).spec, 1 << 5);
    }

    /// Commits and replays of the SM from cycle `from` on.
    fn ends(&self, sm: usize, from: usize) -> Ends {
        let out = || self.sms[sm].out[from..].iter();
        Ends {
            commits: out().filter_map(|(_, slq)| Some(slq.commit?.tag)).collect(),
            replays: out().filter_map(|(_, slq)| Some(slq.replay?.tag)).collect(),
        }
    }
}

fn tag(line: u32) -> Vec<u16> {
    vec![place(line).into()]
}

/// SM 1 holds A. SM 0 stores to these lines, then SM 1 misses D and hits A.
fn run(bodies: Bodies, stores: &[u32]) -> (System, Ends) {
    let mut s = System::new(bodies, &named("small"));
    s.load(1, A);
    stores.iter().for_each(|&line| _ = s.store(0, line, 1));
    let from = s.now();
    s.speculate(1, D, &[A]);
    s.run(20);
    assert!(s.slq(1).empty && s.slq(1).spec == 0 && s.slq(1).out == 0);
    let ends = s.ends(1, from);
    (s, ends)
}

#[test]
fn example_5_a_load_commits_unless_the_signature_names_it() {
    on_both(|bodies| {
        let commits = Ends { commits: tag(A), replays: vec![] };
        let (s, ends) = run(bodies, &[]);
        assert_eq!((s.epoch(1), &ends), (0, &commits), "no race");
        let (s, ends) = run(bodies, &[A]);
        assert_eq!((s.epoch(1), &ends), (0, &commits), "no race: the check is of D");
        let (s, ends) = run(bodies, &[D]);
        assert_eq!((s.epoch(1), &ends), (1, &commits), "a race without A");
        let (s, ends) = run(bodies, &[A, D]);
        assert_eq!((s.epoch(1), ends), (1, Ends { commits: vec![], replays: tag(A) }));
        s.assert_signature(1, &[A, D]);
    });
}

#[test]
fn example_5_message_passing_under_replay() {
    on_both(|bodies| {
        let mut s = System::new(bodies, &named("small"));
        s.load(1, A);
        s.load(1, B);
        s.store(0, A, 1);
        s.store(0, D, 1);
        let from = s.now();
        s.sms[1].replay_ready = false;
        s.speculate(1, D, &[A, B]);
        assert_eq!(s.done(1).kind, RACE);
        s.assert_signature(1, &[A, D]);
        s.run(6);
        assert!(s.slq(1).replay.is_some(), "it waits");
        // Before the replay another SM writes what the younger load has read.
        s.store(2, B, 1);
        s.store(2, A, 2);
        s.sms[1].replay_ready = true;
        s.run(4);
        assert!(s.slq(1).empty, "the younger load is dropped");
        assert_eq!((s.ends(1, from).commits, s.slq(1).counters.dropped), (vec![], 1));
        assert_eq!(s.load(1, A), loaded(MISS_AVU, RACE, 2));
        s.assert_signature(1, &[A, B]);
        assert_eq!(s.load(1, B), loaded(MISS_EXPIRED, NORACE, 1), "(2, 1), not (2, 0)");
    });
}

#[test]
fn example_6_a_load_of_the_epoch_before_commits_though_its_line_expires() {
    on_both(|bodies| {
        let mut s = System::new(bodies, &named("small"));
        s.load(1, A);
        s.store(1, C, 1);
        s.store(0, D, 1);
        let from = s.now();
        // A has age 1.
        s.speculate(1, D, &[A]);
        s.run(20);
        assert_eq!(s.ends(1, from), Ends { commits: tag(A), replays: vec![] });
        assert_eq!(s.avu(1).counters.hit_age1, 1);
        s.assert_signature(1, &[D]);
        assert_eq!(s.look(1, A), MISS_EXPIRED, "age 2");
    });
}

#[test]
fn forced_signature_is_tested_against_speculative_loads() {
    on_both(|bodies| {
        let mut s = System::new(bodies, &full_at_once());
        s.load(1, A);
        // Inserted three cycles later; in the next one SM 1 is due to be forced, and not picked.
        s.request(0, req_kind::WRITE, A);
        s.cycle();
        let from = s.now();
        s.sms[1].replay_ready = false;
        s.speculate(1, D, &[A]);
        s.run(20);
        let kinds: Vec<_> =
            s.sms[1].out[from..].iter().filter_map(|(avu, _)| Some(avu.done?.kind)).collect();
        assert_eq!(kinds, [FORCED, NORACE]);
        s.assert_signature(1, &[A]);
        s.sms[1].replay_ready = true;
        s.run(4);
        assert_eq!(s.ends(1, from).commits, []);
        assert_eq!(s.slq(1).counters.replays, 1);
    });
}
