//! The rows of the transition table (specification, section 5.2), by launches: a structure that
//! chiplet 0 holds in each state, and each event. The expected operations and states are those of
//! the table.

use hwmodel::cpelide::chiplet_coherence_table::Parameters;

use crate::directed::{Bench, kernel, on_each, place, read, write};
use crate::program::{Item, Label};

const X: u64 = 0x10_0000_0000;
const C0: u16 = 0b0001;
const C1: u16 = 0b0010;
const C2: u16 = 0b0100;

/// An event, what it sends to chiplet 0, and the state that it leaves there; 0 where the entry is
/// gone.
type Row = (&'static str, Event, (bool, bool), u32);

#[derive(Clone, Copy)]
enum Event {
    LocalRead,
    LocalWrite,
    RemoteRead,
    RemoteWrite,
    /// Because of another structure.
    Release,
    Acquire,
}

/// Checks a row. `prepare` leaves X at chiplet 0 in the row's state.
fn check(prepare: impl Fn(&mut Bench), row: [Row; 6]) {
    for (name, event, (release, acquire), state) in row {
        on_each(Parameters::DEFAULT, |mut bench| {
            println!("{name}");
            prepare(&mut bench);
            let item = event.prepare(&mut bench);
            let outcome = bench.launch(&item);
            let found = (outcome.release & C0 != 0, outcome.acquire & C0 != 0);
            assert_eq!(found, (release, acquire), "release and acquire of chiplet 0");
            let entry = bench.entries().into_iter().find(|entry| entry.base == (X >> 12) as u32);
            assert_eq!(entry.map_or(NP, |entry| entry.vector() & 0b11), state);
        });
    }
}

impl Event {
    /// Prepares the event, without touching X; returns the kernel that causes it.
    fn prepare(self, bench: &mut Bench) -> Item {
        let y = place(1);
        match self {
            Self::LocalRead => kernel(vec![read(X)]).on(C0),
            Self::LocalWrite => kernel(vec![write(X)]).on(C0),
            Self::RemoteRead => kernel(vec![read(X)]).on(C2),
            Self::RemoteWrite => kernel(vec![write(X)]).on(C2),
            Self::Release => {
                bench.runs(&kernel(vec![write(y)]).on(C0), 0, 0);
                kernel(vec![read(y)]).on(C2)
            }
            Self::Acquire => {
                bench.runs(&kernel(vec![read(y)]).on(C0), 0, 0);
                bench.runs(&kernel(vec![write(y)]).on(C2), 0, 0);
                kernel(vec![read(y)]).on(C0)
            }
        }
    }
}

const NP: u32 = 0b00;
const V: u32 = 0b01;
const D: u32 = 0b10;
const S: u32 = 0b11;
const NONE: (bool, bool) = (false, false);
const REL: (bool, bool) = (true, false);
const ACQ: (bool, bool) = (false, true);
const BOTH: (bool, bool) = (true, true);

#[test]
fn not_present_row() {
    let row = [
        ("local R", Event::LocalRead, NONE, V),
        ("local R/W", Event::LocalWrite, NONE, D),
        ("remote R", Event::RemoteRead, NONE, NP),
        ("remote R/W", Event::RemoteWrite, NONE, NP),
        ("release", Event::Release, REL, NP),
        ("acquire", Event::Acquire, ACQ, NP),
    ];
    check(|bench| bench.runs(&kernel(vec![read(X)]).on(C1), 0, 0), row);
}

#[test]
fn valid_row() {
    let row = [
        ("local R", Event::LocalRead, NONE, V),
        ("local R/W", Event::LocalWrite, NONE, D),
        ("remote R", Event::RemoteRead, NONE, V),
        ("remote R/W", Event::RemoteWrite, NONE, S),
        ("release", Event::Release, REL, V),
        ("acquire", Event::Acquire, ACQ, NP),
    ];
    check(|bench| bench.runs(&kernel(vec![read(X)]).on(C0), 0, 0), row);
}

#[test]
fn dirty_row() {
    let row = [
        ("local R", Event::LocalRead, NONE, D),
        ("local R/W", Event::LocalWrite, NONE, D),
        ("remote R", Event::RemoteRead, REL, V),
        ("remote R/W", Event::RemoteWrite, REL, S),
        ("release", Event::Release, REL, V),
        ("acquire, released first", Event::Acquire, BOTH, NP),
    ];
    check(|bench| bench.runs(&kernel(vec![write(X)]).on(C0), 0, 0), row);
}

#[test]
fn stale_row() {
    let row = [
        ("local R", Event::LocalRead, ACQ, V),
        ("local R/W", Event::LocalWrite, ACQ, D),
        ("remote R", Event::RemoteRead, NONE, S),
        ("remote R/W", Event::RemoteWrite, NONE, S),
        ("release", Event::Release, REL, S),
        ("acquire", Event::Acquire, ACQ, NP),
    ];
    let prepare = |bench: &mut Bench| {
        bench.runs(&kernel(vec![read(X)]).on(C0), 0, 0);
        bench.runs(&kernel(vec![write(X)]).on(C1), 0, 0);
    };
    check(prepare, row);
}

/// Remote and local event of one kernel: flush, then invalidate; with R, flush only.
#[test]
fn dirty_with_remote_and_local_event() {
    let ranges = vec![(0, X, X + 63), (1, X + 64, X + 127)];
    for (label, acquire, state) in [(write(X), C0, D), (read(X), 0, V)] {
        on_each(Parameters::DEFAULT, |mut bench| {
            bench.runs(&kernel(vec![write(X)]).on(C0), 0, 0);
            let label = Label { ranges: ranges.clone(), ..label.clone() };
            bench.runs(&kernel(vec![label]).on(C0 | C1), C0, acquire);
            assert_eq!(bench.vector(X) & 0b11, state);
        });
    }
}

/// An access outside the stored range is no event.
#[test]
fn remote_access_outside_the_range_changes_nothing() {
    on_each(Parameters::DEFAULT, |mut bench| {
        bench.runs(&kernel(vec![write(X).chunks(0)]), 0, 0);
        bench.runs(&kernel(vec![write(X).chunks(0)]), 0, 0);
        bench.runs(&kernel(vec![write(X).bytes(0, 63)]).on(C0), 0, 0);
        assert_eq!(bench.vector(X), 0xaa);
    });
}

/// 5.3: D becomes S when a mixed entry is released for another.
#[test]
fn release_of_a_mixed_entry_leaves_stale_copies() {
    on_each(Parameters::DEFAULT, |mut bench| {
        bench.runs(&kernel(vec![write(X)]).on(C0 | C1), 0, 0);
        bench.runs(&kernel(vec![write(place(1))]).on(C0), 0, 0);
        bench.runs(&kernel(vec![read(place(1))]).on(C2), C0, 0);
        assert_eq!(bench.vector(X), 0b1011);
        assert!(bench.entry(X).mixed, "chiplet 1 is D");
    });
}
