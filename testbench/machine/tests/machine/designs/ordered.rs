//! For tests: sequential consistency without an L1. A wave has one access under way, and an access
//! is over where the L2 bank performs it. `test-loose` says the same, and lets a wave go on;
//! `test-early` lets it pass a barrier: what checks the order must see that.

use machine::design::{
    BankHook, BankPort, Callbacks, Design, Handle, Kind, L1, L2Design, MemoryModel, Message, Port,
    SOFTWARE, SRC, Way, registered,
};
use machine::sequential::{Seen, Version, WaveOf, WriteId};
use traces::trace::{Instr, InstrKind};

inventory::submit! { registered(STRICT) }
inventory::submit! { registered(LOOSE) }
inventory::submit! { registered(EARLY) }

const STRICT: Design = Design {
    name: "test-strict",
    about: "for tests: no L1, and a wave has one access under way",
    promises: MemoryModel::Sc,
    asks_policy: false,
    core: |_| Ok(Box::new(NoL1 { waits: true, early: false, busy: 0 })),
    bank: Some(|_| Ok(Box::new(Order))),
    l2: Some(L2Design {
        about: "for tests: software, which says in which order it performs",
        promises: MemoryModel::Sc,
        ..SOFTWARE
    }),
    ..SRC
};

const LOOSE: Design = Design {
    name: "test-loose",
    about: "for tests: no L1; promises an order that it does not keep",
    core: |_| Ok(Box::new(NoL1 { waits: false, early: true, busy: 0 })),
    ..STRICT
};

const EARLY: Design = Design {
    name: "test-early",
    about: "for tests: test-strict, but barriers do not wait for accesses before them",
    core: |_| Ok(Box::new(NoL1 { waits: true, early: true, busy: 0 })),
    ..STRICT
};

#[derive(Debug)]
struct NoL1 {
    waits: bool,
    /// Not at barriers.
    early: bool,
    /// Waves with an access under way.
    busy: u64,
}

impl L1 for NoL1 {
    fn request(&mut self, port: &mut Port, request: Handle<Message>) -> bool {
        let Message { kind, tag, from, .. } = port.ctx.messages[request];
        let slot = usize::from(port.transactions[tag].wave);
        if self.busy >> slot & 1 == 1 || !port.may_send(request) {
            return false;
        }
        self.busy |= u64::from(self.waits) << slot;
        if let Some(order) = port.ctx.sequential.as_mut().filter(|_| kind != Kind::Read) {
            let write = order.send(WaveOf { cu: from, slot }, tag);
            port.ctx.messages[request].sideband = write.packed();
        }
        assert!(port.send(request), "it may be sent");
        true
    }

    fn answer(&mut self, port: &mut Port, message: Handle<Message>) {
        let Message { kind, tag, to, line, sideband, .. } = port.ctx.messages[message];
        let t = port.transactions[tag];
        if let Some(order) = port.ctx.sequential.as_mut().filter(|_| kind == Kind::Data) {
            let version = Version::of(sideband);
            let wave = WaveOf { cu: to, slot: t.wave.into() };
            let bytes = &port.ctx.lines[line].0;
            order.read(wave, tag, (t.addr, t.mask), Seen { version, own: &[] }, bytes);
        }
        if self.waits {
            self.busy &= !(1 << t.wave);
            port.go_on(t.wave.into());
        }
        port.finish_with(message);
    }

    fn acquire(&mut self, _port: &mut Port, _past: bool) -> bool {
        true
    }

    fn callbacks(&self) -> Callbacks {
        Callbacks { may_issue: self.waits, ..Callbacks::default() }
    }

    fn may_issue(&mut self, _port: &mut Port, wave: usize, instr: &Instr) -> bool {
        self.busy >> wave & 1 == 0 || self.early && instr.kind == InstrKind::Barrier
    }
}

/// Says what a bank performs.
#[derive(Debug)]
struct Order;

impl BankHook for Order {
    fn answer(
        &mut self,
        port: &mut BankPort,
        _way: Way,
        asked: &Message,
        answer: Handle<Message>,
        line: &[u8],
    ) {
        let Some(order) = &mut port.ctx.sequential else { return };
        if asked.kind != Kind::Read {
            order.order(WriteId::of(asked.sideband));
        }
        port.ctx.messages[answer].sideband = order.serve(asked, line).packed();
    }
}
