//! Runs programs on machines: each program is recorded once, each pair run once, on all threads
//! that there are, with every value checked.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display, Formatter};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use machine::{Bodies, KernelUse, Machine, Options, RunError, System, systems};
use traces::trace::{self, Event, PAGE, Reader};

use super::programs::Program;

/// A machine: a preset, and what is set in it. A key may stand there twice; the last one counts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spec {
    preset: String,
    set: Vec<(String, String)>,
    /// Of these, the ones that the table shows.
    shown: Vec<String>,
    /// Seed of paths that take some cycles longer, so that accesses come in another order.
    order: Option<u64>,
}

impl Spec {
    /// A preset as it is.
    pub fn new(preset: &str) -> Self {
        Self { preset: preset.to_string(), set: Vec::new(), shown: Vec::new(), order: None }
    }

    /// A preset whose pages lie where they are touched first, and whose chiplets run contiguous
    /// work-groups, so that a program decides which pages are a chiplet's own.
    pub fn placed(preset: &str) -> Self {
        let mut spec = Self::new(preset);
        let placement = spec.system().placement;
        if placement.policy != FIRST_TOUCH {
            spec = spec.set("placement.policy", FIRST_TOUCH);
        }
        if placement.rotate {
            spec = spec.set("placement.rotate", false);
        }
        spec
    }

    /// With DRAM whose commands take the same time whenever a kernel begins: no refresh, one clock.
    /// Nothing changes where memory is a port.
    pub fn steady(self) -> Self {
        let system = self.system();
        match system.dram() {
            None => self,
            Some(_) => self
                .set("dram.refresh", "off")
                .set("dram.clock_khz", 1000 * system.machine.clock_mhz),
        }
    }

    /// With a field set.
    pub fn set(mut self, key: &str, value: impl ToString) -> Self {
        let value = value.to_string();
        self.shown.retain(|shown| !shown.starts_with(&format!("{key}=")));
        self.shown.push(format!("{key}={value}"));
        self.set.push((key.to_string(), value));
        self
    }

    /// With a field set that the table names elsewhere.
    pub fn with(mut self, key: &str, value: impl ToString) -> Self {
        self.set.push((key.to_string(), value.to_string()));
        self
    }

    /// With accesses in another order.
    pub fn in_order(self, seed: u64) -> Self {
        Self { order: Some(seed), ..self }
    }

    /// With an L2 design.
    pub fn l2(self, design: &str) -> Self {
        self.with("l2.design", design)
    }

    /// The system. Panics where there is none: specs are constants.
    pub fn system(&self) -> System {
        let loaded = systems::load(&self.preset, &self.set);
        loaded.unwrap_or_else(|e| panic!("{self}: {e}"))
    }

    /// Whether there is such a system: not every design goes with every machine.
    pub fn exists(&self) -> bool {
        systems::load(&self.preset, &self.set).is_ok()
    }

    /// Chiplets of all GPUs.
    pub fn chiplets(&self) -> u32 {
        let m = self.system().machine;
        u32::from(m.gpus) * u32::from(m.chiplets)
    }
}

impl Display for Spec {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        f.write_str(&self.preset)?;
        self.shown.iter().try_for_each(|shown| write!(f, " {shown}"))
    }
}

const FIRST_TOUCH: &str = "first-touch";

/// What came of a run.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Cycles.
    pub cycles: f64,
    /// By kernel, in the order of their first launch.
    pub kernels: Vec<KernelUse>,
    /// Statistics.
    pub counters: BTreeMap<String, u64>,
    /// Bytes that ports of L2 banks and L3 slices have sent as answers, by name.
    pub ports: BTreeMap<String, u64>,
    /// Loads that were compared.
    pub loads: u64,
    /// Why it did not pass.
    pub error: Option<String>,
}

impl Outcome {
    /// A statistic; 0 where the machine has none of this name.
    pub fn count(&self, name: &str) -> f64 {
        self.counters.get(name).copied().unwrap_or(0) as f64
    }

    /// All statistics together whose names begin so.
    pub fn sum(&self, start: &str) -> f64 {
        let group = self.counters.iter().filter(|(name, _)| name.starts_with(start));
        group.map(|(_, value)| *value as f64).sum()
    }

    /// The last kernel: cycles of its launches.
    pub fn last_cycles(&self) -> f64 {
        self.kernels.last().map_or(0.0, |kernel| kernel.cycles as f64)
    }

    /// A statistic of the last kernel.
    pub fn last_count(&self, name: &str) -> f64 {
        let last = self.kernels.last();
        last.and_then(|kernel| kernel.counters.get(name)).copied().unwrap_or(0) as f64
    }

    /// Cycles of the last kernel of one GPU in which work-groups ran: all that its launch and its
    /// end take is left out.
    pub fn body(&self) -> f64 {
        let around = ["launch.launch_cycles", "launch.release_cycles"];
        self.last_cycles() - around.map(|name| self.last_count(name)).iter().sum::<f64>()
    }
}

/// What a program does, by its trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// The host writes to a page that a kernel has touched: copies of it in caches are stale.
    pub rewrites: bool,
    /// First address of the first buffer.
    pub base: u64,
}

impl Facts {
    fn of(bytes: &[u8]) -> Self {
        let mut reader = Reader::from_bytes(bytes.to_vec(), "control").expect("it was recorded");
        let (mut facts, mut touched) = (Self::default(), BTreeSet::new());
        while let Some(event) = reader.next_event().expect("it was recorded") {
            match event {
                Event::Alloc { addr, .. } if facts.base == 0 => facts.base = addr,
                Event::Kernel(head) => {
                    touched.extend(head.first_touches.iter().map(|touch| touch.page));
                }
                Event::HostWrite { addr, data } => {
                    let first = addr / PAGE * PAGE;
                    facts.rewrites |=
                        touched.range(first..addr + data.len() as u64).next().is_some();
                }
                _ => {}
            }
        }
        facts
    }
}

/// Makes a machine unfair, or its counts wrong: for tests of the controls.
pub struct Unfair {
    /// Changes the system.
    pub system: fn(&mut System),
    /// Changes what came of it.
    pub outcome: fn(&System, &mut Outcome),
}

impl Default for Unfair {
    fn default() -> Self {
        Self { system: |_| {}, outcome: |_, _| {} }
    }
}

type Job = (Spec, Program);

/// Runs programs on machines.
#[derive(Default)]
pub struct Runner {
    quick: bool,
    unfair: Unfair,
    jobs: BTreeMap<Job, Option<Arc<Outcome>>>,
    programs: BTreeMap<Program, Arc<[u8]>>,
}

impl Runner {
    /// For the small set of controls, or for all.
    pub fn new(quick: bool) -> Self {
        Self { quick, ..Self::default() }
    }

    /// Likewise, on machines that are not fair.
    #[cfg(test)]
    pub fn unfair(quick: bool, unfair: Unfair) -> Self {
        Self { quick, unfair, ..Self::default() }
    }

    /// Whether the small set is wanted.
    pub fn quick(&self) -> bool {
        self.quick
    }

    /// One list for the small set, another one for all.
    pub fn either<T: Clone>(&self, quick: &[T], full: &[T]) -> Vec<T> {
        if self.quick { quick.to_vec() } else { full.to_vec() }
    }

    /// Machines that ran a program.
    pub fn runs(&self) -> usize {
        self.jobs.len()
    }

    /// Loads that were compared.
    pub fn loads_checked(&self) -> u64 {
        self.jobs.values().flatten().map(|outcome| outcome.loads).sum()
    }

    /// A program on a machine; before [`Self::run_all`], an outcome that holds nothing.
    pub fn run(&mut self, spec: &Spec, program: &Program) -> Arc<Outcome> {
        let job = self.jobs.entry((spec.clone(), program.clone())).or_default();
        job.clone().unwrap_or_default()
    }

    /// What of a program a control may choose by.
    pub fn facts(&mut self, program: &Program) -> Facts {
        Facts::of(self.recorded(program))
    }

    fn recorded(&mut self, program: &Program) -> &[u8] {
        let record = || program.record().into();
        self.programs.entry(program.clone()).or_insert_with(record)
    }

    /// Whether all that was asked for has run.
    pub fn is_done(&self) -> bool {
        self.jobs.values().all(Option::is_some)
    }

    /// Runs all that was asked for.
    pub fn run_all(&mut self) {
        let wanted: Vec<_> = self.jobs.keys().map(|(_, program)| program.clone()).collect();
        for program in wanted {
            self.recorded(&program);
        }
        let jobs: Vec<_> = self.jobs.iter_mut().filter(|(_, outcome)| outcome.is_none()).collect();
        let jobs: Vec<_> = jobs.into_iter().map(Mutex::new).collect();
        let next = AtomicUsize::new(0);
        let work = || {
            while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                let mut job = job.lock().expect("no other thread has it");
                let ((spec, program), outcome) = &mut *job;
                let bytes = &self.programs[program];
                **outcome = Some(Arc::new(simulate(spec, bytes, &self.unfair)));
            }
        };
        let threads = thread::available_parallelism().map_or(1, |n| n.get());
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(work);
            }
        });
    }
}

fn simulate(spec: &Spec, bytes: &[u8], unfair: &Unfair) -> Outcome {
    let mut system = spec.system();
    (unfair.system)(&mut system);
    let mut outcome = measure(&system, bytes, spec.order)
        .unwrap_or_else(|error| Outcome { error: Some(error.to_string()), ..Outcome::default() });
    (unfair.outcome)(&system, &mut outcome);
    outcome
}

/// Whether a port is that of an L2 bank or an L3 slice for answers.
fn is_answer(port: &str) -> bool {
    port.ends_with(".answer") && (port.contains(".l2.bank") || port.contains(".l3.slice"))
}

/// A control is over long before.
const MOST_CYCLES: u64 = 100_000_000;

fn measure(system: &System, bytes: &[u8], perturb: Option<u64>) -> Result<Outcome, RunError> {
    let trace: Result<Reader, trace::Error> = Reader::from_bytes(bytes.to_vec(), "control");
    let most = MOST_CYCLES;
    let options = Options { by_kernel: true, max_cycles: most, perturb, ..Options::default() };
    let mut machine = Machine::new(system, &Bodies::default(), trace?, options)?;
    let cycles = machine.run()? as f64;
    Ok(Outcome {
        cycles,
        kernels: machine.kernel_uses(),
        counters: machine.statistics().into_iter().collect(),
        ports: machine
            .port_bytes()
            .filter(|(name, bytes)| *bytes > 0 && is_answer(name))
            .map(|(name, bytes)| (name.to_string(), bytes))
            .collect(),
        loads: machine.checked().loads,
        error: None,
    })
}
