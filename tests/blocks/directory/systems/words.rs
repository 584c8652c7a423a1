//! What a line holds: not bytes, but which write they come from.

/// Words of a line: what one write may change and another keep.
pub const WORDS: usize = 4;
/// The mask of a write of all bytes.
pub const FULL: u8 = (1 << WORDS) - 1;

/// A word of the system's lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word(pub usize);

impl Word {
    /// Word `at` of a line.
    pub fn of(line: usize, at: usize) -> Self {
        Self(line * WORDS + at)
    }

    pub fn line(self) -> usize {
        self.0 / WORDS
    }

    /// Its place in the line.
    pub fn at(self) -> usize {
        self.0 % WORDS
    }
}

/// The words of a line that a mask has.
pub fn words(line: usize, mask: u8) -> impl Iterator<Item = Word> {
    (0..WORDS).filter(move |at| mask >> at & 1 == 1).map(move |at| Word::of(line, at))
}

/// The number of a write; 0 is what memory held at the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Write(pub u32);

/// The contents of a line.
pub type Data = [Write; WORDS];
