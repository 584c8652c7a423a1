//! Runs a kernel from its launch to its end.

use cosim::cpelide::SyncMode;
use cosim::cpelide::packet::Scope;
use traces::trace::KernelHead;
use traces::workloads::SplitMix64;

use super::packets::Handover;
use super::{Machine, NOISE, RunError};
use crate::build::OWN;
use crate::build::part::Part;
use crate::context::Launched;
use crate::engine::Cycle;
use crate::launch::{Partition, Room};

impl Machine {
    /// A kernel begins, under a number that no other that runs has.
    pub(super) fn begin(
        &mut self,
        launch: usize,
        number: u32,
        head: &KernelHead,
    ) -> Result<(), RunError> {
        let items: u32 = head.local.iter().product();
        let refused = |problem| RunError::Program { kernel: head.name.clone(), problem };
        let room = Room::of_group(items, head.group_memory, &self.system.cu).map_err(refused)?;
        let row = head.grid[0] / head.local[0].max(1);
        let partition = self.partition_of(head);
        self.ctx.launches[launch] = Launched { kernel: number, items, room, row, partition };
        self.ctx.check.begin_kernel(launch, number, head);
        if let Some(spans) = self.ctx.spans() {
            spans.groups.begin_kernel(launch, &head.name);
        }
        Ok(())
    }

    /// A kernel to its end.
    pub(super) fn kernel(&mut self, head: &KernelHead) -> Result<(), RunError> {
        self.begin_simulated();
        if self.options.cold {
            self.forget_all();
        }
        let number = self.kernels;
        let partition = self.partition_of(head);
        let spans = partition.spans();
        let forwarded = self.forwarded.take();
        let launch = forwarded.as_ref().map_or(0, |handover| handover.launch);
        if forwarded.is_none() {
            self.begin(launch, number, head)?;
        }
        if let Some(sequential) = &mut self.ctx.sequential {
            sequential.begin_kernel(number);
        }
        self.place_pages(head, &partition);
        self.perturb(number);
        let start = self.ctx.now;
        let scopes = match forwarded {
            Some(handover) => handover.scopes,
            None => {
                let scopes = self.scopes()?;
                self.submit(Handover { launch, number, stream: 0, scopes }, head, &spans);
                scopes
            }
        };
        self.forward_next(launch, head)?;
        self.simulate(&head.name)?;
        if let Some(sequential) = &mut self.ctx.sequential {
            sequential.end_kernel();
            self.check()?;
        }
        if let Some(timed) = &mut self.ctx.timed {
            timed.end_kernel();
            self.check()?;
        }
        self.kernels += 1;
        self.add_kernel_use(&head.name, start)?;
        self.end_simulated(head, start);
        match self.sync {
            // No command releases or acquires this kernel's lines.
            SyncMode::None => {
                self.ctx.check.end_kernel_unseen();
                Ok(())
            }
            // The release of a later kernel does.
            _ if scopes.release != Scope::System => Ok(()),
            _ => self.look_at_memory(launch),
        }
    }

    /// L2s and L3 slices forget their lines: L2s the clean ones, as the release at the end of the
    /// kernel before has written the others back.
    fn forget_all(&mut self) {
        for part in &mut self.parts {
            match part {
                Part::Bank(bank) => bank.forget_all(),
                Part::Slice(slice) => slice.forget_all(&mut self.ctx.memory),
                _ => {}
            }
        }
    }

    /// Why kernels cannot begin with caches that hold nothing: part of a sentence. Errors: the
    /// trace cannot be read.
    pub fn why_not_cold(&self) -> Result<Option<String>, RunError> {
        let design = &self.system.l1.design;
        if self.system.l2.design == OWN {
            return Ok(Some(format!("the L2 of l1.design = {design} keeps its lines")));
        }
        let streams = self.ctx.program.reopen()?.streams()?;
        Ok((streams > 1).then(|| "the program has several streams".into()))
    }

    /// Other latencies, where that is wanted, the same for the same kernel of any machine.
    pub(super) fn perturb(&mut self, kernel: u32) {
        if let Some(seed) = self.options.perturb {
            let mut random = SplitMix64::new(seed ^ u64::from(kernel) << 32);
            self.ctx.network.perturb(|| random.below(u64::from(NOISE) + 1) as u32);
        }
    }

    /// First touch: pages get the chiplet whose work-group comes first in the trace's order.
    pub(super) fn place_pages(&mut self, head: &KernelHead, partition: &Partition) {
        if self.ctx.places.by_first_touch() {
            let spans = partition.spans();
            for touch in &head.first_touches {
                let number = partition.number(touch.group);
                let after = spans.partition_point(|&(first, _)| first <= number);
                // Of chiplets with no work-group the last begins where the next one does.
                self.ctx.places.touch(touch.page, after.saturating_sub(1) as u16);
            }
        }
    }

    /// Simulates until every GPU has written its completion signal. `kernel`: the name of what they
    /// run.
    pub(super) fn simulate(&mut self, kernel: &str) -> Result<(), RunError> {
        if let Some(probing) = &mut self.probing {
            kernel.clone_into(&mut probing.kernel);
        }
        let all = self.completions() + u32::from(self.ctx.layout.gpus);
        while self.completions() < all {
            self.step()?;
        }
        self.show_packets(kernel);
        Ok(())
    }

    /// A kernel has ended that was launched in cycle `since`.
    pub(super) fn add_kernel_use(&mut self, name: &str, since: Cycle) -> Result<(), RunError> {
        if self.options.by_kernel || self.options.by_launch {
            self.gather_statistics()?;
            let now = self.values_of_statistics();
            self.kernel_uses.add(name, self.ctx.now - since, &now);
        }
        Ok(())
    }
}
