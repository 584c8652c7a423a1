//! What a stretch of steps draws: how fast everything is, and which lines are in use.

use cosim::stimulus::Random;

use crate::words::{WORDS, Word};

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
    /// Of a bank of an L2.
    pub bank: u32,
    pub rsp_ready: u32,
    pub inv_ready: u32,
    /// Of fill data and replies.
    pub answer: u32,
    pub token: u32,
    /// Of a copy to be dropped, in a GPU.
    pub drop_copy: u32,
    /// Of an EVICT.
    pub evict: u32,
    /// Lines in use, and words that serve as flags.
    pub hot: Vec<usize>,
    pub flags: Vec<Word>,
    /// Relative frequency of the programs of threads.
    pub programs: [u32; 6],
}

impl Phase {
    /// `lines` by home.
    pub fn draw(r: &mut Random, lines: &[std::ops::Range<usize>], gpus: usize) -> Self {
        let mut hot: Vec<usize> = Vec::new();
        for lines in lines {
            let count = r.pick(&[2, 4, lines.len(), lines.len()]).min(lines.len());
            let first = r.below((lines.len() - count + 1) as u32) as usize;
            hot.extend(lines.clone().skip(first).take(count));
        }
        let flag = |r: &mut Random| Word::of(r.pick(&hot), r.below(WORDS as u32) as usize);
        let flags = (0..1 + r.below(3)).map(|_| flag(r)).collect();
        let speeds = |r: &mut Random| -> Vec<Vec<u32>> {
            let slow = r.chance(128);
            let speed = |r: &mut Random| r.pick(if slow { &[8, 24, 255] } else { &[64, 200, 255] });
            lines.iter().map(|_| (0..gpus).map(|_| speed(r)).collect()).collect()
        };
        Self {
            left: 300 + r.below(1500),
            issue: r.pick(&[8, 64, 200]),
            request: speeds(r),
            message: speeds(r),
            bank: r.pick(&[16, 128, 255]),
            rsp_ready: r.pick(&[16, 128, 255]),
            inv_ready: r.pick(&[8, 32, 128, 255]),
            answer: r.pick(&[4, 32, 128, 255]),
            token: r.pick(&[32, 128]),
            drop_copy: r.pick(&[0, 1, 16]),
            evict: r.pick(&[0, 0, 2, 12]),
            hot,
            flags,
            programs: [0; 6].map(|_| r.pick(&[1, 2, 6])),
        }
    }

    /// Everything in flight comes home soon; nothing new is wanted.
    pub fn quiet(mut self) -> Self {
        self.request.iter_mut().chain(&mut self.message).flatten().for_each(|chance| *chance = 200);
        let Self { issue, bank, rsp_ready, inv_ready, answer, token, .. } = &mut self;
        [issue, bank, rsp_ready, inv_ready, answer, token].map(|chance| *chance = 200);
        (self.drop_copy, self.evict) = (0, 0);
        self
    }
}
