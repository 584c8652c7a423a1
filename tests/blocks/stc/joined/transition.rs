//! A transition, cycle by cycle (specification 5.8; section 10, example 2).

use super::*;

/// Registers on each way.
const LINKS: [usize; 6] = [0, 1, 2, 3, 7, 16];

/// The system of the example, with its stores.
fn example(bodies: Bodies, link: usize, cycles: usize) -> Record {
    let s = System::new(bodies, &small(Variant::Es), link);
    Record::of(s, cycles, |cycle, s| match cycle {
        9 => s.store(0, 0, 0x010),
        10 => s.store(0, 1, 0x120),
        _ => {}
    })
}

/// By cycle, as the ports tell: P is PREP, C is CHG. IDLE and REL show the same.
fn states_of_manager(out: &[epoch_manager::Out]) -> String {
    let state = |out: &epoch_manager::Out| match (out.prep, out.chg) {
        (true, false) => 'P',
        (true, true) => 'C',
        _ => '.',
    };
    out.iter().map(state).collect()
}

/// By cycle: . is RUN, D is DRAIN, R is READY, O is DONE.
fn states_of_agent(out: &[epoch_agent::Out]) -> String {
    let state = |out: &epoch_agent::Out| match (out.sweep, out.ready, out.done) {
        (true, false, false) => 'D',
        (false, true, false) => 'R',
        (false, true, true) => 'O',
        _ => '.',
    };
    out.iter().map(state).collect()
}

#[test]
fn example_without_registers_is_as_printed() {
    on_both(|bodies| {
        let record = example(bodies, 0, 63);
        let Record { emu, cus } = &record;
        let cu = &cus[0];
        // PREP 16, CHG 19, REL 21, PREP 39, CHG 42, REL 44; IDLE 23 and 46: W follows after 15.
        let of = |text: &str, times: usize| text.repeat(times);
        let first = of(".", 16) + "PPPCC" + &of(".", 18);
        assert_eq!(states_of_manager(emu), first + "PPPCC" + &of(".", 19));
        assert_eq!(record.wakes(), [15, 38, 61]);
        // DRAIN 17, READY 18, DONE 20, RUN 22, DRAIN 40, READY 41, DONE 43, RUN 45.
        let agent = of(".", 17) + "DRROO" + &of(".", 18) + "DRROO" + &of(".", 18);
        cus.iter().for_each(|cu| assert_eq!(states_of_agent(cu), agent));

        let acks: Vec<_> = (0..63).filter(|&n| emu[n].dmd_ack == 1).collect();
        assert_eq!(acks, [12, 13, 22], "and for the demand after the change");
        let requests: Vec<_> = (0..63).filter_map(|n| Some((n, cu[n].req?.addr))).collect();
        assert_eq!(requests, [(11, 0x010), (12, 0x120), (21, 0x120)]);
        assert_eq!([11, 12].map(|n| cu[n].occ), [1, 2]);
        assert_eq!([18, 19, 41, 42].map(|n| emu[n].chg_info.gvec), [0b0001, 2, 2, 0b0100]);
        for cu in cus {
            assert_eq!([19, 20, 42, 43].map(|n| cu[n].cer.gvec), [0b0001, 2, 2, 0b0100]);
            let updates: Vec<_> = (0..63).filter(|&n| cu[n].cer_upd).collect();
            assert_eq!(updates, [20, 43]);
        }
        assert_eq!(
            [20, 21].map(|n| cu[n].counters.scan_cycles),
            [0, 1],
            "both entries in one cycle"
        );
        let stores: Vec<_> = (0..63).filter_map(|n| Some((n, cu[n].st?.slot))).collect();
        assert_eq!(stores, [(23, 0), (46, 1)]);
    });
}

#[test]
fn example_with_a_register_is_as_printed() {
    on_both(|bodies| {
        let record = example(bodies, 1, 46);
        let cu = &record.cus[0];
        // PREP 16, CHG 21, REL 25; IDLE 29: the next W is 44.
        let emu = ".".repeat(16) + "PPPPPCCCC" + &".".repeat(20) + "P";
        assert_eq!(states_of_manager(&record.emu), emu);
        assert_eq!(record.wakes(), [15, 44]);
        // DRAIN 18, READY 19, DONE 23, RUN 27.
        let agent = ".".repeat(18) + "DRRRROOOO" + &".".repeat(19);
        assert_eq!(states_of_agent(cu), agent);
        assert_eq!(rise(cu, 1, |o| o.st.is_some()), 28);
    });
}

#[test]
fn transition_takes_the_cycles_of_the_table() {
    on_both(|bodies| {
        for link in LINKS {
            let record = example(bodies, link, 250);
            let Record { emu, cus } = &record;
            // A demand that comes over many registers is for the second wake.
            let (at, cu) = (usize::from(link > 3), &cus[0]);
            let w = record.wakes()[at];
            let p = w + 1 + link;
            assert_eq!(rise(emu, 1, |o| o.prep), w + 1);
            assert_eq!(rise(cu, w, |o| o.sweep), p + 1);
            assert_eq!(rise(cu, w, |o| o.ready), p + 2);
            assert_eq!(rise(emu, w, |o| o.chg), p + 3 + link);
            assert_eq!(rise(cu, w, |o| o.done), p + 4 + 2 * link);
            assert_eq!(rise(cu, w, |o| o.cer_upd), p + 4 + 2 * link);
            let rel = rise(emu, w + 1, |o| !o.prep);
            assert_eq!(rel, p + 5 + 3 * link);
            assert_eq!(rise(cu, p + 4 + 2 * link, |o| !o.done), p + 6 + 4 * link);
            assert_eq!(rise(cu, w, |o| o.st.is_some()), w + 8 + 5 * link);
            // IDLE, from which the next epoch's cycles are counted.
            let next = record.wakes()[at + 1];
            assert_eq!(next, w + 16 + 7 + 6 * link);
            let idle = next - 15;
            assert_eq!(idle, p + 7 + 5 * link);
            assert_eq!(idle, w + 8 + 6 * link);
            if let Some((_, cycles)) = [(0, 8), (1, 14), (3, 26)].iter().find(|(l, _)| *l == link) {
                assert_eq!(idle - w, *cycles);
            }
        }
    });
}

#[test]
fn demand_takes_a_link_and_a_cycle() {
    on_both(|bodies| {
        for link in LINKS {
            let record = example(bodies, link, 40);
            let acks = record.emu.iter().position(|out| out.dmd_ack == 1);
            assert_eq!(acks, Some(9 + 3 + link));
            assert_eq!(record.cus[0][11].req.map(|req| req.addr), Some(0x010));
        }
    });
}

#[test]
fn agents_of_an_idle_system_block_stores_for_5_cycles_and_4_for_each_register() {
    on_both(|bodies| {
        for link in 0..=16 {
            let s = System::new(bodies, &small(Variant::Nv), link);
            let record = Record::of(s, 700, |_, _| {});
            for cu in &record.cus {
                let states = states_of_agent(cu);
                let blocked: Vec<_> = states.split('.').filter(|run| !run.is_empty()).collect();
                assert!(blocked.len() >= 5, "{states}");
                let whole = blocked[..blocked.len() - 1].iter();
                whole.for_each(|run| assert_eq!(run.len(), 5 + 4 * link, "{run}"));
            }
        }
    });
}

/// The band of the other CU's store is granted, so that this one waits for the transition alone.
#[test]
fn store_that_comes_in_a_transition_waits_for_its_end() {
    on_both(|bodies| {
        for link in LINKS {
            // The demand is recorded in 12 + LINK: selected in 15, or at the next wake.
            let w = if link <= 3 { 15 } else { 31 };
            let (p, blocked) = (w + 1 + link, 5 + 4 * link);
            for late in 0..blocked + 3 {
                let s = System::new(bodies, &small(Variant::Es), link);
                let record = Record::of(s, p + blocked + 20, |cycle, s| {
                    if cycle == 9 {
                        s.store(1, 0, 0x010);
                    }
                    if cycle == p + late {
                        s.store(0, 0, 0x014);
                    }
                });
                // At p it is classified in the first cycle of DRAIN.
                let waits = blocked.saturating_sub(late);
                let issued = rise(&record.cus[0], 1, |o| o.st.is_some());
                assert_eq!(issued, p + late + 2 + waits, "LINK {link}, {late} after p");
            }
        }
    });
}
