//! The life of launches: what is sent when a packet's turn has come and when a kernel has ended.

use super::counters::Counters;
use super::entry::{Entry, TooLong};
use super::error;
use super::extension::Labels;
use super::launch::Launch;
use super::masks::Masks;
use super::outcome::{Outcome, partition};
use super::packet::{Dispatch, KernelDispatch, Packet, Scope};
use super::parameters::{Parameters, SyncMode};
use super::running::{Kernel, Running};
use super::table::Table;
use super::transition::State;
use super::weakness::{Rules, Weakness};
use crate::block::ConfigError;

/// The reference of the table's firmware. Each call is one atomic section of section 5.1: the next call comes
/// when the operations of the last are done.
#[derive(Clone, Debug)]
pub struct ReferenceTable {
    rules: Rules,
    table: Table,
    running: Running,
    /// Kernels without labels have run since all L2s were acquired: lines of anything may be anywhere.
    every: bool,
    counters: Counters,
}

impl ReferenceTable {
    /// An empty table. Errors: a parameter outside its legal range.
    pub fn new(parameters: Parameters) -> Result<Self, ConfigError> {
        Self::weakened(parameters, None)
    }

    /// A table that does not keep one of its rules, for tests that must find it.
    #[doc(hidden)]
    pub fn weakened(
        parameters: Parameters,
        weakness: Option<Weakness>,
    ) -> Result<Self, ConfigError> {
        parameters.check()?;
        Ok(Self {
            rules: Rules { parameters, weakness },
            table: Table::default(),
            running: Running::default(),
            every: false,
            counters: Counters::default(),
        })
    }

    /// The entries by slot; `None` for a free one.
    pub fn entries(&self) -> Vec<Option<&Entry>> {
        self.table.entries(&self.rules)
    }

    /// The table's image in the command processor's memory: `table_entries` strides of little-endian words
    /// (sections 4 and 5.8).
    pub fn image(&self) -> Vec<u8> {
        self.table.image(&self.rules)
    }

    /// The flag EVERY of section 5.1 step 2.
    pub fn every(&self) -> bool {
        self.every
    }

    /// Counters by their numbers in section 9; 8 is 0.
    pub fn counters(&self) -> [u32; 16] {
        self.counters.by_number(self.rules.parameters.chiplets)
    }

    /// Steps 1 to 9 of a launch, or a barrier. To be called when all kernels before it in its stream have ended
    /// and [`Self::finish`] has been called for them. Panics where 256 kernels run already.
    pub fn launch(&mut self, dispatch: &Dispatch) -> Outcome {
        match Packet::parse(dispatch, &self.rules.parameters) {
            Packet::Kernel(kernel) => self.launch_kernel(kernel),
            Packet::Barrier { acquire, release, signal } => self.barrier(acquire, release, signal),
            Packet::Rejected { code, signal } => {
                Outcome { errors: vec![code], rejected: true, signal, ..Outcome::default() }
            }
        }
    }

    /// All work-groups of the kernel with this tag are done: what is released before its signal (sections 5.6
    /// and 7). Of a tag that no kernel has, nothing comes.
    pub fn finish(&mut self, tag: u8) -> Outcome {
        let Some(kernel) = self.running.remove(tag) else { return Outcome::default() };
        self.table.forget_user(tag);
        let masks = match (self.rules.parameters.sync_mode, kernel.release) {
            (SyncMode::Baseline, _) => Masks { release: self.all(), acquire: 0 },
            (SyncMode::Cpelide, Scope::System) => self.system_release(),
            _ => Masks::default(),
        };
        self.send(masks, Outcome { signal: kernel.signal, ..Outcome::default() })
    }

    fn all(&self) -> u16 {
        self.rules.parameters.all_chiplets()
    }

    /// Counts what is sent.
    fn send(&mut self, masks: Masks, outcome: Outcome) -> Outcome {
        let Masks { release, acquire } = masks;
        self.counters.releases += release.count_ones();
        self.counters.acquires += acquire.count_ones();
        Outcome { release, acquire, ..outcome }
    }

    fn launch_kernel(&mut self, kernel: KernelDispatch) -> Outcome {
        let KernelDispatch { acquire, release, signal, groups, scheduled, labels, mut errors } =
            kernel;
        let tag = self.running.free_tag();
        let (masks, unlabelled) = match self.rules.parameters.sync_mode {
            SyncMode::None | SyncMode::Hmg => (Masks::default(), false),
            SyncMode::Baseline => (Masks { release: 0, acquire: self.all() }, false),
            SyncMode::Cpelide => match self.labelled(labels, acquire, tag) {
                Ok(masks) => (masks, false),
                Err(code) => {
                    errors.extend(code);
                    (self.unlabelled(), true)
                }
            },
        };
        self.counters.launches += 1;
        self.counters.conservative += u32::from(unlabelled);
        let chiplets = scheduled.iter().fold(0, |mask, &i| mask | 1 << i);
        self.running.kernels.push(Kernel { tag, chiplets, unlabelled, release, signal });
        let outcome = Outcome {
            tag: Some(tag),
            shares: partition(groups, &scheduled),
            errors,
            conservative: unlabelled,
            ..Outcome::default()
        };
        self.send(masks, outcome)
    }

    /// Steps 2 to 7 of a launch whose labels are known. Errors: it is conservative, and the code of the reason if
    /// it has one; nothing has changed.
    fn labelled(&mut self, labels: Labels, acquire: Scope, tag: u8) -> Result<Masks, Option<u8>> {
        let Labels::Known(records) = labels else { return Err(None) };
        let mut masks = Masks::default();
        if acquire == Scope::System {
            masks.acquire |= self.present();
        }
        if self.every && self.rules.keep(Weakness::EveryNotReleased) {
            masks.release |= self.all();
        }
        if self.every && self.rules.keep(Weakness::EveryNotAcquired) {
            masks.acquire |= self.all();
        }
        let (table, counters) = (self.table.clone(), self.counters);
        let (rules, running) = (&self.rules, &self.running);
        let mut launch = Launch { rules, running, tag, table, masks, counters };
        launch.run(records).map_err(|TooLong| Some(error::ADDRESS))?;
        let Launch { table, masks, counters, .. } = launch;
        self.table = table;
        self.counters = counters;
        self.every &= self.unlabelled_kernel_runs();
        Ok(masks)
    }

    /// Step 2 of a conservative launch.
    fn unlabelled(&mut self) -> Masks {
        let masks = Masks { release: self.all(), acquire: self.all() };
        masks.take_effect(&mut self.table, &self.running, &self.rules);
        self.every = self.rules.keep(Weakness::EveryNeverSet);
        masks
    }

    /// Section 5.6 for a barrier. With release scope system, and when no kernel runs, it is the program's end.
    fn barrier(&mut self, acquire: Scope, release: Scope, signal: u64) -> Outcome {
        let outcome = Outcome { signal, ..Outcome::default() };
        if self.rules.parameters.sync_mode != SyncMode::Cpelide {
            return outcome;
        }
        let mut masks = Masks::default();
        if release == Scope::System && self.running.kernels.is_empty() {
            masks = self.end_of_program();
        } else {
            if release == Scope::System {
                masks |= self.system_release();
            }
            if acquire == Scope::System {
                masks |= self.system_acquire(masks.release);
            }
        }
        self.send(masks, outcome)
    }

    /// Everything leaves the L2s.
    fn end_of_program(&mut self) -> Masks {
        let mut chiplets = self.table.present();
        if self.every && self.rules.keep(Weakness::EveryNotDirtyAtEnd) {
            chiplets = self.all();
        }
        self.table = Table::default();
        self.every = false;
        Masks { release: chiplets, acquire: chiplets }
    }

    /// The host will read: whatever is dirty is written back.
    fn system_release(&mut self) -> Masks {
        let Self { rules, running, .. } = self;
        let skips = !rules.keep(Weakness::SystemReleaseSkipsPairsInUse);
        let rows = self.table.rows.iter();
        let mut release = rows.fold(0, |mask, row| {
            let skipped = if skips { row.chiplets_in_use(running) } else { 0 };
            mask | row.entry.chiplets_in(State::Dirty) & !skipped
        });
        if self.every && rules.keep(Weakness::EveryNotDirtyForRelease) {
            release = rules.parameters.all_chiplets();
        }
        let masks = Masks { release, acquire: 0 };
        if rules.keep(Weakness::SystemReleaseTakesPairsInUse) {
            masks.take_effect(&mut self.table, running, rules);
        } else {
            masks.take_effect(&mut self.table, &Running::default(), rules);
        }
        self.every &= release != self.all() || self.rules.keep(Weakness::EveryClearedByRelease);
        masks
    }

    /// The host has written: whatever the L2s hold may be old. `released`: chiplets that are released anyway.
    fn system_acquire(&mut self, released: u16) -> Masks {
        let acquire = self.present();
        let mut dirty = self.table.chiplets_in(State::Dirty);
        if self.every && self.rules.keep(Weakness::EveryNotDirtyForAcquire) {
            dirty = self.all();
        }
        let implied = acquire & dirty & !released;
        self.counters.implied += implied.count_ones();
        let masks = Masks { release: implied, acquire };
        masks.take_effect(&mut self.table, &self.running, &self.rules);
        self.every &= acquire != self.all() || self.unlabelled_kernel_runs();
        masks
    }

    /// The chiplets whose L2 may hold something.
    fn present(&self) -> u16 {
        if self.every { self.all() } else { self.table.present() }
    }

    fn unlabelled_kernel_runs(&self) -> bool {
        let runs = self.running.kernels.iter().any(|kernel| kernel.unlabelled);
        runs && self.rules.keep(Weakness::EveryClearedWhileRunning)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::packet::tests::block;
    use super::*;

    proptest! {
        /// Nor do they make the table something else than a table.
        #[test]
        fn any_labels_can_be_launched(
            launches in proptest::collection::vec((block(), any::<u16>(), 0u8..4, 0u8..8), 1..20),
        ) {
            let mut table = ReferenceTable::new(Parameters::DEFAULT).unwrap();
            for (extension, chiplets, scopes, ends) in launches {
                let mut packet = [0; 64];
                packet[..2].copy_from_slice(&[2, scopes << 2]);
                for at in [4, 6, 8, 12, 16, 20, 48] {
                    packet[at] = 1;
                }
                let (truncated, stream) = (false, 0);
                let extension = &extension;
                table.launch(&Dispatch { packet, extension, truncated, stream, chiplets });
                table.finish(ends);
                for entry in table.entries().into_iter().flatten() {
                    prop_assert!(entry.check_reach(&Parameters::DEFAULT).is_ok());
                    for (range, &state) in entry.ranges.iter().zip(&entry.states) {
                        prop_assert_eq!(range.is_none(), state == State::NotPresent);
                    }
                }
            }
        }
    }
}
