//! For tests: each fence, and each wave's end, is delayed for some cycles.

use machine::design::{
    Callbacks, CounterValues, Cycle, Design, Handle, L1, Message, Port, SRC, registered,
};
use std::collections::VecDeque;

inventory::submit! { registered(DESIGN) }

const DESIGN: Design = Design {
    name: "test-fence",
    about: "for tests: src, each fence delayed for 11 cycles",
    core: |make| {
        let inner = (SRC.core)(make)?;
        Ok(Box::new(Delay { inner, delayed: VecDeque::new(), fences: 0 }))
    },
    ..SRC
};

const CYCLES: Cycle = 11;

#[derive(Debug)]
struct Delay {
    inner: Box<dyn L1>,
    /// Waves that are delayed, and until when.
    delayed: VecDeque<(Cycle, usize)>,
    fences: u64,
}

impl L1 for Delay {
    fn request(&mut self, port: &mut Port, request: Handle<Message>) -> bool {
        self.inner.request(port, request)
    }

    fn answer(&mut self, port: &mut Port, message: Handle<Message>) {
        self.inner.answer(port, message);
    }

    fn acquire(&mut self, port: &mut Port, past: bool) -> bool {
        assert!(self.delayed.is_empty(), "a wave has ended before it might");
        self.inner.acquire(port, past)
    }

    fn counters(&self, all: &mut CounterValues) {
        self.inner.counters(all);
        all.push(("fence_delays", self.fences));
    }

    fn callbacks(&self) -> Callbacks {
        Callbacks { tick: true, fence: true, ..Callbacks::default() }
    }

    fn tick(&mut self, port: &mut Port) {
        self.inner.tick(port);
        while let Some(&(until, wave)) = self.delayed.front()
            && until <= port.ctx.now
        {
            self.delayed.pop_front();
            port.go_on(wave);
        }
    }

    fn fence(&mut self, port: &mut Port, wave: usize) -> bool {
        let until = port.ctx.now + CYCLES;
        self.delayed.push_back((until, wave));
        port.ctx.wake_at(until);
        self.fences += 1;
        false
    }
}
