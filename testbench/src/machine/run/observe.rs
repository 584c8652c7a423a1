//! What an observer sees of a run: TLPs, the cycles of a window, transfers of blocks with two
//! bodies, progress; and what it may invert.

use cosim::body::{Body, Log};
use cosim::runner::Flip;
use hwmodel::tlp_link::Sent;

use super::groups::Windowed;
use super::{Buffers, Machine};
use crate::machine::engine::Cycle;
use crate::machine::gate::{BlockUse, Gate};
use crate::machine::l2::Home;
use crate::machine::launch::{Global, Packet};
use crate::machine::part::Part;

/// Who wants to see TLPs.
type SeeTlp = Box<dyn FnMut(&Sent)>;
/// Who wants to see what became of packets.
type SeePacket = Box<dyn FnMut(&Audited)>;
/// Who wants to know how far the run is.
type SeeProgress = Box<dyn FnMut(&Progress)>;

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

/// Who wants to see what.
#[derive(Default)]
pub(super) struct Observers {
    tlp: Option<SeeTlp>,
    /// Who sees the cycles of a window.
    pub(super) window: Option<Box<Windowed>>,
    packet: Option<SeePacket>,
    progress: Option<SeeProgress>,
}

impl Machine {
    /// Shows every TLP whose last byte has left a GPU, with its cycle of the links.
    pub fn on_tlp(&mut self, see: impl FnMut(&Sent) + 'static) {
        self.observers.tlp = Some(Box::new(see));
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

    /// What each block with two bodies has done.
    pub fn blocks(&self) -> Vec<BlockUse> {
        let mut uses = self.gate().map_or(Vec::new(), |gate| gate.uses(self.ctx.now));
        for home in self.parts.iter().filter_map(Part::home) {
            BlockUse::add(&mut uses, &home.body, self.ctx.now + 1);
        }
        for body in self.parts.iter().filter_map(Part::global).flat_map(|g| g.blocks().bodies()) {
            BlockUse::add(&mut uses, body, self.ctx.now + 1);
        }
        uses
    }

    /// Keeps each transfer of the blocks with two bodies from now on.
    pub fn start_logs(&mut self) {
        for part in &mut self.parts {
            if let Some(gate) = part.gate_mut() {
                gate.start_logs();
            }
            if let Some(home) = part.home_mut() {
                home.body.start_log();
            }
            if let Some(global) = part.global_mut() {
                global.blocks_mut().bodies_mut().for_each(Body::start_log);
            }
        }
    }

    /// These transfers: GPU, block and log.
    pub fn logs(&self) -> impl Iterator<Item = (usize, &'static str, &Log)> {
        let banks = self.parts.iter().filter_map(|part| {
            let Home { body, chiplet, .. } = part.home()?;
            let gpu = self.ctx.layout.gpu_of(*chiplet);
            Some((gpu.into(), body.description().name, body.log()?))
        });
        let globals = self.parts.iter().filter_map(Part::global).enumerate();
        let command = globals.flat_map(|(gpu, global)| {
            let bodies = global.blocks().bodies();
            bodies.filter_map(move |body| Some((gpu, body.description().name, body.log()?)))
        });
        self.gate().into_iter().flat_map(Gate::logs).chain(banks).chain(command)
    }

    /// The flip that has not happened.
    pub fn pending_flip(&self) -> Option<&Flip> {
        self.parts.iter().find_map(|part| {
            let gate = part.gate().map(|gate| &gate.watched);
            let global = part.global().map(|global| &global.watched);
            let home = part.home().map(|home| &home.watched);
            gate.or(global).or(home)?.pending_flip()
        })
    }

    /// Tells how far the run is, every some thousand steps.
    pub fn on_progress(&mut self, see: impl FnMut(&Progress) + 'static) {
        self.observers.progress = Some(Box::new(see));
    }

    #[cold]
    pub(super) fn tell_progress(&mut self) {
        let Some(see) = &mut self.observers.progress else { return };
        let groups = |part: &Part| match part {
            Part::Core(core) => core.counters.groups,
            _ => 0,
        };
        let checked = self.ctx.check.checked;
        see(&Progress {
            cycle: self.ctx.now,
            groups: self.parts.iter().map(groups).sum(),
            checked: checked.loads + checked.atomics,
        });
    }

    /// Shows what has left the GPUs, and the cycle of the shown blocks that has ended, within the
    /// window.
    #[inline]
    pub(super) fn show(&mut self) {
        if let Some(see) = &mut self.observers.tlp
            && let Some(gate) = self.parts.last_mut().and_then(Part::gate_mut)
        {
            gate.drain_sent(see);
        }
        if self.observers.window.is_some() {
            self.show_window();
        }
    }
}
