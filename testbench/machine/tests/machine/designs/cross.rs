//! For tests: what a design says crosses to other GPUs. Each request says its line, and each answer
//! of a bank that it has passed one; hooks of L2 banks talk to those of the next GPU, and so do the
//! units of GPUs, whose messages pass a block, `test_queue`. No message overtakes another.

use machine::design::{
    BankHook, BankPort, Class, Context, CounterValues, Design, GpuUnit, Handle, Kind, L1, Message,
    Packed, Port, SRC, Site, UnitPorts, Way, registered,
};

use super::queue::{Queue, SECTION};

inventory::submit! { registered(DESIGN) }

const DESIGN: Design = Design {
    name: "test-cross",
    about: "for tests: no L1; requests, banks and units talk to other GPUs",
    sections: &[SECTION],
    crosses: true,
    asks_policy: false,
    core: |_| Ok(Box::new(Agent::default())),
    unit: Some(|make, ports| {
        let (queue, gpu) = (Queue::new(make)?, make.number);
        Ok(Box::new(Unit { queue, ports, gpu, said: 0, heard: 0 }))
    }),
    bank: Some(|_| Ok(Box::new(Bank::default()))),
    ..SRC
};

/// Requests of a CU, or answers of a bank, for each message.
const EACH: u64 = 8;

fn numbered(class: Class, number: u64) -> Message {
    let sideband = Packed::new(&number, 64);
    Message { kind: Kind::Design(class), sideband, ..Message::default() }
}

#[derive(Debug, Default)]
struct Agent {
    requests: u64,
    /// Answers of other GPUs that have passed a bank, and that have not.
    far: u64,
    unchanged: u64,
}

impl L1 for Agent {
    fn request(&mut self, port: &mut Port, request: Handle<Message>) -> bool {
        let line = port.ctx.messages[request].addr;
        port.ctx.messages[request].sideband = Packed::new(&(line << 1), 64);
        let sent = port.send(request);
        self.requests += u64::from(sent);
        if sent && self.requests.is_multiple_of(EACH) {
            // One that cannot be sent is left out.
            port.send_to_unit(numbered(Class::Launch, 0));
        }
        sent
    }

    fn answer(&mut self, port: &mut Port, answer: Handle<Message>) {
        let Message { sideband, addr, from, kind, .. } = port.ctx.messages[answer];
        let said: u64 = sideband.get(64);
        assert_eq!(said >> 1, addr, "what it has said comes back");
        if kind == Kind::Data && matches!(port.ctx.layout.site(from), Site::Gate(_)) {
            self.far += said & 1;
            self.unchanged += !said & 1;
        }
        port.finish_with(answer);
    }

    fn acquire(&mut self, _port: &mut Port, _past: bool) -> bool {
        true
    }

    fn counters(&self, all: &mut CounterValues) {
        all.extend([("cross_far", self.far), ("cross_unchanged", self.unchanged)]);
    }
}

#[derive(Debug)]
struct Unit {
    queue: Queue<Handle<Message>>,
    ports: UnitPorts,
    gpu: u16,
    said: u64,
    heard: u64,
}

impl GpuUnit for Unit {
    fn tick(&mut self, ctx: &mut Context) {
        self.queue.advance(ctx.now);
        let Some(gate) = &self.ports.gate else { return self.forget(ctx) };
        if let Some(message) = self.queue.done()
            && ctx.may_send(gate.to)
        {
            ctx.messages[message].to = ctx.layout.gate((self.gpu + 1) % ctx.layout.gpus);
            ctx.messages[message].sideband = Packed::new(&self.said, 64);
            ctx.send(gate.to, message);
            self.queue.take();
            self.said += 1;
        }
        while let Some(message) = ctx.peek(gate.from) {
            ctx.take(gate.from);
            assert_eq!(ctx.messages[message].sideband.get::<u64>(64), self.heard, "in order");
            ctx.messages.free(message);
            self.heard += 1;
        }
        if let Some(core) = self.ports.cores.iter().find(|core| ctx.peek(core.from).is_some()) {
            if self.queue.is_free() {
                let message = ctx.take(core.from);
                self.queue.offer(message);
            }
            ctx.wake_at(ctx.now + 1);
        }
        ctx.wake_after(self.queue.quiet_cycles());
    }

    fn counters(&self, all: &mut CounterValues) {
        all.extend([("cross_units_said", self.said), ("cross_units_heard", self.heard)]);
    }
}

impl Unit {
    /// There is no other GPU.
    fn forget(&mut self, ctx: &mut Context) {
        for core in &self.ports.cores {
            while let Some(message) = ctx.peek(core.from) {
                ctx.take(core.from);
                ctx.messages.free(message);
            }
        }
    }
}

#[derive(Debug, Default)]
struct Bank {
    answers: u64,
    said: u64,
    heard: u64,
}

impl BankHook for Bank {
    fn message(&mut self, _port: &mut BankPort, _message: Handle<Message>) {
        unreachable!("the unit says nothing")
    }

    fn answer(
        &mut self,
        port: &mut BankPort,
        _way: Way,
        asked: &Message,
        answer: Handle<Message>,
        _line: &[u8],
    ) {
        let said: u64 = asked.sideband.get(64);
        port.ctx.messages[answer].sideband = Packed::new(&(said | 1), 64);
        self.answers += 1;
        let layout = &port.ctx.layout;
        if self.answers.is_multiple_of(EACH) && layout.all_chiplets() > 1 {
            let next = layout.chiplet_of(port.bank.unit) + layout.chiplets.max(1);
            let to = layout.bank(next % layout.all_chiplets(), port.bank.number);
            if to != port.bank.unit {
                port.send_to_bank(Message { to, ..numbered(Class::Invalidation, self.said) });
                self.said += 1;
            }
        }
    }

    fn peer_message(&mut self, _port: &mut BankPort, message: &Message) {
        assert_eq!(message.sideband.get::<u64>(64), self.heard, "in order");
        self.heard += 1;
    }

    fn counters(&self, all: &mut CounterValues) {
        all.extend([("cross_banks_said", self.said), ("cross_banks_heard", self.heard)]);
    }
}
