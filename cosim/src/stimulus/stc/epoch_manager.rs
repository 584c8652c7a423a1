//! Demands and conflicts of all CUs for an epoch manager, and agents that answer it late, apart
//! from each other, or wrongly.

use hwmodel::stc::epoch_manager::EpochManager;
use ports::stc::epoch_manager::{Config, Counters, In, Out, PerCu, err};
use ports::stc::types::{Epoch, Req, kind};

use crate::stimulus::{Driver, LONG, Random, Stimulus};
use crate::{blocks, phase, seen};

crate::family!(ports::stc::types::Stc, "stc");
crate::pair!(EpochManager: ports::stc::types::Stc);

inventory::submit! {
    blocks::entry::<Inputs>("STC: grants address bands to all CUs of a GPU, epoch by epoch")
}

/// Addresses of a phase that stores go to.
const LINES: usize = 8;

phase! {
    /// What one phase draws. Chances are parts of 256.
    pub struct Phase(r: &mut Random, c: &Config) {
        left: u32 = c.wakeup * (1 + { let epochs = r.pick(&[2, 8, 32]); r.below(epochs) }),
        /// Of each CU, in each cycle: a demand, a conflict; and that all CUs send one.
        demand: u32 = r.pick(&[256, 64, 16, 4, 1]),
        conflict: u32 = r.pick(&[128, 32, 8, 1, 0]),
        together: u32 = r.pick(&[0, 0, 16]),
        /// CUs that send nothing, and that answer late.
        silent: u32 = { let some = r.word() as u32; r.pick(&[0, 0, some]) },
        late: u32 = { let some = r.word() as u32; r.pick(&[0, 0, some]) },
        /// Addresses of stores, and how many of them are in use.
        lines: [u32; LINES] = std::array::from_fn(|_| r.word() as u32),
        used: u32 = 1 + r.below(LINES as u32),
        /// Chance of a request to anywhere.
        any: u32 = r.pick(&[0, 0, 8, 256]),
        /// Relative frequency of conflicts that vote for nothing, down, up.
        votes: [u32; 3] =
            r.pick(&[[1, 1, 1], [1, 8, 0], [1, 0, 8], [0, 1, 0], [0, 0, 1], [1, 0, 0]]),
        /// Of an agent: that it is ready, done, and lets go.
        ready: u32 = r.pick(&[256, 128, 64, 16]),
        done: u32 = r.pick(&[256, 128, 64, 16]),
        fall: u32 = r.pick(&[256, 128, 64, 16]),
        fault: u32 = r.pick(&[0, 0, 2, 128]),
    }
}

/// State of the block, as its outputs say it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum At {
    #[default]
    Idle,
    Prep,
    Chg,
    Rel,
}

/// Requests of a cycle, until the next shows what became of them.
#[derive(Clone, Copy, Debug, Default)]
struct Sent {
    demands: u32,
    conflicts: u32,
    /// In PREP, with all agents ready.
    at_change: bool,
}

/// The stimulus.
#[derive(Default)]
pub struct Inputs {
    at: At,
    /// Levels of the agents.
    ready: u32,
    done: u32,
    /// Votes since SEB moved, those at the last selection, and whether it has moved and nothing was
    /// selected since.
    votes: i64,
    counted: i64,
    moved: bool,
    sent: Sent,
}

seen! {
    transfers: req, dmd_ack, prep, chg, ready, done, err;
    rows:
        demand, conflict, several_demands, demands_of_one_band, several_conflicts,
        wake_idle, same, selection, transition,
        demand_at_wake, demand_at_change, demand_at_move, conflict_at_change,
        granted["one_band", "two_bands", "three_bands", "four_bands"],
        seb["seb_down", "seb_stays", "seb_up"], at_lowest, at_highest, down_at_lowest,
        up_at_highest, hold,
        stale, dup, vote["vote_up", "vote_down", "vote_for_nothing"], several_votes,
        votes_both_ways,
        ready_apart, done_apart, fall_apart, all_at_once,
        err_code["err_not_asked", "err_done_early", "err_ready_fell"],
        several_errors, counter_beyond_16_bits,
}

impl Inputs {
    fn all(c: &Config) -> u32 {
        u32::MAX >> (32 - c.n_cu)
    }

    /// Bits of an address from `from` up to `to`, one of which is inverted; none where there is
    /// none.
    fn inverted(r: &mut Random, addr: u32, from: u32, to: u32) -> u32 {
        if from < to { addr ^ 1 << (from + r.below(to - from)) } else { addr }
    }

    /// A request of a CU.
    fn request(d: &mut Driver<Self>, conflict: bool, seb: u32) -> Req {
        let Driver { config: c, phase: p, random: r, .. } = d;
        let line = p.lines[r.below(p.used) as usize];
        let (any, noise) = (r.word() as u32, r.word() as u32);
        let (addr_w, band_bits, seb_min) = (c.addr_w, c.band_bits, c.seb_min);
        let addr = match () {
            () if r.chance(p.any) => any,
            () if !conflict => line,
            () => match r.weighted(&p.votes) {
                0 => Self::inverted(r, line, 0, seb_min.min(seb).min(8)),
                1 => Self::inverted(r, line, seb_min, seb),
                _ => Self::inverted(r, line, seb + band_bits, addr_w),
            },
        };
        // Bits that the block cuts off.
        let beyond = if addr_w < 32 { u32::MAX << addr_w } else { 0 };
        Req { kind: conflict, addr: addr & !beyond | noise & beyond }
    }

    fn requests(d: &mut Driver<Self>, out: &Out) -> (u32, PerCu) {
        let mut req = PerCu::default();
        let mut valid = 0;
        let seb = out.chg_info.seb.into();
        let p = &d.phase;
        let (demand, conflict, silent) = (p.demand, p.conflict, p.silent);
        let together = d.random.chance(p.together);
        let (demand, conflict) = match together {
            true => d.random.pick(&[(192, 128), (0, 256)]),
            false => (demand, conflict),
        };
        for c in (0..d.config.n_cu).filter(|c| silent >> c & 1 == 0) {
            let demands = d.random.chance(demand);
            if demands || d.random.chance(conflict) {
                valid |= 1 << c;
                req[c as usize] = Self::request(d, !demands, seb);
            }
        }
        (valid, req)
    }

    /// Bits of `of` that change now.
    fn some(d: &mut Driver<Self>, of: u32, chance: u32) -> u32 {
        d.bits(d.config.n_cu, |p, c| match () {
            () if of >> c & 1 == 0 => 0,
            () if p.late >> c & 1 == 1 => chance / 8 + 1,
            () => chance,
        })
    }

    /// The agents' levels: a handshake with four phases each, or broken.
    fn levels(&mut self, d: &mut Driver<Self>, out: &Out) -> (u32, u32) {
        let all = Self::all(&d.config);
        let p = &d.phase;
        let (ready, done, fall, fault) = (p.ready, p.done, p.fall, p.fault);
        let mut moved = [0; 3];
        if out.prep {
            moved[0] = Self::some(d, all & !self.ready, ready);
            self.ready |= moved[0];
        }
        if out.chg {
            moved[1] = Self::some(d, self.ready & !self.done & !moved[0], done);
            self.done |= moved[1];
        }
        if !out.prep {
            // One that was cut off in the midst lets go too.
            moved[2] = Self::some(d, self.ready | self.done, fall);
            (self.ready, self.done) = (self.ready & !moved[2], self.done & !moved[2]);
        }
        let seen = &mut d.seen;
        let apart = |moved: u32| u64::from(moved != 0 && moved != all);
        seen.ready_apart += apart(moved[0]);
        seen.done_apart += apart(moved[1]);
        seen.fall_apart += apart(moved[2]);
        seen.all_at_once += u64::from(moved.contains(&all));
        let (mut ready, mut done) = (self.ready, self.done);
        if d.random.chance(fault) {
            let one = 1 << d.random.below(d.config.n_cu);
            match d.random.below(4) {
                0 => ready ^= one,
                1 => done ^= one,
                2 => (ready, done) = (ready ^ one, done ^ one),
                _ => (ready, done) = (d.random.word() as u32 & all, d.random.word() as u32 & all),
            }
        }
        (ready, done)
    }

    /// What the outputs say of the cycle before.
    fn look_back(&mut self, d: &mut Driver<Self>, out: &Out) {
        let c = &d.config;
        let (last, now) = (d.before.counters, out.counters);
        let changed = |of: fn(&Counters) -> u32| u64::from(of(&now).wrapping_sub(of(&last)));
        let [wakes, idle, selections, same] = [
            changed(|c| c.wakes),
            changed(|c| c.wakes_idle),
            changed(|c| c.selections),
            changed(|c| c.skip_same),
        ];
        let [stale, dup, up, down] = [
            changed(|c| c.conf_stale),
            changed(|c| c.conf_dup),
            changed(|c| c.votes_up),
            changed(|c| c.votes_down),
        ];
        let Sent { demands, conflicts, at_change } = std::mem::take(&mut self.sent);
        let seen = &mut d.seen;
        seen.wake_idle += idle;
        seen.selection += selections;
        seen.same += same;
        seen.demand_at_wake += u64::from(wakes > 0 && demands > 0);
        seen.demand_at_change += u64::from(at_change && demands > 0);
        seen.conflict_at_change += u64::from(at_change && conflicts > 0);
        seen.stale += stale;
        seen.dup += dup;
        seen.vote[0] += up;
        seen.vote[1] += down;
        if c.variant.has_conflicts() {
            let named = stale + dup + up + down;
            seen.vote[2] += u64::from(conflicts).saturating_sub(named);
        }
        seen.several_votes += u64::from(up + down > 1);
        seen.votes_both_ways += u64::from(up > 0 && down > 0);
        if out.prep && !d.before.prep {
            seen.transition += 1;
            self.counted = self.votes;
        }
        self.votes += up as i64 - down as i64;
        let seb = u32::from(out.chg_info.seb);
        let before = u32::from(d.before.chg_info.seb);
        seen.down_at_lowest += u64::from(down > 0 && before == c.seb_min);
        seen.up_at_highest += u64::from(up > 0 && before == c.seb_max);
        if out.chg && !d.before.chg {
            seen.granted[out.chg_info.gvec.count_ones() as usize - 1] += 1;
            let way = (seb + 1).saturating_sub(before).min(2) as usize;
            seen.seb[way] += 1;
            let stays = seb == before;
            seen.demand_at_move += u64::from(demands > 0 && !stays);
            seen.at_lowest += u64::from(!stays && seb == c.seb_min);
            seen.at_highest += u64::from(!stays && seb == c.seb_max);
            let free = if self.counted > 0 { seb < c.seb_max } else { seb > c.seb_min };
            seen.hold += u64::from(stays && self.moved && self.counted != 0 && free);
            // Behind any other change they need not be what the block counts.
            (self.votes, self.moved) = (0, !stays);
        } else if same > 0 {
            self.moved = false;
        }
        self.moved &= c.seb_on_wrap == 1;
    }

    fn count(&mut self, d: &mut Driver<Self>, input: &In, out: &Out) {
        let all = Self::all(&d.config);
        let seen = &mut d.seen;
        let band = |epoch: &Epoch, addr, c: &Config| {
            epoch.band(addr & (u32::MAX >> (32 - c.addr_w)), c.band_bits)
        };
        let (mut demanded, mut several) = (0, false);
        for c in (0..d.config.n_cu as usize).filter(|c| input.req_valid >> c & 1 == 1) {
            let Req { kind, addr } = input.req[c];
            if kind == kind::CONFLICT {
                self.sent.conflicts += 1;
                continue;
            }
            let bit = 1 << band(&out.chg_info, addr, &d.config);
            self.sent.demands += 1;
            several |= demanded & bit != 0;
            demanded |= bit;
        }
        let Sent { demands, conflicts, .. } = self.sent;
        seen.req += u64::from(demands + conflicts);
        seen.demand += u64::from(demands);
        seen.conflict += u64::from(conflicts);
        seen.several_demands += u64::from(demands > 1);
        seen.several_conflicts += u64::from(conflicts > 1);
        seen.demands_of_one_band += u64::from(several);
        seen.dmd_ack += u64::from(out.dmd_ack.count_ones());
        seen.prep += u64::from(out.prep);
        seen.chg += u64::from(out.chg);
        seen.ready += u64::from(input.ready != 0);
        seen.done += u64::from(input.done != 0);
        if let Some(code) = out.err {
            seen.err += 1;
            if let Some(row) = code.checked_sub(err::NOT_ASKED) {
                seen.err_code[usize::from(row)] += 1;
            }
        }
        let Counters { wakes, conf_stale, conf_dup, .. } = out.counters;
        let most = wakes.max(conf_stale).max(conf_dup);
        seen.counter_beyond_16_bits += u64::from(most > u32::from(u16::MAX));
        self.at = match (out.prep, out.chg) {
            (true, false) => At::Prep,
            (true, true) => At::Chg,
            _ if matches!(self.at, At::Chg | At::Rel) => At::Rel,
            _ => At::Idle,
        };
        let early = input.done & !input.ready != 0;
        seen.several_errors += u64::from(self.at == At::Chg && early && input.ready != all);
        self.sent.at_change = self.at == At::Prep && input.ready == all;
        if self.at == At::Rel && input.ready | input.done == 0 {
            self.at = At::Idle;
        }
    }
}

impl Stimulus for Inputs {
    type Model = EpochManager;
    type Phase = Phase;
    type Seen = Seen;

    fn start(d: &mut Driver<Self>) -> Self {
        d.before.chg_info = Epoch { seb: d.config.seb_init as u8, gvec: 1 };
        Self::default()
    }

    fn phase(&mut self, d: &mut Driver<Self>) -> Phase {
        let Driver { config: c, random: r, .. } = d;
        let mut phase = Phase::draw(r, c);
        let p = &mut phase;
        match r.below(12) {
            // Nothing waits.
            0 => (p.demand, p.together) = (0, 0),
            // SEB goes all the way.
            1 | 2 => {
                (p.left, p.votes) = (c.wakeup * 64, r.pick(&[[0, 1, 0], [0, 0, 1]]));
                (p.demand, p.conflict, p.any, p.silent, p.fault, p.used) = (16, 8, 0, 0, 0, 4);
                (p.ready, p.done, p.fall, p.late) = (256, 256, 256, 0);
            }
            _ => {}
        }
        if d.cycle == 0 && r.chance(128) {
            // The first selection is of band 0, and free to move SEB.
            p.lines[0] &= !((u64::from(c.bands() - 1) << c.seb_init) as u32);
            (p.used, p.any, p.silent, p.left) = (1, 0, 0, p.left.max(2 * c.wakeup));
            (p.demand, p.conflict, p.votes) = (64, 64, [0, 1, 4]);
        }
        phase
    }

    /// Conflicts and nothing else.
    fn long_phase(&mut self, d: &mut Driver<Self>) -> Option<Phase> {
        let mut phase = Phase::draw(&mut d.random, &d.config);
        let p = &mut phase;
        (p.left, p.conflict) = (LONG as u32, 256);
        (p.demand, p.together, p.silent, p.fault) = (0, 0, 0, 0);
        Some(phase)
    }

    fn inputs(&mut self, d: &mut Driver<Self>, out: &Out) -> In {
        self.look_back(d, out);
        let (req_valid, req) = Self::requests(d, out);
        let (ready, done) = self.levels(d, out);
        let input = In { req_valid, req, ready, done };
        self.count(d, &input, out);
        input
    }

    fn can_reach(d: &Driver<Self>, row: &str) -> bool {
        let c = &d.config;
        let conflicts = c.variant.has_conflicts();
        let highest = c.addr_w - c.band_bits;
        match row {
            "wake_idle" | "same" => c.variant.has_demands(),
            "two_bands" => c.max_bands > 1,
            "three_bands" => c.max_bands > 2,
            "four_bands" => c.max_bands > 3,
            "stale"
            | "dup"
            | "vote_up"
            | "vote_down"
            | "vote_for_nothing"
            | "counter_beyond_16_bits" => conflicts,
            "seb_down" | "seb_up" | "at_lowest" | "demand_at_move" => {
                conflicts && c.seb_min < c.seb_max
            }
            // Nothing is above the band where its bits are the highest of an address.
            "at_highest" => conflicts && c.seb_max <= highest,
            "up_at_highest" => conflicts && c.seb_max < highest,
            // A page is below all that votes compare.
            "down_at_lowest" => conflicts && c.adapt_cmp == 1,
            "hold" => conflicts && c.seb_on_wrap == 1,
            "several_votes" | "votes_both_ways" => conflicts && c.n_cu > 1,
            "several_demands"
            | "demands_of_one_band"
            | "several_conflicts"
            | "ready_apart"
            | "done_apart"
            | "fall_apart" => c.n_cu > 1,
            _ => true,
        }
    }
}
