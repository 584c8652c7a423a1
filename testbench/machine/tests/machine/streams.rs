//! Programs of several streams: their kernels overlap where nothing waits, whatever the L2 design.

use cosim::body::BodyKind;
use machine::{Bodies, Cp, Options, System};
use traces::kernels::{self, Device, Launch, Params, at, chunk};
use traces::trace::{Reader, Recorder};

use super::{Outcome, built_in, passes, run_on, system};

/// Elements of a vector.
const N: usize = 2048;

/// Two vectors that are added to, each in a stream and on half of the chiplets, five times; if so
/// told one stream waits for the other each time.
fn two(waits: bool) -> Reader {
    let mut recorder = Recorder::in_memory("two").unwrap();
    let device = &mut Device::new(&mut recorder);
    device.streams(2).unwrap();
    let vectors = ["a", "b"].map(|name| device.upload(name, &[7u32; N]).unwrap());
    for _ in 0..5 {
        for (stream, vector) in (0..).zip(&vectors) {
            if waits {
                device.wait(stream, 1 - stream).unwrap();
            }
            device.use_stream(stream);
            let launch = Launch::line("add", N, 64).write_part("v", vector, chunk(64));
            device
                .each(launch, |it| {
                    let v = it.load(at(1, 40), vector, it.x);
                    it.store(at(2, 1), vector, it.x, *v + 1);
                })
                .unwrap();
        }
    }
    vectors.iter().for_each(|vector| drop(device.read(vector).unwrap()));
    Reader::from_bytes(recorder.into_bytes().unwrap(), "two").unwrap()
}

fn jobs(name: &str, size: u32) -> Reader {
    let params = kernels::program::<()>(name).unwrap().params();
    built_in(name, &Params { size, iterations: 2, ..params })
}

/// One GPU of four chiplets under each design that can. Decisions, which the one command processor
/// takes for all streams, are short.
fn systems() -> Vec<System> {
    let short =
        [("command_processor.packet_cycles", "50"), ("command_processor.elide_cycles", "50")];
    let system = |set: &[_]| super::system("cpelide-4-small", &[set, &short].concat());
    let policies = ["private", "home-forward"];
    let tables = policies.into_iter().flat_map(|policy| {
        let designs = [("software", "false"), ("cpelide", "false"), ("cpelide", "true")];
        designs.map(|(l2, ahead)| {
            let ahead = ("command_processor.ahead", ahead);
            system(&[("l2.design", l2), ("l2.policy", policy), ahead])
        })
    });
    let aware = [
        ("l2.design", "cpelide"),
        ("l2.policy", "home-forward"),
        ("command_processor.home_aware", "true"),
        ("command_processor.ahead", "true"),
    ];
    let directories = ["directory", "hmg", "rec", "ideal"];
    let directories = directories.map(|l2| system(&[("l2.design", l2)]));
    tables.chain(directories).chain([system(&aware)]).collect()
}

fn name(system: &System) -> String {
    let c = &system.command_processor;
    format!("{} {} {} {}", system.l2.design, system.l2.policy, c.ahead, c.home_aware)
}

#[test]
fn streams_overlap_under_every_design() {
    let [apart, in_turn] = [two(false), two(true)];
    for system in systems() {
        let [together, one_by_one] = [&apart, &in_turn].map(|program| passes(&system, program));
        let share = together.cycles as f64 / one_by_one.cycles as f64;
        println!("{:<32} {share:.3} of {} cycles", name(&system), one_by_one.cycles);
        // Two halves of the machine that do not wait for each other.
        assert!(share < 0.75, "{}: {share}", name(&system));
        assert_eq!(together.checked, one_by_one.checked);
    }
}

/// Streams that share CUs, L1s and L2s.
#[test]
fn streams_share_the_only_chiplet() {
    let set = [("machine.chiplets", "1"), ("l2.design", "software")];
    let system = system("cpelide-4-small", &set);
    let [together, one_by_one] = [two(false), two(true)].map(|program| passes(&system, &program));
    assert!(together.cycles < one_by_one.cycles, "{} {}", together.cycles, one_by_one.cycles);
}

#[test]
fn jobs_pass_under_every_design() {
    for program in [jobs("stream_jobs", 2048), jobs("mixed_jobs", 2048)] {
        for system in systems() {
            passes(&system, &program);
        }
    }
}

/// Sequential consistency is checked, or the L1 design may not: one kernel after another.
#[test]
fn streams_take_turns_where_kernels_cannot_overlap() {
    let [apart, in_turn] = [two(false), two(true)];
    for set in [
        &[("l1.design", "stc-nv")][..],
        &[("l1.design", "race-spec")],
        &[("machine.gpus", "2"), ("egress.design", "finepack")],
    ] {
        let preset = if set[0].0 == "l1.design" { "stc-8cu-small" } else { "cpelide-2-small" };
        let preset = if set[0].1 == "race-spec" { "fermi-16sm-small" } else { preset };
        let system = system(preset, set);
        let [one, other] = [&apart, &in_turn].map(|program| passes(&system, program).cycles);
        assert_eq!(one, other, "{set:?}");
    }
}

#[test]
fn hosts_of_the_firmware_and_bodies_agree_with_several_streams() {
    if firmware::image::ELVES.is_empty() || bodies::ready("command_processor").is_err() {
        return eprintln!("skipped: no firmware image, or no RTL of the core");
    }
    let program = jobs("mixed_jobs", 512);
    for system in systems().into_iter().filter(|system| system.l2.design == "cpelide") {
        let run = |bodies: &Bodies| -> Outcome {
            run_on(&system, bodies, &program, Options::default())
                .unwrap_or_else(|e| panic!("{}: {e}", name(&system)))
        };
        run(&Bodies::default());
        let simulated = run(&Bodies::default().with_cp(Cp::Core(BodyKind::Model)));
        let all = Bodies::all(BodyKind::Lockstep).with_cp(Cp::Core(BodyKind::Lockstep));
        assert_eq!(run(&all), simulated, "{}", name(&system));
    }
}
