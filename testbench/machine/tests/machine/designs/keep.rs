//! For tests: policies of what L1s and L2 banks keep. `test-never` keeps nothing; `test-first` each
//! line in the first way of its set; in `test-queue` what a policy is asked passes a block,
//! `test_queue`, and a bank's answers say whether another CU has used their line: an L1 does not
//! keep such lines.

use machine::design::{
    BankHook, BankPort, BuildError, Choice, Context, CounterValues, Cycle, Handle, Kind, L1Policy,
    Make, Message, NewL1Policy, NewL2Policy, Unit, Way, Ways, registered,
};

use super::queue::{Queue, SECTION};

/// Submits policies.
macro_rules! submit {
    ($($policy:ident, $name:literal, $sections:expr, $new:expr;)+) => {
        $(inventory::submit! {
            registered($policy {
                name: $name,
                about: "for tests",
                sections: $sections,
                check: |_| Ok(()),
                new: Some($new),
            })
        })+
    };
}

submit! {
    NewL1Policy, "test-never", &[], |_| Ok(Box::new(Never));
    NewL2Policy, "test-never", &[], |_| Ok(Box::new(Never));
    NewL1Policy, "test-first", &[], |_| Ok(Box::new(First));
    NewL2Policy, "test-first", &[], |_| Ok(Box::new(First));
    NewL1Policy, "test-queue", &[SECTION], |make| Ok(Box::new(OfL1 {
        queue: queue(make)?,
        is_asked: false,
        turn: 0,
        kept: 0,
        shared: 0,
        told: 0,
    }));
    NewL2Policy, "test-queue", &[SECTION], |make| Ok(Box::new(OfBank {
        queue: queue(make)?,
        seen: Vec::new(),
        asker: Unit::default(),
        lines: Vec::new(),
        turn: 0,
        passed: 0,
        fills: 0,
        hints: 0,
    }));
}

#[derive(Debug)]
struct Never;

impl L1Policy for Never {
    fn choose(&mut self, _ctx: &mut Context, _answer: &Message, _ways: Ways) -> Choice {
        Choice::Nowhere
    }
}

impl BankHook for Never {
    fn choose(
        &mut self,
        _port: &mut BankPort,
        _request: Handle<Message>,
        ways: Ways,
        may_pass: bool,
    ) -> Choice {
        if may_pass { Choice::Nowhere } else { from(ways, 0) }
    }
}

/// The first free way behind so many of a set.
fn from(Ways { first, free }: Ways, turn: u32) -> Choice {
    let behind = free >> turn << turn;
    match if behind != 0 { behind } else { free } {
        0 => Choice::NotYet,
        ways => Choice::Way(first + ways.trailing_zeros()),
    }
}

#[derive(Debug)]
struct First;

impl L1Policy for First {
    fn choose(&mut self, _ctx: &mut Context, _answer: &Message, ways: Ways) -> Choice {
        from(ways, 0)
    }
}

impl BankHook for First {
    fn choose(
        &mut self,
        _port: &mut BankPort,
        _request: Handle<Message>,
        ways: Ways,
        may_pass: bool,
    ) -> Choice {
        // The bank is visited when the line that is on its way there has come.
        if may_pass && ways.free & 1 == 0 { Choice::NotYet } else { from(ways, 0) }
    }
}

/// A block beside one that a design may have.
fn queue<T: Copy>(make: &mut Make) -> Result<Queue<T>, BuildError> {
    let place = make.place.clone();
    make.place += "/keeps";
    let queue = Queue::new(make);
    make.place = place;
    queue
}

/// Of an L1: ways in turn.
#[derive(Debug)]
struct OfL1 {
    queue: Queue<()>,
    is_asked: bool,
    turn: u32,
    kept: u64,
    shared: u64,
    told: u64,
}

impl L1Policy for OfL1 {
    fn tick(&mut self, ctx: &mut Context) {
        self.queue.advance(ctx.now);
        ctx.wake_after(self.queue.quiet_cycles());
    }

    fn choose(&mut self, ctx: &mut Context, answer: &Message, ways: Ways) -> Choice {
        self.queue.advance(ctx.now);
        if self.is_asked && self.queue.done().is_some() {
            self.queue.take();
            self.is_asked = false;
            let choice = match answer.hint {
                0 => from(ways, self.turn),
                _ => Choice::Nowhere,
            };
            self.turn = (self.turn + 1) % 4;
            self.kept += u64::from(choice != Choice::Nowhere);
            self.shared += u64::from(choice == Choice::Nowhere);
            ctx.wake_at(ctx.now + 1);
            return choice;
        }
        if !self.is_asked {
            self.queue.offer(());
            self.is_asked = true;
        }
        ctx.wake_after(self.queue.quiet_cycles());
        Choice::NotYet
    }

    fn touch(&mut self, _ctx: &mut Context, _way: Way) {
        self.told += 1;
    }

    fn drop_line(&mut self, _ctx: &mut Context, _way: Way) {
        self.told += 1;
    }

    fn drop_all(&mut self, _ctx: &mut Context) {
        self.told += 1;
    }

    fn counters(&self, all: &mut CounterValues) {
        all.extend([
            ("keep_kept", self.kept),
            ("keep_shared", self.shared),
            ("keep_told", self.told),
        ]);
    }
}

/// Of a bank: ways in turn; every fourth read that may passes.
#[derive(Debug)]
struct OfBank {
    queue: Queue<Handle<Message>>,
    /// Requests that have passed the block, and not left the bank.
    seen: Vec<Handle<Message>>,
    /// Who has asked for the line that is placed next, and of those in ways: and whether another
    /// has used it.
    asker: Unit,
    lines: Vec<(Unit, bool)>,
    turn: u32,
    passed: u64,
    fills: u64,
    hints: u64,
}

impl OfBank {
    /// Whether a request has passed the block; else it is offered if it can be.
    fn has_passed(&mut self, request: Handle<Message>) -> bool {
        let seen = self.seen.contains(&request);
        if !seen && self.queue.is_free() && !self.queue.holds(request) {
            self.queue.offer(request);
        }
        seen
    }

    fn leave(&mut self, request: Handle<Message>) {
        let seen = self.seen.iter().position(|&other| other == request);
        self.seen.swap_remove(seen.expect("what leaves has passed the block"));
    }
}

impl BankHook for OfBank {
    fn tick(&mut self, port: &mut BankPort) {
        self.queue.advance(port.ctx.now);
        if let Some(request) = self.queue.done() {
            self.queue.take();
            self.seen.push(request);
        }
    }

    fn quiet_cycles(&self) -> Cycle {
        self.queue.quiet_cycles()
    }

    fn may_perform(
        &mut self,
        _port: &mut BankPort,
        request: Handle<Message>,
        _way: Option<Way>,
    ) -> bool {
        self.has_passed(request)
    }

    fn may_wait(&mut self, _port: &mut BankPort, request: Handle<Message>, _way: Way) -> bool {
        self.has_passed(request)
    }

    fn next(&mut self, _port: &mut BankPort, request: Handle<Message>, _way: Option<Way>) {
        self.has_passed(request);
    }

    fn choose(
        &mut self,
        port: &mut BankPort,
        request: Handle<Message>,
        ways: Ways,
        may_pass: bool,
    ) -> Choice {
        let Message { kind, from: asker, .. } = port.ctx.messages[request];
        if kind == Kind::Read && may_pass && self.turn == 3 {
            return Choice::Nowhere;
        }
        self.asker = asker;
        from(ways, self.turn)
    }

    fn place(&mut self, way: Way, _addr: u64) {
        let way = way as usize;
        self.lines.resize(self.lines.len().max(way + 1), Default::default());
        self.lines[way] = (self.asker, false);
        self.turn = (self.turn + 1) % 4;
    }

    fn fill(&mut self, _port: &mut BankPort, _way: Way) {
        self.fills += 1;
    }

    fn answer(
        &mut self,
        port: &mut BankPort,
        way: Way,
        asked: &Message,
        answer: Handle<Message>,
        _line: &[u8],
    ) {
        self.leave(answer);
        let (asker, is_shared) = &mut self.lines[way as usize];
        *is_shared |= *asker != asked.from;
        port.ctx.messages[answer].hint = u8::from(*is_shared);
        self.hints += u64::from(*is_shared && asked.kind == Kind::Read);
    }

    fn pass(&mut self, port: &mut BankPort, request: Handle<Message>) {
        self.leave(request);
        if port.ctx.messages[request].kind == Kind::Read {
            self.turn = (self.turn + 1) % 4;
            self.passed += 1;
        }
    }

    fn counters(&self, all: &mut CounterValues) {
        all.extend([
            ("keep_passed", self.passed),
            ("keep_fills", self.fills),
            ("keep_hints", self.hints),
        ]);
    }
}
