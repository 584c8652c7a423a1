//! Worked examples of specification 10.2 in which each access waits for those before it: 1 to 4, 7
//! and 8.

use super::result::*;
use super::rsp_kind::*;
use super::*;

fn small(bodies: Bodies) -> System {
    System::new(bodies, &named("small"))
}

#[test]
fn example_1_each_race_begins_an_epoch() {
    on_both(|bodies| {
        let mut s = small(bodies);
        // SM 1 is in epoch e = 1.
        s.store(1, E, 1);
        assert_eq!(s.load(1, A), loaded(MISS_COLD, NORACE, 0));
        assert_eq!([s.store(0, A, 1), s.store(0, B, 1)], [1, 2]);
        assert_eq!(s.load(1, B), loaded(MISS_COLD, RACE, 1));
        assert_eq!(s.epoch(1), 2);
        s.assert_signature(1, &[A, B]);
        assert_eq!([s.store(0, C, 1), s.store(0, D, 1)], [3, 4]);
        assert_eq!(s.load(1, A), loaded(MISS_AVU, NORACE, 1));
        assert_eq!(s.load(1, D), loaded(MISS_COLD, RACE, 1));
        assert_eq!(s.epoch(1), 3);
        s.assert_signature(1, &[C, D]);
        assert_eq!(s.load(1, C), loaded(MISS_COLD, NORACE, 1));
        assert_eq!(s.load(1, C), hit(1));
        assert_eq!(s.avu(1).counters.hit_age0, 1, "though it is in the signature");
    });
}

#[test]
fn example_2_each_sm_has_its_own_signature() {
    on_both(|bodies| {
        let mut s = small(bodies);
        s.store(0, A, 1);
        s.store(1, B, 1);
        s.assert_signature(1, &[A]);
        assert_eq!(s.load(2, A), loaded(MISS_COLD, RACE, 1));
        assert_eq!(s.epoch(2), 1);
        s.assert_signature(2, &[A, B]);
        assert_eq!(s.load(2, B), loaded(MISS_COLD, NORACE, 1), "its own is empty again");
        assert_eq!(s.load(1, A), loaded(MISS_COLD, NORACE, 1), "so is that of SM 1");
        assert_eq!(s.load(0, B), loaded(MISS_COLD, RACE, 1));
        s.assert_signature(0, &[B]);
        assert_eq!(s.load(3, A), loaded(MISS_COLD, RACE, 1));
        s.assert_signature(3, &[A, B]);
    });
}

/// The two programs of the thesis' figures 4.6 to 4.8, behind their loads of A and B.
struct Programs {
    s: System,
    /// What A3 and B3 have loaded.
    a3: u32,
    b3: u32,
}

impl Programs {
    fn new(bodies: Bodies) -> Self {
        let mut s = small(bodies);
        for (sm, line) in [(0, A), (0, B), (1, A), (1, B)] {
            assert_eq!(s.load(sm, line), loaded(MISS_COLD, NORACE, 0));
        }
        Self { s, a3: 0, b3: 0 }
    }

    /// The `n`th access of an SM.
    fn step(&mut self, sm: usize, n: usize) -> Option<Loaded> {
        let s = &mut self.s;
        match (sm, n) {
            (0, 2) => _ = s.store(0, A, 1),
            (0, 3) => {
                let load = s.load(0, B);
                self.a3 = load.value;
                return Some(load);
            }
            (0, _) => _ = s.store(0, C, 1),
            (_, 2) => _ = s.store(1, B, 1),
            (_, 3) => {
                let load = s.load(1, A);
                self.b3 = load.value;
                return Some(load);
            }
            _ => return Some(s.load(1, C)),
        }
        None
    }
}

#[test]
fn example_3_reads_of_two_sms_in_turn() {
    on_both(|bodies| {
        let mut p = Programs::new(bodies);
        p.step(0, 2);
        p.s.assert_signature(0, &[]);
        p.step(1, 2);
        p.s.assert_signature(1, &[A]);
        assert_eq!((p.s.epoch(0), p.s.epoch(1)), (1, 1));
        assert_eq!(p.step(0, 3), Some(hit(0)));
        assert_eq!(p.s.avu(0).counters.hit_age1, 1);
        assert_eq!(p.step(1, 3), Some(loaded(MISS_AVU, NORACE, 1)));
        p.step(0, 4);
        p.s.assert_signature(0, &[B]);
        assert_eq!(p.s.epoch(0), 2);
        assert_eq!(p.step(1, 4), Some(loaded(MISS_COLD, RACE, 1)));
        p.s.assert_signature(1, &[C]);
        assert_eq!((p.s.epoch(1), p.a3, p.b3), (2, 0, 1));
    });
}

#[test]
fn example_4_one_sm_behind_the_other() {
    on_both(|bodies| {
        let mut p = Programs::new(bodies);
        p.step(0, 2);
        assert_eq!(p.step(0, 3), Some(hit(0)));
        p.step(0, 4);
        p.s.assert_signature(0, &[]);
        assert_eq!(p.s.epoch(0), 2);
        p.step(1, 2);
        p.s.assert_signature(1, &[A, C]);
        assert_eq!(p.step(1, 3), Some(loaded(MISS_AVU, NORACE, 1)));
        assert_eq!(p.step(1, 4), Some(loaded(MISS_COLD, NORACE, 1)));
        assert_eq!((p.s.epoch(1), p.a3, p.b3), (1, 0, 1));
    });
}

#[test]
fn no_order_of_the_two_programs_has_the_forbidden_result() {
    on_both(|bodies| {
        let mut results = BTreeMap::<_, usize>::new();
        for order in (0..64u32).filter(|order| order.count_ones() == 3) {
            let mut p = Programs::new(bodies);
            let mut next = [2, 2];
            for k in 0..6 {
                let sm = (order >> k & 1) as usize;
                p.step(sm, next[sm]);
                next[sm] += 1;
            }
            *results.entry((p.a3, p.b3)).or_default() += 1;
        }
        assert!(!results.contains_key(&(0, 0)), "{results:?}");
        assert_eq!(results.values().sum::<usize>(), 20);
    });
}

#[test]
fn example_7_an_old_line_never_looks_new_again() {
    on_both(|bodies| {
        let mut s = small(bodies);
        assert_eq!([s.store(0, B, 1), s.store(0, B, 2)], [1, 2]);
        assert_eq!(s.load(0, A), loaded(MISS_COLD, NORACE, 0));
        for (n, epoch) in [3, 4, 5, 6, 7, 0, 1, 2].into_iter().enumerate() {
            assert_eq!(s.store(0, B, n as u32), epoch);
            let expected = if epoch == 3 { HIT } else { MISS_EXPIRED };
            assert_eq!(s.look(0, A), expected, "epoch {epoch}");
            assert_eq!(s.avu(0).counters.wrapped, u32::from(n == 7));
        }
    });
}

#[test]
fn example_8_a_load_behind_an_atomic_of_its_sm() {
    on_both(|bodies| {
        let mut s = small(bodies);
        s.load(0, A);
        assert_eq!(s.load(0, A), hit(0));
        // The L1's copy goes when the atomic is sent.
        s.request(0, req_kind::ATOM, A);
        s.sms[0].l1.remove(&A);
        assert_eq!(s.look(0, A), MISS_COLD);
        s.request(0, req_kind::RDCHK, A);
        let first = s.tokens.len();
        s.run(10);
        let order: Vec<_> =
            s.out.iter().filter(|out| out.rsp_valid & 1 != 0).map(|out| out.rsp[0].kind).collect();
        assert_eq!(order, [NORACE, WACK, NORACE]);
        assert_eq!((s.tokens.len() - first, s.epoch(0)), (2, 1));
    });
}

#[test]
fn example_8_a_store_under_a_pending_miss() {
    on_both(|bodies| {
        let mut s = small(bodies);
        assert_eq!(s.look(0, A), MISS_COLD);
        s.request(0, req_kind::RDCHK, A);
        s.request(0, req_kind::WRITE, A);
        assert_eq!(s.done(0).kind, NORACE);
        // No fill: its data are those before the store.
        s.cycle();
        assert_eq!(s.done(0).kind, WACK);
        s.memory.insert(A, 1);
        s.cycle();
        assert_eq!(s.load(0, A), loaded(MISS_COLD, NORACE, 1));
    });
}
