//! For tests: every load is speculative for some cycles, whether it has been answered by then or
//! not; some are then replayed.

use machine::design::{
    Callbacks, CounterValues, Cycle, Design, Handle, Kind, L1, MAX_WAVES, Message, Port, SRC,
    Value, registered,
};
use std::collections::VecDeque;

inventory::submit! { registered(DESIGN) }

const DESIGN: Design = Design {
    name: "test-speculate",
    about: "for tests: src, loads speculative for 150 cycles, some replayed",
    core: |make| {
        let inner = (SRC.core)(make)?;
        let (open, last) = (VecDeque::new(), [None; MAX_WAVES]);
        let counters = Counters::default();
        Ok(Box::new(Speculate { inner, open, last, late: None, handed: Cycle::MAX, counters }))
    },
    ..SRC
};

/// About the latency of an L1 hit of the presets: some loads have been answered before, some not.
const CYCLES: Cycle = 150;
/// Every fifth load is replayed, unless its wave has been at this place of its list again
/// already.
const REPLAYED: u64 = 5;

#[derive(Debug, Default)]
struct Counters {
    loads: u64,
    others: u64,
    confirmed: u64,
    replayed: u64,
    dropped: u64,
}

#[derive(Debug)]
struct Speculate {
    inner: Box<dyn L1>,
    /// Transactions that are speculative, and until when.
    open: VecDeque<(Cycle, u32)>,
    /// Where each wave was sent back to last.
    last: [Option<u32>; MAX_WAVES],
    /// A load that is handed to the L1, and speculative, one cycle later; whether it is not yet.
    late: Option<(Handle<Message>, bool)>,
    /// The cycle in which it was handed to the L1, which takes one request in a cycle.
    handed: Cycle,
    counters: Counters,
}

impl Speculate {
    /// The load is speculative from now on.
    fn begin(&mut self, port: &mut Port, tag: u32) {
        let until = port.ctx.now + CYCLES;
        self.open.push_back((until, tag));
        port.ctx.wake_at(until);
        self.counters.loads += 1;
    }
}

impl L1 for Speculate {
    fn request(&mut self, port: &mut Port, request: Handle<Message>) -> bool {
        let Message { tag, kind, .. } = port.ctx.messages[request];
        if self.handed == port.ctx.now {
            port.ctx.wake_at(port.ctx.now + 1);
            return false;
        }
        if kind != Kind::Read {
            // A store behind a load of its wave that waits here, confirmed or not, stays behind it.
            let taken = self.late.is_none() && self.inner.request(port, request);
            self.counters.others += u64::from(taken);
            return taken;
        }
        if self.late.is_none() && self.counters.loads.is_multiple_of(2) {
            self.late = Some((request, true));
            port.ctx.wake_at(port.ctx.now + 1);
            return true;
        }
        port.speculate(tag);
        let taken = self.inner.request(port, request);
        if taken {
            self.begin(port, tag);
        }
        taken
    }

    fn answer(&mut self, port: &mut Port, message: Handle<Message>) {
        self.inner.answer(port, message);
    }

    fn acquire(&mut self, port: &mut Port, past: bool) -> bool {
        assert!(self.open.is_empty(), "a wave has ended with a speculative load");
        self.inner.acquire(port, past)
    }

    fn counters(&self, all: &mut CounterValues) {
        let c = &self.counters;
        self.inner.counters(all);
        all.extend([
            ("speculate_loads", c.loads),
            ("speculate_others", c.others),
            ("speculate_confirmed", c.confirmed),
            ("speculate_replayed", c.replayed),
            ("speculate_dropped", c.dropped),
        ]);
    }

    fn callbacks(&self) -> Callbacks {
        Callbacks { tick: true, waves: true, speculation: true, ..Callbacks::default() }
    }

    fn begin_wave(&mut self, _port: &mut Port, wave: usize) {
        self.last[wave] = None;
    }

    fn tick(&mut self, port: &mut Port) {
        self.inner.tick(port);
        if let Some((request, is_new)) = self.late {
            let tag = port.ctx.messages[request].tag;
            // A replay may have dropped it by now: then only the answer is missing.
            if is_new && port.transaction(request).value == Value::Plain {
                port.speculate(tag);
                self.begin(port, tag);
            }
            let taken = self.inner.request(port, request);
            self.late = (!taken).then_some((request, false));
            self.handed = port.ctx.now;
        }
        // One in a cycle, so that none that is confirmed is dropped by the replay of another.
        if let Some(&(until, tag)) = self.open.front()
            && until <= port.ctx.now
        {
            self.open.pop_front();
            port.ctx.wake_at(port.ctx.now + 1);
            let t = &port.transactions[tag];
            let last = &mut self.last[usize::from(t.wave)];
            let number = self.counters.confirmed + self.counters.replayed;
            if number.is_multiple_of(REPLAYED) && Some(t.place) > *last {
                *last = Some(t.place);
                port.replay(tag);
                self.counters.replayed += 1;
            } else {
                port.confirm(tag);
                self.counters.confirmed += 1;
            }
        }
    }

    fn dropped(&mut self, tag: u32) {
        self.open.retain(|&(_, open)| open != tag);
        self.counters.dropped += 1;
    }
}
