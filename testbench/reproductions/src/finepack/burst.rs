//! A few stores of equal length from one GPU to another, and what their TLPs cost.

use std::collections::BTreeMap;
use std::io::Cursor;

use machine::{Bodies, Machine, Options, RunError};
use schemars::JsonSchema;
use serde::Serialize;
use traces::kernels::{Device, Launch, at};
use traces::trace::{Reader, Recorder};

use super::points;
use crate::experiment::Error;

/// Lanes of a wave, each of which stores a word.
const LANES: usize = 32;
/// Bytes of a word.
const WORD: u32 = 4;
/// Words from a store to the next: two lines, so that no two meet in a line or join.
const STRIDE: usize = 64;

/// Stores of one length, and the wire bytes of the TLPs that carry them: without the MARK.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BurstBytes {
    /// Stores.
    pub count: u32,
    /// Bytes of each.
    pub len: u32,
    /// Through `p2p`.
    pub p2p: u64,
    /// Through `finepack`.
    pub finepack: u64,
    /// Through `config-packet`.
    pub config_packet: u64,
    /// TLPs that carry them, through `finepack`.
    pub packets: u64,
    /// Sub-packet bytes of the stores: data and sub-headers, through `config-packet`.
    pub sub_packets: u64,
}

impl BurstBytes {
    /// Sends `count` stores of `len` bytes, whole words of a line, through the three paths. Errors:
    /// a byte is not where it must be, or a run is stuck.
    pub fn measure(count: u32, len: u32) -> Result<Self, Error> {
        let send = |path: &str| send(path, count, len).map_err(Error::at(format!("burst: {path}")));
        let (p2p, finepack, config) = (send("p2p")?, send("finepack")?, send("config-packet")?);
        Ok(Self {
            count,
            len,
            p2p: p2p["gpu_link.store_wire_bytes"],
            finepack: finepack["gpu_link.store_wire_bytes"],
            config_packet: config["gpu_link.store_wire_bytes"],
            packets: finepack["gpu_link.store_tlps"],
            sub_packets: config["gpu_link.data_bytes"] + config["gpu_link.subheader_bytes"],
        })
    }

    /// Stored bytes.
    pub fn data(&self) -> u64 {
        u64::from(self.count) * u64::from(self.len)
    }

    /// Bytes that `config-packet` adds to each sub-packet, beside its configuration packet of
    /// `context` bytes.
    pub fn config_packet_extra(&self, context: u64) -> f64 {
        (self.config_packet - context - self.sub_packets) as f64 / f64::from(self.count)
    }

    /// Goodput of packed stores over that of raw ones.
    pub fn gain(&self) -> f64 {
        self.p2p as f64 / self.finepack as f64
    }

    /// Share of the wire bytes of `p2p` that is data.
    pub fn p2p_goodput(&self) -> f64 {
        self.data() as f64 / self.p2p as f64
    }

    /// Share of the wire bytes of `config-packet` that FinePack saves.
    pub fn config_packet_loss(&self) -> f64 {
        1.0 - self.finepack as f64 / self.config_packet as f64
    }
}

/// Statistics of a machine on which one wave stores so often.
fn send(path: &str, count: u32, len: u32) -> Result<BTreeMap<String, u64>, RunError> {
    assert!(len.is_multiple_of(WORD) && len <= WORD * LANES as u32, "len = {len}");
    let mut recorder = Recorder::in_memory("burst")?;
    record(&mut recorder, count as usize, (len / WORD) as usize)?;
    let program = Reader::from_bytes(recorder.into_bytes()?, "burst")?;
    let options = Options::default();
    let mut machine = Machine::new(&points::pair(path), &Bodies::default(), program, options)?;
    machine.run()?;
    Ok(machine.statistics().into_iter().collect())
}

fn record(
    recorder: &mut Recorder<Cursor<Vec<u8>>>,
    count: usize,
    words: usize,
) -> Result<(), traces::trace::Error> {
    let device = &mut Device::new(recorder);
    let memory = device.alloc::<u32>("memory", count * STRIDE)?;
    let launch = Launch::line("burst", LANES, LANES).write("memory", &memory);
    device.each(launch, |it| {
        for store in it.turns(0..count) {
            if it.x < words {
                let value = (store * LANES + it.x) as u32 | 0x8000_0001;
                it.store(at(1, 0), &memory, store * STRIDE + it.x, value);
            }
        }
    })?;
    device.read(&memory)?;
    Ok(())
}
