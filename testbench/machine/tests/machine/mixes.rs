//! Every block's every body beside every other's, in a machine with long quiet times: who leaves a
//! body alone, and who wakes it, changes nothing.

use std::collections::BTreeSet;

use cosim::body::BodyKind;
use machine::{Bodies, Cp, Options, System, plan};
use traces::trace::{Access, AccessKind, KernelSpec, Key, Reader, Record, Recorder, Work};

use super::cover::{covering, product};
use super::{Outcome, run_on, system, timestamps};

/// Longer than any body that cannot tell must be watched.
const QUIET: u32 = 140_000;
/// For machines of which some block's clock goes on: it is never left alone.
const SHORT: u32 = 4000;
/// Cycles of an instruction between accesses.
const GAP_CYCLES: u32 = 1000;
const GROUPS: u32 = 12;
const PAGE: u64 = 4096;

/// Each work-group stores a word into its page, and later into another's; two kernels. The second
/// loads what the first has stored. Between its stores a work-group of the first waits for these
/// cycles, one of the second for at most [`SHORT`]: the first has idled for long by then.
fn quiet_program(quiet: u32) -> Reader {
    let mut recorder = Recorder::in_memory("quiet").unwrap();
    let data = recorder.alloc("data", u64::from(2 * GROUPS) * PAGE).unwrap();
    for kernel in 0..2u32 {
        let (grid, local) = ([GROUPS, 1, 1], [1, 1, 1]);
        let name = format!("quiet{kernel}");
        recorder.begin_kernel(KernelSpec { name, grid, local, ..KernelSpec::default() }).unwrap();
        for group in 0..GROUPS {
            recorder.begin_group().unwrap();
            let other = GROUPS + (group + 5) % GROUPS;
            let word = |kernel: u32, page: u32| (kernel << 16 | page).to_le_bytes();
            let mut access = |pc, kind, page: u32, bytes: [u8; 4], gap| {
                let key = Key { pc, ..Key::default() };
                let addr = data + u64::from(page) * PAGE + 64;
                recorder
                    .access(&Access {
                        item: 0,
                        key,
                        kind,
                        addr,
                        bytes: &bytes,
                        work: Work::of(gap),
                        ..Access::default()
                    })
                    .unwrap();
            };
            if kernel > 0 {
                // By another group, on another chiplet.
                let page = (group + 7) % GROUPS;
                access(0, AccessKind::Load, page, word(0, page), 1);
            }
            if kernel == 0 {
                access(1, AccessKind::Store, group, word(0, group), 1);
            }
            let gap = [quiet, SHORT][kernel as usize] / GAP_CYCLES;
            access(2, AccessKind::Store, other, word(kernel, other), gap);
            recorder.end_group().unwrap();
        }
        recorder.end_kernel().unwrap();
    }
    Reader::from_bytes(recorder.into_bytes().unwrap(), "quiet").unwrap()
}

/// Machines which together have every block, most of three chiplets in a GPU; and for how long each
/// is quiet.
fn machines() -> Vec<(System, u32)> {
    let gap = GAP_CYCLES.to_string();
    let all = [
        ("machine.chiplets", "3"),
        ("machine.cus", "2"),
        ("l3.bytes", "196608"),
        ("placement.policy", "interleave"),
        ("cu.gap_cycles", &gap),
    ];
    let two_gpus = [("machine.gpus", "2"), ("l1.design", "test-queue"), ("l2.design", "rec")];
    let epochs = [("l1.design", "stc-mb"), ("l2.policy", "home-forward"), ("stc.link", "3")];
    // The blocks' configuration `odd`.
    let races = [
        ("l1.design", "race-spec"),
        ("l2.policy", "home-forward"),
        ("machine.line", "128"),
        ("machine.cus", "1"),
        ("l1.ways", "1"),
        ("l1.bytes", "128"),
        ("race_detection.m", "4096"),
        ("race_detection.n_sat", "3"),
        ("race_detection.hits", "1"),
        ("race_detection.epoch_w", "2"),
        ("race_detection.slq_n", "3"),
        ("race_detection.rq_n", "1"),
        ("race_detection.lanes", "2"),
        ("race_detection.v_lanes", "3"),
    ];
    let sharing = [
        ("cu.scheduler", "q8_adpt"),
        ("sharing.l1", "sharing-aware"),
        ("sharing.l2", "sharing-aware"),
        ("l1.ways", "4"),
        ("l2.ways", "5"),
        ("l2.bytes", "2560"),
        ("l2.misses", "5"),
    ];
    let of_three = |own: &[_]| (system("cpelide-2-small", &[&all[..], own].concat()), QUIET);
    let of_timestamps = |design, quiet, more: &[_]| {
        let own = [("l1.design", design), ("l2.design", "own"), ("cu.gap_cycles", &gap[..])];
        (system("fermi-16sm-8p-small", &[&own[..], timestamps::TIGHT, more].concat()), quiet)
    };
    let both = [("sharing.l1", "sharing-aware"), ("sharing.l2", "sharing-aware")];
    vec![
        of_three(&two_gpus),
        of_three(&epochs),
        of_three(&races),
        of_three(&sharing),
        of_timestamps("gtsc-rc", QUIET, &[]),
        of_timestamps("tc-strong", SHORT, &both),
    ]
}

#[test]
fn every_body_beside_every_other_gives_the_models_run_over_long_quiet_times() {
    if firmware::image::ELVES.is_empty() || bodies::ready("command_processor").is_err() {
        return eprintln!("skipped: no firmware image, or no RTL of the core");
    }
    let mut seen = BTreeSet::new();
    for (system, quiet) in machines() {
        seen.extend(every_mix_is_the_same(&system, quiet));
    }
    let all = cosim::blocks::all().into_iter().map(|block| block.name);
    let missing: Vec<_> = all.filter(|name| !seen.contains(name)).collect();
    assert!(missing.is_empty(), "no machine has {missing:?}");
}

/// Gives the blocks of the machine.
fn every_mix_is_the_same(system: &System, quiet: u32) -> Vec<&'static str> {
    let program = quiet_program(quiet);
    let models = Bodies::default().with_cp(Cp::Core(BodyKind::Model));
    let sockets = plan(system, &models).unwrap();
    let first = sockets.first_of_each();
    let blocks: Vec<_> = first.into_iter().map(|number| sockets.block(number).name).collect();
    let run = |bodies: &Bodies, visit_all: bool| -> Outcome {
        let options = Options { visit_all, ..Options::default() };
        run_on(system, bodies, &program, options).unwrap_or_else(|e| panic!("{bodies:?}: {e}"))
    };
    let model = run(&models, false);
    assert!(model.cycles > u64::from(quiet + SHORT), "{} cycles", model.cycles);
    assert_eq!(run(&models, true), model, "without skipping");
    for (number, row) in
        covering(product(&vec![BodyKind::ALL.len(); blocks.len()])).into_iter().enumerate()
    {
        let mut bodies = models.clone();
        for (block, kind) in blocks.iter().zip(row) {
            bodies = bodies.with(block, BodyKind::ALL[kind]);
        }
        // Some also without skipping, which takes long.
        assert_eq!(run(&bodies, false), model, "{bodies:?}");
        if number % 6 == 0 {
            assert_eq!(run(&bodies, true), model, "{bodies:?} without skipping");
        }
    }
    blocks
}
