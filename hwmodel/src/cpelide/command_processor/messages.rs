//! Messages to and from the crossbar: TX queue, RX FIFO, and whose ACK is due.

use ports::cpelide::types::{Message, RX_FIFO, TX_QUEUE, Tx, kind};

use crate::common::fifo::Fifo;

/// What a message from a chiplet has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Received {
    /// An ACK that was waited for.
    Ack,
    /// An ACK that was not.
    Unexpected,
    /// It is in the RX FIFO.
    Queued,
}

/// The queues, and ACK_PEND.
#[derive(Clone, Debug, Default)]
pub(super) struct Messages {
    pub tx: Fifo<Tx, TX_QUEUE>,
    pub rx: Fifo<Message, RX_FIFO>,
    /// Bit c = an ACK of chiplet c is due.
    pub ack_pend: u16,
    /// Those that a request of this cycle has set.
    pub set_now: u16,
}

impl Messages {
    /// Sends; only when there is room.
    pub fn send(&mut self, tx: Tx) {
        if tx.msg.kind == kind::SYNC_REQ {
            self.ack_pend |= tx.dst;
            self.set_now = tx.dst;
        }
        self.tx.push(tx);
    }

    /// Takes a message. `before` is ACK_PEND as it was when the cycle began: a request that is sent
    /// at the same edge is answered by a later ACK.
    pub fn receive(&mut self, message: Message, before: u16) -> Received {
        if message.kind != kind::ACK {
            self.rx.push(message);
            return Received::Queued;
        }
        let bit = 1 << message.chiplet;
        if before & bit == 0 {
            return Received::Unexpected;
        }
        self.ack_pend &= !bit | self.set_now;
        Received::Ack
    }
}
