//! What CPElide's firmware decides. Every run of `l2.design = "cpelide"` compares it with the
//! table's reference; here more programs and numbers of chiplets are run, and the hosts of the
//! firmware must decide alike, however long each takes.
//!
//! With `DUET_SOAK` in the environment (`make soak`) all programs are run on all hosts, on 2 to 8
//! chiplets.

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;

use cosim::body::BodyKind;
use machine::{Bodies, Chiplets, Cp, Machine, Options, System};
use traces::kernels::PROGRAMS;
use traces::trace::Reader;

use super::{MOST_CYCLES, built_in, by_default, passes, system};

const POLICIES: [&str; 2] = ["private", "home-forward"];

fn cpelide(chiplets: u16, policy: &str) -> System {
    let name = format!("cpelide-{chiplets}-small");
    system(&name, &[("l2.design", "cpelide"), ("l2.policy", policy)])
}

/// The captured program that comes with the project.
fn kept_capture() -> Reader {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces/workloads/bfs.trace");
    Reader::open(&path).unwrap()
}

#[test]
fn every_program_passes_on_two_and_eight_chiplets() {
    let programs = PROGRAMS.iter().map(|program| by_default(program.name));
    for program in programs.chain([kept_capture()]) {
        for chiplets in [2, 8] {
            for policy in POLICIES {
                passes(&cpelide(chiplets, policy), &program);
            }
        }
    }
}

/// What was decided for a packet: kernel, and releases and acquires before and after it.
type Decision = (Option<u32>, [Chiplets; 2], [Chiplets; 2]);

fn decisions(system: &System, cp: Cp, program: &Reader) -> Vec<Decision> {
    let bodies = Bodies::default().with_cp(cp);
    let options = Options { max_cycles: MOST_CYCLES, ..Options::default() };
    let mut machine = Machine::new(system, &bodies, program.reopen().unwrap(), options).unwrap();
    let all = Rc::new(RefCell::new(Vec::new()));
    let to = all.clone();
    machine.on_packet(move |audited| {
        let packet = audited.packet;
        let [before, after] = [&packet.before, &packet.after].map(|o| [o.release, o.acquire]);
        to.borrow_mut().push((packet.kernel, before, after));
    });
    let name = cp.name();
    machine.run().unwrap_or_else(|e| panic!("{} on {} {name}: {e}", program.name(), system.name));
    drop(machine);
    Rc::into_inner(all).unwrap().into_inner()
}

#[test]
fn hosts_of_the_firmware_decide_alike() {
    if firmware::image::ELVES.is_empty() {
        return eprintln!("skipped: this build has no firmware image");
    }
    let soak = std::env::var_os("DUET_SOAK").is_some();
    let mut programs: Vec<_> = match soak {
        true => PROGRAMS.iter().map(|program| by_default(program.name)).collect(),
        false => ["reuse", "pagerank_push"].map(by_default).into(),
    };
    let params = traces::kernels::program::<()>("lu").unwrap().params();
    programs.push(built_in("lu", &traces::kernels::Params { size: 48, ..params }));
    let mut hosts = vec![BodyKind::Model];
    if soak {
        programs.push(kept_capture());
        if bodies::ready("command_processor").is_ok() {
            hosts.push(BodyKind::Rtl);
        }
    }
    let mut systems = vec![(2, POLICIES[0]), (4, POLICIES[1])];
    if soak {
        systems = [2, 4, 6, 7, 8].into_iter().flat_map(|n| POLICIES.map(|p| (n, p))).collect();
    }
    for program in programs {
        for &(chiplets, policy) in &systems {
            let system = cpelide(chiplets, policy);
            let native = decisions(&system, Cp::Native, &program);
            let sends = |(_, before, after): &Decision| {
                before.iter().chain(after).any(|chiplets| chiplets.count() > 0)
            };
            assert!(native.iter().any(sends), "{}: no operation", program.name());
            for &host in &hosts {
                let (name, other) = (program.name(), decisions(&system, Cp::Core(host), &program));
                assert_eq!(other, native, "{name} on {}: {}", system.name, host.name());
            }
        }
    }
}
