//! A machine that does not wait for what a stream waits for is found.

use traces::kernels::{Device, Launch, at, chunk};

use super::*;

/// Elements of the vector.
const N: usize = 4096;

/// Stream 0 squares a vector again and again, stream 1 copies it behind it, and the host reads the
/// copy.
fn squares() -> Reader {
    let mut recorder = Recorder::in_memory("squares").unwrap();
    let device = &mut Device::new(&mut recorder);
    device.streams(2).unwrap();
    let a = device.upload("a", &(1..=N as u32).collect::<Vec<_>>()).unwrap();
    let b = device.alloc::<u32>("b", N).unwrap();
    for _ in 0..2 {
        let launch = Launch::line("square", N, 64).write_part("a", &a, chunk(64));
        device
            .each(launch, |it| {
                let v = it.load(at(1, 1), &a, it.x);
                it.store(at(2, 1), &a, it.x, v.wrapping_mul(*v));
            })
            .unwrap();
    }
    device.wait(1, 0).unwrap();
    device.use_stream(1);
    let launch = Launch::line("copy", N, 64).read_part("a", &a, chunk(64));
    device
        .each(launch.write_part("b", &b, chunk(64)), |it| {
            let v = it.load(at(1, 1), &a, it.x);
            it.store(at(2, 1), &b, it.x, *v);
        })
        .unwrap();
    device.read(&b).unwrap();
    Reader::from_bytes(recorder.into_bytes().unwrap(), "squares").unwrap()
}

/// The host leaves events out.
fn without(machine: &mut Machine, leave_out: impl Fn(&Event) -> bool) {
    while let Some(event) = machine.ctx.program.next_event().unwrap() {
        if !leave_out(&event) {
            machine.upcoming.push_back(event);
        }
    }
}

#[test]
fn wait_that_is_left_out_gives_a_wrong_value() {
    for design in ["software", "cpelide", "hmg", "rec"] {
        let run = |waits: bool| {
            let set = [("l2.design", design)];
            let mut machine = machine("cpelide-4-small", &set, squares());
            without(&mut machine, |event| !waits && matches!(event, Event::Wait { .. }));
            machine.run()
        };
        run(true).unwrap();
        let error = run(false).unwrap_err();
        let RunError::Wrong(text, wrong) = &error else { panic!("{design}: {error:?}") };
        assert!(wrong.kernel == (2, "copy".into()), "{design}: {text}");
    }
}

#[test]
fn programs_of_several_streams_have_one_thread() {
    let threads = |program| {
        let mut machine = machine("cpelide-4-small", &[], program);
        machine.options.threads = 2;
        machine.threads()
    };
    assert_eq!((threads(squares()), threads(program("stream", 1024))), (1, 2));
}

/// Streams run on their own chiplets, and each kernel is done once.
#[test]
fn work_groups_run_on_the_chiplets_of_their_stream() {
    let mut machine = machine("cpelide-4-small", &[("l2.design", "cpelide")], squares());
    machine.run().unwrap();
    assert_eq!(machine.kernels(), 3);
    let groups: Vec<_> = machine
        .parts
        .iter()
        .filter_map(|part| match part {
            Part::Local(local) => Some(local.groups),
            _ => None,
        })
        .collect();
    let of_kernel = (N / 64 / 2) as u64;
    assert_eq!(groups, [2 * of_kernel, 2 * of_kernel, of_kernel, of_kernel]);
}
