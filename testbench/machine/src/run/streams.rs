//! Programs of several streams: the host reads ahead, and hands kernels over as soon as what they
//! wait for has ended.
//!
//! Such a run has one thread. Where kernels cannot overlap they run in the order of the trace, each
//! on its stream's chiplets: with several GPUs, where sequential consistency is checked, and under
//! L1 designs that do not allow it (`IssuePolicy::concurrent_kernels`).

use ports::cpelide::types::SLOTS;
use traces::trace::{Bound, Clock, Event, KernelHead, Streams, is_before};

use super::packets::{Handover, Scopes};
use super::{Machine, RunError};
use crate::build::part::Part;
use crate::engine::Cycle;
use cosim::cpelide::SyncMode;

/// Most kernels that are read and not handed over.
const WINDOW: usize = 64;
/// Most packets of a stream that the GPU has, of its slots.
const OF_STREAM: u32 = 2;

/// A kernel, and what must have ended before it begins.
struct Kernel {
    number: u32,
    head: KernelHead,
    place: usize,
    clock: Clock,
}

/// A kernel that was handed over, with its stream and when that was.
struct Running {
    name: String,
    place: usize,
    since: Cycle,
    /// Completion signals of its launch before its own.
    signals: u32,
}

/// What the host knows of streams.
pub(super) struct Queues {
    bound: Vec<Bound>,
    streams: Streams,
    /// Kernels may overlap.
    overlap: bool,
    /// Kernels that are not handed over, in the order of the program.
    waiting: Vec<Kernel>,
    /// By launch.
    running: [Option<Running>; SLOTS],
    /// Of each stream, kernels that were handed over, and that have ended.
    forwarded: Clock,
    ended: Clock,
    /// When a kernel has ended last.
    last_end: Cycle,
    /// Kernels read; the last one since the host waited for all.
    read: u32,
    last: Option<(u32, KernelHead)>,
}

impl Queues {
    fn new(bound: Vec<Bound>, overlap: bool) -> Self {
        let none = vec![0; bound.len()];
        Self {
            streams: Streams::new(bound.len()),
            bound,
            overlap,
            waiting: Vec::new(),
            running: Default::default(),
            forwarded: none.clone(),
            ended: none,
            last_end: 0,
            read: 0,
            last: None,
        }
    }

    /// The part of the chiplets that a kernel runs on.
    pub(super) fn bound(&self, head: &KernelHead) -> Bound {
        self.bound[usize::from(head.stream)]
    }

    /// The place among the kernels that wait of the first that may be handed over.
    fn next(&self, is_ahead: bool) -> Option<usize> {
        let may = |kernel: &Kernel| {
            let own = kernel.place;
            let under_way = self.forwarded[own] - self.ended[own];
            let others = (0..self.ended.len()).filter(|&place| place != own);
            let most = if is_ahead { OF_STREAM } else { 1 };
            self.forwarded[own] == kernel.clock[own]
                && under_way < most
                && others.into_iter().all(|place| self.ended[place] >= kernel.clock[place])
        };
        self.waiting.iter().position(may)
    }
}

impl Machine {
    /// The program has several streams.
    pub(super) fn begin_streams(&mut self, bound: Vec<Bound>) {
        let allow = |part: &Part| match part {
            Part::Core(core) => core.l1().issue_policy().concurrent_kernels,
            _ => true,
        };
        let is_alone = self.ctx.layout.gpus == 1 && self.ctx.sequential.is_none();
        let overlap = is_alone && self.parts.iter().all(allow);
        self.queues = Some(Queues::new(bound, overlap));
    }

    /// Takes an event of a program of several streams. Gives whether it is to be done now, after
    /// all before it.
    pub(super) fn enqueue(&mut self, event: &Event) -> Result<bool, RunError> {
        let Some(queues) = self.queues.as_mut().filter(|queues| queues.overlap) else {
            return Ok(true);
        };
        match event {
            Event::Alloc { .. } | Event::Streams(_) => return Ok(true),
            Event::Wait { stream, of } => queues.streams.wait(*stream, *of),
            Event::Kernel(head) => {
                let number = queues.read;
                queues.read += 1;
                queues.last = Some((number, head.clone()));
                if head.groups == 0 {
                    // Nothing waits for what does nothing.
                    self.kernels += 1;
                    return Ok(false);
                }
                let place = queues.streams.place(head.stream);
                let clock = queues.streams.launch(head.stream);
                queues.waiting.push(Kernel { number, head: head.clone(), place, clock });
                // The first in program order has a page, in every order of execution.
                let partition = self.partition_of(head);
                self.place_pages(head, &partition);
                while self.queues.as_ref().is_some_and(|queues| queues.waiting.len() >= WINDOW) {
                    self.go_on()?;
                }
            }
            Event::HostWrite { .. } | Event::HostRead { .. } | Event::Free { .. } => {
                self.join_streams()?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Names of the kernels that overlap now.
    pub(super) fn running(&self) -> Vec<String> {
        let running = self.queues.iter().flat_map(|queues| queues.running.iter().flatten());
        running.map(|running| running.name.clone()).collect()
    }

    /// The host waits for all kernels.
    pub(super) fn join_streams(&mut self) -> Result<(), RunError> {
        let under_way = |queues: &Queues| {
            !queues.waiting.is_empty() || queues.running.iter().any(Option::is_some)
        };
        while self.queues.as_ref().is_some_and(under_way) {
            self.go_on()?;
        }
        let Some(queues) = &mut self.queues else { return Ok(()) };
        queues.streams.join();
        let Some((number, head)) = queues.last.take() else { return Ok(()) };
        // What all have left with several values stands in the table of the last.
        self.ctx.check.begin_kernel(0, number, &head);
        if self.sync == SyncMode::None {
            self.ctx.check.end_kernel_unseen();
            return Ok(());
        }
        self.look_at_memory(0)
    }

    /// Hands over what may be, and simulates until a kernel has ended.
    fn go_on(&mut self) -> Result<(), RunError> {
        while self.forward_queued()? {}
        loop {
            let Some(queues) = &mut self.queues else { return Ok(()) };
            if queues.running.iter().all(Option::is_none) {
                return Ok(());
            }
            let completions = &self.ctx.completions;
            let has_ended = |(launch, running): (usize, &Option<Running>)| {
                running.as_ref().is_some_and(|running| completions[launch] > running.signals)
            };
            let Some(launch) = queues.running.iter().enumerate().position(has_ended) else {
                self.step()?;
                continue;
            };
            let Some(Running { name, place, since, .. }) = queues.running[launch].take() else {
                continue;
            };
            queues.ended[place] += 1;
            let since = since.max(std::mem::replace(&mut queues.last_end, self.ctx.now));
            self.kernels += 1;
            self.show_packets(&name);
            return self.add_kernel_use(&name, since);
        }
    }

    /// Hands over the first kernel that may be. False where there is none.
    fn forward_queued(&mut self) -> Result<bool, RunError> {
        let is_ahead = self.is_ahead();
        let Some(queues) = &mut self.queues else { return Ok(false) };
        let Some(launch) = queues.running.iter().position(Option::is_none) else {
            return Ok(false);
        };
        let Some(at) = queues.next(is_ahead) else { return Ok(false) };
        let Kernel { number, head, place, clock } = queues.waiting.remove(at);
        queues.forwarded[place] += 1;
        // The first that is handed over is the first that is decided.
        let acquires = std::mem::take(&mut self.host_changed);
        // The host, or what is not read yet, may want what it has written.
        let is_last = !queues.waiting.iter().any(|later| is_before((place, &clock), &later.clock));
        let is_alone = queues.running.iter().all(Option::is_none);
        let (name, since, signals) =
            (head.name.clone(), self.ctx.now, self.ctx.completions[launch]);
        queues.running[launch] = Some(Running { name, place, since, signals });
        let scopes = Scopes { acquire: self.scope(acquires), release: self.scope(is_last) };
        self.begin(launch, number, &head)?;
        if is_alone {
            self.perturb(number);
        }
        let spans = self.partition_of(&head).spans();
        self.submit(Handover { launch, number, stream: place as u8, scopes }, &head, &spans);
        Ok(true)
    }
}
