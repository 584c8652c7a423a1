//! How far programs really store. Some store a little beyond the end of a buffer. A buffer has
//! whole pages to itself, so that such stores have a place: the trace's buffer is that much larger.

use std::collections::HashMap;

use super::meta::buffer_of;
use super::raw::{RECORD_BYTES, Raw, What};
use super::{Input, OFFSET};
use crate::trace::Error;
use crate::trace::limits::PAGE;

/// How far a buffer is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// As allocated, or up to the end of its last page as far as stores go.
    pub bytes: u64,
    /// A kernel accesses it, or the host reads it.
    pub is_used: bool,
}

/// Those of all buffers, in the order of their allocation. Reads the records to their end.
pub fn extents(bin: &mut Input) -> Result<Vec<Extent>, Error> {
    let mut all: Vec<Extent> = Vec::new();
    // Buffer number: place in `all`, and the end of the last page.
    let mut current: HashMap<u16, (usize, u64)> = HashMap::new();
    let mut bytes = [0; RECORD_BYTES];
    while bin.fill(&mut bytes)? == RECORD_BYTES {
        let raw = Raw::from_bytes(&bytes);
        match raw.what() {
            Some(What::Alloc) => {
                let size = raw.number(0);
                let pages = size.checked_next_multiple_of(PAGE).unwrap_or(size);
                current.insert(buffer_of(raw.addr), (all.len(), pages));
                all.push(Extent { bytes: size, is_used: false });
            }
            Some(what @ (What::Load | What::Store | What::Atomic)) => {
                let end = (raw.addr & OFFSET) + u64::from(raw.size);
                let Some(&(at, pages)) = current.get(&buffer_of(raw.addr)) else { continue };
                all[at].is_used = true;
                if what != What::Load && end <= pages {
                    all[at].bytes = all[at].bytes.max(end);
                }
            }
            Some(What::HostRead | What::Map) => {
                if let Some(&(at, _)) = current.get(&buffer_of(raw.addr)) {
                    all[at].is_used = true;
                }
            }
            _ => {}
        }
    }
    Ok(all)
}
