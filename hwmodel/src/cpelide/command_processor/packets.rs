//! The packet slots, and how packets and their extension blocks come into them.

use ports::cpelide::types::{Aql, Ext, SLOTS, map};

use crate::state::State;

const BYTES: usize = map::SLOTS.1 as usize;
const SLOT: usize = map::SLOT_BYTES as usize;
/// Bytes of a packet.
const PACKET: usize = 64;
/// Bytes of a beat of the extension block.
const BEAT: usize = 16;
/// `PKT_META`: beats were dropped.
const TRUNCATED: u32 = 1 << 31;

/// A packet that waits for the rest of its extension block.
#[derive(Clone, Copy, Debug)]
struct Filling {
    slot: usize,
    /// Where the next beat goes, from the slot's start.
    at: usize,
}

/// Slots, their META registers, and the order in which they became valid.
#[derive(Clone, Debug)]
pub(super) struct Packets {
    bytes: Box<[u8; BYTES]>,
    meta: [u32; SLOTS],
    /// Bit s = slot s holds a complete packet.
    valid: u32,
    /// The valid slots, the one that is longest valid first.
    order: [u8; SLOTS],
    filling: Option<Filling>,
    /// Packets so far.
    arrived: u32,
}

impl Packets {
    /// All slots free and zero.
    pub fn new() -> Self {
        Self {
            bytes: vec![0; BYTES].into_boxed_slice().try_into().expect("of this length"),
            meta: [0; SLOTS],
            valid: 0,
            order: [0; SLOTS],
            filling: None,
            arrived: 0,
        }
    }

    /// All slots free, with the bytes that they hold.
    pub fn reset(self) -> Self {
        Self { bytes: self.bytes, ..Self::new() }
    }

    /// The registers.
    pub fn show_state(&self, state: &mut State) {
        let (filling, slot) = (self.filling.is_some(), self.filling.map_or(0, |f| f.slot as u32));
        state.bits("valid", SLOTS as u32, self.valid);
        state.flag("filling", filling);
        state.bits_while(filling, "slot", 2, slot);
        state.bits("arrival", 7, self.arrived);
        for (slot, meta) in self.meta.iter().enumerate() {
            state.bits(&format!("meta[{slot}]"), 32, *meta);
        }
    }

    /// `aql_ready_o`, but for clock and halt.
    pub fn takes_packet(&self) -> bool {
        self.filling.is_none() && self.valid != 0xf
    }

    /// `ext_ready_o`, but for clock and halt.
    pub fn takes_beat(&self) -> bool {
        self.filling.is_some()
    }

    /// Bit s = slot s is valid.
    pub fn valid(&self) -> u32 {
        self.valid
    }

    /// `PKT_STAT`.
    pub fn stat(&self) -> u32 {
        let oldest = if self.valid == 0 { 0 } else { self.order[0].into() };
        self.valid | oldest << 8
    }

    /// `PKT_META`.
    pub fn meta(&self, slot: usize) -> u32 {
        self.meta[slot]
    }

    /// The word at this offset from the first slot.
    pub fn word(&self, offset: u32) -> u32 {
        let bytes = self.bytes[offset as usize..].first_chunk().expect("aligned");
        u32::from_le_bytes(*bytes)
    }

    /// Frees a slot; one that is not valid is left alone.
    pub fn pop(&mut self, slot: u32) {
        if self.valid & 1 << slot == 0 {
            return;
        }
        let count = self.valid.count_ones() as usize;
        let at = self.order[..count].iter().position(|&s| u32::from(s) == slot);
        self.order.copy_within(at.expect("valid slots are in order") + 1..count, at.unwrap_or(0));
        self.valid &= !(1 << slot);
    }

    /// Takes a packet into the lowest slot that is not in `valid`, the slots that were valid when
    /// it was offered. True when it is complete.
    pub fn accept(&mut self, aql: &Aql, valid: u32) -> bool {
        let slot = (!valid).trailing_zeros() as usize;
        let first = slot * SLOT;
        self.bytes[first..first + PACKET].copy_from_slice(&aql.packet.0);
        let number = self.arrived & 0x7f;
        self.meta[slot] = number << 24 | u32::from(aql.mask) << 8 | u32::from(aql.stream);
        self.arrived += 1;
        // The address of the extension block; 0: there is none.
        if aql.packet.0[48..56] == [0; 8] {
            self.complete(slot);
            return true;
        }
        self.filling = Some(Filling { slot, at: PACKET });
        false
    }

    /// Takes a beat. True when it completes the packet.
    pub fn extend(&mut self, ext: &Ext) -> bool {
        let Some(filling) = &mut self.filling else { return false };
        let Filling { slot, at } = *filling;
        if at < SLOT {
            let first = slot * SLOT + at;
            self.bytes[first..first + BEAT].copy_from_slice(&ext.data.to_le_bytes());
            filling.at += BEAT;
        } else {
            self.meta[slot] |= TRUNCATED;
        }
        if ext.last {
            self.filling = None;
            self.complete(slot);
        }
        ext.last
    }

    fn complete(&mut self, slot: usize) {
        self.order[self.valid.count_ones() as usize] = slot as u8;
        self.valid |= 1 << slot;
    }
}
