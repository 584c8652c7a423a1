//! What a story gives each block, to be given to model and RTL again.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

use cosim::lockstep::Lockstep;
use cosim::report::RunName;
use cosim::rtl::{Rtl, RtlError};
use hwmodel::{Block, Model};
use ports::ConfigError;
use schemars::JsonSchema;
use serde::Serialize;

/// A model in a state that is searched. It keeps what came and what it showed where that is wanted,
/// which is no part of the state.
#[derive(Clone, Debug)]
pub(crate) struct Traced<M: Model> {
    model: M,
    log: Option<Log<M>>,
}

/// Each cycle since reset.
#[derive(Debug)]
struct Log<M: Model> {
    config: M::Config,
    cycles: Vec<(M::In, M::Out)>,
}

impl<M: Model> Clone for Log<M> {
    fn clone(&self) -> Self {
        Self { config: self.config.clone(), cycles: self.cycles.clone() }
    }
}

impl<M: Model> Traced<M> {
    /// A model of these parameters that has just been reset.
    pub fn new(model: Result<M, ConfigError>, config: M::Config, is_kept: bool) -> Self {
        let model = model.expect("legal parameters");
        Self { model, log: is_kept.then(|| Log { config, cycles: Vec::new() }) }
    }

    /// As [`Block::tick`].
    pub fn tick(&mut self, inputs: &M::In) -> M::Out {
        let out = self.model.tick(inputs);
        if let Some(log) = &mut self.log {
            log.cycles.push((*inputs, out));
        }
        out
    }
}

impl<M: Model + Clone + Send + Sync + 'static> Traced<M>
where
    M::In: Send + Sync,
    M::Out: Send + Sync,
    M::Config: Send + Sync,
{
    /// What it was given, by which it is called; none where that was not kept.
    pub fn replay(&self, of: String) -> Option<Replay> {
        let (log, last) = (self.log.clone()?, self.model.outputs());
        Some(Replay(Box::new(move || log.replay(&of, &last))))
    }
}

impl<M: Model> Deref for Traced<M> {
    type Target = M;

    fn deref(&self) -> &M {
        &self.model
    }
}

impl<M: Model + Hash> Hash for Traced<M> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.model.hash(hasher);
    }
}

impl<M: Model> Log<M> {
    /// The same inputs to model and RTL that keep all rules, until they show something else than
    /// the story has: from then on other things would come.
    fn replay(&self, of: &str, last: &M::Out) -> Result<Replayed, RtlError> {
        let rtl = Rtl::new(&self.config)?;
        let model = M::new(&self.config).expect("parameters of a model");
        let run = RunName { config: "counterexample".into(), seed: 0 };
        let mut pair = Lockstep::new(run, &self.config, model, rtl, 0);
        let mut departs = None;
        for (inputs, shown) in &self.cycles {
            let cycle = pair.cycle();
            if pair.tick(inputs) != *shown {
                departs = Some(cycle);
            }
            if departs.is_some() || pair.failed() {
                break;
            }
        }
        if departs.is_none() && !pair.failed() && pair.outputs() != *last {
            departs = Some(pair.cycle());
        }
        let mismatch = pair.mismatch().map(|mismatch| mismatch.to_string());
        Ok(Replayed { block: M::NAME, of: of.into(), cycles: pair.cycle(), departs, mismatch })
    }
}

/// A block of a story, with all that it was given.
pub struct Replay(Box<dyn Fn() -> Result<Replayed, RtlError> + Send + Sync>);

impl Replay {
    /// Gives it to model and RTL in lockstep, which keep all rules. Errors: no RTL can be built.
    pub fn run(&self) -> Result<Replayed, RtlError> {
        (self.0)()
    }
}

impl fmt::Debug for Replay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Replay")
    }
}

/// What came of a replay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Replayed {
    /// The block.
    pub block: &'static str,
    /// Whose it is, in the words of the story.
    pub of: String,
    /// Cycles in which model and RTL were compared.
    pub cycles: u64,
    /// The cycle in which both show something else than the story has: there the rule acts that the
    /// story's block did not keep.
    pub departs: Option<u64>,
    /// How model and RTL differ, or which assertion fails, where that is so.
    pub mismatch: Option<String>,
}
