//! A litmus test as data.

use std::fmt::{self, Display, Formatter};

use traces::trace::AtomicOp;

/// Who takes part in what a fence orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// Threads of the work-group.
    Cta,
    /// Threads of the GPU.
    Gpu,
    /// All threads.
    Sys,
}

/// One operation of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Reads a location into a register.
    Load {
        /// Number of the register in the thread.
        register: u32,
        /// Number of the location.
        location: usize,
    },
    /// Writes a location.
    Store {
        /// Number of the location.
        location: usize,
        /// What is written.
        value: u32,
    },
    /// Reads and writes a location.
    Atomic {
        /// What it does.
        op: AtomicOp,
        /// Register that gets the old value; none of a reduction.
        register: Option<u32>,
        /// Number of the location.
        location: usize,
        /// Operand.
        value: u32,
    },
    /// What is before it comes before what is behind it.
    Fence(Scope),
    /// All threads of the work-group meet.
    Barrier,
}

/// A thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    /// Its work-group, by a number within the GPU.
    pub cta: u32,
    /// Its GPU.
    pub gpu: u32,
    /// What it does.
    pub steps: Vec<Step>,
}

impl Thread {
    /// Whether a scope that is meant from here has another thread in it.
    pub fn reaches(&self, scope: Scope, other: &Self) -> bool {
        match scope {
            Scope::Cta => (self.gpu, self.cta) == (other.gpu, other.cta),
            Scope::Gpu => self.gpu == other.gpu,
            Scope::Sys => true,
        }
    }
}

/// What an outcome holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Seen {
    /// The last value of a thread's register.
    Register(usize, u32),
    /// The last value of a location.
    Location(usize),
}

/// A condition on outcomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// It has this value.
    Is(Seen, u32),
    /// Not.
    Not(Box<Condition>),
    /// All of them.
    All(Vec<Condition>),
    /// One of them.
    Any(Vec<Condition>),
}

/// What a file says of its condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    /// Some outcome has it.
    Exists,
    /// None has.
    NotExists,
    /// All have.
    ForAll,
}

/// Values of what [`Test::observed`] names, in its order.
pub type Outcome = Vec<u32>;

/// A litmus test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Test {
    /// Its name.
    pub name: String,
    /// Locations: names and first values.
    pub locations: Vec<(String, u32)>,
    /// Threads.
    pub threads: Vec<Thread>,
    /// What the file asks about.
    pub quantifier: Quantifier,
    /// The condition.
    pub condition: Condition,
}

impl Test {
    /// Whether an outcome has the condition.
    pub fn holds(&self, outcome: &Outcome) -> bool {
        let observed = self.observed();
        let value = |seen: &Seen| {
            let at = observed.iter().position(|other| other == seen);
            outcome[at.expect("what a condition names is observed")]
        };
        holds(&self.condition, &value)
    }

    /// What an outcome holds: all registers that are loaded, and the last values of locations that
    /// several operations write or of which the condition speaks.
    pub fn observed(&self) -> Vec<Seen> {
        let mut all = Vec::new();
        let mut writes = vec![0; self.locations.len()];
        for (number, thread) in self.threads.iter().enumerate() {
            for step in &thread.steps {
                match *step {
                    Step::Load { register, .. } => all.push(Seen::Register(number, register)),
                    Step::Store { location, .. } => writes[location] += 1,
                    Step::Atomic { register, location, .. } => {
                        all.extend(register.map(|register| Seen::Register(number, register)));
                        writes[location] += 1;
                    }
                    Step::Fence(_) | Step::Barrier => {}
                }
            }
        }
        let shared = (0..writes.len()).filter(|&location| writes[location] > 1);
        all.extend(shared.map(Seen::Location));
        named(&self.condition, &mut all);
        all.sort_unstable();
        all.dedup();
        all
    }

    /// An outcome, for a person.
    pub fn tell(&self, outcome: &Outcome) -> String {
        let of = |(seen, value): (Seen, &u32)| format!("{}={value}", self.name_of(seen));
        let all: Vec<_> = self.observed().into_iter().zip(outcome).map(of).collect();
        all.join(" ")
    }

    fn name_of(&self, seen: Seen) -> String {
        match seen {
            Seen::Register(thread, register) => format!("P{thread}:r{register}"),
            Seen::Location(location) => self.locations[location].0.clone(),
        }
    }
}

fn holds(condition: &Condition, value: &impl Fn(&Seen) -> u32) -> bool {
    match condition {
        Condition::Is(seen, wanted) => value(seen) == *wanted,
        Condition::Not(one) => !holds(one, value),
        Condition::All(list) => list.iter().all(|one| holds(one, value)),
        Condition::Any(list) => list.iter().any(|one| holds(one, value)),
    }
}

fn named(condition: &Condition, all: &mut Vec<Seen>) {
    match condition {
        Condition::Is(seen, _) => all.push(*seen),
        Condition::Not(one) => named(one, all),
        Condition::All(list) | Condition::Any(list) => {
            list.iter().for_each(|one| named(one, all));
        }
    }
}

impl Display for Scope {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cta => "cta",
            Self::Gpu => "gpu",
            Self::Sys => "sys",
        })
    }
}
