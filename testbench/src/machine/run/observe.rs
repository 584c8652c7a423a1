//! What an observer sees of a run: TLPs, the cycles of a window, transfers of blocks with two bodies, progress; and what
//! it may invert.

use cosim::body::{Body, Log};
use cosim::lockstep::WindowCycle;
use cosim::runner::Flip;
use cosim::wave::Shown;
use hwmodel::Model;
use hwmodel::coherence_directory::CoherenceDirectory;
use hwmodel::tlp_link::Sent;

use super::{Buffers, Machine};
use crate::machine::engine::{ComponentId, Cycle};
use crate::machine::gate::{BlockUse, Gate, Window};
use crate::machine::l2::Home;
use crate::machine::launch::{Global, Packet};
use crate::machine::part::Part;

/// Who wants to see TLPs.
type SeeTlp = Box<dyn FnMut(&Sent)>;
/// Who wants to see the cycles of a window.
type SeeCycle = Box<dyn FnMut(&[&WindowCycle])>;
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
    cycle: Option<SeeCycle>,
    /// `cycle` sees blocks between GPUs, else the directory of the first L2 bank.
    shows_gate: bool,
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

    /// Shows the packets that are complete. `kernel`: the name of the kernel that they have launched.
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

    /// Shows the images of GPU 0's blocks with two bodies in each cycle of a window, in the order of
    /// [`Machine::shown_blocks`].
    pub fn on_cycle(&mut self, window: Window, see: impl FnMut(&[&WindowCycle]) + 'static) {
        self.observers.shows_gate = self.gate().is_some_and(|gate| !gate.shown_blocks().is_empty());
        let component = if self.observers.shows_gate {
            self.gate_mut().expect("it has blocks").watch(window);
            self.parts.len() - 1
        } else {
            let Some(at) = self.parts.iter().position(|part| part.home().is_some()) else { return };
            self.parts[at].home_mut().expect("it is there").watch(window);
            at
        };
        if let Some(from) = window.from {
            self.ctx.wheel.wake(ComponentId(component as u32), from.max(self.ctx.now + 1));
        }
        self.observers.cycle = Some(Box::new(see));
    }

    /// The blocks with two bodies between GPU 0 and others; where there are none, the directory of the first L2 bank.
    pub fn shown_blocks(&self) -> Vec<Shown> {
        let between = self.gate().map_or(Vec::new(), Gate::shown_blocks);
        if between.is_empty() { self.shown_directory().into_iter().collect() } else { between }
    }

    /// The directory of the first L2 bank.
    fn shown_directory(&self) -> Option<Shown> {
        let home = self.parts.iter().find_map(Part::home)?;
        Some((home.body.description(), home.body.kind()))
    }

    /// These, and the directory of the first L2 bank: what a flip can reach.
    pub fn flip_blocks(&self) -> Vec<Shown> {
        let between = self.gate().map_or(Vec::new(), Gate::shown_blocks);
        between.into_iter().chain(self.shown_directory()).collect()
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
        if let Some(gate) = self.gate_mut() {
            gate.start_logs();
        }
        for part in &mut self.parts {
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

    /// Inverts a bit of an output of a block of GPU 0 that runs in lockstep, on the RTL's side, in the first
    /// cycle from that of the flip on in which the field is compared: a self-test of the comparison.
    pub fn flip(&mut self, block: &str, flip: Flip) {
        if block == CoherenceDirectory::NAME {
            let at = self.parts.iter().position(|part| part.home().is_some());
            let at = at.expect("the machine has such a block");
            // Idle cycles are skipped, and whether that is so must not matter here.
            self.ctx.wheel.wake(ComponentId(at as u32), flip.cycle.max(self.ctx.now + 1));
            self.parts[at].home_mut().expect("it is there").flip = Some(flip);
        } else if let Some(gate) = self.gate_mut() {
            gate.flip(block, flip);
        }
    }

    /// The flip that has not happened.
    pub fn pending_flip(&self) -> Option<&Flip> {
        let of_bank = self.parts.iter().find_map(|part| part.home()?.flip.as_ref());
        of_bank.or_else(|| self.gate().and_then(Gate::pending_flip))
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

    /// Shows the cycle of the first bank's directory that has ended, within the window.
    #[inline]
    pub(super) fn show_directory(&mut self) {
        let Observers { cycle, shows_gate, .. } = &mut self.observers;
        if let Some(see) = cycle.as_mut().filter(|_| !*shows_gate) {
            let home = self.parts.iter_mut().find_map(Part::home_mut);
            if let Some(cycle) = home.and_then(Home::take_shown) {
                see(&[cycle]);
            }
        }
    }

    /// Shows what has left the GPUs, and the cycle of GPU 0's blocks that has ended, within the window.
    #[inline]
    pub(super) fn show_gate(&mut self) {
        let Some(Part::Gate(gate)) = self.parts.last_mut() else { return };
        let Observers { tlp, cycle, shows_gate, .. } = &mut self.observers;
        if let Some(see) = tlp {
            gate.drain_sent(see);
        }
        if let Some(see) = cycle.as_mut().filter(|_| *shows_gate) {
            if let Some(cycles) = gate.take_shown() {
                see(&cycles);
            }
        }
    }

    fn gate_mut(&mut self) -> Option<&mut Gate> {
        match self.parts.last_mut() {
            Some(Part::Gate(gate)) => Some(gate),
            _ => None,
        }
    }
}
