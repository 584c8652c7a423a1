//! What one phase draws.

use ports::race::race_detection_unit::Config;

use super::rows::granules;
use crate::phase;
use crate::stimulus::random::MaskForm;
use crate::stimulus::{LONG, Random};

phase! {
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
        let one = 1 << r.below(c.n_sm);
        match r.below(14) {
            // Nothing is sent; what is there may leave, or leaves.
            0 => {
                (p.send, p.hot) = (0, 0);
                if r.chance(128) {
                    (p.token, p.take, p.late, p.stuck) = (256, 256, 0, 0);
                    p.left += 2 * c.rq_n * c.n_sm;
                }
            }
            // One SM writes everywhere: the signatures of all others fill up, some while an answer
            // is held.
            1 | 2 => {
                p.fill_all(c, one);
                p.send = r.pick(&[0, 1, 4]);
                (p.token, p.take) = (r.pick(&[256, 256, 128]), 256);
                (p.late, p.stuck) = (p.late & !one, r.word() as u32 & p.late & !one);
            }
            // All but one write everywhere.
            3 | 4 => {
                let left = p.left.min(200) + 2 * Self::fills(c);
                p.stride = p.stride.max(c.gran / 128);
                (p.writers, p.silent, p.hot, p.send) = (!one, one, 0, 256);
                (p.walks, p.empty, p.full, p.any, p.left) = (true, 0, 256, 0, left);
                (p.token, p.take, p.late, p.stuck) = (r.pick(&[256, 128, 128]), 256, 0, 0);
            }
            // Tokens are not taken.
            5 => (p.token, p.send, p.left) = (r.pick(&[0, 2]), 256, p.left.min(300)),
            // No answers are taken.
            6 => (p.take, p.send, p.left) = (r.pick(&[0, 1]), 256, p.left.min(300)),
            // As much as there can be, of all SMs or of one.
            7 => {
                (p.send, p.hot, p.silent) = r.pick(&[(256, 0, 0), (0, one, !one)]);
                (p.token, p.take, p.late, p.stuck) = (256, 256, 0, 0);
                if r.chance(128) {
                    // Each in one step.
                    (p.kinds, p.full, p.form) = ([0, 0, 8, 1], 0, Some(MaskForm::Byte));
                }
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

    /// One of its own, from the reset on: the signatures of all others fill up together.
    pub fn first(r: &mut Random, c: &Config) -> Self {
        let mut phase = Self::draw(r, c);
        let p = &mut phase;
        p.fill_all(c, 1 << r.below(c.n_sm));
        (p.send, p.token, p.take, p.late, p.stuck) = (0, 256, 256, 0, 0);
        phase
    }

    /// One SM writes, each time another line.
    fn fill_all(&mut self, c: &Config, one: u32) {
        (self.writers, self.hot, self.silent) = (one, one, 0);
        (self.kinds, self.near, self.any) = ([1, 1, 0, 0], 0, 0);
        (self.walks, self.empty, self.full, self.lines) = (true, 0, 256, 256);
        self.stride = self.stride.max(c.gran / 128);
        self.left = self.left.min(200) + Self::fills(c);
    }

    /// Cycles in which writes of one SM fill a signature.
    pub fn fills(c: &Config) -> u32 {
        let granules = granules(c);
        let writes = c.n_sat.div_ceil(granules);
        (writes + writes / 4 + 8) * (3 + granules.div_ceil(c.lanes))
    }

    /// One that is longer than a counter of 16 bits counts: reads, or a token that is not taken.
    pub fn long(r: &mut Random, c: &Config, stalls: bool) -> Self {
        let mut phase = Self::draw(r, c);
        let p = &mut phase;
        (p.left, p.token) = (LONG as u32, if stalls { 0 } else { 256 });
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
