//! Waveforms: one VCD with the ports of both bodies side by side in the scopes `model`, `rtl` and
//! `diff`, same names, same time stamps, and a GTKWave save file beside it. A block of which one
//! body ran stands in that body's scope.
//!
//! Cycle n spans the times 10n to 10n + 10, in the units of the [`Clock`]; the values of the cycle
//! stand from 10n on, the rising edge that ends it is at 10n + 5. A payload is `x` while its valid
//! is 0.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;

use hwmodel::Description;
use hwmodel::ports::{Dir, Leaf, Port};
use vcd::{IdCode, TimescaleUnit, Value as Bit, Writer};

use crate::body::BodyKind;
use crate::lockstep::WindowCycle;
use crate::part_file::PartFile;
use crate::value::{Value, full_name, is_shown};

/// The three scopes, in file order.
const SCOPES: [&str; 3] = ["model", "rtl", "diff"];

/// What a unit of time is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Clock {
    /// A nanosecond: a block alone has no frequency, and a cycle takes 10 ns.
    #[default]
    Plain,
    /// A tenth of a nanosecond: times are those of a clock of 1 GHz.
    OneGhz,
}

/// A block that is shown, and its body.
pub type Shown = (Description, BodyKind);

/// The scopes of a body, by their places in [`SCOPES`].
fn scopes(body: BodyKind) -> &'static [usize] {
    match body {
        BodyKind::Model => &[0],
        BodyKind::Rtl => &[1],
        BodyKind::Lockstep => &[0, 1, 2],
    }
}

/// One traced run of bits: its port and leaf, and its variable and last value in each scope.
struct Trace {
    block: usize,
    input: bool,
    port: usize,
    leaf: usize,
    id: [Option<IdCode>; 3],
    last: [Option<Vec<Bit>>; 3],
}

/// Writes cycles to a VCD as they come.
pub struct WaveWriter<W: Write> {
    blocks: Vec<Shown>,
    vcd: Writer<W>,
    clock: IdCode,
    traces: Vec<Trace>,
}

impl WaveWriter<PartFile> {
    /// Creates `path` and the save file `path` with the ending `.gtkw`.
    pub fn create(path: &Path, blocks: Vec<Shown>, clock: Clock) -> io::Result<Self> {
        let save = save_file(&blocks, path, clock);
        let writer = Self::new(PartFile::create(path)?, blocks, clock)?;
        std::fs::write(path.with_extension("gtkw"), save)?;
        Ok(writer)
    }

    /// Ends the file.
    pub fn finish(mut self) -> io::Result<()> {
        self.vcd.writer().finish()
    }
}

impl<W: Write> WaveWriter<W> {
    /// Writes the header: each block's ports in the scopes of its body.
    pub fn new(to: W, blocks: Vec<Shown>, clock: Clock) -> io::Result<Self> {
        let mut vcd = Writer::new(to);
        match clock {
            Clock::Plain => vcd.timescale(1, TimescaleUnit::NS)?,
            Clock::OneGhz => vcd.timescale(100, TimescaleUnit::PS)?,
        }
        let clock = vcd.add_wire(1, "clk_i")?;
        let mut traces = Vec::new();
        for (b, (block, _)) in blocks.iter().enumerate() {
            for (input, ports) in [(true, &block.inputs), (false, &block.outputs)] {
                for (p, port) in ports.iter().enumerate() {
                    traces.extend((0..port.leaves.len()).map(|leaf| Trace {
                        block: b,
                        input,
                        port: p,
                        leaf,
                        id: [None; 3],
                        last: Default::default(),
                    }));
                }
            }
        }
        for (s, scope) in SCOPES.into_iter().enumerate() {
            if !blocks.iter().any(|(_, body)| scopes(*body).contains(&s)) {
                continue;
            }
            vcd.add_module(scope)?;
            for (b, (block, body)) in blocks.iter().enumerate() {
                if !scopes(*body).contains(&s) {
                    continue;
                }
                let mut ids = Vec::new();
                vcd.add_module(block.name)?;
                for port in block.inputs.iter().chain(&block.outputs) {
                    add_port(&mut vcd, port, &mut ids)?;
                }
                vcd.upscope()?;
                for (trace, id) in traces.iter_mut().filter(|t| t.block == b).zip(ids) {
                    trace.id[s] = Some(id);
                }
            }
            vcd.upscope()?;
        }
        vcd.enddefinitions()?;
        Ok(Self { blocks, vcd, clock, traces })
    }

    /// Writes one cycle: the same cycle of each block, in the order of the blocks.
    pub fn cycle(&mut self, samples: &[&WindowCycle]) -> io::Result<()> {
        let Some(first) = samples.first() else { return Ok(()) };
        self.vcd.timestamp(10 * first.cycle)?;
        self.vcd.change_scalar(self.clock, Bit::V0)?;
        for trace in &mut self.traces {
            let ((block, _), sample) = (&self.blocks[trace.block], samples[trace.block]);
            let (ports, images) = match trace.input {
                true => (&block.inputs, [&sample.input, &sample.input]),
                false => (&block.outputs, [&sample.model, &sample.rtl]),
            };
            let port = &ports[trace.port];
            let leaf = &port.leaves[trace.leaf];
            let [model, rtl] = images.map(|image| bits(ports, port, leaf, image));
            let diff = model.iter().zip(&rtl).map(|(m, r)| differs(*m, *r)).collect();
            for (i, now) in [model, rtl, diff].into_iter().enumerate() {
                let Some(id) = trace.id[i] else { continue };
                if trace.last[i].as_ref() != Some(&now) {
                    self.vcd.change_vector(id, now.iter().copied())?;
                    trace.last[i] = Some(now);
                }
            }
        }
        self.vcd.timestamp(10 * first.cycle + 5)?;
        self.vcd.change_scalar(self.clock, Bit::V1)
    }
}

/// Declares one port; the fields of a struct stand in a scope of their own.
fn add_port<W: Write>(vcd: &mut Writer<W>, port: &Port, ids: &mut Vec<IdCode>) -> io::Result<()> {
    let is_struct = port.sv_type.is_some();
    if is_struct {
        vcd.add_module(&port.name)?;
    }
    for leaf in &port.leaves {
        ids.push(vcd.add_wire(leaf.width, &variable(port, leaf))?);
    }
    if is_struct {
        vcd.upscope()?;
    }
    Ok(())
}

/// Bits of a leaf, highest first; all `x` in a payload whose valid is 0.
fn bits(ports: &[Port], port: &Port, leaf: &Leaf, image: &[u32]) -> Vec<Bit> {
    if !is_shown(ports, port, image) {
        return vec![Bit::X; leaf.width as usize];
    }
    let value = Value::of(port, leaf, image);
    (0..leaf.width).rev().map(|i| if value.bit(i) { Bit::V1 } else { Bit::V0 }).collect()
}

/// 1 where both bits are known and differ: what the comparison looks at.
fn differs(model: Bit, rtl: Bit) -> Bit {
    if model != Bit::X && rtl != Bit::X && model != rtl { Bit::V1 } else { Bit::V0 }
}

/// Variable name of a leaf within its scope. Array elements get `_i`: viewers read `[i]` as a bit.
fn variable(port: &Port, leaf: &Leaf) -> String {
    let leaf = leaf.name.replace('[', "_").replace(']', "");
    if port.sv_type.is_some() { leaf } else { format!("{}{leaf}", port.name) }
}

/// The text of a GTKWave save file: a group for each channel, and in it for each field the model,
/// the RTL and the difference.
pub fn save_file(blocks: &[Shown], waves: &Path, clock: Clock) -> String {
    let name = waves.file_name().map_or_else(Default::default, |n| n.to_string_lossy());
    // The zoom shows some 60 cycles: a cycle has 10 ns, or 1000 ps, and a step of the zoom is a
    // factor of 2.
    let zoom = match clock {
        Clock::Plain => -6.0,
        Clock::OneGhz => -12.64,
    };
    let mut text = format!(
        "[*] written beside the waveform\n[dumpfile] \"{name}\"\n[size] 1600 1000\n\
         [signals_width] 390\n\
         [sst_expanded] 0\n*{zoom:.6} 0\n@28\nclk_i\n"
    );
    for (block, body) in blocks {
        for ports in [&block.inputs, &block.outputs] {
            for channel in ports.chunk_by(|a, b| a.field == b.field) {
                let lines = channel.iter().map(|p| p.leaves.len()).sum::<usize>();
                let grouped = lines > 1 || channel[0].dir == Dir::Out;
                if grouped {
                    writeln!(text, "@800200\n-{}.{}", block.name, channel[0].field).unwrap();
                }
                for port in channel {
                    let leaves = port.leaves.iter();
                    leaves.for_each(|leaf| save_leaf(&mut text, block, *body, port, leaf));
                }
                if grouped {
                    writeln!(text, "@1000200\n-{}.{}", block.name, channel[0].field).unwrap();
                }
            }
        }
    }
    text
}

/// An output has one line for each scope; an input is the same for both bodies and has one.
fn save_leaf(text: &mut String, block: &Description, body: BodyKind, port: &Port, leaf: &Leaf) {
    let scopes = if port.dir == Dir::Out { scopes(body) } else { &scopes(body)[..1] };
    let inner = if port.sv_type.is_some() { format!("{}.", port.name) } else { String::new() };
    let (format, range) = match leaf.width {
        1 => ("@28", String::new()),
        width => ("@22", format!("[{}:0]", width - 1)),
    };
    let (block, name) = (block.name, variable(port, leaf));
    for scope in scopes.iter().map(|&scope| SCOPES[scope]) {
        let label = if port.dir == Dir::Out { format!("{scope} ") } else { String::new() };
        // GTKWave shows what follows the last dot of a name.
        let shown = full_name(port, leaf).replace('.', " ");
        writeln!(text, "{format}\n+{{{label}{shown}}} {scope}.{block}.{inner}{name}{range}")
            .unwrap();
    }
}
