//! The table read from its memory image (specification, sections 4 and 5.8).

use hwmodel::cpelide::chiplet_coherence_table::Parameters;

/// First and last line of a range.
pub type Range = (u64, u64);

/// States of a chiplet vector.
pub const VALID: u8 = 0b01;
pub const DIRTY: u8 = 0b10;
pub const STALE: u8 = 0b11;

/// An entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub slot: usize,
    pub base: u32,
    /// By chiplet, in lines from address 0; none where the state is NP.
    pub ranges: Vec<Option<Range>>,
    pub states: Vec<u8>,
    pub mixed: bool,
    pub writes: bool,
}

impl Entry {
    /// The lines of all its ranges.
    pub fn extent(&self) -> Range {
        let ranges = || self.ranges.iter().flatten();
        let first = ranges().map(|range| range.0).min().expect("some chiplet has a range");
        (first, ranges().map(|range| range.1).max().unwrap_or(first))
    }

    pub fn covers(&self, chiplet: usize, line: u64) -> bool {
        self.ranges[chiplet].is_some_and(|(first, last)| (first..=last).contains(&line))
    }

    /// The chiplet vector as the memory image holds it.
    pub fn vector(&self) -> u32 {
        self.states.iter().rev().fold(0, |vector, &state| vector << 2 | u32::from(state))
    }
}

/// The entries of an image, in the order of slots. Errors: what is wrong with its form.
pub fn decode(image: &[u8], parameters: &Parameters) -> Result<Vec<Entry>, String> {
    let chiplets = parameters.chiplets;
    let stride = if chiplets == 16 { 140 } else { 8 + 8 * chiplets };
    if image.len() != stride * parameters.table_entries {
        return Err(format!("the image has {} bytes", image.len()));
    }
    let mut entries = Vec::new();
    for (slot, bytes) in image.chunks_exact(stride).enumerate() {
        let wrong = |what: &str| Err(format!("slot {slot}: {what}"));
        if bytes.iter().all(|&byte| byte == 0) {
            continue;
        }
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("4 bytes"));
        let vector = word(4 + 8 * chiplets);
        let flags = if chiplets == 16 { word(136) } else { vector };
        let base = u64::from(word(0)) * (4096 / parameters.line);
        let mut entry = Entry {
            slot,
            base: word(0),
            ranges: Vec::new(),
            states: Vec::new(),
            mixed: flags >> 30 & 1 == 1,
            writes: flags >> 31 == 1,
        };
        for i in 0..chiplets {
            let (first, last) = (word(4 + 8 * i), word(8 + 8 * i));
            let state = (vector >> (2 * i) & 0b11) as u8;
            if state == 0 && (first, last) != (0x0fff_ffff, 0) {
                return wrong("a range that is not present is not empty");
            }
            if state != 0 && (first > last || last > 0x0fff_ffff) {
                return wrong("a range is empty or too long");
            }
            let range = (base + u64::from(first), base + u64::from(last));
            entry.ranges.push((state != 0).then_some(range));
            entry.states.push(state);
        }
        if entry.states.iter().all(|&state| state == 0) {
            return wrong("not present in any chiplet");
        }
        if entry.mixed && !entry.states.contains(&DIRTY) {
            return wrong("mixed, but nothing is dirty");
        }
        entries.push(entry);
    }
    Ok(entries)
}
