//! What a launch costs (specification 5.7).

use cosim::body::BodyKind;
use duet_tests::firmware::driver::MACHINE;
use duet_tests::firmware::launches::{Cost, UNCHANGED, costs};
use duet_tests::firmware::{Core, bodies, images};

use firmware::image::CODE_LIMIT;

/// In the paper's clock and with the latency of its memory.
const CONFIG: &str = "paper";

#[test]
fn launches_that_change_nothing_cost_less_with_more_in_fast_memory() {
    let mut most = Vec::new();
    for name in ["paper", "indexed", "cached"] {
        let Some((_, image)) = images().into_iter().find(|image| image.0 == name) else { return };
        let conf = MACHINE.bits();
        let costs = costs(&mut Core::new(BodyKind::Model, CONFIG, &image, conf));
        for Cost { launches, cycles, .. } in &costs {
            println!("{name}: {cycles} cycles, {launches}");
        }
        let unchanged = costs.iter().find(|cost| cost.launches == UNCHANGED);
        most.push(unchanged.expect("it is measured").cycles);
    }
    // What specification 5.7 wants. A compiler may need some more than that of firmware/README.md,
    // which reaches all three.
    for (cycles, aim) in most.iter().zip([9000, 3000, 1500]) {
        assert!(*cycles <= aim + aim / 20, "{most:?}");
    }
}

/// The instruction-set simulator is as fast as the core, launch by launch.
#[test]
fn launches_cost_the_same_on_simulator_and_core() {
    for (name, image) in images() {
        let on = |kind| costs(&mut Core::new(kind, CONFIG, &image, MACHINE.bits()));
        let costs: Vec<_> = bodies().into_iter().map(on).collect();
        for body in &costs[1..] {
            assert_eq!(*body, costs[0], "{name}");
        }
    }
}

#[test]
fn images_leave_a_third_of_the_instruction_memory() {
    for (name, image) in images() {
        println!("{name}: {} bytes", image.code_bytes);
        assert!(image.code_bytes < CODE_LIMIT, "{name}: {} bytes", image.code_bytes);
    }
}
