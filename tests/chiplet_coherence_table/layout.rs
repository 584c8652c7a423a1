//! Where the structures of a random program lie, and which of their lines are really touched.

use cosim::stimulus::Random;

/// Bytes of a page.
pub const PAGE: u64 = 4096;

/// A structure, page aligned.
#[derive(Clone, Debug)]
pub struct Structure {
    pub base: u64,
    pub length: u64,
    /// Offsets where kernels divide it among chiplets: 0, some inside, `length`.
    pub cuts: Vec<u64>,
}

/// Structures in address order, and the spots in them.
#[derive(Clone, Debug)]
pub struct Layout {
    pub structures: Vec<Structure>,
    /// First byte of each line that is touched, in order.
    pub spots: Vec<u64>,
}

/// Addresses have 44 bits.
const TOP: u64 = 1 << 44;

impl Layout {
    /// `structures` of them.
    pub fn draw(r: &mut Random, structures: usize, line: u64) -> Self {
        let far = r.chance(16);
        let mut base = PAGE * (1 + u64::from(r.below(1 << 20)));
        let mut layout = Self { structures: Vec::new(), spots: Vec::new() };
        for _ in 0..structures {
            let length = length(r);
            layout.add(r, base, length, line);
            base = (base + length).next_multiple_of(PAGE);
            base += PAGE * u64::from(r.pick(&[0u32, 0, 0, 1, 1, 5]));
            // Too far for one entry to hold both neighbours.
            if far && r.chance(64) {
                base += 128 << 28;
            }
        }
        if r.chance(16) {
            layout.move_to_top();
        }
        layout
    }

    fn add(&mut self, r: &mut Random, base: u64, length: u64, line: u64) {
        let mut cuts = vec![0, length];
        for _ in 0..r.below(5) {
            let at = u64::from(r.below(length as u32));
            cuts.push(if r.chance(128) { at / line * line } else { at });
        }
        cuts.sort_unstable();
        cuts.dedup();
        // Both sides of each cut, and one more line.
        let sides = cuts.iter().flat_map(|&cut| [cut.saturating_sub(1), cut]);
        let more = u64::from(r.below(length as u32));
        for at in sides.chain([more]).filter(|&at| at < length) {
            self.spots.push((base + at) / line * line);
        }
        self.spots.sort_unstable();
        self.spots.dedup();
        self.structures.push(Structure { base, length, cuts });
    }

    /// Moves everything up, so that the last page is the last that there is.
    fn move_to_top(&mut self) {
        let Some(last) = self.structures.last() else { return };
        let up = TOP - (last.base + last.length).next_multiple_of(PAGE);
        for structure in &mut self.structures {
            structure.base += up;
        }
        for spot in &mut self.spots {
            *spot += up;
        }
    }
}

fn length(r: &mut Random) -> u64 {
    let bytes = match r.below(8) {
        0 => 1 + r.below(100),
        1..4 => 1 + r.below(500),
        4 => 1 + r.below(3 * PAGE as u32),
        5 => PAGE as u32 * 2,
        _ => PAGE as u32,
    };
    u64::from(bytes)
}
