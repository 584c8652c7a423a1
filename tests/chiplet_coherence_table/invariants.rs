//! The invariants of section 8, on the memory image and the real contents of the L2s.

use hwmodel::cpelide::chiplet_coherence_table::Hidden;

use crate::caches::Caches;
use crate::image::{DIRTY, Entry, STALE, VALID, decode};
use crate::program::Program;

/// Checks a table between two calls, when all operations are done. Errors: what does not hold.
pub fn check(image: &[u8], every: bool, program: &Program, caches: &Caches) -> Result<(), String> {
    let Program { parameters, spots, .. } = program;
    let mut entries = decode(image, parameters)?;
    entries.sort_by_key(|entry| entry.extent().0);
    for pair in entries.windows(2) {
        if pair[0].extent().1 >= pair[1].extent().0 {
            return Err(format!("slots {} and {} overlap", pair[0].slot, pair[1].slot));
        }
    }
    if program.homes.is_some() {
        return check_homes(&entries, every, program, caches);
    }
    // Lines of unlabelled kernels are in no entry.
    if every {
        return Ok(());
    }
    for (spot, address) in spots.iter().enumerate() {
        let line = address / parameters.line;
        let entry = entry_at(&entries, line);
        let wrong = |what: String| Err(format!("line at {address:x}: {what}, entry {entry:x?}"));
        let (mut holders, mut writers) = (0, 0);
        for chiplet in (0..parameters.chiplets).filter(|&i| caches.held(i, spot) != 0) {
            let Some(entry) = entry.filter(|entry| entry.covers(chiplet, line)) else {
                return wrong(format!("chiplet {chiplet} holds it"));
            };
            let state = entry.states[chiplet];
            if caches.dirty(chiplet, spot) != 0 && state != DIRTY {
                return wrong(format!("dirty in chiplet {chiplet}"));
            }
            if caches.old(chiplet, spot) != 0 && state != STALE && !entry.mixed {
                return wrong(format!("old in chiplet {chiplet}"));
            }
            writers += u32::from(caches.dirty(chiplet, spot) != 0);
            holders += u32::from(state == DIRTY || state == VALID);
        }
        // Where one L2 is dirty, no other is V or D. Only clean lines may be so in several: 5.4
        // joins V and D to D.
        if writers > 0 && holders > 1 && !entry.is_some_and(|entry| entry.mixed) {
            return wrong(format!("{writers} L2s are dirty, {holders} V or D"));
        }
    }
    Ok(())
}

/// The entry that a line lies in; they are in address order.
fn entry_at(entries: &[Entry], line: u64) -> Option<&Entry> {
    let at = entries.partition_point(|entry| entry.extent().1 < line);
    entries.get(at).filter(|entry| entry.extent().0 <= line)
}

/// Where lines have homes, an L2 holds what no entry of its chiplet tells. But it is dirty only by
/// stores of its own chiplet, for those of others are written through: so the releases of D
/// chiplets miss nothing. And no copy is ever old.
fn check_homes(
    entries: &[Entry],
    every: bool,
    program: &Program,
    caches: &Caches,
) -> Result<(), String> {
    let Program { parameters, spots, .. } = program;
    if parameters.home_aware {
        let is_wrong = |entry: &&Entry| entry.mixed || entry.states.contains(&STALE);
        if let Some(entry) = entries.iter().find(is_wrong) {
            return Err(format!("stale or mixed: {entry:x?}"));
        }
    }
    // Of which an acquire of scope system acquires nothing.
    let all_empty = parameters.hidden == Hidden::OfGpu && entries.is_empty() && !every;
    for (spot, address) in spots.iter().enumerate() {
        let line = address / parameters.line;
        let entry = entry_at(entries, line);
        for chiplet in (0..parameters.chiplets).filter(|&i| caches.held(i, spot) != 0) {
            let is_dirty = caches.dirty(chiplet, spot) != 0;
            let is_known =
                |entry: &Entry| entry.covers(chiplet, line) && entry.states[chiplet] == DIRTY;
            let what = if all_empty {
                "held, and the table is empty"
            } else if caches.old(chiplet, spot) != 0 {
                "old"
            } else if is_dirty && !every && !entry.is_some_and(is_known) {
                "dirty"
            } else {
                continue;
            };
            return Err(format!("line at {address:x}: {what} in chiplet {chiplet}, {entry:x?}"));
        }
    }
    Ok(())
}
