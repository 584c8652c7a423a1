//! Runs in which a component wakes up for ever: those that hang are ended, those that only wait are
//! not.

use cosim::flip::Flip;
use cosim::socket::{Pattern, Window};
use hwmodel::Model;
use hwmodel::directory::coherence_directory::CoherenceDirectory;
use traces::trace::{Access, AccessKind, KernelSpec, Key, Record, Work};

use super::*;
use crate::context::pages::PAGE;

/// The report of a run in which a component stands still from a cycle on, which must end soon; and
/// the cycles that it was watched.
fn hang(machine: &mut Machine, from: Cycle, which: impl Fn(&Part) -> bool) -> (String, Cycle) {
    try_hang(machine, from, which).expect("a component wakes up for ever")
}

/// The same; none where no component woke up any more, which is found at once.
fn try_hang(
    machine: &mut Machine,
    from: Cycle,
    which: impl Fn(&Part) -> bool,
) -> Option<(String, Cycle)> {
    machine.options.max_cycles = from;
    assert!(matches!(machine.run(), Err(RunError::CycleLimit(_))));
    stop(machine, which);
    machine.options.max_cycles = from + (16 << 20);
    let (cycle, report) = match machine.simulate("k") {
        Err(RunError::Deadlock { cycle, report }) => (cycle, report),
        other => panic!("{other:?}"),
    };
    let since = report.strip_prefix("nothing has moved since cycle ")?;
    let since = since.split_once(" or before\n").expect(&report).0.parse::<Cycle>().unwrap();
    assert!(since > from && since < cycle, "{report}");
    Some((report, cycle - since))
}

/// Queues hold next to nothing.
const NARROW: [(&str, &str); 7] = [
    ("placement.policy", "interleave"),
    ("network.queue", "1"),
    ("network.latency", "2"),
    ("network.memory_latency", "2"),
    ("l2.latency", "2"),
    ("l3.latency", "2"),
    ("chiplet_link.queue", "1"),
];

/// Clocks, and the cycles in which links have 2^20.
const LEAST: [(&str, Cycle); 2] = [("1000", 1 << 20), ("2500", 5 << 19)];

/// The memory of a GPU stands still: the gate has in hand what has come for it.
#[test]
fn gate_that_is_visited_for_ever_is_a_deadlock() {
    for (clock, least) in LEAST {
        let set = [("machine.gpus", "2"), ("machine.chiplets", "1"), ("machine.clock_mhz", clock)];
        let set = [&NARROW[..], &set].concat();
        let mut machine = machine("cpelide-2-small", &set, program("pagerank_push", 256));
        let (report, watched) = hang(&mut machine, 5000, |part| matches!(part, Part::Slice(_)));
        assert!(report.contains("gpu0.chiplet0.l3.slice0.memory.in: first "), "{report}");
        assert!(watched >= least, "{watched} cycles are less than 2^20 of the links");
    }
}

/// A link between chiplets stands still: a directory has an invalidation in hand that it cannot
/// send.
#[test]
fn directory_that_is_visited_for_ever_is_a_deadlock() {
    for (clock, least) in LEAST {
        let set = [
            ("machine.chiplets", "2"),
            ("machine.clock_mhz", clock),
            ("l2.design", "rec"),
            ("directory.entries", "8"),
            ("directory.ways", "1"),
        ];
        let set = [&NARROW[..], &set].concat();
        // In some cycle of the kernel the directory has one in hand.
        let (report, watched) = (3000..20_000)
            .step_by(211)
            .find_map(|from| {
                let mut machine = machine("cpelide-2-small", &set, program("pagerank_push", 256));
                try_hang(&mut machine, from, |part| matches!(part, Part::Link(_)))
            })
            .expect("a directory is busy at some time");
        assert!(report.contains("link.chiplet0_to_chiplet1."), "{report}");
        assert!(watched >= least, "{watched} cycles are less than 2^20 of the links");
    }
}

/// One work-item loads a word of each page, `gap` instructions before each.
pub fn loads(gap: u32) -> Reader {
    let mut recorder = Recorder::in_memory("loads").unwrap();
    let addr = recorder.alloc("a", 2 * PAGE).unwrap();
    let (name, size) = ("k".to_string(), [1, 1, 1]);
    let spec = KernelSpec { name, grid: size, local: size, ..KernelSpec::default() };
    recorder.begin_kernel(spec).unwrap();
    recorder.begin_group().unwrap();
    for page in 0..2 {
        let key = Key { pc: page, ..Key::default() };
        let (addr, kind) = (addr + u64::from(page) * PAGE, AccessKind::Load);
        let work = Work::of(gap);
        let access = Access { item: 0, key, kind, addr, bytes: &[0; 4], work, ..Access::default() };
        recorder.access(&access).unwrap();
    }
    recorder.end_group().unwrap();
    recorder.end_kernel().unwrap();
    Reader::from_bytes(recorder.into_bytes().unwrap(), "loads").unwrap()
}

/// Several looks.
const LONG: Cycle = 3 << 20;

/// Nothing but the observed component is visited in most cycles, and that is no deadlock.
fn waits(machine: &mut Machine) {
    machine.options.max_cycles = LONG;
    match machine.run() {
        Err(RunError::CycleLimit(_)) => {}
        other => panic!("{other:?}"),
    }
    assert!(machine.steps > LONG * 9 / 10, "only {} steps", machine.steps);
}

#[test]
fn slow_machine_is_no_deadlock() {
    let slow: [(u32, &[(&str, &str)]); 3] = [
        (6000, &[("cu.gap_cycles", "1000")]),
        (0, &[("memory.bytes", "1"), ("memory.cycles", "1000000")]),
        (0, &[("chiplet_link.bytes", "1"), ("chiplet_link.cycles", "1000000")]),
    ];
    for (gap, set) in slow {
        let common =
            [("machine.chiplets", "2"), ("l2.design", "rec"), ("machine.clock_mhz", "1000")];
        let set = [&common[..], &NARROW[..1], set].concat();
        let mut machine = machine("cpelide-2-small", &set, loads(gap));
        // A flip that never happens keeps the first bank's directory busy.
        let flip = Flip { field: "idle".into(), bit: 0, cycle: 1 };
        let directory = machine.sockets().matching(&Pattern::new(CoherenceDirectory::NAME))[0];
        machine.flip(directory, flip);
        waits(&mut machine);
    }
}

#[test]
fn open_window_over_a_long_gap_is_no_deadlock() {
    let set = [
        ("machine.gpus", "2"),
        ("machine.chiplets", "1"),
        ("machine.clock_mhz", "1000"),
        ("cu.gap_cycles", "1000"),
    ];
    let mut machine = machine("cpelide-2-small", &set, loads(6000));
    let shown = machine.sockets().first_of_each();
    machine.on_cycle(&shown, Window { from: Some(1), to: Some(LONG) }, |_| {});
    waits(&mut machine);
}

/// Near visits of these alone may be for nothing.
#[test]
fn gate_and_banks_with_a_directory_are_not_waited_for() {
    let set = [("machine.gpus", "2"), ("l2.design", "rec")];
    let with_visit = |at: usize, cycle: Cycle| {
        let mut machine = machine("cpelide-2-small", &set, loads(0));
        assert!(!machine.awaits());
        machine.ctx.wheel.wake(ComponentId(at as u32), cycle);
        machine
    };
    let parts = with_visit(0, 1).parts.len();
    let near = |&at: &usize| {
        assert!(with_visit(at, 5000).awaits());
        !with_visit(at, 5).awaits()
    };
    let unwaited: Vec<_> = (0..parts).filter(near).collect();
    let machine = with_visit(0, 1);
    let layout = &machine.ctx.layout;
    let banks = (0..4).map(|chiplet| layout.part_of(layout.bank(chiplet, 0)));
    assert_eq!(unwaited, banks.chain([parts - 1]).collect::<Vec<_>>());
}

#[test]
fn directory_may_be_swept_between_two_looks() {
    for (field, rows) in [("directory.entries", 1 << 24), ("directory.ideal_lines", 1 << 30)] {
        let set = [(field.to_string(), rows.to_string())];
        let system = systems::load("rec-4gpu-small", &set).unwrap();
        let rows = if field == "directory.entries" { rows } else { rows / 64 };
        assert!(Watchdog::new(&system).every > rows, "{field}");
    }
}
