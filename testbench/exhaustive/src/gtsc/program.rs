//! What warps have issued, and when in logical time it happened.

/// The first value of each location.
pub const FIRST: u8 = 99;

/// Logical time: generation, counted without wrap, and timestamp.
pub type Time = (u8, u32);

/// What an access is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A load.
    Load,
    /// A store.
    Store,
    /// An exchange.
    Atomic,
}

/// An access that is not over, or that has one before it that is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    /// Its number among those of its warp; what it is called on the ports.
    pub id: u8,
    /// What it is.
    pub kind: Kind,
    /// Its location.
    pub place: u8,
    /// What it stores.
    pub value: u8,
    /// Once it is over, its time, or that of the store that a load has found.
    pub of: Option<Time>,
}

/// A warp.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Warp {
    /// Accesses issued.
    pub issued: u8,
    /// The oldest that is not over, and all behind it.
    pub open: Vec<Access>,
    /// By location, the last of the accesses before these, by the stores that loads have found.
    floor: Vec<Time>,
    /// The last time of an access, and of one before the last fence.
    last: Time,
    fenced: Time,
}

impl Warp {
    /// One that has issued nothing.
    pub fn new(places: usize) -> Self {
        Self { floor: vec![(0, 0); places], ..Self::default() }
    }

    /// All that it has issued is over.
    pub fn is_quiet(&self) -> bool {
        self.open.is_empty()
    }

    /// What was before is before all that comes, of any line.
    pub fn fence(&mut self) {
        self.fenced = self.last;
    }

    /// An access is over: it happened at a time, and is of that time or, a load, of the store that
    /// it found. Errors: it happened before what a fence parts it from, or one of the same location
    /// that the warp issued before, or after, is of the second time. Two loads that find the same
    /// store may happen in any order between them: a load that a reset has made wait begins anew.
    pub fn over(&mut self, id: u8, at: Time, of: Time) -> Result<Access, (Access, Time)> {
        let nth = self.open.iter().position(|access| access.id == id);
        let nth = nth.expect("an answer is to an access");
        self.open[nth].of = Some(of);
        let access = self.open[nth];
        if at < self.fenced {
            return Err((access, self.fenced));
        }
        self.last = self.last.max(at);
        let same = |other: &&Access| other.place == access.place;
        let before = self.open[..nth].iter().filter(same).filter_map(|other| other.of);
        let before =
            before.chain([self.floor[usize::from(access.place)]]).max().unwrap_or_default();
        let after = self.open[nth + 1..].iter().filter(same).filter_map(|other| other.of).min();
        if before > of {
            return Err((access, before));
        }
        if let Some(after) = after.filter(|&after| after < of) {
            return Err((access, after));
        }
        while let Some(Access { place, of: Some(of), .. }) = self.open.first() {
            let floor = &mut self.floor[usize::from(*place)];
            *floor = (*floor).max(*of);
            self.open.remove(0);
        }
        Ok(access)
    }
}

/// The stores of a location that the bank has performed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct History {
    /// In the order of the bank.
    stores: Vec<(Time, u8)>,
    /// The last time of a load that is over.
    loaded: Time,
}

impl History {
    /// A store is performed. Errors: loads have happened after its time and not seen it.
    pub fn store(&mut self, at: Time, value: u8) -> Result<(), Time> {
        self.stores.push((at, value));
        if self.loaded > at { Err(self.loaded) } else { Ok(()) }
    }

    /// A load of this time is over: the value of the newest store at or before it.
    pub fn load(&mut self, at: Time) -> u8 {
        self.loaded = self.loaded.max(at);
        self.newest(|store| store <= at)
    }

    /// What an atomic of this time finds.
    pub fn atomic(&self, at: Time) -> u8 {
        self.newest(|store| store < at)
    }

    /// The time of the store that a load of this time finds.
    pub fn found(&self, at: Time) -> Time {
        let before = self.stores.iter().map(|(time, _)| *time).filter(|&time| time <= at);
        before.max().unwrap_or_default()
    }

    fn newest(&self, counts: impl Fn(Time) -> bool) -> u8 {
        let before = self.stores.iter().filter(|(time, _)| counts(*time));
        before.max_by_key(|(time, _)| *time).map_or(FIRST, |(_, value)| *value)
    }
}
