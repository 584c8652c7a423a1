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
        change: Change,
        /// Register that gets the old value; none of a reduction.
        register: Option<u32>,
        /// Number of the location.
        location: usize,
    },
    /// What is before it comes before what is behind it.
    Fence(Scope),
    /// The threads of the work-group that use the barrier of this number meet.
    Barrier(u32),
}

/// What an atomic does to a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// An operation with its operand.
    Op(AtomicOp, u32),
    /// Compare-and-swap: writes only where it finds what it expects.
    CompareSwap {
        /// What it expects.
        expected: u32,
        /// What it writes then.
        new: u32,
    },
}

impl Change {
    /// What it writes where it finds `old`. None: it does not write.
    pub fn written(self, old: u32) -> Option<u32> {
        match self {
            Self::Op(op, operand) => Some(op.apply(old.into(), operand.into(), 4) as u32),
            Self::CompareSwap { expected, new } => (old == expected).then_some(new),
        }
    }

    /// What is there afterwards.
    pub fn apply(self, old: u32) -> u32 {
        self.written(old).unwrap_or(old)
    }
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
    /// Names of its registers, by their numbers in the steps.
    pub registers: Vec<String>,
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

/// A side of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A number.
    Number(u32),
    /// A value of the outcome.
    Seen(Seen),
    /// 1 where a value of the outcome is this number, else 0: whether a compare-and-swap has
    /// written.
    Equals(Seen, u32),
}

impl Operand {
    /// The value of the outcome that it reads.
    pub fn seen(self) -> Option<Seen> {
        match self {
            Self::Number(_) => None,
            Self::Seen(seen) | Self::Equals(seen, _) => Some(seen),
        }
    }

    fn value(self, value: &impl Fn(&Seen) -> u32) -> u32 {
        match self {
            Self::Number(number) => number,
            Self::Seen(seen) => value(&seen),
            Self::Equals(seen, number) => u32::from(value(&seen) == number),
        }
    }
}

/// How two values compare, as signed numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `==`.
    Equal,
    /// `!=`.
    Different,
    /// `<`.
    Less,
    /// `<=`.
    AtMost,
    /// `>`.
    Greater,
    /// `>=`.
    AtLeast,
}

impl Comparison {
    fn holds(self, left: u32, right: u32) -> bool {
        let order = left.cast_signed().cmp(&right.cast_signed());
        match self {
            Self::Equal => order.is_eq(),
            Self::Different => order.is_ne(),
            Self::Less => order.is_lt(),
            Self::AtMost => order.is_le(),
            Self::Greater => order.is_gt(),
            Self::AtLeast => order.is_ge(),
        }
    }
}

/// A condition on outcomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Two values compare so.
    Compare(Operand, Comparison, Operand),
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
    /// Condition of the outcomes that count; all do without one.
    pub filter: Option<Condition>,
    /// What the file shows besides.
    pub shown: Vec<Seen>,
}

impl Test {
    /// Whether an outcome has the condition: under `forall` also one that does not pass the filter.
    pub fn holds(&self, outcome: &Outcome) -> bool {
        let observed = self.observed();
        let value = |seen: &Seen| {
            let at = observed.iter().position(|other| other == seen);
            outcome[at.expect("what a condition names is observed")]
        };
        let counts = self.filter.as_ref().is_none_or(|filter| holds(filter, &value));
        match self.quantifier {
            Quantifier::ForAll => !counts || holds(&self.condition, &value),
            Quantifier::Exists | Quantifier::NotExists => counts && holds(&self.condition, &value),
        }
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
                    Step::Fence(_) | Step::Barrier(_) => {}
                }
            }
        }
        let shared = (0..writes.len()).filter(|&location| writes[location] > 1);
        all.extend(shared.map(Seen::Location));
        all.extend(&self.shown);
        named(&self.condition, &mut all);
        self.filter.iter().for_each(|filter| named(filter, &mut all));
        all.sort_unstable();
        all.dedup();
        all
    }

    /// An outcome, for a person.
    pub fn describe(&self, outcome: &Outcome) -> String {
        let of = |(seen, value): (Seen, &u32)| format!("{}={value}", self.name_of(seen));
        let all: Vec<_> = self.observed().into_iter().zip(outcome).map(of).collect();
        all.join(" ")
    }

    fn name_of(&self, seen: Seen) -> String {
        match seen {
            Seen::Register(thread, register) => {
                format!("P{thread}:{}", self.threads[thread].registers[register as usize])
            }
            Seen::Location(location) => self.locations[location].0.clone(),
        }
    }
}

fn holds(condition: &Condition, value: &impl Fn(&Seen) -> u32) -> bool {
    match condition {
        Condition::Compare(left, comparison, right) => {
            comparison.holds(left.value(value), right.value(value))
        }
        Condition::Not(one) => !holds(one, value),
        Condition::All(list) => list.iter().all(|one| holds(one, value)),
        Condition::Any(list) => list.iter().any(|one| holds(one, value)),
    }
}

fn named(condition: &Condition, all: &mut Vec<Seen>) {
    match condition {
        Condition::Compare(left, _, right) => {
            all.extend([left, right].iter().filter_map(|side| side.seen()));
        }
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
