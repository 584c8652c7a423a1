//! Random requests to all variants against the oracle: on model and RTL, and on models with a
//! disabled rule, which the oracle must detect.

use duet_tests::{parameters, with_both_bodies};
use hwmodel::directory::coherence_directory::{CoherenceDirectory, Rule};
use hwmodel::{Block, Model};
use ports::directory::coherence_directory::{
    Config, Counters, In, MAX_POS, Out, Replacement, Req, Variant, op,
};

use super::owed::Owed;
use crate::checks::{Random, ensure};

/// A request that is mostly legal, to one of a few lines around the ends of entries and sets.
fn request(random: &mut Random, config: &Config, self_id: u8) -> Req {
    let gpus = u64::from(config.gpus);
    let range = u64::from(config.range);
    let bases = 2 * u64::from(config.entries.min(64));
    let addr = match config.variant {
        Variant::Ideal => random.below(u64::from(config.ideal_lines * config.line) + 200),
        _ => random.below(bases) * range + random.below(range),
    };
    let op = match random.below(100) {
        0..10 => op::LRD,
        10..50 => op::RRD,
        50..65 => op::LWR,
        65..90 => op::RWR,
        90..94 => op::EVICT,
        94..97 => op::FENCE,
        _ => random.below(8) as u8,
    };
    let other = ((u64::from(self_id) + 1 + random.below(gpus - 1)) % gpus) as u8;
    let src = match op {
        _ if random.once_in(50) => random.below(16) as u8,
        6.. => random.below(16) as u8,
        op::LRD | op::LWR => self_id,
        op::RRD | op::RWR => other,
        _ => random.below(gpus) as u8,
    };
    Req { addr, id: random.next() as u8, src, op }
}

/// Per cent of the cycles with a request, `rsp_ready` and `inv_ready`.
struct Pace {
    req: u64,
    rsp: u64,
    inv: u64,
}

const PACES: [Pace; 4] = [
    Pace { req: 100, rsp: 100, inv: 100 },
    Pace { req: 60, rsp: 70, inv: 50 },
    Pace { req: 90, rsp: 40, inv: 95 },
    Pace { req: 100, rsp: 95, inv: 20 },
];

/// A directory after its sweep, its inputs, and its pending outputs.
struct Run<B> {
    body: B,
    inputs: In,
    owed: Owed,
    cycle: usize,
    /// The bin of the histogram that the last cycle selected.
    asked: u8,
}

impl<B: Block<In = In, Out = Out>> Run<B> {
    fn new(mut body: B, config: &Config, self_id: u8) -> Self {
        let inputs = In { self_id, ..In::default() };
        while !body.outputs().req_ready {
            body.tick(&inputs);
        }
        Self { body, inputs, owed: Owed::new(config, self_id), cycle: 0, asked: 0 }
    }

    /// One cycle with these inputs; returns its outputs.
    fn cycle(&mut self) -> Result<Out, String> {
        let state = |body: &B| {
            let mut line = String::new();
            body.write_state(&mut line).expect("text");
            line
        };
        let asked = std::mem::replace(&mut self.asked, self.inputs.hist_sel);
        let idle = self.inputs.req.is_none() && self.inputs.hist_sel == asked;
        let quiet = idle && self.body.is_idle();
        let before = if quiet { state(&self.body) } else { String::new() };
        let out = self.body.tick(&self.inputs);
        if quiet {
            let same = before == state(&self.body) && self.body.outputs() == out;
            ensure(same, || "something changes while it is idle".into())?;
        }
        self.owed.see(self.cycle, &self.inputs, &out)?;
        if let Some(req) = self.inputs.req.filter(|_| out.req_ready) {
            self.owed.accept(self.cycle, &req);
        }
        self.cycle += 1;
        Ok(out)
    }

    /// Random requests for `cycles` cycles.
    fn requests(&mut self, random: &mut Random, pace: &Pace, cycles: u64) -> Result<(), String> {
        for _ in 0..cycles {
            let (config, self_id) = (&self.owed.config, self.owed.self_id);
            let offers = random.below(100) < pace.req;
            self.inputs.req = offers.then(|| request(random, config, self_id));
            self.inputs.rsp_ready = random.below(100) < pace.rsp;
            self.inputs.inv_ready = random.below(100) < pace.inv;
            self.cycle()?;
        }
        Ok(())
    }

    /// Holds a job unsent for more requests than its age limit.
    fn stalls(&mut self, random: &mut Random) -> Result<(), String> {
        for _ in 0..300 {
            let (config, self_id) = (&self.owed.config, self.owed.self_id);
            let addr = request(random, config, self_id).addr;
            let op = if self.owed.has_no_job() { op::FENCE } else { op::LRD };
            self.inputs.req = Some(Req { addr, id: 0, src: self_id, op });
            (self.inputs.rsp_ready, self.inputs.inv_ready) = (true, false);
            self.cycle()?;
        }
        Ok(())
    }

    /// Takes all pending outputs.
    fn drain(&mut self) -> Result<Out, String> {
        self.inputs.req = None;
        (self.inputs.rsp_ready, self.inputs.inv_ready) = (true, true);
        for _ in 0..10_000 {
            let out = self.cycle()?;
            if out.idle {
                ensure(self.owed.is_paid(), || "idle, and something is owed".into())?;
                return Ok(out);
            }
        }
        Err("never idle".into())
    }

    /// All counters, and the sharers of each line that was accessed, as LRD reports them.
    fn end(&mut self) -> Result<(), String> {
        let shown = self.drain()?.counters;
        let Counters { ready_low_cycles, jobq_max, .. } = shown;
        let counters = Counters { ready_low_cycles, jobq_max, ..self.owed.counters };
        ensure(shown == counters, || format!("{shown:?} instead of {counters:?}"))?;
        ensure(jobq_max <= self.owed.config.jobs, || format!("jobq_max is {jobq_max}"))?;
        for place in 0..MAX_POS {
            self.inputs.hist_sel = place as u8;
            self.cycle()?;
            let (shown, owed) = (self.body.outputs().hist, self.owed.evictions[place]);
            ensure(shown == owed, || format!("{shown} evictions of {} lines", place + 1))?;
        }
        for addr in self.owed.touched.clone() {
            self.inputs.req = Some(Req { addr, id: 0, src: self.owed.self_id, op: op::LRD });
            self.cycle()?;
            self.drain()?;
        }
        Ok(())
    }
}

/// Runs random requests on a directory; returns its final state.
fn run<B>(body: B, config: &Config, seed: u64, cycles: u64) -> Result<Run<B>, String>
where
    B: Block<In = In, Out = Out>,
{
    let mut random = Random::new(seed);
    let self_id = random.below(config.gpus.into()) as u8;
    let pace = &PACES[seed as usize % PACES.len()];
    let mut run = Run::new(body, config, self_id);
    let done = run.requests(&mut random, pace, cycles);
    let done = done.and_then(|()| run.stalls(&mut random));
    let done = done.and_then(|()| run.requests(&mut random, pace, cycles / 4));
    let done = done.and_then(|()| run.end());
    done.map_err(|wrong| {
        format!("{config:?}, GPU {self_id}, seed {seed}, cycle {}: {wrong}", run.cycle)
    })?;
    Ok(run)
}

/// The same on a model, whose `sharers` must agree too.
fn model_passes(config: &Config, seed: u64, cycles: u64) {
    let model = CoherenceDirectory::new(config).expect("legal parameters");
    let run = run(model, config, seed, cycles).unwrap_or_else(|wrong| panic!("{wrong}"));
    for &addr in &run.owed.touched {
        let (told, owed) = (run.body.sharers(addr), run.owed.oracle.sharers(addr));
        assert_eq!(told.unwrap_or(0), owed, "{addr:#x}: {config:?}, seed {seed}");
    }
}

#[test]
fn random_requests_are_answered_as_the_specification_says() {
    with_both_bodies::<CoherenceDirectory>(|make| {
        for name in ["small", "small-baseline", "small-hmg", "small-ideal", "single-set"] {
            for seed in 0..8 {
                let config = parameters(name);
                let done = run(make(&config), &config, seed, 2000);
                done.map(drop).unwrap_or_else(|wrong| panic!("{wrong}"));
            }
        }
    });
}

/// All legal pairs of line and range of a variant.
fn shapes(variant: Variant) -> Vec<(u32, u32)> {
    let lines: &[u32] = match variant {
        Variant::Baseline | Variant::Ideal => &[1],
        Variant::Hmg => &[4],
        Variant::Rec => &[2, 4, 16, 64],
    };
    let of = |line: u32| lines.iter().map(move |n| (line, n * line));
    [64, 128].into_iter().flat_map(of).collect()
}

/// Directories of every variant, shape and replacement.
fn all_shapes() -> Vec<Config> {
    let mut configs = Vec::new();
    let mut random = Random::new(1);
    for variant in [Variant::Rec, Variant::Hmg, Variant::Baseline, Variant::Ideal] {
        for (line, range) in shapes(variant) {
            for gpus in [2, 4, 16] {
                for (ways, sets) in [(1, 4), (2, 1), (8, 2), (12, 4)] {
                    for replacement in [Replacement::Fifo, Replacement::Lru] {
                        configs.push(Config {
                            variant,
                            gpus,
                            entries: ways * sets,
                            ways,
                            line,
                            range,
                            address_width: 20,
                            replacement,
                            jobs: 2 + random.below(8) as u32,
                            responses: 3 + random.below(5) as u32,
                            ideal_lines: 64,
                        });
                    }
                }
            }
        }
    }
    configs
}

#[test]
fn models_of_all_shapes_answer_as_the_specification_says() {
    for config in all_shapes() {
        for seed in 0..4 {
            model_passes(&config, seed, 1500);
        }
    }
}

#[test]
fn models_of_full_size_answer_as_the_specification_says() {
    for name in ["paper", "paper-baseline", "paper-hmg"] {
        model_passes(&parameters(name), 1, 20_000);
    }
}

#[test]
fn each_rule_is_missed() {
    let configs = all_shapes();
    let is_missed = |&rule: &Rule| {
        let wrong = |(seed, config): (u64, &Config)| {
            let model = CoherenceDirectory::without(config, rule).expect("legal parameters");
            run(model, config, seed, 1500).err()
        };
        let wrong = (0..).zip(&configs).find_map(wrong);
        wrong.map(|wrong| println!("{rule:?}: {wrong}")).is_some()
    };
    let unseen: Vec<_> = Rule::ALL.iter().filter(|rule| !is_missed(rule)).collect();
    assert!(unseen.is_empty(), "nothing misses {unseen:?}");
}
