//! What can only be seen inside a machine.

use super::*;
use crate::kernels::{self, KernelError, Params};
use crate::systems;
use crate::trace::Recorder;

fn program(name: &str, size: u32) -> Reader {
    let params = kernels::program::<()>(name).unwrap().params();
    let params = Params { size, iterations: 1, ..params };
    let mut recorder = Recorder::in_memory(name).unwrap();
    let run: Result<(), KernelError<_>> = kernels::run(name, &params, &mut recorder);
    run.unwrap();
    Reader::from_bytes(recorder.into_bytes().unwrap(), name).unwrap()
}

fn machine(preset: &str, set: &[(&str, &str)], program: Reader) -> Machine {
    let set: Vec<_> = set.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
    let system = systems::load(preset, &set).unwrap();
    Machine::new(&system, &Bodies::default(), program, Options::default()).unwrap()
}

/// Replaces a component by one that does nothing: its channels are never popped.
fn stop(machine: &mut Machine, which: impl Fn(&Part) -> bool) {
    let part = machine.parts.iter_mut().find(|part| which(part)).unwrap();
    *part = Part::Nothing;
}

fn deadlock(machine: &mut Machine) -> String {
    match machine.run() {
        Err(RunError::Deadlock { cycle, report }) => {
            assert!(cycle > 0);
            report
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn bank_that_pops_nothing_is_found_by_the_report() {
    let set = [("network.queue", "1"), ("machine.chiplets", "1")];
    let mut machine = machine("stc-8cu-small", &set, program("stream", 4096));
    stop(&mut machine, |part| matches!(part, Part::Bank(_)));
    // It answers no acquire: nothing but the command waits.
    let report = deadlock(&mut machine);
    let command = "gpu0.chiplet0.l2.bank0.orders: 1 of 5 held; first Sync(Sync { release: false, acquire: true })";
    assert!(report.starts_with(command), "{report}");
    assert!(report.contains("gpu0.chiplet0.l2.bank0.orders -> component"), "{report}");
}

/// The network below the L2 stands still: the chain leads from the CU over the bank to it.
#[test]
fn router_that_pops_nothing_is_found_at_the_end_of_the_chain() {
    let set =
        [("network.queue", "1"), ("l2.misses", "64"), ("l2.banks", "1"), ("l1.design", "none")];
    let mut machine = machine("stc-8cu-small", &set, program("stream", 4096));
    let routers = machine.parts.iter().enumerate().filter(|(_, p)| matches!(p, Part::Router(_)));
    let below = routers.map(|(at, _)| at).nth(2).unwrap();
    machine.parts[below] = Part::Nothing;
    let report = deadlock(&mut machine);
    // Every queue on the way is named, with the message at its head.
    let line = |name: &str| {
        let line = report.lines().find(|line| line.starts_with(name));
        line.unwrap_or_else(|| panic!("{name} in {report}"))
    };
    let asked = line("gpu0.chiplet0.l2.bank0.request.in: ");
    assert!(asked.contains(" from gpu0.chiplet0.cu"), "{asked}");
    let fetch = line("gpu0.chiplet0.l2.bank0.memory: ");
    let first = "first Read of line 0x";
    assert!(fetch.contains(first) && fetch.contains(" from gpu0.chiplet0.l2.bank0 to "), "{fetch}");
    let chain = report.lines().last().unwrap();
    let end = format!(
        "gpu0.chiplet0.l2.bank0.request.in -> gpu0.chiplet0.l2.bank0.memory -> component {below} waits \
         for no channel"
    );
    assert!(chain.ends_with(&end), "{report}");
}

#[test]
fn limit_of_cycles_is_an_error_of_its_own() {
    let options = Options { max_cycles: 500, ..Options::default() };
    let system = systems::load("stc-8cu-small", &[]).unwrap();
    let program = program("stream", 4096);
    let mut machine = Machine::new(&system, &Bodies::default(), program, options).unwrap();
    assert!(matches!(machine.run(), Err(RunError::CycleLimit(500))));
    assert!(machine.cycle() <= 500);
}

/// Bytes by class that come into each router leave it.
#[test]
fn routers_pass_on_every_byte_in_its_class() {
    let preset = |gpus| [("machine.gpus", gpus), ("network.sector_bytes", "16")];
    for (gpus, name, size) in
        [("1", "stream", 4096), ("2", "pagerank_push", 256), ("2", "locks", 64)]
    {
        for policy in ["private", "home-forward"] {
            let set = [&preset(gpus)[..], &[("l2.policy", policy)]].concat();
            let mut machine = machine("cpelide-2-small", &set, program(name, size));
            machine.run().unwrap();
            let mut routers = 0;
            for at in
                (0..machine.parts.len()).filter(|&i| matches!(machine.parts[i], Part::Router(_)))
            {
                let id = ComponentId(at as u32);
                let (mut came, mut left) = ([0; 6], [0; 6]);
                let (mut messages_in, mut messages_out) = (0, 0);
                for (spec, messages, bytes) in machine.ctx.channels.iter() {
                    if spec.consumer == id {
                        came.iter_mut().zip(bytes).for_each(|(sum, more)| *sum += more);
                        messages_in += messages;
                    }
                    if spec.producer == id {
                        left.iter_mut().zip(bytes).for_each(|(sum, more)| *sum += more);
                        messages_out += messages;
                    }
                }
                assert_eq!((came, messages_in), (left, messages_out), "router {at}");
                routers += u32::from(messages_in > 0);
            }
            assert!(routers >= 6, "{routers} routers carried something");
        }
    }
}

#[test]
fn every_statistic_that_has_a_value_is_declared() {
    let set = [("machine.gpus", "2"), ("l2.policy", "home-forward")];
    let mut machine = machine("cpelide-2-small", &set, program("kmeans", 64));
    machine.run().unwrap();
    let declared = |name: &str| {
        super::super::STATISTICS.iter().any(|s| match s.name.strip_suffix('*') {
            Some(start) => name.starts_with(start),
            None => s.name == name,
        })
    };
    for (name, _) in machine.statistics() {
        assert!(declared(&name), "{name} has no unit and meaning");
    }
}
