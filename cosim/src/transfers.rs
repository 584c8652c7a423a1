//! The transfers of a body, counted, and reported one by one for comparison.

use ports::Description;
use ports::Port;

/// A channel: its transfers are the cycles with valid and, where it has one, ready.
#[derive(Clone, Debug)]
struct Channel {
    name: &'static str,
    /// Handshakes that must be 1: inputs from bit 0, outputs from bit 32. Of them its valid.
    mask: u64,
    valid: u64,
    count: u64,
}

impl Channel {
    /// The channels of a block, in the order of its ports.
    fn of(block: &Description) -> Vec<Self> {
        let sides = [(&block.inputs, 0), (&block.outputs, 32)];
        // Bit of a field in what `Ports::handshakes` gives, at its side's place; 0 where there is
        // none.
        let bit = |(ports, first): (&Vec<Port>, u32), field: &str| -> u64 {
            let mut fields = ports.chunk_by(|a, b| a.field == b.field).map(|c| c[0].field);
            fields.position(|f| f == field).map_or(0, |at| 1 << (first as usize + at))
        };
        let mut channels = Vec::new();
        for (side, other) in [(sides[0], sides[1]), (sides[1], sides[0])] {
            for payload in side.0.iter().filter(|port| port.valid.is_some()) {
                let ready = format!("{}_ready", payload.field);
                let valid = bit(side, payload.field);
                let mask = valid | bit(other, &ready);
                channels.push(Self { name: payload.field, mask, valid, count: 0 });
            }
        }
        channels
    }
}

/// The transfers of a body, for a comparison with those of another: each one's cycle and channel,
/// as many as [`Log::MOST`], and a checksum of all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Log {
    /// The first transfers.
    pub first: Vec<(u64, &'static str)>,
    /// Of the cycles and channels of all transfers.
    pub checksum: u64,
}

impl Log {
    /// Transfers that are kept one by one.
    pub const MOST: usize = 1 << 20;

    fn add(&mut self, cycle: u64, number: u64, name: &'static str) {
        if self.first.len() < Self::MOST {
            self.first.push((cycle, name));
        }
        // The multiplier of PCG.
        let mixed = (self.checksum ^ cycle << 8 ^ number).wrapping_mul(6_364_136_223_846_793_005);
        self.checksum = mixed ^ mixed >> 29;
    }
}

/// The transfers of a body so far.
#[derive(Clone, Debug)]
pub(crate) struct Transfers {
    channels: Vec<Channel>,
    /// The valids of all, and the channel of each.
    valids: u64,
    of_valid: [u8; 64],
    /// Cycles so far.
    pub cycle: u64,
    /// Cycles with a transfer, and the last of them.
    pub busy: u64,
    pub last: Option<u64>,
    pub log: Option<Box<Log>>,
}

impl Transfers {
    pub fn new(block: &Description) -> Self {
        let channels = Channel::of(block);
        let (mut valids, mut of_valid) = (0, [0; 64]);
        for (number, channel) in (0..).zip(&channels) {
            valids |= channel.valid;
            of_valid[channel.valid.trailing_zeros() as usize] = number;
        }
        Self { channels, valids, of_valid, cycle: 0, busy: 0, last: None, log: None }
    }

    /// Counts from now on.
    pub fn restart(&mut self) {
        (self.cycle, self.busy, self.last) = (0, 0, None);
        self.channels.iter_mut().for_each(|channel| channel.count = 0);
    }

    /// How many on each channel.
    pub fn counts(&self) -> Vec<(&'static str, u64)> {
        self.channels.iter().map(|channel| (channel.name, channel.count)).collect()
    }

    /// Whether a cycle with these handshakes of its inputs and outputs transfers anything.
    pub fn moves(&self, inputs: u32, outputs: u32) -> bool {
        let set = u64::from(inputs) | u64::from(outputs) << 32;
        self.channels.iter().any(|channel| set & channel.mask == channel.mask)
    }

    /// A cycle with these handshakes has passed.
    #[inline]
    pub fn pass(&mut self, inputs: u32, outputs: u32) {
        let set = u64::from(inputs) | u64::from(outputs) << 32;
        let (mut moved, mut left) = (false, set & self.valids);
        while left != 0 {
            let number = self.of_valid[left.trailing_zeros() as usize];
            left &= left - 1;
            let channel = &mut self.channels[usize::from(number)];
            if set & channel.mask == channel.mask {
                channel.count += 1;
                moved = true;
                if let Some(log) = &mut self.log {
                    log.add(self.cycle, number.into(), channel.name);
                }
            }
        }
        if moved {
            self.busy += 1;
            self.last = Some(self.cycle);
        }
        self.cycle += 1;
    }

    /// So many cycles with these handshakes have passed.
    pub fn pass_alike(&mut self, inputs: u32, outputs: u32, cycles: u64) {
        if self.log.is_some() {
            return (0..cycles).for_each(|_| self.pass(inputs, outputs));
        }
        let set = u64::from(inputs) | u64::from(outputs) << 32;
        let mut moved = false;
        for channel in self.channels.iter_mut().filter(|c| set & c.mask == c.mask) {
            channel.count += cycles;
            moved = true;
        }
        self.cycle += cycles;
        if moved && cycles > 0 {
            self.busy += cycles;
            self.last = Some(self.cycle - 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use hwmodel::Model;
    use hwmodel::finepack::remote_write_queue::RemoteWriteQueue;

    use super::*;
    use crate::settings::named;

    #[test]
    fn channels_of_a_block_are_its_valids_in_the_order_of_the_ports() {
        let small: ports::finepack::types::FinePack = named("small").unwrap();
        let channels = Channel::of(&RemoteWriteQueue::describe(&(&small).into()));
        let names: Vec<_> = channels.iter().map(|channel| channel.name).collect();
        assert_eq!(names, ["req", "cpl", "drain", "rel", "err"]);
        let masks: Vec<_> = channels.iter().map(|channel| channel.mask.count_ones()).collect();
        assert_eq!(masks, [2, 1, 2, 1, 1]);
    }

    #[test]
    fn cycles_that_pass_at_once_are_counted_one_by_one() {
        let small: ports::finepack::types::FinePack = named("small").unwrap();
        let block = RemoteWriteQueue::describe(&(&small).into());
        for (handshakes, logs) in [(0, false), (u32::MAX, false), (u32::MAX, true)] {
            let mut alike = Transfers::new(&block);
            alike.log = logs.then(Box::default);
            let mut each = alike.clone();
            for cycles in [3, 0, 2] {
                alike.pass_alike(handshakes, handshakes, cycles);
                (0..cycles).for_each(|_| each.pass(handshakes, handshakes));
            }
            let all = |of: &Transfers| (of.counts(), of.cycle, of.busy, of.last, of.log.clone());
            assert_eq!(all(&alike), all(&each));
            assert_eq!(alike.busy, if handshakes == 0 { 0 } else { 5 });
        }
    }
}
