//! The memory of a run: caches, what the program may touch at this moment, and checks of every
//! value.

use cosim::stimulus::Random;

use crate::bytes::{Footprint, Mask, span};
use crate::caches::{Caches, Wrong};
use crate::failure::{Check, Failure};
use crate::program::{Access, Program};
use crate::quality::Quality;

/// Who stores.
#[derive(Clone, Copy, Debug)]
enum Writer {
    Host,
    Chiplet(u8),
    OtherGpu,
}

/// The memory of a run.
pub struct Oracle<'a> {
    pub program: &'a Program,
    pub caches: Caches,
    pub quality: Quality,
    /// Bytes that kernels have written since the last release of scope system, by spot.
    unreleased: Vec<Mask>,
    /// Bytes that the host has written and the GPU has not acquired since, by spot.
    unacquired: Vec<Mask>,
    /// Who made each store, and the item.
    stores: Vec<(usize, Writer)>,
    /// Number of the item whose packet or end is the last that happened.
    pub now: usize,
    ignored: &'a [Check],
}

impl<'a> Oracle<'a> {
    pub fn new(program: &'a Program, ignored: &'a [Check]) -> Self {
        let (chiplets, spots) = (program.parameters.chiplets, program.spots.len());
        Self {
            program,
            caches: Caches::new(program),
            quality: Quality::new(chiplets, spots),
            unreleased: vec![0; spots],
            unacquired: vec![0; spots],
            stores: vec![(0, Writer::Host)],
            now: 0,
            ignored,
        }
    }

    /// What does not hold, unless it is ignored.
    pub fn fails(&self, check: Check, what: impl FnOnce() -> String) -> Result<(), Failure> {
        if self.ignored.contains(&check) {
            return Ok(());
        }
        Err(Failure { check, item: self.now, what: what() })
    }

    fn store_name(&self, store: u16) -> String {
        match self.stores[usize::from(store)] {
            _ if store == 0 => "the initial value".into(),
            (item, Writer::Host) => format!("store {store}, of the host before item {item}"),
            (item, Writer::Chiplet(chiplet)) => {
                format!("store {store}, of item {item} on chiplet {chiplet}")
            }
            (item, Writer::OtherGpu) => format!("store {store}, of another GPU at item {item}"),
        }
    }

    fn report(&self, who: &str, wrong: Wrong) -> Result<(), Failure> {
        let at = |spot: usize| self.program.spots[spot];
        match wrong {
            Wrong::Stale { spot, byte, found, expected } => self.fails(Check::Value, || {
                let (found, expected) = (self.store_name(found), self.store_name(expected));
                format!("{who} finds {found} in byte {byte} of {:x}, not {expected}", at(spot))
            }),
            Wrong::Dirty { spot } => self
                .fails(Check::Dirty, || format!("{who} is acquired while {:x} is dirty", at(spot))),
        }
    }

    /// An access of a kernel.
    pub fn access(&mut self, item: usize, access: &Access) -> Result<(), Failure> {
        let (chiplet, spot, mask) = (usize::from(access.chiplet), access.spot(), access.mask());
        let l2 = self.caches.reached(chiplet, spot);
        self.quality.access(l2, spot, mask, access.write);
        if access.write {
            self.caches.write(chiplet, spot, mask);
            self.stores.push((item, Writer::Chiplet(access.chiplet)));
            self.unreleased[spot] |= mask;
            return Ok(());
        }
        let result = self.caches.read(chiplet, spot, mask);
        result.or_else(|wrong| self.report(&format!("chiplet {chiplet} in item {item}"), wrong))
    }

    /// The host writes, where no kernel does and what was written has been released.
    pub fn host_write(&mut self, access: &Access, running: &[&Footprint]) {
        let spot = access.spot();
        let mask = access.mask() & self.free(spot, running);
        if mask != 0 {
            self.quality.host(spot, mask);
            self.caches.host_write(spot, mask);
            self.unacquired[spot] |= mask;
            self.stores.push((self.now, Writer::Host));
        }
    }

    /// The operations of an acquire of scope system are done.
    pub fn acquired(&mut self) {
        self.unacquired.fill(0);
    }

    /// The bytes of a spot that others than the GPU may write.
    fn free(&self, spot: usize, running: &[&Footprint]) -> Mask {
        let touched = |footprint: &&Footprint| footprint.at(spot).read | footprint.at(spot).written;
        !running.iter().map(touched).fold(self.unreleased[spot], |taken, mask| taken | mask)
    }

    /// Another GPU reads or writes, likewise. Its kernels ask the homes of lines, and the table is
    /// not told. What the host has written they see only when this GPU has acquired it: an acquire
    /// of theirs is none of the L2s here.
    pub fn other_gpu(
        &mut self,
        random: &mut Random,
        running: &[&Footprint],
    ) -> Result<(), Failure> {
        let spot = random.below(self.unreleased.len() as u32) as usize;
        if random.chance(192) {
            let writes = |footprint: &&Footprint| footprint.at(spot).written;
            let taken = self.unreleased[spot] | self.unacquired[spot];
            let taken = running.iter().map(writes).fold(taken, |taken, mask| taken | mask);
            let result = self.caches.other_gpu_reads(spot, !taken);
            return result.or_else(|wrong| self.report("another GPU", wrong));
        }
        let first = random.below(self.program.parameters.line as u32) as usize;
        let mask = span(first, first) & self.free(spot, running) & !self.unacquired[spot];
        if mask != 0 {
            self.caches.other_gpu_writes(spot, mask);
            self.stores.push((self.now, Writer::OtherGpu));
        }
        Ok(())
    }

    /// A release of scope system is done: the host reads everything that no running kernel may
    /// write.
    pub fn host_reads(&mut self, running: &[&Footprint]) -> Result<(), Failure> {
        for spot in 0..self.unreleased.len() {
            let writes =
                running.iter().fold(0, |mask, footprint| mask | footprint.at(spot).written);
            self.quality.host(spot, !writes);
            let result = self.caches.host_read(spot, !writes);
            result.or_else(|wrong| self.report("the host", wrong))?;
            self.unreleased[spot] &= writes;
        }
        Ok(())
    }

    /// Operations of these chiplets are about to happen.
    pub fn count(&mut self, release: u16, acquire: u16) {
        for chiplet in 0..self.program.parameters.chiplets {
            if release >> chiplet & 1 == 1 {
                self.quality.release(chiplet, &self.caches);
            }
            if acquire >> chiplet & 1 == 1 {
                self.quality.acquire(chiplet, &self.caches);
            }
        }
    }

    /// The operations of one chiplet.
    pub fn operate(&mut self, chiplet: usize, release: bool, acquire: bool) -> Result<(), Failure> {
        if release {
            self.caches.release(chiplet);
        }
        if acquire {
            let result = self.caches.acquire(chiplet);
            result.or_else(|wrong| self.report(&format!("chiplet {chiplet}"), wrong))?;
        }
        Ok(())
    }

    /// Lines leave L2s for others, or are written back early.
    pub fn evict(&mut self, random: &mut Random) {
        let chiplet = random.below(self.program.parameters.chiplets as u32) as usize;
        let spot = random.below(self.unreleased.len() as u32) as usize;
        self.caches.evict(chiplet, spot);
    }
}
