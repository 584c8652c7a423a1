//! The packets of kernels: what they say, and when the GPUs get them.

use cosim::command_processor::SyncMode;
use cosim::command_processor::packet::{Dispatch, Scope, barrier};
use traces::trace::{self, Event, KernelHead};

use super::{Machine, RunError};
use crate::engine::ComponentId;
use crate::launch;
use crate::part::Part;

/// Whose stores a kernel sees, and who sees its own.
#[derive(Clone, Copy)]
pub(super) struct Scopes {
    pub(super) acquire: Scope,
    pub(super) release: Scope,
}

impl Machine {
    /// The place among the upcoming events of the next kernel from this one on; none where the host
    /// comes before it, or the program ends.
    fn next_kernel(&mut self, from: usize) -> Result<Option<usize>, trace::Error> {
        for at in from.. {
            if at == self.upcoming.len() {
                let Some(event) = self.ctx.program.next_event()? else { break };
                self.upcoming.push_back(event);
            }
            match self.upcoming[at] {
                Event::Alloc { .. } => {}
                Event::Kernel(_) => return Ok(Some(at)),
                _ => break,
            }
        }
        Ok(None)
    }

    /// The scopes of a kernel's packets. The chiplet coherence table leaves stores in the L2s of a
    /// GPU until another chiplet or the host wants them: what kernels have written is released by
    /// the last one before the host comes, and what the host has changed is acquired by the first
    /// one after it. So the host costs every design the same packets. Other GPUs may want stores at
    /// any time.
    pub(super) fn scopes(&mut self) -> Result<Scopes, RunError> {
        let host_changed = std::mem::take(&mut self.host_changed);
        let is_host_next = self.next_kernel(0)?.is_none();
        Ok(Scopes { acquire: self.scope(host_changed), release: self.scope(is_host_next) })
    }

    /// While a kernel runs its GPU is told of the next one, unless the host comes between (CPElide
    /// specification 5.10).
    pub(super) fn hand_over_next(&mut self) -> Result<(), RunError> {
        let is_ahead = self.system.command_processor.ahead && self.ctx.layout.gpus == 1;
        let Some(at) = self.next_kernel(0)?.filter(|_| is_ahead) else { return Ok(()) };
        let Event::Kernel(head) = self.upcoming[at].clone() else { unreachable!("by its place") };
        let is_host_next = self.next_kernel(at + 1)?.is_none();
        let scopes = Scopes { acquire: self.scope(false), release: self.scope(is_host_next) };
        let spans = self.spans(head.groups);
        self.submit(self.kernels + 1, &head, &spans, scopes);
        self.handed_over = Some(scopes);
        Ok(())
    }

    fn scope(&self, system: bool) -> Scope {
        let is_lazy = self.sync == SyncMode::Cpelide && self.ctx.layout.gpus == 1;
        if system || !is_lazy { Scope::System } else { Scope::Agent }
    }

    /// Static, kernel-wide partition: each GPU, and within it each chiplet, gets an equal
    /// contiguous piece, the last the remainder (CPElide specification 5.1). First work-group and
    /// number of each chiplet.
    pub(super) fn spans(&self, groups: u32) -> Vec<(u32, u32)> {
        let split = |(first, groups): (u32, u32), among: u32| {
            let piece = groups / among;
            (0..among).map(move |i| {
                let own = if i + 1 == among { groups - i * piece } else { piece };
                (first + i * piece, own)
            })
        };
        let layout = &self.ctx.layout;
        let gpus = split((0, groups), layout.gpus.into());
        gpus.flat_map(|share| split(share, layout.chiplets.into())).collect()
    }

    /// One packet for each GPU, with its share of the work-groups; a barrier where that is none.
    pub(super) fn submit(
        &mut self,
        kernel: u32,
        head: &KernelHead,
        spans: &[(u32, u32)],
        scopes: Scopes,
    ) {
        let per_gpu = usize::from(self.ctx.layout.chiplets);
        let Scopes { acquire, release } = scopes;
        for (gpu, spans) in spans.chunks(per_gpu).enumerate() {
            let groups: u32 = spans.iter().map(|span| span.1).sum();
            if groups == 0 {
                let packet = barrier(acquire, release, 1);
                self.queue(gpu, packet, Vec::new(), launch::Kernel::default());
                continue;
            }
            let labels = launch::labels(head, spans);
            // A row of whole work-groups.
            let [x, y, z] = head.local;
            let dispatch = Dispatch {
                workgroup_size: head.local.map(|size| size as u16),
                grid_size: [x * groups, y, z],
                kernel_object: kernel.into(),
                extension: u64::from(!labels.is_empty()),
                completion_signal: 1,
                acquire,
                release,
                ..Dispatch::default()
            };
            let kernel = launch::Kernel { number: kernel, first_group: spans[0].0 };
            self.queue(gpu, dispatch.encode(), labels, kernel);
        }
    }

    /// Puts a packet into the queue of a GPU.
    fn queue(&mut self, gpu: usize, packet: [u8; 64], labels: Vec<u8>, kernel: launch::Kernel) {
        let at = self.first_global + gpu;
        let Part::Global(global) = &mut self.parts[at] else { unreachable!("by its number") };
        let id = ComponentId(at as u32);
        if self.ctx.has_component(id) {
            global.submit(self.ctx.now, packet, labels, kernel);
        }
        self.wake(id, self.ctx.now + 1);
    }
}
