//! For tests: an agent that asks its GPU's unit before each request and keeps the request until the
//! unit has answered; and hooks in the L2 banks that serve the senders in turn and talk to the
//! unit.

use machine::design::{
    BankHook, BankPort, Callbacks, Class, Context, CounterValues, Design, GpuUnit, Handle, Kind,
    L1, Message, Port, SRC, Unit, UnitPort, UnitPorts, Way, registered,
};
use std::collections::VecDeque;

inventory::submit! { registered(DESIGN) }

const DESIGN: Design = Design {
    name: "test-unit",
    about: "for tests: src, each request asked of a unit of the GPU; L2 banks serve senders in \
            turn",
    core: |make| {
        let inner = (SRC.core)(make)?;
        Ok(Box::new(Agent { inner, kept: VecDeque::new(), granted: 0, grants: 0 }))
    },
    unit: Some(|_, ports| Ok(Box::new(Clerk { ports, asked: 0, noted: 0 }))),
    bank: Some(|_| Ok(Box::new(Turns::default()))),
    ..SRC
};

/// From a CU: may its next request go on? And back: it may. From a bank: it has served some
/// requests. And back, as an answer.
fn message() -> Message {
    Message { kind: Kind::Design(Class::Launch), ..Message::default() }
}

/// Requests that an agent, or a bank, keeps.
const KEPT: usize = 8;
/// Requests of a bank for each note.
const NOTED: u64 = 16;

#[derive(Debug)]
struct Agent {
    inner: Box<dyn L1>,
    /// Requests that wait for the unit or the L1, oldest first.
    kept: VecDeque<Handle<Message>>,
    /// Of these, so many may go on.
    granted: usize,
    grants: u64,
}

impl L1 for Agent {
    fn request(&mut self, port: &mut Port, request: Handle<Message>) -> bool {
        if self.kept.len() == KEPT || !port.send_to_unit(message()) {
            return false;
        }
        self.kept.push_back(request);
        true
    }

    fn answer(&mut self, port: &mut Port, message: Handle<Message>) {
        self.inner.answer(port, message);
    }

    fn acquire(&mut self, port: &mut Port, past: bool) -> bool {
        assert!(self.kept.is_empty(), "a request is under way between kernels");
        self.inner.acquire(port, past)
    }

    fn counters(&self, all: &mut CounterValues) {
        self.inner.counters(all);
        all.push(("unit_grants", self.grants));
    }

    fn callbacks(&self) -> Callbacks {
        Callbacks { tick: true, ..Callbacks::default() }
    }

    fn tick(&mut self, port: &mut Port) {
        self.inner.tick(port);
        // An L1 takes one request in a cycle.
        if let Some(&request) = self.kept.front().filter(|_| self.granted > 0)
            && self.inner.request(port, request)
        {
            self.kept.pop_front();
            self.granted -= 1;
            if self.granted > 0 {
                port.ctx.wake_at(port.ctx.now + 1);
            }
        }
    }

    fn message(&mut self, port: &mut Port, message: Handle<Message>) -> bool {
        port.ctx.messages.free(message);
        self.granted += 1;
        self.grants += 1;
        true
    }
}

/// The unit: says yes to everything.
#[derive(Debug)]
struct Clerk {
    ports: UnitPorts,
    asked: u64,
    noted: u64,
}

/// Sends every message of a channel back, in the next cycle. Gives how many.
fn send_back(ctx: &mut Context, port: &UnitPort) -> u64 {
    let mut sent = 0;
    while let Some(message) = ctx.peek(port.from)
        && ctx.may_send(port.to)
    {
        ctx.take(port.from);
        ctx.send(port.to, message);
        sent += 1;
    }
    sent
}

impl GpuUnit for Clerk {
    fn tick(&mut self, ctx: &mut Context) {
        self.asked += self.ports.cores.iter().map(|port| send_back(ctx, port)).sum::<u64>();
        self.noted += self.ports.banks.iter().map(|port| send_back(ctx, port)).sum::<u64>();
    }

    fn counters(&self, all: &mut CounterValues) {
        all.extend([("unit_asked", self.asked), ("unit_noted", self.noted)]);
    }
}

/// A bank's requests by sender, served in turn; those of one sender stay in their order.
#[derive(Debug, Default)]
struct Turns {
    senders: Vec<(Unit, VecDeque<Handle<Message>>)>,
    kept: usize,
    turn: usize,
    answers: u64,
    overtaken: u64,
    notes: u64,
}

impl BankHook for Turns {
    fn orders(&self) -> bool {
        true
    }

    fn message(&mut self, port: &mut BankPort, message: Handle<Message>) {
        port.ctx.messages.free(message);
        self.notes += 1;
    }

    fn pick(&mut self, port: &mut BankPort) -> Option<Handle<Message>> {
        while self.kept < KEPT
            && let Some(request) = port.ctx.peek(port.bank.requests)
        {
            port.ctx.take(port.bank.requests);
            let from = port.ctx.messages[request].from;
            match self.senders.iter_mut().find(|(unit, _)| *unit == from) {
                Some((_, kept)) => kept.push_back(request),
                None => self.senders.push((from, VecDeque::from([request]))),
            }
            self.kept += 1;
        }
        // Asked again for the same one, the turn stays.
        let next = (self.turn..self.senders.len()).chain(0..self.turn);
        self.turn = next.into_iter().find(|&i| !self.senders[i].1.is_empty())?;
        self.senders[self.turn].1.front().copied()
    }

    fn served(&mut self, _port: &mut BankPort) {
        self.senders[self.turn].1.pop_front();
        self.kept -= 1;
        self.overtaken += u64::from(!self.senders[self.turn].1.is_empty());
        self.turn = (self.turn + 1) % self.senders.len();
    }

    fn answer(
        &mut self,
        port: &mut BankPort,
        _way: Way,
        _asked: &Message,
        _answer: Handle<Message>,
        _line: &[u8],
    ) {
        self.answers += 1;
        if self.answers.is_multiple_of(NOTED) {
            // One that cannot be sent is left out.
            port.send_to_unit(message());
        }
    }

    fn counters(&self, all: &mut CounterValues) {
        all.extend([("unit_bank_turns", self.overtaken), ("unit_bank_notes", self.notes)]);
    }
}
