//! System releases: which MARKs are under way, and when the release is done (README rules 4, 9).

use ports::finepack::types::partition_of;

use super::Config;
use super::choices::{Choices, Done};
use crate::state::State;

/// What a completion means for this cycle.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Completion {
    /// Bit c: error code c, as no MARK to that GPU is outstanding.
    pub faults: u16,
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
}

impl Release {
    /// Takes a completion from GPU `dest`. Comes before the stage's own pushes: it sees the bits
    /// at the start of the cycle. `outstanding` falls in [`Release::finish`] only.
    #[inline(never)]
    pub fn complete(
        &mut self,
        dest: u8,
        self_id: u8,
        config: &Config,
        choices: &Choices,
    ) -> Completion {
        let known = dest != self_id && u32::from(dest) < config.num_gpus;
        let bit = if known { 1 << partition_of(dest, self_id) } else { 0 };
        if self.marks & bit == 0 {
            return Completion { faults: choices.spurious, done: None };
        }
        self.marks &= !bit;
        // While the release still serves partitions, its last MARK is not pushed.
        let done = self.outstanding
            && match choices.release_done {
                Done::Completed | Done::Pushed => self.marks == 0 && !self.serving,
                Done::OneCompleted => !self.serving,
                Done::PushedCompleted => self.marks == 0,
            };
        Completion { faults: 0, done: done.then_some(self.id) }
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
