//! The packets of kernels: what they say, and when the GPUs get them.

use cosim::cpelide::SyncMode;
use cosim::cpelide::packet::{Dispatch, Scope, barrier};
use traces::trace::{self, Bound, Event, KernelHead};

use super::{Machine, RunError};
use crate::build::part::Part;
use crate::engine::ComponentId;
use crate::launch::{self, Partition};

/// A kernel that is handed over.
#[derive(Clone, Copy)]
pub(super) struct Handover {
    /// Its number among those that run, and among all.
    pub(super) launch: usize,
    pub(super) number: u32,
    pub(super) stream: u8,
    pub(super) scopes: Scopes,
}

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
                Event::Alloc { .. } | Event::Streams(_) | Event::Wait { .. } => {}
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

    /// While the kernel of a launch runs its GPU gets the next one, unless the host comes
    /// between (CPElide specification 5.10).
    pub(super) fn forward_next(
        &mut self,
        launch: usize,
        running: &KernelHead,
    ) -> Result<(), RunError> {
        let Some(at) = self.next_kernel(0)?.filter(|_| self.is_ahead()) else { return Ok(()) };
        let Event::Kernel(head) = self.upcoming[at].clone() else { unreachable!("by its place") };
        if self.will_skip(running, &head) {
            return Ok(());
        }
        let is_host_next = self.next_kernel(at + 1)?.is_none();
        let scopes = Scopes { acquire: self.scope(false), release: self.scope(is_host_next) };
        let spans = self.partition_of(&head).spans();
        let (launch, number) = (1 - launch, self.kernels + 1);
        let handover = Handover { launch, number, stream: 0, scopes };
        self.begin(launch, number, &head)?;
        self.submit(handover, &head, &spans);
        self.forwarded = Some(handover);
        Ok(())
    }

    /// Whether kernels are handed over before those before have ended.
    pub(super) fn is_ahead(&self) -> bool {
        self.system.command_processor.ahead && self.ctx.layout.gpus == 1
    }

    pub(super) fn scope(&self, system: bool) -> Scope {
        let is_lazy = self.sync == SyncMode::Cpelide && self.ctx.layout.gpus == 1;
        if system || !is_lazy { Scope::System } else { Scope::Agent }
    }

    /// The chiplets of a GPU on which a kernel runs: those of its stream. With several GPUs there
    /// are no bounds.
    pub(super) fn chiplets_of(&self, head: &KernelHead) -> u16 {
        let chiplets = self.ctx.layout.chiplets;
        let queues = self.queues.as_ref().filter(|_| self.ctx.layout.gpus == 1);
        queues.map_or(Bound::ALL, |queues| queues.bound(head)).chiplets(chiplets)
    }

    /// The shares of a kernel's work-groups.
    pub(super) fn partition(&self, groups: u32, mask: u16) -> Partition {
        let layout = &self.ctx.layout;
        let (gpus, chiplets) = (layout.gpus.into(), layout.chiplets);
        let rotate = if self.system.placement.rotate { layout.cores.into() } else { 0 };
        Partition { groups, gpus, chiplets, mask, rotate }
    }

    /// That of a kernel of its stream.
    pub(super) fn partition_of(&self, head: &KernelHead) -> Partition {
        self.partition(head.groups, self.chiplets_of(head))
    }

    /// One packet for each GPU, with its share of the work-groups; a barrier where that is none.
    pub(super) fn submit(&mut self, handover: Handover, head: &KernelHead, spans: &[(u32, u32)]) {
        let per_gpu = usize::from(self.ctx.layout.chiplets);
        let Handover { launch, number, stream, scopes: Scopes { acquire, release } } = handover;
        let (mask, partition) = (self.chiplets_of(head), self.partition_of(head));
        for (gpu, spans) in spans.chunks(per_gpu).enumerate() {
            let groups: u32 = spans.iter().map(|span| span.1).sum();
            let kernel = launch::Kernel { number, first_group: spans[0].0, launch: launch as u8 };
            if groups == 0 {
                let packet = barrier(acquire, release, kernel.signal());
                self.queue(gpu, (packet, Vec::new()), (stream, mask), kernel);
                continue;
            }
            // The table numbers the chiplets of the stream alone.
            let own = (0..per_gpu).filter(|i| mask >> i & 1 == 1).map(|i| spans[i]);
            let labels = launch::labels(head, &partition, &own.collect::<Vec<_>>());
            // A row of whole work-groups.
            let [x, y, z] = head.local;
            let dispatch = Dispatch {
                workgroup_size: head.local.map(|size| size as u16),
                grid_size: [x * groups, y, z],
                kernel_object: number.into(),
                extension: u64::from(!labels.is_empty()),
                completion_signal: kernel.signal(),
                acquire,
                release,
                ..Dispatch::default()
            };
            self.queue(gpu, (dispatch.encode(), labels), (stream, mask), kernel);
        }
    }

    /// Puts a packet into the queue of a GPU.
    pub(super) fn queue(
        &mut self,
        gpu: usize,
        (packet, labels): ([u8; 64], Vec<u8>),
        stream: (u8, u16),
        kernel: launch::Kernel,
    ) {
        let at = self.first_global + gpu;
        let Part::Global(global) = &mut self.parts[at] else { unreachable!("by its number") };
        let id = ComponentId(at as u32);
        if self.ctx.has_component(id) {
            global.submit(self.ctx.now, packet, labels, stream, kernel);
        }
        self.wake(id, self.ctx.now + 1);
    }
}
