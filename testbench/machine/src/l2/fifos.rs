//! A FIFO of a bank for each CU: a stalled request stops no other CU's, whatever
//! the order in which a hook serves them.

use std::collections::VecDeque;

use super::hook::BankPort;
use crate::config::System;
use crate::context::layout::{Layout, Site};
use crate::context::message::{Message, Unit};
use crate::engine::pool::Handle;

/// Requests of a bank by sender: each CU of its GPU, and the way from other GPUs.
#[derive(Debug)]
pub struct Fifos {
    places: usize,
    of: Vec<VecDeque<Handle<Message>>>,
}

impl Fifos {
    /// With so many places in each: those that a CU reserves
    /// ([`Hooks::places`](crate::design::Hooks::places)).
    pub fn new(system: &System, places: u32) -> Self {
        let senders = usize::from(system.machine.chiplets * system.machine.cus) + 1;
        Self { places: places as usize, of: vec![VecDeque::new(); senders] }
    }

    /// Takes what has come; in each cycle of the bank. CUs have reserved places, so the network
    /// never waits for them. Requests of other GPUs that have none wait there: a hook serves those
    /// whatever else it waits for. `see` is shown the sender of each.
    pub fn take(&mut self, port: &mut BankPort, mut see: impl FnMut(Unit)) {
        while let Some(request) = port.ctx.peek(port.bank.requests) {
            let sender = port.ctx.messages[request].from;
            let fifo = &mut self.of[number(&port.ctx.layout, sender)];
            if fifo.len() == self.places {
                let is_gate = matches!(port.ctx.layout.site(sender), Site::Gate(_));
                assert!(is_gate, "a request without a place");
                return;
            }
            port.ctx.take(port.bank.requests);
            fifo.push_back(request);
            see(sender);
        }
    }

    /// The oldest request of a CU, or of other GPUs: their gate.
    pub fn oldest(&self, layout: &Layout, sender: Unit) -> Option<Handle<Message>> {
        self.of[number(layout, sender)].front().copied()
    }

    /// It is served.
    pub fn served(&mut self, layout: &Layout, sender: Unit) {
        self.of[number(layout, sender)].pop_front();
    }
}

/// Number of a sender in its GPU; 0 of the gate.
fn number(layout: &Layout, sender: Unit) -> usize {
    match layout.site(sender) {
        Site::Core(chiplet, cu) => usize::from(chiplet % layout.chiplets * layout.cores + cu) + 1,
        Site::Gate(_) => 0,
        site => unreachable!("{site:?} asks no bank"),
    }
}
