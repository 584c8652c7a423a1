//! Waveforms: the ports of both bodies side by side in the scopes `model`, `rtl` and `diff`, same
//! names, same time stamps, and beside them a save file of GTKWave and a command file of Surfer. A
//! block of which one body ran stands in that body's scope.
//!
//! Where that is asked for, the insides too: `model.<place>.state` has the registers that the model
//! shows, and `rtl.<place>` the hierarchy of the RTL with all its signals.
//!
//! The values of a cycle stand from its beginning on, the rising edge that ends it is in its middle
//! (`timeline`). A payload is `x` while its valid is 0, and so is a model's register that means
//! nothing.

mod file;
mod internals;
mod layout;
mod save_file;
mod scopes;
mod sink;
mod size;
mod surfer;
mod timeline;
mod views;

use std::io;
use std::path::{Path, PathBuf};

use ports::Description;
use ports::{Leaf, Port};

use crate::body::BodyKind;
use crate::report::Mismatch;
use crate::sample::Inside;
use crate::sample::WindowCycle;
use crate::value::{Value, is_shown};

pub use file::{Wave, WaveError, write_window};
pub use internals::Internals;
pub use size::{Activity, expected_bytes};
pub use timeline::Clock;
pub use views::BESIDE;

use layout::{Layout, Mark};
use scopes::Scope;
use sink::Sink;
use timeline::Timeline;
use views::Views;

/// The three scopes, in file order.
const SCOPES: [&str; 3] = ["model", "rtl", "diff"];
/// Scope of a model's registers in its block's.
const STATE: &str = "state";

/// The clock of a block alone: it has no frequency, and a cycle takes 10 ns.
pub fn plain_clock() -> Clock {
    Clock { name: "clk_i".to_string(), megahertz: 100 }
}

/// A block that is shown.
#[derive(Clone, Debug)]
pub struct Shown {
    /// Where it stands: its scopes; the block's name in a system of one.
    pub place: String,
    /// The block.
    pub block: Description,
    /// Its body.
    pub body: BodyKind,
    /// Its clock, by the place among the clocks of the file.
    pub clock: usize,
    /// What is shown beside its ports.
    pub inside: Inside,
}

impl Shown {
    /// The ports of a block, in the first clock.
    pub fn ports(block: Description, body: BodyKind) -> Self {
        Self { place: block.name.to_string(), block, body, clock: 0, inside: Inside::default() }
    }

    /// The scopes of its place, outermost first. A dot would end one.
    fn scopes(&self) -> Vec<String> {
        self.place.split('/').map(|part| part.replace('.', "_")).collect()
    }
}

/// The scopes of a body, by their places in [`SCOPES`].
fn scopes(body: BodyKind) -> &'static [usize] {
    match body {
        BodyKind::Model => &[0],
        BodyKind::Rtl => &[1],
        BodyKind::Lockstep => &[0, 1, 2],
    }
}

/// One field of a port, and its signal in each scope.
struct Trace {
    input: bool,
    port: usize,
    leaf: usize,
    signals: [Option<usize>; 3],
}

/// A block's signals in the file.
struct Block {
    shown: Shown,
    ports: Vec<Trace>,
    /// Of the model's registers.
    registers: Vec<usize>,
    internals: Internals,
    /// Of the RTL's signals; none of its clock, which is the file's.
    traced: Vec<Option<usize>>,
}

/// Bits of a signal, and as they were last.
struct Signal {
    width: u32,
    last: Vec<u8>,
}

/// Signals of a file, and what they are.
#[derive(Default)]
struct Signals(Vec<Signal>);

impl Signals {
    fn add(&mut self, width: u32) -> usize {
        self.0.push(Signal { width, last: Vec::new() });
        self.0.len() - 1
    }

    /// Adds a change to those of a cycle, if it is one.
    fn set(&mut self, signal: usize, bits: &[u8], changes: &mut Vec<(usize, Vec<u8>)>) {
        let last = &mut self.0[signal].last;
        if last != bits {
            last.clear();
            last.extend_from_slice(bits);
            changes.push((signal, bits.to_vec()));
        }
    }
}

/// Writes cycles to a waveform as they come.
pub struct WaveWriter {
    path: PathBuf,
    clocks: Vec<Clock>,
    blocks: Vec<Block>,
    signals: Signals,
    sink: Box<dyn Sink>,
    views: Views,
    /// Where implementations differ.
    mark: Option<Mark>,
    timeline: Timeline,
    /// What is added to the number of a cycle.
    first_cycle: u64,
}

impl WaveWriter {
    /// Creates `path`, an FST where its ending is `.fst`, else a VCD, and the files of viewers
    /// beside it, unless there are some that the user has saved.
    pub fn create(path: &Path, clocks: Vec<Clock>, blocks: Vec<Shown>) -> io::Result<Self> {
        let mut sink = sink::create(path, timeline::exponent(&clocks))?;
        let mut signals = Signals::default();
        let mut root = Scope::default();
        let of_clocks: Vec<_> = clocks.iter().map(|_| signals.add(1)).collect();
        for (clock, &signal) in clocks.iter().zip(&of_clocks) {
            root.add(&clock.name, signal);
        }
        // In file order, whatever bodies there are.
        for scope in SCOPES {
            let is_there = |shown: &Shown| scopes(shown.body).iter().any(|&s| SCOPES[s] == scope);
            if blocks.iter().any(is_there) {
                root.at([scope]);
            }
        }
        let declared = |shown: Shown| declare(shown, &of_clocks, &mut root, &mut signals);
        let blocks: Vec<_> = blocks.into_iter().map(declared).collect();
        root.declare(&mut *sink, &|signal| signals.0[signal].width)?;
        sink.begin()?;
        let timeline = Timeline::new(clocks.clone(), of_clocks);
        let views = Views::create(path)?;
        let (path, mark, first_cycle) = (path.to_path_buf(), None, 0);
        Ok(Self { path, clocks, blocks, signals, sink, views, mark, timeline, first_cycle })
    }

    /// Writes one cycle of some of the blocks, each with its place in the list that the file was
    /// created with. The cycle's number is of the block's own clock; cycles come in the order of
    /// time, each clock's for itself.
    pub fn cycle(&mut self, samples: &[(usize, &WindowCycle)]) -> io::Result<()> {
        for &(block, sample) in samples {
            let block = &mut self.blocks[block];
            let mut changes = Vec::new();
            block.changes(sample, &mut self.signals, &mut changes);
            let clock = block.shown.clock;
            let cycle = self.first_cycle + sample.cycle;
            self.timeline.cycle(&mut *self.sink, clock, cycle, changes)?;
        }
        Ok(())
    }

    /// Ends the file.
    pub fn finish(mut self) -> io::Result<()> {
        self.timeline.finish(&mut *self.sink)?;
        self.sink.finish()?;
        let blocks: Vec<_> = self.blocks.iter().map(|b| (&b.shown, &b.internals)).collect();
        let (first, mark) = (self.timeline.first(), self.mark.as_ref());
        let time = |clock: usize, cycle| self.timeline.time(clock, cycle);
        let layout = Layout::new(&self.clocks, &blocks, mark, first, time);
        self.views.finish(&self.path, &layout)
    }

    /// Has viewers show first where the block at this place differs, if it is in the file. The
    /// cycle is one of those that the file counts.
    pub fn mark(&mut self, mismatch: &Mismatch) {
        let block = self.blocks.iter().position(|block| block.shown.place == mismatch.place);
        let field = mismatch.differences.first().map(|first| first.field.clone());
        self.mark = block.map(|block| Mark { block, cycle: mismatch.cycle, field });
    }
}

/// Gives a block its signals, and puts them into the hierarchy.
fn declare(shown: Shown, clocks: &[usize], root: &mut Scope, signals: &mut Signals) -> Block {
    let scope_names = shown.scopes();
    let inside =
        |scope: usize| [SCOPES[scope]].into_iter().chain(scope_names.iter().map(String::as_str));
    let mut traces = Vec::new();
    for (input, ports) in [(true, &shown.block.inputs), (false, &shown.block.outputs)] {
        for (p, port) in ports.iter().enumerate() {
            for (l, leaf) in port.leaves.iter().enumerate() {
                let mut trace = Trace { input, port: p, leaf: l, signals: [None; 3] };
                for &scope in scopes(shown.body) {
                    let signal = signals.add(leaf.width);
                    let (inner, variable) = place(port, leaf);
                    root.at(inside(scope).chain(inner)).add(&variable, signal);
                    trace.signals[scope] = Some(signal);
                }
                traces.push(trace);
            }
        }
    }
    let mut registers = Vec::new();
    for (path, width) in &shown.inside.registers {
        let signal = signals.add(*width);
        let (inner, variable) = path.rsplit_once('.').unwrap_or(("", path));
        let inner = inner.split('.').filter(|part| !part.is_empty());
        root.at(inside(0).chain([STATE]).chain(inner)).add(variable, signal);
        registers.push(signal);
    }
    let internals = shown.inside.trace.as_deref().map_or_else(Internals::default, Internals::new);
    let mut traced = vec![None; internals.signals()];
    for variable in &internals.variables {
        let outer = variable.scope.first().unwrap_or(&variable.name);
        // The ports are there already.
        if variable.scope.len() < 2 && is_port(&shown.block, outer) {
            continue;
        }
        let signal = match traced[variable.signal] {
            _ if internals.clock == Some(variable.signal) => clocks[shown.clock],
            Some(signal) => signal,
            None => {
                let signal = signals.add(internals.bits(variable.signal).len() as u32);
                traced[variable.signal] = Some(signal);
                signal
            }
        };
        let inner = variable.scope.iter().map(String::as_str);
        root.at(inside(1).chain(inner)).add(&variable.name, signal);
    }
    Block { shown, ports: traces, registers, internals, traced }
}

fn is_port(block: &Description, name: &str) -> bool {
    let stem = name.split('[').next().unwrap_or(name);
    block.inputs.iter().chain(&block.outputs).any(|port| port.name == stem)
}

impl Block {
    /// What changes at the beginning of a cycle.
    fn changes(
        &mut self,
        sample: &WindowCycle,
        signals: &mut Signals,
        changes: &mut Vec<(usize, Vec<u8>)>,
    ) {
        for trace in &self.ports {
            let (ports, images) = match trace.input {
                true => (&self.shown.block.inputs, [&sample.input, &sample.input]),
                false => (&self.shown.block.outputs, [&sample.model, &sample.rtl]),
            };
            let port = &ports[trace.port];
            let leaf = &port.leaves[trace.leaf];
            let [model, rtl] = images.map(|image| port_bits(ports, port, leaf, image));
            let diff = model.iter().zip(&rtl).map(|(m, r)| differs(*m, *r)).collect();
            for (signal, now) in trace.signals.into_iter().zip([model, rtl, diff]) {
                if let Some(signal) = signal {
                    signals.set(signal, &now, changes);
                }
            }
        }
        for (&signal, value) in self.registers.iter().zip(&sample.registers) {
            let now = match value {
                Some(value) => bits(value),
                None => vec![b'x'; signals.0[signal].width as usize],
            };
            signals.set(signal, &now, changes);
        }
        for changed in self.internals.take(&sample.trace) {
            if let Some(signal) = self.traced[changed] {
                signals.set(signal, &self.internals.bits(changed), changes);
            }
        }
    }
}

/// Bits of a value as characters, highest first.
fn bits(value: &Value) -> Vec<u8> {
    (0..value.width).rev().map(|i| if value.bit(i) { b'1' } else { b'0' }).collect()
}

/// Bits of a leaf; all `x` in a payload whose valid is 0.
fn port_bits(ports: &[Port], port: &Port, leaf: &Leaf, image: &[u32]) -> Vec<u8> {
    match is_shown(ports, port, image) {
        true => bits(&Value::of(port, leaf, image)),
        false => vec![b'x'; leaf.width as usize],
    }
}

/// 1 where both bits are known and differ: what the comparison looks at.
fn differs(model: u8, rtl: u8) -> u8 {
    if model != b'x' && rtl != b'x' && model != rtl { b'1' } else { b'0' }
}

/// Scope of a leaf in its block's, and its name there: the fields of a struct stand in a scope of
/// their own.
fn place<'a>(port: &'a Port, leaf: &Leaf) -> (Option<&'a str>, String) {
    match port.sv_type.is_some() {
        true => (Some(&port.name), leaf.name.clone()),
        false => (None, format!("{}{}", port.name, leaf.name)),
    }
}
