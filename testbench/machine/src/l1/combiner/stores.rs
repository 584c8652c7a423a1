//! The stores of a CU on their way through a combiner, which sends them one after another. While a
//! store waits, those of the CU to the same sectors join it: one request goes to the L2, and each
//! of them gets an acknowledgement when its answer arrives.

use std::collections::VecDeque;

use crate::cache::Waiters;
use crate::context::Context;
use crate::context::masks;
use crate::context::message::Message;
use crate::engine::pool::Handle;
use crate::engine::{OutletId, Port, Rate};

/// Parts of a cycle in which the interval between stores is given.
const PARTS: u64 = 1_000_000;

/// Time between stores, and how many of a CU may wait.
#[derive(Clone, Copy, Debug)]
pub struct Spec {
    /// Parts of a cycle.
    pub interval: u64,
    /// Stores.
    pub capacity: usize,
}

/// The stores of a CU.
#[derive(Debug)]
pub(super) struct Stores {
    spec: Spec,
    /// It is busy with the last one.
    port: Port,
    /// Oldest first.
    waiting: VecDeque<Store>,
}

/// A store, and those that have joined it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Store {
    addr: u64,
    pub request: Handle<Message>,
    pub joined: Waiters,
}

impl Stores {
    /// None under way.
    pub fn new(spec: Spec) -> Self {
        let port = Port::new(Rate { bytes: PARTS, cycles: 1 });
        Self { spec, port, waiting: VecDeque::new() }
    }

    /// Whether a store to a line waits: another access of the CU must not overtake it.
    pub fn holds(&self, addr: u64) -> bool {
        self.waiting.iter().any(|store| store.addr == addr)
    }

    /// Whether a store joins one that waits. Of those to its line this is the youngest, as no store
    /// overtakes another one of its line.
    pub fn join(&mut self, ctx: &mut Context, request: Handle<Message>) -> bool {
        let Message { addr, mask, line, .. } = ctx.messages[request];
        let Some(store) = self.waiting.iter_mut().rev().find(|store| store.addr == addr) else {
            return false;
        };
        let first = ctx.messages[store.request];
        let sectors = masks::widen(first.mask, 1 << ctx.layout.sector_log);
        if mask & !sectors != 0 {
            return false;
        }
        // A byte has the value of the younger store.
        let bytes = ctx.lines[line];
        masks::copy(&mut ctx.lines[first.line].0, &bytes.0, mask);
        ctx.lines.free(line);
        ctx.messages[request].line = Handle::NONE;
        ctx.messages[store.request].mask |= mask;
        store.joined.push(ctx, request);
        true
    }

    /// Whether a store has a place to wait in; then it takes it.
    pub fn wait(&mut self, ctx: &Context, request: Handle<Message>) -> bool {
        let has_place = self.waiting.len() < self.spec.capacity;
        if has_place {
            let addr = ctx.messages[request].addr;
            self.waiting.push_back(Store { addr, request, joined: Waiters::default() });
        }
        has_place
    }

    /// The oldest store, if it leaves now. Otherwise the combiner will be visited when it may.
    pub fn leave(&mut self, ctx: &mut Context, below: OutletId) -> Option<Store> {
        if self.waiting.is_empty() {
            return None;
        }
        if self.port.free_at() > ctx.now {
            ctx.wake_at(self.port.free_at());
            return None;
        }
        if !ctx.may_send(below) {
            return None;
        }
        self.port.transfer(ctx.now, self.spec.interval);
        self.waiting.pop_front()
    }
}
