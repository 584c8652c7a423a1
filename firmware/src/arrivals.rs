//! The order of the packets in the slots. The hardware numbers arrivals in 7 bits; a packet may
//! stay for longer than these can tell.

use crate::bus::Bus;
use crate::map::{NUM_SLOTS, reg};

/// What was seen of the slots.
#[derive(Debug)]
pub struct Arrivals {
    /// Bit i: the packet in slot i has been seen.
    seen: u32,
    streams: [u8; NUM_SLOTS],
    /// Arrival numbers, continued beyond their 7 bits.
    numbers: [u32; NUM_SLOTS],
    /// The highest so far.
    last: u32,
}

impl Arrivals {
    /// None.
    pub const NEW: Self =
        Self { seen: 0, streams: [0; NUM_SLOTS], numbers: [0; NUM_SLOTS], last: 0 };

    /// Looks at the packets that are new in these slots. A slot is left before it is filled again,
    /// so there are at most as many new ones as slots, and 7 bits tell how far behind the last each
    /// is.
    pub fn note<B: Bus>(&mut self, bus: &mut B, valid: u32) {
        let last = self.last;
        let mut furthest = 0;
        for slot in slots(valid & !self.seen) {
            let meta = bus.get(reg::PKT_META + 4 * slot as u32);
            let further = (meta >> 24).wrapping_sub(last) & 127;
            self.streams[slot] = meta as u8;
            self.numbers[slot] = last.wrapping_add(further);
            furthest = furthest.max(further);
        }
        self.seen = valid;
        self.last = last.wrapping_add(furthest);
    }

    /// The packet in this slot is done with.
    pub fn leave(&mut self, slot: usize) {
        self.seen &= !(1 << slot);
    }

    /// The packet in a slot came after the one in the other.
    pub fn is_behind(&self, slot: usize, other: usize) -> bool {
        (self.numbers[slot].wrapping_sub(self.numbers[other]) as i32) > 0
    }

    /// It is of the same stream and came after the other, so that it waits for it.
    pub fn follows(&self, slot: usize, other: usize) -> bool {
        self.streams[slot] == self.streams[other] && self.is_behind(slot, other)
    }
}

/// The slots of a mask.
pub fn slots(mask: u32) -> impl Iterator<Item = usize> {
    (0..NUM_SLOTS).filter(move |slot| mask >> slot & 1 == 1)
}
