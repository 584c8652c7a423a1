//! What groups that run in turns have done. A record takes groups one after another, so it waits.

use std::cell::RefCell;

use crate::trace::{Access, AccessKind, AtomicOp, FirstUse, Key, Record, Work};

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
    work: Work,
    first_use: FirstUse,
}

/// [`AccessKind`] with bytes of its own.
enum Kind {
    Load,
    Store,
    Atomic(AtomicOp, [u8; 8]),
}

/// What each group has done so far.
pub struct Held {
    groups: Vec<RefCell<Vec<Event>>>,
}

impl Held {
    pub fn new(groups: usize) -> Self {
        Self { groups: (0..groups).map(|_| RefCell::default()).collect() }
    }

    pub fn access(&self, group: usize, access: &Access) {
        let len = access.bytes.len();
        let mut bytes = [0; 16];
        bytes[..len].copy_from_slice(access.bytes);
        let kind = match access.kind {
            AccessKind::Load => Kind::Load,
            AccessKind::Store => Kind::Store,
            AccessKind::Atomic { op, old } => {
                let mut kept = [0; 8];
                kept[..len].copy_from_slice(old);
                Kind::Atomic(op, kept)
            }
        };
        let (len, Access { item, key, addr, work, first_use, .. }) = (len as u8, *access);
        let kept = Kept { item, key, kind, addr, bytes, len, work, first_use };
        self.push(group, Event::Access(kept));
    }

    pub fn fence(&self, group: usize, item: u32, key: Key) {
        self.push(group, Event::Fence(item, key));
    }

    pub fn barrier(&self, group: usize) {
        self.push(group, Event::Barrier);
    }

    fn push(&self, group: usize, event: Event) {
        self.groups[group].borrow_mut().push(event);
    }

    /// Records it, group after group.
    pub fn release<R: Record>(&self, record: &mut R) -> Result<(), R::Error> {
        for group in &self.groups {
            record.begin_group()?;
            for event in group.take() {
                match event {
                    Event::Access(kept) => record.access(&kept.access())?,
                    Event::Fence(item, key) => record.fence(item, key)?,
                    Event::Barrier => record.barrier()?,
                }
            }
            record.end_group()?;
        }
        Ok(())
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
        let Self { item, key, addr, work, first_use, .. } = *self;
        Access { item, key, kind, addr, bytes: &self.bytes[..len], work, first_use }
    }
}
