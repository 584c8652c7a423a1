//! For tests: an agent before the L1 that sees every call, keeps a state for each wave, and does
//! nothing.

use machine::design::{
    Callbacks, CounterValues, Design, Handle, L1, MAX_WAVES, Message, Port, SRC, registered,
};
use traces::trace::Instr;

inventory::submit! { registered(DESIGN) }

const DESIGN: Design = Design {
    name: "test-agent",
    about: "for tests: src behind an agent that sees everything and does nothing",
    core: |make| {
        let (inner, waves) = ((SRC.core)(make)?, [None; MAX_WAVES]);
        Ok(Box::new(Agent { inner, waves, counters: Counters::default() }))
    },
    ..SRC
};

#[derive(Debug, Default)]
struct Counters {
    waves: u64,
    issues: u64,
    requests: u64,
    fences: u64,
    ticks: u64,
}

#[derive(Debug)]
struct Agent {
    inner: Box<dyn L1>,
    /// Of each wave that runs, instructions that have issued.
    waves: [Option<u64>; MAX_WAVES],
    counters: Counters,
}

impl L1 for Agent {
    fn request(&mut self, port: &mut Port, request: Handle<Message>) -> bool {
        let wave = usize::from(port.transaction(request).wave);
        assert!(self.waves[wave] > Some(0), "a request of a wave that has issued nothing");
        let taken = self.inner.request(port, request);
        self.counters.requests += u64::from(taken);
        taken
    }

    fn answer(&mut self, port: &mut Port, message: Handle<Message>) {
        self.inner.answer(port, message);
    }

    fn acquire(&mut self, port: &mut Port, past: bool) -> bool {
        assert!(self.waves.iter().all(Option::is_none), "waves run between kernels");
        self.inner.acquire(port, past)
    }

    fn counters(&self, all: &mut CounterValues) {
        let c = &self.counters;
        self.inner.counters(all);
        all.extend([
            ("agent_waves", c.waves),
            ("agent_issues", c.issues),
            ("agent_requests", c.requests),
            ("agent_fences", c.fences),
        ]);
    }

    fn callbacks(&self) -> Callbacks {
        Callbacks {
            tick: true,
            waves: true,
            may_issue: true,
            fence: true,
            speculation: true,
            ..Callbacks::default()
        }
    }

    fn tick(&mut self, port: &mut Port) {
        self.inner.tick(port);
        self.counters.ticks += 1;
    }

    fn begin_wave(&mut self, _port: &mut Port, wave: usize) {
        let before = self.waves[wave].replace(0);
        assert_eq!(before, None, "the slot was in use");
        self.counters.waves += 1;
    }

    fn end_wave(&mut self, _port: &mut Port, wave: usize) {
        self.waves[wave].take().expect("it has begun");
    }

    fn may_issue(&mut self, _port: &mut Port, wave: usize, _instr: &Instr) -> bool {
        *self.waves[wave].as_mut().expect("it has begun") += 1;
        self.counters.issues += 1;
        true
    }

    fn fence(&mut self, _port: &mut Port, wave: usize) -> bool {
        assert!(self.waves[wave].is_some(), "it has begun");
        self.counters.fences += 1;
        true
    }
}
