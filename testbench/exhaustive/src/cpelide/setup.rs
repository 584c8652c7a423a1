//! The configurations that are searched.

use hwmodel::cpelide::chiplet_coherence_table::Hidden;

use super::kernel::{self, Header, Kernel, Shape};
use super::memory::BYTES;

/// Which L2 holds a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Homes {
    /// That of the chiplet that touches it.
    Private,
    /// That of its home, which other GPUs ask too.
    OtherGpus,
    /// That of its home; the table knows it.
    Aware,
}

impl Homes {
    /// What L2s may hold unknown to the table.
    pub fn hidden(self) -> Hidden {
        match self {
            Self::Private => Hidden::Nothing,
            Self::Aware => Hidden::OfGpu,
            Self::OtherGpus => Hidden::OfSystem,
        }
    }
}

/// A configuration.
#[derive(Debug)]
pub struct Setup {
    /// What it is, for tables.
    pub name: &'static str,
    structures: &'static [&'static [&'static [Shape]]],
    headers: &'static [Header],
    /// Streams.
    pub streams: usize,
    /// Entries of the table.
    pub entries: usize,
    /// Structures of a launch that are not coarsened.
    pub most: usize,
    /// The host reads and stores between kernels.
    pub host: bool,
    /// Which L2 holds a line.
    pub homes: Homes,
    /// All its states take longer than some seconds.
    pub is_large: bool,
}

const LABELLED: Header = Header { labelled: true, acquires: false, releases: false };
const UNLABELLED: Header = Header { labelled: false, ..LABELLED };
const ACQUIRES: Header = Header { acquires: true, ..LABELLED };
const RELEASES: Header = Header { releases: true, ..LABELLED };
const SYSTEM: Header = Header { acquires: true, releases: true, labelled: true };
const UNLABELLED_SYSTEM: Header = Header { labelled: false, ..SYSTEM };

const BASE: Setup = Setup {
    name: "",
    structures: &[],
    headers: &[LABELLED],
    streams: 1,
    entries: 2,
    most: 2,
    host: false,
    homes: Homes::Private,
    is_large: false,
};

/// All configurations, the smallest first.
pub const SETUPS: &[Setup] = &[
    Setup { name: "one structure", structures: &[kernel::ALL_Y], ..BASE },
    Setup {
        name: "one structure, unlabelled kernels",
        structures: &[kernel::ALL_Y],
        headers: &[LABELLED, UNLABELLED],
        ..BASE
    },
    Setup {
        name: "two structures, an entry for both",
        structures: &[kernel::FIRST_X, kernel::FIRST_Y],
        entries: 1,
        ..BASE
    },
    Setup {
        name: "two structures, coarsened in each launch",
        structures: &[kernel::FIRST_X, kernel::FIRST_Y],
        most: 1,
        is_large: true,
        ..BASE
    },
    Setup { name: "one structure, ranges", structures: &[kernel::ALL_X], ..BASE },
    Setup { name: "two streams, one line", structures: &[kernel::HALVES_Y], streams: 2, ..BASE },
    Setup {
        name: "two streams, unlabelled kernels",
        structures: &[kernel::HALVES_Y],
        headers: &[LABELLED, UNLABELLED],
        streams: 2,
        ..BASE
    },
    Setup { name: "two streams, ranges", structures: &[kernel::ALL_X], streams: 2, ..BASE },
    Setup {
        name: "two streams, an entry for both structures",
        structures: &[kernel::FIRST_X, kernel::FIRST_Y],
        streams: 2,
        entries: 1,
        is_large: true,
        ..BASE
    },
    Setup {
        name: "two streams, an entry for a shared line and another",
        structures: &[kernel::FIRST_X_ON_0, kernel::SHARED_Y],
        streams: 2,
        entries: 1,
        is_large: true,
        ..BASE
    },
    Setup {
        name: "two streams, two structures",
        structures: &[kernel::FIRST_X, kernel::FIRST_Y],
        streams: 2,
        is_large: true,
        ..BASE
    },
    Setup {
        name: "host, one structure",
        structures: &[kernel::WHOLE_Y],
        headers: &[LABELLED, ACQUIRES, RELEASES, UNLABELLED, UNLABELLED_SYSTEM],
        host: true,
        ..BASE
    },
    Setup {
        name: "host, two streams",
        structures: &[kernel::HALVES_Y],
        headers: &[LABELLED, SYSTEM],
        streams: 2,
        host: true,
        is_large: true,
        ..BASE
    },
    Setup {
        name: "home-forward, other GPUs",
        structures: &[kernel::WHOLE_X],
        headers: &[SYSTEM, UNLABELLED_SYSTEM],
        host: true,
        homes: Homes::OtherGpus,
        ..BASE
    },
    Setup {
        name: "home-forward, home-aware",
        structures: &[kernel::CHUNKS_X],
        headers: &[LABELLED, ACQUIRES, RELEASES, UNLABELLED, UNLABELLED_SYSTEM],
        host: true,
        homes: Homes::Aware,
        ..BASE
    },
];

impl Setup {
    /// Its kernels.
    pub fn kernels(&self) -> Vec<Kernel> {
        Kernel::all(self.structures, self.headers)
    }

    /// The bytes that some kernel touches.
    pub fn bytes(&self) -> Vec<usize> {
        let kernels = self.kernels();
        (0..BYTES).filter(|&b| kernels.iter().any(|kernel| kernel.touches(b, false))).collect()
    }
}
