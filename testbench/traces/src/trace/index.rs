//! The end of a trace: where everything stands, and totals.

use serde::Serialize;

use super::limits::{MAX_KERNELS, MAX_NAME, PLACES};
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

/// Where a kernel's work-groups are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KernelPlace {
    /// Work-groups.
    pub groups: u32,
    /// Number of its first chunk of places among those of all kernels.
    pub first: usize,
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
    /// The kernels.
    pub kernels: Vec<KernelPlace>,
    /// Offset of each chunk of places, [`PLACES`] work-groups of a kernel in each.
    pub places: Vec<u64>,
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
        for list in [&self.events, &self.places] {
            put_varint(&mut out, list.len() as u64);
            list.iter().for_each(|&offset| put_varint(&mut out, offset));
        }
        put_varint(&mut out, self.kernels.len() as u64);
        for kernel in &self.kernels {
            put_varint(&mut out, u64::from(kernel.groups));
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
        let mut offsets = |expected| -> Result<Vec<u64>, Malformed> {
            let n = wire.count(1, expected)?;
            if n as u64 > chunks {
                return Err(wire.malformed("no more chunks than fit"));
            }
            (0..n).map(|_| wire.varint("an offset")).collect()
        };
        let events = offsets("a number of chunks of events")?;
        let places = offsets("a number of chunks of places")?;
        let n = wire.count(1, "a number of kernels")?;
        if n > MAX_KERNELS {
            return Err(wire.malformed("at most 2^22 kernels"));
        }
        let (mut kernels, mut first) = (Vec::with_capacity(n), 0);
        for _ in 0..n {
            let groups = wire.u32("a number of work-groups")?;
            kernels.push(KernelPlace { groups, first });
            first += groups.div_ceil(PLACES) as usize;
        }
        wire.end()?;
        if first != places.len() {
            return Err(wire.malformed("as many chunks of places as the work-groups need"));
        }
        Ok(Self { name, totals, events, kernels, places })
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
        index.places = vec![40, 90, 700];
        index.kernels = vec![
            KernelPlace { groups: 0, first: 0 },
            KernelPlace { groups: 2 * PLACES, first: 0 },
            KernelPlace { groups: 1, first: 2 },
        ];
        let bytes = index.to_bytes();
        assert_eq!(Index::from_bytes(&bytes, 3).as_ref(), Ok(&index));
        for len in 0..bytes.len() {
            assert!(Index::from_bytes(&bytes[..len], 3).is_err());
        }
        assert!(Index::from_bytes(&bytes, 2).is_err());
        index.kernels[2].groups = PLACES + 1;
        assert!(Index::from_bytes(&index.to_bytes(), 3).is_err());
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
