//! The last transfers on each channel of a block, for a report.

use std::collections::VecDeque;

use ports::Description;
use ports::Port;

use crate::decode::{Fields, SubPackets, meaning};
use crate::report::Transfer;
use crate::value::Value;

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
            let fields = port.leaves.iter().map(|l| (l.name.clone(), Value::of(port, l, image)));
            let fields = fields.filter(|(_, value)| value.words.iter().any(|&word| word != 0));
            channel.last.push_back(Transfer {
                cycle,
                port: port.name.clone(),
                fields: fields.collect(),
                meaning: words,
            });
        }
    }

    /// The transfers, channel by channel, oldest first in each.
    pub fn list(&self) -> Vec<Transfer> {
        self.channels.iter().flat_map(|channel| channel.last.iter().cloned()).collect()
    }
}
