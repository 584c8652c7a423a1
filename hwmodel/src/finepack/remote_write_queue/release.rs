//! System releases: which MARKs are under way, and when the release is done (README rules 4, 9).

use ports::finepack::types::partition_of;

use super::Config;
use super::rule::Rule;
use crate::state::State;

/// What a completion means for this cycle.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Completion {
    /// No MARK to that GPU is outstanding (code 9).
    pub spurious: bool,
    /// It was the last of the release with this id.
    pub done: Option<u8>,
}

/// The outstanding release, if any.
#[derive(Debug, Default)]
pub(super) struct Release {
    /// Bit p: the MARK of partition p is outstanding.
    pub marks: u16,
    /// A release has pushed a MARK and is not done.
    pub outstanding: bool,
    /// That release is still in stage 2 and has partitions to serve.
    pub serving: bool,
    id: u8,
    without: Option<Rule>,
}

impl Release {
    pub fn new(without: Option<Rule>) -> Self {
        Self { without, ..Self::default() }
    }

    /// Takes a completion from GPU `dest`. Comes before the stage's own pushes: it sees the bits
    /// at the start of the cycle. `outstanding` falls in [`Release::finish`] only.
    #[inline(never)]
    pub fn complete(&mut self, dest: u8, self_id: u8, config: &Config) -> Completion {
        let known = dest != self_id && u32::from(dest) < config.num_gpus;
        let bit = if known { 1 << partition_of(dest, self_id) } else { 0 };
        if self.marks & bit == 0 {
            return Completion { spurious: self.without != Some(Rule::Spurious), done: None };
        }
        self.marks &= !bit;
        // While the release still serves partitions the last one's MARK is yet to come.
        let all = self.marks == 0 || self.without == Some(Rule::AllMarks);
        let pushed = !self.serving || self.without == Some(Rule::LastMark);
        let last = all && pushed && self.outstanding;
        Completion { spurious: false, done: last.then_some(self.id) }
    }

    /// Records the MARKs that release `id` pushed in this cycle; `all` when it leaves.
    pub fn push(&mut self, marks: u16, id: u8, all: bool) {
        if marks != 0 {
            self.marks |= marks;
            self.outstanding = true;
            self.id = id;
        }
        self.serving = self.outstanding && !all;
    }

    /// The registers of releases.
    pub fn show_state(&self, state: &mut State, config: &Config) {
        let waiting = self.outstanding && !self.serving;
        state.flag("waiting", waiting);
        state.flag("serving", self.serving);
        state.bits_while(waiting, "id", 8, self.id);
        state.bits("marks", config.parts(), self.marks);
    }

    /// The release is done.
    pub fn finish(&mut self) {
        self.outstanding = false;
    }
}
