//! Machines for small programs: small caches and queues, and a launch that takes little.

use machine::sequential::{Keep, Placed};
use machine::timed::Found;
use machine::{Bodies, MemoryModel, Options, RunError, System, go_together, names};
use traces::trace::Reader;
use traces::workloads::SplitMix64;

use crate::system;

/// Most cycles of a kernel: a program that does not end is one that fails.
const KERNEL_CYCLES: u64 = 100_000;

/// L1 designs that promise sequential consistency, and one of the tests' own that keeps it.
pub fn sequential_designs() -> Vec<&'static str> {
    let promises = |name: &&str| {
        let about = machine::about("l1.design", name);
        let is_sequential = about.is_some_and(|(_, model)| model == MemoryModel::Sc);
        is_sequential && (!name.starts_with("test-") || *name == "test-strict")
    };
    names("l1.design").into_iter().filter(promises).collect()
}

/// Designs that order accesses by time.
const TIMESTAMPS: [&str; 4] = ["gtsc-rc", "gtsc-sc", "tc-weak", "tc-strong"];

/// So many CUs.
pub fn cus(random: &mut SplitMix64) -> usize {
    [2, 3, 4, 4, 8, 16][random.below(6) as usize]
}

/// A machine.
pub struct Machine(System);

impl Machine {
    /// Any one with an L1 design and so many CUs.
    pub fn any(design: &str, cus: usize, random: &mut SplitMix64) -> Self {
        Self::with(design, cus, random, &[])
    }

    /// Likewise, with some fields of its system file as they are here.
    pub fn with(design: &str, cus: usize, random: &mut SplitMix64, set: &[(&str, &str)]) -> Self {
        let mut pick = |list: &[u64]| list[random.below(list.len() as u64) as usize];
        let (ways, sets) = (pick(&[1, 2, 4]), pick(&[1, 2, 4]));
        let banks = pick(&[1, 2, 3]);
        let l2 = if go_together(design, "own") { "own" } else { "software" };
        let numbers = [
            ("machine.cus", cus as u64),
            ("cu.waves", pick(&[6, 12])),
            ("cu.lanes", 64),
            ("cu.loads", pick(&[1, 2, 4])),
            ("cu.transactions", pick(&[8, 24])),
            ("l1.bytes", ways * sets * 128),
            ("l1.ways", ways),
            ("l1.misses", pick(&[1, 2, 4])),
            ("l1.hit_latency", pick(&[1, 3])),
            ("l2.banks", banks),
            ("l2.ways", 4),
            ("l2.bytes", banks * 4 * pick(&[2, 4]) * 128),
            ("l2.misses", pick(&[2, 4])),
            ("l2.latency", pick(&[2, 5, 20])),
            ("l3.slices", pick(&[1, 2])),
            ("l3.misses", pick(&[1, 4])),
            ("memory.latency", pick(&[5, 30])),
            ("network.latency", pick(&[2, 5, 20])),
            ("network.memory_latency", 2),
            ("network.queue", pick(&[1, 2, 8])),
            ("command_processor.packet_cycles", 1),
            ("command_processor.elide_cycles", 1),
            ("command_processor.unicast_latency", 1),
            ("command_processor.broadcast_latency", 1),
        ];
        let m = pick(&[256, 256, 1024]);
        let blocks = [
            ("race_detection.m", m),
            ("race_detection.n_sat", pick(&[2, 8, m / 8])),
            ("race_detection.gran", pick(&[128, 128, 4, 512, 1])),
            ("race_detection.hits", pick(&[1, 2, 4])),
            ("race_detection.epoch_w", pick(&[2, 3])),
            ("race_detection.slq_n", pick(&[1, 4, 16])),
            ("race_detection.rq_n", pick(&[1, 2, 4])),
            ("race_detection.lanes", pick(&[1, 4])),
            ("race_detection.v_lanes", pick(&[1, 4])),
            ("race_detection.places", pick(&[1, 2, 8])),
        ];
        let blocks = blocks.into_iter().filter(|_| design.starts_with("race-"));
        // Timestamps that overflow, and others; leases of TC that end at once, and such that
        // outlast a program.
        let mut times = || {
            [
                ("timestamp.ts_w", pick(&[5, 6, 6, 16])),
                ("timestamp.lease", pick(&[1, 3, 5, 8])),
                ("timestamp.waiters", pick(&[1, 2, 8])),
                ("timestamp.stq", pick(&[1, 2, 8])),
                ("timestamp.spin", pick(&[2, 8, 1000])),
                ("timestamp.l2_wait", pick(&[1, 2, 4])),
                ("timestamp.l2_div", pick(&[1, 2, 3])),
                ("timestamp.tc_lease", pick(&[10, 40, 150, 400])),
            ]
        };
        let times = TIMESTAMPS.contains(&design).then(&mut times).into_iter().flatten();
        let numbers = numbers.into_iter().chain(blocks).chain(times);
        let numbers: Vec<_> = numbers.map(|(field, value)| (field, value.to_string())).collect();
        let mut fields: Vec<_> = numbers.iter().map(|(field, value)| (*field, &**value)).collect();
        fields.extend([("l1.design", design), ("l2.design", l2)]);
        fields.extend(set);
        Self(system("fermi-16sm", &fields))
    }

    /// Runs a program's trace. Gives the cycles, and where the order of accesses is checked all of
    /// them with whose writes they have found, those to a line in an order of its writes.
    pub fn run(&self, trace: &Reader, keep: Keep) -> Result<(u64, Vec<Found>), RunError> {
        self.run_with(&Bodies::default(), trace, keep)
    }

    /// Likewise, with these bodies.
    pub fn run_with(
        &self,
        bodies: &Bodies,
        trace: &Reader,
        keep: Keep,
    ) -> Result<(u64, Vec<Found>), RunError> {
        let max_cycles = KERNEL_CYCLES * u64::from(trace.kernels().max(1));
        let options = Options { max_cycles, sequential: Some(keep), ..Options::default() };
        let mut machine = machine::Machine::new(&self.0, bodies, trace.reopen()?, options)?;
        let cycles = machine.run()?;
        let is_promised = machine::promises(&self.0).unwrap() == MemoryModel::Sc;
        let (order, timed) = (machine.sequential(), machine.timed());
        assert!(!is_promised || order.is_some() != timed.is_some());
        if let Some(timed) = timed {
            return Ok((cycles, timed.found().to_vec()));
        }
        let mut placed = order.map_or(Vec::new(), |order| order.placed().to_vec());
        placed.sort_by_key(|access| (access.kernel, access.position));
        let found = |placed: Placed| {
            let Placed { kernel, which, writes, line, mask, read, .. } = placed;
            Found { kernel, which, writes, line, mask, read }
        };
        Ok((cycles, placed.into_iter().map(found).collect()))
    }

    /// No order explains what a program has seen.
    pub fn fails(&self, trace: &Reader) -> bool {
        match self.run(trace, Keep::default()) {
            Ok(_) => false,
            Err(RunError::Inconsistent(_)) => true,
            Err(error) => panic!("{error}"),
        }
    }
}
