//! Runs that skip launches: values are right under every design, and the cycles of the full run lie
//! in the interval. With `DUET_SOAK` in the environment (`make soak`) the whole list of programs
//! and systems is run, and printed as a table.

use cosim::body::BodyKind;
use machine::{Bodies, Estimate, Machine, Options, System};
use traces::kernels::Params;
use traces::trace::{
    Access, AccessKind, Arg, ArgKind, KernelSpec, Key, Mode, Reader, Record, Recorder, Work,
};

use super::{MOST_CYCLES, built_in, matrix, run, system};

/// Launches of [`counting`].
const LAUNCHES: u32 = 17;
/// Bytes of its buffer.
const BYTES: u64 = 4096;

/// Each launch adds 1 to every word of a buffer, in four work-groups.
fn counting() -> (Reader, u64) {
    let mut recorder = Recorder::in_memory("counting").unwrap();
    let addr = recorder.alloc("words", BYTES).unwrap();
    for launch in 0..LAUNCHES {
        let kind =
            ArgKind::Buffer { addr, bytes: BYTES, mode: Mode::ReadWrite, ranges: Vec::new() };
        let args = vec![Arg { name: "words".to_string(), kind }];
        let (name, grid, local) = ("add".to_string(), [1024, 1, 1], [256, 1, 1]);
        recorder
            .begin_kernel(KernelSpec { name, grid, local, args, ..KernelSpec::default() })
            .unwrap();
        for group in 0..4u64 {
            recorder.begin_group().unwrap();
            for (item, place) in (0..256).zip(256 * group..) {
                let words = [(AccessKind::Load, launch), (AccessKind::Store, launch + 1)];
                for (pc, (kind, word)) in (0..).zip(words) {
                    let (key, bytes) = (Key { pc, ..Key::default() }, &word.to_le_bytes()[..]);
                    let addr = addr + 4 * place;
                    recorder
                        .access(&Access {
                            item,
                            key,
                            kind,
                            addr,
                            bytes,
                            work: Work::of(1),
                            ..Access::default()
                        })
                        .unwrap();
                }
            }
            recorder.end_group().unwrap();
        }
        recorder.end_kernel().unwrap();
    }
    recorder.host_read(addr, BYTES).unwrap();
    (Reader::from_bytes(recorder.into_bytes().unwrap(), "counting").unwrap(), addr)
}

fn sampled(system: &System, program: &Reader) -> (Machine, Estimate) {
    let options =
        Options { sample: true, values: true, max_cycles: MOST_CYCLES, ..Options::default() };
    let program = program.reopen().unwrap();
    let name = program.name().to_string();
    let mut machine = Machine::new(system, &Bodies::default(), program, options).unwrap();
    machine.run().unwrap_or_else(|e| panic!("{name} on {}: {e}", system.name));
    let estimate = machine.estimate();
    (machine, estimate)
}

/// Each L1 and L2 may hold the words from before a gap.
#[test]
fn host_finds_what_skipped_launches_have_stored_under_any_two_designs() {
    let (program, addr) = counting();
    let mut skipped = 0;
    let mut systems = matrix::any_two_designs();
    systems.extend(["cpelide", "software", "hmg"].map(|l2| {
        system("cpelide-4-small", &[("l2.design", l2), ("command_processor.ahead", "true")])
    }));
    for system in &systems {
        let (machine, estimate) = sampled(system, &program);
        assert_eq!((machine.kernels(), estimate.launches), (LAUNCHES, LAUNCHES));
        skipped += usize::from(estimate.simulated < LAUNCHES);
        let values = machine.values().unwrap();
        let line = usize::try_from(system.machine.line).unwrap();
        for at in (addr..addr + BYTES).step_by(line) {
            let words = values.host(at).expect("the host reads it").chunks_exact(4);
            assert!(words.into_iter().all(|word| word == LAUNCHES.to_le_bytes()), "{system:?}");
        }
    }
    assert!(10 * skipped >= 9 * systems.len(), "{skipped} of {} skip launches", systems.len());
}

/// L1s that keep private memory between launches hold bytes that no skipped launch could change.
#[test]
fn private_memory_that_stays_in_l1s_ends_skipping() {
    let known = traces::kernels::program::<()>("spills").unwrap_or_else(|_| panic!("spills"));
    let program = built_in("spills", &Params { size: 128, iterations: 16, ..known.params() });
    let simulated = |policy| {
        let system = system("fermi-16sm-8p-small", &[("sharing.l1", policy)]);
        sampled(&system, &program).1.simulated
    };
    assert_eq!((simulated("sharing-aware"), simulated("lru") < 16), (16, true));
}

/// Programs whose launches repeat: alternating buffers, atomics, private memory, racy stores,
/// what the host reads between launches.
fn repeating() -> Vec<Reader> {
    let sizes = [
        ("stream", 256, 16),
        ("pagerank_push", 64, 16),
        ("kmeans", 64, 16),
        ("jacobi2d", 24, 32),
        ("spills", 128, 16),
        ("barnes_hut", 32, 14),
        ("reuse", 256, 32),
    ];
    let program = |(name, size, iterations)| {
        let known = traces::kernels::program::<()>(name).unwrap_or_else(|_| panic!("{name}"));
        built_in(name, &Params { size, iterations, ..known.params() })
    };
    sizes.map(program).into()
}

#[test]
fn values_are_right_behind_skipped_launches_under_any_two_designs() {
    let programs = repeating();
    let (mut launches, mut simulated) = (0, 0);
    for (number, system) in matrix::any_two_designs().iter().enumerate() {
        let program = &programs[number % programs.len()];
        let (machine, estimate) = sampled(system, program);
        assert!(machine.checked().released_bytes > 0);
        assert_eq!(u64::from(estimate.launches), program.totals().kernels);
        (launches, simulated) = (launches + estimate.launches, simulated + estimate.simulated);
    }
    assert!(2 * simulated < launches, "{simulated} of {launches} launches are simulated");
}

#[test]
fn what_needs_every_cycle_or_never_repeats_is_not_sampled() {
    let why = |system: &System, bodies: &Bodies, program: &Reader| {
        let program = program.reopen().unwrap();
        let machine = Machine::new(system, bodies, program, Options::default()).unwrap();
        machine.why_not_sampled().unwrap().unwrap_or_default()
    };
    let (plain, counting) = (system("cpelide-4-small", &[]), counting().0);
    assert_eq!(why(&plain, &Bodies::default(), &counting), "");
    let rtl = Bodies::all(BodyKind::Rtl);
    assert!(why(&plain, &rtl, &counting).contains("needs every cycle"));
    let none = system("cpelide-4-small", &[("l2.design", "none")]);
    assert!(why(&none, &Bodies::default(), &counting).contains("l2.design = none"));
    let by_default = |name| super::by_default(name);
    let streams = why(&plain, &Bodies::default(), &by_default("stream_jobs"));
    assert!(streams.contains("several streams"), "{streams}");
    let once = why(&plain, &Bodies::default(), &by_default("wave"));
    assert!(once.contains("at most 1 launch") && once.contains("4 are simulated"), "{once}");
}

/// A preset and its settings.
type Preset = (&'static str, &'static [(&'static str, &'static str)]);
/// A program, its size and iterations.
type Sized = (&'static str, u32, u32);

/// The caches of different designs.
const SYSTEMS: [Preset; 8] = [
    ("cpelide-4-small", &[]),
    ("cpelide-4-small", &[("l2.design", "cpelide")]),
    ("cpelide-4", &[]),
    ("rec-4gpu-small", &[]),
    ("rec-4gpu-small", &[("l2.design", "rec")]),
    ("finepack-4gpu-small", &[]),
    ("stc-8cu-small", &[]),
    ("fermi-16sm-8p-small", &[("l1.design", "gtsc-sc"), ("l2.design", "own")]),
];

/// Loops of one kernel and of several, work that shrinks or is irregular, contention.
const PROGRAMS: [Sized; 20] = [
    ("pagerank", 1024, 120),
    ("srad", 48, 100),
    ("stream", 4096, 100),
    ("kmeans", 512, 100),
    ("hotspot", 72, 200),
    ("jacobi2d", 96, 120),
    ("lbm", 48, 80),
    ("diffusion", 16, 100),
    ("gaussian", 128, 1),
    ("nw", 128, 20),
    ("fft", 10, 60),
    ("multigrid", 24, 40),
    ("lstm", 56, 100),
    ("barnes_hut", 128, 30),
    ("pagerank_push", 256, 40),
    ("sssp", 1024, 64),
    ("color_max", 8192, 256),
    ("lu", 96, 20),
    ("floyd_warshall", 64, 1),
    ("tomography", 512, 60),
];

/// What `make test` runs: a system by its number, and a program.
const FEW: [(usize, Sized); 6] = [
    (0, ("pagerank", 256, 40)),
    (0, ("jacobi2d", 48, 40)),
    (0, ("gaussian", 48, 1)),
    (4, ("stream", 1024, 16)),
    (6, ("srad", 24, 20)),
    (7, ("hotspot", 40, 40)),
];

struct Compared {
    /// Of the full run.
    cycles: u64,
    estimate: Estimate,
    /// Accesses of the full run for each that was simulated.
    times: f64,
}

impl Compared {
    fn error(&self) -> f64 {
        100.0 * (self.estimate.cycles as f64 / self.cycles as f64 - 1.0)
    }

    fn is_inside(&self) -> bool {
        (self.estimate.low..=self.estimate.high).contains(&self.cycles)
    }
}

fn compare((preset, set): Preset, (name, size, iterations): Sized) -> Compared {
    let known = traces::kernels::program::<()>(name).unwrap_or_else(|_| panic!("{name}"));
    let program = built_in(name, &Params { size, iterations, ..known.params() });
    let system = system(preset, set);
    let full = run(&system, &program, Options::default()).unwrap();
    let (machine, estimate) = sampled(&system, &program);
    let accesses = |all: &[(String, u64)]| {
        all.iter().find(|(name, _)| name == "cu.accesses").map_or(0, |(_, value)| *value)
    };
    let times = accesses(&full.statistics) as f64 / accesses(&machine.statistics()) as f64;
    let compared = Compared { cycles: full.cycles, estimate, times };
    let Estimate { launches, simulated, high, cycles, .. } = compared.estimate;
    let settings: Vec<_> = set.iter().map(|(key, value)| format!("{key}={value}")).collect();
    println!(
        "| {preset} {} | {name} {size} {iterations} | {simulated} of {launches} | {times:.1} | {} \
         | {cycles} | {:+.2} | {:.2} |{}",
        settings.join(" "),
        full.cycles,
        compared.error(),
        100.0 * (high - cycles) as f64 / full.cycles as f64,
        if compared.is_inside() { "" } else { " outside |" }
    );
    compared
}

#[test]
fn full_run_is_in_the_interval() {
    let is_soak = std::env::var_os("DUET_SOAK").is_some();
    println!(
        "| system | program | launches simulated | accesses / simulated | cycles | estimate | \
         error % | interval ± % |"
    );
    let all: Vec<_> = match is_soak {
        false => FEW.map(|(system, program)| compare(SYSTEMS[system], program)).into(),
        true => {
            let with = |system| PROGRAMS.map(|program| compare(system, program));
            SYSTEMS.into_iter().flat_map(with).collect()
        }
    };
    let inside = all.iter().filter(|compared| compared.is_inside()).count();
    let errors = all.iter().map(|compared| compared.error().abs());
    let (mean, skip) = (
        errors.sum::<f64>() / all.len() as f64,
        all.iter().filter(|compared| compared.times >= 5.0).count(),
    );
    println!(
        "{inside} of {} inside, mean error {mean:.2} %, {skip} with at least 5 times",
        all.len()
    );
    assert!(10 * inside >= 9 * all.len() && mean <= 5.0);
    assert!(!is_soak || skip >= 3);
}
