//! Requests to a coherence directory, legal and faulty, and back-pressure.

use std::collections::VecDeque;

use hwmodel::directory::coherence_directory::CoherenceDirectory;
use ports::directory::coherence_directory::{
    Config, In, Inv, Out, Req, Rsp, Variant, cause, err, op,
};

use crate::stimulus::{self, Driver, LONG, Random, Stimulus, count};
use crate::{blocks, seen};

crate::family!(Config, "directory");
crate::pair!(CoherenceDirectory: Config);

inventory::submit! {
    blocks::entry::<Inputs>(
        "tracks sharers of home lines and invalidates them: baseline, HMG, REC, ideal"
    )
}

/// Age of the oldest job, in requests, at which requests stall (specification section 6, rule 2).
const OLD: u8 = 96;

/// Random parameters of one phase. Chances are out of 256.
#[derive(Default)]
pub struct Phase {
    left: u32,
    valid: u32,
    rsp_ready: u32,
    inv_ready: u32,
    /// Relative frequency of each op.
    ops: [u32; 6],
    /// Chance of a request that must be refused.
    fault: u32,
    /// Chance that a request is to the entry of the previous one.
    again: u32,
    /// Sets in use: first and number.
    sets: (u32, u32),
    /// Tags in use in each set: first and number.
    tags: (u64, u32),
    /// Lines of an entry in use.
    lines: u32,
    src: Option<u8>,
}

/// A request whose response is pending.
#[derive(Clone, Copy, Debug)]
struct Asked {
    op: u8,
    src: u8,
    id: u8,
    /// The previous request left the entry present, for another line.
    present: bool,
    /// The previous request evicted the entry.
    absent: bool,
}

/// The stimulus.
pub struct Inputs {
    self_id: u8,
    /// The last request that was accepted.
    last: Option<Req>,
    asked: VecDeque<Asked>,
    accepted: u64,
}

seen! {
    transfers: req, rsp, inv, err;
    rows:
        // Rows of the transition table (specification section 5.2): three for each op.
        table["lrd_absent", "lrd_present", "lrd_tracked", "rrd_absent", "rrd_present",
            "rrd_tracked", "lwr_absent", "lwr_present", "lwr_tracked", "rwr_absent", "rwr_present",
            "rwr_tracked", "evict_absent", "evict_present", "evict_tracked", "", "", "fence"],
        rwr_of_only_sharer, inv_write, inv_fence, req_held, rsp_held, inv_held,
        counter_beyond_16_bits, req_held_by_old_job, err_src, err_op,
        rwr_of_others, inv_several_dests, err_addr, inv_evict, victim, inv_several_lines,
}

/// States that an op can find, in the order of its rows in the table.
const ABSENT: usize = 0;
const PRESENT: usize = 1;
const TRACKED: usize = 2;

impl stimulus::Phase for Phase {
    fn left(&mut self) -> &mut u32 {
        &mut self.left
    }
}

impl Inputs {
    fn draw_phase(r: &mut Random, c: &Config, self_id: u8) -> Phase {
        let ways = c.ways;
        let sets = if c.variant == Variant::Ideal { c.ideal_lines } else { c.sets() };
        let in_use = r.pick(&[1, 1, 2, 4, 16, sets]).min(sets);
        let tags = r.pick(&[1, ways.div_ceil(2), ways, ways + 1, 2 * ways, 4 * ways]);
        let most = (1 << c.address_width) / (u64::from(c.range) * u64::from(sets));
        let tags = u64::from(tags).min(most) as u32;
        let free = most - u64::from(tags);
        let any = r.word() % (free + 1);
        let first = r.pick(&[0, free, any]);
        let mut ops = [0; 6];
        for (chance, mix) in
            ops.iter_mut().zip([[1, 4, 0], [8, 4, 16], [1, 4, 0], [2, 4, 0], [0, 1, 0], [0, 1, 4]])
        {
            *chance = r.pick(&mix);
        }
        if ops.iter().sum::<u32>() == 0 {
            ops = [1; 6];
        }
        let other = (u32::from(self_id) + 1 + r.below(c.gpus - 1)) % c.gpus;
        let most_cycles = r.pick(&[200, 200, 600, 4000]);
        let mut phase = Phase {
            left: 1 + r.below(most_cycles),
            valid: r.pick(&[256, 256, 200, 64, 8]),
            rsp_ready: r.pick(&[256, 256, 200, 100, 16]),
            inv_ready: r.pick(&[256, 256, 200, 100, 16, 0]),
            ops,
            fault: r.pick(&[0, 0, 2, 24]),
            again: r.pick(&[0, 16, 128]),
            sets: (r.below(sets - in_use + 1), in_use),
            tags: (first, tags),
            lines: r.pick(&[1, 2, c.pos(), c.pos()]).min(c.pos()),
            src: if r.chance(64) { Some(other as u8) } else { None },
        };
        if r.chance(16) {
            // Few jobs among many requests: a job ages while it is held.
            phase.ops = [128, 0, 0, 0, 0, 1];
            (phase.valid, phase.rsp_ready, phase.inv_ready) = (256, 256, 2);
        }
        phase
    }

    fn address(&self, d: &mut Driver<Self>) -> u64 {
        let Driver { config: c, phase: p, random: r, .. } = d;
        let low = r.word() % u64::from(c.line);
        let line = u64::from(r.below(p.lines)) * u64::from(c.line);
        let range = u64::from(c.range);
        let again = self.last.filter(|_| r.chance(p.again));
        if let Some(last) = again {
            return last.addr / range * range + line + low;
        }
        let set = u64::from(p.sets.0 + r.below(p.sets.1));
        if c.variant == Variant::Ideal {
            return set * range + low;
        }
        let tag = p.tags.0 + u64::from(r.below(p.tags.1));
        (tag * u64::from(c.sets()) + set) * range + line + low
    }

    fn request(&self, d: &mut Driver<Self>) -> Req {
        let addr = self.address(d);
        let Driver { config: c, phase: p, random: r, .. } = d;
        let op = r.weighted(&p.ops) as u8;
        let other = (u32::from(self.self_id) + 1 + r.below(c.gpus - 1)) % c.gpus;
        let src = match op {
            op::LRD | op::LWR => self.self_id,
            op::RRD | op::RWR => p.src.unwrap_or(other as u8),
            _ => r.below(c.gpus) as u8,
        };
        let mut req = Req { addr, id: r.word() as u8, src, op };
        // Ideal has address faults too: with two faults, the response reports one.
        let mut faults = u32::from(r.chance(p.fault));
        if faults > 0 && c.variant == Variant::Ideal {
            faults += r.below(2);
        }
        for _ in 0..faults {
            match r.below(4) {
                0 => req.op = 6 + r.below(2) as u8,
                1 => req.src = r.below(16) as u8,
                2 => req.src = if req.src == self.self_id { other as u8 } else { self.self_id },
                _ => req.addr = r.word() & ((1 << c.address_width) - 1),
            }
        }
        req
    }

    /// The error code of a request that the directory must refuse.
    fn fault(&self, c: &Config, req: &Req) -> Option<u8> {
        let home = req.src == self.self_id;
        let wrong_src = match req.op {
            op::LRD | op::LWR => !home,
            op::RRD | op::RWR => home,
            _ => false,
        };
        let lines = u64::from(c.ideal_lines) * u64::from(c.line);
        match req.op {
            6.. => Some(err::OP),
            _ if wrong_src || u32::from(req.src) >= c.gpus => Some(err::SRC),
            op::FENCE => None,
            _ if c.variant == Variant::Ideal && req.addr >= lines => Some(err::ADDR),
            _ => None,
        }
    }

    fn accept(&mut self, d: &mut Driver<Self>, req: Req) {
        let range = u64::from(d.config.range);
        let line = u64::from(d.config.line);
        let last = self.last.filter(|last| last.addr / range == req.addr / range);
        let allocates = |last: &Req| matches!(last.op, op::RRD | op::RWR);
        let present = last.is_some_and(|l| allocates(&l) && l.addr / line != req.addr / line);
        let absent = last.is_some_and(|last| last.op == op::EVICT);
        let fault = self.fault(&d.config, &req);
        if fault.is_none() {
            let Req { op, src, id, .. } = req;
            self.asked.push_back(Asked { op, src, id, present, absent });
        } else {
            // A refused request covers no row.
            self.asked.push_back(Asked { op: 6, src: 0, id: req.id, present, absent });
        }
        self.last = Some(req).filter(|_| fault.is_none());
        self.accepted += 1;
    }

    fn answered(&mut self, d: &mut Driver<Self>, rsp: &Rsp) {
        let Some(asked) = self.asked.pop_front().filter(|asked| asked.id == rsp.id) else { return };
        if asked.op > 5 {
            return;
        }
        let rec = d.config.variant == Variant::Rec;
        let rows = &mut d.seen.table[3 * usize::from(asked.op)..];
        if rsp.hit || asked.op == op::FENCE {
            rows[TRACKED] += 1;
        } else if !rec || rsp.alloc || asked.absent {
            rows[ABSENT] += 1;
        } else if asked.present || matches!(asked.op, op::RRD | op::RWR) || rsp.evicted {
            rows[PRESENT] += 1;
        }
        if asked.op == op::RWR && rsp.hit {
            let only = rsp.sharers == 1 << asked.src;
            d.seen.rwr_of_only_sharer += u64::from(only);
            d.seen.rwr_of_others += u64::from(!only);
        }
        d.seen.victim += u64::from(rsp.alloc && rsp.evicted);
    }

    fn invalidates(seen: &mut Seen, inv: &Inv) {
        *(match inv.cause {
            cause::WRITE => &mut seen.inv_write,
            cause::EVICT => &mut seen.inv_evict,
            _ => &mut seen.inv_fence,
        }) += 1;
        seen.inv_several_lines += u64::from(!inv.last);
        seen.inv_several_dests += u64::from(inv.dest.count_ones() > 1);
    }

    fn count(&mut self, d: &mut Driver<Self>, input: &In, out: &Out) {
        let seen = &mut d.seen;
        let req = count(input.req, out.req_ready, &mut seen.req, &mut seen.req_held);
        let rsp = count(out.rsp, input.rsp_ready, &mut seen.rsp, &mut seen.rsp_held);
        if let Some(inv) = count(out.inv, input.inv_ready, &mut seen.inv, &mut seen.inv_held) {
            Self::invalidates(seen, &inv);
        }
        if let Some(req) = req {
            self.accept(d, req);
        }
        if let Some(rsp) = rsp {
            self.answered(d, &rsp);
        }
        let seen = &mut d.seen;
        if let Some(inv) = out.inv {
            let age = (self.accepted as u8).wrapping_sub(inv.seq);
            seen.req_held_by_old_job += u64::from(!out.req_ready && age == OLD);
        }
        let c = &out.counters;
        let most = [c.req_lrd, c.req_rrd, c.req_lwr, c.req_rwr, c.ready_low_cycles];
        seen.counter_beyond_16_bits +=
            u64::from(most.iter().any(|count| *count > u32::from(u16::MAX)));
        if let Some(code) = out.err {
            seen.err += 1;
            match code {
                err::SRC => seen.err_src += 1,
                err::OP => seen.err_op += 1,
                err::ADDR => seen.err_addr += 1,
                _ => {}
            }
        }
    }
}

impl Stimulus for Inputs {
    type Model = CoherenceDirectory;
    type Phase = Phase;
    type Seen = Seen;

    fn start(d: &mut Driver<Self>) -> Self {
        let self_id = d.random.below(d.config.gpus) as u8;
        Self { self_id, last: None, asked: VecDeque::new(), accepted: 0 }
    }

    fn phase(&mut self, d: &mut Driver<Self>) -> Phase {
        Self::draw_phase(&mut d.random, &d.config, self.self_id)
    }

    /// The access patterns of long phases, in turn.
    fn long_phase(&mut self, d: &mut Driver<Self>) -> Option<Phase> {
        let c = &d.config;
        let sets = if c.variant == Variant::Ideal { c.ideal_lines } else { c.sets() };
        let most = (1 << c.address_width) / (u64::from(c.range) * u64::from(sets));
        let one_line = Phase {
            left: LONG as u32,
            valid: 256,
            rsp_ready: 256,
            inv_ready: 256,
            ops: [0, 1, 0, 0, 0, 0],
            sets: (0, 1),
            tags: (0, 1),
            lines: 1,
            ..Phase::default()
        };
        Some(match d.long_times % 6 {
            // Most reads evict another line.
            1 => {
                let tags = most.min(1 << 16) as u32;
                Phase { sets: (0, sets), tags: (0, tags), ..one_line }
            }
            // No response is taken.
            2 => Phase { rsp_ready: 0, ..one_line },
            3 => Phase { ops: [0, 0, 0, 1, 0, 0], ..one_line },
            4 => Phase { ops: [255, 1, 0, 0, 0, 0], ..one_line },
            5 => Phase { ops: [0, 0, 1, 0, 0, 0], ..one_line },
            _ => one_line,
        })
    }

    fn inputs(&mut self, d: &mut Driver<Self>, out: &Out) -> In {
        let req = d.offer(d.last.req, d.before.req_ready, d.phase.valid, |d| self.request(d));
        let input = In {
            req,
            rsp_ready: d.random.chance(d.phase.rsp_ready),
            inv_ready: d.random.chance(d.phase.inv_ready),
            self_id: self.self_id,
            // Also bins above the lines of an entry.
            hist_sel: d.random.below(2 * d.config.pos()).min(63) as u8,
        };
        self.count(d, &input, out);
        input
    }

    fn can_reach(d: &Driver<Self>, row: &str) -> bool {
        let Config { variant, gpus, .. } = d.config;
        match row {
            "rwr_of_others" | "inv_several_dests" => gpus > 2,
            "err_addr" => variant == Variant::Ideal,
            "inv_evict" | "victim" => variant != Variant::Ideal,
            "inv_several_lines" => matches!(variant, Variant::Hmg | Variant::Rec),
            row => variant == Variant::Rec || !row.ends_with("_present"),
        }
    }
}
