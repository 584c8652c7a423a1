//! The last transfers on each channel of a block, for a report.

use std::collections::VecDeque;

use ports::Description;
use ports::Port;

use crate::decode::{Fields, SubPackets, meaning};
use crate::report::Transfer;
use crate::sample::WindowCycle;
use crate::value::{Value, is_shown};

/// Transfers kept of each channel.
const KEPT: usize = 3;

/// A payload port, and where its handshake lies.
struct Channel {
    input: bool,
    /// Index of the payload's port in its direction.
    port: usize,
    /// Words of valid, and of ready in the other direction where it has one.
    valid: usize,
    ready: Option<usize>,
    last: VecDeque<Transfer>,
    sub_packets: Option<SubPackets>,
}

/// What a payload port carries.
fn transfer(cycle: u64, port: &Port, image: &[u32]) -> Transfer {
    let fields = port.leaves.iter().map(|l| (l.name.clone(), Value::of(port, l, image)));
    let fields = fields.filter(|(_, value)| value.words.iter().any(|&word| word != 0)).collect();
    Transfer { cycle, port: port.name.clone(), fields, meaning: meaning(port, image) }
}

/// What the channel of an output port carries: in the model, in the RTL. The channel of a ready is
/// an input's.
pub fn carried(block: &Description, output: &str, cycle: &WindowCycle) -> [Option<Transfer>; 2] {
    let name = output.split(['.', '[']).next().unwrap_or(output);
    let of = |ports: &[Port], image: &[u32], is_it: &dyn Fn(&Port) -> bool| {
        let payload = ports.iter().find(|port| is_it(port))?;
        is_shown(ports, payload, image).then(|| transfer(cycle.cycle, payload, image))
    };
    if let Some((stem, _)) = name.rsplit_once("_ready") {
        let is_offered = |port: &Port| port.name == format!("{stem}_i");
        let offered = of(&block.inputs, &cycle.input, &is_offered);
        return [offered.clone(), offered];
    }
    let ports = &block.outputs;
    let is_carried = |port: &Port| {
        let valid = port.valid.map(|valid| &ports[valid].name);
        // Not the valid itself.
        valid.is_some_and(|valid| valid == name || port.name == name)
            || valid.is_none() && port.name == name && !name.ends_with("_valid_o")
    };
    [&cycle.model, &cycle.rtl].map(|image| of(ports, image, &is_carried))
}

/// The last transfers on each channel.
pub struct Past {
    inputs: Vec<Port>,
    outputs: Vec<Port>,
    channels: Vec<Channel>,
}

impl Past {
    /// Nothing yet.
    pub fn new(block: &Description) -> Self {
        let sides = [(true, &block.inputs, &block.outputs), (false, &block.outputs, &block.inputs)];
        let size = block.parameters.iter().find(|(name, _)| *name == "SubHeaderBytes");
        let mut channels = Vec::new();
        for (input, ports, others) in sides {
            for (number, port) in ports.iter().enumerate() {
                let Some(valid) = port.valid.map(|valid| &ports[valid]) else { continue };
                let stem = valid.name.rsplit_once("_valid").map_or("", |(stem, _)| stem);
                let is_ready =
                    |p: &&Port| p.name.rsplit_once("_ready").is_some_and(|(s, _)| s == stem);
                let is_tlp = port.sv_type.as_ref().is_some_and(|t| t.name == "FINEPACK_TLP_T");
                let sub_packets =
                    size.filter(|_| is_tlp).map(|(_, n)| SubPackets::new(*n as usize));
                channels.push(Channel {
                    input,
                    port: number,
                    valid: valid.word,
                    ready: others.iter().find(is_ready).map(|ready| ready.word),
                    last: VecDeque::new(),
                    sub_packets,
                });
            }
        }
        Self { inputs: block.inputs.clone(), outputs: block.outputs.clone(), channels }
    }

    /// Adds the transfers of a cycle with these images.
    pub fn see(&mut self, cycle: u64, input: &[u32], output: &[u32]) {
        for channel in &mut self.channels {
            let (ports, image, other) = match channel.input {
                true => (&self.inputs, input, output),
                false => (&self.outputs, output, input),
            };
            let set = |word: usize, image: &[u32]| image[word] & 1 == 1;
            if !set(channel.valid, image) || channel.ready.is_some_and(|word| !set(word, other)) {
                continue;
            }
            let port = &ports[channel.port];
            let mut words = meaning(port, image);
            if let Some(sub_packets) = &mut channel.sub_packets {
                let found = sub_packets.beat(&Fields::of(port, image));
                if !found.is_empty() {
                    words = words.map(|words| format!("{words}; sub-packets {found}"));
                }
            }
            if channel.last.len() == KEPT {
                channel.last.pop_front();
            }
            let transfer = transfer(cycle, port, image);
            channel.last.push_back(Transfer { meaning: words, ..transfer });
        }
    }

    /// The transfers, channel by channel, oldest first in each.
    pub fn list(&self) -> Vec<Transfer> {
        self.channels.iter().flat_map(|channel| channel.last.iter().cloned()).collect()
    }
}
