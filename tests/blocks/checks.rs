//! What checks against an oracle share.

use cosim::stimulus;

/// Fails a check with a message where a condition does not hold.
pub fn ensure(holds: bool, wrong: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(wrong()) }
}

/// Random choices, as stimuli make them.
pub struct Random(stimulus::Random);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(stimulus::Random::new(seed))
    }

    pub fn next(&mut self) -> u64 {
        self.0.word()
    }

    /// Below `n`, which is far below 2^32.
    pub fn below(&mut self, n: u64) -> u64 {
        self.0.below(u32::try_from(n).expect("a small number")).into()
    }

    /// True once in `n`.
    pub fn once_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        self.0.pick(from)
    }

    /// Byte enables of a line: at least one.
    pub fn mask(&mut self, line: u32) -> u128 {
        self.0.mask(line, None)
    }
}
