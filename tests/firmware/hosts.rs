//! Every host of the firmware, with every layout of its memory.

use cosim::body::BodyKind;
use cosim::command_processor::Native;
use firmware::{Cached, Indexed, Paper};
use firmware_embed::{ELVES, Elf, Image};
use hwmodel::command_processor::Config;

use crate::core::Core;
use crate::driver::{Driver, Host, Machine};

/// The configuration `small` of the command processor.
pub const SMALL: Config = Config { pmem_lat: 3, ce_on: 1, ce_of: 1 };
/// The configuration `paper`.
pub const PAPER: Config = Config { pmem_lat: 31, ce_on: 5, ce_of: 6 };

fn image(elf: &Elf) -> Image {
    Image::read(elf.bytes).expect("it was built with this crate")
}

/// Runs an example on each host. Without the RISC-V target there are no images.
pub fn each(machine: &Machine, example: impl Fn(&mut Driver<&mut dyn Host>)) {
    let conf = machine.conf();
    let run = |host: &mut dyn Host| example(&mut Driver::new(host, machine));
    run(&mut Native::<Cached>::new(conf));
    run(&mut Native::<Indexed>::new(conf));
    run(&mut Native::<Paper>::new(conf));
    if ELVES.is_empty() {
        eprintln!("skipped: this build has no firmware image");
    }
    for elf in ELVES {
        run(&mut Core::new(BodyKind::Model, "small", &SMALL, &image(elf), conf));
    }
}

/// An image by name, if this build has any.
pub fn named(name: &str) -> Option<Image> {
    ELVES.iter().find(|elf| elf.name == name).map(image)
}
