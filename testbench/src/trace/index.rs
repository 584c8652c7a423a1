//! The end of a trace: where everything stands, and totals.

use serde::Serialize;

use super::limits::{MAX_KERNELS, MAX_NAME};
use super::wire::{Malformed, Wire, put_bytes, put_varint};

/// Totals of a trace. Accesses are those of single work-items.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Totals {
    /// Kernels.
    pub kernels: u64,
    /// Work-groups.
    pub groups: u64,
    /// Warps of up to 64 work-items.
    pub warps: u64,
    /// Instructions of warps: accesses, barriers and fences.
    pub instructions: u64,
    /// Loads.
    pub loads: u64,
    /// Stores.
    pub stores: u64,
    /// Atomics.
    pub atomics: u64,
    /// Barriers, counted once for each work-group.
    pub barriers: u64,
    /// Loads whose value is determined.
    pub loads_determined: u64,
    /// Loads that are racy only because an earlier kernel left a racy byte.
    pub loads_racy_carried: u64,
    /// Atomics whose old value is determined.
    pub atomics_determined: u64,
    /// Bytes of all buffers.
    pub allocated_bytes: u64,
    /// Bytes of the 4 KiB pages that kernels access.
    pub footprint_bytes: u64,
    /// Bytes that the host writes.
    pub host_written_bytes: u64,
    /// Bytes that the host reads.
    pub host_read_bytes: u64,
}

impl Totals {
    /// In the order of the file.
    fn fields(&mut self) -> [&mut u64; 15] {
        [
            &mut self.kernels,
            &mut self.groups,
            &mut self.warps,
            &mut self.instructions,
            &mut self.loads,
            &mut self.stores,
            &mut self.atomics,
            &mut self.barriers,
            &mut self.loads_determined,
            &mut self.loads_racy_carried,
            &mut self.atomics_determined,
            &mut self.allocated_bytes,
            &mut self.footprint_bytes,
            &mut self.host_written_bytes,
            &mut self.host_read_bytes,
        ]
    }

    /// Loads whose value is racy.
    pub fn loads_racy(&self) -> u64 {
        self.loads.saturating_sub(self.loads_determined)
    }

    /// Share of the loads that are determined; 1 when there is none.
    pub fn share_determined(&self) -> f64 {
        share(self.loads_determined, self.loads)
    }

    /// The share, were no racy byte carried from kernel to kernel.
    pub fn share_determined_within_kernels(&self) -> f64 {
        share(self.loads_determined + self.loads_racy_carried, self.loads)
    }
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

/// Where a work-group's chunks stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GroupPlace {
    /// Offset of the instructions.
    pub group: u64,
    /// Offset of the racy lanes; 0 when there are none.
    pub classes: u64,
}

/// Where everything stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Index {
    /// Name of the program.
    pub name: String,
    /// Totals.
    pub totals: Totals,
    /// Offset of each chunk of events, in the order of the program.
    pub events: Vec<u64>,
    /// Each kernel's work-groups.
    pub kernels: Vec<Vec<GroupPlace>>,
}

impl Index {
    /// As the contents of its chunk.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        put_bytes(&mut out, self.name.as_bytes());
        let mut totals = self.totals;
        for total in totals.fields() {
            put_varint(&mut out, *total);
        }
        put_varint(&mut out, self.events.len() as u64);
        for &offset in &self.events {
            put_varint(&mut out, offset);
        }
        put_varint(&mut out, self.kernels.len() as u64);
        for groups in &self.kernels {
            put_varint(&mut out, groups.len() as u64);
            for place in groups {
                put_varint(&mut out, place.group);
                put_varint(&mut out, place.classes);
            }
        }
        out
    }

    /// From the contents of its chunk, in a file that has room for `chunks` others: no list can be
    /// longer.
    pub fn from_bytes(bytes: &[u8], chunks: u64) -> Result<Self, Malformed> {
        let mut wire = Wire::new(bytes, 0);
        let name = wire.string(MAX_NAME, "the program's name")?;
        let mut totals = Totals::default();
        for total in totals.fields() {
            *total = wire.varint("a total")?;
        }
        let mut left = chunks;
        let mut list = |wire: &mut Wire, expected| -> Result<usize, Malformed> {
            let n = wire.count(1, expected)?;
            left = left.checked_sub(n as u64).ok_or(wire.malformed("no more chunks than fit"))?;
            Ok(n)
        };
        let events = (0..list(&mut wire, "a number of chunks of events")?)
            .map(|_| wire.varint("an offset"))
            .collect::<Result<_, _>>()?;
        let mut kernels = Vec::new();
        let n = wire.count(1, "a number of kernels")?;
        if n > MAX_KERNELS {
            return Err(wire.malformed("at most 2^22 kernels"));
        }
        for _ in 0..n {
            let groups = (0..list(&mut wire, "a number of work-groups")?)
                .map(|_| {
                    let group = wire.varint("a work-group's offset")?;
                    Ok(GroupPlace { group, classes: wire.varint("an offset of racy lanes")? })
                })
                .collect::<Result<_, _>>()?;
            kernels.push(groups);
        }
        wire.end()?;
        Ok(Self { name, totals, events, kernels })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_comes_back() {
        let mut index = Index { name: "program".to_string(), ..Index::default() };
        for (i, total) in index.totals.fields().into_iter().enumerate() {
            *total = i as u64 * 1000;
        }
        index.events = vec![16, 500, 300];
        index.kernels = vec![vec![], vec![GroupPlace { group: 40, classes: 0 }; 3]];
        let bytes = index.to_bytes();
        assert_eq!(Index::from_bytes(&bytes, 6), Ok(index));
        for len in 0..bytes.len() {
            assert!(Index::from_bytes(&bytes[..len], 6).is_err());
        }
        // Three chunks of events and three work-groups do not fit into a file of five chunks.
        assert!(Index::from_bytes(&bytes, 5).is_err());
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_an_index_or_refused(
            bytes in proptest::collection::vec(0u8..20, 0..200)
        ) {
            let _ = Index::from_bytes(&bytes, 1000);
        }
    }
}
