//! The L1 design `src-limited`: `src`, to which a CU sends a request only while `request_limiter`
//! is ready.

use cosim::socket::Socket;
use hwmodel::Block;
use machine::design::{
    Callbacks, ConfigError, CounterValues, Cycle, Design, Handle, IssuePolicy, L1, Message, Port,
    SRC, Section, System, defaults, registered,
};
use machine::{Counted, statistics};
use ports::Fields;

use crate::limiter::RequestLimiter;
use crate::limiter::ports::{Config, In};

inventory::submit! { Counted(&statistics! {
    "l1.limited_requests" "requests" "requests that the limiter accepted",
}) }

inventory::submit! { registered(DESIGN) }

/// Section `[request_limiter]`.
const SECTION: Section = Section {
    name: "request_limiter",
    about: "How often a CU may send a request to its L1, with l1.design = src-limited.",
    fields: &[Config::FIELDS],
    fixed: &[],
    default: |_| Ok(defaults(&Config { burst: 4, period: 4 })),
};

const DESIGN: Design = Design {
    name: "src-limited",
    about: "src, with at most one request in request_limiter.period cycles",
    sections: &[SECTION],
    check: |machine| config(machine.system).map(|_| ()),
    core: |make| {
        let inner = (SRC.core)(make)?;
        let config = config(make.system)?;
        let name = format!("{} tokens, {} cycles", config.burst, config.period);
        let limiter = make.socket(&name, &config)?;
        Ok(Box::new(Limited { inner, limiter, taken: false, requests: 0 }))
    },
    ..SRC
};

fn config(system: &System) -> Result<Config, ConfigError> {
    system.parameters(&SECTION)
}

#[derive(Debug)]
struct Limited {
    inner: Box<dyn L1>,
    limiter: Socket<RequestLimiter>,
    /// A request was accepted in this cycle. The block is ticked in the CU's next wake-up.
    taken: bool,
    requests: u64,
}

impl Limited {
    /// Ticks the block for all cycles before this one.
    fn advance(&mut self, now: Cycle) {
        if self.limiter.cycle() < now && std::mem::take(&mut self.taken) {
            self.limiter.tick(&In { request_valid: true });
        }
        self.limiter.catch_up(now, &In::default());
    }
}

impl L1 for Limited {
    fn request(&mut self, port: &mut Port, request: Handle<Message>) -> bool {
        let now = port.ctx.now;
        if self.taken || !self.limiter.outputs().request_ready {
            // Without a token: the first cycle in which the block may have one.
            let quiet = if self.taken { 1 } else { self.limiter.quiet_cycles().max(1) };
            port.ctx.wake_at(now + quiet);
            return false;
        }
        self.taken = self.inner.request(port, request);
        if self.taken {
            self.requests += 1;
            // The cycle in which the block is ticked.
            port.ctx.wake_at(now + 1);
        }
        self.taken
    }

    fn tick(&mut self, port: &mut Port) {
        self.inner.tick(port);
        self.advance(port.ctx.now);
    }

    fn answer(&mut self, port: &mut Port, message: Handle<Message>) {
        self.inner.answer(port, message);
    }

    fn acquire(&mut self, port: &mut Port, past: bool) -> bool {
        self.inner.acquire(port, past)
    }

    fn counters(&self, all: &mut CounterValues) {
        self.inner.counters(all);
        all.push(("limited_requests", self.requests));
    }

    fn callbacks(&self) -> Callbacks {
        Callbacks { tick: true, ..self.inner.callbacks() }
    }

    fn issue_policy(&self) -> IssuePolicy {
        self.inner.issue_policy()
    }
}
