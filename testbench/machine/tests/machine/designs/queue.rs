//! For tests: a block, `test_queue`, at each of the three places of a design. Before each L1 it
//! delays requests, in each L2 bank requests too, and in each GPU's unit the fences of its CUs. All
//! of them push back. A wire from the unit shows the CUs that its queue holds something.

use machine::design::{
    BankHook, BankPort, BuildError, Callbacks, Class, ConfigError, Context, CounterValues, Cycle,
    Design, GpuUnit, Handle, IssuePolicy, Kind, L1, Make, Message, Packed, Port, SRC, Section,
    System, UnitPorts, Way, WireId, defaults, registered,
};
use std::collections::VecDeque;

use cosim::socket::Socket;
use hwmodel::Block;
use hwmodel::common::test_queue::TestQueue;
use ports::Fields;
use ports::common::test_queue::{Config, In, Item};

inventory::submit! { registered(DESIGN) }

const DESIGN: Design = Design {
    name: "test-queue",
    about: "for tests: src with a queue before each L1, in each L2 bank and in each GPU's unit",
    sections: &[SECTION],
    check: |machine| config(machine.system).map(|_| ()),
    core: |make| {
        let inner = (SRC.core)(make)?;
        let queue = Queue::new(make)?;
        let (busy, waits) = (make.wire_from_unit(REGISTERS), make.wire_to_unit(0));
        Ok(Box::new(Agent {
            inner,
            queue,
            busy: Level::new(busy),
            waits: Level::new(waits),
            fences: Vec::new(),
            requests: 0,
            passed: 0,
            past: 0,
            acquires: None,
        }))
    },
    unit: Some(|make, ports| {
        let level = |wire: &WireId| Level::new(*wire);
        let busy = ports.cores.iter().map(|core| level(&core.wires.from_unit[0])).collect();
        let waits = ports.cores.iter().map(|core| level(&core.wires.to_unit[0])).collect();
        Ok(Box::new(Unit { queue: Queue::new(make)?, ports, busy, waits, items: 0 }))
    }),
    bank: Some(|make| {
        let queue = Queue::new(make)?;
        Ok(Box::new(Bank { queue, requests: 0, has_spared: false, vetoes: 0 }))
    }),
    ..SRC
};

/// Section `[test_queue]`.
pub(super) const SECTION: Section = Section {
    name: "test_queue",
    about: "The queues of designs for tests.",
    fields: &[Config::FIELDS],
    fixed: &[],
    default: |_| Ok(defaults(&Config { depth: 4, latency: 3 })),
};

/// The block's parameters.
fn config(system: &System) -> Result<Config, ConfigError> {
    system.parameters(&SECTION)
}

/// Cycles of an acquire.
const ACQUIRE: Cycle = 9;
/// Requests of a CU that may be under way.
const OUTSTANDING: u32 = 8;
/// Registers on the wires to the CUs.
const REGISTERS: u32 = 2;

/// The block, and what its items stand for. What its owner does in a cycle is its input of that
/// cycle: its edge is that of the owner's next visit.
#[derive(Debug)]
pub(super) struct Queue<T> {
    block: Socket<TestQueue>,
    /// What it is offered.
    offered: Option<(Item, T)>,
    /// What it shows is taken.
    taken: bool,
    /// What it holds, oldest first.
    held: VecDeque<(Item, T)>,
    next: u16,
}

impl<T: Copy> Queue<T> {
    pub(super) fn new(make: &mut Make) -> Result<Self, BuildError> {
        let config = config(make.system)?;
        let name = format!("{} deep, {} cycles", config.depth, config.latency);
        let block = make.socket(&name, &config)?;
        Ok(Self {
            block,
            offered: None,
            taken: false,
            held: VecDeque::new(),
            next: make.number << 8,
        })
    }

    /// The edges of all cycles before this one.
    pub(super) fn advance(&mut self, now: Cycle) {
        if self.block.cycle() < now && !self.waits() {
            let item = self.offered.map(|(item, _)| item);
            let out = self.block.tick(&In { item, done_ready: self.taken });
            if std::mem::take(&mut self.taken) {
                self.held.pop_front();
            }
            if out.item_ready {
                self.held.extend(self.offered.take());
            }
        }
        self.block.catch_up(now, &In::default());
    }

    /// Its owner has done nothing.
    fn waits(&self) -> bool {
        self.offered.is_none() && !self.taken
    }

    /// Whether something can be offered.
    pub(super) fn is_free(&self) -> bool {
        self.offered.is_none()
    }

    /// Whether something is offered, or held and not taken.
    pub(super) fn holds(&self, what: T) -> bool
    where
        T: PartialEq,
    {
        let held = self.held.iter().skip(usize::from(self.taken));
        held.chain(&self.offered).any(|(_, other)| *other == what)
    }

    /// Offers something; it must be free.
    pub(super) fn offer(&mut self, what: T) {
        self.offered = Some((Item { id: self.next }, what));
        self.next = self.next.wrapping_add(1);
    }

    /// What the block shows in this cycle, if it has not been taken.
    pub(super) fn done(&self) -> Option<T> {
        let done = self.block.outputs().done.filter(|_| !self.taken)?;
        let &(item, what) = self.held.front().expect("it shows what it holds");
        assert_eq!(done, item, "the queue keeps the order");
        Some(what)
    }

    /// Takes it.
    pub(super) fn take(&mut self) {
        self.taken = true;
    }

    /// Cycles behind this one in which nothing will be seen of it.
    pub(super) fn quiet_cycles(&self) -> Cycle {
        match self.block.quiet_cycles() {
            Cycle::MAX if self.waits() => Cycle::MAX,
            quiet if self.waits() => quiet.saturating_sub(1),
            _ => 0,
        }
    }
}

/// An end of a wire of one bit, and how often it has risen.
#[derive(Debug)]
struct Level {
    wire: WireId,
    is_high: bool,
    rises: u64,
}

impl Level {
    fn new(wire: WireId) -> Self {
        Self { wire, is_high: false, rises: 0 }
    }

    fn note(&mut self, is_high: bool) {
        self.rises += u64::from(is_high && !self.is_high);
        self.is_high = is_high;
    }

    fn see(&mut self, ctx: &mut Context) {
        let is_high = ctx.see(self.wire).get(1);
        self.note(is_high);
    }

    fn show(&mut self, ctx: &mut Context, is_high: bool) {
        ctx.show(self.wire, Packed::new(&is_high, 1));
        self.note(is_high);
    }
}

#[derive(Debug)]
struct Agent {
    inner: Box<dyn L1>,
    queue: Queue<Handle<Message>>,
    busy: Level,
    waits: Level,
    /// Fences that the unit has not been asked about.
    fences: Vec<usize>,
    requests: u64,
    /// Fences that the unit has let pass.
    passed: u64,
    /// Acquires behind something that was written past the L1s, and until when one takes.
    past: u64,
    acquires: Option<Cycle>,
}

impl L1 for Agent {
    fn request(&mut self, port: &mut Port, request: Handle<Message>) -> bool {
        let addr = port.transaction(request).addr;
        assert_eq!(port.transactions.under_way(addr), 1, "the CU waits for the line");
        assert!(port.transactions.in_use() <= OUTSTANDING as usize, "the CU keeps to the limit");
        assert!(self.acquires.is_none(), "the launch waits for the acquire");
        let free = self.queue.is_free();
        if free {
            self.queue.offer(request);
        }
        // Taken or not, the block has something to do in the next cycle.
        port.ctx.wake_at(port.ctx.now + 1);
        free
    }

    fn answer(&mut self, port: &mut Port, message: Handle<Message>) {
        self.inner.answer(port, message);
    }

    fn acquire(&mut self, port: &mut Port, past: bool) -> bool {
        assert!(self.queue.held.is_empty(), "a request is under way between kernels");
        self.past += u64::from(past);
        let until = port.ctx.now + ACQUIRE;
        self.acquires = Some(until);
        port.ctx.wake_at(until);
        self.inner.acquire(port, past);
        false
    }

    fn counters(&self, all: &mut CounterValues) {
        self.inner.counters(all);
        all.extend([
            ("queue_requests", self.requests),
            ("queue_fences", self.passed),
            ("queue_acquires_past", self.past),
            ("queue_busy_seen", self.busy.rises),
            ("queue_waits_shown", self.waits.rises),
        ]);
    }

    fn callbacks(&self) -> Callbacks {
        Callbacks { tick: true, fence: true, ..Callbacks::default() }
    }

    fn issue_policy(&self) -> IssuePolicy {
        let outstanding = Some(OUTSTANDING);
        IssuePolicy { exclusive_lines: true, outstanding, ..IssuePolicy::default() }
    }

    fn tick(&mut self, port: &mut Port) {
        self.inner.tick(port);
        if self.acquires.is_some_and(|until| until <= port.ctx.now) {
            self.acquires = None;
            port.acquired();
        }
        self.queue.advance(port.ctx.now);
        if let Some(request) = self.queue.done()
            && self.inner.request(port, request)
        {
            self.queue.take();
            self.requests += 1;
        }
        port.ctx.wake_after(self.queue.quiet_cycles());
        self.busy.see(port.ctx);
        self.waits.show(port.ctx, !self.queue.waits());
        while let Some(&wave) = self.fences.last()
            && port.send_to_unit(message(wave as u16))
        {
            self.fences.pop();
        }
    }

    fn fence(&mut self, port: &mut Port, wave: usize) -> bool {
        self.fences.push(wave);
        port.ctx.wake_at(port.ctx.now + 1);
        false
    }

    fn message(&mut self, port: &mut Port, message: Handle<Message>) -> bool {
        let Item { id } = port.ctx.messages[message].sideband.get(());
        port.ctx.messages.free(message);
        port.go_on(id.into());
        self.passed += 1;
        true
    }
}

/// A wave of the CU that sends it, or that gets it.
fn message(wave: u16) -> Message {
    let sideband = Packed::new(&Item { id: wave }, ());
    Message { kind: Kind::Design(Class::Request), sideband, ..Message::default() }
}

/// Lets fences pass, one after another.
#[derive(Debug)]
struct Unit {
    /// The CU, and its message.
    queue: Queue<(usize, Handle<Message>)>,
    ports: UnitPorts,
    busy: Vec<Level>,
    waits: Vec<Level>,
    items: u64,
}

impl GpuUnit for Unit {
    fn tick(&mut self, ctx: &mut Context) {
        self.queue.advance(ctx.now);
        if let Some((core, message)) = self.queue.done()
            && ctx.may_send(self.ports.cores[core].to)
        {
            ctx.send(self.ports.cores[core].to, message);
            self.queue.take();
            self.items += 1;
        }
        for (i, core) in self.ports.cores.iter().enumerate() {
            if let Some(message) = ctx.peek(core.from) {
                if !self.queue.is_free() {
                    ctx.wake_at(ctx.now + 1);
                    break;
                }
                ctx.take(core.from);
                self.queue.offer((i, message));
            }
        }
        let busy = !self.queue.held.is_empty();
        self.busy.iter_mut().for_each(|wire| wire.show(ctx, busy));
        self.waits.iter_mut().for_each(|wire| wire.see(ctx));
        ctx.wake_after(self.queue.quiet_cycles());
    }

    fn counters(&self, all: &mut CounterValues) {
        let rises = |wires: &[Level]| wires.iter().map(|wire| wire.rises).sum();
        all.extend([
            ("queue_unit_items", self.items),
            ("queue_busy_shown", rises(&self.busy)),
            ("queue_waits_seen", rises(&self.waits)),
        ]);
    }
}

/// Delays a bank's requests.
#[derive(Debug)]
struct Bank {
    queue: Queue<Handle<Message>>,
    requests: u64,
    /// The last victim stays a cycle longer, and how often one has.
    has_spared: bool,
    vetoes: u64,
}

impl BankHook for Bank {
    fn tick(&mut self, port: &mut BankPort) {
        self.queue.advance(port.ctx.now);
        if self.queue.is_free()
            && let Some(request) = port.ctx.peek(port.bank.requests)
        {
            port.ctx.take(port.bank.requests);
            self.queue.offer(request);
        }
    }

    fn quiet_cycles(&self) -> Cycle {
        self.queue.quiet_cycles()
    }

    fn orders(&self) -> bool {
        true
    }

    fn pick(&mut self, _port: &mut BankPort) -> Option<Handle<Message>> {
        self.queue.done()
    }

    fn served(&mut self, _port: &mut BankPort) {
        self.queue.take();
        self.requests += 1;
    }

    fn may_pass(&mut self, _port: &mut BankPort, _request: &Message) -> bool {
        true
    }

    fn may_evict(&mut self, port: &mut BankPort, _way: Way) -> bool {
        self.has_spared = !self.has_spared;
        if self.has_spared {
            self.vetoes += 1;
            port.ctx.wake_at(port.ctx.now + 1);
        }
        !self.has_spared
    }

    fn counters(&self, all: &mut CounterValues) {
        all.extend([("queue_bank_requests", self.requests), ("queue_bank_vetoes", self.vetoes)]);
    }
}
