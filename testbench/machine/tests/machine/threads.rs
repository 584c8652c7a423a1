//! A run on several threads is the run on one.

use cosim::socket::BlockUse;
use machine::{Bodies, Checked, KernelUse, Machine, Options, RunError, System};
use traces::kernels::Params;
use traces::trace::Reader;

use super::{MOST_CYCLES, built_in, by_default, system};

/// All that a run reports.
#[derive(Debug, PartialEq)]
struct Told {
    end: Result<u64, String>,
    cycle: u64,
    kernels: Vec<KernelUse>,
    statistics: Vec<(String, u64)>,
    checked: Checked,
    blocks: Vec<BlockUse>,
}

fn tell(system: &System, program: &Reader, options: Options) -> Told {
    let program = program.reopen().unwrap();
    let mut machine = Machine::new(system, &Bodies::default(), program, options).unwrap();
    let end = machine.run().map_err(|error: RunError| error.to_string());
    Told {
        end,
        cycle: machine.cycle(),
        kernels: machine.kernel_uses(),
        statistics: machine.statistics(),
        checked: machine.checked(),
        blocks: machine.blocks(),
    }
}

/// What a run reports, the same on one to three threads.
fn same(system: &System, program: &Reader, options: Options) -> Told {
    let most = if options.max_cycles == 0 { MOST_CYCLES } else { options.max_cycles };
    let options = Options { by_kernel: true, max_cycles: most, ..options };
    let [one, two, three] =
        [1, 2, 3].map(|threads| tell(system, program, Options { threads, ..options }));
    assert_eq!(one, two, "{} on {}", program.name(), system.name);
    assert_eq!(one, three, "{} on {}", program.name(), system.name);
    one
}

/// As many threads as chiplets, and fewer.
#[test]
fn sixteen_chiplets_give_the_same_on_any_number_of_threads() {
    let system = system("cpelide-4-small", &[("machine.gpus", "4")]);
    let program = small("stream", 128);
    let options = Options { by_kernel: true, max_cycles: MOST_CYCLES, ..Options::default() };
    let one = tell(&system, &program, options);
    for threads in [4, 8, 16] {
        assert_eq!(
            tell(&system, &program, Options { threads, ..options }),
            one,
            "{threads} threads"
        );
    }
}

fn small(name: &str, size: u32) -> Reader {
    let params = traces::kernels::program::<()>(name).unwrap().params();
    built_in(name, &Params { size, iterations: 1, ..params })
}

/// Chiplets and GPUs, odd numbers of them, every way to keep their caches coherent.
#[test]
fn all_designs_of_l2s_give_the_same() {
    let three = [("machine.chiplets", "3"), ("l3.bytes", "393216")];
    let two_gpus = [("machine.gpus", "2"), ("network.queue", "1")];
    let mut systems = vec![
        system("cpelide-4-small", &[("l3.misses", "2"), ("network.queue", "1")]),
        system("cpelide-4-small", &[("command_processor.ahead", "true")]),
        system("cpelide-4-small", &[&three[..], &[("placement.policy", "interleave")]].concat()),
        // Several messages leave a link in a cycle, and arrive in that order.
        system("cpelide-4-small", &[("chiplet_link.bytes", "1024"), ("chiplet_link.cycles", "1")]),
        // Its L1s ask what was written past them.
        system("finepack-4gpu-small", &[("l1.design", "test-queue")]),
        system("cpelide-2-small", &[&two_gpus[..], &[("l2.policy", "private")]].concat()),
        system("finepack-4gpu-small", &two_gpus),
    ];
    for design in ["software", "directory", "hmg", "rec", "ideal"] {
        systems.push(system("cpelide-4-small", &[("l2.design", design)]));
        systems.push(system("rec-4gpu-small", &[("l2.design", design)]));
    }
    let programs = [small("stream", 1024), small("locks", 16)];
    for system in systems {
        for program in &programs {
            let told = same(&system, program, Options::default());
            assert!(told.end.is_ok(), "{}: {:?}", system.name, told.end);
        }
    }
}

/// GPUs whose threads meet once in many cycles: queues that are full, GPUs of several chiplets, L1s
/// that talk to other GPUs, shards of unequal size, the shortest latencies.
#[test]
fn gpus_in_windows_give_the_same() {
    let queues = [("network.queue", "1"), ("l2.misses", "2"), ("l3.misses", "1")];
    let chiplets = [("machine.gpus", "3"), ("machine.chiplets", "2"), ("l3.bytes", "262144")];
    let slow_link = [("gpu_link.bytes_per_ns", "0.05"), ("network.queue", "1")];
    let short = [
        ("network.latency", "2"),
        ("network.memory_latency", "2"),
        ("command_processor.unicast_latency", "1"),
    ];
    let mut systems = vec![
        system("finepack-4gpu-small", &slow_link),
        system("finepack-4gpu-small", &short),
        system("finepack-4gpu-small", &[("machine.gpus", "7")]),
        system("cpelide-4-small", &[("machine.gpus", "3"), ("network.queue", "1")]),
        system(
            "fermi-16sm-8p-small",
            &[("l1.design", "gtsc-rc"), ("l2.design", "own"), ("machine.gpus", "3")],
        ),
        system(
            "fermi-16sm-8p-small",
            &[("l1.design", "tc-weak"), ("l2.design", "own"), ("machine.gpus", "2")],
        ),
    ];
    for path in ["p2p", "write-combine", "dma", "infinite"] {
        systems.push(system("finepack-4gpu-small", &[("egress.design", path)]));
    }
    for design in ["directory", "hmg", "rec"] {
        systems.push(system("rec-4gpu-small", &[&queues[..], &[("l2.design", design)]].concat()));
        systems.push(system("rec-4gpu-small", &[&chiplets[..], &[("l2.design", design)]].concat()));
    }
    // Several threads wait for credits of one another.
    let waits = [("l2.design", "rec"), ("command_processor.unicast_latency", "20")];
    let slow_links = [("machine.gpus", "5"), ("gpu_link.clock_mhz", "500")];
    let waits = system("finepack-4gpu-small", &[&waits[..], &slow_links].concat());
    same(&waits, &small("locks", 64), Options::default());
    let programs = [small("pagerank", 256), small("bfs", 256), small("locks", 16)];
    for system in systems {
        for program in &programs {
            let told = same(&system, program, Options::default());
            assert!(told.end.is_ok(), "{}: {:?}", system.name, told.end);
        }
    }
}

#[test]
fn perturbed_runs_give_the_same() {
    let options = Options { perturb: Some(1), ..Options::default() };
    same(&system("cpelide-4-small", &[]), &small("sssp", 128), options);
    same(&system("finepack-4gpu-small", &[]), &small("sssp", 128), options);
}

/// What a design has once in a GPU stays with it; GPUs whose pages have copies on one thread.
#[test]
fn what_cannot_be_cut_gives_the_same() {
    let program = small("sssp", 128);
    for (name, set) in [
        ("stc-8cu-small", &[][..]),
        ("fermi-16sm-small", &[("l1.design", "race-ideal")]),
        ("finepack-4gpu-small", &[("placement.policy", "replicated")]),
    ] {
        same(&system(name, set), &program, Options::default());
    }
}

#[test]
fn what_ends_a_run_is_the_same() {
    let unsafe_l2 = system("cpelide-4-small", &[("l2.design", "none")]);
    let told = same(&unsafe_l2, &by_default("reuse"), Options::default());
    assert!(told.end.unwrap_err().starts_with("wrong value: byte"));
    let limit = Options { max_cycles: 30_000, ..Options::default() };
    let told = same(&system("cpelide-4-small", &[]), &by_default("reuse"), limit);
    assert_eq!(told.end.unwrap_err(), "not finished after 30000 cycles, the limit");
}
