//! Launches, accesses and ends of kernels on two chiplets.

use hwmodel::cpelide::chiplet_coherence_table::{
    Dispatch, Outcome, Parameters, Reason, ReferenceTable, Weakness,
};

use super::kernel::{Kernel, LINES, NAMES, line_of};
use super::memory::{BYTES, CHIPLETS, Memory};
use super::packet;
use super::setup::{Homes, Setup};
use crate::space::{Broken, Space};

/// The table, L2s, and what the program is at.
#[derive(Clone, Debug, Hash)]
pub struct State {
    table: ReferenceTable,
    memory: Memory,
    /// By stream, the kernel that runs, and its tag.
    running: Vec<Option<(usize, u8)>>,
    /// Bytes that kernels have stored to since the last release of scope system.
    unreleased: [bool; BYTES],
    /// Bytes that the host has stored to since the last acquire of scope system.
    unacquired: [bool; BYTES],
    broken: Option<Broken>,
}

/// What can happen.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// A stream launches a kernel.
    Launch { stream: usize, kernel: usize },
    /// A kernel that runs loads a byte.
    Load { chiplet: usize, byte: usize },
    /// A kernel that runs stores to a byte. The L2 fetches the line's others or does not.
    Store { chiplet: usize, byte: usize, fetches: bool },
    /// An L2 gives up a line.
    Evict { chiplet: usize, line: usize },
    /// All work-groups of a stream's kernel are done.
    Finish { stream: usize },
    /// The host stores to a byte.
    HostStore { byte: usize },
    /// Another GPU loads a byte.
    OtherLoad { byte: usize },
    /// The program ends, and another may begin.
    End,
}

/// No kernel finds an old value.
pub const NO_STALE_READ: &str = "no stale read";
/// Nothing that is dirty is invalidated.
pub const NO_LOSS: &str = "no dirty data lost";
/// What has been released can be read in memory.
pub const RELEASED: &str = "memory has the released data";

/// A setup to be searched.
pub struct Chiplets {
    setup: &'static Setup,
    kernels: Vec<Kernel>,
    weakness: Option<Weakness>,
}

impl Chiplets {
    /// With all rules, or without one.
    pub fn new(setup: &'static Setup, weakness: Option<Weakness>) -> Self {
        Self { setup, kernels: setup.kernels(), weakness }
    }

    fn running<'a>(&'a self, state: &'a State) -> impl Iterator<Item = &'a Kernel> {
        state.running.iter().flatten().map(|&(kernel, _)| &self.kernels[kernel])
    }

    /// The L2 that an access goes to.
    fn reached(&self, chiplet: usize, byte: usize) -> usize {
        match self.setup.homes {
            Homes::Private => chiplet,
            _ => line_of(byte) % CHIPLETS,
        }
    }

    /// Operations on L2s: all releases, then all acquires.
    fn operate(&self, state: &mut State, outcome: &Outcome) {
        let of = |mask: u16| (0..CHIPLETS).filter(move |chiplet| mask >> chiplet & 1 == 1);
        for chiplet in of(outcome.release) {
            state.memory.write_back(chiplet, 0..BYTES);
        }
        for chiplet in of(outcome.acquire) {
            if state.memory.drop(chiplet, 0..BYTES) {
                let how = format!("chiplet {chiplet} is acquired while its L2 holds dirty data");
                state.broken = Some(Broken { property: NO_LOSS, how });
            }
        }
    }

    fn launch(&self, state: &mut State, stream: usize, number: usize) {
        let kernel = &self.kernels[number];
        let outcome = state.table.launch(&Dispatch {
            packet: kernel.packet,
            extension: &kernel.extension,
            truncated: false,
            stream: stream as u8,
            chiplets: 0b11,
        });
        self.operate(state, &outcome);
        let tag = outcome.tag.expect("the packet is good");
        state.running[stream] = Some((number, tag));
        if kernel.header.acquires {
            state.unacquired = [false; BYTES];
        }
    }

    fn load(&self, state: &mut State, who: &str, l2: usize, byte: usize) {
        if !state.memory.copy(l2, byte).valid {
            state.memory.fetch(l2, LINES[line_of(byte)]);
        }
        if !state.memory.copy(l2, byte).newest {
            let how = format!("{who} reads an old value of {}", NAMES[byte]);
            state.broken = Some(Broken { property: NO_STALE_READ, how });
        }
    }

    fn finish(&self, state: &mut State, stream: usize) {
        let (number, tag) = state.running[stream].take().expect("a kernel runs");
        let outcome = state.table.finish(tag);
        self.operate(state, &outcome);
        if self.kernels[number].header.releases {
            for byte in 0..BYTES {
                if !self.running(state).any(|kernel| kernel.touches(byte, true)) {
                    state.unreleased[byte] = false;
                }
            }
        }
    }

    fn end(&self, state: &mut State) {
        let packet = packet::end();
        let outcome = state.table.launch(&Dispatch {
            packet,
            extension: &[],
            truncated: false,
            stream: 0,
            chiplets: 0b11,
        });
        self.operate(state, &outcome);
        state.unreleased = [false; BYTES];
        state.unacquired = [false; BYTES];
        self.check_memory(state);
    }

    /// What the host would read.
    fn check_memory(&self, state: &mut State) {
        let old = |&byte: &usize| !state.unreleased[byte] && !state.memory.is_newest(byte);
        if let Some(byte) = (0..BYTES).find(old) {
            let how = format!("the host reads an old value of {}", NAMES[byte]);
            state.broken.get_or_insert(Broken { property: RELEASED, how });
        }
    }

    fn describe_table(state: &State) -> String {
        let entries = state.table.entries();
        let entries: Vec<_> = entries
            .into_iter()
            .flatten()
            .map(|entry| {
                let first = |structure| packet::base(structure) / packet::LINE;
                let holds = |structure: usize| {
                    let lines = entry.ranges.iter().flatten();
                    let (from, to) = (first(structure), first(structure + 1));
                    lines.clone().any(|range| range.first < to && range.last >= from)
                };
                let named = [(holds(0), "x"), (holds(1), "y")].into_iter();
                let name: Vec<_> = named.filter(|(is, _)| *is).map(|(_, name)| name).collect();
                let states: Vec<_> = entry.states.iter().map(|state| format!("{state}")).collect();
                let mixed = if entry.mixed { " mixed" } else { "" };
                format!("{} {}{mixed}", name.join("+"), states.join("/"))
            })
            .collect();
        let every = if state.table.every() { ", EVERY" } else { "" };
        let entries = if entries.is_empty() { "no entry".into() } else { entries.join(", ") };
        format!("the table then has {entries}{every}")
    }

    /// Those of the table's last call.
    fn describe_operations(after: &State) -> String {
        let reasons = after.table.reasons();
        let of = |asks: fn(&Reason) -> bool| {
            let mut chiplets: Vec<_> =
                reasons.iter().filter(|reason| asks(reason)).map(|reason| reason.chiplet).collect();
            chiplets.sort_unstable();
            chiplets.dedup();
            let names: Vec<_> = chiplets.iter().map(|chiplet| format!("{chiplet}")).collect();
            if names.is_empty() { "none".into() } else { names.join(" and ") }
        };
        format!("releases {}, acquires {}", of(|r| r.release), of(|r| r.acquire))
    }
}

impl Space for Chiplets {
    type State = State;
    type Step = Step;

    fn start(&self, _is_traced: bool) -> State {
        let Setup { entries, most, homes, .. } = *self.setup;
        let parameters = Parameters {
            chiplets: CHIPLETS,
            table_entries: entries,
            max_structs: most,
            line: packet::LINE,
            hidden: homes.hidden(),
            home_aware: homes == Homes::Aware,
            ..Parameters::DEFAULT
        };
        State {
            table: ReferenceTable::narrow(parameters, self.weakness),
            memory: Memory::new(),
            running: vec![None; self.setup.streams],
            unreleased: [false; BYTES],
            unacquired: [false; BYTES],
            broken: None,
        }
    }

    fn steps(&self, state: &State, steps: &mut Vec<Step>) {
        if state.broken.is_some() {
            return;
        }
        for (stream, running) in state.running.iter().enumerate() {
            if running.is_some() {
                steps.push(Step::Finish { stream });
                continue;
            }
            for (number, kernel) in self.kernels.iter().enumerate() {
                let sees_host = kernel.header.acquires
                    || !(0..BYTES).any(|b| state.unacquired[b] && kernel.touches(b, false));
                if sees_host && !self.running(state).any(|other| other.conflicts(kernel)) {
                    steps.push(Step::Launch { stream, kernel: number });
                }
            }
        }
        for kernel in self.running(state) {
            for &(chiplet, byte, writes) in &kernel.touches {
                steps.push(Step::Load { chiplet, byte });
                if writes {
                    steps.push(Step::Store { chiplet, byte, fetches: false });
                    if LINES[line_of(byte)].len() > 1 {
                        steps.push(Step::Store { chiplet, byte, fetches: true });
                    }
                }
            }
        }
        for (line, bytes) in LINES.iter().enumerate() {
            for chiplet in 0..CHIPLETS {
                if bytes.iter().any(|&byte| state.memory.copy(chiplet, byte).valid) {
                    steps.push(Step::Evict { chiplet, line });
                }
            }
        }
        if self.setup.host {
            let used = self.setup.bytes();
            for byte in used {
                let runs = |storing| self.running(state).any(|k| k.touches(byte, storing));
                if !state.unreleased[byte] && !runs(false) {
                    steps.push(Step::HostStore { byte });
                }
                let settled = !state.unreleased[byte] && !state.unacquired[byte];
                if self.setup.homes == Homes::OtherGpus && settled && !runs(true) {
                    steps.push(Step::OtherLoad { byte });
                }
            }
        }
        if state.running.iter().all(Option::is_none) {
            steps.push(Step::End);
        }
    }

    fn after(&self, state: &State, step: &Step) -> Option<State> {
        let mut state = state.clone();
        match *step {
            Step::Launch { stream, kernel } => self.launch(&mut state, stream, kernel),
            Step::Load { chiplet, byte } => {
                let l2 = self.reached(chiplet, byte);
                self.load(&mut state, &format!("chiplet {chiplet}"), l2, byte);
            }
            Step::Store { chiplet, byte, fetches } => {
                let l2 = self.reached(chiplet, byte);
                if fetches {
                    state.memory.fetch(l2, LINES[line_of(byte)]);
                }
                state.memory.store(l2, byte, l2 != chiplet);
                state.unreleased[byte] = self.setup.host;
            }
            Step::Evict { chiplet, line } => {
                state.memory.write_back(chiplet, LINES[line].iter().copied());
                state.memory.drop(chiplet, LINES[line].iter().copied());
            }
            Step::Finish { stream } => self.finish(&mut state, stream),
            Step::HostStore { byte } => {
                state.memory.host_store(byte);
                state.unacquired[byte] = true;
            }
            Step::OtherLoad { byte } => {
                let l2 = self.reached(0, byte);
                self.load(&mut state, "another GPU", l2, byte);
            }
            Step::End => self.end(&mut state),
        }
        if self.setup.host {
            self.check_memory(&mut state);
        }
        Some(state)
    }

    fn broken(&self, state: &State) -> Option<Broken> {
        state.broken.clone()
    }

    fn is_drained(&self, state: &State) -> bool {
        state.running.iter().all(Option::is_none)
    }

    fn describe(&self, before: &State, step: &Step, after: &State) -> String {
        let place = |chiplet: usize, byte: usize| {
            let l2 = self.reached(chiplet, byte);
            let held = before.memory.copy(l2, byte).valid;
            let how = if held { "a hit" } else { "a miss" };
            format!("{how} in the L2 of chiplet {l2}")
        };
        let does = || Self::describe_operations(after);
        let stream = |stream: usize| match self.setup.streams {
            1 => "the host".to_string(),
            _ => format!("stream {stream}"),
        };
        match *step {
            Step::Launch { stream: number, kernel } => format!(
                "{} launches a kernel {}: {}; {}",
                stream(number),
                self.kernels[kernel].describe(),
                does(),
                Self::describe_table(after)
            ),
            Step::Load { chiplet, byte } => {
                let found = match after.broken {
                    None => "the newest value",
                    Some(_) => "an old value",
                };
                let place = place(chiplet, byte);
                format!("chiplet {chiplet} loads {}: {place}, returns {found}", NAMES[byte])
            }
            Step::Store { chiplet, byte, fetches } => {
                let l2 = self.reached(chiplet, byte);
                let rest = if fetches { ", which fetches the line's rest" } else { "" };
                let through = if l2 == chiplet { "dirty" } else { "written through" };
                let name = NAMES[byte];
                format!("chiplet {chiplet} stores to {name}: {through} in the L2 of {l2}{rest}")
            }
            Step::Evict { chiplet, line } => {
                let names: Vec<_> = LINES[line].iter().map(|&byte| NAMES[byte]).collect();
                format!("the L2 of chiplet {chiplet} evicts the line of {}", names.join(" and "))
            }
            Step::Finish { stream: number } => {
                let who = stream(number);
                format!("the kernel of {who} ends: {}; {}", does(), Self::describe_table(after))
            }
            Step::HostStore { byte } => format!("the host stores to {} in memory", NAMES[byte]),
            Step::OtherLoad { byte } => {
                format!("another GPU loads {}: {}", NAMES[byte], place(0, byte))
            }
            Step::End => format!("the program ends: {}; {}", does(), Self::describe_table(after)),
        }
    }
}
