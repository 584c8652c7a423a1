//! What an L1 may use, and its commands to its CU.

use traces::trace::InstrKind;

use crate::context::Context;
use crate::context::message::{Kind, Message};
use crate::context::transactions::{L1Command, Transaction, Transactions, Value};
use crate::engine::pool::Handle;
use crate::engine::{Cycle, OutletId};

/// What an L1 may use.
#[derive(Debug)]
pub struct Port<'a> {
    /// Time, pools, maps.
    pub ctx: &'a mut Context,
    /// The network below.
    pub below: OutletId,
    /// To the GPU's unit, where the design has one.
    pub unit: Option<OutletId>,
    /// The CU's transactions.
    pub transactions: &'a mut Transactions,
}

impl Port<'_> {
    /// Sends a request below, to where its line is served. False when the network does not take it
    /// now, or the CU has no credit there; the CU is then visited when that may have changed.
    #[inline]
    pub fn send(&mut self, message: Handle<Message>) -> bool {
        if self.transactions.bank_credits.is_some() && !self.take_credit(message) {
            return false;
        }
        let free = self.ctx.may_send(self.below);
        if free {
            let Message { addr, from, .. } = self.ctx.messages[message];
            self.ctx.messages[message].to = self.ctx.server(from, addr);
            match self.transactions.tlb.is_some() {
                true => self.send_translated(message),
                false => self.ctx.send(self.below, message),
            }
        }
        free
    }

    /// Sends a request once its address is translated. None overtakes another one.
    #[cold]
    fn send_translated(&mut self, message: Handle<Message>) {
        let Message { addr, from, .. } = self.ctx.messages[message];
        let chiplet = usize::from(self.ctx.layout.chiplet_of(from));
        let tlb = self.transactions.tlb.as_mut().expect("translation takes time");
        let extra = tlb.translate(self.ctx.now, addr, &mut self.ctx.tlbs[chiplet]);
        self.ctx.send_after(self.below, message, extra as i32);
    }

    /// Whether `send` would send a request: for a design that sends something else with it.
    pub fn may_send(&mut self, message: Handle<Message>) -> bool {
        let Message { addr, from, .. } = self.ctx.messages[message];
        let credits =
            self.transactions.bank_credits.as_ref().zip(self.ctx.serving_bank(from, addr));
        credits.is_none_or(|(credits, bank)| credits.is_free(bank)) && self.ctx.may_send(self.below)
    }

    /// Takes the credit of a request that may be sent.
    #[cold]
    fn take_credit(&mut self, message: Handle<Message>) -> bool {
        let Message { addr, from, .. } = self.ctx.messages[message];
        let bank = self.ctx.serving_bank(from, addr);
        let mut credits = self.transactions.bank_credits.as_mut().zip(bank);
        let is_free = credits.as_ref().is_none_or(|(credits, bank)| credits.is_free(*bank));
        let may = is_free && self.ctx.may_send(self.below);
        if let Some((credits, bank)) = credits.as_mut().filter(|_| may) {
            credits.take(*bank);
        }
        may
    }

    /// Whether `send_to_unit` would send a message.
    pub fn may_send_to_unit(&mut self) -> bool {
        self.ctx.may_send(self.unit.expect("the design has a unit"))
    }

    /// Sends a message to the GPU's unit, which the design must have. False as in `send`.
    pub fn send_to_unit(&mut self, message: Message) -> bool {
        let unit = self.unit.expect("the design has a unit");
        let free = self.ctx.may_send(unit);
        if free {
            let message = self.ctx.messages.put(message);
            self.ctx.send(unit, message);
        }
        free
    }

    /// Answers a request with a line's bytes (none for a store), which the CU sees `after` cycles
    /// from now. What comes from below is seen at once; what is found here after at least a cycle.
    /// The values are compared with the program's here, where they leave the memory system; those
    /// of a speculative load once it is confirmed.
    pub fn finish(&mut self, request: Handle<Message>, data: Option<&[u8]>, after: Cycle) {
        let Message { tag, from, born, .. } = self.ctx.messages[request];
        if let Some(data) = data {
            let t = &self.transactions[tag];
            if let Some(recorder) = &mut self.ctx.recorder
                && t.kind == InstrKind::Load
            {
                recorder.loads.ended(self.ctx.now + after, born);
            }
            if t.value == Value::Plain {
                self.ctx.compare(from, t, data);
                self.ctx.lines.free(t.expected);
            } else {
                self.keep_or_drop(tag, data);
            }
        }
        self.ctx.drop_message(request);
        if after == 0 {
            return self.transactions.finish(tag);
        }
        let when = self.ctx.now + after;
        self.transactions.finish_at(tag, when);
        self.ctx.wake_at(when);
    }

    /// What a speculative load has got is compared later, what a dropped one has never.
    #[cold]
    fn keep_or_drop(&mut self, tag: u32, data: &[u8]) {
        let t = self.transactions[tag];
        match t.value {
            Value::Dropped => self.ctx.lines.free(t.expected),
            _ => {
                let found = self.ctx.payload(data);
                self.transactions.keep(tag, found);
            }
        }
    }

    /// Answers a CU's request with the message that has come back for it.
    pub fn finish_with(&mut self, message: Handle<Message>) {
        let Message { kind, line, .. } = self.ctx.messages[message];
        // The answer bears the server as its sender; the CU is the one that waits.
        self.ctx.messages[message].from = self.ctx.messages[message].to;
        if kind == Kind::Data {
            let data = self.ctx.lines[line];
            self.finish(message, Some(&data.0), 0);
        } else {
            self.finish(message, None, 0);
        }
    }

    /// A wave that `may_issue` or `fence` has stopped goes on; any other is not touched.
    pub fn go_on(&mut self, wave: usize) {
        self.transactions.commands.push(L1Command::Resume(wave));
    }

    /// Marks a load as speculative, when it is requested or any time before it is answered. Its
    /// wave goes on with what it is answered, but issues nothing else than loads and passes no
    /// fence until `confirm`.
    pub fn speculate(&mut self, tag: u32) {
        self.transactions.speculate(tag);
    }

    /// A speculative load, answered or not, is one no more.
    pub fn confirm(&mut self, tag: u32) {
        self.transactions.commands.push(L1Command::Confirm(tag));
    }

    /// The wave of a speculative load goes back to it. It and all younger loads of the wave are
    /// dropped.
    pub fn replay(&mut self, tag: u32) {
        self.transactions.commands.push(L1Command::Replay(tag));
    }

    /// What `acquire` has begun is over: the kernel may begin.
    pub fn acquired(&mut self) {
        self.transactions.commands.push(L1Command::Acquired);
    }

    /// The transaction of a request: its wave, and its place in the wave's list.
    pub fn transaction(&self, request: Handle<Message>) -> &Transaction {
        &self.transactions[self.ctx.messages[request].tag]
    }
}
