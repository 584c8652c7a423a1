//! What a design may install: designs for tests show that each hook is called, and that one that
//! does nothing costs nothing; values are right in each run.

use std::cell::Cell;

use cosim::body::BodyKind;
use cosim::flip::Flip;
use cosim::socket::Pattern;
use machine::{Bodies, Machine, MemoryModel, Options, RunError, System, about, names, promises};
use traces::kernels::Params;
use traces::trace::{AtomicOp, Reader};
use traces::workloads::program::{Kernel, Labels, Place, Program, Step, What, Who};

use super::{Outcome, built_in, passes, run_on, system};

/// Machines with private L2s, with L2s at home, and with two GPUs.
const MACHINES: [(&str, &[(&str, &str)]); 3] = [
    ("stc-8cu-small", &[]),
    ("cpelide-4-small", &[("l2.policy", "home-forward"), ("network.queue", "1")]),
    ("cpelide-2-small", &[("machine.gpus", "2")]),
];

/// Built-in programs with few and with many stores, with atomics and with locks; and one with
/// fences.
fn programs() -> Vec<Reader> {
    let small = |(name, size)| {
        let params = traces::kernels::program::<()>(name).unwrap().params();
        built_in(name, &Params { size, iterations: 1, ..params })
    };
    let mut programs: Vec<_> =
        [("stream", 4096), ("pagerank_push", 256), ("sssp", 256), ("locks", 64)].map(small).into();
    programs.push(with_fences());
    programs
}

/// Each work-item goes through its own words: stores, fences, loads and atomics.
fn with_fences() -> Reader {
    let step = |what, page| {
        let place = Place { page, offset: 128, per_item: 0, per_group: 4, page_by_group: false };
        Step::Access { what, who: Who::Item(3), place, size: 4, aligned: true, gap: 1 }
    };
    let mut steps = Vec::new();
    for page in 0..3 {
        steps.extend([step(What::Store, page), Step::Fence, step(What::Load, page)]);
        steps.extend([step(What::Atomic(AtomicOp::Add), page), Step::Fence, Step::Barrier]);
        steps.extend([step(What::Load, page), step(What::Load, (page + 1) % 3)]);
    }
    let kernel = Kernel {
        labels: Labels::None,
        writes: vec![(0, 512)],
        groups: 12,
        items: 40,
        steps,
        read: true,
    };
    Program(vec![kernel.clone(), kernel]).record()
}

fn with_design(machine: (&str, &[(&str, &str)]), field: &str, design: &str) -> System {
    system(machine.0, &[machine.1, &[(field, design)]].concat())
}

/// Statistics but those of the design under test.
fn without(outcome: &Outcome, prefix: &str) -> Vec<(String, u64)> {
    let own = |name: &str| name.starts_with(prefix);
    outcome.statistics.iter().filter(|(name, _)| !own(name)).cloned().collect()
}

fn sum(outcomes: &[Outcome], name: &str) -> u64 {
    let all = outcomes.iter().flat_map(|outcome| &outcome.statistics);
    all.filter(|(n, _)| n == name).map(|(_, value)| value).sum()
}

/// Runs all programs on all machines under a design, each beside the plain one: `look` sees its
/// name, plain and other.
fn beside_plain(
    field: &str,
    plain: &str,
    design: &str,
    look: impl Fn(&str, &Outcome, &Outcome),
) -> Vec<Outcome> {
    let mut all = Vec::new();
    for machine in MACHINES {
        for program in programs() {
            let plain = passes(&with_design(machine, field, plain), &program);
            let other = passes(&with_design(machine, field, design), &program);
            assert_eq!(plain.checked, other.checked, "{design}: {} {machine:?}", program.name());
            look(program.name(), &plain, &other);
            all.push(other);
        }
    }
    all
}

/// Runs a design for tests that takes no time.
fn takes_no_time(design: &str, prefix: &str) -> Vec<Outcome> {
    beside_plain("l1.design", "src", design, |_, plain, other| {
        assert_eq!(plain.cycles, other.cycles, "{design}");
        assert_eq!(plain.statistics, without(other, prefix), "{design}");
    })
}

#[test]
fn agent_that_does_nothing_sees_everything_and_takes_no_time() {
    let runs = takes_no_time("test-agent", "l1.agent_");
    for counter in ["waves", "issues", "requests", "fences"] {
        assert!(sum(&runs, &format!("l1.agent_{counter}")) > 100, "{counter}");
    }
    assert_eq!(sum(&runs, "l1.agent_requests"), sum(&runs, "cu.accesses"));
    // Each wave's end is a fence too, and barriers are issued without being accesses.
    assert!(sum(&runs, "l1.agent_fences") > sum(&runs, "l1.agent_waves"));
    assert!(sum(&runs, "l1.agent_issues") > sum(&runs, "cu.instructions"));
}

#[test]
fn versions_of_lines_in_l2_banks_reach_the_l1s_and_take_no_time() {
    let runs = takes_no_time("test-bank", "l1.bank_");
    assert!(sum(&runs, "l1.bank_answers") > 1000);
    // Acquires and full sets both let lines go.
    assert!(sum(&runs, "l1.bank_lines_evicted") > 1000);
    assert!(sum(&runs, "l1.bank_lines_placed") >= sum(&runs, "l1.bank_lines_evicted"));
}

#[test]
fn held_instructions_issue_later() {
    let times = Cell::new((0, 0));
    let runs = beside_plain("l1.design", "src", "test-hold", |program, plain, other| {
        // Who comes first to a lock decides how long the others ask for it: one such run may gain
        // from a hold.
        assert!(plain.cycles < other.cycles || program == "locks", "{program}");
        let (sum, held) = times.get();
        times.set((sum + plain.cycles, held + other.cycles));
    });
    assert!(times.get().0 < times.get().1, "{times:?}");
    assert!(sum(&runs, "l1.hold_holds") > sum(&runs, "cu.instructions"), "barriers are held too");
}

#[test]
fn delayed_fences_and_ends_take_their_time() {
    let runs = beside_plain("l1.design", "src", "test-fence", |_, plain, other| {
        assert!(plain.cycles < other.cycles);
    });
    assert!(sum(&runs, "l1.fence_delays") > 1000);
}

#[test]
fn speculative_loads_are_confirmed_or_replayed_with_all_that_came_after() {
    let runs = beside_plain("l1.design", "src", "test-speculate", |_, plain, other| {
        // Every line of the program is confirmed at least once, whatever was done again.
        let count = |name: &str| sum(std::slice::from_ref(other), &format!("l1.speculate_{name}"));
        let accesses = sum(std::slice::from_ref(plain), "cu.accesses");
        assert!(count("confirmed") + count("others") >= accesses);
    });
    let count = |name: &str| sum(&runs, &format!("l1.speculate_{name}"));
    assert!(count("replayed") > 1000);
    assert!(count("dropped") > count("replayed"), "younger loads are dropped too");
    // Every load that was marked is confirmed, or was dropped by its own replay or an older one's.
    assert_eq!(count("loads"), count("confirmed") + count("dropped"));
}

#[test]
fn unit_of_a_gpu_is_asked_and_answers() {
    let runs = beside_plain("l1.design", "src", "test-unit", |_, _, other| {
        let traffic = |(name, bytes): &(String, u64)| name == "traffic.unit.launch" && *bytes > 0;
        assert!(other.statistics.iter().any(traffic));
    });
    assert_eq!(sum(&runs, "l1.unit_asked"), sum(&runs, "cu.accesses"));
    assert_eq!(sum(&runs, "l1.unit_grants"), sum(&runs, "cu.accesses"));
    for counter in ["noted", "bank_notes", "bank_turns"] {
        assert!(sum(&runs, &format!("l1.unit_{counter}")) > 100, "{counter}");
    }
    assert_eq!(sum(&runs, "l1.unit_noted"), sum(&runs, "l1.unit_bank_notes"));
}

#[test]
fn l2_that_contains_another_takes_no_time() {
    for machine in MACHINES {
        for program in programs() {
            let own = [("l1.design", "test-through"), ("l2.design", "own")];
            let other = system(machine.0, &[machine.1, &own].concat());
            assert_eq!(passes(&system(machine.0, machine.1), &program), passes(&other, &program));
        }
    }
}

#[test]
fn machine_promises_the_least_of_its_designs() {
    let of = |l1: &str, l2: &str| {
        promises(&system("stc-8cu-small", &[("l1.design", l1), ("l2.design", l2)])).unwrap()
    };
    assert_eq!(of("src", "software"), MemoryModel::Rc);
    assert_eq!(of("src", "none"), MemoryModel::None);
    for name in names("l1.design").iter().filter(|name| name.starts_with("test-")) {
        let (text, model) = about("l1.design", name).unwrap();
        assert!(text.starts_with("for tests: ") && model >= MemoryModel::Rc, "{name}");
    }
}

/// A line may be confirmed long before it is over, and another line of its load then be replayed.
#[test]
fn speculation_of_any_length_gives_right_values() {
    let params = traces::kernels::program::<()>("als").unwrap().params();
    let program = built_in("als", &Params { iterations: 1, ..params });
    for latency in ["1", "152", "400"] {
        let set = [("l1.design", "test-speculate"), ("l1.hit_latency", latency)];
        passes(&system("cpelide-4-small", &set), &program);
    }
}

/// The block of `test-queue` at its three places, by pattern.
const QUEUES: [&str; 3] = ["*/cu*/test_queue", "*/l2.bank*/test_queue", "gpu?/test_queue"];

#[test]
fn block_at_each_place_of_a_design_delays_and_keeps_what_it_is_given() {
    let runs = beside_plain("l1.design", "src", "test-queue", |_, plain, other| {
        assert!(plain.cycles < other.cycles);
        let count = |name: &str| sum(std::slice::from_ref(other), &format!("l1.queue_{name}"));
        assert_eq!(count("requests"), sum(std::slice::from_ref(plain), "cu.accesses"));
        assert!(count("bank_requests") > 0);
        assert_eq!(count("fences"), count("unit_items"));
        // Wires lose nothing, with registers on them or without.
        assert_eq!(count("busy_shown"), count("busy_seen"));
        assert_eq!(count("waits_shown"), count("waits_seen"));
    });
    assert!(sum(&runs, "l1.queue_busy_seen") > 100 && sum(&runs, "l1.queue_waits_seen") > 1000);
}

#[test]
fn bank_puts_off_a_victim_that_a_design_spares() {
    let set = [("l1.design", "test-queue"), ("l2.bytes", "8192")];
    let params = traces::kernels::program::<()>("jacobi2d").unwrap().params();
    let outcome = passes(&system("stc-8cu-small", &set), &built_in("jacobi2d", &params));
    assert!(sum(&[outcome], "l1.queue_bank_vetoes") > 100);
}

/// With no write between two kernels an acquire gets this flag, unless the L2 has dropped lines.
#[test]
fn an_acquire_knows_whether_memory_was_written_past_the_l1s() {
    let params = traces::kernels::program::<()>("jacobi2d").unwrap().params();
    let past = |l2: &str, iterations: u32| {
        let machine = system("stc-8cu-small", &[("l1.design", "test-queue"), ("l2.design", l2)]);
        let program = built_in("jacobi2d", &Params { size: 32, iterations, ..params });
        let kernels = program.totals().kernels;
        let cus = u64::from(machine.machine.cus * machine.machine.chiplets);
        let outcome = passes(&machine, &program);
        (sum(&[outcome], "l1.queue_acquires_past") / cus, kernels)
    };
    // The host's write of the input is before the first kernel alone.
    assert_eq!([past("cpelide", 1).0, past("cpelide", 4).0], [1, 1]);
    let (past, kernels) = past("software", 4);
    assert!(past == kernels && kernels > 1, "{past} of {kernels}");
}

#[test]
fn block_of_a_design_is_the_same_as_rtl_and_in_lockstep_at_each_place() {
    let queues = [("l1.design", "test-queue"), ("test_queue.depth", "1")];
    // A hook of the L1 design and the directory stand in one bank.
    let rec = [&queues[..], &[("l2.design", "rec")]].concat();
    for (machine, program, places) in [
        (system("stc-8cu-small", &queues), "pagerank_push", &QUEUES[..]),
        (system("rec-4gpu-small", &rec), "sssp", &QUEUES),
        (kept(KEEPERS[0], "src"), "pagerank_push", &KEEPS),
        (kept(KEEPERS[3], "test-bank"), "sssp", &KEEPS),
        (tokens(), "pagerank_push", &QUEUES[2..]),
        (crossed(), "pagerank_push", &QUEUES[2..]),
    ] {
        let params = traces::kernels::program::<()>(program).unwrap().params();
        let program = built_in(program, &Params { size: 256, iterations: 1, ..params });
        let model = passes(&machine, &program);
        for kind in [BodyKind::Rtl, BodyKind::Lockstep] {
            let mut all = Bodies::default();
            for place in places {
                let one = Bodies::default().with(place, kind);
                let outcome = run_on(&machine, &one, &program, Options::default()).unwrap();
                assert_eq!(outcome, model, "{place} as {}", kind.name());
                all = all.with(place, kind);
            }
            let outcome = run_on(&machine, &all, &program, Options::default()).unwrap();
            assert_eq!(outcome, model, "all as {}", kind.name());
        }
    }
}

#[test]
fn flip_at_each_place_of_a_design_is_found_there() {
    let queues = || system("stc-8cu-small", &[("l1.design", "test-queue")]);
    let places = QUEUES.map(|place| (place, queues()));
    let params = traces::kernels::program::<()>("pagerank_push").unwrap().params();
    let program = built_in("pagerank_push", &Params { size: 256, iterations: 1, ..params });
    let keeps = KEEPS.map(|place| (place, kept(KEEPERS[0], "src")));
    let units = [(QUEUES[2], tokens()), (QUEUES[2], crossed())];
    for (place, machine) in places.into_iter().chain(keeps).chain(units) {
        let bodies = Bodies::default().with(place, BodyKind::Lockstep);
        let reader = program.reopen().unwrap();
        let mut machine = Machine::new(&machine, &bodies, reader, Options::default()).unwrap();
        let number = *machine.sockets().matching(&Pattern::new(place)).last().unwrap();
        let wanted = machine.sockets().place(number).to_string();
        machine.flip(number, Flip { field: "done".into(), bit: 1, cycle: 1000 });
        match machine.run() {
            Err(RunError::Differ(difference)) => assert_eq!(difference.place, wanted),
            other => panic!("{wanted}: {other:?}"),
        }
    }
}

/// A block that gives the order of all requests.
fn tokens() -> System {
    system("stc-8cu-small", &[("l1.design", "test-tokens"), ("test_queue.depth", "1")])
}

/// A block for what a GPU says to others.
fn crossed() -> System {
    with_design(CROSSED[0], "l1.design", "test-cross")
}

/// Machines whose L2s are private, at home, and kept coherent by directories.
const KEEPERS: [(&str, &[(&str, &str)]); 4] = [
    ("stc-8cu-small", &[]),
    ("cpelide-4-small", &[("l2.policy", "home-forward")]),
    ("cpelide-4-small", &[("l2.design", "directory")]),
    ("rec-4gpu-small", &[("l2.design", "rec")]),
];

#[test]
fn l1_whose_policy_keeps_nothing_has_no_hits() {
    let hits = Cell::new(0);
    let runs = beside_plain("sharing.l1", "lru", "test-never", |_, plain, _| {
        hits.set(hits.get() + sum(std::slice::from_ref(plain), "l1.hits"));
    });
    assert!(hits.get() > 1000);
    assert_eq!(sum(&runs, "l1.hits"), 0);
    assert_eq!(sum(&runs, "l1.invalidated_lines"), 0);
}

#[test]
fn l2_whose_policy_keeps_nothing_passes_everything_on() {
    for (at, machine) in KEEPERS.into_iter().enumerate() {
        for program in programs() {
            let plain = passes(&system(machine.0, machine.1), &program);
            let other = passes(&with_design(machine, "sharing.l2", "test-never"), &program);
            assert_eq!(plain.checked, other.checked, "{} {machine:?}", program.name());
            let count = |name: &str| sum(std::slice::from_ref(&other), name);
            if at < 2 {
                let all = ["l2.reads", "l2.fetches", "l2.released", "l2.write_backs"];
                assert_eq!(all.map(count), [0; 4], "{} {machine:?}", program.name());
                assert!(count("l3.reads") > 0);
            } else {
                // What other chiplets ask for, and what is written, goes past the directory.
                assert!(count("l2.own_reads") < sum(&[plain], "l2.own_reads"));
            }
        }
    }
}

/// Under a policy that knows but the first way of each set a cache is one with one way.
#[test]
fn way_that_a_policy_chooses_is_the_one_that_goes() {
    for machine in [KEEPERS[0], KEEPERS[1]] {
        for (cache, of_one) in [("l1", "test-first"), ("l2", "lru")] {
            let plain = system(machine.0, machine.1);
            let (bytes, ways) = match cache {
                "l1" => (u64::from(plain.l1.bytes), plain.l1.ways),
                _ => (plain.l2.bytes, plain.l2.ways),
            };
            assert!(ways > 1);
            let with = |bytes: u64, ways: u32, policy: &str| {
                let (bytes, ways) = (bytes.to_string(), ways.to_string());
                let fields = ["bytes", "ways"].map(|field| format!("{cache}.{field}"));
                let policy = (format!("sharing.{cache}"), policy.to_string());
                let set = [(&*fields[0], &*bytes), (&fields[1], &ways), (&policy.0, &policy.1)];
                system(machine.0, &[machine.1, &set].concat())
            };
            let one = with(bytes / u64::from(ways), 1, of_one);
            let (first, lru) = (with(bytes, ways, "test-first"), with(bytes, ways, "lru"));
            let mut differ = false;
            for program in programs() {
                let first = passes(&first, &program);
                assert_eq!(first, passes(&one, &program), "{cache} {} {machine:?}", program.name());
                differ |= first.statistics != passes(&lru, &program).statistics;
            }
            assert!(differ, "the least recently used one is another");
        }
    }
}

/// The block of policies, by pattern.
const KEEPS: [&str; 2] = ["*/cu*/keeps/test_queue", "*/l2.bank*/keeps/test_queue"];

/// With block policies in both caches, beside designs with hooks of their own.
fn kept(machine: (&str, &[(&str, &str)]), design: &str) -> System {
    let policies = [("sharing.l1", "test-queue"), ("sharing.l2", "test-queue")];
    let rest = [("l1.design", design), ("test_queue.depth", "1")];
    system(machine.0, &[machine.1, &policies, &rest].concat())
}

#[test]
fn policy_with_a_block_goes_with_any_design_and_sees_what_the_l2_knew() {
    let mut runs = Vec::new();
    for machine in KEEPERS {
        for design in ["src", "test-bank", "test-queue", "test-speculate"] {
            for program in programs() {
                let outcome = passes(&kept(machine, design), &program);
                let count = |name: &str| sum(std::slice::from_ref(&outcome), name);
                let fetched = count("l2.fetches") + count("l2.remote_fetches");
                assert_eq!(count("l2.keep_fills"), fetched, "{design} {machine:?}");
                assert!(count("l1.keep_shared") <= count("l2.keep_hints"), "{design} {machine:?}");
                runs.push(outcome);
            }
        }
    }
    for (counter, least) in [
        ("l1.keep_kept", 1000),
        ("l1.keep_shared", 1000),
        ("l1.keep_told", 1000),
        ("l2.keep_passed", 1000),
        ("l1.queue_bank_vetoes", 100),
    ] {
        assert!(sum(&runs, counter) > least, "{counter}: {}", sum(&runs, counter));
    }
}

/// Machines of one GPU, with a bank for all CUs and with some, whose unit gives few tokens.
const ORDERED: [(&str, &[(&str, &str)]); 2] = [
    (
        "stc-8cu-small",
        &[("l2.banks", "1"), ("test_queue.depth", "1"), ("test_queue.latency", "15")],
    ),
    ("cpelide-4-small", &[("l2.policy", "home-forward"), ("network.queue", "1")]),
];

#[test]
fn bank_with_a_fifo_for_each_cu_serves_them_in_any_order() {
    let mut runs = Vec::new();
    for machine in ORDERED {
        for places in ["1", "3"] {
            let set = [("l1.design", "test-tokens"), ("test_tokens.places", places)];
            let set = [machine.1, &set].concat();
            for program in programs() {
                let outcome = passes(&system(machine.0, &set), &program);
                let count = |name: &str| sum(std::slice::from_ref(&outcome), name);
                assert_eq!(count("l1.tokens_wanted"), count("cu.accesses"), "{machine:?}");
                assert_eq!(count("l1.tokens_given"), count("cu.accesses"), "{machine:?}");
                runs.push(outcome);
            }
        }
    }
    assert!(sum(&runs, "l1.tokens_overtaken") > 1000);
}

/// A token names a request behind others.
#[test]
fn bank_with_one_fifo_for_all_cus_does_not_serve_them_in_any_order() {
    for machine in ORDERED {
        let set = [("l1.design", "test-tokens"), ("test_tokens.fifos", "0")];
        let machine = system(machine.0, &[machine.1, &set].concat());
        let result = run_on(&machine, &Bodies::default(), &programs()[1], Options::default());
        assert!(matches!(result, Err(RunError::Deadlock { .. })), "{result:?}");
    }
}

/// Machines of several GPUs, with L2s that are private, at home and kept coherent.
const CROSSED: [(&str, &[(&str, &str)]); 4] = [
    ("cpelide-2-small", &[("machine.gpus", "2")]),
    ("cpelide-2-small", &[("machine.gpus", "2"), ("l2.policy", "home-forward")]),
    ("finepack-4gpu-small", &[("l2.policy", "home-forward"), ("egress.design", "p2p")]),
    ("rec-4gpu-small", &[("l2.design", "rec")]),
];

#[test]
fn what_a_design_says_crosses_to_other_gpus_in_order() {
    for machine in CROSSED {
        let mut runs = Vec::new();
        for program in programs() {
            let set = [("l1.design", "test-cross"), ("test_queue.depth", "1")];
            let outcome = passes(&system(machine.0, &[machine.1, &set].concat()), &program);
            runs.push(outcome);
        }
        let count = |name: &str| sum(&runs, name);
        for who in ["units", "banks"] {
            let said = count(&format!("l1.cross_{who}_said"));
            let heard = count(&format!("l1.cross_{who}_heard"));
            assert!(said > 50, "{who} {machine:?}: {said}");
            assert_eq!(said, heard, "{who} {machine:?}");
        }
        // With coherent L2s it is banks who ask other GPUs. Private ones have no hook at home.
        let (far, unchanged) = (count("l1.cross_far"), count("l1.cross_unchanged"));
        let through_banks = machine.1.contains(&("l2.policy", "home-forward"));
        assert_eq!(
            (far > 100, unchanged > 100),
            match machine.1.last() {
                Some(("l2.design", "rec")) => (false, false),
                _ => (through_banks, !through_banks),
            },
            "{machine:?}: {far}, {unchanged}"
        );
        // 8 bytes there and back of each load and atomic, or part of one.
        let asked = 8 * (count("ingress.loads") + count("ingress.atomics"));
        let of_class = |class: &str| count(&format!("gpu_link.design.{class}"));
        assert_eq!(["request", "data"].map(of_class), [asked; 2], "{machine:?}");
        assert!(["invalidation", "launch"].map(of_class).iter().all(|&bytes| bytes > 1000));
        let plain = passes(&system(machine.0, machine.1), &programs()[0]);
        assert!(plain.statistics.iter().all(|(name, _)| !name.starts_with("gpu_link.design")));
    }
}

#[test]
fn what_does_not_go_together_is_refused_by_its_field() {
    let refused = |set: &[(&str, &str)]| {
        let set: Vec<_> = set.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
        machine::systems::load("stc-8cu-small", &set).unwrap_err().to_string()
    };
    for (set, parts) in [
        (&[("l2.design", "own")][..], ["l2.design", "l1.design = src brings no L2"]),
        (&[("l1.design", "test-through")], ["l2.design", "brings its own L2, \"own\""]),
        (
            &[("test_queue.depth", "2")],
            ["test_queue", "requires l1.design = test-cross, test-queue"],
        ),
        (&[("queue.depth", "2")], ["queue: there is no such section", "test_queue"]),
        (&[("finepack.lines", "2")], ["finepack.lines: there is no such field", "must be line, "]),
        (
            &[("l1.design", "test-queue"), ("test_queue.depth", "17")],
            ["test_queue.depth", "17 is not 1 to 16"],
        ),
        (&[("l1.design", "test-queue"), ("test_queue.size", "1")], ["size", "depth"]),
        (&[("sharing.l1", "plain")], ["sharing.l1: \"plain\" is none of lru, ", "test-never"]),
        (
            &[("sharing.l1", "test-first"), ("l1.design", "none")],
            ["sharing.l1: \"test-first\"", "with l1.design = none have their own"],
        ),
    ] {
        let error = refused(set);
        assert!(parts.iter().all(|part| error.contains(part)), "{set:?}: {error}");
    }
}
