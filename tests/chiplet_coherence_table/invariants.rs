//! The invariants of section 8, on the memory image and the real contents of the L2s.

use hwmodel::chiplet_coherence_table::Parameters;

use crate::caches::Caches;
use crate::image::{DIRTY, STALE, VALID, decode};

/// Checks a table between two calls, when all operations are done. `spots`: first byte of each
/// spot. Errors: what does not hold.
pub fn check(
    image: &[u8],
    every: bool,
    parameters: &Parameters,
    spots: &[u64],
    caches: &Caches,
) -> Result<(), String> {
    let mut entries = decode(image, parameters)?;
    entries.sort_by_key(|entry| entry.extent().0);
    for pair in entries.windows(2) {
        if pair[0].extent().1 >= pair[1].extent().0 {
            return Err(format!("slots {} and {} overlap", pair[0].slot, pair[1].slot));
        }
    }
    // Lines of unlabelled kernels are in no entry.
    if every {
        return Ok(());
    }
    for (spot, address) in spots.iter().enumerate() {
        let line = address / parameters.line;
        let at = entries.partition_point(|entry| entry.extent().1 < line);
        let entry = entries.get(at).filter(|entry| entry.extent().0 <= line);
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
