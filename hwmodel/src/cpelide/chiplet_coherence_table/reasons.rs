//! Why operations are sent, and why entries that a kernel touches need none.

use std::fmt::{self, Display, Formatter};

use super::lines::Lines;
use super::masks::Masks;
use super::transition::{Mode, State, Step};

/// Why it is unknown what a kernel touches: its launch is conservative (section 5.1 step 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unlabelled {
    /// The packet has no extension block.
    NoBlock,
    /// The block says UNKNOWN.
    Flagged,
    /// The block was longer than a packet slot.
    Truncated,
    /// Under HOME_AWARE no operation depends on the labels, so they are not read: the kernel has
    /// both scopes system, or EVERY is set and stays (choice 13 of `firmware/README.md`).
    Needless,
    /// The block is wrong: a code of section 12.
    Fault(u8),
    /// An entry would be longer than its offsets reach (code 4).
    TooLong,
}

/// What has been decided about a chiplet, and by which rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The entry's mixed bit is resolved (section 5.3).
    Mixed,
    /// A row of section 5.2: a kernel on another chiplet touches what is held here.
    Remote(Mode),
    /// The same under HOME_AWARE: what is held here has no other copy, and nothing is asked for
    /// (section 5.9).
    RemoteAtHome(Mode),
    /// A row of section 5.2: the kernel runs here.
    Local(Mode),
    /// The kernel touches the entry, but neither here nor what is held here.
    Apart,
    /// The chiplet is acquired and holds dirty lines of this entry (section 5.1 step 6).
    Implied,
    /// It is unknown what the kernel touches. Under HOME_AWARE this asks for nothing.
    Conservative(Unlabelled),
    /// Kernels without labels have run, and may have touched anything (section 5.1 step 2). Under
    /// HOME_AWARE this asks for something only where a scope does.
    Every,
    /// Acquire scope system: the host may have written (section 5.6).
    AcquireScope,
    /// Release scope system: the host will read (section 5.6).
    ReleaseScope,
    /// The program ends (section 5.6).
    ProgramEnd,
    /// There is no table: all chiplets, always (section 7).
    Baseline,
}

/// An entry at a chiplet, as the rule found it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// All lines of the entry; of the launch's record where there was none.
    pub lines: Lines,
    /// Its state at the chiplet.
    pub state: State,
    /// A running kernel uses it there (section 5.5).
    pub in_use: bool,
}

/// A rule that was applied to one chiplet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The rule.
    pub cause: Cause,
    /// The chiplet.
    pub chiplet: u8,
    /// The entry, where the rule is about one.
    pub pair: Option<Pair>,
    /// The rule asks for a release of the chiplet.
    pub release: bool,
    /// The rule asks for an acquire of the chiplet.
    pub acquire: bool,
}

/// What is sent, and why.
#[derive(Clone, Debug, Default)]
pub struct Needs {
    /// All operations.
    pub masks: Masks,
    /// Their reasons; each operation has at least one.
    pub reasons: Vec<Reason>,
}

impl Needs {
    /// Adds what a rule asks for.
    pub fn add(&mut self, reason: Reason) {
        self.masks.release |= u16::from(reason.release) << reason.chiplet;
        self.masks.acquire |= u16::from(reason.acquire) << reason.chiplet;
        self.reasons.push(reason);
    }

    /// Adds the operations of a step of an entry.
    pub fn add_step(&mut self, cause: Cause, chiplet: usize, pair: Pair, step: &Step) {
        let Step { release, acquire, .. } = *step;
        self.add(Reason { cause, chiplet: chiplet as u8, pair: Some(pair), release, acquire });
    }

    /// Adds operations on chiplets for what is held there of entries.
    pub fn add_pairs(
        &mut self,
        cause: Cause,
        pairs: impl IntoIterator<Item = (u8, Pair)>,
        (release, acquire): (bool, bool),
    ) {
        for (chiplet, pair) in pairs {
            self.add(Reason { cause, chiplet, pair: Some(pair), release, acquire });
        }
    }

    /// Adds a rule that is about no entry and asks these chiplets for nothing.
    pub fn add_idle(&mut self, cause: Cause, chiplets: u16) {
        for chiplet in (0..16u8).filter(|&i| chiplets >> i & 1 == 1) {
            self.add(Reason { cause, chiplet, pair: None, release: false, acquire: false });
        }
    }

    /// Adds operations that are about no entry.
    pub fn add_all(&mut self, cause: Cause, masks: Masks) {
        for chiplet in 0..16u8 {
            let [release, acquire] = [masks.release, masks.acquire].map(|m| m >> chiplet & 1 == 1);
            if release || acquire {
                self.add(Reason { cause, chiplet, pair: None, release, acquire });
            }
        }
    }
}

impl Display for Unlabelled {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        match self {
            Self::NoBlock => f.write_str("no labels"),
            Self::Flagged => f.write_str("labels say unknown"),
            Self::Truncated => f.write_str("labels are cut off"),
            Self::Needless => f.write_str("labels elide nothing"),
            Self::Fault(code) => write!(f, "labels are wrong, code {code}"),
            Self::TooLong => f.write_str("an entry would be too long, code 4"),
        }
    }
}

impl Display for Reason {
    /// The rule in the words of section 5: `D + remote R`.
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        if let Some(Pair { state, in_use, .. }) = self.pair {
            let used = if in_use { " in use" } else { "" };
            write!(f, "{state}{used} + ")?;
        }
        match self.cause {
            Cause::Mixed => f.write_str("mixed"),
            Cause::Remote(mode) => write!(f, "remote {mode}"),
            Cause::RemoteAtHome(mode) => write!(f, "remote {mode} at home"),
            Cause::Local(mode) => write!(f, "local {mode}"),
            Cause::Apart => f.write_str("not touched"),
            Cause::Implied => f.write_str("acquire for another"),
            Cause::Conservative(why) => write!(f, "conservative: {why}"),
            Cause::Every => f.write_str("EVERY"),
            Cause::AcquireScope => f.write_str("acquire scope system"),
            Cause::ReleaseScope => f.write_str("release scope system"),
            Cause::ProgramEnd => f.write_str("end of program"),
            Cause::Baseline => f.write_str("baseline"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words of section 5.2's rows, and of rules that are about no entry.
    #[test]
    fn rules_print_in_the_words_of_the_specification() {
        let told = |cause, pair: Option<(State, bool)>| {
            let lines = Lines { first: 0, last: 9 };
            let pair = pair.map(|(state, in_use)| Pair { lines, state, in_use });
            Reason { cause, chiplet: 0, pair, release: false, acquire: false }.to_string()
        };
        let dirty = Some((State::Dirty, false));
        assert_eq!(told(Cause::Remote(Mode::Read), dirty), "D + remote R");
        assert_eq!(told(Cause::RemoteAtHome(Mode::Read), dirty), "D + remote R at home");
        let stale = Some((State::Stale, true));
        assert_eq!(told(Cause::Local(Mode::ReadWrite), stale), "S in use + local R/W");
        assert_eq!(told(Cause::Implied, dirty), "D + acquire for another");
        assert_eq!(told(Cause::Every, None), "EVERY");
        let wrong = Cause::Conservative(Unlabelled::Fault(3));
        assert_eq!(told(wrong, None), "conservative: labels are wrong, code 3");
    }
}
