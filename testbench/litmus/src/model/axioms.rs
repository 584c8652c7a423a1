//! What a way must keep to.
//!
//! **Coherence**: program order of a location, who reads from whom, and the order of its writes
//! make no circle. **Atomicity**: no write comes between what an atomic reads and what it writes.
//! **Order**: each operation has a moment; a write two, the one from which on it may be seen
//! and the one from which on everybody must, which are one where all see a store at once. A load is
//! behind the first moment of the write that it reads from, and before the second one of the next
//! write. What a fence orders is: before it all is over, both moments of writes, for the threads
//! that its scope has. There is no circle of such moments. A fence counts in a circle only if it
//! reaches the threads on both sides.

use super::Promise;
use super::candidate::Candidate;
use super::event::{Event, Events};
use crate::test::Test;

/// Whether the promise allows a way.
pub fn hold(test: &Test, events: &Events, promise: Promise, way: &Candidate) -> bool {
    let all = &events.all;
    // Whether one order of both is promised.
    let linked = |a: usize, b: usize| {
        let (one, other): (&Event, &Event) = (&all[a], &all[b]);
        (one.is_atomic() && other.is_atomic())
            || promise.reaches(&test.threads[one.thread], &test.threads[other.thread])
    };
    let places = Places::of(all.len(), way);
    is_coherent(all, way, &places, linked)
        && is_atomic(all, way, &places, linked)
        && is_ordered(test, events, promise, way, &places)
}

/// Place of each write in the order of its location.
struct Places(Vec<usize>);

impl Places {
    fn of(events: usize, way: &Candidate) -> Self {
        let mut places = vec![0; events];
        for writes in &way.order {
            writes.iter().enumerate().for_each(|(place, &at)| places[at] = place);
        }
        Self(places)
    }

    /// Writes that come behind the one that an event reads from, or is.
    fn behind<'a>(&self, way: &'a Candidate, location: usize, write: Option<usize>) -> &'a [usize] {
        &way.order[location][write.map_or(0, |at| self.0[at] + 1)..]
    }
}

fn is_coherent(
    all: &[Event],
    way: &Candidate,
    places: &Places,
    linked: impl Fn(usize, usize) -> bool,
) -> bool {
    let mut edges = vec![Vec::new(); all.len()];
    for (at, event) in all.iter().enumerate() {
        let is_later = |&other: &usize| {
            let later = &all[other];
            other > at && (later.thread, later.location) == (event.thread, event.location)
        };
        (0..all.len()).filter(is_later).for_each(|other| edges[at].push(other));
        let mut link = |from: usize, to: usize| {
            if from != to && linked(from, to) {
                edges[from].push(to);
            }
        };
        if way.writes[at] {
            places.behind(way, event.location, Some(at)).iter().for_each(|&next| link(at, next));
        }
        if event.reads() {
            if let Some(write) = way.from[at] {
                link(write, at);
            }
            let next = places.behind(way, event.location, way.from[at]);
            next.iter().for_each(|&next| link(at, next));
        }
    }
    !has_circle(&edges)
}

fn is_atomic(
    all: &[Event],
    way: &Candidate,
    places: &Places,
    linked: impl Fn(usize, usize) -> bool,
) -> bool {
    let is_one = |(at, event): (usize, &Event)| {
        let behind = places.behind(way, event.location, way.from[at]);
        let between = behind.iter().take_while(|&&write| write != at);
        !event.is_atomic() || !way.writes[at] || !between.copied().any(|write| linked(write, at))
    };
    all.iter().enumerate().all(is_one)
}

/// That one moment is before another, of events of two threads.
struct Edge {
    from: usize,
    to: usize,
    /// The second moment of `to`, which it has for the thread of `from`.
    is_late: bool,
}

fn is_ordered(
    test: &Test,
    events: &Events,
    promise: Promise,
    way: &Candidate,
    places: &Places,
) -> bool {
    let all = &events.all;
    let threads = |from: usize, to: usize| (all[from].thread, all[to].thread);
    let mut edges = Vec::new();
    let mut add = |from: usize, to: usize, is_late: bool| {
        let (one, other) = threads(from, to);
        let counts = promise.reaches(&test.threads[one], &test.threads[other]);
        // A thread may read its own store before others do.
        if counts && (one != other || (way.writes[from] && way.writes[to])) {
            edges.push(Edge { from, to, is_late });
        }
    };
    for (at, event) in all.iter().enumerate() {
        if way.writes[at] {
            places.behind(way, event.location, Some(at)).iter().for_each(|&to| add(at, to, false));
        }
        if event.reads() {
            if let Some(write) = way.from[at] {
                add(write, at, false);
            }
            let next = places.behind(way, event.location, way.from[at]);
            let others = next.iter().filter(|&&to| to != at);
            others.for_each(|&to| add(at, to, !promise.is_atomic()));
        }
    }
    let mut follows = vec![Vec::new(); edges.len()];
    for (number, edge) in edges.iter().enumerate() {
        for (next, other) in edges.iter().enumerate() {
            let outer = 1 << all[edge.from].thread | 1 << all[other.to].thread;
            let is_fenced = || {
                events.ordered.iter().any(|o| {
                    (o.before, o.behind) == (edge.to, other.from) && o.threads & outer == outer
                })
            };
            if (edge.to == other.from && !edge.is_late) || is_fenced() {
                follows[number].push(next);
            }
        }
    }
    !has_circle(&follows)
}

/// Whether a graph has a circle. Of each node those that follow.
fn has_circle(edges: &[Vec<usize>]) -> bool {
    let mut left = vec![true; edges.len()];
    // Nodes that nothing left follows go, until none is left or none can go.
    loop {
        let may_go = |at: &usize| left[*at] && !edges[*at].iter().any(|&next| left[next]);
        let gone: Vec<_> = (0..edges.len()).filter(may_go).collect();
        if gone.is_empty() {
            return left.contains(&true);
        }
        gone.into_iter().for_each(|at| left[at] = false);
    }
}
