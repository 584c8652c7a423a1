//! Hits, fills and lines that go for the policy of an L1.

use hwmodel::sharing::sharing_l1_policy::{Case, SharingL1Policy};
use hwmodel::{Block, Model};
use ports::sharing::sharing_l1_policy::{Config, In, Out};
use ports::sharing::types::{L1Fill, Place};

use crate::blocks;
use crate::seen;
use crate::stimulus::draws::draws;
use crate::stimulus::{LongTime, NewStimulus, Random, Reached, Statics, Stimulus};

crate::pair!(SharingL1Policy: ports::sharing::types::Sharing);

inventory::submit! {
    blocks::entry::<Inputs>("sharing-aware: replacement and bypass by sharing, for an L1")
}

seen! {
    transfers: inv, touch, fill, vic, err;
    rows:
        row["r1", "r2", "r3", "r4", "r5", "r6", "oldest"], flush, flush_and_fill,
        touch_of_the_filled_set, inv_of_the_filled_set, fills_of_a_set_back_to_back,
        touch_of_the_removed_line, evict_private, evict_shared, not_kept, strange_way,
        counter_beyond_16_bits,
}

draws! {
    /// What one phase draws. Chances are parts of 256.
    struct Phase(r: &mut Random) {
        left: u32 = 16 + r.below(500),
        fill: u32 = r.pick(&[256, 128, 16]),
        /// Of a line that comes: that it is shared.
        shared: u32 = r.pick(&[256, 128, 32, 0]),
        touch: u32 = r.pick(&[256, 64, 8, 0]),
        inv: u32 = r.pick(&[64, 4, 0, 0]),
        flush: u32 = r.pick(&[8, 0, 0, 0]),
        /// Of a place that need hold no line; of the set of the fill.
        strange: u32 = r.pick(&[0, 0, 16, 128]),
        same: u32 = r.pick(&[0, 128, 256]),
        /// Sets in use.
        sets: u32 = r.pick(&[1, 2, 1024]),
    }
}

/// The stimulus.
#[derive(Clone, Debug)]
pub struct Inputs {
    config: Config,
    random: Random,
    phase: Phase,
    long: LongTime,
    /// Of each set the ways that hold lines, and the set that a fill of the cycle before went to.
    valid: Vec<u8>,
    filled: Option<u16>,
    /// The same policy, for the rows of the table.
    policy: SharingL1Policy,
    seen: Seen,
}

impl Inputs {
    /// A place, most often of a line.
    fn place(&mut self, set: u16) -> Place {
        let (p, r) = (&self.phase, &mut self.random);
        let ways = 1 << self.config.way_w();
        let strange = r.chance(p.strange);
        let mut way = r.below(ways) as u8;
        let valid = self.valid[usize::from(set) & (self.valid.len() - 1)];
        while !strange && valid != 0 && valid >> way & 1 == 0 {
            way = (way + 1) % ways as u8;
        }
        Place { set, way }
    }

    /// The victim of the fill of the cycle before is known.
    fn learn(&mut self, out: &Out) {
        if let (Some(set), Some(vic)) = (self.filled, out.vic)
            && vic.install
        {
            let at = usize::from(set) & (self.valid.len() - 1);
            self.valid[at] |= 1 << vic.way;
        }
    }

    fn forget(&mut self, input: &In) {
        if input.flush {
            self.valid.fill(0);
        }
        if let Some(Place { set, way }) = input.inv {
            let at = usize::from(set) & (self.valid.len() - 1);
            self.valid[at] &= !(1 << way);
        }
    }

    /// The row that holds for the fill, behind the other events of its cycle.
    fn place_fill(&mut self, input: &In) -> Option<Case> {
        self.policy.tick(&In { fill: None, ..*input });
        let case = input.fill.map(|fill| self.policy.placement(fill).case);
        self.policy.tick(&In { fill: input.fill, ..In::default() });
        case
    }

    fn count(&mut self, input: &In, out: &Out) {
        let case = self.place_fill(input);
        let seen = &mut self.seen;
        if let Some(case) = case {
            seen.row[case as usize] += 1;
            seen.not_kept += u64::from(case == Case::Bypass);
        }
        let In { flush, inv, touch, fill } = *input;
        seen.inv += u64::from(inv.is_some());
        seen.touch += u64::from(touch.is_some());
        seen.fill += u64::from(fill.is_some());
        seen.vic += u64::from(out.vic.is_some());
        seen.err += u64::from(out.err.is_some());
        seen.flush += u64::from(flush);
        seen.flush_and_fill += u64::from(flush && fill.is_some());
        let of_fill = |place: Option<Place>| place.zip(fill).is_some_and(|(p, f)| p.set == f.set);
        seen.touch_of_the_filled_set += u64::from(of_fill(touch));
        seen.inv_of_the_filled_set += u64::from(of_fill(inv));
        seen.touch_of_the_removed_line += u64::from(inv.is_some() && inv == touch);
        let back = fill.zip(self.filled).is_some_and(|(fill, set)| fill.set == set);
        seen.fills_of_a_set_back_to_back += u64::from(back);
        if let Some(vic) = out.vic.filter(|vic| vic.evict_valid) {
            seen.evict_private += u64::from(vic.evict_private);
            seen.evict_shared += u64::from(!vic.evict_private);
        }
        let is_strange = |p: Place| u32::from(p.way) >= self.config.l1_ways;
        seen.strange_way += u64::from(touch.is_some_and(is_strange) || inv.is_some_and(is_strange));
        seen.counter_beyond_16_bits += u64::from(out.cnt.touches > u32::from(u16::MAX));
    }
}

impl Stimulus for Inputs {
    type Model = SharingL1Policy;

    fn restart(&mut self, cycles: u64) {
        self.long = LongTime::plan(&mut self.random, cycles);
        self.phase = Phase::draw(&mut self.random);
        self.valid.fill(0);
        self.filled = None;
        self.policy.reset(&self.config).expect("legal parameters");
    }

    fn inputs(&mut self, out: &<SharingL1Policy as Block>::Out) -> In {
        if self.long.cycle() == Some(0) {
            self.phase = Phase::draw(&mut self.random);
            let p = &mut self.phase;
            (p.left, p.touch, p.inv, p.flush) = (LongTime::CYCLES as u32, 256, 0, 0);
            (p.fill, p.strange, p.sets) = (64, 0, 1);
        } else if self.phase.left == 0 {
            self.phase = Phase::draw(&mut self.random);
        }
        self.phase.left -= 1;
        self.learn(out);
        let p = self.phase.clone();
        let sets = p.sets.min(1 << self.config.set_w());
        let set = self.random.below(sets) as u16;
        let r = &mut self.random;
        let fill = r.chance(p.fill).then(|| L1Fill { sf: r.chance(p.shared), set });
        let other = |own: &mut Self| match own.random.chance(p.same) {
            true => set,
            false => own.random.below(sets) as u16,
        };
        let touch = self.random.chance(p.touch).then(|| {
            let set = other(self);
            self.place(set)
        });
        let inv = self.random.chance(p.inv).then(|| {
            let set = other(self);
            let both = touch.filter(|_| self.random.chance(p.strange));
            both.unwrap_or_else(|| self.place(set))
        });
        let flush = self.random.chance(p.flush);
        let input = In { flush, inv, touch, fill };
        self.count(&input, out);
        self.forget(&input);
        self.filled = fill.map(|fill| fill.set);
        input
    }

    fn seen(&self) -> &dyn Reached {
        &self.seen
    }

    fn can_reach(&self, row: &str) -> bool {
        let Config { l1_ways, l1_mgt, dead, .. } = self.config;
        let is_on = l1_mgt == 1;
        match row {
            "r2" | "r5" | "r6" | "not_kept" => is_on,
            "r4" => is_on && l1_ways > 1,
            // It was spared for a shared one.
            "r3" => is_on && dead == 1 && l1_ways > 1,
            "oldest" => !is_on,
            // An index has a bit for one way.
            "strange_way" => !l1_ways.is_power_of_two() || l1_ways == 1,
            _ => true,
        }
    }
}

impl NewStimulus for Inputs {
    fn unstarted(config: &Config, _statics: &Statics, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let phase = Phase::draw(&mut random);
        Self {
            config: config.clone(),
            random,
            phase,
            long: LongTime::never(),
            valid: vec![0; config.l1_sets as usize],
            filled: None,
            policy: SharingL1Policy::new(config).expect("legal parameters"),
            seen: Seen::default(),
        }
    }
}
