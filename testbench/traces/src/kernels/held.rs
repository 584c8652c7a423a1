//! What a work-group has done. A record takes an access together with its first use, which is known
//! when the group has ended: the accesses of a group wait until then.

use std::cell::{Cell, RefCell};
use std::ops::Deref;

use crate::trace::{Access, AccessKind, AtomicOp, Chain, FirstUse, Key, Record, Work};

use super::buffer::Element;
use super::group::Site;

/// The value of a load, or the old value of an atomic, in a register of its work-item. To
/// dereference it is to read it. The access is recorded with its first read: that is by the
/// instruction which the work-item counts next, so by the first of the gap before its next access,
/// or by that access where the gap is 0. [`Item::work`](super::Item::work), barriers and fences
/// count as well. What goes into local memory is read there.
#[derive(Clone, Copy)]
pub struct Loaded<'a, T> {
    pub(super) value: T,
    pub(super) held: &'a Held,
    /// Number of the access among the events.
    pub(super) event: usize,
}

impl<T> Deref for Loaded<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        self.held.read(self.event);
        &self.value
    }
}

/// One thing that a group did.
enum Event {
    Access(Kept),
    Fence(u32, Key),
    Barrier,
}

/// An access with bytes of its own.
struct Kept {
    item: u32,
    key: Key,
    kind: Kind,
    addr: u64,
    bytes: [u8; 16],
    len: u8,
    instructions: u32,
    chain: u32,
    first_use: FirstUse,
    /// Instructions that the work-item has executed, this one among them.
    executed: u32,
}

/// [`AccessKind`] with bytes of its own.
#[derive(Clone, Copy)]
pub enum Kind {
    Load,
    Store,
    Atomic(AtomicOp, [u8; 16]),
}

/// Instructions of a work-item.
#[derive(Default)]
struct Counts {
    executed: Cell<u32>,
    /// Those of them that no access has reported yet.
    unreported: Cell<u32>,
}

impl Counts {
    fn execute(&self, instructions: u32) {
        self.executed.set(self.executed.get() + instructions);
    }
}

/// What a group has done so far.
pub struct Held {
    events: RefCell<Vec<Event>>,
    items: Vec<Counts>,
    /// The work-item that is running.
    running: Cell<u32>,
}

impl Held {
    /// Nothing, of a group of so many work-items.
    pub fn new(items: u32) -> Self {
        let items = (0..items).map(|_| Counts::default()).collect();
        Self { events: RefCell::default(), items, running: Cell::new(0) }
    }

    /// A work-item runs from here on.
    pub fn run(&self, item: usize) {
        self.running.set(item as u32);
    }

    fn counts(&self) -> &Counts {
        &self.items[self.running.get() as usize]
    }

    /// Instructions before the next access of the work-item.
    pub fn work(&self, instructions: u32) {
        let counts = self.counts();
        counts.execute(instructions);
        counts.unreported.set(counts.unreported.get() + instructions);
    }

    /// Gives the number of the event.
    #[inline]
    pub fn access<T: Element>(&self, at: Site, key: Key, kind: Kind, addr: u64, value: T) -> usize {
        let counts = self.counts();
        let instructions = at.gap + counts.unreported.take();
        counts.execute(at.gap + 1);
        let first_use = match kind {
            Kind::Store => FirstUse::Unknown,
            Kind::Load | Kind::Atomic(..) => FirstUse::Never,
        };
        let (item, executed) = (self.running.get(), counts.executed.get());
        let (bytes, len, chain) = (value.encode(), T::BYTES as u8, at.chain);
        let kept =
            Kept { item, key, kind, addr, bytes, len, instructions, chain, first_use, executed };
        self.push(Event::Access(kept))
    }

    /// The work-item reads the value of an access of its own.
    fn read(&self, event: usize) {
        let Event::Access(kept) = &mut self.events.borrow_mut()[event] else {
            unreachable!("an access has given the value")
        };
        assert_eq!(kept.item, self.running.get(), "a register of another work-item");
        if kept.first_use == FirstUse::Never {
            let executed = self.counts().executed.get() - kept.executed;
            kept.first_use = FirstUse::After(executed + 1);
        }
    }

    pub fn fence(&self, key: Key) {
        self.counts().execute(1);
        self.push(Event::Fence(self.running.get(), key));
    }

    pub fn barrier(&self) {
        self.items.iter().for_each(|counts| counts.execute(1));
        self.push(Event::Barrier);
    }

    fn push(&self, event: Event) -> usize {
        let mut events = self.events.borrow_mut();
        events.push(event);
        events.len() - 1
    }

    /// Records it. What comes then is another group's.
    pub fn release<R: Record>(&self, record: &mut R) -> Result<(), R::Error> {
        record.begin_group()?;
        let mut events = self.events.borrow_mut();
        for event in events.iter() {
            match event {
                Event::Access(kept) => record.access(&kept.access())?,
                Event::Fence(item, key) => record.fence(*item, *key)?,
                Event::Barrier => record.barrier()?,
            }
        }
        events.clear();
        for counts in &self.items {
            counts.executed.set(0);
            counts.unreported.set(0);
        }
        record.end_group()
    }
}

impl Kept {
    fn access(&self) -> Access<'_> {
        let len = usize::from(self.len);
        let kind = match &self.kind {
            Kind::Load => AccessKind::Load,
            Kind::Store => AccessKind::Store,
            Kind::Atomic(op, old) => AccessKind::Atomic { op: *op, old: &old[..len] },
        };
        let Self { item, key, addr, instructions, chain, first_use, .. } = *self;
        let chain = Chain { arithmetic: chain, ..Chain::default() };
        let work = Work { instructions, chain, ..Work::default() };
        Access { item, key, kind, addr, bytes: &self.bytes[..len], work, first_use }
    }
}
