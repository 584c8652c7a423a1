//! What warps have issued, and what they must see.
//!
//! A store's rank is its place among the stores of its location as the bank has performed them,
//! from 1 on; the first value has rank 0.

/// A rank.
pub type Rank = u8;

/// An access that is not over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    /// Its number among those of its warp; what it is called on the ports.
    pub id: u8,
    /// A store.
    pub stores: bool,
    /// Its location.
    pub place: u8,
    /// What it stores, or the least rank that a load may find.
    pub value: u8,
}

/// A warp.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Warp {
    /// Accesses issued.
    pub issued: u8,
    /// Those that are not over.
    pub open: Vec<Access>,
    /// By location, numbers and ranks of loads that are over.
    found: Vec<(u8, u8, Rank)>,
    /// By location, numbers and values of all stores.
    pub stored: Vec<(u8, u8, u8)>,
}

impl Warp {
    /// An access is over. Returns it.
    pub fn over(&mut self, id: u8) -> Access {
        let nth = self.open.iter().position(|access| access.id == id);
        self.open.remove(nth.expect("an answer is to an access"))
    }

    /// A load has found a rank. Errors: one of the same location that the warp issued before has
    /// found a later one, or after it an earlier one.
    pub fn finds(&mut self, access: &Access, rank: Rank) -> Result<(), Rank> {
        let of_place = |&&(place, ..): &&(u8, u8, Rank)| place == access.place;
        let wrong = |&&(_, id, other): &&(u8, u8, Rank)| match id < access.id {
            true => other > rank,
            false => other < rank,
        };
        let wrong = self.found.iter().filter(of_place).find(wrong).copied();
        self.found.push((access.place, access.id, rank));
        wrong.map_or(Ok(()), |(_, _, other)| Err(other))
    }
}
