//! What an observer sees of a run: TLPs, the cycles of a window, transfers of blocks with two
//! bodies, progress; and what it may invert.

use cosim::body::{Body, Log};
use cosim::lockstep::WindowCycle;
use cosim::runner::Flip;
use cosim::wave::Shown;
use hwmodel::tlp_link::Sent;

use super::{Buffers, Machine};
use crate::machine::engine::{ComponentId, Cycle};
use crate::machine::gate::{BlockUse, Gate};
use crate::machine::l2::Home;
use crate::machine::launch::{Global, Packet};
use crate::machine::part::Part;
use crate::machine::watched::{Watched, Window};

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

/// Blocks with two bodies that are seen together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Group {
    /// GPU 0's between GPUs.
    Gate,
    /// The directory of the first L2 bank.
    Directory,
    /// GPU 0's of the command processors.
    Command,
}

impl Group {
    const ALL: [Self; 3] = [Self::Gate, Self::Directory, Self::Command];
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
    /// The blocks that `cycle` sees.
    group: Option<Group>,
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

    /// Shows the images of the blocks of [`Machine::shown_blocks`] in each cycle of a window, in
    /// their order.
    pub fn on_cycle(
        &mut self,
        of: Option<&str>,
        window: Window,
        see: impl FnMut(&[&WindowCycle]) + 'static,
    ) {
        let Some(group) = self.group(of) else { return };
        let at = self.part_of(group);
        self.watched(group).watch(window);
        if let Some(from) = window.from {
            self.ctx.wheel.wake(ComponentId(at as u32), from.max(self.ctx.now + 1));
        }
        self.observers.group = Some(group);
        self.observers.cycle = Some(Box::new(see));
    }

    /// The blocks with two bodies that a window shows: those beside one of this name, or where none
    /// is named those between GPU 0 and others, the directory of the first L2 bank, or the command
    /// processors, whatever there is first.
    pub fn shown_blocks(&self, of: Option<&str>) -> Vec<Shown> {
        self.group(of).map_or(Vec::new(), |group| self.blocks_of(group))
    }

    /// What a flip can reach, and a window can show.
    pub fn all_blocks(&self) -> Vec<Shown> {
        Group::ALL.into_iter().flat_map(|group| self.blocks_of(group)).collect()
    }

    fn group(&self, of: Option<&str>) -> Option<Group> {
        Group::ALL.into_iter().find(|&group| {
            let blocks = self.blocks_of(group);
            of.map_or(!blocks.is_empty(), |name| blocks.iter().any(|(block, _)| block.name == name))
        })
    }

    fn blocks_of(&self, group: Group) -> Vec<Shown> {
        let shown = |body: &dyn Body| (body.description(), body.kind());
        match group {
            Group::Gate => self.gate().map_or(Vec::new(), Gate::shown_blocks),
            Group::Directory => {
                let home = self.parts.iter().find_map(Part::home);
                home.map(|home| shown(&home.body)).into_iter().collect()
            }
            Group::Command => {
                let global = self.parts.iter().find_map(Part::global);
                global.map_or(Vec::new(), |global| global.blocks().shown().map(shown).collect())
            }
        }
    }

    /// The component that has a group's blocks, of which there must be some.
    fn part_of(&self, group: Group) -> usize {
        let has = |part: &Part| match group {
            Group::Gate => matches!(part, Part::Gate(_)),
            Group::Directory => part.home().is_some(),
            Group::Command => part.global().is_some(),
        };
        self.parts.iter().position(has).expect("the machine has such a block")
    }

    fn watched(&mut self, group: Group) -> &mut Watched {
        let at = self.part_of(group);
        let part = &mut self.parts[at];
        let watched = match group {
            Group::Gate => part.gate_mut().map(|gate| &mut gate.watched),
            Group::Directory => part.home_mut().map(|home| &mut home.watched),
            Group::Command => part.global_mut().map(|global| &mut global.watched),
        };
        watched.expect("it is there")
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

    /// Inverts a bit of an output of a block of GPU 0 that runs in lockstep, on the RTL's side, in
    /// the first cycle from that of the flip on in which the field is compared: a self-test of the
    /// comparison.
    pub fn flip(&mut self, block: &str, flip: Flip) {
        let group = self.group(Some(block)).expect("the machine has such a block");
        if group != Group::Gate {
            // Idle cycles are skipped, and whether that is so must not matter here.
            let at = ComponentId(self.part_of(group) as u32);
            self.ctx.wheel.wake(at, flip.cycle.max(self.ctx.now + 1));
        }
        self.watched(group).flip(block, flip);
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
        let Observers { tlp, cycle, group, .. } = &mut self.observers;
        if let Some(see) = tlp {
            if let Some(gate) = self.parts.last_mut().and_then(Part::gate_mut) {
                gate.drain_sent(see);
            }
        }
        let (Some(see), Some(group)) = (cycle, *group) else { return };
        let mut parts = self.parts.iter_mut();
        match group {
            Group::Gate => {
                let gate = parts.next_back().and_then(Part::gate_mut);
                if let Some(cycles) = gate.and_then(Gate::take_shown) {
                    see(&cycles);
                }
            }
            Group::Directory => {
                if let Some(cycle) = parts.find_map(Part::home_mut).and_then(Home::take_shown) {
                    see(&[cycle]);
                }
            }
            Group::Command => {
                if let Some(cycles) = parts.find_map(Part::global_mut).and_then(Global::take_shown)
                {
                    see(&cycles);
                }
            }
        }
    }
}
