//! How long accesses take, counted in two ways.

use traces::workloads::program::{Kernel, Labels, Place, Program, Step, What, Who};

use super::*;

/// `cu.access_cycles` adds up, in each cycle, the accesses that are under way. Of a program that
/// only loads, this is the sum of the loads' latencies, each taken when its value comes.
#[test]
fn access_cycles_of_a_program_of_loads_are_their_latencies() {
    let load = |page, per_item| {
        let place = Place { page, offset: 0, per_item, per_group: 64, page_by_group: false };
        Step::Access { what: What::Load, who: Who::All, place, size: 4, aligned: true, gap: 3 }
    };
    let steps = vec![load(0, 4), load(1, 128), load(0, 4)];
    let kernel = Kernel {
        labels: Labels::None,
        writes: vec![(0, 8192)],
        groups: 12,
        items: 64,
        steps,
        read: false,
    };
    let program = Program(vec![kernel]);
    for l1 in ["none", "src"] {
        let set = [("l1.design", l1), ("machine.gpus", "1")];
        let mut machine = machine("cpelide-4-small", &set, program.record());
        machine.record();
        machine.run().unwrap();
        let statistics: BTreeMap<_, _> = machine.statistics().into_iter().collect();
        let last = machine.recorded().unwrap().1.at[7];
        assert!(last.loads > 100, "{l1}: {last:?}");
        assert_eq!(statistics["cu.accesses"], last.loads, "{l1}");
        assert_eq!(statistics["cu.access_cycles"], last.cycles, "{l1}");
    }
}
