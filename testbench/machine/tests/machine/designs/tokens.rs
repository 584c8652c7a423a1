//! For tests: L2 banks that serve CUs in the order of a unit's tokens, as race detection does. A CU
//! notifies its GPU's unit of each request when it sends it; the unit's order, that of its block,
//! is another than that in which requests reach a bank, which keeps a FIFO for each CU.

use machine::design::{
    BankHook, BankPort, BuildError, Class, ConfigError, Context, CounterValues, Design, Fifos,
    GpuUnit, Handle, IssuePolicy, Kind, L1, Make, Message, Packed, Port, SRC, Section, Site,
    System, Unit, UnitPorts, defaults, registered,
};
use ports::Limit::Range;
use ports::{Fields, fields};
use std::collections::VecDeque;

use super::queue::{self, Queue};

inventory::submit! { registered(DESIGN) }

const DESIGN: Design = Design {
    name: "test-tokens",
    about: "for tests: no L1; L2 banks serve CUs in the order of a unit's tokens",
    sections: &[SECTION, queue::SECTION],
    asks_policy: false,
    check: |machine| {
        let problem = "one GPU, with l1.design = test-tokens".to_string();
        let field = "machine.gpus".to_string();
        parameters(machine.system)?;
        if machine.system.machine.gpus == 1 { Ok(()) } else { Err(ConfigError { field, problem }) }
    },
    core: |make| Ok(Box::new(Agent { places: parameters(make.system)?.places, sent: 0 })),
    unit: Some(|make, ports| {
        let next = ports.cores.len();
        Ok(Box::new(Order { queue: Queue::new(make)?, ports, next, tokens: 0 }))
    }),
    bank: Some(|make| Ok(Box::new(Bank::new(make)?))),
    ..SRC
};

fields! {
    /// Parameters of the design.
    struct Parameters of Self {
        /// Places of a CU in each bank.
        places: u32 = Range(1, 255), "requests", "for tests";
        /// 1: a FIFO for each CU. 0: one for all, which must end in a deadlock.
        fifos: u32 = Range(0, 1), "", "for tests";
    }
}

/// Section `[test_tokens]`.
const SECTION: Section = Section {
    name: "test_tokens",
    about: "Banks in the order of tokens.",
    fields: &[Parameters::FIELDS],
    fixed: &[],
    default: |_| Ok(defaults(&Parameters { places: 2, fifos: 1 })),
};

fn parameters(system: &System) -> Result<Parameters, ConfigError> {
    system.parameters(&SECTION)
}

#[derive(Debug)]
struct Agent {
    places: u32,
    sent: u64,
}

impl L1 for Agent {
    /// The request and its notice leave in one cycle, both or neither.
    fn request(&mut self, port: &mut Port, request: Handle<Message>) -> bool {
        if !port.may_send(request) || !port.may_send_to_unit() {
            return false;
        }
        let Message { addr, from, .. } = port.ctx.messages[request];
        let kind = Kind::Design(Class::Request);
        port.send_to_unit(Message { kind, addr, from, ..Message::default() });
        port.send(request);
        self.sent += 1;
        true
    }

    fn answer(&mut self, port: &mut Port, message: Handle<Message>) {
        port.finish_with(message);
    }

    fn acquire(&mut self, _port: &mut Port, _past: bool) -> bool {
        true
    }

    fn issue_policy(&self) -> IssuePolicy {
        IssuePolicy { bank_credits: Some(self.places), ..IssuePolicy::default() }
    }

    fn counters(&self, all: &mut CounterValues) {
        all.extend([("tokens_wanted", self.sent)]);
    }
}

/// The unit: CUs in turn, downwards.
#[derive(Debug)]
struct Order {
    queue: Queue<Handle<Message>>,
    ports: UnitPorts,
    next: usize,
    tokens: u64,
}

impl GpuUnit for Order {
    fn tick(&mut self, ctx: &mut Context) {
        self.queue.advance(ctx.now);
        if let Some(notice) = self.queue.done() {
            let Message { addr, from, .. } = ctx.messages[notice];
            let bank = ctx.serving_bank(from, addr).expect("a bank of this GPU");
            let Site::Bank(chiplet, number) = ctx.layout.site(bank) else { unreachable!("a bank") };
            let bank = usize::from(chiplet * ctx.layout.banks + number);
            if ctx.may_send(self.ports.banks[bank].to) {
                ctx.messages[notice].sideband = Packed::new(&from.0, 16);
                ctx.send(self.ports.banks[bank].to, notice);
                self.queue.take();
                self.tokens += 1;
            }
        }
        let waits = |&core: &usize| ctx.peek(self.ports.cores[core].from).is_some();
        let cores = (0..self.next).rev().chain((self.next..self.ports.cores.len()).rev());
        if let Some(core) = cores.into_iter().find(waits) {
            if self.queue.is_free() {
                self.queue.offer(ctx.take(self.ports.cores[core].from));
                self.next = core;
            }
            ctx.wake_at(ctx.now + 1);
        }
        ctx.wake_after(self.queue.quiet_cycles());
    }

    fn counters(&self, all: &mut CounterValues) {
        all.extend([("tokens_given", self.tokens)]);
    }
}

#[derive(Debug)]
struct Bank {
    fifos: Fifos,
    /// CUs in the order in which they are served.
    tokens: VecDeque<Unit>,
    /// Of all requests that have come, their CUs: to see who is overtaken.
    came: VecDeque<Unit>,
    is_shared: bool,
    overtaken: u64,
}

impl Bank {
    fn new(make: &Make) -> Result<Self, BuildError> {
        let Parameters { places, fifos } = parameters(make.system)?;
        let fifos = (Fifos::new(make.system, places), fifos == 0);
        let (tokens, came) = (VecDeque::new(), VecDeque::new());
        Ok(Self { fifos: fifos.0, tokens, came, is_shared: fifos.1, overtaken: 0 })
    }
}

impl BankHook for Bank {
    fn tick(&mut self, port: &mut BankPort) {
        if !self.is_shared {
            self.fifos.take(port, |sender| self.came.push_back(sender));
        }
    }

    fn message(&mut self, port: &mut BankPort, message: Handle<Message>) {
        self.tokens.push_back(Unit(port.ctx.messages[message].sideband.get(16)));
        port.ctx.messages.free(message);
    }

    fn orders(&self) -> bool {
        true
    }

    fn pick(&mut self, port: &mut BankPort) -> Option<Handle<Message>> {
        let &cu = self.tokens.front()?;
        match self.is_shared {
            false => self.fifos.oldest(&port.ctx.layout, cu),
            true => {
                let first = port.ctx.peek(port.bank.requests);
                first.filter(|&request| port.ctx.messages[request].from == cu)
            }
        }
    }

    fn served(&mut self, port: &mut BankPort) {
        let cu = self.tokens.pop_front().expect("it was its turn");
        if self.is_shared {
            port.ctx.take(port.bank.requests);
            return;
        }
        self.fifos.served(&port.ctx.layout, cu);
        let at = self.came.iter().position(|&other| other == cu).expect("it has come");
        self.overtaken += at as u64;
        self.came.remove(at);
    }

    fn counters(&self, all: &mut CounterValues) {
        all.extend([("tokens_overtaken", self.overtaken)]);
    }
}
