//! Timelines of runs, read back.

use std::collections::BTreeMap;

use machine::{Bodies, Machine, Options, Request, System, systems};
use report::{MOST_EVENTS, Packets, Run, collect, sampled, timeline};
use serde_json::Value;
use traces::kernels;
use traces::trace::{Reader, Recorder};
use traces::workloads::program::{Kernel, Labels, Place, Program, Step, What, Who};

fn system(preset: &str, set: &[(&str, &str)]) -> System {
    let set: Vec<_> = set.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
    systems::load(preset, &set).unwrap()
}

fn run(system: &System, program: Reader) -> Run {
    let options = Options { by_kernel: true, ..Options::default() };
    let mut machine = Machine::new(system, &Bodies::default(), program, options).unwrap();
    machine.record_timeline();
    let packets = Packets::default();
    let seen = packets.clone();
    machine.on_packet(move |packet| seen.add(packet));
    machine.run().unwrap();
    collect(&machine, system, &packets)
}

/// Nothing takes longer for its bytes than a cycle.
const SET: [(&str, &str); 15] = [
    ("l1.design", "src"),
    ("l2.policy", "private"),
    ("machine.chiplets", "1"),
    ("machine.clock_mhz", "1801"),
    ("l2.banks", "1"),
    ("l3.slices", "1"),
    ("cu.gap_cycles", "1"),
    ("network.latency", "10"),
    ("network.memory_latency", "6"),
    ("network.bytes_per_cycle", "128"),
    ("l2.latency", "20"),
    ("l3.latency", "8"),
    ("memory.bytes", "64"),
    ("memory.cycles", "1"),
    ("memory.latency", "30"),
];

/// The first item of each work-group loads: `per_group` bytes further in each.
fn loads(groups: u32, per_group: u64) -> Reader {
    let place = Place { page: 0, offset: 0, per_item: 0, per_group, page_by_group: false };
    let who = Who::Item(0);
    let step = Step::Access { what: What::Load, who, place, size: 4, aligned: true, gap: 0 };
    let (labels, writes, steps) = (Labels::None, vec![(0, 8192)], vec![step]);
    let kernel = Kernel { labels, writes, groups, items: 64, steps, read: false };
    Program(vec![kernel.clone(), kernel]).record()
}

fn events(run: &Run) -> Vec<Value> {
    let Value::Array(events) = timeline(run)["traceEvents"].take() else { panic!("no events") };
    events
}

/// Process and thread of an event, and its times in nanoseconds.
fn place(event: &Value) -> ((u64, u64), [u64; 2]) {
    let ns = |key: &str| (event[key].as_f64().unwrap_or(0.0) * 1000.0).round() as u64;
    let from = ns("ts");
    let number = |key: &str| event[key].as_u64().unwrap();
    ((number("pid"), number("tid")), [from, from + ns("dur")])
}

/// Spans of a track lie within each other or apart, all within the run; an arrow begins once, ends
/// once, and goes forward from span to span.
fn check(run: &Run, events: &[Value]) {
    assert!(events.len() <= MOST_EVENTS, "{}", events.len());
    let end = run.cycles * 1000 / u64::from(run.clock_mhz);
    let mut tracks: BTreeMap<_, Vec<[u64; 2]>> = BTreeMap::new();
    let mut flows: BTreeMap<u64, Vec<(String, u64)>> = BTreeMap::new();
    for event in events.iter().filter(|event| event["ph"] == "X") {
        let (track, times) = place(event);
        assert!(times[1] <= end, "{event}");
        tracks.entry(track).or_default().push(times);
    }
    for (track, spans) in &mut tracks {
        spans.sort_by_key(|[from, to]| (*from, std::cmp::Reverse(*to)));
        let mut open: Vec<u64> = Vec::new();
        for [from, to] in spans {
            while open.last().is_some_and(|end| end <= from) {
                open.pop();
            }
            assert!(open.last().is_none_or(|end| *to <= *end), "{track:?}: {from} to {to}");
            open.push(*to);
        }
    }
    for event in events {
        let ph = event["ph"].as_str().unwrap();
        if ["s", "t", "f"].contains(&ph) {
            let (track, [at, _]) = place(event);
            let is_there = tracks[&track].iter().any(|[from, to]| (*from..=*to).contains(&at));
            assert!(is_there, "{event}");
            let id = event["id"].as_u64().unwrap();
            flows.entry(id).or_default().push((ph.to_string(), at));
        }
    }
    for (id, flow) in &flows {
        let phases: String = flow.iter().map(|(ph, _)| ph.as_str()).collect();
        assert!(phases.starts_with('s') && phases.ends_with('f'), "{id}: {phases}");
        assert!(phases[1..phases.len() - 1].chars().all(|ph| ph == 't'), "{id}: {phases}");
        assert!(flow.windows(2).all(|pair| pair[0].1 <= pair[1].1), "{id}: {flow:?}");
    }
}

/// The parts of a request follow one another from its issue to its answer.
fn adds_up(request: &Request) {
    let mut at = request.from;
    for part in &request.parts {
        assert!(part.from == at && part.to > at, "{request:?}");
        at = part.to;
    }
    assert_eq!(at, request.to, "{request:?}");
}

/// What happens in each part, where, and for how many cycles.
fn parts(request: &Request) -> Vec<(&str, &str, u64)> {
    request.parts.iter().map(|p| (p.wait.name(), p.place.as_str(), p.to - p.from)).collect()
}

#[test]
fn a_tiny_program_has_its_work_groups_launches_and_requests() {
    let set = [&SET[..], &[("machine.cus", "1")]].concat();
    let run = run(&system("cpelide-4-small", &set), loads(3, 64));
    let events = events(&run);
    check(&run, &events);
    let recorded = run.recorded.as_ref().unwrap();
    let shown = "6 of 6 requests, 6 of 6 work-groups, 2 of 2 packets";
    assert_eq!(sampled(&run).unwrap(), shown);
    // Both kernels have work-groups 0, 1 and 2.
    let mut numbers: Vec<_> = recorded.groups.iter().map(|group| group.number).collect();
    numbers.sort();
    assert_eq!(numbers, [0, 0, 1, 1, 2, 2]);
    let spans = |name: &str| {
        let of = |event: &&Value| event["ph"] == "X" && event["name"] == name;
        events.iter().filter(of).count()
    };
    let names: Vec<_> = run.launches.iter().map(|launch| launch.kernel.as_str()).collect();
    let [first, second] = names[..] else { panic!("{names:?}") };
    for kernel in [first, second] {
        // Firmware, acquire, firmware, latency, kernel, latency, firmware, release, firmware; and
        // its work-groups.
        let both = if first == second { 2 } else { 1 };
        assert_eq!(spans(kernel), both * (9 + 3), "{kernel}");
    }
    // A work-group is on the CU from its start to the answer of its load.
    for (group, request) in recorded.groups.iter().zip(&recorded.requests) {
        assert_eq!([group.from, group.to], [request.from, request.to]);
    }
    recorded.requests.iter().for_each(adds_up);
    // To the bank; to the slice; memory's transfer and latency; each array, and the way back.
    let [cu, bank, slice] =
        ["cu0", "l2.bank0", "l3.slice0"].map(|place| format!("gpu0.chiplet0.{place}"));
    let [cu, bank, slice] = [&cu, &bank, &slice].map(String::as_str);
    assert_eq!(
        parts(&recorded.requests[0]),
        [
            ("network", cu, 10),
            ("network", bank, 6),
            ("memory", slice, 1 + 30),
            ("array", slice, 8),
            ("network", slice, 6),
            ("array", bank, 20),
            ("network", bank, 10),
        ]
    );
}

/// Two CUs load the same line, the second a few cycles later: it waits in the miss register of the
/// first, and is answered a cycle after it.
#[test]
fn a_secondary_miss_waits_in_the_miss_register() {
    let set = [&SET[..], &[("machine.cus", "2")]].concat();
    let run = run(&system("cpelide-4-small", &set), loads(2, 0));
    let recorded = run.recorded.unwrap();
    let [first, second, ..] = &recorded.requests[..] else { panic!("two CUs") };
    assert_ne!(first.cu, second.cu);
    let later = second.from - first.from;
    assert!((1..40).contains(&later), "{later}");
    let latency = second.to - second.from;
    assert_eq!(latency, (first.to - first.from) - later + 1);
    let (cu, bank) = (second.cu.as_str(), "gpu0.chiplet0.l2.bank0");
    let expected = [
        ("network", cu, 10),
        ("MSHR", bank, latency - 10 - 20 - 10),
        ("array", bank, 20),
        ("network", bank, 10),
    ];
    assert_eq!(parts(second), expected);
}

fn built_in(name: &str, size: u32) -> Reader {
    let params = kernels::program::<()>(name).unwrap().params();
    let params = kernels::Params { size, iterations: 1, ..params };
    let mut recorder = Recorder::in_memory(name).unwrap();
    let run: Result<(), kernels::KernelError<_>> = kernels::run(name, &params, &mut recorder);
    run.unwrap();
    Reader::from_bytes(recorder.into_bytes().unwrap(), name).unwrap()
}

/// Under designs that carry requests in different ways: each sampled one adds up.
#[test]
fn any_run_has_a_timeline_that_can_be_read() {
    for (preset, set, part) in [
        ("cpelide-4-small", &[("machine.gpus", "2")][..], "other GPU"),
        ("cpelide-4-small", &[("l2.design", "hmg")], "link"),
        ("cpelide-4-small", &[("l2.design", "cpelide"), ("l2.policy", "home-forward")], "link"),
        ("rec-4gpu-small", &[("l2.design", "rec")], "other GPU"),
        ("stc-8cu-small", &[("l1.design", "stc-mb")], "memory"),
        ("fermi-15sm-small", &[("l1.design", "gtsc-sc"), ("l2.design", "own")], "array"),
        ("fermi-15sm-small", &[("l1.design", "race-spec"), ("l2.design", "software")], "memory"),
    ] {
        let run = run(&system(preset, set), built_in("bfs", 512));
        check(&run, &events(&run));
        let recorded = run.recorded.as_ref().unwrap();
        recorded.requests.iter().for_each(adds_up);
        assert!(recorded.requests.len() > 50, "{preset}, {set:?}: {:?}", sampled(&run));
        let mut all = recorded.requests.iter().flat_map(|request| &request.parts);
        assert!(all.any(|p| p.wait.name() == part), "{preset}, {set:?}: no {part}");
        assert_eq!(recorded.all_groups, recorded.groups.len() as u64);
        assert_eq!(recorded.all_groups, run.counters["cu.groups"]);
    }
}

/// Cycles of all spans on the track of this name.
fn on_track(events: &[Value], name: &str, clock_mhz: u64) -> u64 {
    let is_named = |event: &&Value| event["ph"] == "M" && event["args"]["name"] == name;
    let track = events.iter().find(is_named).unwrap_or_else(|| panic!("no {name}"));
    let id = |event: &Value| (event["pid"].as_u64(), event["tid"].as_u64());
    let own = events.iter().filter(|event| event["ph"] == "X" && id(event) == id(track));
    own.map(|event| place(event).1).map(|[from, to]| (to - from) * clock_mhz / 1000).sum()
}

/// What tracks show of the phases of a run is what is counted.
#[test]
fn tracks_of_phases_are_as_long_as_their_counters() {
    let ahead = [("command_processor.ahead", "true"), ("machine.clock_mhz", "1000")];
    let set = [&ahead[..], &[("l2.design", "cpelide")]].concat();
    let run = run(&system("cpelide-4-small", &set), built_in("lu", 64));
    let events = events(&run);
    let mut sum = 0;
    for (name, text) in machine::PHASES.iter().filter(|(name, _)| *name != "idle") {
        let counted = run.counters[&format!("launch.cycles.{name}")];
        assert!(counted > 0, "{text}");
        assert_eq!(on_track(&events, text, 1000), counted, "{text}");
        sum += counted;
    }
    assert_eq!(sum, run.cycles);
    let queued: u64 = run.launches.iter().map(|launch| launch.turn - launch.submitted).sum();
    assert!(queued > 0);
}

/// A launch that is decided ahead begins before the one in front has completed.
#[test]
fn launches_that_overlap_do_not_share_a_track() {
    let run = run(&system("cpelide-4-small", &[("design", "cpelide")]), built_in("lu", 64));
    let overlap = |pair: &[report::Launch]| {
        Some(pair[1].submitted) < pair[0].launched && pair[0].launched < pair[1].launched
    };
    assert!(run.launches.windows(2).any(overlap), "{:?}", run.launches);
    check(&run, &events(&run));
}
