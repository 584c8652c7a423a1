//! What a run reaches, from the inputs and what the agent shows.

use super::*;

impl Inputs {
    /// What became of the store of the cycle before, and of the entries of the queue.
    pub(super) fn follow_stores(
        &mut self,
        d: &mut Driver<Self>,
        input: &In,
        out: &Out,
        legal: bool,
    ) {
        let before = d.before.counters;
        let now = out.counters;
        if let Some(due) = self.due.take() {
            let direct = now.stores_direct != before.stores_direct;
            let seen = &mut d.seen;
            seen.direct += u64::from(direct);
            if !direct {
                self.queue[usize::from(due.slot)] = Some(Waiting { addr: due.addr, old: false });
                if due.direct_state {
                    seen.behind_held_store += u64::from(due.held);
                    seen.no_credit += u64::from(!due.held && due.no_credit);
                    seen.behind_others += u64::from(!due.held && !due.no_credit);
                }
            }
        }
        // A store that was not at `st` in the cycle before, from the queue.
        let new = d.before.st.is_none() || d.last.st_ready;
        if let Some(store) = out.st.filter(|_| new) {
            d.seen.ack_and_issue += u64::from(self.acked);
            if self.queue[usize::from(store.slot)].take().is_some_and(|w| w.old) {
                let banks = d.config.bsq_banks;
                // Lower ones of its bank were examined with it: they are not of the batch.
                let lower = (0..u32::from(store.slot) / banks).filter_map(|row| {
                    self.queue[(row * banks + u32::from(store.slot) % banks) as usize]
                });
                let overtaken =
                    lower.into_iter().any(|w| w.old && granted(&d.config, &out.cer, w.addr));
                d.seen.batch_first += u64::from(overtaken);
            }
        }
        if out.cer_upd {
            self.queue.iter_mut().flatten().for_each(|waiting| waiting.old = true);
        }
        self.classify(d, input, out);
        let leaving = out.st.filter(|_| input.st_ready);
        if let Some(store) = input.st.filter(|_| !legal) {
            let is = |other: Option<Store>| other.is_some_and(|other| other.slot == store.slot);
            let place = match () {
                () if is(self.input) => 0,
                () if is(leaving) => 2,
                () if is(out.st) => 1,
                () => 3,
            };
            d.seen.slot_of[place] += 1;
        }
        self.input = input.st.filter(|_| legal);
        if let Some(store) = self.input {
            d.seen.st += 1;
            let left = d.before.st.is_some_and(|last| last.slot == store.slot);
            d.seen.slot_again += u64::from(left);
            self.used[usize::from(store.slot)] = true;
            self.in_use += 1;
        }
        if let Some(store) = leaving {
            d.seen.st_out += 1;
            self.used[usize::from(store.slot)] = false;
            self.in_use -= 1;
        }
        let out_now = self.taken + u32::from(out.st.is_some());
        self.taken += u32::from(leaving.is_some());
        self.acked = input.wa_valid && out_now > 0;
        d.seen.wa += u64::from(self.acked);
        self.taken -= u32::from(self.acked);
    }

    /// The store that the block looks at in this cycle.
    fn classify(&mut self, d: &mut Driver<Self>, input: &In, out: &Out) {
        let Some(Store { slot, addr }) = self.input else { return };
        let granted = granted(&d.config, &out.cer, addr);
        let at = At::of(out);
        d.seen.store[2 * at as usize + usize::from(!granted)] += 1;
        self.due = Some(Due {
            slot,
            addr,
            held: out.st.is_some() && !input.st_ready,
            no_credit: self.taken + u32::from(out.st.is_some()) == d.config.bsq_n,
            direct_state: granted && at == At::Run,
        });
    }

    pub(super) fn count_epochs(&mut self, d: &mut Driver<Self>, input: &In, out: &Out) {
        let at = At::of(out);
        let out_now = self.taken + u32::from(out.st.is_some());
        let legal = Self::is_legal(&d.config, &input.chg_info);
        let seen = &mut d.seen;
        let changes = at == At::Ready && input.chg && legal;
        seen.store_at_change += u64::from(changes && self.input.is_some());
        seen.change_without_prep += u64::from(changes && !input.prep);
        seen.drain_waits_for_stores += u64::from(at == At::Drain && out_now > 0);
        let swept = input.sweep_done;
        seen.drain_waits_for_sweep += u64::from(at == At::Drain && out_now == 0 && !swept);
        seen.ready_waits += u64::from(at == At::Ready && !input.chg);
        seen.done_waits += u64::from(at == At::Done && input.prep);
        match at {
            At::Run => seen.early[0] += u64::from(input.chg),
            At::Drain => {
                seen.early[1] += u64::from(input.chg);
                seen.fell[0] += u64::from(!input.prep);
            }
            At::Ready => {
                seen.fell[1] += u64::from(!input.prep);
                if input.chg && !legal {
                    let Epoch { seb, gvec } = input.chg_info;
                    let Config { seb_min, seb_max, max_bands, .. } = d.config;
                    seen.illegal[0] += u64::from(gvec == 0);
                    seen.illegal[1] += u64::from(gvec.count_ones() > max_bands);
                    seen.illegal[2] += u64::from(u32::from(seb) < seb_min);
                    seen.illegal[3] += u64::from(u32::from(seb) > seb_max);
                }
            }
            At::Done => {}
        }
        let entries = d.config.bsq_banks * d.config.bsq_rd;
        if out.cer_upd {
            seen.cer_upd += 1;
            seen.seb_stays += u64::from(out.cer.seb == d.before.cer.seb);
            seen.seb_moves += u64::from(out.cer.seb != d.before.cer.seb);
            seen.epoch_stays += u64::from(out.cer == d.before.cer);
            seen.granted[out.cer.gvec.count_ones() as usize - 1] += 1;
            seen.load_waits_over_change += u64::from(out.ld.is_some() && !d.last.ld_ready);
            self.at_change = (u32::from(out.occ), 0);
        }
        let (held, cycles) = &mut self.at_change;
        if matches!(at, At::Run | At::Done) && *cycles * entries < *held {
            *cycles += 1;
            seen.long_scan += u64::from(*cycles > 1);
            let cut = at == At::Run && input.prep && *cycles * entries < *held;
            seen.scan_cut += u64::from(cut);
        }
    }

    pub(super) fn count_requests(&mut self, d: &mut Driver<Self>, input: &In, out: &Out) {
        let full = self.demands == MOST_DUE;
        let seen = &mut d.seen;
        let acked = input.dmd_ack && self.demands > 0;
        seen.dmd_ack += u64::from(acked);
        self.demands -= u32::from(acked);
        let Some(req) = out.req else { return };
        let after_demand = d.before.req.is_some_and(|last| last.kind == kind::DEMAND);
        seen.req += 1;
        if req.kind == kind::DEMAND {
            seen.demand += 1;
            seen.demands_in_turn += u64::from(after_demand);
            seen.late_demand += u64::from(matches!(At::of(out), At::Drain | At::Ready));
            seen.many_due += u64::from(full && !acked);
            seen.due_stays_at_most += u64::from(full && acked);
            // As at 255: neither counts (rtl/stc/epoch_agent/README.md, rule 2).
            self.demands = if full { MOST_DUE } else { self.demands + 1 };
        } else {
            seen.conflict += 1;
            seen.conflict_behind_demand += u64::from(after_demand);
        }
    }

    pub(super) fn count(&mut self, d: &mut Driver<Self>, input: &In, out: &Out) {
        let at = At::of(out);
        let out_now = self.taken + u32::from(out.st.is_some());
        let seen = &mut d.seen;
        let wrong = [
            input.wa_valid && out_now == 0,
            input.chg && matches!(at, At::Run | At::Drain),
            !input.prep && matches!(at, At::Drain | At::Ready),
            input.dmd_ack && self.demands == 0,
        ];
        seen.several_errors += u64::from(wrong.iter().filter(|wrong| **wrong).count() > 1);
        let runs = at == At::Run && self.input.is_some();
        seen.ack_and_load += u64::from(wrong[0] && runs);
        seen.st_held += u64::from(out.st.is_some() && !input.st_ready);
        seen.full_queue += u64::from(u32::from(out.occ) == d.config.bsq_n);
        if let Some(load) = count(out.ld, input.ld_ready, &mut seen.ld_out, &mut seen.ld_held) {
            *(if load.nocache { &mut seen.nocache } else { &mut seen.cached }) += 1;
        }
        count(input.ld, out.ld_ready, &mut seen.ld, &mut seen.ld_not_taken);
        let Counters { stores_direct, stores_blocked, scan_cycles } = out.counters;
        let most = stores_direct.max(stores_blocked).max(scan_cycles);
        seen.counter_beyond_16_bits += u64::from(most > u32::from(u16::MAX));
        if let Some(code) = out.err {
            seen.err += 1;
            if let Some(row) = code.checked_sub(err::SLOT) {
                seen.err_code[usize::from(row)] += 1;
            }
        }
    }
}
