//! What a stretch of steps draws: how fast everything is, and which lines are in use.

use cosim::stimulus::Random;

use crate::directory::systems::program::{PROGRAMS, READS};
use crate::directory::systems::sharer::BANKS;
use crate::directory::systems::words::{WORDS, Word};

/// Chances are parts of 256, of one message or action in a step.
#[derive(Clone, Debug)]
pub struct Phase {
    /// Steps until the next.
    pub left: u32,
    /// Of a thread.
    pub issue: u32,
    /// By home and GPU: of requests, and of messages back.
    pub request: Vec<Vec<u32>>,
    pub message: Vec<Vec<u32>>,
    /// By GPU and bank of its L2.
    pub banks: Vec<[u32; BANKS]>,
    /// By home; the last is of fill data and replies.
    pub rsp_ready: Vec<u32>,
    pub inv_ready: Vec<u32>,
    pub answer: Vec<u32>,
    pub token: u32,
    /// Of a copy to be dropped, in a GPU.
    pub drop_copy: u32,
    /// Of an EVICT.
    pub evict: u32,
    /// Lines in use, and words that serve as flags.
    pub hot: Vec<usize>,
    pub flags: Vec<Word>,
    /// Relative frequency of the programs of threads.
    pub programs: [u32; PROGRAMS],
}

impl Phase {
    /// `lines` by home.
    pub fn draw(r: &mut Random, lines: &[std::ops::Range<usize>], gpus: usize) -> Self {
        // Rarely nothing passes, while reads go on until a job or a fill is old (specification,
        // section 6, rule 2).
        let old = r.chance(8);
        let mut hot: Vec<usize> = Vec::new();
        for lines in lines {
            let all = lines.len();
            let count = if old { 2 } else { r.pick(&[2, 4, all, all]) }.min(all);
            let first = r.below((lines.len() - count + 1) as u32) as usize;
            hot.extend(lines.clone().skip(first).take(count));
        }
        let flag = |r: &mut Random| Word::of(r.pick(&hot), r.below(WORDS as u32) as usize);
        let flags = (0..1 + r.below(3)).map(|_| flag(r)).collect();
        // Most things are fast, so that what is slow is overtaken.
        let speed = |r: &mut Random| {
            let slow = r.chance(40);
            r.pick(if slow { &[3, 10, 30] } else { &[100, 200, 255] })
        };
        let speeds = |r: &mut Random| -> Vec<Vec<u32>> {
            lines.iter().map(|_| (0..gpus).map(|_| speed(r)).collect()).collect()
        };
        let of_homes = |r: &mut Random| -> Vec<u32> { lines.iter().map(|_| speed(r)).collect() };
        let mut phase = Self {
            left: 300 + r.below(900),
            issue: r.pick(&[20, 80, 200]),
            request: speeds(r),
            message: speeds(r),
            banks: (0..gpus).map(|_| [0; BANKS].map(|_| speed(r))).collect(),
            rsp_ready: of_homes(r),
            inv_ready: of_homes(r),
            answer: of_homes(r),
            token: speed(r),
            drop_copy: r.pick(&[0, 1, 16]),
            evict: r.pick(&[0, 0, 1, 6]),
            hot,
            flags,
            programs: [0; PROGRAMS].map(|_| r.pick(&[1, 2, 6])),
        };
        if old {
            let blocked = if r.chance(128) { &mut phase.inv_ready } else { &mut phase.answer };
            blocked[r.below(lines.len() as u32) as usize] = 0;
            (phase.issue, phase.evict, phase.programs) = (200, 0, READS);
        }
        phase
    }

    /// Everything in flight comes home soon; nothing new is wanted.
    pub fn quiet(mut self) -> Self {
        let fast = 200;
        self.request.iter_mut().chain(&mut self.message).for_each(|speeds| speeds.fill(fast));
        self.banks.iter_mut().for_each(|speeds| speeds.fill(fast));
        let of_homes = [&mut self.rsp_ready, &mut self.inv_ready, &mut self.answer];
        of_homes.into_iter().for_each(|speeds| speeds.fill(fast));
        Self { issue: fast, token: fast, drop_copy: 0, evict: 0, ..self }
    }
}
