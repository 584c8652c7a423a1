//! What a live page shows, as JSON. It is for the page of the same program alone: names and
//! contents may change.

use std::collections::BTreeMap;

use machine::Traffic;
use machine::probe::{Awaited, Facts, LEVELS, MSHRS, Occupancy, QUEUES, WAVES, Wait};
use serde::Serialize;
use traces::trace::Totals;

use super::readings::Reading;
use crate::cli::job::Job;
use crate::cli::progress;

/// Rows of a table of single components.
const ROWS: usize = 12;

/// Of the run what does not change.
pub struct About {
    pub workload: String,
    pub system: String,
    pub seed: u64,
    pub totals: Totals,
    /// What each level could move.
    pub levels: Vec<report::Level>,
}

impl About {
    /// Of a program on its system.
    pub fn of(job: &Job, seed: u64) -> Self {
        let (workload, system) = (job.name().to_string(), job.system.name.clone());
        let levels = report::levels(&job.system, &Traffic::default(), |_| 0);
        Self { workload, system, seed, totals: *job.totals(), levels }
    }
}

/// Done, of all.
#[derive(Serialize)]
struct Share(u64, u64);

#[derive(Serialize)]
struct Level<'a> {
    name: &'a str,
    about: &'a str,
    /// Bytes per cycle.
    rate: f64,
    peak: f64,
}

#[derive(Serialize)]
struct Used {
    name: &'static str,
    used: u64,
    of: u64,
    full: u32,
    number: u32,
}

/// Components of a kind that wait for those of another one.
#[derive(Default, Serialize)]
struct Kinds {
    from: &'static str,
    to: &'static str,
    /// Requests without a reply.
    requests: u64,
    /// Full queues.
    queues: u64,
}

/// A component that waits.
#[derive(Serialize)]
struct Row<'a> {
    from: &'a str,
    to: &'a str,
    queue: Option<&'static str>,
    number: u32,
}

/// The component at the end of a chain of full queues.
#[derive(Serialize)]
struct End<'a> {
    name: &'a str,
    /// Chains that end there.
    chains: u32,
    /// What it waits for itself.
    replies: Vec<String>,
}

/// All of it.
#[derive(Serialize)]
pub struct State<'a> {
    number: u64,
    passed: Option<bool>,
    verdict: Option<&'a str>,
    cycle: u64,
    speed: f64,
    seconds: u64,
    left: Option<String>,
    kernels: Share,
    running: &'a [String],
    groups: Share,
    accesses: Share,
    levels: Vec<Level<'a>>,
    slots: u32,
    waves: Vec<(&'static str, u32)>,
    occupancy: Vec<Used>,
    kinds: Vec<Kinds>,
    ends: Vec<End<'a>>,
    full: Vec<Row<'a>>,
    requests: Vec<Row<'a>>,
}

/// What a memory channel is called.
const MEMORY: &str = "DRAM";

impl<'a> State<'a> {
    /// Of a reading.
    pub fn of(about: &'a About, facts: &'a Facts, reading: &'a Reading) -> Self {
        let shown = &reading.snapshot;
        let totals = &about.totals;
        let accesses = totals.loads + totals.atomics;
        let share = shown.accesses as f64 / accesses.max(1) as f64;
        let is_running = reading.ended.is_none() && shown.accesses <= accesses;
        let level = |level: &'a report::Level| {
            let at = LEVELS.iter().position(|name| *name == level.name)?;
            let (name, about) = (level.name.as_str(), level.ports.as_str());
            Some(Level { name, about, rate: reading.rates[at], peak: level.possible })
        };
        let used = |(name, of): (&&'static str, &Occupancy)| {
            let &Occupancy { used, of, full, number } = of;
            Used { name, used, of, full, number }
        };
        let occupancy = MSHRS.iter().zip(&shown.mshrs).chain(QUEUES.iter().zip(&shown.queues));
        let is_full = |wait: &&Wait| matches!(wait.awaited, Awaited::Entry { .. });
        let full = || shown.waits.iter().filter(is_full);
        let requests = shown.waits.iter().filter(|wait| !is_full(wait));
        Self {
            number: reading.number,
            passed: reading.ended.as_ref().map(|(passed, _)| *passed),
            verdict: reading.ended.as_ref().map(|(_, verdict)| verdict.as_str()),
            cycle: shown.cycle,
            speed: reading.speed,
            seconds: reading.since.as_secs(),
            left: is_running.then(|| progress::left(reading.since, share)).flatten(),
            kernels: Share(shown.kernels.into(), totals.kernels),
            running: &shown.running,
            groups: Share(shown.groups, totals.groups),
            accesses: Share(shown.accesses, accesses),
            levels: about.levels.iter().filter_map(level).collect(),
            slots: facts.waves,
            waves: WAVES.iter().copied().zip(shown.waves).collect(),
            occupancy: occupancy.map(used).filter(|used| used.of > 0).collect(),
            kinds: kinds(facts, &shown.waits),
            ends: ends(facts, &shown.waits),
            full: rows(facts, full()),
            requests: rows(facts, requests),
        }
    }
}

fn name(facts: &Facts, component: Option<u32>) -> &str {
    component.map_or(MEMORY, |id| &facts.components[id as usize].name)
}

fn kind(facts: &Facts, component: Option<u32>) -> &'static str {
    component.map_or(MEMORY, |id| facts.components[id as usize].kind)
}

/// Waits by kinds of components, most requests first.
fn kinds(facts: &Facts, waits: &[Wait]) -> Vec<Kinds> {
    let mut all: BTreeMap<_, Kinds> = BTreeMap::new();
    for wait in waits {
        let (from, to) = (kind(facts, Some(wait.from)), kind(facts, wait.to));
        let sum = all.entry((from, to)).or_insert_with(|| Kinds { from, to, ..Kinds::default() });
        match wait.awaited {
            Awaited::Replies => sum.requests += u64::from(wait.number),
            Awaited::Entry { .. } => sum.queues += 1,
        }
    }
    let mut all: Vec<_> = all.into_values().collect();
    all.sort_by_key(|kinds| std::cmp::Reverse((kinds.requests, kinds.queues)));
    all
}

/// The first rows of a table, largest numbers first.
fn rows<'a>(facts: &'a Facts, waits: impl Iterator<Item = &'a Wait>) -> Vec<Row<'a>> {
    let mut all: Vec<_> = waits.collect();
    all.sort_by_key(|wait| std::cmp::Reverse(wait.number));
    let row = |wait: &&Wait| Row {
        from: name(facts, Some(wait.from)),
        to: name(facts, wait.to),
        queue: match wait.awaited {
            Awaited::Replies => None,
            Awaited::Entry { queue, .. } => Some(QUEUES[usize::from(queue)]),
        },
        number: wait.number,
    };
    all.iter().take(ROWS).map(row).collect()
}

/// Where full queues lead: from each the component that empties it, from there the first full queue
/// that this one waits for, and so on to one that waits for no queue. A cycle ends where it
/// closes.
fn ends<'a>(facts: &'a Facts, waits: &[Wait]) -> Vec<End<'a>> {
    let mut next = BTreeMap::new();
    let is_full = |wait: &&Wait| matches!(wait.awaited, Awaited::Entry { .. });
    for wait in waits.iter().filter(is_full) {
        if let Some(to) = wait.to {
            next.entry(wait.from).or_insert(to);
        }
    }
    let mut chains: BTreeMap<u32, u32> = BTreeMap::new();
    for wait in waits.iter().filter(is_full) {
        let Some(mut at) = wait.to else { continue };
        // As many steps as there are components at most.
        for _ in 0..next.len() {
            let Some(&further) = next.get(&at) else { break };
            at = further;
        }
        *chains.entry(at).or_default() += 1;
    }
    let mut chains: Vec<_> = chains.into_iter().collect();
    chains.sort_by_key(|(_, chains)| std::cmp::Reverse(*chains));
    let replies = |component: u32| {
        let own = waits.iter().filter(|wait| wait.from == component && !is_full(wait));
        own.map(|wait| format!("{} of {}", wait.number, name(facts, wait.to))).collect()
    };
    let end = |&(at, chains): &(u32, u32)| End {
        name: name(facts, Some(at)),
        chains,
        replies: replies(at),
    };
    chains.iter().take(ROWS).map(end).collect()
}

#[cfg(test)]
mod tests {
    use machine::probe::Component;
    use machine::systems;

    use super::*;

    /// All levels of the report have rates.
    #[test]
    fn levels_are_those_of_the_report() {
        let set = [("machine.gpus".to_string(), "2".to_string())];
        let system = systems::load("cpelide-4-small", &set).unwrap();
        let all = report::levels(&system, &Traffic::default(), |_| 0);
        let names: Vec<_> = all.iter().map(|level| level.name.as_str()).collect();
        assert_eq!(names, LEVELS);
    }

    /// 1 and 2 wait for 3 behind full queues, 3 for 4; 5 and 6 for each other; 4 for memory.
    #[test]
    fn full_queues_lead_to_what_stalls_the_others() {
        let component = |id| Component { name: format!("c{id}"), kind: "CUs" };
        let facts = Facts { components: (0..7).map(component).collect(), waves: 0 };
        let full = |from, to| Wait {
            from,
            to: Some(to),
            awaited: Awaited::Entry { queue: 0, of: 2 },
            number: 2,
        };
        let replies = Wait { from: 4, to: None, awaited: Awaited::Replies, number: 9 };
        let waits = [full(1, 3), full(2, 3), full(3, 4), full(5, 6), full(6, 5), replies];
        let ends = ends(&facts, &waits);
        let seen: Vec<_> =
            ends.iter().map(|end| (end.name, end.chains, &end.replies[..])).collect();
        assert_eq!(seen[0], ("c4", 3, &["9 of DRAM".to_string()][..]));
        // The cycle is not lost.
        assert_eq!(seen[1..].iter().map(|end| end.1).sum::<u32>(), 2);
        assert!(seen[1..].iter().all(|end| ["c5", "c6"].contains(&end.0)), "{seen:?}");
    }
}
