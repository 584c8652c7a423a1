//! STC: epochs over the whole machine (STC specification 5.6, 5.7, 8, 12).

use cosim::body::BodyKind;
use machine::design::{
    self, Callbacks, Cycle, Design, Handle, IssuePolicy, L1, Message, Port, registered,
};
use machine::{Bodies, Options, RunError, systems};
use traces::kernels::{PROGRAMS, Params};
use traces::trace::Reader;

use super::{Outcome, built_in, by_default, passes, run, run_on, system};

const VARIANTS: [&str; 4] = ["stc-nv", "stc-es", "stc-ab", "stc-mb"];

fn count(outcome: &Outcome, name: &str) -> u64 {
    let mut found = outcome.statistics.iter().filter(|(counter, _)| counter == name);
    found.next().unwrap_or_else(|| panic!("there is no {name}")).1
}

fn small(name: &str, iterations: u32) -> Reader {
    let params = traces::kernels::program::<()>(name).unwrap().params();
    built_in(name, &Params { size: 96, iterations, ..params })
}

/// Lines out of their epoch are compared with the L2 in every cycle. An L1 far smaller than the
/// data, and links that differ from the paper's, beside it.
#[test]
fn lines_out_of_their_epoch_equal_the_l2_in_every_cycle() {
    let own: [&[_]; 3] = [
        &[("stc.link", "0")],
        &[("l1.bytes", "2048"), ("l1.ways", "2"), ("stc.seb_min", "6"), ("stc.seb_init", "6")],
        &[("stc.link", "5"), ("stc.wakeup", "40"), ("stc.bsq_n", "64"), ("stc.bsq_banks", "4")],
    ];
    for (number, program) in PROGRAMS.iter().enumerate() {
        let set = [&[("l1.design", VARIANTS[number % 4])], own[number % 3]].concat();
        let machine = system("stc-8cu-small", &set);
        let options = Options { compare_lines: 1, ..Options::default() };
        let outcome = run(&machine, &by_default(program.name), options);
        outcome.unwrap_or_else(|e| panic!("{} with {set:?}: {e}", program.name));
    }
}

/// What the designs do is reached.
#[test]
fn each_variant_does_what_the_one_before_does_not() {
    let runs = VARIANTS.map(|variant| {
        let set = [
            ("l1.design", variant),
            ("l1.bytes", "16384"),
            ("stc.seb_min", "6"),
            ("stc.seb_init", "6"),
        ];
        let machine = system("stc-8cu-small", &set);
        let programs = ["hotspot3d", "pagerank", "lu"];
        programs.map(|name| passes(&machine, &by_default(name)))
    });
    let sum = |variant: usize, name: &str| -> u64 {
        runs[variant].iter().map(|run| count(run, &format!("l1.{name}"))).sum()
    };
    for (variant, name) in VARIANTS.iter().enumerate() {
        for reached in [
            "hits",
            "uncached_loads",
            "stores_direct",
            "stores_blocked",
            "invalidated_lazily",
            "invalidated_by_sweep",
            "demoted_fills",
            "drain_cycles",
        ] {
            assert!(sum(variant, reached) > 0, "{name}: {reached}");
        }
    }
    // A store is sent in its band's epoch, in which the first look at the set has dropped the line.
    assert_eq!([0, 1, 2, 3].map(|v| sum(v, "invalidated_by_stores")), [0; 4]);
    assert_eq!([0, 1].map(|v| sum(v, "epoch_demands") > 0), [false, true]);
    assert!(sum(1, "epoch_transitions") < sum(0, "epoch_transitions"));
    let votes = |v| sum(v, "epoch_votes_up") + sum(v, "epoch_votes_down");
    assert_eq!([1, 2, 3].map(|v| votes(v) > 0), [false, true, true]);
    assert_eq!([2, 3].map(|v| sum(v, "epochs_of_2_bands") > 0), [false, true]);
}

/// A kernel finds what the one before it has left, unless something was written past the L1s.
#[test]
fn l1s_keep_their_lines_from_kernel_to_kernel() {
    let dropped = |l2: &str| {
        let set = [("l1.design", "stc-es"), ("l2.design", l2)];
        let outcome = passes(&system("stc-8cu-small", &set), &by_default("reuse"));
        count(&outcome, "l1.invalidated_lines")
    };
    assert_eq!(dropped("cpelide"), 0);
    assert!(dropped("software") > 0);
}

#[test]
fn blocks_as_rtl_and_in_lockstep_give_the_same_run() {
    for variant in ["stc-nv", "stc-mb"] {
        let machine = system("stc-8cu-small", &[("l1.design", variant), ("stc.link", "2")]);
        let program = small("pagerank_push", 1);
        let models = passes(&machine, &program);
        let all = Options { visit_all: true, ..Options::default() };
        assert_eq!(run(&machine, &program, all).unwrap(), models, "{variant} without skipping");
        let mixes: [&[_]; 4] = [
            &[("epoch_manager", BodyKind::Rtl)],
            &[("*/cu1/epoch_agent", BodyKind::Rtl)],
            &[("epoch_agent", BodyKind::Rtl), ("epoch_manager", BodyKind::Lockstep)],
            &[("epoch_agent", BodyKind::Lockstep), ("epoch_manager", BodyKind::Rtl)],
        ];
        for mix in mixes {
            let bodies = mix.iter().fold(Bodies::default(), |all, (of, kind)| all.with(of, *kind));
            match run_on(&machine, &bodies, &program, Options::default()) {
                Ok(outcome) => assert_eq!(outcome, models, "{variant}: {mix:?}"),
                Err(RunError::Build(error)) => return eprintln!("skipped: {error}"),
                Err(error) => panic!("{variant}: {mix:?}: {error}"),
            }
        }
    }
}

#[test]
fn machines_and_parameters_that_cannot_be_are_refused_by_field() {
    let refused = |preset: &str, set: &[(&str, &str)]| {
        let set: Vec<_> = set.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
        systems::load(preset, &set).unwrap_err().to_string()
    };
    for (preset, set, parts) in [
        ("rec-4gpu-small", &[][..], ["machine.gpus: 4: must be 1", "l1.design = stc-mb"]),
        ("cpelide-4-small", &[("l2.policy", "private")], ["l2.policy", "several L2s"]),
        ("cpelide-4-small", &[("l2.design", "rec")], ["l2.design", "several L2s"]),
        ("stc-8cu", &[("machine.cus", "33")], ["machine.cus: 33 CUs", "1 to 32"]),
        ("stc-8cu", &[("stc.seb_min", "5")], ["stc.seb_min: 5", "at least 6"]),
        ("stc-8cu", &[("stc.wakeup", "20")], ["stc.wakeup: 20", "at least 24"]),
        ("stc-8cu", &[("stc.bsq_n", "32")], ["stc.bsq_n: 32", "64, cu.lanes"]),
        ("stc-8cu", &[("stc.bsq_n", "96")], ["stc.bsq_n: 96", "a power of 2"]),
        ("stc-8cu", &[("stc.link", "17")], ["stc.link: 17", "0 to 16"]),
        ("stc-8cu", &[("stc.max_bands", "5")], ["stc.max_bands: 5", "1 to 4"]),
        ("stc-8cu", &[("stc.variant", "1")], ["stc.variant", "no such field"]),
    ] {
        let home = [("l1.design", "stc-mb"), ("l2.policy", "home-forward")];
        let error = refused(preset, &[&home[..], set].concat());
        assert!(parts.iter().all(|part| error.contains(part)), "{set:?}: {error}");
    }
}

inventory::submit! { registered(MUTE) }

/// `stc-mb`; in a system called `mute` the first CU's agent does not answer from some cycle on.
const MUTE: Design = Design {
    name: "test-stc-mute",
    about: "for tests: stc-mb, in some machines with a CU that does not answer",
    sections: &[design::STC_SECTION],
    core: |make| {
        let first = make.number == 0 && make.system.name == "mute";
        let inner = (stc_mb().core)(make)?;
        Ok(Box::new(Mute { inner, first }))
    },
    check: |machine| (stc_mb().check)(machine),
    unit: Some(|make, ports| (stc_mb().unit.expect("it has one"))(make, ports)),
    ..design::SRC
};

fn stc_mb() -> &'static Design {
    design::find("stc-mb").expect("it is a design")
}

#[derive(Debug)]
struct Mute {
    inner: Box<dyn L1>,
    first: bool,
}

/// Its cycle does not end any more.
const MUTE_FROM: Cycle = 6000;

impl L1 for Mute {
    fn request(&mut self, port: &mut Port, request: Handle<Message>) -> bool {
        self.inner.request(port, request)
    }

    fn answer(&mut self, port: &mut Port, message: Handle<Message>) {
        self.inner.answer(port, message);
    }

    fn acquire(&mut self, port: &mut Port, past: bool) -> bool {
        self.inner.acquire(port, past)
    }

    fn callbacks(&self) -> Callbacks {
        self.inner.callbacks()
    }

    fn issue_policy(&self) -> IssuePolicy {
        self.inner.issue_policy()
    }

    fn end_cycle(&mut self, port: &mut Port) {
        if !self.first || port.ctx.now < MUTE_FROM {
            self.inner.end_cycle(port);
        }
    }

    fn waits_for(&self) -> Option<String> {
        self.inner.waits_for()
    }
}

#[test]
fn agent_that_never_answers_ends_in_a_deadlock_that_names_it() {
    let machine = system("stc-8cu-small", &[("l1.design", "test-stc-mute"), ("name", "mute")]);
    match run(&machine, &by_default("jacobi2d"), Options::default()) {
        Err(RunError::Deadlock { report, .. }) => {
            assert!(report.contains("the epoch manager waits for ready"), "{report}");
        }
        other => panic!("{other:?}"),
    }
}
