//! What threads do: litmus shapes on random lines, at random places in time.

use std::collections::VecDeque;

use cosim::stimulus::Random;

use crate::directory::systems::phase::Phase;
use crate::directory::systems::words::{FULL, WORDS, Word, words};

/// A read waits for its result, a release for its end, an atomic if it says so; writes wait for
/// nothing.
#[derive(Clone, Copy, Debug)]
pub enum Op {
    Read(Word),
    Write { line: usize, mask: u8 },
    Atomic { word: Word, waits: bool },
    Release,
}

/// Programs to choose from, and the frequencies of a phase that hardly writes.
pub const PROGRAMS: usize = 7;
pub const READS: [u32; PROGRAMS] = [1, 0, 0, 0, 0, 0, 20];

/// The next few operations of a thread.
pub fn draw(r: &mut Random, phase: &Phase) -> VecDeque<Op> {
    let mut choice = r.below(phase.programs.iter().sum());
    let mut program = 0;
    while choice >= phase.programs[program] {
        choice -= phase.programs[program];
        program += 1;
    }
    match program {
        0 => [access(r, phase)].into(),
        1 => read_back(r, phase),
        2 => atomic_between_reads(r, phase),
        3 => publish(r, phase),
        4 => consume(r, phase),
        5 => [access(r, phase), access(r, phase), Op::Release].into(),
        _ => (0..4).map(|_| Op::Read(word(r, phase))).collect(),
    }
}

/// What a reader of a flag does when it has learned something.
pub fn verify(r: &mut Random, learned: &[Word]) -> Vec<Op> {
    let first = r.below(learned.len().max(1) as u32) as usize;
    learned
        .iter()
        .cycle()
        .skip(first)
        .take(learned.len().min(4))
        .map(|&word| Op::Read(word))
        .collect()
}

/// One line is wanted more than the others.
fn line(r: &mut Random, phase: &Phase) -> usize {
    if r.chance(64) { phase.flags[0].line() } else { r.pick(&phase.hot) }
}

fn word(r: &mut Random, phase: &Phase) -> Word {
    Word::of(line(r, phase), r.below(WORDS as u32) as usize)
}

fn mask(r: &mut Random) -> u8 {
    let one = 1 << r.below(WORDS as u32);
    let some = 1 + r.below(u32::from(FULL)) as u8;
    r.pick(&[one, one, some, FULL])
}

fn access(r: &mut Random, phase: &Phase) -> Op {
    match r.below(8) {
        0..4 => Op::Read(word(r, phase)),
        4..7 => Op::Write { line: line(r, phase), mask: mask(r) },
        _ => Op::Atomic { word: word(r, phase), waits: r.chance(128) },
    }
}

/// A read after an own write: the write may still be on its way to the home.
fn read_back(r: &mut Random, phase: &Phase) -> VecDeque<Op> {
    let (line, mask) = (line(r, phase), mask(r));
    let written: Vec<_> = words(line, mask).collect();
    [Op::Write { line, mask }, Op::Read(r.pick(&written))].into()
}

/// The second read must not find the copy of the first.
fn atomic_between_reads(r: &mut Random, phase: &Phase) -> VecDeque<Op> {
    let word = if r.chance(128) { phase.flags[0] } else { word(r, phase) };
    if r.chance(128) {
        return [Op::Read(word), Op::Atomic { word, waits: true }, Op::Read(word)].into();
    }
    [Op::Read(word), Op::Atomic { word, waits: false }, Op::Release, Op::Read(word)].into()
}

/// Message passing: data of any homes, release, flag.
fn publish(r: &mut Random, phase: &Phase) -> VecDeque<Op> {
    let flag = r.pick(&phase.flags);
    let mut program = VecDeque::new();
    for _ in 0..1 + r.below(3) {
        program.push_back(if r.chance(64) {
            Op::Atomic { word: word(r, phase), waits: false }
        } else {
            Op::Write { line: line(r, phase), mask: mask(r) }
        });
    }
    program.push_back(Op::Release);
    let write = Op::Write { line: flag.line(), mask: 1 << flag.at() };
    program.push_back(if r.chance(96) {
        Op::Atomic { word: flag, waits: r.chance(128) }
    } else {
        write
    });
    program
}

/// Reads data, so that there are copies which may become stale, then flags.
fn consume(r: &mut Random, phase: &Phase) -> VecDeque<Op> {
    let mut program = VecDeque::new();
    for _ in 0..r.below(4) {
        program.push_back(Op::Read(word(r, phase)));
    }
    for _ in 0..1 + r.below(3) {
        let flag = r.pick(&phase.flags);
        program.push_back(if r.chance(32) {
            Op::Atomic { word: flag, waits: true }
        } else {
            Op::Read(flag)
        });
    }
    program
}
