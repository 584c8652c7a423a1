//! Machines for litmus tests: small caches and queues, launches that take little, and latencies
//! that are drawn.

use machine::{System, go_together, has_policy, names, plan, systems};
use traces::workloads::SplitMix64;

use super::{Error, Job, promise};
use crate::model::Promise;

/// Fewest waves of a CU.
pub const WAVES: usize = 6;

/// The preset whose fields are set.
const PRESET: &str = "fermi-16sm";

/// An L1 design and an L2 design.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Design {
    /// `l1.design`.
    pub l1: String,
    /// `l2.design`.
    pub l2: String,
}

impl Design {
    /// `L1/L2`.
    pub fn name(&self) -> String {
        format!("{}/{}", self.l1, self.l2)
    }

    /// Whether it goes on machines of so many GPUs: designs refuse several that they have no rules
    /// for.
    pub fn goes(&self, gpus: usize) -> bool {
        let shape = Shape { gpus, cus: 2, chiplets: 1, is_private: false };
        let (mut sizes, mut random) = (SplitMix64::new(1), SplitMix64::new(1));
        let fields = fields(self, &shape, &mut sizes, &mut random);
        gpus == 1 || systems::load(PRESET, &fields).is_ok()
    }

    /// All that go together and promise something.
    pub fn all() -> Vec<Self> {
        let promises = |field: &str, name: &str| {
            machine::about(field, name).is_some_and(|(_, model)| model > machine::MemoryModel::None)
        };
        let mut all = Vec::new();
        for l1 in names("l1.design").into_iter().filter(|l1| promises("l1.design", l1)) {
            for l2 in names("l2.design").into_iter().filter(|l2| promises("l2.design", l2)) {
                if go_together(l1, l2) {
                    all.push(Self { l1: l1.into(), l2: l2.into() });
                }
            }
        }
        all
    }
}

/// How much is drawn of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sizes {
    /// Everything.
    Drawn,
    /// Latencies and placements alone; sizes are always the same, so that blocks are built once.
    Fixed,
}

impl Sizes {
    /// What sizes are drawn by: not by the numbers that latencies are drawn by.
    fn random(self, random: &mut SplitMix64) -> SplitMix64 {
        match self {
            Self::Drawn => SplitMix64::new(random.bits()),
            Self::Fixed => SplitMix64::new(1),
        }
    }

    /// CUs of all chiplets.
    pub fn cus(self, random: &mut SplitMix64) -> usize {
        match self {
            Self::Drawn => [2, 4, 4, 8][random.below(4) as usize],
            Self::Fixed => 4,
        }
    }
}

/// A machine that was drawn.
pub struct Drawn {
    /// Its system.
    pub system: System,
    /// What it promises.
    pub promise: Promise,
    /// Seed of what ways take longer.
    pub perturb: u64,
    /// Its fields, for a person.
    pub described: String,
}

impl Drawn {
    /// One of a design, with so many GPUs, and CUs in each. Several chiplets where the design
    /// allows that.
    pub fn new(
        design: &Design,
        (gpus, cus): (usize, usize),
        job: &Job,
        random: &mut SplitMix64,
    ) -> Result<Self, Error> {
        let mut sizes = job.sizes.random(random);
        let chiplets = [1, 1, 2][sizes.below(3) as usize];
        let perturb = random.bits();
        let is_private = sizes.below(2) == 0;
        // Designs refuse what they have no rules for.
        let tries = [(chiplets, is_private), (chiplets, false), (1, false)];
        let mut problem = String::new();
        for (chiplets, is_private) in tries {
            let shape = Shape { gpus, cus, chiplets, is_private };
            let fields = fields(design, &shape, &mut sizes.clone(), &mut random.clone());
            let mut set: Vec<_> = fields.into_iter().collect();
            set.extend(job.set.iter().cloned());
            match systems::load(PRESET, &set) {
                Ok(system) => {
                    let promise = promise(&system);
                    let described = tell(&system);
                    let none = || Error::System {
                        design: design.name(),
                        problem: "promises nothing".into(),
                    };
                    let promise = promise.ok_or_else(none)?;
                    return Ok(Self { system, promise, perturb, described });
                }
                Err(error) => problem = error.to_string(),
            }
        }
        Err(Error::System { design: design.name(), problem })
    }

    /// Whether some block of the machine has a body that is chosen.
    pub fn has_chosen(design: &Design, job: &Job, patterns: &[String]) -> Result<bool, Error> {
        let drawn = Self::new(
            design,
            (1, job.sizes.cus(&mut SplitMix64::new(1))),
            job,
            &mut SplitMix64::new(1),
        )?;
        let failed = |error| Error::System { design: design.name(), problem: format!("{error}") };
        let places = plan(&drawn.system, &job.bodies).map_err(failed)?.places();
        let patterns: Vec<_> =
            patterns.iter().map(|text| cosim::socket::Pattern::new(text)).collect();
        Ok(places.iter().any(|place| patterns.iter().any(|pattern| pattern.matches(place))))
    }
}

/// What of a machine says most about an outcome.
fn tell(system: &System) -> String {
    let m = &system.machine;
    let cus = m.cus;
    let of_gpu = match m.chiplets {
        1 => format!("{cus} CUs"),
        chiplets if has_policy(&system.l2.design) => {
            format!("{chiplets} chiplets of {cus} CUs, {}", system.l2.policy)
        }
        chiplets => format!("{chiplets} chiplets of {cus} CUs"),
    };
    match m.gpus {
        1 => of_gpu,
        gpus => format!("{gpus} GPUs, {}, of {of_gpu}", system.egress.design),
    }
}

/// What is chosen before sizes.
struct Shape {
    gpus: usize,
    /// CUs of all chiplets of a GPU.
    cus: usize,
    chiplets: u64,
    is_private: bool,
}

/// What a machine sets of its system. `sizes`: what blocks are built with.
fn fields(
    design: &Design,
    &Shape { gpus, cus, chiplets, is_private }: &Shape,
    sizes: &mut SplitMix64,
    random: &mut SplitMix64,
) -> Vec<(String, String)> {
    let mut size = |list: &[u64]| list[sizes.below(list.len() as u64) as usize];
    let mut time = |list: &[u64]| list[random.below(list.len() as u64) as usize];
    let (ways, sets) = (size(&[1, 2, 4]), size(&[1, 2, 4]));
    let banks = size(&[1, 2, 3]);
    let has_directory = !has_policy(&design.l2);
    let directory = (size(&[2, 4, 8]), size(&[1, 2, 4]));
    let mut numbers = vec![
        ("machine.chiplets", chiplets),
        ("machine.cus", (cus as u64 / chiplets).max(1)),
        ("cu.waves", size(&[6, 12])),
        ("cu.lanes", 64),
        ("cu.loads", time(&[1, 2, 4])),
        ("cu.transactions", time(&[8, 24])),
        ("l1.bytes", ways * sets * 128),
        ("l1.ways", ways),
        ("l1.misses", size(&[1, 2, 4])),
        ("l1.hit_latency", time(&[1, 3])),
        ("l2.banks", banks),
        ("l2.ways", 4),
        ("l2.bytes", banks * 4 * size(&[2, 4]) * 128),
        ("l2.misses", size(&[2, 4])),
        ("l2.latency", time(&[2, 5, 20])),
        ("l3.slices", time(&[1, 2])),
        ("l3.misses", time(&[1, 4])),
        ("memory.latency", time(&[5, 30])),
        ("network.latency", time(&[2, 5, 20])),
        ("network.memory_latency", time(&[2, 10])),
        ("network.queue", time(&[1, 2, 8])),
        ("chiplet_link.round_trip", time(&[4, 20, 60])),
        ("command_processor.packet_cycles", 1),
        ("command_processor.elide_cycles", 1),
        ("command_processor.unicast_latency", 1),
        ("command_processor.broadcast_latency", 1),
    ];
    if gpus > 1 {
        numbers.extend([("machine.gpus", gpus as u64), ("gpu_link.latency", time(&[10, 50, 200]))]);
    }
    if has_directory {
        numbers.extend([
            ("l2.interleave", 512),
            ("directory.range", 512),
            ("directory.entries", directory.0 * directory.1 * banks),
            ("directory.ways", directory.1),
        ]);
    }
    if design.l1.starts_with("race-") {
        let m = size(&[256, 256, 1024]);
        numbers.extend([
            ("race_detection.m", m),
            ("race_detection.n_sat", size(&[2, 8, m / 8])),
            ("race_detection.gran", size(&[128, 128, 4, 512, 1])),
            ("race_detection.hits", size(&[1, 2, 4])),
            ("race_detection.epoch_w", size(&[2, 3])),
            ("race_detection.slq_n", size(&[1, 4, 16])),
            ("race_detection.rq_n", size(&[1, 2, 4])),
            ("race_detection.lanes", size(&[1, 4])),
            ("race_detection.v_lanes", size(&[1, 4])),
            ("race_detection.places", size(&[1, 2, 8])),
        ]);
    }
    if design.l2 == "own" {
        numbers.extend([
            // Timestamps that overflow, and others; leases that end at once, and such that outlast
            // a kernel.
            ("timestamp.ts_w", size(&[5, 6, 6, 16])),
            ("timestamp.lease", size(&[1, 3, 5, 8])),
            ("timestamp.waiters", size(&[1, 2, 8])),
            ("timestamp.stq", size(&[1, 2, 8])),
            ("timestamp.spin", size(&[2, 8, 1000])),
            ("timestamp.l2_wait", size(&[1, 2, 4])),
            ("timestamp.l2_div", size(&[1, 2, 3])),
            ("timestamp.tc_lease", size(&[10, 40, 150, 400])),
        ]);
    }
    let policy = if is_private { "private" } else { "home-forward" };
    let placement = if time(&[0, 1]) == 0 { "first-touch" } else { "interleave" };
    let words = [
        ("l1.design", &design.l1[..]),
        ("l2.design", &design.l2),
        ("l2.policy", policy),
        ("placement.policy", placement),
    ];
    let numbers = numbers.into_iter().map(|(field, value)| (field.to_string(), value.to_string()));
    let words = words.map(|(field, word)| (field.to_string(), word.to_string()));
    words.into_iter().chain(numbers).collect()
}
