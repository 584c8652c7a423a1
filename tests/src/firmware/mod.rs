//! Hosts of the command processor's firmware behind one trait: called directly, and its image on
//! the command processor.

mod core;
pub mod driver;
pub mod launches;

use cosim::body::BodyKind;
use cosim::cpelide::{Native, Sent};
use firmware::Layout;
use firmware::image::{ELVES, Elf, Image};
use hwmodel::cpelide::command_processor::CommandProcessor;

pub use self::core::{Core, Work};

use crate::has_rtl_of;

/// The bodies of the command processor that this build has: the instruction-set simulator, and the
/// RTL core.
pub fn bodies() -> Vec<BodyKind> {
    let mut bodies = vec![BodyKind::Model];
    bodies.extend(has_rtl_of::<CommandProcessor>().then_some(BodyKind::Rtl));
    bodies
}

/// The images of this build, by name: none where the RISC-V target was missing, and then it says
/// so.
pub fn images() -> Vec<(&'static str, Image)> {
    if ELVES.is_empty() {
        println!(
            "skipped: this build has no firmware image (`make setup` installs the RISC-V target)"
        );
    }
    let read =
        |elf: &Elf| (elf.name, Image::read(elf.bytes).expect("it was built with this crate"));
    ELVES.iter().map(read).collect()
}

/// The body that is compared with most: model and RTL in lockstep, where this build has RTL.
pub fn most_compared() -> BodyKind {
    if has_rtl_of::<CommandProcessor>() { BodyKind::Lockstep } else { BodyKind::Model }
}

/// A host of the firmware.
pub trait Host {
    /// Puts a packet into the queue.
    fn submit(&mut self, packet: &[u8; 64], extension: &[u8], stream: u8, chiplets: u16);
    /// Hands a message of a chiplet over.
    fn receive(&mut self, bits: u64);
    /// Runs until the firmware waits. Gives what it has sent.
    fn run(&mut self) -> Vec<Sent>;
    /// Completion signals since the last call.
    fn signals(&mut self) -> Vec<u64>;
    /// Error codes since the last call.
    fn errors(&mut self) -> Vec<u8>;
    /// Status with which it has halted.
    fn exit(&self) -> Option<u32>;
    /// CNT.
    fn counters(&self) -> [u32; 16];
    /// The private memory in words: the table's image at its start.
    fn private(&self) -> &[u32];
    /// The flag EVERY, where it can be seen.
    fn every(&self) -> Option<bool>;
}

impl<L: Layout> Host for Native<L> {
    fn submit(&mut self, packet: &[u8; 64], extension: &[u8], stream: u8, chiplets: u16) {
        assert!(Native::submit(self, packet, extension, stream, chiplets), "no slot is free");
    }

    fn receive(&mut self, bits: u64) {
        Native::receive(self, bits);
    }

    fn run(&mut self) -> Vec<Sent> {
        self.poll();
        std::iter::from_fn(|| self.take_sent()).collect()
    }

    fn signals(&mut self) -> Vec<u64> {
        std::iter::from_fn(|| self.take_signal()).map(|signal| signal.address).collect()
    }

    fn errors(&mut self) -> Vec<u8> {
        self.take_errors()
    }

    fn exit(&self) -> Option<u32> {
        Native::exit(self)
    }

    fn counters(&self) -> [u32; 16] {
        *Native::counters(self)
    }

    fn private(&self) -> &[u32] {
        Native::private(self)
    }

    fn every(&self) -> Option<bool> {
        Some(Native::every(self))
    }
}

impl<H: Host + ?Sized> Host for &mut H {
    fn submit(&mut self, packet: &[u8; 64], extension: &[u8], stream: u8, chiplets: u16) {
        (**self).submit(packet, extension, stream, chiplets);
    }

    fn receive(&mut self, bits: u64) {
        (**self).receive(bits);
    }

    fn run(&mut self) -> Vec<Sent> {
        (**self).run()
    }

    fn signals(&mut self) -> Vec<u64> {
        (**self).signals()
    }

    fn errors(&mut self) -> Vec<u8> {
        (**self).errors()
    }

    fn exit(&self) -> Option<u32> {
        (**self).exit()
    }

    fn counters(&self) -> [u32; 16] {
        (**self).counters()
    }

    fn private(&self) -> &[u32] {
        (**self).private()
    }

    fn every(&self) -> Option<bool> {
        (**self).every()
    }
}
