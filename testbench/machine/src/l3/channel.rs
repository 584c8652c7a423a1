//! The memory channel of a slice: what a line's bytes cost, and when a read's data is there.

use std::collections::VecDeque;

use super::dram::Dram;
use super::parameters::{ChannelSpec, ModelSpec};
use crate::context::masks;
use crate::engine::{Cycle, Port};

/// A memory channel. Reads have a tag of the slice.
#[derive(Debug)]
pub struct Channel {
    model: Model,
    latency: Cycle,
    line: usize,
    granule: usize,
    /// Reads whose last byte has been transferred or will be at a known time: when the data is
    /// there, and the tag. In order of time.
    due: VecDeque<(Cycle, u32)>,
    /// Bytes read and written.
    bytes: [u64; 2],
}

#[derive(Debug)]
enum Model {
    Simple(Port),
    Dram(Box<Dram>),
}

impl Channel {
    /// Idle, for a slice of so many MSHRs.
    pub fn new(spec: &ChannelSpec, misses: u32) -> Self {
        let model = match &spec.model {
            ModelSpec::Simple(rate) => Model::Simple(Port::new(*rate)),
            ModelSpec::Dram(dram) => Model::Dram(Box::new(Dram::new(dram, spec.line))),
        };
        Self {
            model,
            latency: spec.latency.into(),
            line: spec.line as usize,
            granule: spec.granule as usize,
            due: VecDeque::with_capacity(misses as usize),
            bytes: [0; 2],
        }
    }

    /// Simulates all cycles before `now`.
    #[inline]
    pub fn advance(&mut self, now: Cycle) {
        if let Model::Dram(dram) = &mut self.model {
            dram.advance(now);
            while let Some((sent, tag)) = dram.sent() {
                // Bursts complete out of order.
                let at = sent + self.latency;
                let place = self.due.partition_point(|(other, _)| *other <= at);
                self.due.insert(place, (at, tag));
            }
        }
    }

    /// When to retry a line that the channel does not accept now. `ahead`: cycles of the channel
    /// that may be taken in advance; a DRAM channel has its queues instead, and accepts a line when
    /// all bursts of the one before it are queued.
    #[inline]
    pub fn busy(&self, now: Cycle, ahead: Cycle) -> Option<Cycle> {
        match &self.model {
            Model::Simple(port) => {
                let first = port.free_at().saturating_sub(ahead);
                (first > now).then_some(first)
            }
            Model::Dram(dram) => dram.busy(),
        }
    }

    /// The bytes that are transferred if a line's bytes of this mask are accessed.
    #[inline]
    pub fn widen(&self, mask: u128) -> u128 {
        match self.granule == self.line {
            true => masks::span(0, self.line),
            false => masks::widen(mask, self.granule),
        }
    }

    /// Writes whole granules of a line.
    pub fn write(&mut self, now: Cycle, addr: u64, granules: u128) {
        let bytes = u64::from(granules.count_ones());
        self.bytes[1] += bytes;
        match &mut self.model {
            Model::Simple(port) => {
                port.transfer(now, bytes);
            }
            Model::Dram(dram) => dram.access(now, addr, granules, None),
        }
    }

    /// Reads whole granules of a line. Gives when the data is there, if that is known.
    pub fn read(&mut self, now: Cycle, addr: u64, granules: u128, tag: u32) -> Option<Cycle> {
        let bytes = u64::from(granules.count_ones());
        self.bytes[0] += bytes;
        match &mut self.model {
            Model::Simple(port) => {
                let at = port.transfer(now, bytes) + self.latency;
                self.due.push_back((at, tag));
                Some(at)
            }
            Model::Dram(dram) => {
                dram.access(now, addr, granules, Some(tag));
                None
            }
        }
    }

    /// The next read whose data is there.
    #[inline]
    pub fn ready(&self, now: Cycle) -> Option<u32> {
        self.due.front().filter(|(at, _)| *at <= now).map(|(_, tag)| *tag)
    }

    /// Takes that read. Gives when the next one's data is there, if that is known.
    pub fn take(&mut self) -> Option<Cycle> {
        self.due.pop_front();
        self.due.front().map(|(at, _)| *at)
    }

    /// When a DRAM channel, or data from it, needs the slice next.
    #[inline]
    pub fn next(&self, now: Cycle) -> Option<Cycle> {
        let Model::Dram(dram) = &self.model else { return None };
        let due = self.due.front().map(|(at, _)| *at).filter(|at| *at > now);
        dram.next().into_iter().chain(due).min()
    }

    /// Reads whose data is not there.
    pub fn pending(&self, now: Cycle) -> u32 {
        let due = self.due.iter().filter(|(at, _)| *at > now).count() as u32;
        due + self.dram().map_or(0, Dram::reads)
    }

    /// Bytes read and written.
    pub fn bytes(&self) -> [u64; 2] {
        self.bytes
    }

    /// Transfers may be parts of a line, so lines do not give bytes; or the channel is DRAM.
    pub fn has_parts(&self) -> bool {
        self.granule != self.line || self.dram().is_some()
    }

    /// The DRAM channels, if the model has any.
    pub fn dram(&self) -> Option<&Dram> {
        match &self.model {
            Model::Simple(_) => None,
            Model::Dram(dram) => Some(dram),
        }
    }
}
