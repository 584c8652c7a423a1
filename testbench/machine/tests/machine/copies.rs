//! Pages that have a copy on each GPU: stores are pushed, loads stay at home.

use machine::{Observer, Options, RunError};
use traces::kernels::{Buffer, Device, Item, Launch, at, chunk};
use traces::trace::{Reader, Recorder};

use super::{all, count, passes, run, system};

type Kernel = dyn Fn(&Item, &Buffer<u32>);

const GROUPS: usize = 12;
const ITEMS: usize = 32;
/// Words that each work-group stores: one line.
const WORDS: usize = ITEMS;
/// Words of a page.
const PAGE: usize = 1024;

/// Kernels over a buffer of one page for each work-group, one after another.
fn program(kernels: &[&Kernel]) -> Reader {
    let mut recorder = Recorder::in_memory("copies").unwrap();
    let device = &mut Device::new(&mut recorder);
    let words: Vec<u32> = (0..(GROUPS * PAGE) as u32).collect();
    let memory = device.upload("memory", &words).unwrap();
    for (number, kernel) in kernels.iter().enumerate() {
        let launch = Launch::line(&format!("k{number}"), GROUPS * ITEMS, ITEMS);
        device.each(launch.write("memory", &memory), |it| kernel(it, &memory)).unwrap();
    }
    device.read(&memory).unwrap();
    Reader::from_bytes(recorder.into_bytes().unwrap(), "copies").unwrap()
}

/// A word of the page of a work-group.
fn word(group: usize, item: usize) -> usize {
    group * PAGE + item
}

/// Each work-group stores a line of its own page.
fn store(it: &Item, memory: &Buffer<u32>) {
    it.store(at(1, 0), memory, word(it.x / ITEMS, it.x % ITEMS), 7 * it.x as u32);
}

/// Each work-group loads the line of each.
fn load(it: &Item, memory: &Buffer<u32>) {
    for group in it.turns(0..GROUPS) {
        it.load(at(1, 0), memory, word(group, it.x % ITEMS));
    }
}

/// Each loads the line of the next one.
fn load_next(it: &Item, memory: &Buffer<u32>) {
    it.load(at(1, 0), memory, word((it.x / ITEMS + 1) % GROUPS, it.x % ITEMS));
}

/// A machine with so many GPUs.
fn gpus(number: &str, set: &[(&str, &str)]) -> machine::System {
    let own = [("machine.gpus", number), ("placement.policy", "replicated")];
    system("finepack-4gpu-small", &[&own, set].concat())
}

#[test]
fn stores_go_to_each_copy_and_loads_to_the_own_one() {
    let program = program(&[&load, &store, &load]);
    for number in ["2", "3", "4"] {
        for egress in all("egress.design") {
            for policy in ["home-forward", "private"] {
                let set = [("egress.design", egress.as_str()), ("l2.policy", policy)];
                let outcome = passes(&gpus(number, &set), &program);
                assert_eq!(outcome.determined(), 1.0);
                assert_eq!(count(&outcome, "l2.pushes"), GROUPS as u64, "{number} {egress}");
                assert_eq!(count(&outcome, "egress.stores"), GROUPS as u64);
                assert_eq!(count(&outcome, "egress.loads"), 0, "{number} {egress}");
                let others = number.parse::<u64>().unwrap() - 1;
                // Neighbouring lines of different pages are copied apart.
                let arrived = count(&outcome, "ingress.stores");
                assert_eq!(arrived, others * GROUPS as u64, "{number} {egress}");
            }
        }
    }
}

#[test]
fn one_gpu_pushes_nothing() {
    let program = program(&[&load, &store, &load]);
    let alone = system("finepack-4gpu-small", &[("machine.gpus", "1")]);
    let mut same = alone.clone();
    same.placement.policy = "replicated".to_string();
    assert_eq!(passes(&same, &program), passes(&alone, &program));
}

/// More than the links, and what waits for them, can hold: a GPU's stores wait until they can be
/// pushed, and what comes from the others goes past them.
#[test]
fn gpus_that_push_to_each_other_wait_in_no_circle() {
    let stores = |it: &Item, memory: &Buffer<u32>| {
        for line in it.turns(0..PAGE / WORDS) {
            let place = word(it.x / ITEMS, line * WORDS + it.x % ITEMS);
            it.store(at(1, 0), memory, place, (7 * it.x + line) as u32);
        }
    };
    let program = program(&[&stores, &load]);
    for number in ["2", "3", "4"] {
        for egress in ["p2p", "write-combine", "finepack"] {
            let slow = [("network.queue", "1"), ("gpu_link.bytes_per_ns", "0.5")];
            let set = [&slow[..], &[("egress.design", egress)]].concat();
            passes(&gpus(number, &set), &program);
        }
    }
}

/// A store takes a hundred thousand cycles to another GPU, and the next kernel sees it.
#[test]
fn release_waits_for_what_was_pushed() {
    let program = program(&[&store, &load]);
    for egress in all("egress.design") {
        let set = [("gpu_link.latency", "100000"), ("egress.design", egress.as_str())];
        let outcome = passes(&gpus("3", &set), &program);
        assert!(outcome.cycles > 200_000, "{egress}: {}", outcome.cycles);
    }
}

/// What an L2 holds of a copy is dropped before the next kernel: without acquires it is seen.
#[test]
fn lines_that_were_pushed_to_are_not_kept() {
    let program = program(&[&load, &store, &load]);
    for l1 in ["src", "none"] {
        let private = [("l1.design", l1), ("l2.policy", "private")];
        passes(&gpus("2", &private), &program);
        let careless = [&private[..], &[("l2.design", "none")]].concat();
        match run(&gpus("2", &careless), &program, Options::default()) {
            Err(RunError::Wrong(_, wrong)) => {
                assert!(matches!(wrong.seen_by, Observer::Load(_)), "{wrong:?}");
            }
            other => panic!("{l1}: {other:?}"),
        }
    }
}

/// Copies that are not read get nothing: by page, and by line.
#[test]
fn stores_go_only_where_they_are_read() {
    let both = |it: &Item, memory: &Buffer<u32>| {
        store(it, memory);
        it.store(at(2, 0), memory, word(it.x / ITEMS, 4 * WORDS + it.x % ITEMS), 5);
    };
    let program = program(&[&both, &load_next]);
    let pushes = |policy| {
        let set = [("placement.policy", policy), ("egress.design", "p2p")];
        let outcome = passes(&gpus("4", &set), &program);
        (count(&outcome, "egress.stores"), count(&outcome, "ingress.stores"))
    };
    // Two lines of each work-group, to three copies.
    assert_eq!(pushes("replicated"), (24, 72));
    // Of each GPU's three work-groups another one reads the first one's page: both its lines,
    assert_eq!(pushes("replicated-by-page"), (8, 8));
    // of which it reads one.
    assert_eq!(pushes("replicated-by-line"), (4, 4));
}

/// A line that atomics change has no copies: its home performs them, and serves its loads.
#[test]
fn atomics_are_done_at_home() {
    let add = |it: &Item, memory: &Buffer<u32>| {
        it.atomic_add(at(1, 0), memory, word(0, it.x % ITEMS), 3);
    };
    let program = program(&[&load, &add, &load, &store, &load]);
    for number in ["2", "3"] {
        for egress in all("egress.design") {
            let outcome = passes(&gpus(number, &[("egress.design", egress.as_str())]), &program);
            assert!(count(&outcome, "egress.atomics") > 0, "{number} {egress}");
            assert!(count(&outcome, "egress.loads") > 0, "{number} {egress}");
            assert_eq!(count(&outcome, "l2.pushes"), GROUPS as u64 - 1, "{number} {egress}");
        }
    }
}

/// Half of a line by one GPU, half by another, in one kernel.
#[test]
fn bytes_of_a_line_come_from_several_gpus() {
    let share = |it: &Item, memory: &Buffer<u32>| {
        let group = it.x / ITEMS;
        if it.x % ITEMS % GROUPS == group {
            (0..GROUPS).for_each(|page| {
                it.store(at(1 + page as u32, 0), memory, word(page, it.x % ITEMS), 9 * group as u32)
            });
        }
    };
    let program = program(&[&load, &share, &load, &share, &load]);
    for number in ["2", "3", "4"] {
        for policy in ["home-forward", "private"] {
            for placement in ["replicated", "replicated-by-page", "replicated-by-line"] {
                let set = [("l2.policy", policy), ("placement.policy", placement)];
                assert_eq!(passes(&gpus(number, &set), &program).determined(), 1.0);
            }
        }
    }
}

#[test]
fn designs_that_know_of_one_copy_are_refused() {
    let refusal = |set: &[(&str, &str)]| {
        let set = [&[("placement.policy", "replicated")], set].concat();
        let set: Vec<_> = set.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
        machine::systems::load("finepack-4gpu-small", &set).unwrap_err().to_string()
    };
    let text = refusal(&[("l2.design", "hmg")]);
    let expected = "placement.policy: \"replicated\": not with l2.design = hmg, which tracks";
    assert!(text.contains(expected), "{text}");
    let text = refusal(&[("l1.design", "stc-nv")]);
    let expected = "placement.policy: \"replicated\": not with l1.design = stc-nv, which orders";
    assert!(text.contains(expected), "{text}");
}

/// Kernels whose labels say nothing of the buffer, and whose pages several work-groups share.
#[test]
fn chunks_of_one_page_belong_to_several_gpus() {
    let mut recorder = Recorder::in_memory("chunks").unwrap();
    let device = &mut Device::new(&mut recorder);
    let a = device.upload("a", &[1u32; GROUPS * ITEMS]).unwrap();
    let b = device.alloc::<u32>("b", GROUPS * ITEMS).unwrap();
    for _ in 0..3 {
        for (from, to) in [(&a, &b), (&b, &a)] {
            let launch = Launch::line("next", GROUPS * ITEMS, ITEMS);
            let launch = launch.read("from", from).write_part("to", to, chunk(ITEMS));
            let next = |x| (x + ITEMS) % (GROUPS * ITEMS);
            let body = |it: &Item| {
                let value = it.load(at(1, 0), from, next(it.x));
                it.store(at(2, 0), to, it.x, *value + it.x as u32);
            };
            device.each(launch, body).unwrap();
        }
    }
    device.read(&a).unwrap();
    let program = Reader::from_bytes(recorder.into_bytes().unwrap(), "chunks").unwrap();
    for number in ["2", "3", "4"] {
        for egress in all("egress.design") {
            for placement in ["replicated", "replicated-by-page", "replicated-by-line"] {
                let set = [("egress.design", egress.as_str()), ("placement.policy", placement)];
                assert_eq!(passes(&gpus(number, &set), &program).determined(), 1.0);
            }
        }
    }
}
