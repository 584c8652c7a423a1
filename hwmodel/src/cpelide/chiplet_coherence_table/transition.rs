//! What one chiplet's copy of a structure may be, and how events change it: the table of section
//! 5.2 and the changes that section 5.5 makes for pairs (entry, chiplet) in use by a running
//! kernel.

use std::fmt::{self, Display, Formatter};

/// How a kernel accesses a structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// R: loads only.
    Read,
    /// R/W: loads and stores.
    ReadWrite,
}

impl Mode {
    /// The more conservative of both.
    pub fn join(self, other: Self) -> Self {
        if self == Self::ReadWrite { self } else { other }
    }
}

/// What the L2 of a chiplet may hold of an entry (section 4; the encoding of the chiplet vector).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// NP: nothing, for certain.
    NotPresent = 0b00,
    /// V: clean lines that are up to date.
    Valid = 0b01,
    /// D: lines that are dirty.
    Dirty = 0b10,
    /// S: lines that are clean and may be old.
    Stale = 0b11,
}

impl Display for Mode {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        f.write_str(match self {
            Self::Read => "R",
            Self::ReadWrite => "R/W",
        })
    }
}

impl Display for State {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        f.write_str(match self {
            Self::NotPresent => "NP",
            Self::Valid => "V",
            Self::Dirty => "D",
            Self::Stale => "S",
        })
    }
}

use Mode::{Read, ReadWrite};
use State::{Dirty, NotPresent, Stale, Valid};

/// What an event does to a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// The state that follows.
    pub state: State,
    /// The chiplet is released.
    pub release: bool,
    /// The chiplet is acquired.
    pub acquire: bool,
    /// The entry becomes mixed (section 5.5).
    pub mixed: bool,
}

impl Step {
    /// Nothing but a state.
    pub const fn to(state: State) -> Self {
        Self { state, release: false, acquire: false, mixed: false }
    }

    const fn releasing(self) -> Self {
        Self { release: true, ..self }
    }

    const fn acquiring(self) -> Self {
        Self { acquire: true, ..self }
    }

    const fn mixing(self) -> Self {
        Self { mixed: true, ..self }
    }
}

/// A kernel on this chiplet touches the entry (columns 2 and 3).
pub fn local(state: State, mode: Mode, in_use: bool) -> Step {
    match (state, mode) {
        (NotPresent | Valid, Read) => Step::to(Valid),
        (NotPresent | Valid, ReadWrite) | (Dirty, _) => Step::to(Dirty),
        // The running kernel may fill the L2 with old lines again.
        (Stale, Read) if in_use => Step::to(Stale).acquiring(),
        (Stale, ReadWrite) if in_use => Step::to(Dirty).acquiring().mixing(),
        (Stale, Read) => Step::to(Valid).acquiring(),
        (Stale, ReadWrite) => Step::to(Dirty).acquiring(),
    }
}

/// A kernel on another chiplet has a new range that overlaps this one's stored range (columns 4 and
/// 5).
pub fn remote(state: State, mode: Mode, in_use: bool) -> Step {
    match (state, mode) {
        (NotPresent, _) => Step::to(NotPresent),
        (Valid, Read) => Step::to(Valid),
        (Valid, ReadWrite) | (Stale, _) => Step::to(Stale),
        // The running kernel may dirty the L2 again.
        (Dirty, Read) if in_use => Step::to(Dirty).releasing(),
        (Dirty, ReadWrite) if in_use => Step::to(Dirty).releasing().mixing(),
        (Dirty, Read) => Step::to(Valid).releasing(),
        (Dirty, ReadWrite) => Step::to(Stale).releasing(),
    }
}

/// The mixed bit of the entry is resolved (section 5.3): what was dirty may also be old.
pub fn resolved(state: State, in_use: bool) -> Step {
    match state {
        Dirty if in_use => Step::to(Dirty).releasing(),
        Dirty => Step::to(Stale).releasing(),
        state => Step::to(state),
    }
}

/// The L2 of this chiplet is released for any reason (column 6). The lines stay, clean.
pub fn released(state: State, mixed: bool) -> State {
    match state {
        Dirty if mixed => Stale,
        Dirty => Valid,
        state => state,
    }
}

/// The L2 of this chiplet is acquired for any reason (column 7), after its release where it is
/// dirty.
pub fn acquired(_: State) -> State {
    NotPresent
}

/// The states of one chiplet in two entries that become one (section 5.4), and whether they make it
/// mixed.
pub fn joined(a: State, b: State) -> (State, bool) {
    match (a, b) {
        (NotPresent, state) | (state, NotPresent) => (state, false),
        (Dirty, Stale) | (Stale, Dirty) => (Dirty, true),
        (Dirty, _) | (_, Dirty) => (Dirty, false),
        (Stale, _) | (_, Stale) => (Stale, false),
        (Valid, Valid) => (Valid, false),
    }
}

/// The columns of the table of section 5.2, each with the states NP, V, D, S in this order.
#[cfg(test)]
mod tests {
    use super::*;

    const STATES: [State; 4] = [NotPresent, Valid, Dirty, Stale];

    /// The states that follow, the states that release and those that acquire.
    fn column(event: impl Fn(State) -> Step) -> ([State; 4], Vec<State>, Vec<State>) {
        let those = |asks: fn(&Step) -> bool| -> Vec<State> {
            STATES.into_iter().filter(|&state| asks(&event(state))).collect()
        };
        assert!(those(|step| step.mixed).is_empty(), "nothing becomes mixed that is not in use");
        (STATES.map(|state| event(state).state), those(|s| s.release), those(|s| s.acquire))
    }

    #[test]
    fn local_read() {
        let found = column(|state| local(state, Read, false));
        assert_eq!(found, ([Valid, Valid, Dirty, Valid], vec![], vec![Stale]));
    }

    #[test]
    fn local_write() {
        let found = column(|state| local(state, ReadWrite, false));
        assert_eq!(found, ([Dirty, Dirty, Dirty, Dirty], vec![], vec![Stale]));
    }

    #[test]
    fn remote_read() {
        let found = column(|state| remote(state, Read, false));
        assert_eq!(found, ([NotPresent, Valid, Valid, Stale], vec![Dirty], vec![]));
    }

    #[test]
    fn remote_write() {
        let found = column(|state| remote(state, ReadWrite, false));
        assert_eq!(found, ([NotPresent, Stale, Stale, Stale], vec![Dirty], vec![]));
    }

    #[test]
    fn released_for_another_entry() {
        assert_eq!(STATES.map(|state| released(state, false)), [NotPresent, Valid, Valid, Stale]);
        assert_eq!(STATES.map(|state| released(state, true)), [NotPresent, Valid, Stale, Stale]);
    }

    #[test]
    fn acquired_for_another_entry() {
        assert_eq!(STATES.map(acquired), [NotPresent; 4]);
    }

    #[test]
    fn mixed_entry_resolved() {
        let found = column(|state| resolved(state, false));
        assert_eq!(found, ([NotPresent, Valid, Stale, Stale], vec![Dirty], vec![]));
    }

    /// Section 5.5.
    #[test]
    fn pairs_in_use() {
        assert_eq!(remote(Dirty, Read, true), Step::to(Dirty).releasing());
        assert_eq!(remote(Dirty, ReadWrite, true), Step::to(Dirty).releasing().mixing());
        assert_eq!(resolved(Dirty, true), Step::to(Dirty).releasing());
        assert_eq!(local(Stale, Read, true), Step::to(Stale).acquiring());
        assert_eq!(local(Stale, ReadWrite, true), Step::to(Dirty).acquiring().mixing());
        for mode in [Read, ReadWrite] {
            for state in [NotPresent, Valid, Stale] {
                assert_eq!(remote(state, mode, true), remote(state, mode, false));
            }
            for state in [NotPresent, Valid, Dirty] {
                assert_eq!(local(state, mode, true), local(state, mode, false));
            }
        }
    }

    /// Section 5.4.
    #[test]
    fn joins() {
        let expected = [
            (NotPresent, [NotPresent, Valid, Dirty, Stale]),
            (Valid, [Valid, Valid, Dirty, Stale]),
            (Dirty, [Dirty, Dirty, Dirty, Dirty]),
            (Stale, [Stale, Stale, Dirty, Stale]),
        ];
        for (a, row) in expected {
            assert_eq!(STATES.map(|b| joined(a, b).0), row);
            for b in STATES {
                let mixed = (a, b) == (Dirty, Stale) || (a, b) == (Stale, Dirty);
                assert_eq!(joined(a, b).1, mixed);
            }
        }
    }
}
