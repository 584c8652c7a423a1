//! Results of a run.

use super::kernel_use::KernelUse;
use super::{Machine, Windows};
use crate::check::Checked;
use crate::check::sequential::Sequential;
use crate::check::timed::Timed;
use crate::check::values::Values;
use crate::config::bodies::Cp;
use crate::engine::Cycle;
use crate::statistics;
use crate::statistics::traffic::Traffic;

impl Machine {
    /// What runs the firmware.
    pub fn cp(&self) -> Cp {
        self.bodies.cp(&self.system)
    }

    /// Cycles so far.
    pub fn cycle(&self) -> Cycle {
        self.ctx.now
    }

    /// What was checked.
    pub fn checked(&self) -> Checked {
        let others = self.team.iter().flat_map(|team| &team.counted);
        others.fold(self.ctx.check.checked, |sum, others| sum + others.checked)
    }

    /// What is known of the times of accesses, where L1s say them and they are checked.
    pub fn timed(&self) -> Option<&Timed> {
        self.ctx.timed.as_deref()
    }

    /// What loads and atomics have found, where that is kept.
    pub fn values(&self) -> Option<&Values> {
        self.ctx.values.as_deref()
    }

    /// What is known of the order of accesses, where it is checked.
    pub fn sequential(&self) -> Option<&Sequential> {
        self.ctx.sequential.as_deref()
    }

    /// Whether all accesses were found to be sequentially consistent, by their order or their
    /// times.
    pub fn is_sequential(&self) -> bool {
        self.sequential().is_some() || self.timed().is_some_and(Timed::is_sequential)
    }

    /// Kernels that have run.
    pub fn kernels(&self) -> u32 {
        self.kernels
    }

    /// What each kernel, or each launch, has cost, where that is kept.
    pub fn kernel_uses(&self) -> Vec<KernelUse> {
        self.kernel_uses.named(self.names())
    }

    /// What happened to the byte that was watched.
    pub fn life(&self) -> String {
        self.ctx.life.describe(&self.ctx.layout)
    }

    /// The windows of a run on several threads.
    pub fn windows(&self) -> Option<Windows> {
        self.team.as_ref().map(|team| team.windows)
    }

    /// Every statistic that has a value.
    pub fn statistics(&self) -> Vec<(String, u64)> {
        self.names().named(&self.values_of_statistics())
    }

    /// The names of all statistics.
    pub(super) fn names(&self) -> &statistics::Names {
        self.names.get_or_init(|| statistics::Names::new(&self.parts, &self.ctx))
    }

    /// Every statistic, by number.
    pub(super) fn values_of_statistics(&self) -> Vec<u64> {
        let names = self.names();
        let mut values = names.values(&self.parts, &self.ctx);
        for others in self.team.iter().flat_map(|team| &team.counted) {
            names.join(&mut values, &others.statistics);
        }
        values
    }

    /// Bytes that each port between components has sent, by its name, such as
    /// `gpu0.chiplet1.l2.bank3.answer` or `gpu0.chiplet1.l3.slice2.answer`. Only of a run on one
    /// thread.
    pub fn port_bytes(&self) -> impl Iterator<Item = (&str, u64)> {
        self.ctx.network.iter().map(|(spec, bytes)| (spec.name.as_str(), bytes.iter().sum()))
    }

    /// Bytes by where they went: from chiplet to chiplet, from GPU to GPU, through kinds of ports.
    pub fn traffic(&self) -> Traffic {
        let own = Traffic::of(&self.parts, &self.ctx);
        let others = self.team.iter().flat_map(|team| &team.counted);
        others.fold(own, |sum, others| sum + &others.traffic)
    }
}
