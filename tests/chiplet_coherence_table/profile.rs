//! What random programs are like.

use cosim::stimulus::Random;
use hwmodel::cpelide::chiplet_coherence_table::{Hidden, Parameters, SyncMode};

/// What a program is like; chances are parts of 256.
pub struct Profile {
    /// The chiplets of each stream.
    pub streams: Vec<u16>,
    pub acquires: u32,
    pub releases: u32,
    pub unlabelled: u32,
    pub barriers: u32,
    pub faults: u32,
    /// Kernels say what they touch exactly, or more.
    pub exact: u32,
    /// Longest life of a kernel.
    pub life: u32,
    /// Most structures of most kernels.
    pub structures: u32,
    /// Most kernels touch a structure on one chiplet.
    pub sparse: bool,
    /// Most accesses of a range.
    pub accesses: u32,
    /// Loads of all of a range's bytes in a line.
    pub wide: u32,
    /// Kernels touch one line of a structure that a running kernel touches.
    pub beside: u32,
    /// Stream 0 has few kernels, which run for long and touch whole structures again and again.
    pub background: bool,
}

impl Profile {
    pub fn draw(r: &mut Random, chiplets: u32) -> Self {
        let streams = if r.chance(64) { 1 } else { 3 };
        let background = streams > 1 && r.chance(128);
        Self {
            streams: (0..streams).map(|_| mask(r, chiplets)).collect(),
            acquires: r.pick(&[0, 0, 12, 60]),
            releases: r.pick(&[0, 0, 12, 60]),
            unlabelled: r.pick(&[0, 0, 0, 12, 40]),
            barriers: r.pick(&[0, 0, 6, 20]),
            faults: r.pick(&[0, 0, 0, 12]),
            exact: r.pick(&[0, 128, 256]),
            life: r.pick(&[1, 4, 8, 16]),
            structures: if background { 1 } else { r.pick(&[1, 2, 2, 4]) },
            sparse: r.chance(48),
            accesses: r.pick(&[2, 4, 8]),
            wide: r.pick(&[8, 32, 96]),
            beside: if background { 200 } else { r.pick(&[0, 60, 160]) },
            background,
        }
    }
}

/// The chiplets of a stream.
pub fn mask(r: &mut Random, chiplets: u32) -> u16 {
    let all = (1 << chiplets) - 1;
    match r.below(8) {
        0 => 1 << r.below(chiplets),
        1 => 1 + r.below(all) as u16,
        2 => 0b11 << r.below(chiplets - 1),
        _ => all as u16,
    }
}

/// The table of a program.
pub fn parameters(r: &mut Random, seed: u64) -> Parameters {
    // By seed, so that each has its part of any number of programs.
    const HIDDEN: [Hidden; 4] = [Hidden::Nothing, Hidden::Nothing, Hidden::OfGpu, Hidden::OfSystem];
    Parameters {
        chiplets: r.pick(&[2, 2, 2, 3, 3, 4, 4, 4, 4, 7, 16]),
        table_entries: r.pick(&[8, 8, 8, 64]),
        max_structs: r.pick(&[1, 2, 4, 8]),
        line: r.pick(&[64, 64, 128]),
        sync_mode: SyncMode::Cpelide,
        hidden: HIDDEN[seed as usize % HIDDEN.len()],
        home_aware: is_home_aware(seed),
    }
}

/// Whether the program of a seed is for a table with HOME_AWARE: a fourth are.
pub fn is_home_aware(seed: u64) -> bool {
    matches!(seed % 8, 6 | 7)
}
