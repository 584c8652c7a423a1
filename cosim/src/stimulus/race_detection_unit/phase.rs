//! What one phase draws.

use ports::race_detection_unit::Config;

use crate::stimulus::draws::draws;
use crate::stimulus::random::MaskForm;
use crate::stimulus::{LongTime, Random};

draws! {
    /// Chances are parts of 256.
    pub struct Phase(r: &mut Random, c: &Config) {
        pub left: u32 = 16 + { let most = r.pick(&[128, 512, 512, 2048]); r.below(most) },
        /// Of a request of an SM; of the SMs that are hot, and of those that are silent.
        send: u32 = r.pick(&[256, 256, 64, 16, 4]),
        hot: u32 = { let one = 1 << r.below(c.n_sm); r.pick(&[0, 0, one]) },
        silent: u32 = { let some = r.word() as u32; r.pick(&[0, 0, some]) },
        /// Relative frequency of the kinds; SMs that only write.
        pub kinds: [u32; 4] = r.pick(&[
            [4, 1, 4, 1], [8, 2, 1, 0], [1, 1, 8, 2], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0],
            [0, 0, 0, 1], [1, 1, 0, 0],
        ]),
        pub writers: u32 = { let one = 1 << r.below(c.n_sm); r.pick(&[0, 0, one]) },
        /// Lines in use, their distance, and the first.
        pub lines: u32 = r.pick(&[1, 2, 4, 16, 256, 4096]),
        pub stride: u32 = r.pick(&[1, 1, 4, 33]),
        pub base: u32 = r.word() as u32 >> 7,
        /// Whether each write is to another line.
        pub walks: bool = r.chance(64),
        /// Chance of a read of the line of the last write, of a request to anywhere.
        pub near: u32 = r.pick(&[0, 64, 256]),
        pub any: u32 = r.pick(&[0, 0, 8, 256]),
        /// Chances of masks without a byte, of a full one; form of the others.
        pub empty: u32 = r.pick(&[0, 0, 8, 128]),
        pub full: u32 = r.pick(&[0, 64, 256]),
        pub form: Option<MaskForm> = r.form(),
        /// That the token, that a beat is taken.
        pub token: u32 = r.pick(&[256, 256, 256, 128, 24]),
        take: u32 = r.pick(&[256, 256, 256, 128, 24]),
        /// SMs that take beats late; SMs that take none.
        late: u32 = { let some = r.word() as u32; r.pick(&[0, 0, some]) },
        stuck: u32 = { let some = (r.word() & r.word()) as u32; r.pick(&[0, 0, 0, some]) },
    }
}

impl Phase {
    /// A phase of any kind.
    pub fn any(r: &mut Random, c: &Config) -> Self {
        let mut phase = Self::draw(r, c);
        let p = &mut phase;
        // Lines of new granules that fill a signature, and cycles of a write.
        let granules = 128u32.div_ceil(c.gran);
        let writes = c.n_sat.div_ceil(granules);
        let fills = (writes + writes / 4 + 8) * (3 + granules.div_ceil(c.lanes));
        let one = 1 << r.below(c.n_sm);
        match r.below(14) {
            // Nobody sends; what is there may leave.
            0 => (p.send, p.hot) = (0, 0),
            // One SM writes everywhere: the signatures of all others fill up together, some while
            // an answer is held.
            1 | 2 => {
                (p.writers, p.hot, p.send, p.silent) = (one, one, r.pick(&[0, 1, 1]), 0);
                (p.kinds, p.near, p.any) = ([1, 1, 0, 0], 0, 0);
                (p.walks, p.stride, p.empty, p.full) = (true, 1 + 4 * r.below(2), 0, 256);
                (p.token, p.take, p.left) = (256, 256, p.left.min(200) + fills);
                (p.late, p.stuck) = (p.late & !one, p.stuck & !one);
                (p.lines, p.base) = (256, r.word() as u32 >> 7);
            }
            // All but one write everywhere.
            3 | 4 => {
                (p.writers, p.silent, p.hot, p.send) = (!one, one, 0, 256);
                (p.walks, p.empty, p.full, p.any) = (true, 0, 256, 0);
                (p.token, p.take, p.late, p.stuck) = (256, 256, 0, 0);
                p.left = p.left.min(200) + 2 * fills;
            }
            // Tokens are not taken.
            5 => (p.token, p.send, p.left) = (r.pick(&[0, 2]), 256, p.left.min(300)),
            // No answers are taken.
            6 => (p.take, p.send, p.left) = (r.pick(&[0, 1]), 256, p.left.min(300)),
            // As much as there can be.
            7 => {
                (p.send, p.hot, p.silent, p.token, p.take) = (256, 0, 0, 256, 256);
                (p.late, p.stuck) = (0, 0);
            }
            // Races.
            8 | 9 => {
                (p.lines, p.near, p.any, p.walks) = (r.pick(&[1, 2]), 256, 0, false);
                (p.send, p.silent, p.kinds) = (r.pick(&[256, 64]), 0, [4, 4, 2, 1]);
            }
            _ => {}
        }
        phase
    }

    /// One that is longer than a counter of 16 bits counts: reads, or a token that is not taken.
    pub fn long(r: &mut Random, c: &Config, stalls: bool) -> Self {
        let mut phase = Self::draw(r, c);
        let p = &mut phase;
        (p.left, p.token) = (LongTime::CYCLES as u32, if stalls { 0 } else { 256 });
        (p.send, p.hot, p.silent, p.writers) = (256, 0, 0, 0);
        (p.kinds, p.take, p.late, p.stuck) = ([1, 0, 0, 0], 256, 0, 0);
        phase
    }

    /// Chance of a request of an SM.
    pub fn send(&self, sm: u32) -> u32 {
        match () {
            () if self.hot >> sm & 1 == 1 => 256,
            () if self.silent >> sm & 1 == 1 => 0,
            () => self.send,
        }
    }

    /// Chance that an SM takes a beat.
    pub fn takes(&self, sm: u32) -> u32 {
        match () {
            () if self.stuck >> sm & 1 == 1 => 0,
            () if self.late >> sm & 1 == 1 => self.take / 16,
            () => self.take,
        }
    }
}
