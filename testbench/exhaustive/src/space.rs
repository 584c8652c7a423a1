//! What is searched: states, steps between them, and what must hold.

use std::fmt::Debug;
use std::hash::Hash;

use crate::traced::Replay;

/// A configuration of a protocol. Its states hold the models themselves; their `Hash` is their
/// identity, without what does not influence what comes.
pub trait Space: Send + Sync + 'static {
    /// A state.
    type State: Clone + Debug + Hash + Send + Sync + 'static;
    /// What can happen next.
    type Step: Clone + Debug + PartialEq + Send + Sync + 'static;

    /// The state after reset. `is_traced`: blocks keep what they are given, for
    /// [`Space::replays`].
    fn start(&self, is_traced: bool) -> Self::State;

    /// What the blocks of a state were given since a start that was traced.
    fn replays(&self, _state: &Self::State) -> Vec<Replay> {
        Vec::new()
    }

    /// All that can happen next, in the same order each time.
    fn steps(&self, state: &Self::State, steps: &mut Vec<Self::Step>);

    /// What then is. `None`: the step cannot be taken here.
    fn after(&self, state: &Self::State, step: &Self::Step) -> Option<Self::State>;

    /// The property that does not hold here, and how.
    fn broken(&self, state: &Self::State) -> Option<Broken>;

    /// True where nothing is under way, so that nothing more need happen.
    fn is_drained(&self, state: &Self::State) -> bool;

    /// The step in plain words.
    fn describe(&self, before: &Self::State, step: &Self::Step, after: &Self::State) -> String;
}

/// A property that does not hold.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Broken {
    /// Its name.
    pub property: &'static str,
    /// What happened.
    pub how: String,
}

/// The property of all spaces: something can happen until all is drained.
pub const NO_DEADLOCK: &str = "no deadlock";
