//! The blocks with two bodies that a waveform shows, and a flip reaches: those of GPU 0, in groups
//! that stand in one component each.

use cosim::body::{Body, BodyKind};
use cosim::lockstep::WindowCycle;
use cosim::recorder::Inside;
use cosim::runner::Flip;
use cosim::wave::{Clock, Shown};
use hwmodel::coherence_directory::CoherenceDirectory;
use hwmodel::command_processor::CommandProcessor;
use hwmodel::cp_crossbar::CpCrossbar;
use hwmodel::depacketizer::Depacketizer;
use hwmodel::local_command_processor::LocalCommandProcessor;
use hwmodel::packetizer::Packetizer;
use hwmodel::remote_write_queue::RemoteWriteQueue;
use hwmodel::{Description, Model};

use super::Machine;
use crate::machine::engine::{ComponentId, Cycle};
use crate::machine::gate::LINK_MHZ;
use crate::machine::part::Part;
use crate::machine::watched::{Watched, Window};

/// Who wants to see cycles: each with the place of its block in what [`Machine::shown_blocks`]
/// gives.
type SeeCycles = Box<dyn FnMut(&[(usize, &WindowCycle)])>;

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

    /// Names of its blocks.
    fn blocks(self) -> &'static [&'static str] {
        match self {
            Self::Gate => &[RemoteWriteQueue::NAME, Packetizer::NAME, Depacketizer::NAME],
            Self::Directory => &[CoherenceDirectory::NAME],
            Self::Command => {
                &[CommandProcessor::NAME, CpCrossbar::NAME, LocalCommandProcessor::NAME]
            }
        }
    }

    /// Whether a component has its blocks.
    fn is_in(self, part: &Part) -> bool {
        match self {
            Self::Gate => part.gate().is_some(),
            Self::Directory => part.home().is_some(),
            Self::Command => part.global().is_some(),
        }
    }

    /// Place of its clock in [`clocks`].
    fn clock(self) -> usize {
        match self {
            Self::Gate => 1,
            Self::Directory | Self::Command => 0,
        }
    }
}

/// Names of the blocks that a waveform of this block shows, or of no block in particular.
pub fn beside(of: Option<&str>) -> Vec<&'static str> {
    let groups = Group::ALL.into_iter().map(Group::blocks);
    let meant = groups.filter(|blocks| of.is_none_or(|name| blocks.contains(&name)));
    meant.flatten().copied().collect()
}

/// The GPU's clock, and that of the links.
fn clocks(megahertz: u32) -> Vec<Clock> {
    let clock = |name: &str, megahertz| Clock { name: name.to_string(), megahertz };
    vec![clock("gpu_clk", megahertz), clock("link_clk", LINK_MHZ as u32)]
}

/// A window that somebody sees.
pub(super) struct Windowed {
    /// Groups, with the component and the place of the first block of each.
    groups: Vec<(Group, usize, usize)>,
    /// The first group has opened the window of the others.
    told: bool,
    see: SeeCycles,
}

impl Machine {
    /// The blocks with two bodies that a window shows, and their clocks: those beside one of this
    /// name, or where none is named all of GPU 0's, with the directory of the first L2 bank.
    /// `inside`: with what is inside them.
    pub fn shown_blocks(&mut self, of: Option<&str>, inside: bool) -> (Vec<Clock>, Vec<Shown>) {
        let mut all = Vec::new();
        for group in self.groups(of) {
            self.each_of(group, |body| {
                let inside = if inside { body.look_inside() } else { Inside::default() };
                let ports = Shown::ports(body.description(), body.kind());
                all.push(Shown { clock: group.clock(), inside, ..ports });
            });
        }
        let mut clocks = clocks(self.system.machine.clock_mhz);
        // A clock that drives nothing that is shown is none of the file.
        for at in [1, 0] {
            if !all.iter().any(|shown: &Shown| shown.clock == at) {
                clocks.remove(at);
                all.iter_mut().filter(|s| s.clock > at).for_each(|shown| shown.clock -= 1);
            }
        }
        (clocks, all)
    }

    /// What a flip can reach, and a window can show.
    pub fn all_blocks(&self) -> Vec<(Description, BodyKind)> {
        Group::ALL.into_iter().flat_map(|group| self.blocks_of(group)).collect()
    }

    /// Shows the cycles of the blocks of [`Machine::shown_blocks`] within a window.
    pub fn on_cycle(
        &mut self,
        of: Option<&str>,
        window: Window,
        see: impl FnMut(&[(usize, &WindowCycle)]) + 'static,
    ) {
        let mut groups = Vec::new();
        let mut blocks = 0;
        for (number, group) in self.groups(of).into_iter().enumerate() {
            let at = self.part_of(group);
            groups.push((group, at, blocks));
            blocks += self.blocks_of(group).len();
            // A window without a first cycle is opened by a transfer in the first group.
            let from = window.from.or((number > 0).then_some(Cycle::MAX));
            self.watched(group).watch(Window { from, ..window });
            if let Some(from) = window.from {
                self.ctx.wheel.wake(ComponentId(at as u32), from.max(self.ctx.now + 1));
            }
        }
        if !groups.is_empty() {
            let told = window.from.is_some();
            self.observers.window = Some(Box::new(Windowed { groups, told, see: Box::new(see) }));
        }
    }

    /// Shows the cycles that have ended within the window.
    #[cold]
    pub(super) fn show_window(&mut self) {
        let Some(mut windowed) = self.observers.window.take() else { return };
        let mut opened = None;
        let mut fresh = Vec::new();
        for &(_, at, first) in &windowed.groups {
            let Some(watched) = watched(&mut self.parts[at]) else { continue };
            opened = opened.or(watched.opened());
            if watched.take_fresh() {
                fresh.push((at, first));
            }
        }
        if !fresh.is_empty() {
            let of_part = |(at, first): (usize, usize)| {
                let cycles = shown(&self.parts[at]).into_iter().map(|body| body.last_cycle());
                cycles.enumerate().filter_map(move |(i, cycle)| Some((first + i, cycle?)))
            };
            (windowed.see)(&fresh.into_iter().flat_map(of_part).collect::<Vec<_>>());
        }
        if let (false, Some(Window { to, .. })) = (windowed.told, opened) {
            windowed.told = true;
            let next = self.ctx.now + 1;
            for &(_, at, _) in &windowed.groups[1..] {
                if let Some(watched) = watched(&mut self.parts[at]) {
                    watched.set_window(Window { from: Some(next), to });
                    self.ctx.wheel.wake(ComponentId(at as u32), next);
                }
            }
        }
        self.observers.window = Some(windowed);
    }

    /// Inverts a bit of an output of a block of GPU 0 that runs in lockstep, on the RTL's side, in
    /// the first cycle from that of the flip on in which the field is compared: a self-test of the
    /// comparison.
    pub fn flip(&mut self, block: &str, flip: Flip) {
        let group = self.groups(Some(block))[0];
        if group != Group::Gate {
            // Idle cycles are skipped, and whether that is so must not matter here.
            let at = ComponentId(self.part_of(group) as u32);
            self.ctx.wheel.wake(at, flip.cycle.max(self.ctx.now + 1));
        }
        self.watched(group).flip(block, flip);
    }

    /// The groups that there are, or that of a block.
    fn groups(&self, of: Option<&str>) -> Vec<Group> {
        let is_meant = |group: &Group| {
            let blocks = self.blocks_of(*group);
            of.map_or(!blocks.is_empty(), |name| blocks.iter().any(|(block, _)| block.name == name))
        };
        Group::ALL.into_iter().filter(is_meant).collect()
    }

    fn blocks_of(&self, group: Group) -> Vec<(Description, BodyKind)> {
        let part = self.parts.iter().find(|part| group.is_in(part));
        let bodies = part.map_or(Vec::new(), shown).into_iter();
        bodies.map(|body| (body.description(), body.kind())).collect()
    }

    /// Calls this with the bodies of a group, in the order of their blocks.
    fn each_of(&mut self, group: Group, mut change: impl FnMut(&mut dyn Body)) {
        let at = self.part_of(group);
        match &mut self.parts[at] {
            Part::Gate(gate) => gate.each_shown(change),
            Part::Global(global) => global.blocks_mut().shown_mut().for_each(change),
            part => {
                if let Some(home) = part.home_mut() {
                    change(&mut home.body);
                }
            }
        }
    }

    /// The component that has a group's blocks, of which there must be some.
    fn part_of(&self, group: Group) -> usize {
        let found = self.parts.iter().position(|part| group.is_in(part));
        found.expect("the machine has such a block")
    }

    fn watched(&mut self, group: Group) -> &mut Watched {
        let at = self.part_of(group);
        watched(&mut self.parts[at]).expect("it is there")
    }
}

/// The bodies of a component that a window shows.
fn shown(part: &Part) -> Vec<&dyn Body> {
    match part {
        Part::Gate(gate) => gate.shown(),
        Part::Global(global) => global.blocks().shown().collect(),
        part => part.home().map(|home| &home.body as &dyn Body).into_iter().collect(),
    }
}

fn watched(part: &mut Part) -> Option<&mut Watched> {
    match part {
        Part::Gate(gate) => Some(&mut gate.watched),
        Part::Global(global) => Some(&mut global.watched),
        part => part.home_mut().map(|home| &mut home.watched),
    }
}
