//! For tests: an L1 design that brings its own L2, another one behind a bank that passes everything
//! on.

use machine::design::{
    Context, CounterValues, Design, L2, L2Design, SOFTWARE, SRC, Unit, registered,
};

inventory::submit! { registered(DESIGN) }

const DESIGN: Design = Design {
    name: "test-through",
    about: "for tests: src with an L2 of its own, which is software's",
    l2: Some(L2Design {
        about: "for tests: software behind a bank that does nothing",
        bank: |make, spec| Ok(Box::new(Through { inner: (SOFTWARE.bank)(make, spec)? })),
        ..SOFTWARE
    }),
    ..SRC
};

/// A bank before a bank.
#[derive(Debug)]
struct Through {
    inner: Box<dyn L2>,
}

impl L2 for Through {
    fn tick(&mut self, ctx: &mut Context) {
        self.inner.tick(ctx);
    }

    fn unit(&self) -> Unit {
        self.inner.unit()
    }

    fn line(&self, addr: u64) -> Option<(u128, &[u8])> {
        self.inner.line(addr)
    }

    fn counters(&self, all: &mut CounterValues) {
        self.inner.counters(all);
    }

    fn l1_counters(&self, all: &mut CounterValues) {
        self.inner.l1_counters(all);
    }
}
