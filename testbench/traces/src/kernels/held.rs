//! What a work-group has done. A record takes an access together with its first use, which is known
//! when the group has ended: the accesses of a group wait until then.

use std::cell::{Cell, RefCell};
use std::ops::Deref;

use crate::trace::{Access, AccessKind, AtomicOp, Chain, FirstUse, Key, Record, Work};

use super::buffer::Element;
use super::group::Site;

/// The value of a load, or the old value of an atomic, in a register of its work-item. To
/// dereference it is to read it. The first dereference sets the access's first use: the next
/// instruction that the work-item counts. A barrier or a fence waits for the values that
/// instructions before it have read. A copy to local memory reads the value.
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
    /// Place of the access among the work-item's instructions, from 1 on.
    place: u32,
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
    /// In the trace so far, up to the last access, barrier or fence.
    place: Cell<u32>,
    /// Executed since; the trace has them behind the next barrier or fence, before the next access.
    work: Cell<u32>,
}

impl Counts {
    fn advance(&self, instructions: u32) {
        self.place.set(self.place.get() + instructions);
    }
}

/// What a group has done so far.
pub struct Held {
    events: RefCell<Vec<Event>>,
    items: Vec<Counts>,
    /// Accesses whose value was first read by instructions that the trace does not have yet.
    ahead: RefCell<Vec<usize>>,
    /// The work-item that is running.
    running: Cell<u32>,
}

impl Held {
    /// Empty, for a group of `items` work-items.
    pub fn new(items: u32) -> Self {
        let items = (0..items).map(|_| Counts::default()).collect();
        let (events, ahead) = (RefCell::default(), RefCell::default());
        Self { events, items, ahead, running: Cell::new(0) }
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
        let work = &self.counts().work;
        work.set(work.get() + instructions);
    }

    /// Gives the number of the event.
    #[inline]
    pub fn access<T: Element>(&self, at: Site, key: Key, kind: Kind, addr: u64, value: T) -> usize {
        let counts = self.counts();
        let instructions = at.gap + counts.work.take();
        counts.advance(instructions + 1);
        let first_use = match kind {
            Kind::Store => FirstUse::Unknown,
            Kind::Load | Kind::Atomic(..) => FirstUse::Never,
        };
        let (item, place) = (self.running.get(), counts.place.get());
        let (bytes, len, chain) = (value.encode(), T::BYTES as u8, at.chain);
        let kept =
            Kept { item, key, kind, addr, bytes, len, instructions, chain, first_use, place };
        self.push(Event::Access(kept))
    }

    /// The work-item reads the value of an access of its own.
    fn read(&self, event: usize) {
        let Event::Access(kept) = &mut self.events.borrow_mut()[event] else {
            unreachable!("an access has given the value")
        };
        assert_eq!(kept.item, self.running.get(), "a register of another work-item");
        if kept.first_use == FirstUse::Never {
            let Counts { place, work } = self.counts();
            kept.first_use = FirstUse::After(place.get() + work.get() + 1 - kept.place);
            if work.get() > 0 {
                self.ahead.borrow_mut().push(event);
            }
        }
    }

    pub fn fence(&self, key: Key) {
        let running = self.running.get();
        self.synchronise(|item| item == running);
        self.counts().advance(1);
        self.push(Event::Fence(running, key));
    }

    pub fn barrier(&self) {
        self.synchronise(|_| true);
        self.items.iter().for_each(|counts| counts.advance(1));
        self.push(Event::Barrier);
    }

    /// Some work-items come to a barrier or a fence, behind which the trace has what they execute
    /// now. Values that they have read are needed there at the latest.
    fn synchronise(&self, comes: impl Fn(u32) -> bool) {
        let mut events = self.events.borrow_mut();
        self.ahead.borrow_mut().retain(|&event| {
            let Event::Access(kept) = &mut events[event] else {
                unreachable!("an access has given the value")
            };
            if !comes(kept.item) {
                return true;
            }
            let here = self.items[kept.item as usize].place.get() + 1 - kept.place;
            if let FirstUse::After(read) = &mut kept.first_use {
                *read = here.min(*read);
            }
            false
        });
    }

    fn push(&self, event: Event) -> usize {
        let mut events = self.events.borrow_mut();
        events.push(event);
        events.len() - 1
    }

    /// Records the group and clears it for the next one.
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
        self.ahead.borrow_mut().clear();
        for counts in &self.items {
            counts.place.set(0);
            counts.work.set(0);
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
