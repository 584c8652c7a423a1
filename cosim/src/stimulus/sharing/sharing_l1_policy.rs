//! Hits, fills and lines that go for the policy of an L1.

use hwmodel::sharing::sharing_l1_policy::{Case, SharingL1Policy};
use hwmodel::{Block, Model};
use ports::sharing::sharing_l1_policy::{Config, In, Out};
use ports::sharing::types::{L1Fill, Place};

use crate::stimulus::{Driver, LONG, Random, Stimulus};
use crate::{blocks, phase, seen};

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

phase! {
    /// What one phase draws. Chances are parts of 256.
    pub struct Phase(r: &mut Random) {
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
pub struct Inputs {
    /// Of each set the ways that hold lines.
    valid: Vec<u8>,
    /// The same policy, for the rows of the table.
    policy: SharingL1Policy,
}

impl Inputs {
    /// A place, most often of a line.
    fn place(&self, d: &mut Driver<Self>, set: u16) -> Place {
        let Driver { config: c, phase: p, random: r, .. } = d;
        let ways = 1 << c.way_w();
        let strange = r.chance(p.strange);
        let mut way = r.below(ways) as u8;
        let valid = self.valid[usize::from(set) & (self.valid.len() - 1)];
        while !strange && valid != 0 && valid >> way & 1 == 0 {
            way = (way + 1) % ways as u8;
        }
        Place { set, way }
    }

    /// The victim of the fill of the cycle before is known.
    fn learn(&mut self, filled: Option<L1Fill>, out: &Out) {
        if let (Some(L1Fill { set, .. }), Some(vic)) = (filled, out.vic)
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

    fn count(&mut self, d: &mut Driver<Self>, input: &In, out: &Out) {
        let case = self.place_fill(input);
        let seen = &mut d.seen;
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
        let back = fill.zip(d.last.fill).is_some_and(|(fill, last)| fill.set == last.set);
        seen.fills_of_a_set_back_to_back += u64::from(back);
        if let Some(vic) = out.vic.filter(|vic| vic.evict_valid) {
            seen.evict_private += u64::from(vic.evict_private);
            seen.evict_shared += u64::from(!vic.evict_private);
        }
        let is_strange = |p: Place| u32::from(p.way) >= d.config.l1_ways;
        seen.strange_way += u64::from(touch.is_some_and(is_strange) || inv.is_some_and(is_strange));
        seen.counter_beyond_16_bits += u64::from(out.counters.touches > u32::from(u16::MAX));
    }
}

impl Stimulus for Inputs {
    type Model = SharingL1Policy;

    type Phase = Phase;
    type Seen = Seen;

    fn start(d: &mut Driver<Self>) -> Self {
        let policy = SharingL1Policy::new(&d.config).expect("legal parameters");
        Self { valid: vec![0; d.config.l1_sets as usize], policy }
    }

    fn phase(&mut self, d: &mut Driver<Self>) -> Phase {
        Phase::draw(&mut d.random)
    }

    fn long_phase(&mut self, d: &mut Driver<Self>) -> Option<Phase> {
        Some(Phase {
            left: LONG as u32,
            touch: 256,
            inv: 0,
            flush: 0,
            fill: 64,
            strange: 0,
            sets: 1,
            ..Phase::draw(&mut d.random)
        })
    }

    fn inputs(&mut self, d: &mut Driver<Self>, out: &Out) -> In {
        self.learn(d.last.fill, out);
        let Driver { config: c, phase: p, random: r, .. } = d;
        let sets = p.sets.min(1 << c.set_w());
        let set = r.below(sets) as u16;
        let fill = r.chance(p.fill).then(|| L1Fill { sf: r.chance(p.shared), set });
        let other = |d: &mut Driver<Self>| match d.random.chance(d.phase.same) {
            true => set,
            false => d.random.below(sets) as u16,
        };
        let touch = d.random.chance(d.phase.touch).then(|| {
            let set = other(d);
            self.place(d, set)
        });
        let inv = d.random.chance(d.phase.inv).then(|| {
            let set = other(d);
            let both = touch.filter(|_| d.random.chance(d.phase.strange));
            both.unwrap_or_else(|| self.place(d, set))
        });
        let flush = d.random.chance(d.phase.flush);
        let input = In { flush, inv, touch, fill };
        self.count(d, &input, out);
        self.forget(&input);
        input
    }

    fn can_reach(d: &Driver<Self>, row: &str) -> bool {
        let Config { l1_ways, l1_mgt, dead, .. } = d.config;
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
