//! The search: stateright, breadth first on one thread, so that the first state in which a property
//! does not hold is one of the nearest, and always the same.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Instant;

use stateright::{Checker, HasDiscoveries, Model, Property};

use crate::space::{Broken, NO_DEADLOCK, Space};
use crate::traced::Replay;

/// What a search found.
#[derive(Debug)]
pub struct Found {
    /// States that were reached.
    pub states: usize,
    /// Steps to the farthest of them.
    pub depth: usize,
    /// Time that it took.
    pub seconds: f64,
    /// The shortest way to a state in which a property does not hold; `None` where there is none
    /// among all states.
    pub story: Option<Story>,
    /// What the blocks were given on that way.
    pub replays: Vec<Replay>,
}

/// A way to a state in which a property does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Story {
    /// Its steps in plain words.
    pub steps: Vec<String>,
    /// The property.
    pub property: &'static str,
    /// What happened.
    pub how: String,
}

impl Story {
    /// A line for each step, and one for the property.
    pub fn lines(&self) -> Vec<String> {
        let steps = (1..).zip(&self.steps).map(|(number, step)| format!("{number}. {step}"));
        steps.chain([format!("violated: {}: {}", self.property, self.how)]).collect()
    }
}

/// A state as stateright wants it: states of one identity are equal.
#[derive(Clone, Debug)]
struct Held<S>(S);

impl<S: Hash> Held<S> {
    fn fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.0.hash(&mut hasher);
        hasher.finish()
    }
}

impl<S: Hash> Hash for Held<S> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.0.hash(hasher);
    }
}

impl<S: Hash> PartialEq for Held<S> {
    fn eq(&self, other: &Self) -> bool {
        self.fingerprint() == other.fingerprint()
    }
}

struct Searched<S>(S);

impl<S: Space> Searched<S> {
    fn broken(&self, state: &S::State) -> Option<Broken> {
        let deadlock = || {
            let mut steps = Vec::new();
            self.0.steps(state, &mut steps);
            let stuck = steps.iter().all(|step| self.0.after(state, step).is_none());
            let how = "no step is possible, but the state is not drained".to_string();
            stuck.then_some(Broken { property: NO_DEADLOCK, how })
        };
        let broken = self.0.broken(state);
        broken.or_else(|| if self.0.is_drained(state) { None } else { deadlock() })
    }
}

impl<S: Space> Model for Searched<S> {
    type State = Held<S::State>;
    type Action = S::Step;

    fn init_states(&self) -> Vec<Self::State> {
        vec![Held(self.0.start(false))]
    }

    fn actions(&self, state: &Self::State, actions: &mut Vec<S::Step>) {
        self.0.steps(&state.0, actions);
    }

    fn next_state(&self, state: &Self::State, step: S::Step) -> Option<Self::State> {
        self.0.after(&state.0, &step).map(Held)
    }

    /// One, for with several the search would go on where the first does not hold.
    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always(HOLDS, |model, state: &Held<S::State>| {
            model.broken(&state.0).is_none()
        })]
    }
}

const HOLDS: &str = "all properties hold";

/// Searches all states.
pub fn search<S: Space>(space: S) -> Found {
    let began = Instant::now();
    let checker = Searched(space).checker().finish_when(HasDiscoveries::AnyFailures);
    let checker = checker.spawn_bfs().join();
    let mut replays = Vec::new();
    let story = checker.discovery(HOLDS).map(|path| {
        let model = checker.model();
        let path = path.into_vec();
        let mut steps = Vec::new();
        let mut traced = model.0.start(true);
        for ((before, step), (after, _)) in path.iter().zip(&path[1..]) {
            let step = step.as_ref().expect("a state that another follows has a step");
            steps.push(model.0.describe(&before.0, step, &after.0));
            traced = model.0.after(&traced, step).expect("a step of the path is possible");
        }
        replays = model.0.replays(&traced);
        let last = &path.last().expect("a path has a state").0.0;
        let Broken { property, how } = model.broken(last).expect("the path leads there");
        Story { steps, property, how }
    });
    Found {
        states: checker.unique_state_count(),
        // stateright counts states on the way, not steps.
        depth: checker.max_depth().saturating_sub(1),
        seconds: began.elapsed().as_secs_f64(),
        story,
        replays,
    }
}
