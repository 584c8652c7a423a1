//! The firmware called directly: its bus is plain memory, and it runs in no time.

use std::collections::VecDeque;

use firmware::map::{self, count, message, reg};
use firmware::{Bus, Layout, Processor};

/// A message to the chiplets, with its destinations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    /// The message's bits (specification 3.2).
    pub message: u64,
    /// Bit c = chiplet c.
    pub chiplets: u16,
    /// To all of them at once.
    pub broadcast: bool,
}

/// A completion signal that was written. The firmware may have gone on since.
#[derive(Clone, Copy, Debug)]
pub struct Signal {
    /// Where the host looks for it.
    pub address: u64,
    /// Packets that the firmware had begun with.
    pub begun: u64,
    /// The counters CNT.
    pub counters: [u32; count::NUM],
}

#[derive(Debug, Default, Clone)]
struct Slot {
    words: Vec<u32>,
    meta: u32,
    /// Number among the packets of all slots, while it is valid.
    valid: Option<u64>,
}

#[derive(Debug, Default)]
struct Memory {
    private: Vec<u32>,
    slots: [Slot; map::NUM_SLOTS],
    packets: u64,
    /// Packets that the firmware has begun with: it runs its stopwatch meanwhile.
    begun: u64,
    conf: u32,
    tx: [u32; 2],
    sent: VecDeque<Sent>,
    pending: u16,
    received: VecDeque<u64>,
    signal: u32,
    signals: VecDeque<Signal>,
    counters: [u32; count::NUM],
    errors: Vec<u8>,
    exit: Option<u32>,
}

/// The word at an offset.
fn place(offset: u32) -> usize {
    offset as usize / 4
}

impl Bus for Memory {
    fn load(&mut self, addr: u32) -> u32 {
        match addr {
            map::PRIVATE..map::SLOTS => self.private[place(addr - map::PRIVATE)],
            map::SLOTS..map::MAILBOX => {
                let at = addr - map::SLOTS;
                self.slots[(at / map::SLOT_BYTES) as usize].words[place(at % map::SLOT_BYTES)]
            }
            _ => self.register(addr - map::MAILBOX),
        }
    }

    fn store(&mut self, addr: u32, value: u32) {
        match addr {
            map::PRIVATE..map::SLOTS => self.private[place(addr - map::PRIVATE)] = value,
            _ => self.set_register(addr - map::MAILBOX, value),
        }
    }
}

impl Memory {
    fn register(&mut self, register: u32) -> u32 {
        match register {
            reg::PKT_STAT | reg::RX_STAT | reg::ACK_PEND if self.exit.is_some() => 0,
            reg::CONF => self.conf,
            reg::PKT_STAT => {
                let valid = self.slots.iter().enumerate().filter(|(_, slot)| slot.valid.is_some());
                let mask = valid.clone().fold(0, |mask, (at, _)| mask | 1 << at);
                let oldest = valid.min_by_key(|(_, slot)| slot.valid).map_or(0, |(at, _)| at);
                mask | (oldest as u32) << 8
            }
            reg::PKT_META..reg::TX_LO => {
                self.slots[((register - reg::PKT_META) / 4) as usize & 3].meta
            }
            reg::ACK_PEND => self.pending.into(),
            reg::RX_STAT => self.received.len() as u32,
            reg::RX_LO => self.received.front().map_or(0, |&m| m as u32),
            reg::RX_HI => self.received.pop_front().map_or(0, |m| (m >> 32) as u32),
            reg::CNT..reg::CNT8_RUN => self.counters[((register - reg::CNT) / 4) as usize],
            other => unreachable!("the firmware reads no register {other:#x}"),
        }
    }

    fn set_register(&mut self, register: u32, value: u32) {
        match register {
            // The core stands still.
            _ if self.exit.is_some() => {}
            reg::PKT_POP => self.slots[value as usize & 3].valid = None,
            reg::TX_LO => self.tx[0] = value,
            reg::TX_DST => self.tx[1] = value,
            reg::TX_HI => {
                let chiplets = self.tx[1] as u16;
                if self.tx[0] & 15 == message::SYNC_REQ {
                    self.pending |= chiplets;
                }
                self.sent.push_back(Sent {
                    message: u64::from(self.tx[0]) | u64::from(value) << 32,
                    chiplets,
                    broadcast: self.tx[1] & map::BROADCAST != 0,
                });
            }
            reg::SIG_LO => self.signal = value,
            reg::SIG_HI => {
                let address = u64::from(self.signal) | u64::from(value) << 32;
                let (begun, counters) = (self.begun, self.counters);
                self.signals.push_back(Signal { address, begun, counters });
            }
            reg::ERROR => self.errors.push(value as u8),
            reg::EXIT => self.exit = Some(value),
            reg::CNT..reg::CNT8_RUN => self.counters[((register - reg::CNT) / 4) as usize] = value,
            // Nothing takes time here.
            reg::CNT8_RUN => self.begun += u64::from(value),
            other => unreachable!("the firmware writes no register {other:#x}"),
        }
    }
}

/// The firmware on the host.
#[derive(Debug)]
pub struct Native<L> {
    processor: Box<Processor<L>>,
    memory: Memory,
}

impl<L: Layout> Native<L> {
    /// `conf`: the register CONF (specification 3.5).
    pub fn new(conf: u32) -> Self {
        let slot = Slot { words: vec![0; 1024], ..Slot::default() };
        let memory = Memory {
            private: vec![0; map::PRIVATE_BYTES as usize / 4],
            slots: [slot.clone(), slot.clone(), slot.clone(), slot],
            conf,
            ..Memory::default()
        };
        Self { processor: Box::new(Processor::NEW), memory }
    }

    /// Number of slots without a packet.
    pub fn free_slots(&self) -> usize {
        self.memory.slots.iter().filter(|slot| slot.valid.is_none()).count()
    }

    /// Packets that the firmware has begun with.
    pub fn begun(&self) -> u64 {
        self.memory.begun
    }

    /// Submits a packet with its extension block to the lowest free slot. Bytes beyond the slot are
    /// lost, and said to be. Gives false where no slot is free.
    pub fn submit(
        &mut self,
        packet: &[u8; 64],
        extension: &[u8],
        stream: u8,
        chiplets: u16,
    ) -> bool {
        let Some(slot) = self.memory.slots.iter_mut().find(|slot| slot.valid.is_none()) else {
            return false;
        };
        let bytes = packet.iter().chain(extension);
        for (at, byte) in bytes.enumerate().take(map::SLOT_BYTES as usize) {
            let word = &mut slot.words[at / 4];
            *word = *word & !(0xff << (8 * (at % 4))) | u32::from(*byte) << (8 * (at % 4));
        }
        let truncated = 64 + extension.len() > map::SLOT_BYTES as usize;
        slot.meta = u32::from(stream)
            | u32::from(chiplets) << 8
            | (self.memory.packets as u32 & 127) << 24
            | if truncated { map::TRUNCATED } else { 0 };
        slot.valid = Some(self.memory.packets);
        self.memory.packets += 1;
        true
    }

    /// A message from a chiplet.
    pub fn receive(&mut self, bits: u64) {
        let chiplet = 1 << (bits >> 4 & 15);
        if bits & 15 != u64::from(message::ACK) {
            self.memory.received.push_back(bits);
        } else if self.memory.pending & chiplet == 0 {
            self.memory.errors.push(map::error::UNASKED as u8);
        } else {
            self.memory.pending &= !chiplet;
        }
    }

    /// Lets the firmware handle what has come.
    pub fn poll(&mut self) {
        if self.memory.exit.is_none() {
            self.processor.poll(&mut self.memory);
        }
    }

    /// The next message to the chiplets.
    pub fn take_sent(&mut self) -> Option<Sent> {
        self.memory.sent.pop_front()
    }

    /// The next completion signal.
    pub fn take_signal(&mut self) -> Option<Signal> {
        self.memory.signals.pop_front()
    }

    /// Error codes since the last call.
    pub fn take_errors(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.memory.errors)
    }

    /// The status with which the firmware has halted.
    pub fn exit(&self) -> Option<u32> {
        self.memory.exit
    }

    /// The counters CNT.
    pub fn counters(&self) -> &[u32; count::NUM] {
        &self.memory.counters
    }

    /// The firmware's flag EVERY.
    pub fn every(&self) -> bool {
        self.processor.every()
    }

    /// The private memory in words: the table's image at its start.
    pub fn private(&self) -> &[u32] {
        &self.memory.private
    }
}
