//! A launch that is skipped: its stores and atomics are done in memory, in the order of the trace,
//! and in each L2 that has the line. So the caches hold the lines that they held before, with the
//! values that the program has now, and everything after the launch is checked as ever.

use cosim::cpelide::SyncMode;
use cosim::cpelide::packet::{Scope, barrier};
use traces::trace::{Bound, Event, Instr, InstrKind, KernelHead, Walk};

use super::{Machine, RunError};
use crate::core::{Lines, coalesce};
use crate::engine::Cycle;
use crate::launch;
use crate::sampling::{Estimate, Repeats, Sampler};

/// What a run knows of the launches that it skips.
#[derive(Default)]
pub(super) struct Skipping {
    sampler: Sampler,
    /// A launch was skipped since memory was looked at, and since anything was simulated.
    is_unseen: bool,
    is_settled: bool,
    /// Bytes of instructions given out before the launch that runs.
    given: u64,
}

impl Machine {
    /// Why no launch can be skipped: part of a sentence. Errors: the trace cannot be read.
    pub fn why_not_sampled(&self) -> Result<Option<String>, RunError> {
        if self.has_rtl() {
            return Ok(Some("a block is RTL or in lockstep, which needs every cycle".into()));
        }
        if self.sync == SyncMode::None {
            let design = &self.system.l2.design;
            return Ok(Some(format!("l2.design = {design} leaves memory without what L2s hold")));
        }
        let mut reader = self.ctx.program.reopen()?;
        if reader.streams()? > 1 {
            return Ok(Some("the program has several streams".into()));
        }
        let mut repeats = Repeats::default();
        while let Some(event) = reader.next_event()? {
            if let Event::Kernel(head) = event {
                repeats.add(&head);
            }
        }
        let (most, simulated) = (repeats.most, Repeats::SIMULATED);
        Ok((most <= simulated).then(|| {
            format!(
                "its kernels do not repeat: at most {most} launch{} the same kernel, grid and \
                 buffers, and {simulated} are simulated before one is skipped",
                if most == 1 { " has" } else { "es have" }
            )
        }))
    }

    /// Whether launches may be skipped.
    pub fn is_sampled(&self) -> bool {
        self.skipping.is_some()
    }

    /// What the program costs: what was simulated, unless launches were skipped.
    pub fn estimate(&self) -> Estimate {
        let Some(skipping) = &self.skipping else {
            let (cycles, launches) = (self.cycle(), self.kernels);
            return Estimate {
                cycles,
                low: cycles,
                high: cycles,
                launches,
                simulated: launches,
                kernels: self.kernel_uses(),
                statistics: self.statistics(),
            };
        };
        let (sum, names) = (skipping.sampler.sum(), self.names());
        let (launches, simulated) = skipping.sampler.launches();
        let (cycles, [low, high]) = sum.cycles();
        let statistics = names.of_launches(&self.values_of_statistics(), &sum.kernels.all());
        let (kernels, statistics) = (sum.kernels.named(names), names.named(&statistics));
        Estimate { cycles, low, high, launches, simulated, kernels, statistics }
    }

    /// What L1s keep of private memory no launch may change behind them.
    fn may_skip(&self, head: &KernelHead) -> bool {
        let keeps = self.system.sharing.l1 != "lru" && !self.ctx.private.is_empty();
        head.groups > 0 && !keeps
    }

    /// Whether a launch is skipped. Its packet is with no GPU.
    pub(super) fn skips(&mut self, head: &KernelHead) -> bool {
        let may = self.may_skip(head);
        self.skipping.as_mut().is_some_and(|skipping| may && skipping.sampler.skips(head))
    }

    /// Whether the launch behind the one that runs is to be skipped.
    pub(super) fn will_skip(&mut self, running: &KernelHead, next: &KernelHead) -> bool {
        let may = self.may_skip(next);
        let skipping = self.skipping.as_mut().filter(|_| may);
        skipping.is_some_and(|skipping| skipping.sampler.will_skip(running, next))
    }

    /// A launch begins that is simulated.
    pub(super) fn begin_simulated(&mut self) {
        if let Some(skipping) = &mut self.skipping {
            (skipping.is_settled, skipping.is_unseen) = (false, false);
            skipping.given = self.ctx.program.given();
        }
    }

    /// A launch was simulated from this cycle on.
    pub(super) fn end_simulated(&mut self, head: &KernelHead, since: Cycle) {
        if self.skipping.is_none() {
            return;
        }
        let now = self.values_of_statistics();
        if let Some(skipping) = &mut self.skipping {
            let work = self.ctx.program.given() - skipping.given;
            skipping.sampler.simulate(head, work, self.ctx.now - since, &now);
        }
    }

    /// Does what a launch does to memory.
    pub(super) fn skip(&mut self, head: &KernelHead) -> Result<(), RunError> {
        self.settle()?;
        let number = self.kernels;
        let partition = self.partition_of(head);
        self.place_pages(head, &partition);
        self.ctx.check.begin_kernel(0, number, head);
        let given = self.ctx.program.given();
        let (mut instr, mut lines) = (Instr::default(), Lines::default());
        for group in 0..head.groups {
            let group = self.ctx.program.group(number, group)?;
            let mut walk = Walk::but_loads(&group);
            while !walk.at_end() {
                walk.segment(&group, &mut instr, |_, _, instr| {
                    self.perform(instr, &mut lines);
                })?;
            }
        }
        self.ctx.written_past += 1;
        self.kernels += 1;
        if let Some(skipping) = &mut self.skipping {
            skipping.sampler.skip(head, self.ctx.program.given() - given);
            skipping.is_unseen = true;
        }
        Ok(())
    }

    /// A store or an atomic of a warp is done.
    fn perform(&mut self, instr: &Instr, lines: &mut Lines) {
        if !matches!(instr.kind, InstrKind::Store | InstrKind::Atomic(_)) {
            return;
        }
        let line = self.ctx.layout.line as usize;
        coalesce(instr, line as u64, lines);
        for access in lines.iter_mut() {
            let (addr, mask) = (access.addr, access.mask);
            if let InstrKind::Atomic(op) = instr.kind {
                self.ctx.check.change((addr, mask), (op, instr.size), &access.bytes, line);
                self.ctx.check.show(addr, &mut access.bytes[..line]);
            } else {
                self.ctx.check.store(addr, mask, &access.bytes, line);
            }
            self.write_line(addr, mask, &access.bytes, true);
        }
    }

    /// Before the first launch of a gap all that is under way arrives: lines that L2s have evicted.
    fn settle(&mut self) -> Result<(), RunError> {
        if !self.skipping.as_ref().is_some_and(|skipping| skipping.is_settled) {
            self.let_arrive()?;
        }
        if let Some(skipping) = &mut self.skipping {
            skipping.is_settled = true;
        }
        Ok(())
    }

    /// Before the host reads or writes, and at the end: what launches have left in L2s is released,
    /// as the last of them would have done it, and memory is compared.
    pub(super) fn look_behind_skipped(&mut self) -> Result<(), RunError> {
        let Some(skipping) = self.skipping.as_mut().filter(|skipping| skipping.is_unseen) else {
            return Ok(());
        };
        (skipping.is_unseen, skipping.is_settled) = (false, false);
        if self.scope(false) != Scope::System {
            let kernel = launch::Kernel { number: self.kernels, first_group: 0, launch: 0 };
            let packet = barrier(Scope::Agent, Scope::System, kernel.signal());
            let chiplets = Bound::ALL.chiplets(self.ctx.layout.chiplets);
            self.queue(0, (packet, Vec::new()), (0, chiplets), kernel);
            self.simulate("")?;
        }
        self.look_at_memory(0)
    }
}
