//! For tests: each instruction is held for some cycles before it issues.

use machine::design::{
    Callbacks, CounterValues, Cycle, Design, Handle, L1, Message, Port, SRC, registered,
};
use std::collections::VecDeque;

use traces::trace::Instr;

inventory::submit! { registered(DESIGN) }

const DESIGN: Design = Design {
    name: "test-hold",
    about: "for tests: src, each instruction held for 7 cycles",
    core: |make| {
        let inner = (SRC.core)(make)?;
        Ok(Box::new(Hold { inner, held: VecDeque::new(), may: 0, holds: 0 }))
    },
    ..SRC
};

const CYCLES: Cycle = 7;

#[derive(Debug)]
struct Hold {
    inner: Box<dyn L1>,
    /// Waves that are held, and until when.
    held: VecDeque<(Cycle, usize)>,
    /// Waves that have been held long enough, one bit each.
    may: u64,
    holds: u64,
}

impl L1 for Hold {
    fn request(&mut self, port: &mut Port, request: Handle<Message>) -> bool {
        self.inner.request(port, request)
    }

    fn answer(&mut self, port: &mut Port, message: Handle<Message>) {
        self.inner.answer(port, message);
    }

    fn acquire(&mut self, port: &mut Port, past: bool) -> bool {
        self.inner.acquire(port, past)
    }

    fn counters(&self, all: &mut CounterValues) {
        self.inner.counters(all);
        all.push(("hold_holds", self.holds));
    }

    fn callbacks(&self) -> Callbacks {
        Callbacks { tick: true, may_issue: true, ..Callbacks::default() }
    }

    fn tick(&mut self, port: &mut Port) {
        self.inner.tick(port);
        while let Some(&(until, wave)) = self.held.front()
            && until <= port.ctx.now
        {
            self.held.pop_front();
            self.may |= 1 << wave;
            port.go_on(wave);
        }
    }

    fn may_issue(&mut self, port: &mut Port, wave: usize, _instr: &Instr) -> bool {
        let may = self.may >> wave & 1 == 1;
        self.may &= !(1 << wave);
        if !may {
            let until = port.ctx.now + CYCLES;
            self.held.push_back((until, wave));
            port.ctx.wake_at(until);
            self.holds += 1;
        }
        may
    }
}
