//! The values that loads and atomics have found, and that memory holds at the end, for checks
//! that need the values and not only their legality.

use std::collections::HashMap;

use crate::context::message::Unit;

/// An access of one line by an instruction of a wave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Of {
    /// Number of the kernel.
    pub kernel: u32,
    /// Number of the wave's work-group.
    pub group: u32,
    /// The wave's number there.
    pub wave: u16,
    /// Where the instruction stands in the wave's list.
    pub place: u32,
    /// Address of the line.
    pub line: u64,
}

/// What was found.
#[derive(Debug, Default)]
pub struct Values {
    /// Work-group of each wave that runs, and the wave's number there.
    waves: HashMap<(Unit, u16), (u32, u16)>,
    found: HashMap<Of, Vec<u8>>,
    /// What the host has read, by the address of the line.
    host: HashMap<u64, Vec<u8>>,
}

impl Values {
    /// A work-group starts in these wave slots.
    pub(crate) fn begin_group(&mut self, cu: Unit, group: u32, slots: &[usize]) {
        for (number, &slot) in slots.iter().enumerate() {
            self.waves.insert((cu, slot as u16), (group, number as u16));
        }
    }

    /// A load or an atomic has found these bytes of its line. One that is done again has not found
    /// what it did the first time.
    pub(crate) fn see(
        &mut self,
        kernel: u32,
        (cu, slot): (Unit, u16),
        (place, line): (u32, u64),
        bytes: &[u8],
    ) {
        let (group, wave) = self.waves[&(cu, slot)];
        self.found.insert(Of { kernel, group, wave, place, line }, bytes.to_vec());
    }

    /// The host has read a line.
    pub(crate) fn see_host(&mut self, line: u64, bytes: &[u8]) {
        self.host.insert(line, bytes.to_vec());
    }

    /// What an access has found of its line; those bytes that it has asked for mean something.
    pub fn found(&self, of: Of) -> Option<&[u8]> {
        self.found.get(&of).map(|bytes| &bytes[..])
    }

    /// What the host has read last of a line.
    pub fn host(&self, line: u64) -> Option<&[u8]> {
        self.host.get(&line).map(|bytes| &bytes[..])
    }
}
