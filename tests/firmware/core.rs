//! The firmware's image on the command processor, behind its ports.

use cosim::body::BodyKind;
use cosim::command_processor::{Host as Ports, Sent, message, message_bits};
use cosim::report::RunName;
use firmware_embed::Image;
use hwmodel::command_processor::{Config, In, Out};
use hwmodel::common::command_types::{Aql, Ext};
use hwmodel::ports::Bytes;

use crate::driver::Host;

/// Most cycles between two waits of the firmware.
const MOST: u32 = 5_000_000;

/// The command processor with an image.
pub struct Core {
    ports: Ports,
    conf: u32,
    received: Vec<u64>,
    signals: Vec<u64>,
    errors: Vec<u8>,
    sent: Vec<Sent>,
    /// Cycles so far.
    pub cycles: u64,
}

impl Core {
    /// With this image, in a named configuration of the family `command`.
    pub fn new(kind: BodyKind, name: &str, config: &Config, image: &Image, conf: u32) -> Self {
        let run = RunName { config: name.into(), seed: 0 };
        let ports = Ports::core(kind, &run, config, image, conf).expect("the image starts");
        let (received, signals, errors, sent) = Default::default();
        Self { ports, conf, received, signals, errors, sent, cycles: 0 }
    }

    /// One cycle.
    fn tick(&mut self, inputs: In) -> Out {
        let out = self.ports.outputs();
        self.ports.tick(&In { tx_ready: true, conf: self.conf, ..inputs });
        self.cycles += 1;
        self.signals.extend(out.sig);
        self.errors.extend(out.err);
        self.sent.extend(out.tx.map(|tx| Sent {
            message: message_bits(&tx.msg),
            chiplets: tx.dst,
            broadcast: tx.bcast,
        }));
        out
    }

    /// True once the core has halted.
    fn is_halted(&self) -> bool {
        self.ports.outputs().halted
    }
}

impl Host for Core {
    fn submit(&mut self, packet: &[u8; 64], extension: &[u8], stream: u8, chiplets: u16) {
        let aql = Aql { mask: chiplets, stream, packet: Bytes(*packet) };
        while !self.tick(In { aql: Some(aql), ..In::default() }).aql_ready {}
        // The packet processor fetches a block where the packet names one, and at least one beat of it.
        let named = packet[48..56] != [0; 8];
        let mut beats: Vec<&[u8]> = extension.chunks(16).collect();
        if beats.is_empty() {
            beats.push(&[]);
        }
        for (at, bytes) in beats.iter().enumerate().filter(|_| named) {
            let mut beat = [0; 16];
            beat[..bytes.len()].copy_from_slice(bytes);
            let (last, data) = (at + 1 == beats.len(), u128::from_le_bytes(beat));
            let ext = Some(Ext { last, data });
            while !self.tick(In { ext, ..In::default() }).ext_ready {}
        }
    }

    fn receive(&mut self, bits: u64) {
        self.received.push(bits);
    }

    fn run(&mut self) -> Vec<Sent> {
        for bits in std::mem::take(&mut self.received) {
            while !self.is_halted()
                && !self.tick(In { rx: Some(message(bits)), ..In::default() }).rx_ready
            {
            }
        }
        for _ in 0..MOST {
            if self.is_halted() || self.ports.is_idle() {
                return std::mem::take(&mut self.sent);
            }
            self.tick(In::default());
        }
        panic!("the firmware does not come to wait");
    }

    fn signals(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.signals)
    }

    fn errors(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.errors)
    }

    fn exit(&self) -> Option<u32> {
        self.ports.outputs().exit
    }

    fn counters(&self) -> [u32; 16] {
        self.ports.outputs().cnt
    }

    fn private(&self) -> Option<&[u32]> {
        None
    }
}
