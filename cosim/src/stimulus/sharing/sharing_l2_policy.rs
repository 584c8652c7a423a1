//! Accesses of SMs, lines that come and lines that go for the policy of an L2 bank.

use hwmodel::sharing::sharing_l2_policy::SharingL2Policy;
use ports::sharing::sharing_l2_policy::{Config, In, Out, err};
use ports::sharing::types::{L2Fill, Lookup, Place, act};

use crate::stimulus::{Driver, LONG, Random, Stimulus};
use crate::{blocks, phase, seen};

crate::pair!(SharingL2Policy: ports::sharing::types::Sharing);

inventory::submit! {
    blocks::entry::<Inputs>("sharing-aware: replacement and bypass by sharing, for an L2 bank")
}

seen! {
    transfers: inv, fill, lk, fsf, act, err;
    rows:
        done["act_hit", "act_merge", "act_alloc", "act_bypass", "act_stall"],
        hit_private, hit_shared, hit_local, merge_private, merge_shared, merge_local,
        alloc_free, evict_private, evict_shared, alloc_local, no_way_left, sf_set,
        told["fsf_private", "fsf_shared"], merge_of_the_filled, alloc_of_the_filled, flush,
        all_at_once, strange["err_hit", "err_mshr", "err_fill", "err_sm", "err_inv"],
        counter_beyond_16_bits,
}

phase! {
    /// What one phase draws. Chances are parts of 256.
    pub struct Phase(r: &mut Random) {
        left: u32 = 16 + r.below(500),
        lookup: u32 = r.pick(&[256, 128, 16]),
        /// Of what an access is: a hit, a line under way, a line that is not there.
        kinds: [u32; 3] = r.pick(&[[4, 2, 2], [1, 0, 4], [8, 1, 1], [1, 8, 1], [0, 1, 8]]),
        local: u32 = r.pick(&[0, 32, 128]),
        /// SMs that ask, at most.
        sms: u32 = r.pick(&[1, 2, 16]),
        fill: u32 = r.pick(&[256, 64, 16, 0]),
        /// Of an access to the line that comes.
        of_filled: u32 = r.pick(&[0, 64, 256]),
        inv: u32 = r.pick(&[64, 4, 0, 0]),
        flush: u32 = r.pick(&[8, 0, 0, 0]),
        strange: u32 = r.pick(&[0, 0, 8, 64]),
        /// Sets in use.
        sets: u32 = r.pick(&[1, 2, 4096]),
    }
}

/// The stimulus.
pub struct Inputs {
    /// Of each set the ways that hold lines; of each MSHR the place of its line.
    valid: Vec<u16>,
    mshrs: Vec<Option<Place>>,
}

impl Inputs {
    fn at(&self, set: u16) -> usize {
        usize::from(set) & (self.valid.len() - 1)
    }

    fn set(d: &mut Driver<Self>) -> u16 {
        let sets = d.phase.sets.min(1 << d.config.set_w());
        d.random.below(sets) as u16
    }

    /// A way of a set that holds a line, if one does.
    fn held(&self, r: &mut Random, set: u16) -> Option<u8> {
        let valid = self.valid[self.at(set)];
        let some = r.below(16);
        (0..16).map(|k| ((some + k) % 16) as u8).find(|way| valid >> way & 1 == 1)
    }

    /// An MSHR that is used, or one that is not.
    fn mshr(&self, r: &mut Random, used: bool) -> Option<u8> {
        let all = self.mshrs.len();
        let some = r.below(all as u32) as usize;
        let place = (0..all).map(|k| (some + k) % all);
        place.into_iter().find(|&m| self.mshrs[m].is_some() == used).map(|m| m as u8)
    }

    /// Anything.
    fn strange(d: &mut Driver<Self>) -> Lookup {
        let Driver { config: c, random: r, .. } = d;
        Lookup {
            is_local: r.chance(64),
            sm: r.below(16) as u8,
            hit: r.chance(128),
            mshr_hit: r.chance(128),
            mshr: r.below(1 << c.mshr_w()) as u8,
            set: r.below(1 << c.set_w()) as u16,
            way: r.below(1 << c.way_w()) as u8,
        }
    }

    /// An access; `filled`: the MSHR and place of a line that comes in this cycle.
    fn lookup(&self, d: &mut Driver<Self>, filled: Option<(u8, Place)>) -> Option<Lookup> {
        if !d.random.chance(d.phase.lookup) {
            return None;
        }
        if d.random.chance(d.phase.strange) {
            return Some(Self::strange(d));
        }
        let sm = d.random.below(d.phase.sms.min(d.config.n_sm)) as u8;
        let is_local = d.random.chance(d.phase.local);
        let lookup = Lookup { is_local, sm, ..Lookup::default() };
        if let Some((mshr, Place { set, .. })) = filled
            && d.random.chance(d.phase.of_filled)
        {
            // It was under way when its tag was looked up; or another line takes its MSHR.
            let mshr_hit = d.random.chance(192);
            return Some(Lookup { mshr_hit, mshr, set, ..lookup });
        }
        let set = Self::set(d);
        let Driver { phase: p, random: r, .. } = d;
        let lookup = Lookup { set, ..lookup };
        let found = match r.weighted(&p.kinds) {
            0 => self.held(r, set).map(|way| Lookup { hit: true, way, ..lookup }),
            1 => self.mshr(r, true).map(|mshr| {
                let set = self.mshrs[usize::from(mshr)].map_or(set, |place| place.set);
                Lookup { mshr_hit: true, mshr, set, ..lookup }
            }),
            _ => None,
        };
        // A line that is not there needs an MSHR.
        let fetched = || self.mshr(r, false).map(|mshr| Lookup { mshr, ..lookup });
        found.or_else(fetched)
    }

    /// A line comes; its MSHR and place.
    fn fill(&self, d: &mut Driver<Self>) -> Option<(u8, Place)> {
        if !d.random.chance(d.phase.fill) {
            return None;
        }
        let mshr = self.mshr(&mut d.random, true)?;
        Some((mshr, self.mshrs[usize::from(mshr)].expect("it is used")))
    }

    /// A line has come, if an MSHR waits for one and its way is reserved. If that was by another
    /// MSHR, that one has the way of this.
    fn comes(&mut self, mshr: u8, Place { set, way }: Place) {
        let at = self.at(set);
        let of_mshr = self.mshrs.get(usize::from(mshr)).copied().flatten();
        let is_it = |p: &Option<Place>| p.is_some_and(|p| self.at(p.set) == at && p.way == way);
        let Some((own, whose)) = of_mshr.zip(self.mshrs.iter().position(is_it)) else { return };
        self.mshrs[whose] = Some(own);
        self.mshrs[usize::from(mshr)] = None;
        self.valid[at] |= 1 << way;
    }

    /// What has become of the access of the cycle before.
    fn learn(&mut self, asked: Option<Lookup>, out: &Out) {
        let (Some(asked), Some(action)) = (asked, out.act) else { return };
        if action.act == act::ALLOC {
            let (set, way) = (asked.set, action.way);
            let at = self.at(set);
            self.valid[at] &= !(1 << way);
            self.mshrs[usize::from(asked.mshr)] = Some(Place { set, way });
        }
    }

    fn count(d: &mut Driver<Self>, input: &In, out: &Out, strange_fill: bool) {
        let seen = &mut d.seen;
        let In { flush, inv, fill, lk } = *input;
        seen.inv += u64::from(inv.is_some());
        seen.fill += u64::from(fill.is_some());
        seen.lk += u64::from(lk.is_some());
        seen.fsf += u64::from(out.fsf.is_some());
        seen.act += u64::from(out.act.is_some());
        seen.err += u64::from(out.err.is_some());
        seen.flush += u64::from(flush);
        let at_once = inv.is_some() && fill.is_some() && lk.is_some();
        seen.all_at_once += u64::from(at_once);
        if let Some(shared) = out.fsf {
            seen.told[usize::from(shared)] += 1;
        }
        if let Some(code) = out.err {
            seen.strange[usize::from(code) - 1] += 1;
        }
        if let (Some(fill), Some(lk), false) = (fill, lk, strange_fill) {
            let same = !lk.hit && lk.mshr == fill.mshr;
            seen.merge_of_the_filled += u64::from(same && lk.mshr_hit);
            seen.alloc_of_the_filled += u64::from(same && !lk.mshr_hit && !lk.is_local);
        }
        if let (Some(lk), Some(action)) = (d.last.lk, out.act) {
            seen.done[usize::from(action.act)] += 1;
            let is = |what: u8| action.act == what && !lk.is_local;
            seen.hit_private += u64::from(is(act::HIT) && !action.sf);
            seen.hit_shared += u64::from(is(act::HIT) && action.sf);
            seen.hit_local += u64::from(lk.is_local && action.act == act::HIT);
            seen.merge_private += u64::from(is(act::MERGE) && !action.sf);
            seen.merge_shared += u64::from(is(act::MERGE) && action.sf);
            seen.merge_local += u64::from(lk.is_local && action.act == act::MERGE);
            let allocs = action.act == act::ALLOC;
            seen.alloc_free += u64::from(allocs && !action.evict_valid);
            seen.evict_private += u64::from(allocs && action.evict_valid && !action.evict_shared);
            seen.evict_shared += u64::from(action.evict_shared);
            seen.alloc_local += u64::from(allocs && lk.is_local);
            let stalls = action.act == act::STALL;
            seen.no_way_left += u64::from(stalls && out.err.is_none_or(|e| e == err::INV));
        }
        seen.sf_set += u64::from(out.counters.sf_set != d.before.counters.sf_set);
        seen.counter_beyond_16_bits += u64::from(out.counters.hits > u32::from(u16::MAX));
    }
}

impl Stimulus for Inputs {
    type Model = SharingL2Policy;

    type Phase = Phase;
    type Seen = Seen;

    fn start(d: &mut Driver<Self>) -> Self {
        let c = &d.config;
        Self { valid: vec![0; c.l2_sets as usize], mshrs: vec![None; c.l2_mshr as usize] }
    }

    fn phase(&mut self, d: &mut Driver<Self>) -> Phase {
        Phase::draw(&mut d.random)
    }

    fn long_phase(&mut self, d: &mut Driver<Self>) -> Option<Phase> {
        Some(Phase {
            left: LONG as u32,
            lookup: 256,
            kinds: [250, 0, 1],
            fill: 256,
            inv: 0,
            flush: 0,
            strange: 0,
            sets: 1,
            of_filled: 0,
            ..Phase::draw(&mut d.random)
        })
    }

    fn inputs(&mut self, d: &mut Driver<Self>, out: &Out) -> In {
        self.learn(d.last.lk, out);
        let (strange, inv_chance, flush_chance) = (d.phase.strange, d.phase.inv, d.phase.flush);
        let flush = d.random.chance(flush_chance);
        let inv = d.random.chance(inv_chance).then(|| {
            let set = Self::set(d);
            let any = d.random.below(1 << d.config.way_w()) as u8;
            let held = self.held(&mut d.random, set).filter(|_| !d.random.chance(strange));
            Place { set, way: held.unwrap_or(any) }
        });
        // What has gone is not there for this cycle's access.
        if flush {
            self.valid.fill(0);
        }
        if let Some(Place { set, way }) = inv {
            let at = self.at(set);
            self.valid[at] &= !(1 << way);
        }
        let strange_fill = d.random.chance(strange / 2);
        let filled = if strange_fill { None } else { self.fill(d) };
        let any = strange_fill.then(|| Self::strange(d));
        let of_any = any.map(|Lookup { mshr, set, way, .. }| (mshr, Place { set, way }));
        let own = filled.or(of_any);
        let fill = own.map(|(mshr, Place { set, way })| L2Fill { mshr, set, way });
        let lk = self.lookup(d, filled);
        // It may be right by chance.
        if let Some((mshr, place)) = own {
            self.comes(mshr, place);
        }
        let input = In { flush, inv, fill, lk };
        Self::count(d, &input, out, strange_fill);
        input
    }

    fn can_reach(d: &Driver<Self>, row: &str) -> bool {
        let Config { n_sm, l2_mshr, l2_ways, l2_mgt, .. } = d.config;
        match row {
            "hit_shared" | "merge_shared" | "evict_shared" | "sf_set" | "fsf_shared" => n_sm > 1,
            "act_bypass" => l2_mgt == 1,
            "alloc_local" => l2_mgt == 0,
            // Each way reserved by another MSHR, and one left that asks.
            "no_way_left" => l2_mshr > l2_ways,
            "err_sm" => n_sm < 16,
            _ => true,
        }
    }
}
