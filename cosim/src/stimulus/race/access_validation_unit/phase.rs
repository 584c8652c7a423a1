//! What one phase draws.

use ports::race::access_validation_unit::Config;

use crate::phase;
use crate::stimulus::{LONG, Random};

/// Addresses in use.
const ADDRS: usize = 16;

phase! {
    /// Chances are parts of 256.
    pub struct Phase(r: &mut Random, c: &Config) {
        pub left: u32 = 16 + { let most = r.pick(&[128, 512, 512, 2048]); r.below(most) },
        /// Of an answer, and of its next chunk.
        pub answer: u32 = r.pick(&[256, 128, 32, 4]),
        pub chunk: u32 = r.pick(&[256, 256, 128, 16]),
        /// Chance that an answer changes the epoch, then that it has no chunks.
        pub sync: u32 = r.pick(&[256, 128, 32, 0]),
        pub empty: u32 = r.pick(&[0, 64, 256]),
        /// Chance of a chunk, and how dense its bits are: see `answers::bits`.
        pub chunks: u32 = r.pick(&[256, 128, 16, 0]),
        pub density: u32 = r.pick(&[0, 1, 2, 3, 3, 4, 4, 5]),
        pub lookup: u32 = r.pick(&[256, 256, 128, 16]),
        /// Chance that a lookup that was not taken is still there.
        pub again: u32 = r.pick(&[256, 128]),
        pub tag: u32 = r.pick(&[256, 240, 128, 0]),
        /// Lines in use, and the first.
        pub lines: u32 = r.pick(&[1, 2, 4, c.lines]).min(c.lines),
        pub first: u32 = r.below(c.lines),
        pub fill: u32 = r.pick(&[256, 128, 32, 4, 0]),
        /// Chance that a line is filled with the epoch before.
        pub old: u32 = r.pick(&[0, 32, 256]),
        pub clear: u32 = r.pick(&[256, 64, 8, 0]),
        /// Chance that a fill, a clear is of the line that is looked up.
        pub same: u32 = r.pick(&[0, 64, 256]),
        /// Chance that a line is filled in the cycle in which it would look new again.
        pub edge: u32 = r.pick(&[0, 64, 256]),
        /// Size of all accesses of the phase.
        pub size: Option<u8> = { let size = r.below(8) as u8; r.pick(&[None, None, Some(size)]) },
        pub addrs: [u32; ADDRS] = std::array::from_fn(|_| r.word() as u32),
        pub used: u32 = 1 + r.below(ADDRS as u32),
        /// Chance of an access to anywhere.
        pub any: u32 = r.pick(&[0, 32, 256]),
        /// Most cycles of queries of a validation, and the chance of each query.
        pub validated: u32 = r.pick(&[0, 1, 4, 32]),
        pub lane: u32 = r.pick(&[256, 128, 32]),
        /// Chances of queries without a validation, of the queue's level without queries.
        pub asks: u32 = r.pick(&[0, 0, 64, 256]),
        pub busy: u32 = r.pick(&[0, 0, 8, 128]),
        /// Chances of beats, and of lines and epochs, against the rules.
        pub wrong: u32 = r.pick(&[0, 0, 0, 8, 128, 220]),
        pub fault: u32 = r.pick(&[0, 0, 0, 8, 128]),
    }
}

impl Phase {
    /// A phase of any kind.
    pub fn any(r: &mut Random, c: &Config) -> Self {
        let mut phase = Self::draw(r, c);
        let p = &mut phase;
        match r.below(12) {
            // Nothing comes.
            0 => {
                (p.answer, p.lookup, p.fill, p.clear) = (0, 0, 0, 0);
                (p.asks, p.busy, p.wrong, p.edge) = (0, 0, 0, 0);
            }
            // One line, hit again and again.
            1 => {
                (p.lookup, p.tag, p.lines, p.any) = (256, 256, 1, 0);
                (p.fill, p.sync, p.answer) = (r.pick(&[4, 32]), r.pick(&[0, 64]), 16);
                (p.clear, p.density, p.fault) = (r.pick(&[0, 8, 64]), r.below(4), 0);
            }
            // Epochs pass, and lines are left alone: they come around again.
            2 | 3 => {
                (p.answer, p.chunk, p.sync, p.empty) = (256, 256, 256, r.pick(&[128, 256]));
                (p.fill, p.validated, p.busy) = (r.pick(&[1, 8, 24]), 0, 0);
                (p.wrong, p.chunks) = (0, 0);
                p.left = 100 + 8 * (1 << c.epoch_w);
            }
            // Lines of the epoch before, against a signature.
            4 | 5 => {
                (p.lookup, p.tag, p.fill, p.old) = (256, 256, r.pick(&[64, 256]), 256);
                (p.answer, p.sync, p.empty, p.density) = (32, 128, 0, 1 + r.below(3));
                p.fault = 0;
            }
            // The speculative load queue validates most of the time.
            6 => (p.answer, p.sync, p.validated, p.lane) = (256, 256, 32, 256),
            _ => {}
        }
        phase
    }

    /// One that is longer than a counter of 16 bits counts: hits, or lines that are not there.
    pub fn long(r: &mut Random, c: &Config, cold: bool) -> Self {
        let mut phase = Self::draw(r, c);
        let p = &mut phase;
        (p.left, p.lookup, p.tag) = (LONG as u32, 256, if cold { 0 } else { 256 });
        (p.lines, p.fill, p.same, p.sync, p.old) = (1, 256, 256, 0, 0);
        (p.wrong, p.fault, p.edge) = (0, 0, 0);
        phase
    }
}
