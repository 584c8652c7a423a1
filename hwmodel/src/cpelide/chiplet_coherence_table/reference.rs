//! The life of launches: what is sent when a packet's turn has come and when a kernel has ended.

use std::hash::{Hash, Hasher};

use ports::ConfigError;

use super::counters::Counters;
use super::entry::{Entry, TooLong};
use super::error;
use super::extension::Labels;
use super::launch::Launch;
use super::masks::Masks;
use super::outcome::{Outcome, partition};
use super::packet::{Dispatch, KernelDispatch, Packet, Scope};
use super::parameters::{Hidden, Parameters, SyncMode};
use super::reasons::{Cause, Needs, Pair, Reason, Unlabelled};
use super::running::{Kernel, Running};
use super::table::{PRESENT, Table};
use super::transition::State;
use super::weakness::{Rules, Weakness};

/// The reference of the table's firmware. Each call is one atomic section of section 5.1: the next
/// call comes when the operations of the last are done.
#[derive(Clone, Debug)]
pub struct ReferenceTable {
    rules: Rules,
    table: Table,
    running: Running,
    /// Kernels without labels have run since all L2s were acquired: lines of anything may be
    /// anywhere.
    every: bool,
    counters: Counters,
    /// Of the last call.
    reasons: Vec<Reason>,
}

/// What decides about the launches to come: not the counters, nor why the last call sent what it
/// did.
impl Hash for ReferenceTable {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let Self { rules: _, table, running, every, counters: _, reasons: _ } = self;
        (table, running, every).hash(hasher);
    }
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
        Ok(Self::narrow(parameters, weakness))
    }

    /// The same with unchecked parameters: fewer entries than are legal, for searches of
    /// all states, which must be few.
    #[doc(hidden)]
    pub fn narrow(parameters: Parameters, weakness: Option<Weakness>) -> Self {
        Self {
            rules: Rules { parameters, weakness },
            table: Table::default(),
            running: Running::default(),
            every: false,
            counters: Counters::default(),
            reasons: Vec::new(),
        }
    }

    /// The entries by slot; `None` for a free one.
    pub fn entries(&self) -> Vec<Option<&Entry>> {
        self.table.entries(&self.rules)
    }

    /// The table's image in the command processor's memory: `table_entries` strides of
    /// little-endian words (sections 4 and 5.8).
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

    /// Why the last launch, barrier or end of a kernel sent what it did: each of its operations has
    /// at least one reason. Also the rules that were applied to an entry that a launch touches and
    /// asked for nothing.
    pub fn reasons(&self) -> &[Reason] {
        &self.reasons
    }

    /// Steps 1 to 9 of a launch, or a barrier. To be called when all kernels before it in its
    /// stream have ended and [`Self::finish`] has been called for them. Panics where 256 kernels
    /// run already.
    pub fn launch(&mut self, dispatch: &Dispatch) -> Outcome {
        match Packet::parse(dispatch, self.every, &self.rules.parameters) {
            Packet::Kernel(kernel) => self.launch_kernel(kernel),
            Packet::Barrier { acquire, release, signal } => self.barrier(acquire, release, signal),
            Packet::Rejected { code, signal } => {
                let outcome =
                    Outcome { errors: vec![code], rejected: true, signal, ..Outcome::default() };
                self.send(Needs::default(), outcome)
            }
        }
    }

    /// All work-groups of the kernel with this tag are done: what is released before its signal
    /// (sections 5.6 and 7). Of a tag that no kernel has, nothing comes.
    pub fn finish(&mut self, tag: u8) -> Outcome {
        let Some(kernel) = self.running.remove(tag) else {
            return self.send(Needs::default(), Outcome::default());
        };
        self.table.forget_user(tag);
        let mut needs = Needs::default();
        match (self.rules.parameters.sync_mode, kernel.release) {
            (SyncMode::Baseline, _) => {
                needs.add_all(Cause::Baseline, Masks { release: self.all(), acquire: 0 });
            }
            (SyncMode::Cpelide, Scope::System) => self.system_release(&mut needs),
            _ => {}
        }
        self.send(needs, Outcome { signal: kernel.signal, ..Outcome::default() })
    }

    fn all(&self) -> u16 {
        self.rules.parameters.all_chiplets()
    }

    /// Counts what is sent, and keeps why.
    fn send(&mut self, needs: Needs, outcome: Outcome) -> Outcome {
        let Masks { release, acquire } = needs.masks;
        self.reasons = needs.reasons;
        self.counters.releases += release.count_ones();
        self.counters.acquires += acquire.count_ones();
        Outcome { release, acquire, ..outcome }
    }

    fn launch_kernel(&mut self, kernel: KernelDispatch) -> Outcome {
        let KernelDispatch { acquire, release, signal, groups, scheduled, labels, mut errors } =
            kernel;
        let tag = self.running.free_tag();
        let mut needs = Needs::default();
        let mut unlabelled = false;
        match self.rules.parameters.sync_mode {
            SyncMode::None | SyncMode::Hmg => {}
            SyncMode::Baseline => {
                needs.add_all(Cause::Baseline, Masks { release: 0, acquire: self.all() });
            }
            SyncMode::Cpelide => match self.labelled(labels, acquire, tag) {
                Ok(all) => needs = all,
                Err(why) => {
                    if why == Unlabelled::TooLong {
                        errors.push(error::ADDRESS);
                    }
                    self.unlabelled(why, acquire, &mut needs);
                    unlabelled = true;
                }
            },
        }
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
        self.send(needs, outcome)
    }

    /// Steps 2 to 7 of a launch whose labels are known. Errors: it is conservative; nothing has
    /// changed.
    fn labelled(&mut self, labels: Labels, acquire: Scope, tag: u8) -> Result<Needs, Unlabelled> {
        let records = match labels {
            Labels::Known(records) => records,
            Labels::Unknown(why) => return Err(why),
        };
        let mut needs = Needs::default();
        if acquire == Scope::System {
            self.acquire_present(&mut needs);
        }
        let home_aware = self.rules.parameters.home_aware;
        if self.every && !home_aware {
            let all = |weakness| if self.rules.keep(weakness) { self.all() } else { 0 };
            let release = all(Weakness::EveryNotReleased);
            let acquire = all(Weakness::EveryNotAcquired);
            needs.add_all(Cause::Every, Masks { release, acquire });
        }
        let (table, counters) = (self.table.clone(), self.counters);
        let (rules, running) = (&self.rules, &self.running);
        let every_is_dirty =
            home_aware && self.every && rules.keep(Weakness::EveryNotDirtyForAcquire);
        let mut launch = Launch { rules, running, tag, table, every_is_dirty, needs, counters };
        launch.run(records).map_err(|TooLong| Unlabelled::TooLong)?;
        let Launch { table, needs, counters, .. } = launch;
        self.table = table;
        self.counters = counters;
        // All chiplets are acquired where it was set: under HOME_AWARE labels are needless else.
        self.every &= self.unlabelled_kernel_runs();
        Ok(needs)
    }

    /// Step 2 of a conservative launch. Under HOME_AWARE it has no other operations than those of
    /// its acquire scope, so that nothing else is forgotten.
    fn unlabelled(&mut self, why: Unlabelled, acquire: Scope, needs: &mut Needs) {
        if self.rules.parameters.home_aware {
            needs.add_idle(Cause::Conservative(why), self.all());
            if acquire == Scope::System {
                self.system_acquire(needs);
            }
            self.every = self.rules.keep(Weakness::EveryNeverSet);
            return;
        }
        let masks = Masks { release: self.all(), acquire: self.all() };
        needs.add_all(Cause::Conservative(why), masks);
        self.table.take(masks, &self.running, &self.rules);
        self.every = self.rules.keep(Weakness::EveryNeverSet);
    }

    /// Section 5.6 for a barrier. With release scope system, and when no kernel runs, it is the
    /// program's end.
    fn barrier(&mut self, acquire: Scope, release: Scope, signal: u64) -> Outcome {
        let outcome = Outcome { signal, ..Outcome::default() };
        let mut needs = Needs::default();
        if self.rules.parameters.sync_mode != SyncMode::Cpelide {
            return self.send(needs, outcome);
        }
        if release == Scope::System && self.running.kernels.is_empty() {
            self.end_of_program(&mut needs);
        } else {
            if release == Scope::System {
                self.system_release(&mut needs);
            }
            if acquire == Scope::System {
                self.system_acquire(&mut needs);
            }
        }
        self.send(needs, outcome)
    }

    /// Everything leaves the L2s.
    fn end_of_program(&mut self, needs: &mut Needs) {
        if self.every && self.rules.keep(Weakness::EveryNotDirtyAtEnd) {
            let masks = Masks { release: self.all(), acquire: self.all() };
            needs.add_all(Cause::Every, masks);
        }
        needs.add_pairs(Cause::ProgramEnd, self.present(), (true, true));
        if self.rules.keep(Weakness::HiddenNotAcquiredAtEnd) && self.may_hide() {
            let release = if self.rules.parameters.home_aware { self.all() } else { 0 };
            needs.add_all(Cause::ProgramEnd, Masks { release, acquire: self.all() });
        }
        self.table = Table::default();
        self.every = false;
    }

    /// Each entry at each chiplet where an L2 may hold something of it.
    fn present(&self) -> Vec<(u8, Pair)> {
        self.table.pairs(&PRESENT, &self.running)
    }

    /// The host will read: whatever is dirty is written back.
    fn system_release(&mut self, needs: &mut Needs) {
        let Self { rules, running, .. } = self;
        let skips = !rules.keep(Weakness::SystemReleaseSkipsPairsInUse);
        let mut dirty = self.table.pairs(&[State::Dirty], running);
        dirty.retain(|(_, pair)| !(skips && pair.in_use));
        if !rules.keep(Weakness::NoSystemRelease) {
            return;
        }
        needs.add_pairs(Cause::ReleaseScope, dirty, (true, false));
        if self.every && rules.keep(Weakness::EveryNotDirtyForRelease) {
            let release = rules.parameters.all_chiplets();
            needs.add_all(Cause::Every, Masks { release, acquire: 0 });
        }
        let masks = needs.masks;
        if rules.keep(Weakness::SystemReleaseTakesPairsInUse) {
            self.table.take(masks, running, rules);
        } else {
            self.table.take(masks, &Running::default(), rules);
        }
        let cleared = masks.release == self.all();
        self.every &= !cleared || self.rules.keep(Weakness::EveryClearedByRelease);
    }

    /// The host has written: whatever the L2s hold may be old. `needs` has what is released anyway.
    fn system_acquire(&mut self, needs: &mut Needs) {
        let released = needs.masks.release;
        self.acquire_present(needs);
        let mut dirty = self.table.pairs(&[State::Dirty], &self.running);
        dirty.retain(|(chiplet, _)| released >> chiplet & 1 == 0);
        if self.rules.keep(Weakness::NoImpliedRelease) {
            needs.add_pairs(Cause::Implied, dirty, (true, false));
        }
        if self.every && self.rules.keep(Weakness::EveryNotDirtyForAcquire) {
            let release = self.all() & !released;
            needs.add_all(Cause::Every, Masks { release, acquire: 0 });
        }
        let Masks { release, acquire } = needs.masks;
        let implied = release & !released;
        self.counters.implied += implied.count_ones();
        let masks = Masks { release: implied, acquire };
        self.table.take(masks, &self.running, &self.rules);
        self.every &= acquire != self.all() || self.unlabelled_kernel_runs();
    }

    /// Acquires the chiplets whose L2 may hold something: the host may have written.
    fn acquire_present(&self, needs: &mut Needs) {
        if self.every {
            let masks = Masks { release: 0, acquire: self.all() };
            needs.add_all(Cause::AcquireScope, masks);
        }
        needs.add_pairs(Cause::AcquireScope, self.present(), (false, true));
        if self.rules.keep(Weakness::HiddenNotAcquired) && self.may_hide() {
            let masks = Masks { release: 0, acquire: self.all() };
            needs.add_all(Cause::AcquireScope, masks);
        }
    }

    /// True where any L2 may hold what no entry tells (section 5.9): lines that other chiplets
    /// asked for, which a table without entries has not let any do, or other GPUs. EVERY has rules
    /// of its own, which acquire all chiplets too.
    fn may_hide(&self) -> bool {
        match self.rules.parameters.hidden {
            Hidden::Nothing => false,
            Hidden::OfSystem if self.rules.keep(Weakness::OtherGpusForgotten) => true,
            Hidden::OfGpu | Hidden::OfSystem => !self.present().is_empty(),
        }
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

    /// The operations that the reasons of the last call ask for.
    fn explained(table: &ReferenceTable) -> (u16, u16) {
        table.reasons().iter().fold((0, 0), |(release, acquire), reason| {
            let bit = |asked| u16::from(asked) << reason.chiplet;
            (release | bit(reason.release), acquire | bit(reason.acquire))
        })
    }

    /// HOME_AWARE: what a launch touches is reported, though nothing is requested.
    #[test]
    fn remote_events_at_home_are_reported() {
        let mut packet = [0; 64];
        packet[0] = 2;
        for at in [4, 6, 8, 12, 16, 20, 48] {
            packet[at] = 1;
        }
        // R/W of a page, which both chiplets may touch.
        let mut extension = [0; 48];
        extension[..4].copy_from_slice(b"CPE1");
        for (at, byte) in [(4, 1), (6, 48), (8, 1), (9, 1), (17, 0x10), (25, 0x10), (32, 1)] {
            extension[at] = byte;
        }
        let parameters =
            Parameters { hidden: Hidden::OfGpu, home_aware: true, ..Parameters::DEFAULT };
        let mut table = ReferenceTable::new(parameters).unwrap();
        let mut told = |chiplets| {
            let extension = &extension;
            let dispatch = Dispatch { packet, extension, truncated: false, stream: 0, chiplets };
            assert_eq!(table.launch(&dispatch).errors, []);
            let asks = |reason: &Reason| reason.release || reason.acquire;
            assert!(!table.reasons().iter().any(asks));
            table.reasons().iter().map(|r| (r.chiplet, r.to_string())).collect::<Vec<_>>()
        };
        assert_eq!(told(0b01), [(0, "NP + local R/W".into())]);
        let expected = ["D in use + remote R/W at home", "NP + local R/W"];
        assert_eq!(told(0b10), [0, 1].map(|i| (i, expected[usize::from(i)].into())));
    }

    /// HOME_AWARE, choice 13 of the firmware: only labels that an operation can depend on are read.
    #[test]
    fn labels_that_elide_nothing_are_not_read() {
        const SYSTEM: u8 = 2;
        let mut packet = [0; 64];
        for at in [0, 4, 6, 8, 12, 16, 20, 48] {
            packet[at] = 1;
        }
        packet[0] = 2;
        // A structure of a page whose base is inside one: code 4 for every reader.
        let mut extension = [0; 48];
        extension[..4].copy_from_slice(b"CPE1");
        for (at, byte) in [(4, 1), (6, 48), (8, 1), (9, 1), (16, 1), (17, 0x10), (25, 0x10)] {
            extension[at] = byte;
        }
        let mut launch = |table: &mut ReferenceTable, [acquire, release]: [u8; 2]| {
            packet[1] = acquire << 1 | release << 3;
            let extension = &extension;
            let dispatch = Dispatch { packet, extension, truncated: false, stream: 0, chiplets: 1 };
            let Outcome { errors, tag, .. } = table.launch(&dispatch);
            table.finish(tag.unwrap());
            (errors == [error::ADDRESS], table.every())
        };
        let (read, unread) = ((true, false), (false, true));
        for home_aware in [true, false] {
            let parameters =
                Parameters { hidden: Hidden::OfGpu, home_aware, ..Parameters::DEFAULT };
            let mut table = ReferenceTable::new(parameters).unwrap();
            let scopes = [[0, 0], [SYSTEM, 0], [0, SYSTEM], [SYSTEM, SYSTEM], [0, 0], [0, SYSTEM]];
            let told = scopes.map(|scopes| launch(&mut table, scopes));
            let last = if home_aware { unread } else { read };
            assert_eq!(told, [read, read, read, last, last, last], "{home_aware}");
            assert_eq!(launch(&mut table, [SYSTEM, 0]), read, "EVERY has gone");
        }
    }

    proptest! {
        /// Nor do they make the table something else than a table, and each operation has a reason.
        #[test]
        fn any_labels_can_be_launched(
            launches in proptest::collection::vec((block(), any::<u16>(), 0u8..4, 0u8..8), 1..20),
            home_aware in any::<bool>(),
        ) {
            let hidden = if home_aware { Hidden::OfGpu } else { Hidden::Nothing };
            let parameters = Parameters { hidden, home_aware, ..Parameters::DEFAULT };
            let mut table = ReferenceTable::new(parameters).unwrap();
            for (extension, chiplets, scopes, ends) in launches {
                let mut packet = [0; 64];
                packet[..2].copy_from_slice(&[2, scopes << 2]);
                for at in [4, 6, 8, 12, 16, 20, 48] {
                    packet[at] = 1;
                }
                let (truncated, stream) = (false, 0);
                let extension = &extension;
                let dispatch = Dispatch { packet, extension, truncated, stream, chiplets };
                let outcome = table.launch(&dispatch);
                prop_assert_eq!((outcome.release, outcome.acquire), explained(&table));
                let outcome = table.finish(ends);
                prop_assert_eq!((outcome.release, outcome.acquire), explained(&table));
                for entry in table.entries().into_iter().flatten() {
                    prop_assert!(entry.check_reach(&Parameters::DEFAULT).is_ok());
                    for (range, &state) in entry.ranges.iter().zip(&entry.states) {
                        prop_assert_eq!(range.is_none(), state == State::NotPresent);
                        prop_assert!(!home_aware || state != State::Stale && !entry.mixed);
                    }
                }
            }
        }
    }
}
