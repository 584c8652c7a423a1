//! For tests: an L2 that contains another and passes everything on.

use super::{Design, L2, Seat, Spec, software};
use crate::context::Context;

pub const DESIGN: Design = Design {
    about: "for tests: another design behind a bank that does nothing",
    bank: |spec| Box::new(Through::new(spec)),
    ..software::DESIGN
};

/// A bank before a bank.
#[derive(Debug)]
pub struct Through {
    inner: Box<dyn L2>,
}

impl Through {
    fn new(spec: Spec) -> Self {
        Self { inner: (software::DESIGN.bank)(spec) }
    }
}

impl L2 for Through {
    fn tick(&mut self, ctx: &mut Context) {
        self.inner.tick(ctx);
    }

    fn counters(&self) -> Vec<(&'static str, u64)> {
        self.inner.counters()
    }

    fn seat(&self) -> &Seat {
        self.inner.seat()
    }
}
