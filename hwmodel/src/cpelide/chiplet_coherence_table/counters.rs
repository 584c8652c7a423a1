//! The firmware's counters (section 9).

/// Counters of a table since reset.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counters {
    /// 0: kernels launched.
    pub launches: u32,
    /// 1: acquires sent, one for each chiplet.
    pub acquires: u32,
    /// 3: releases sent, one for each chiplet.
    pub releases: u32,
    /// 5: most entries after a launch.
    pub occupancy: u32,
    /// 6: joins because of `max_structs` or of a full table.
    pub coarsenings: u32,
    /// 7: conservative launches.
    pub conservative: u32,
    /// 9: releases that only an acquire of the chiplet asked for (section 5.1 step 6).
    pub implied: u32,
    /// 10: entries whose mixed bit a launch resolved.
    pub resolutions: u32,
    /// 11: ranges that a launch made longer without replacing them.
    pub growths: u32,
}

impl Counters {
    /// By number. 2 and 4: `BASELINE` sends one of each to each chiplet for each launch; this many
    /// were saved, 0 where more were sent. 8 is the hardware's.
    pub fn by_number(&self, chiplets: usize) -> [u32; 16] {
        let baseline = self.launches * chiplets as u32;
        let mut counters = [0; 16];
        counters[0] = self.launches;
        counters[1] = self.acquires;
        counters[2] = baseline.saturating_sub(self.acquires);
        counters[3] = self.releases;
        counters[4] = baseline.saturating_sub(self.releases);
        counters[5] = self.occupancy;
        counters[6] = self.coarsenings;
        counters[7] = self.conservative;
        counters[9] = self.implied;
        counters[10] = self.resolutions;
        counters[11] = self.growths;
        counters
    }
}
