//! Illegal parameters, disabled rules, and idle-skipping. What the block does is tested on model
//! and RTL (`tests/blocks/race`).

mod parameters;
mod quiet;
mod rules;

use ports::race::types::{Fill, Rsp, rsp_kind};

use super::*;
use crate::race::bloom::Hash;
use crate::race::small::small;

fn config() -> Config {
    (&small()).into()
}

/// The beats of an answer with a signature of these keys; `epoch` is the one that begins.
fn sync(kind: u8, id: u8, epoch: u8, m: u32, keys: &[u32]) -> Vec<Rsp> {
    let head = Rsp { hdr: true, kind, id, epoch, sync: true, ..Rsp::default() };
    let mut chunks = vec![Rsp { hdr: false, ..head }; m as usize / 256];
    for index in keys.iter().flat_map(|&key| Hash::new(m).indices(key)) {
        let bit = usize::from(index) % 256;
        chunks[usize::from(index) / 256].data.0[bit / 8] |= 1 << (bit % 8);
    }
    (0..).zip(&mut chunks).for_each(|(n, rsp)| rsp.chunk = n);
    let mut beats = vec![head];
    beats.extend(chunks.into_iter().filter(|rsp| rsp.data.0 != [0; 32]));
    if let Some(last) = beats.last_mut() {
        last.last = true;
    }
    beats
}

fn norace(id: u8, epoch: u8) -> Rsp {
    Rsp { hdr: true, last: true, kind: rsp_kind::NORACE, id, epoch, ..Rsp::default() }
}

/// A lookup of the line in this place.
fn lookup(line: u8, addr: u32) -> Lookup {
    Lookup { line, tag_hit: true, size: 2, addr }
}
