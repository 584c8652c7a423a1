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
    /// When it happened, once it is over.
    pub at: Option<Time>,
}

/// A warp.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Warp {
    /// Accesses issued.
    pub issued: u8,
    /// The oldest that is not over, and all behind it.
    pub open: Vec<Access>,
    /// By line, the last time of what was before these.
    floor: Vec<Time>,
}

impl Warp {
    /// One that has issued nothing.
    pub fn new(lines: usize) -> Self {
        Self { floor: vec![(0, 0); lines], ..Self::default() }
    }

    /// All that it has issued is over.
    pub fn is_quiet(&self) -> bool {
        self.open.is_empty()
    }

    /// What was before is before all that comes, of any line.
    pub fn fence(&mut self) {
        let last = self.floor.iter().max().copied().unwrap_or_default();
        self.floor.fill(last);
    }

    /// An access is over. `line_of` says the line of a location. Errors: one of the same line that
    /// the warp issued before, or after, happened at the second time.
    pub fn over(
        &mut self,
        id: u8,
        at: Time,
        line_of: impl Fn(u8) -> usize,
    ) -> Result<Access, (Access, Time)> {
        let nth = self.open.iter().position(|access| access.id == id);
        let nth = nth.expect("an answer is to an access");
        self.open[nth].at = Some(at);
        let access = self.open[nth];
        let line = line_of(access.place);
        let of_line = |other: &&Access| line_of(other.place) == line;
        let before = self.open[..nth].iter().filter(of_line).filter_map(|other| other.at);
        let before = before.chain([self.floor[line]]).max().unwrap_or_default();
        let after = self.open[nth + 1..].iter().filter(of_line).filter_map(|other| other.at).min();
        if before > at {
            return Err((access, before));
        }
        if let Some(after) = after.filter(|&after| after < at) {
            return Err((access, after));
        }
        while let Some(Access { place, at: Some(at), .. }) = self.open.first() {
            let floor = &mut self.floor[line_of(*place)];
            *floor = (*floor).max(*at);
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

    fn newest(&self, counts: impl Fn(Time) -> bool) -> u8 {
        let before = self.stores.iter().filter(|(time, _)| counts(*time));
        before.max_by_key(|(time, _)| *time).map_or(FIRST, |(_, value)| *value)
    }
}
