//! How far programs really store. Some store a little beyond the end of a buffer. A buffer has
//! whole pages to itself, so that such stores have a place: the trace's buffer is that much larger.

use std::collections::HashMap;

use super::meta::buffer_of;
use super::raw::{RECORD_BYTES, Raw, What};
use super::{Input, OFFSET};
use crate::trace::Error;
use crate::trace::limits::PAGE;

/// Size of each buffer, in the order of their allocation: as allocated, or up to the end of its
/// last page as far as stores go. Reads the records to their end.
pub fn extents(bin: &mut Input) -> Result<Vec<u64>, Error> {
    let mut sizes: Vec<u64> = Vec::new();
    // Buffer number: place in `sizes`, and the end of the last page.
    let mut current: HashMap<u16, (usize, u64)> = HashMap::new();
    let mut bytes = [0; RECORD_BYTES];
    while bin.fill(&mut bytes)? == RECORD_BYTES {
        let raw = Raw::from_bytes(&bytes);
        match raw.what() {
            Some(What::Alloc) => {
                let size = raw.number(0);
                let pages = size.checked_next_multiple_of(PAGE).unwrap_or(size);
                current.insert(buffer_of(raw.addr), (sizes.len(), pages));
                sizes.push(size);
            }
            Some(What::Store | What::Atomic) => {
                let end = (raw.addr & OFFSET) + u64::from(raw.size);
                let buffer = current.get(&buffer_of(raw.addr));
                if let Some(&(at, _)) = buffer.filter(|&&(_, pages)| end <= pages) {
                    sizes[at] = sizes[at].max(end);
                }
            }
            _ => {}
        }
    }
    Ok(sizes)
}
