//! What kernels do with two structures: `x`, two lines of which a byte each is used, and `y`, one
//! line of which two bytes are.

use super::packet::{self, Label};

/// The bytes of each line.
pub const LINES: [&[usize]; 3] = [&[0], &[1], &[2, 3]];
/// What they are called.
pub const NAMES: [&str; 4] = ["x[0]", "x[1]", "y[0]", "y[1]"];

/// The line of a byte.
pub fn line_of(byte: usize) -> usize {
    LINES.iter().position(|line| line.contains(&byte)).expect("a byte is in a line")
}

/// What a kernel does with a structure.
#[derive(Debug)]
pub struct Shape {
    name: &'static str,
    structure: usize,
    writes: bool,
    /// What the label says: chiplet, first and last byte.
    ranges: &'static [(usize, u64, u64)],
    /// What it may touch: chiplet and byte, which no other chiplet touches if it writes.
    touches: &'static [(usize, usize)],
}

const fn shape(
    name: &'static str,
    (structure, writes): (usize, bool),
    ranges: &'static [(usize, u64, u64)],
    touches: &'static [(usize, usize)],
) -> Shape {
    Shape { name, structure, writes, ranges, touches }
}

const X: usize = 0;
const Y: usize = 1;
const FIRST: u64 = 0;
const SECOND: u64 = packet::LINE;
const HALF: u64 = packet::LINE / 2;

macro_rules! both_modes {
    ($reads:literal, $writes:literal, $structure:expr, $ranges:expr, $touches:expr) => {
        [
            shape($reads, ($structure, false), &$ranges, &$touches),
            shape($writes, ($structure, true), &$ranges, &$touches),
        ]
    };
}

const X_BY_CHUNKS: [Shape; 2] = both_modes!(
    "reads x by chunks",
    "writes x by chunks",
    X,
    [(0, FIRST, FIRST), (1, SECOND, SECOND)],
    [(0, 0), (1, 1)]
);
const X_CROSSWISE: [Shape; 2] = both_modes!(
    "reads x by chunks, crosswise",
    "writes x by chunks, crosswise",
    X,
    [(0, SECOND, SECOND), (1, FIRST, FIRST)],
    [(0, 1), (1, 0)]
);
const X_ON_0: [Shape; 2] = both_modes!(
    "reads x on chiplet 0",
    "writes x on chiplet 0",
    X,
    [(0, FIRST, SECOND)],
    [(0, 0), (0, 1)]
);
const X_ON_1: [Shape; 2] = both_modes!(
    "reads x on chiplet 1",
    "writes x on chiplet 1",
    X,
    [(1, FIRST, SECOND)],
    [(1, 0), (1, 1)]
);
const X_WITHOUT_RANGES: [Shape; 2] = both_modes!(
    "reads x by chunks, without ranges",
    "writes x by chunks, without ranges",
    X,
    [(0, FIRST, SECOND), (1, FIRST, SECOND)],
    [(0, 0), (1, 1)]
);
const Y_ON_0: [Shape; 2] = both_modes!(
    "reads y on chiplet 0",
    "writes y on chiplet 0",
    Y,
    [(0, 0, HALF)],
    [(0, 2), (0, 3)]
);
const Y_ON_1: [Shape; 2] = both_modes!(
    "reads y on chiplet 1",
    "writes y on chiplet 1",
    Y,
    [(1, 0, HALF)],
    [(1, 2), (1, 3)]
);
const Y_BY_HALVES: [Shape; 2] = both_modes!(
    "reads y by halves of a line",
    "writes y by halves of a line",
    Y,
    [(0, 0, 0), (1, HALF, HALF)],
    [(0, 2), (1, 3)]
);
const Y_HALF_ON_0: [Shape; 2] =
    both_modes!("reads y[0] on chiplet 0", "writes y[0] on chiplet 0", Y, [(0, 0, 0)], [(0, 2)]);
const Y_HALF_ON_1: [Shape; 2] = both_modes!(
    "reads y[1] on chiplet 1",
    "writes y[1] on chiplet 1",
    Y,
    [(1, HALF, HALF)],
    [(1, 3)]
);
const X_FIRST_ON_0: [Shape; 2] = both_modes!(
    "reads x[0] on chiplet 0",
    "writes x[0] on chiplet 0",
    X,
    [(0, FIRST, FIRST)],
    [(0, 0)]
);
const X_FIRST_ON_1: [Shape; 2] = both_modes!(
    "reads x[0] on chiplet 1",
    "writes x[0] on chiplet 1",
    X,
    [(1, FIRST, FIRST)],
    [(1, 0)]
);
const Y_FIRST_ON_1: [Shape; 2] =
    both_modes!("reads y[0] on chiplet 1", "writes y[0] on chiplet 1", Y, [(1, 0, 0)], [(1, 2)]);

/// Kernels of all kinds on `x`.
pub const ALL_X: &[&[Shape]] = &[&X_BY_CHUNKS, &X_CROSSWISE, &X_ON_0, &X_ON_1, &X_WITHOUT_RANGES];
/// Kernels on both lines of `x` that run on one chiplet.
pub const WHOLE_X: &[&[Shape]] = &[&X_ON_0, &X_ON_1];
/// Kernels on a line of `x` that run on one chiplet.
pub const FIRST_X: &[&[Shape]] = &[&X_FIRST_ON_0, &X_FIRST_ON_1];
/// Kernels on `x` with a chunk for each chiplet.
pub const CHUNKS_X: &[&[Shape]] = &[&X_BY_CHUNKS, &X_CROSSWISE];
/// Kernels of all kinds on `y`.
pub const ALL_Y: &[&[Shape]] = &[&Y_ON_0, &Y_ON_1, &Y_BY_HALVES];
/// Kernels on `y` that may run at the same time.
pub const HALVES_Y: &[&[Shape]] = &[&Y_HALF_ON_0, &Y_HALF_ON_1, &Y_ON_0, &Y_ON_1, &Y_BY_HALVES];
/// Kernels on `y` that run on one chiplet.
pub const WHOLE_Y: &[&[Shape]] = &[&Y_ON_0, &Y_ON_1];
/// Kernels on a line of `x` that run on chiplet 0.
pub const FIRST_X_ON_0: &[&[Shape]] = &[&X_FIRST_ON_0];
/// Kernels on `y` that run on one chiplet, two of them at the same time.
pub const SHARED_Y: &[&[Shape]] = &[&Y_HALF_ON_0, &Y_HALF_ON_1, &Y_ON_0];
/// Kernels on a byte of `y` that run on one chiplet.
pub const FIRST_Y: &[&[Shape]] = &[&Y_HALF_ON_0, &Y_FIRST_ON_1];

/// What a kernel says of itself, and which scopes it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// It has labels.
    pub labelled: bool,
    /// Acquire scope system.
    pub acquires: bool,
    /// Release scope system.
    pub releases: bool,
}

/// A kernel as it may be launched any number of times.
#[derive(Debug)]
pub struct Kernel {
    shapes: Vec<&'static Shape>,
    /// Labels and scopes.
    pub header: Header,
    /// Its packet.
    pub packet: [u8; 64],
    /// Its extension block.
    pub extension: Vec<u8>,
    /// Chiplet, byte, and whether it may store there.
    pub touches: Vec<(usize, usize, bool)>,
}

impl Kernel {
    fn new(shapes: Vec<&'static Shape>, header: Header) -> Self {
        let Header { labelled, acquires, releases } = header;
        let label = |shape: &&Shape| Label {
            structure: shape.structure,
            writes: shape.writes,
            ranges: shape.ranges.to_vec(),
        };
        let labels: Vec<_> = shapes.iter().map(label).collect();
        let touches = |shape: &&'static Shape| {
            let writes = shape.writes;
            shape.touches.iter().map(move |&(chiplet, byte)| (chiplet, byte, writes))
        };
        Self {
            packet: packet::kernel(acquires, releases, labelled),
            extension: if labelled { packet::labels(&labels) } else { Vec::new() },
            touches: shapes.iter().flat_map(touches).collect(),
            shapes,
            header,
        }
    }

    /// All kernels that do one of these with each structure, or nothing, but for nothing at all.
    pub fn all(structures: &[&'static [&'static [Shape]]], headers: &[Header]) -> Vec<Self> {
        let mut chosen: Vec<Vec<&'static Shape>> = vec![Vec::new()];
        for shapes in structures {
            let with = |before: &Vec<&'static Shape>| -> Vec<Vec<&'static Shape>> {
                let all = shapes.iter().flat_map(|modes| modes.iter());
                let with = |shape| before.iter().copied().chain([shape]).collect();
                [before.clone()].into_iter().chain(all.map(with)).collect()
            };
            chosen = chosen.iter().flat_map(with).collect();
        }
        let something = chosen.into_iter().filter(|shapes| !shapes.is_empty());
        let each = |shapes: Vec<&'static Shape>| {
            headers.iter().map(move |&header| Self::new(shapes.clone(), header))
        };
        something.flat_map(each).collect()
    }

    /// True where both may touch a byte that one of them may store to.
    pub fn conflicts(&self, other: &Self) -> bool {
        let meets = |&(_, byte, writes): &(usize, usize, bool)| {
            other.touches.iter().any(|&(_, theirs, too)| theirs == byte && (writes || too))
        };
        self.touches.iter().any(meets)
    }

    /// True where it may touch the byte; with `storing`, store to it.
    pub fn touches(&self, byte: usize, storing: bool) -> bool {
        let is_it = |&(_, own, writes): &(usize, usize, bool)| own == byte && (writes || !storing);
        self.touches.iter().any(is_it)
    }

    /// What it does, in words.
    pub fn describe(&self) -> String {
        let does: Vec<_> = self.shapes.iter().map(|shape| shape.name).collect();
        let Header { labelled, acquires, releases } = self.header;
        let mut text = format!("that {}", does.join(" and "));
        for (is_so, what) in [
            (!labelled, "without labels"),
            (acquires, "with acquire scope system"),
            (releases, "with release scope system"),
        ] {
            if is_so {
                text += &format!(", {what}");
            }
        }
        text
    }
}
