//! Where the chunks of work-groups stand. Some thousand are listed in a chunk, so no list grows
//! with the length of a trace.

use super::wire::{Malformed, Wire, put_varint};

/// Most chunks of places that a reader holds: parts of a machine work in different parts of a
/// kernel.
const HELD: usize = 64;

/// Where a work-group's chunks stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GroupPlace {
    /// Offset of the instructions.
    pub group: u64,
    /// Offset of the racy lanes; 0 when there are none.
    pub classes: u64,
}

/// The contents of the chunk.
pub fn put_places(out: &mut Vec<u8>, places: &[GroupPlace]) {
    for place in places {
        put_varint(out, place.group);
        put_varint(out, place.classes);
    }
}

/// From the contents of the chunk.
fn places(bytes: &[u8], groups: u32) -> Result<Vec<GroupPlace>, Malformed> {
    let mut wire = Wire::new(bytes, 0);
    let mut places = Vec::with_capacity(groups as usize);
    for _ in 0..groups {
        let group = wire.varint("a work-group's offset")?;
        places.push(GroupPlace { group, classes: wire.varint("an offset of racy lanes")? });
    }
    wire.end()?;
    Ok(places)
}

/// The places that were needed last.
#[derive(Debug, Default)]
pub struct Held {
    /// Number of the chunk and its places, the latest first.
    chunks: Vec<(usize, Vec<GroupPlace>)>,
}

impl Held {
    /// Makes a chunk the latest; false when it must be read.
    pub fn find(&mut self, chunk: usize) -> bool {
        let found = self.chunks.iter().position(|held| held.0 == chunk);
        if let Some(at) = found {
            self.chunks[..=at].rotate_right(1);
        }
        found.is_some()
    }

    /// Takes a chunk of so many work-groups, from its contents, as the latest.
    pub fn add(&mut self, chunk: usize, bytes: &[u8], groups: u32) -> Result<(), Malformed> {
        let places = places(bytes, groups)?;
        self.chunks.truncate(HELD - 1);
        self.chunks.insert(0, (chunk, places));
        Ok(())
    }

    /// A place in the latest chunk.
    pub fn latest(&self, at: u32) -> GroupPlace {
        self.chunks[0].1[at as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_come_back_and_the_latest_are_held() {
        let list =
            [GroupPlace { group: 16, classes: 0 }, GroupPlace { group: 90, classes: 1 << 40 }];
        let mut bytes = Vec::new();
        put_places(&mut bytes, &list);
        let mut held = Held::default();
        assert!(held.add(0, &bytes, 1).is_err() && held.add(0, &bytes, 3).is_err());
        for chunk in 0..=HELD {
            assert!(!held.find(chunk));
            held.add(chunk, &bytes, 2).unwrap();
            assert!(held.find(1.min(chunk)));
        }
        assert!(!held.find(0) && held.find(1) && held.find(HELD));
        assert_eq!([held.latest(0), held.latest(1)], list);
    }
}
