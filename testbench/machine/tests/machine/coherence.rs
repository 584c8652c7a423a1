//! A release under a directory: no CU reads an old copy after it, however long invalidations are
//! on their way.

use machine::systems::Shape;
use machine::{Options, has_policy};
use traces::workloads::program::{Area, Kernel, Labels, Place, Program, Step, What, Who};

use super::{all, run};

/// The lines of page 0, which lies on the first chiplet.
fn each(what: What, group: u32, backwards: bool) -> Vec<Step> {
    let offsets: Vec<_> = (0..Area::default().window).step_by(16).collect();
    let access = |&offset: &u64| {
        let place = Place { page: 0, offset, per_item: 0, per_group: 0, page_by_group: false };
        Step::Access { what, who: Who::Group(group), place, size: 4, aligned: true, gap: 0 }
    };
    if backwards {
        offsets.iter().rev().map(access).collect()
    } else {
        offsets.iter().map(access).collect()
    }
}

/// The last group reads the lines, group `writer` writes them, the last group reads them again,
/// under each design with a directory. A group runs on each chiplet.
fn passes(shape: &Shape, writer: u32) {
    let groups = u32::from(shape.gpus * shape.chiplets);
    let kernel = |steps: Vec<Step>| Kernel {
        labels: Labels::None,
        writes: Vec::new(),
        groups,
        items: 1,
        steps,
        read: false,
    };
    let last = groups - 1;
    let program = Program(vec![
        kernel(each(What::Load, last, false)),
        kernel(each(What::Store, writer, false)),
        kernel(each(What::Load, last, true)),
    ]);
    for l2_design in all("l2.design").into_iter().filter(|design| !has_policy(design)) {
        for through in [false, true] {
            let shape = Shape { l2_design: l2_design.clone(), through, ..shape.clone() };
            run(&shape.system(), &program.record(), Options::default())
                .unwrap_or_else(|e| panic!("{l2_design}, {writer} writes, {through}: {e}"));
        }
    }
}

/// Kernels follow each other at once, networks are narrow.
fn shape() -> Shape {
    let l2 = ("private".into(), 4, 4, 1, 8, 2);
    let (network, chiplet_link) = ((2, 2, 4, 1), (400, 4, 1, 1));
    Shape { l2, network, chiplet_link, command_processor: (0, 1, 0), ..Shape::default() }
}

#[test]
fn release_waits_for_invalidations_between_chiplets() {
    passes(&Shape { chiplets: 2, ..shape() }, 0);
    passes(&Shape { chiplets: 3, ..shape() }, 0);
    passes(&Shape { chiplets: 3, ..shape() }, 1);
}

#[test]
fn release_waits_for_invalidations_between_gpus() {
    for link in [(4, 32, 200), (4, 1, 200)] {
        passes(&Shape { gpus: 2, gpu_link: link, ..shape() }, 0);
        passes(&Shape { gpus: 3, gpu_link: link, ..shape() }, 0);
        // Its stores are invalidated at the home of the lines, which notifies the third GPU.
        passes(&Shape { gpus: 3, gpu_link: link, ..shape() }, 1);
    }
}

/// Where nothing was stored a directory's release is that of `software`, and no message is sent.
#[test]
fn loads_make_no_fences() {
    let groups = |what, group| {
        vec![Kernel {
            labels: Labels::None,
            writes: Vec::new(),
            groups: 3,
            items: 1,
            steps: each(what, group, false),
            read: false,
        }]
    };
    let ran = |l2_design: &str, kernels| {
        let shape = Shape { chiplets: 3, l2_design: l2_design.to_string(), ..shape() };
        let program = Program(kernels).record();
        run(&shape.system(), &program, Options::default()).unwrap().statistics
    };
    let release = |statistics: &[(String, u64)]| {
        statistics.iter().find(|(name, _)| name == "launch.release_cycles").unwrap().1
    };
    let software = ran("software", groups(What::Load, 2));
    for design in all("l2.design").into_iter().filter(|design| !has_policy(design)) {
        let own = ran(&design, groups(What::Load, 2));
        assert_eq!(release(&own), release(&software), "{design}");
        let stores = ran(&design, groups(What::Store, 2));
        assert!(release(&stores) > release(&own), "{design}: a store has its fence");
    }
}

/// What is written through is in memory before a release asks for it.
#[test]
fn stores_written_through_leave_nothing_to_release() {
    let kernels = (0..3).map(|group| Kernel {
        labels: Labels::None,
        writes: Vec::new(),
        groups: 3,
        items: 1,
        steps: each(What::Store, group, false),
        read: false,
    });
    let program = Program(kernels.collect()).record();
    for l2_design in all("l2.design").into_iter().filter(|design| !has_policy(design)) {
        let released = |through| {
            let shape = Shape { chiplets: 3, l2_design: l2_design.clone(), through, ..shape() };
            let ran = run(&shape.system(), &program, Options::default()).unwrap().statistics;
            let sum =
                |name: &str| ran.iter().filter(|(n, _)| n == name).map(|(_, v)| v).sum::<u64>();
            (sum("l2.released") + sum("l2.write_backs"), sum("l3.writes"))
        };
        let (back, through) = (released(false), released(true));
        assert!(back.0 > 0 && through.0 == 0, "{l2_design}: {back:?} {through:?}");
        assert!(through.1 > back.1, "{l2_design}: {back:?} {through:?}");
    }
}
