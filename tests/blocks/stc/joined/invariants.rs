//! Invariants of specification 8, in a cycle that is about to be ticked.

use super::*;

/// What is remembered of the cycle before.
#[derive(Default)]
pub(super) struct Before {
    chg: bool,
    seb: Option<u8>,
    agents: Vec<(epoch_agent::Out, bool, bool)>,
}

pub(super) fn check(s: &System, stc: &Stc, before: &mut Before) {
    let agents: Vec<_> =
        s.cus.iter().map(|cu| registers(|state| cu.body.show_state(state))).collect();
    manager(s, stc, before);
    for (cu, registers) in s.cus.iter().zip(&agents) {
        agent(&cu.body.outputs(), registers, stc);
        // ER3.
        let same = s.cus.iter().all(|other| other.body.outputs().cer == cu.body.outputs().cer);
        assert!(registers["out"] == 0 || same);
    }
    for (cu, (out, st_ready, ld_ready)) in s.cus.iter().zip(&before.agents) {
        let now = cu.body.outputs();
        assert!(out.st.is_none() || *st_ready || out.st == now.st, "held until it is taken");
        assert!(out.ld.is_none() || *ld_ready || out.ld == now.ld, "held until it is taken");
    }
}

impl Before {
    /// The cycle was ticked, with these readies.
    pub fn note(&mut self, s: &System, readies: &[(bool, bool)]) {
        let both = s.cus.iter().zip(readies);
        self.agents = both.map(|(cu, (st, ld))| (cu.shown, *st, *ld)).collect();
    }
}

fn manager(s: &System, stc: &Stc, before: &mut Before) {
    let out = s.manager.outputs();
    let Epoch { seb, gvec } = out.chg_info;
    let all = u32::MAX >> (32 - stc.n_cu);
    assert!(!out.chg || before.chg || s.ready == all, "granted when all are ready");
    assert!((1..=stc.max_bands).contains(&gvec.count_ones()));
    assert!((stc.seb_min..=stc.seb_max).contains(&seb.into()));
    assert!(before.seb.is_none_or(|before| before.abs_diff(seb) <= 1));
    (before.chg, before.seb) = (out.chg, Some(seb));
    let vote = registers(|state| s.manager.show_state(state))["record.vote"];
    let unused = 32 - (stc.band_bits + 2);
    assert!((vote << unused) as i32 >> unused <= 1 << stc.band_bits);
    assert!((vote << unused) as i32 >> unused >= -(1 << stc.band_bits));
}

fn agent(out: &epoch_agent::Out, registers: &BTreeMap<String, u32>, stc: &Stc) {
    let register = |name: &str| registers[name];
    let band = |addr| out.cer.band(addr, stc.band_bits);
    // ER2, ER2b.
    assert!(out.st.is_none_or(|st| out.cer.granted(st.addr, stc.band_bits)));
    assert!(!out.ready || register("out") == 0 && out.st.is_none());
    let [v, rel, scanned] = ["queue.v", "queue.v_rel", "queue.v_scanned"].map(register);
    let [filter, pend] = ["demands.filter", "demands.dpend"].map(register);
    assert_eq!(u32::from(out.occ), v.count_ones());
    assert_eq!(pend & !filter, 0);
    if stc.variant.has_demands() && register("state") == 0 && v & !scanned == 0 {
        for slot in (0..stc.bsq_n).filter(|slot| (v & !rel) >> slot & 1 != 0) {
            let waits = band(register(&format!("queue.addr[{slot}]")));
            assert!(filter >> waits & 1 != 0, "slot {slot} is covered");
        }
    }
    for demanded in (0..1u32 << stc.band_bits).filter(|b| pend >> b & 1 != 0) {
        let slot = register(&format!("demands.dslot[{demanded}]"));
        assert!(v >> slot & 1 != 0);
        assert_eq!(band(register(&format!("queue.addr[{slot}]"))), demanded);
    }
}
