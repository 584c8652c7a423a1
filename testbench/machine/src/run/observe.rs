//! What an observer sees of a run: TLPs, packets, progress, and of the sockets what their register
//! tells, the cycles of a window, and what a flip does.

use std::collections::BTreeMap;

use cosim::flip::Flip;
use cosim::sample::WindowCycle;
use cosim::socket::{BlockUse, Sockets, Window};
use hwmodel::finepack::tlp_link::Sent;

use super::{Buffers, Machine};
use crate::build::part::Part;
use crate::engine::{ComponentId, Cycle};
use crate::launch::{Global, Packet};
use crate::statistics::recording::{Loads, Recorder, Samples};
use crate::statistics::spans::{Groups, Request, Spans};

/// Who wants to see TLPs.
type SeeTlp = Box<dyn FnMut(&Sent)>;
/// Who wants to see what became of packets.
type SeePacket = Box<dyn FnMut(&Audited)>;
/// Who wants to know how far the run is.
type SeeProgress = Box<dyn FnMut(&Progress)>;

/// How the names of links begin among samples.
pub const LINK: &str = "link.";

/// How far a run is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Cycles so far.
    pub cycle: Cycle,
    /// Work-groups started.
    pub groups: u64,
    /// Loads and atomics of work-items that were checked.
    pub checked: u64,
}

/// A packet that is complete, and what its reasons are about.
#[derive(Clone, Copy, Debug)]
pub struct Audited<'a> {
    /// What became of it.
    pub packet: &'a Packet,
    /// Name of the kernel; empty for a barrier.
    pub kernel: &'a str,
    /// Chiplets of a GPU.
    pub chiplets: u16,
    /// Bytes of a line of the chiplet coherence table.
    pub line: u64,
    /// Live buffers.
    pub buffers: &'a Buffers,
}

/// What was recorded for a timeline.
#[derive(Clone, Debug)]
pub struct Timeline<'a> {
    /// Work-groups.
    pub groups: &'a Groups,
    /// Sampled requests, those that were answered.
    pub requests: Vec<Request>,
    /// Requests that CUs have sent, sampled or not.
    pub all_requests: u64,
}

/// Who wants to see what.
#[derive(Default)]
pub(super) struct Observers {
    tlp: Option<SeeTlp>,
    packet: Option<SeePacket>,
    progress: Option<SeeProgress>,
}

impl Observers {
    /// True where more than the run's progress is observed.
    pub(super) fn observe_blocks(&self) -> bool {
        self.tlp.is_some() || self.packet.is_some()
    }
}

impl Machine {
    /// Shows every TLP whose last byte has left a GPU, with its cycle of the links.
    pub fn on_tlp(&mut self, see: impl FnMut(&Sent) + 'static) {
        self.observers.tlp = Some(Box::new(see));
        if let Some(gate) = self.gate_mut() {
            gate.observe();
        }
    }

    /// Shows what became of each packet: of each kernel one for each GPU, and barriers.
    pub fn on_packet(&mut self, see: impl FnMut(&Audited) + 'static) {
        self.observers.packet = Some(Box::new(see));
    }

    /// Shows the packets that are complete. `kernel`: the name of the kernel that they have
    /// launched.
    pub(super) fn show_packets(&mut self, kernel: &str) {
        let Some(see) = &mut self.observers.packet else { return };
        let layout = &self.ctx.layout;
        // What the firmware takes for a line: 128 bytes, or 64.
        let (chiplets, line) = (layout.chiplets, if layout.line == 128 { 128 } else { 64 });
        for part in &mut self.parts[self.first_global..] {
            let Some(packet) = part.global_mut().and_then(Global::take_packet) else { continue };
            let kernel = packet.kernel.map_or("", |_| kernel);
            see(&Audited { packet, kernel, chiplets, line, buffers: &self.buffers });
        }
    }

    /// The sockets of the blocks.
    pub fn sockets(&self) -> &Sockets {
        &self.sockets
    }

    /// What each block has done.
    pub fn blocks(&self) -> Vec<BlockUse> {
        let mut all = self.sockets.uses(self.ctx.now);
        for others in self.team.iter().flat_map(|team| &team.counted) {
            for (sum, other) in all.iter_mut().zip(&others.blocks) {
                // Each shard has all instances, and uses its own.
                sum.add(BlockUse { instances: 0, ..other.clone() });
            }
        }
        all
    }

    /// Keeps each transfer of the blocks from now on.
    pub fn start_logs(&mut self) {
        self.sockets.start_logs();
    }

    /// Shows the cycles of these sockets within a window, see [`Sockets::watch`].
    pub fn on_cycle(
        &mut self,
        sockets: &[usize],
        window: Window,
        see: impl FnMut(&[(usize, &WindowCycle)]) + 'static,
    ) {
        self.sockets.watch(sockets, window, see);
        if let Some(from) = window.from {
            sockets.iter().for_each(|&number| self.wake_owner(number, from));
        }
    }

    /// Inverts a bit of an output of a socket, see [`Sockets::flip`].
    pub fn flip(&mut self, socket: usize, flip: Flip) {
        let cycle = flip.cycle;
        self.sockets.flip(socket, flip);
        self.wake_owner(socket, cycle);
    }

    /// Whether idle cycles are left out must not matter to who wants to see one.
    fn wake_owner(&mut self, socket: usize, at: Cycle) {
        let owner = ComponentId(self.sockets.owner(socket));
        if let Some(gate) = self.parts[owner.0 as usize].gate_mut() {
            gate.look_again();
        }
        self.ctx.wheel.wake(owner, at.max(self.ctx.now + 1));
    }

    /// Records statistics over time, and how long loads take, from now on.
    pub fn record(&mut self) {
        self.samples = Some(Box::default());
        self.ctx.recorder = Some(Box::default());
    }

    /// As `record`, and work-groups, links and the paths of sampled requests, for a timeline.
    pub fn record_timeline(&mut self) {
        self.samples = Some(Box::default());
        let spans = Some(Spans::default());
        self.ctx.recorder = Some(Box::new(Recorder { spans, ..Recorder::default() }));
    }

    /// What was recorded for a timeline: work-groups and sampled requests, and of how many requests
    /// these are.
    pub fn timeline(&self) -> Option<Timeline<'_>> {
        let spans = self.ctx.recorder.as_ref()?.spans.as_ref()?;
        let requests =
            spans.paths.collect(&self.ctx.network, &self.ctx.layout, self.system.l3.bytes > 0);
        Some(Timeline { groups: &spans.groups, requests, all_requests: spans.paths.all() })
    }

    /// What was recorded.
    pub fn recorded(&self) -> Option<(&Samples, &Loads)> {
        Some((self.samples.as_deref()?, &self.ctx.recorder.as_deref()?.loads))
    }

    #[cold]
    pub(super) fn sample(&mut self) {
        let mut values: BTreeMap<_, _> = self.statistics().into_iter().collect();
        for (spec, held) in self.ctx.network.held() {
            let kind: String = spec.name.chars().filter(|c| !c.is_ascii_digit()).collect();
            *values.entry(format!("queue.{kind}")).or_default() += u64::from(held);
        }
        if self.ctx.spans().is_some() {
            self.sample_links(&mut values);
        }
        if let Some(samples) = &mut self.samples {
            samples.add(self.ctx.now, values);
        }
    }

    /// Bytes of each link so far.
    fn sample_links(&self, values: &mut BTreeMap<String, u64>) {
        let traffic = self.traffic();
        for (what, matrix) in [("chiplet", traffic.chiplets), ("GPU", traffic.gpus)] {
            for (from, row) in matrix.iter().enumerate() {
                for (to, bytes) in row.iter().enumerate().filter(|(_, bytes)| **bytes > 0) {
                    values.insert(format!("{LINK}{what} {from} to {what} {to}"), *bytes);
                }
            }
        }
    }

    /// Reports the run's progress, every some thousand steps.
    pub fn on_progress(&mut self, see: impl FnMut(&Progress) + 'static) {
        self.observers.progress = Some(Box::new(see));
    }

    #[cold]
    pub(super) fn report_progress(&mut self) {
        let checked = self.ctx.check.checked;
        let mut groups = self.groups();
        let mut checked = checked.loads + checked.atomics;
        if let Some(team) = &mut self.team {
            team.done = (groups, checked);
            let others = team.done_by_others();
            (groups, checked) = (groups + others.0, checked + others.1);
        }
        if let Some(see) = &mut self.observers.progress {
            see(&Progress { cycle: self.ctx.now, groups, checked });
        }
    }

    /// Work-groups that this thread has started.
    pub(super) fn groups(&self) -> u64 {
        let of_part = |part: &Part| match part {
            Part::Core(core) => core.counters.groups,
            _ => 0,
        };
        self.parts.iter().map(of_part).sum()
    }

    /// Shows what has left the GPUs, and the cycles of sockets that have ended, within the window.
    #[inline]
    pub(super) fn show(&mut self) {
        if let Some(see) = &mut self.observers.tlp
            && let Some(gate) = self.parts.last_mut().and_then(Part::gate_mut)
        {
            gate.drain_sent(see);
        }
        if self.sockets.is_watched() {
            for socket in self.sockets.show(self.ctx.now) {
                self.wake_owner(socket, 0);
            }
        }
    }
}
