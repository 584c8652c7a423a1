//! Stores, loads and epochs for an agent: the coalescing buffer, the L1 and the L2 of its CU, and a
//! manager that sometimes breaks the rules.

use hwmodel::Block;
use hwmodel::epoch_agent::EpochAgent;
use ports::common::stc_types::{Epoch, Load, Store, kind};
use ports::epoch_agent::{Config, Counters, In, Out, err};

use super::draws::draws;
use super::seen::seen;
use super::{LongTime, NewStimulus, Random, Reached, Statics, Stimulus};

crate::catalog::pair!(EpochAgent: ports::common::stc_types::Stc);

const SLOTS: usize = 256;
/// Most demands without acknowledgement that are counted.
const MOST_DUE: u32 = 255;

/// How slots are chosen for stores.
#[derive(Clone, Copy, Debug)]
enum Order {
    /// In turn, as a coalescing buffer does.
    Turn,
    Any,
    Lowest,
    Highest,
    /// Of one bank, for long scans.
    Bank(u32),
}

draws! {
    /// What one phase draws. Chances are parts of 256.
    struct Phase(r: &mut Random, c: &Config) {
        left: u32 = 16 + { let most = r.pick(&[128, 512, 512, 2048]); r.below(most) },
        st: u32 = r.pick(&[256, 256, 128, 32, 4]),
        order: Order = match r.below(5) {
            0 => Order::Turn,
            1 => Order::Any,
            2 => Order::Lowest,
            3 => Order::Highest,
            _ => Order::Bank(r.below(c.bsq_banks)),
        },
        /// Stores in use at most.
        most: u32 = r.pick(&[c.bsq_n, c.bsq_n, c.bsq_n, 4, c.bsq_n / 2]),
        st_ready: u32 = r.pick(&[256, 256, 128, 16]),
        wa: u32 = r.pick(&[256, 256, 128, 24, 2]),
        ld: u32 = r.pick(&[256, 128, 16]),
        ld_ready: u32 = r.pick(&[256, 256, 128, 16]),
        /// Chance of a store, of a load to a band that is granted.
        granted: u32 = r.pick(&[256, 128, 64, 0]),
        ld_granted: u32 = r.pick(&[224, 128, 16, 0]),
        /// Chance of a load to where a store waits for.
        near: u32 = r.pick(&[0, 32, 128]),
        /// Bands in use.
        bands: u32 = {
            let (some, one) = (r.word() as u32 & r.word() as u32, 1 << r.below(c.bands()));
            r.pick(&[u32::MAX, u32::MAX, some | one, one]) & all_bands(c)
        },
        sweep: u32 = r.pick(&[256, 128, 16]),
        ack: u32 = r.pick(&[256, 256, 128, 16, 0]),
        /// Chances of the manager's next step in a cycle: a transition; the change; the end of
        /// both levels.
        prep: u32 = r.pick(&[256, 64, 16, 4, 1]),
        chg: u32 = r.pick(&[256, 128, 32]),
        fall: u32 = r.pick(&[256, 128, 32]),
        /// Chance that an epoch has the start epoch bit of the one before; else a neighbour, or
        /// any.
        stay: u32 = r.pick(&[256, 192, 64]),
        /// Most bands of an epoch.
        most_bands: u32 = 1 + r.below(c.max_bands),
        /// Chance that an epoch is for a store that waits.
        wanted: u32 = r.pick(&[224, 128, 0]),
        /// Chances of a store or an acknowledgement, of a level or an epoch against the rules.
        fault: u32 = r.pick(&[0, 0, 0, 4, 64]),
        broken: u32 = r.pick(&[0, 0, 0, 8, 96]),
    }
}

fn all_bands(c: &Config) -> u32 {
    u32::MAX >> (32 - c.bands())
}

/// What the block is about to do with the store in its input register.
#[derive(Clone, Copy, Debug)]
struct Due {
    slot: u8,
    addr: u32,
    /// It can only be issued at once where none of these holds.
    held: bool,
    no_credit: bool,
    direct_state: bool,
}

/// A store in the queue.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    addr: u32,
    /// It was there at the last change.
    old: bool,
}

/// The agent's state, as its outputs say it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    Run,
    Drain,
    Ready,
    Done,
}

impl At {
    fn of(out: &Out) -> Self {
        match (out.sweep, out.ready, out.done) {
            (true, ..) => Self::Drain,
            (_, true, false) => Self::Ready,
            (_, _, true) => Self::Done,
            _ => Self::Run,
        }
    }
}

/// The stimulus.
#[derive(Clone, Debug)]
pub struct Inputs {
    config: Config,
    random: Random,
    phase: Phase,
    long: LongTime,
    /// Slots of stores that the block has, and where they wait in its queue.
    used: [bool; SLOTS],
    in_use: u32,
    queue: [Option<Waiting>; SLOTS],
    turn: u32,
    /// The store in the input register.
    input: Option<Store>,
    due: Option<Due>,
    /// Stores that were taken and are not acknowledged; one was in the cycle before.
    taken: u32,
    acked: bool,
    load: Option<Load>,
    /// Demands without acknowledgement.
    demands: u32,
    prep: bool,
    chg: bool,
    epoch: Epoch,
    /// What was before this cycle.
    last: Out,
    before: In,
    /// Queue at the last change, and cycles of the scan since then.
    at_change: (u32, u32),
    seen: Seen,
}

seen! {
    transfers: st, st_out, wa, ld, ld_out, req, dmd_ack, cer_upd, err;
    rows:
        store["run_granted", "run_blocked", "drain_granted", "drain_blocked", "ready_granted",
            "ready_blocked", "done_granted", "done_blocked"],
        direct, behind_others, behind_held_store, no_credit, store_at_change,
        st_held, ld_held, ld_not_taken, full_queue, batch_first, slot_again,
        drain_waits_for_stores, drain_waits_for_sweep, ready_waits, done_waits,
        ack_and_issue, long_scan, scan_cut,
        seb_stays, seb_moves, epoch_stays,
        granted["one_band", "two_bands", "three_bands", "four_bands"],
        nocache, cached, load_waits_over_change,
        demand, conflict, demands_in_turn, conflict_behind_demand, late_demand, many_due,
        due_stays_at_most,
        err_code["err_slot", "err_ack", "err_early_change", "err_prep_fell", "err_epoch",
            "err_demand_ack"],
        slot_of["slot_of_input", "slot_of_issued", "slot_of_leaving", "slot_of_waiting"],
        early["early_change_in_run", "early_change_in_drain"],
        fell["prep_fell_in_drain", "prep_fell_in_ready"],
        illegal["no_bands", "many_bands", "low_seb", "high_seb"],
        ack_and_load, change_without_prep, several_errors, counter_beyond_16_bits,
}

impl Inputs {
    fn draw_phase(r: &mut Random, c: &Config) -> Phase {
        let mut phase = Phase::draw(r, c);
        let p = &mut phase;
        match r.below(16) {
            // As many changes as can be.
            0 => (p.prep, p.chg, p.fall, p.sweep, p.wa) = (256, 256, 256, 256, 256),
            // The queue fills up.
            1 => {
                (p.st, p.granted, p.prep, p.most, p.left) = (256, 0, 0, c.bsq_n, 2 * c.bsq_n);
                (p.order, p.bands) = (Order::Turn, all_bands(c));
            }
            // Stores are taken and not acknowledged.
            2 => {
                (p.st, p.granted, p.prep, p.most, p.left) = (256, 256, 1, c.bsq_n, 2 * c.bsq_n);
                (p.st_ready, p.wa) = (256, 0);
            }
            // Many demands, none acknowledged, or all late.
            3 => {
                (p.st, p.granted, p.most, p.left) = (256, 0, c.bsq_n, 1500);
                (p.prep, p.chg, p.fall, p.sweep, p.wa) = (256, 256, 256, 256, 256);
                (p.ack, p.wanted, p.fault) = (r.pick(&[0, 4]), 0, 0);
            }
            _ => {}
        }
        phase
    }

    /// One direct store after the other; at times none, so that those behind one that was kept go
    /// directly again.
    fn long_phase(&mut self) -> Phase {
        let mut phase = Phase::draw(&mut self.random, &self.config);
        let p = &mut phase;
        (p.left, p.most, p.prep) = (LongTime::CYCLES as u32, self.config.bsq_n, 0);
        (p.order, p.st, p.st_ready, p.granted) = (Order::Turn, 252, 256, 256);
        (p.wa, p.sweep, p.chg, p.fall, p.fault, p.broken) = (256, 256, 256, 256, 0, 0);
        phase
    }

    /// Any address, or one of a band that is granted, or of a band in use. Bits that the block
    /// cuts off too.
    fn address(&mut self, cer: &Epoch, granted: u32) -> u32 {
        let (c, r) = (&self.config, &mut self.random);
        let any = r.word() as u32;
        let bands = if r.chance(granted) { cer.gvec } else { self.phase.bands & !cer.gvec };
        if bands == 0 || granted < 256 && r.chance(8) {
            return any;
        }
        let mut band = r.below(c.bands());
        while bands >> band & 1 == 0 {
            band = (band + 1) % c.bands();
        }
        let field = (u64::from(c.bands() - 1) << cer.seb) as u32;
        any & !field | (u64::from(band) << cer.seb) as u32
    }

    /// A slot that nothing has.
    fn free_slot(&mut self) -> Option<u8> {
        let (n, r) = (self.config.bsq_n, &mut self.random);
        if self.in_use >= self.phase.most.min(n) {
            return None;
        }
        let (first, step) = match self.phase.order {
            Order::Turn => (self.turn, 1),
            Order::Any => (r.below(n), 1),
            Order::Lowest => (0, 1),
            Order::Highest => (n - 1, n - 1),
            Order::Bank(bank) => (bank, self.config.bsq_banks),
        };
        let slots = (0..n).map(|k| (first + k * step) % n);
        let slot = slots.into_iter().find(|&slot| !self.used[slot as usize])?;
        self.turn = (slot + 1) % n;
        Some(slot as u8)
    }

    /// A store, or one that must be dropped. Returns whether it is legal.
    fn store(&mut self, out: &Out) -> Option<(Store, bool)> {
        let n = self.config.bsq_n;
        if self.in_use > 0 && self.random.chance(self.phase.fault) {
            // Of all those in use, or the youngest or the oldest.
            let first = self.random.below(n);
            let any = (0..n).map(|k| (first + k) % n).find(|&slot| self.used[slot as usize])? as u8;
            let input = self.input.map_or(any, |store| store.slot);
            let issued = out.st.map_or(any, |store| store.slot);
            let slot = self.random.pick(&[any, input, issued]);
            return Some((Store { slot, addr: self.address(&out.cer, 128) }, false));
        }
        if !self.random.chance(self.phase.st) {
            return None;
        }
        let slot = self.free_slot()?;
        Some((Store { slot, addr: self.address(&out.cer, self.phase.granted) }, true))
    }

    /// A store that waits, of so many slots.
    fn waiting(&mut self, slots: u32) -> Option<Waiting> {
        let (n, first) = (self.config.bsq_n, self.random.below(self.config.bsq_n));
        (0..slots.min(n)).find_map(|k| self.queue[((first + k) % n) as usize])
    }

    fn load(&mut self, out: &Out) -> Load {
        let id = self.random.word() as u8;
        let near = self.random.chance(self.phase.near).then(|| self.waiting(16)).flatten();
        let addr = near.map_or_else(|| self.address(&out.cer, self.phase.ld_granted), |w| w.addr);
        Load { id, addr }
    }

    /// The epoch of the next change.
    fn legal_epoch(&mut self, cer: &Epoch) -> Epoch {
        let (c, p, r) = (&self.config, &self.phase, &mut self.random);
        let (low, high, bands) = (c.seb_min, c.seb_max, c.bands());
        let seb = u32::from(cer.seb);
        let any = low + r.below(high - low + 1);
        let seb = match r.below(8) {
            _ if r.chance(p.stay) => seb,
            0 => any,
            1..=4 if seb < high => seb + 1,
            _ if seb > low => seb - 1,
            _ => seb,
        };
        let mut epoch = Epoch { seb: seb as u8, gvec: 0 };
        for _ in 0..1 + r.below(p.most_bands) {
            let (any, wanted) = (self.random.below(bands), self.random.chance(self.phase.wanted));
            let wanted = wanted.then(|| self.waiting(SLOTS as u32)).flatten();
            let band = wanted.map_or(any, |w| epoch.band(w.addr, self.config.band_bits));
            epoch.gvec |= 1 << band;
        }
        epoch
    }

    /// One that must be refused.
    fn illegal_epoch(&mut self, cer: &Epoch) -> Epoch {
        let legal = self.legal_epoch(cer);
        let (c, r) = (&self.config, &mut self.random);
        match r.below(4) {
            0 => Epoch { gvec: 0, ..legal },
            1 if c.bands() > c.max_bands => {
                let mut gvec = legal.gvec;
                while gvec.count_ones() <= c.max_bands {
                    gvec |= 1 << r.below(c.bands());
                }
                Epoch { gvec, ..legal }
            }
            2 => {
                let (edge, any) = (c.seb_max + 1, c.seb_max + 1 + r.below(63 - c.seb_max));
                Epoch { seb: r.pick(&[edge, any]) as u8, ..legal }
            }
            _ => {
                let (edge, any) = (c.seb_min - 1, r.below(c.seb_min));
                Epoch { seb: r.pick(&[edge, any]) as u8, ..legal }
            }
        }
    }

    fn is_legal(&self, epoch: &Epoch) -> bool {
        let Config { seb_min, seb_max, max_bands, .. } = self.config;
        (1..=max_bands).contains(&epoch.gvec.count_ones())
            && (seb_min..=seb_max).contains(&epoch.seb.into())
    }

    /// The manager's levels: those of a handshake with four phases, or broken.
    fn levels(&mut self, out: &Out) -> (bool, bool, Epoch) {
        let at = At::of(out);
        let p = &self.phase;
        match (self.prep, self.chg) {
            (false, _) => {
                self.prep = !out.ready && self.random.chance(p.prep);
                self.epoch = out.cer;
            }
            (true, false) => {
                self.chg = out.ready && self.random.chance(p.chg);
                if self.chg {
                    self.epoch = self.legal_epoch(&out.cer);
                }
            }
            (true, true) if out.done && self.random.chance(p.fall) => {
                (self.prep, self.chg) = (false, false);
            }
            _ => {}
        }
        let (mut prep, mut chg, mut epoch) = (self.prep, self.chg, self.epoch);
        if !chg && self.random.chance(16) {
            // Nobody looks at it.
            epoch.gvec = self.random.word() as u32 & (all_bands(&self.config));
            epoch.seb = self.random.word() as u8 & 63;
        }
        if self.random.chance(self.phase.broken) {
            match self.random.below(4) {
                // For a cycle; in READY a legal change would be one.
                0 if at != At::Ready => chg = true,
                1 => prep = false,
                2 if at == At::Ready => (chg, epoch) = (true, self.illegal_epoch(&out.cer)),
                3 if at == At::Ready => {
                    (prep, chg, epoch) = (false, true, self.legal_epoch(&out.cer));
                    (self.prep, self.chg) = (false, false);
                }
                _ => {}
            }
        }
        (prep, chg, epoch)
    }

    fn draw(&mut self, out: &Out) -> (In, bool) {
        let stored = self.store(out);
        if self.load.is_none() && self.random.chance(self.phase.ld) {
            self.load = Some(self.load(out));
        }
        let (prep, chg, chg_info) = self.levels(out);
        let r = &mut self.random;
        let p = &self.phase;
        let st_ready = r.chance(p.st_ready);
        let taken = self.taken + u32::from(out.st.is_some() && st_ready);
        let none_out = self.taken == 0 && out.st.is_none();
        let wa_valid = if taken > 0 { r.chance(p.wa) } else { none_out && r.chance(p.fault) };
        let demands = self.demands;
        let input = In {
            st: stored.map(|(store, _)| store),
            st_ready,
            wa_valid,
            ld: self.load,
            ld_ready: r.chance(p.ld_ready),
            prep,
            chg,
            chg_info,
            dmd_ack: r.chance(if demands > 0 { p.ack } else { p.fault }),
            sweep_done: r.chance(p.sweep),
        };
        (input, stored.is_some_and(|(_, legal)| legal))
    }

    fn granted(&self, cer: &Epoch, addr: u32) -> bool {
        cer.granted(self.cut(addr), self.config.band_bits)
    }

    fn cut(&self, addr: u32) -> u32 {
        addr & (u32::MAX >> (32 - self.config.addr_w))
    }

    /// What became of the store of the cycle before, and of the entries of the queue.
    fn follow_stores(&mut self, input: &In, out: &Out, legal: bool) {
        let before = std::mem::take(&mut self.last.cnt);
        let now = out.cnt;
        if let Some(due) = self.due.take() {
            let direct = now.stores_direct != before.stores_direct;
            let seen = &mut self.seen;
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
        let new = self.last.st.is_none() || self.before.st_ready;
        if let Some(store) = out.st.filter(|_| new) {
            self.seen.ack_and_issue += u64::from(self.acked);
            if self.queue[usize::from(store.slot)].take().is_some_and(|w| w.old) {
                let banks = self.config.bsq_banks;
                // Lower ones of its bank were examined with it: they are not of the batch.
                let lower = (0..u32::from(store.slot) / banks).filter_map(|row| {
                    self.queue[(row * banks + u32::from(store.slot) % banks) as usize]
                });
                let overtaken = lower.into_iter().any(|w| w.old && self.granted(&out.cer, w.addr));
                self.seen.batch_first += u64::from(overtaken);
            }
        }
        if out.cer_upd {
            self.queue.iter_mut().flatten().for_each(|waiting| waiting.old = true);
        }
        self.classify(input, out);
        let leaving = out.st.filter(|_| input.st_ready);
        if let Some(store) = input.st.filter(|_| !legal) {
            let is = |other: Option<Store>| other.is_some_and(|other| other.slot == store.slot);
            let place = match () {
                () if is(self.input) => 0,
                () if is(leaving) => 2,
                () if is(out.st) => 1,
                () => 3,
            };
            self.seen.slot_of[place] += 1;
        }
        self.input = input.st.filter(|_| legal);
        if let Some(store) = self.input {
            self.seen.st += 1;
            let left = self.last.st.is_some_and(|last| last.slot == store.slot);
            self.seen.slot_again += u64::from(left);
            self.used[usize::from(store.slot)] = true;
            self.in_use += 1;
        }
        if let Some(store) = leaving {
            self.seen.st_out += 1;
            self.used[usize::from(store.slot)] = false;
            self.in_use -= 1;
        }
        let out_now = self.taken + u32::from(out.st.is_some());
        self.taken += u32::from(leaving.is_some());
        self.acked = input.wa_valid && out_now > 0;
        self.seen.wa += u64::from(self.acked);
        self.taken -= u32::from(self.acked);
    }

    /// The store that the block looks at in this cycle.
    fn classify(&mut self, input: &In, out: &Out) {
        let Some(Store { slot, addr }) = self.input else { return };
        let granted = self.granted(&out.cer, addr);
        let at = At::of(out);
        self.seen.store[2 * at as usize + usize::from(!granted)] += 1;
        self.due = Some(Due {
            slot,
            addr,
            held: out.st.is_some() && !input.st_ready,
            no_credit: self.taken + u32::from(out.st.is_some()) == self.config.bsq_n,
            direct_state: granted && at == At::Run,
        });
    }

    fn count_epochs(&mut self, input: &In, out: &Out) {
        let at = At::of(out);
        let out_now = self.taken + u32::from(out.st.is_some());
        let legal = self.is_legal(&input.chg_info);
        let seen = &mut self.seen;
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
                    let Config { seb_min, seb_max, max_bands, .. } = self.config;
                    seen.illegal[0] += u64::from(gvec == 0);
                    seen.illegal[1] += u64::from(gvec.count_ones() > max_bands);
                    seen.illegal[2] += u64::from(u32::from(seb) < seb_min);
                    seen.illegal[3] += u64::from(u32::from(seb) > seb_max);
                }
            }
            At::Done => {}
        }
        let entries = self.config.bsq_banks * self.config.bsq_rd;
        if out.cer_upd {
            seen.cer_upd += 1;
            seen.seb_stays += u64::from(out.cer.seb == self.last.cer.seb);
            seen.seb_moves += u64::from(out.cer.seb != self.last.cer.seb);
            seen.epoch_stays += u64::from(out.cer == self.last.cer);
            seen.granted[out.cer.gvec.count_ones() as usize - 1] += 1;
            seen.load_waits_over_change += u64::from(out.ld.is_some() && !self.before.ld_ready);
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

    fn count_requests(&mut self, input: &In, out: &Out) {
        let full = self.demands == MOST_DUE;
        let seen = &mut self.seen;
        let acked = input.dmd_ack && self.demands > 0;
        seen.dmd_ack += u64::from(acked);
        self.demands -= u32::from(acked);
        let Some(req) = out.req else { return };
        let after_demand = self.last.req.is_some_and(|last| last.kind == kind::DEMAND);
        seen.req += 1;
        if req.kind == kind::DEMAND {
            seen.demand += 1;
            seen.demands_in_turn += u64::from(after_demand);
            seen.late_demand += u64::from(matches!(At::of(out), At::Drain | At::Ready));
            seen.many_due += u64::from(full && !acked);
            seen.due_stays_at_most += u64::from(full && acked);
            // As at 255: neither counts (rtl/epoch_agent/README.md, rule 2).
            self.demands = if full { MOST_DUE } else { self.demands + 1 };
        } else {
            seen.conflict += 1;
            seen.conflict_behind_demand += u64::from(after_demand);
        }
    }

    fn count(&mut self, input: &In, out: &Out) {
        let at = At::of(out);
        let out_now = self.taken + u32::from(out.st.is_some());
        let seen = &mut self.seen;
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
        seen.full_queue += u64::from(u32::from(out.occ) == self.config.bsq_n);
        if let Some(load) = out.ld {
            if input.ld_ready {
                seen.ld_out += 1;
                *(if load.nocache { &mut seen.nocache } else { &mut seen.cached }) += 1;
            } else {
                seen.ld_held += 1;
            }
        }
        if input.ld.is_some() {
            *(if out.ld_ready { &mut seen.ld } else { &mut seen.ld_not_taken }) += 1;
        }
        let Counters { stores_direct, stores_blocked, scan_cycles } = out.cnt;
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

impl Stimulus for Inputs {
    type Model = EpochAgent;

    fn restart(&mut self, cycles: u64) {
        self.long = LongTime::plan(&mut self.random, cycles);
        self.phase = Self::draw_phase(&mut self.random, &self.config);
        (self.used, self.in_use, self.queue) = ([false; SLOTS], 0, [None; SLOTS]);
        (self.input, self.due, self.load) = (None, None, None);
        (self.taken, self.acked) = (0, false);
        (self.demands, self.prep, self.chg, self.at_change) = (0, false, false, (0, 0));
        (self.last, self.before) = (Out::default(), In::default());
    }

    fn inputs(&mut self, out: &<EpochAgent as Block>::Out) -> In {
        if self.long.cycle() == Some(0) {
            self.phase = self.long_phase();
        } else if self.phase.left == 0 {
            self.phase = Self::draw_phase(&mut self.random, &self.config);
        }
        self.phase.left -= 1;
        let (input, legal) = self.draw(out);
        self.count(&input, out);
        self.count_epochs(&input, out);
        self.count_requests(&input, out);
        self.follow_stores(&input, out, legal);
        if out.ld_ready {
            self.load = None;
        }
        (self.last, self.before) = (*out, input);
        input
    }

    fn seen(&self) -> &dyn Reached {
        &self.seen
    }

    fn can_reach(&self, row: &str) -> bool {
        let c = &self.config;
        let entries = c.bsq_banks * c.bsq_rd;
        match row {
            "req" | "dmd_ack" | "demand" | "demands_in_turn" | "late_demand" | "many_due"
            | "due_stays_at_most" => c.variant.has_demands(),
            "conflict" | "conflict_behind_demand" => c.variant.has_conflicts(),
            "two_bands" => c.max_bands > 1,
            "three_bands" => c.max_bands > 2,
            "four_bands" => c.max_bands > 3,
            "many_bands" => c.max_bands < c.bands(),
            "seb_moves" => c.seb_min < c.seb_max,
            // DONE and RUN last a cycle each.
            "long_scan" => c.bsq_n > entries,
            "scan_cut" => c.bsq_n > 2 * entries,
            "batch_first" => c.bsq_n > c.bsq_banks,
            _ => true,
        }
    }
}

impl NewStimulus for Inputs {
    fn unstarted(config: &Config, _statics: &Statics, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let phase = Self::draw_phase(&mut random, config);
        Self {
            config: config.clone(),
            random,
            phase,
            long: LongTime::never(),
            used: [false; SLOTS],
            in_use: 0,
            queue: [None; SLOTS],
            turn: 0,
            input: None,
            due: None,
            taken: 0,
            acked: false,
            load: None,
            demands: 0,
            prep: false,
            chg: false,
            epoch: Epoch::default(),
            last: Out::default(),
            before: In::default(),
            at_change: (0, 0),
            seen: Seen::default(),
        }
    }
}
