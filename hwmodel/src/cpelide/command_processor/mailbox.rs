//! The registers of the mailbox.

use ports::cpelide::types::{COUNTERS, Message, TX_QUEUE, Tx, mailbox::*};

use super::messages::Messages;
use super::packets::Packets;
use crate::state::{State, width_of};

/// Bits of TX_DST.
const TX_DST_BITS: u32 = 0x1_ffff;

/// The register of the counter that CNT8_RUN runs.
const CNT8: u32 = CNT + 4 * 8;

/// What a write does beyond the mailbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wrote {
    Done,
    /// Not yet: the TX queue is full.
    Waits,
    /// The core halts with this status.
    Exit(u32),
}

/// Registers, and what stands behind them.
#[derive(Clone, Debug)]
pub(super) struct Mailbox {
    pub packets: Packets,
    pub messages: Messages,
    /// Event bits of WAIT.
    pub events: u32,
    tx_lo: u32,
    tx_dst: u32,
    sig_lo: u32,
    pub counters: [u32; COUNTERS],
    /// CNT8_RUN.
    pub run: bool,
    /// Pulses of the next cycle.
    pub sig: Option<u64>,
    pub err: Option<u8>,
    /// One of these is set.
    pub pulses: bool,
}

impl Mailbox {
    /// After reset.
    pub fn new() -> Self {
        Self {
            packets: Packets::new(),
            messages: Messages::default(),
            events: 0,
            tx_lo: 0,
            tx_dst: 0,
            sig_lo: 0,
            counters: [0; COUNTERS],
            run: false,
            sig: None,
            err: None,
            pulses: false,
        }
    }

    /// The registers, but those of slots and received messages.
    pub fn show_state(&self, state: &mut State) {
        let width = width_of(TX_QUEUE as u64);
        state.part("tx", |state| state.bits("count", width, self.messages.tx.len() as u32));
        state.bits("tx_lo", 32, self.tx_lo);
        state.bits("tx_dst", 17, self.tx_dst);
        state.bits("sig_lo", 32, self.sig_lo);
        state.flag("sig_valid", self.sig.is_some());
        state.bits_while(self.sig.is_some(), "sig", 64, self.sig.unwrap_or(0));
        state.bits("events", 3, self.events);
        state.flag("counting", self.run);
    }

    /// The pulses were shown.
    pub fn begin_cycle(&mut self) {
        (self.sig, self.err, self.pulses) = (None, None, false);
        self.messages.set_now = 0;
    }

    /// Shows an error code, unless there is another already.
    pub fn show_error(&mut self, code: u8) {
        self.err.get_or_insert(code);
        self.pulses = true;
    }

    /// Whether there is a register at this offset that can be read, or written.
    pub fn allows(offset: u32, write: bool) -> bool {
        match offset {
            TX_LO | TX_DST | CNT8_RUN => true,
            CNT..CNT8_RUN => true,
            PKT_POP | TX_HI | SIG_LO | SIG_HI | ERROR | EXIT => true,
            ID | CONF | CYCLE | PKT_STAT | TX_FREE | ACK_PEND | RX_STAT | RX_LO | RX_HI | WAIT => {
                !write
            }
            PKT_META..0x28 => !write,
            _ => false,
        }
    }

    /// Reads a register that can be read, with all that reading does. `None`: it waits. `conf` and
    /// `cycle` are what CONF and CYCLE show.
    pub fn read(&mut self, offset: u32, conf: u32, cycle: u64) -> Option<u32> {
        let oldest = |messages: &Messages| messages.rx.front().unwrap_or_default();
        Some(match offset {
            ID => ID_VALUE,
            CONF => conf,
            CYCLE => cycle as u32,
            PKT_STAT => self.packets.stat(),
            PKT_META..0x28 => self.packets.meta(((offset - PKT_META) / 4) as usize),
            TX_LO => self.tx_lo,
            TX_DST => self.tx_dst,
            TX_FREE => (TX_QUEUE - self.messages.tx.len()) as u32,
            ACK_PEND => self.messages.ack_pend.into(),
            RX_STAT => self.messages.rx.len() as u32,
            RX_LO => oldest(&self.messages).bits() as u32,
            RX_HI => {
                let high = oldest(&self.messages).b;
                self.messages.rx.pop();
                high
            }
            WAIT if self.events == 0 => return None,
            WAIT => std::mem::take(&mut self.events),
            CNT..CNT8_RUN => self.counters[((offset - CNT) / 4) as usize],
            CNT8_RUN => self.run.into(),
            // Write only.
            _ => 0,
        })
    }

    /// Writes a register that can be written.
    pub fn write(&mut self, offset: u32, value: u32) -> Wrote {
        match offset {
            PKT_POP => self.packets.pop(value & 3),
            TX_LO => self.tx_lo = value,
            TX_DST => self.tx_dst = value & TX_DST_BITS,
            TX_HI if self.messages.tx.is_full() => return Wrote::Waits,
            TX_HI => {
                let (bcast, dst) = (self.tx_dst >> 16 != 0, self.tx_dst as u16);
                self.messages.send(Tx {
                    bcast,
                    dst,
                    msg: Message::from_bits(u64::from(value) << 32 | u64::from(self.tx_lo)),
                });
            }
            SIG_LO => self.sig_lo = value,
            SIG_HI => {
                self.sig = Some(u64::from(value) << 32 | u64::from(self.sig_lo));
                self.pulses = true;
            }
            ERROR => self.show_error(value as u8),
            EXIT => return Wrote::Exit(value),
            // Where CNT8_RUN is 1 the counter rises at the end of this cycle: what is written is to
            // show.
            CNT8 => self.counters[8] = value.wrapping_sub(self.run.into()),
            CNT..CNT8_RUN => self.counters[((offset - CNT) / 4) as usize] = value,
            CNT8_RUN => self.run = value & 1 != 0,
            _ => {}
        }
        Wrote::Done
    }
}
