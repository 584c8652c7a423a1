//! Every host of the firmware, with every layout of its memory.

use cosim::cpelide::{Conf, Native};
use duet_tests::firmware::driver::Driver;
use duet_tests::firmware::{Core, Host, bodies, images};
use firmware::{Cached, Indexed, Paper};

/// Runs an example on each host. Without the RISC-V target there are no images.
pub fn each(machine: &Conf, example: impl Fn(&mut Driver<&mut dyn Host>)) {
    let conf = machine.bits();
    let run = |name: &str, host: &mut dyn Host| {
        println!("on {name}");
        example(&mut Driver::new(host, machine));
    };
    run("the host, cached", &mut Native::<Cached>::new(conf));
    run("the host, indexed", &mut Native::<Indexed>::new(conf));
    run("the host, paper", &mut Native::<Paper>::new(conf));
    each_core(machine, |name, core| run(name, core));
}

/// Runs an example on the bodies of the command processor in configuration `small`, with each
/// image.
pub fn each_core(machine: &Conf, mut example: impl FnMut(&str, &mut Core)) {
    for (name, image) in images() {
        for kind in bodies() {
            let mut core = Core::new(kind, "small", &image, machine.bits());
            example(&format!("{}, {name}", kind.name()), &mut core);
        }
    }
}
